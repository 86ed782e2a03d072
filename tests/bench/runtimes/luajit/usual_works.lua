--- The works of the benchmark with libcurl and lua-cjson: one easy handle, used again, and a write
-- callback that splits the body into events and parses each.

local ffi = require("ffi")
local cjson = require("cjson")

ffi.cdef([[
  typedef void CURL;
  struct curl_slist;
  typedef size_t (*write_function)(char *bytes, size_t size, size_t count, void *data);
  CURL *curl_easy_init(void);
  int curl_easy_setopt(CURL *curl, int option, ...);
  int curl_easy_perform(CURL *curl);
  int curl_easy_getinfo(CURL *curl, int info, ...);
  const char *curl_easy_strerror(int code);
  struct curl_slist *curl_slist_append(struct curl_slist *list, const char *line);
]])
local curl = ffi.load("libcurl.so.4")
local URL, COPYPOSTFIELDS, HTTPHEADER = 10002, 10165, 10023
local WRITEFUNCTION, RESPONSE_CODE = 20011, 0x200002

local function post(base_url, request, on_bytes)
  local handle = curl.curl_easy_init()
  local headers = curl.curl_slist_append(nil, "Content-Type: application/json")
  headers = curl.curl_slist_append(headers, "Authorization: Bearer sk-test")
  local on_write = ffi.cast("write_function", function(bytes, size, count)
    on_bytes(ffi.string(bytes, size * count))
    return size * count
  end)
  curl.curl_easy_setopt(handle, URL, base_url .. "/chat/completions")
  curl.curl_easy_setopt(handle, HTTPHEADER, headers)
  curl.curl_easy_setopt(handle, WRITEFUNCTION, on_write)
  local function send()
    local status = ffi.new("long[1]")
    curl.curl_easy_setopt(handle, COPYPOSTFIELDS, cjson.encode(request))
    local code = curl.curl_easy_perform(handle)
    if code ~= 0 then error(ffi.string(curl.curl_easy_strerror(code))) end
    curl.curl_easy_getinfo(handle, RESPONSE_CODE, status)
    assert(status[0] == 200, "status")
    return on_write
  end
  jit.off(send) -- Lua is called back from here, which compiled code may not do
  return send
end

local function request_of(is_stream)
  local messages = { { role = "user", content = "hello" } }
  return { model = "bench", messages = messages, stream = is_stream or nil }
end

local works = {}

function works.chat(base_url, operations)
  local text_bytes, parts = 0, {}
  local send = post(base_url, request_of(false), function(bytes) parts[#parts + 1] = bytes end)
  for _ = 1, operations do
    parts = {}
    send()
    local answer = cjson.decode(table.concat(parts))
    text_bytes = text_bytes + #answer.choices[1].message.content
  end
  return operations, text_bytes
end

function works.stream(base_url)
  local events, text_bytes, rest, is_done = 0, 0, "", false
  local function on_line(line)
    if line:sub(1, 6) ~= "data: " then return end
    if line == "data: [DONE]" then
      is_done = true
      return
    end
    local choice = cjson.decode(line:sub(7)).choices[1]
    events = events + 1
    text_bytes = text_bytes + #(choice and choice.delta.content or "")
  end
  post(base_url, request_of(true), function(bytes)
    rest = rest .. bytes
    local from = 1
    while true do
      local stop = rest:find("\n", from, true)
      if not stop then break end
      on_line(rest:sub(from, stop - 1))
      from = stop + 1
    end
    rest = rest:sub(from)
  end)()
  assert(is_done, "no [DONE]")
  return events, text_bytes
end

return works
