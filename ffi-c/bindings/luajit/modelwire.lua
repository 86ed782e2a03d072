--- A client of OpenAI-compatible model services for LuaJIT, over the C library modelwire.
--
-- It needs LuaJIT 2.1 (Debian: luajit), modelwire.ffi.h of the C library beside this file, and
-- libmodelwire.so.0.1 where the loader finds it, or its path in MODELWIRE_LIBRARY.
--
--     OPENAI_BASE_URL=... OPENAI_API_KEY=... luajit example.lua a-model "Say hello."
--
-- A call waits for its answer; tasks (`modelwire.spawn`) run meanwhile, and in a task it lets the
-- others run. A program with a loop of its own watches `modelwire.descriptor()` for reading and
-- calls `modelwire.poll()` then, which runs the tasks that have something to do. A stream that is
-- left by `break` ends when it is collected, and at once by `stream:close()`.

local ffi = require("ffi")

local here, name = debug.getinfo(1, "S").source:match("^@(.*/)") or "./", "modelwire.ffi.h"
local header = io.open(here .. name) or assert(io.open(here .. "../../../include/" .. name))
ffi.cdef(header:read("*a"))
ffi.cdef('int modelwire_lua_process(void) __asm__("getpid");')
local lib = ffi.load(os.getenv("MODELWIRE_LIBRARY") or "libmodelwire.so.0.1")
assert(lib.modelwire_check_abi(lib.MODELWIRE_ABI) == 0, "libmodelwire has another ABI")

local TAKEN_AT_ONCE, PAUSE_AT, RESUME_AT = 64, 128, 32
local LOOK_UP_MS = 100 -- Ctrl-C is a hook of the interpreter, which runs when a wait looks up
local HANDLE = {} -- the key of what is the library's; no member of a document has it
local modelwire = { null = newproxy() } -- null in requests; that of lua-cjson is taken as well
local Array, Document, Failure, Stream, Client, Task = {}, {}, {}, {}, {}, {}
local length, count = ffi.new("size_t[1]"), ffi.new("size_t[1]")
local failed, events = ffi.new("modelwire_error *[1]"), ffi.new("modelwire_event *[64]")
-- One queue for all clients, as LuaJIT has one thread. What comes for a call waits in its slot.
local queue, process
local slots, last_tag, ready, tasks = {}, 0, {}, setmetatable({}, { __mode = "k" })

--- Marks a table as an array; an empty one is an object otherwise.
function modelwire.array(items) return setmetatable(items, Array) end

local function escaped(byte) return ("\\u%04x"):format(byte:byte()) end

--- The JSON text of a Lua value.
function modelwire.encode(value)
  local kind, parts = type(value), {}
  if kind == "string" then return '"' .. value:gsub('[%z\1-\31"\\\127]', escaped) .. '"' end
  if kind == "number" and value - value == 0 then return ("%.16g"):format(value) end
  if kind == "boolean" then return tostring(value) end
  if kind == "userdata" then return "null" end
  if kind ~= "table" then error("no value of JSON: " .. tostring(value), 0) end
  local is_array = #value > 0 or getmetatable(value) == Array
  for name, member in (is_array and ipairs or pairs)(value) do
    name = is_array and "" or modelwire.encode(tostring(name)) .. ":"
    parts[#parts + 1] = name .. modelwire.encode(member)
  end
  return (is_array and "[" or "{") .. table.concat(parts, ",") .. (is_array and "]" or "}")
end

local function json_of(value) return type(value) == "string" and value or modelwire.encode(value) end
local function string_of(text) return text ~= nil and ffi.string(text, length[0]) or nil end
local function document_of(json) return setmetatable({ json = json }, Document) end

--- Raises an error with every member of modelwire_error_json: `kind`, `message`, `hint` and more.
local function check(status)
  if status == lib.MODELWIRE_OK then return end
  local json = string_of(lib.modelwire_error_json(failed[0], length))
  lib.modelwire_error_free(failed[0])
  failed[0] = nil
  local kind = ffi.string(lib.modelwire_status_name(status))
  json = json or modelwire.encode({ kind = kind, message = "the call is " .. kind, hint = "" })
  error(setmetatable({ json = json }, Failure), 0)
end

local function parsed(document)
  local value = rawget(document, HANDLE)
  if not value and document.json ~= "" then -- empty is the end of a stream that was not gathered
    value = ffi.new("modelwire_value *[1]")
    check(lib.modelwire_value_new(document.json, #document.json, value, failed))
    value = ffi.gc(value[0], lib.modelwire_value_free)
    document[HANDLE] = value
  end
  return value
end

--- Documents are parsed when something of them is asked for: `document.choices[1].delta.content`,
-- or in one step `document:get("/choices/0/delta/content")`. Objects and arrays are documents too.
-- So are chunks and responses, with `text`, `name` and `json`, the text itself, beside the members.
function Document:get(path)
  local value = parsed(self)
  local text = string_of(lib.modelwire_value_text(value, path, #path, length))
  if text then return text end
  text = string_of(lib.modelwire_value_json(value, path, #path, length))
  if not text or text == "null" then return nil end
  if text == "true" or text == "false" then return text == "true" end
  return tonumber(text) or document_of(text)
end

--- How many items or members there are.
function Document:count(path)
  return tonumber(lib.modelwire_value_count(parsed(self), path or "", #(path or "")))
end

function Document:__index(name)
  if Document[name] then return Document[name] end
  if type(name) == "number" then return Document.get(self, "/" .. name - 1) end
  return Document.get(self, "/" .. name:gsub("~", "~0"):gsub("/", "~1"))
end

Failure.__index, Stream.__index, Client.__index, Task.__index = Document.__index, Stream, Client, Task
function Failure:__tostring() return ("%s: %s\n%s"):format(self.kind, self.message, self.hint) end

local function new_queue()
  if queue then ffi.gc(queue, nil) end -- that of the parent process
  local made = ffi.new("modelwire_queue *[1]")
  check(lib.modelwire_queue_new(0, made, failed))
  queue, process = made[0], ffi.C.modelwire_lua_process()
  -- When Lua ends: before its streams, or after them.
  ffi.gc(queue, function(handle) queue = lib.modelwire_queue_free(handle) end)
  if slots[0] then modelwire.log(slots[0].level, slots[0].handler) end
end

--- A chunk, a response, a failure or a record as strings: the collector knows their size, and they
-- cost less than a finaliser for each event.
local function item_of(event, kind)
  local text = string_of(lib.modelwire_event_text(event, length))
  local name = string_of(lib.modelwire_event_name(event, length))
  local json = string_of(lib.modelwire_event_json(event, length))
  local item = { text = text, name = name, json = json }
  if kind == lib.MODELWIRE_EVENT_RESPONSE then
    local info = lib.modelwire_value_json(lib.modelwire_event_info(event), "", 0, length)
    item.info = document_of(string_of(info))
  end
  return setmetatable(item, kind == lib.MODELWIRE_EVENT_ERROR and Failure or Document)
end

local function wake(waited) ready[#ready + 1], waited.waiter = waited.waiter, nil end

local function hand_out()
  for index = 0, tonumber(count[0]) - 1 do
    local event = events[index]
    local kind, tag = lib.modelwire_event_kind(event), tonumber(lib.modelwire_event_tag(event))
    local slot = slots[tag]
    if slot and kind <= lib.MODELWIRE_EVENT_LOG then
      local last = slot.last + 1
      slot[last], slot.last = item_of(event, kind), last
      if kind == lib.MODELWIRE_EVENT_RESPONSE or kind == lib.MODELWIRE_EVENT_ERROR then
        slot.has_end, slots[tag] = true, nil
      elseif last - slot.first >= PAUSE_AT and not slot.is_paused then
        slot.is_paused = lib.modelwire_queue_pause(queue, tag) == lib.MODELWIRE_OK
      end
      wake(slot)
    end
    lib.modelwire_event_free(event)
  end
end

--- Takes events, waits for the first one if no task is ready, and runs the tasks that are.
local function turn(longest_ms)
  if #ready > 0 then longest_ms = 0 end
  local status = lib.modelwire_queue_take(queue, longest_ms, events, TAKEN_AT_ONCE, count)
  if status < 0 then check(status) end
  if status == lib.MODELWIRE_OK then hand_out() end
  local awake = ready
  ready = {}
  for index = 1, #awake do coroutine.resume(awake[index]) end
  return status == lib.MODELWIRE_OK
end
jit.off(turn) -- compiled loops run no hooks

local function leave(slot)
  slots[slot.tag], slot.has_end, slot.first = nil, true, slot.last + 1
  if slot.queue == queue then lib.modelwire_queue_cancel(queue, slot.tag) end
  wake(slot)
end

--- Waits for a slot or a task: in a task the others run meanwhile, outside of tasks all of them.
local function wait(waited)
  local thread = coroutine.running()
  if not tasks[thread] then return turn(LOOK_UP_MS) end
  assert(not waited.waiter, "another task waits for it already")
  waited.waiter = thread
  coroutine.yield()
end

--- What comes next of a call; nil after its end. A failure is raised.
local function next_item(slot)
  while slot.first > slot.last do
    if slot.has_end then return nil end
    if slot.queue ~= queue then check(lib.MODELWIRE_E_FORKED) end
    local is_good, problem = pcall(wait, slot)
    if not is_good then leave(slot) error(problem, 0) end
  end
  local first, item = slot.first, slot[slot.first]
  slot[first], slot.first = nil, first + 1
  if slot.is_paused and slot.last - first < RESUME_AT then
    slot.is_paused = false
    lib.modelwire_queue_resume(queue, slot.tag)
  end
  if first == slot.last then slot.first, slot.last = 1, 0 end
  if getmetatable(item) == Failure then error(item, 0) end
  return item
end

local function submit(client, operation, request, options, is_stream)
  if process ~= ffi.C.modelwire_lua_process() then new_queue() end
  local json, made = request and json_of(request), ffi.new("modelwire_request *[1]")
  check(lib.modelwire_request_new(operation, json, json and #json or 0, made, failed))
  made, json = ffi.gc(made[0], lib.modelwire_request_free), options and json_of(options) or "{}"
  check(lib.modelwire_request_set_options(made, json, #json, failed))
  last_tag = last_tag + 1
  check(lib.modelwire_queue_submit_request(queue, client[HANDLE], made, is_stream, last_tag, failed))
  slots[last_tag] = { queue = queue, tag = last_tag, first = 1, last = 0 }
  return slots[last_tag]
end

--- `for chunk in stream do`; then `stream.response` is how it ended.
function Stream:__call()
  local item = next_item(self.slot)
  if not item or not rawget(item, "info") then return item end
  self.response = item
end

--- Ends the call, of which a task that waits is told by an error; or leaves the stream for good.
function Stream:cancel() lib.modelwire_queue_cancel(queue, self.slot.tag) end
function Stream:close() leave(self.slot) end

--- A client with options of docs/options.md, as a table or JSON text.
function modelwire.client(options)
  local made, json = ffi.new("modelwire_client *[1]"), json_of(options or {})
  check(lib.modelwire_client_new(json, #json, made, failed))
  return setmetatable({ [HANDLE] = ffi.gc(made[0], lib.modelwire_client_free) }, Client)
end

--- `client:models(options)`, `client:chat(request, options)` and `client:responses` give a
-- response, `client:chat_stream(request, options)` and `client:responses_stream` a stream.
function Client:models(options) return next_item(submit(self, 1, nil, options, 0)) end

for operation, name in pairs({ [2] = "chat", [3] = "responses" }) do
  Client[name] = function(self, request, options)
    return next_item(submit(self, operation, request, options, 0))
  end
  Client[name .. "_stream"] = function(self, request, options)
    local slot = submit(self, operation, request, options, 1)
    local left = ffi.gc(ffi.new("char[1]"), function() leave(slot) end)
    return setmetatable({ slot = slot, left = left }, Stream)
  end
end

--- Ends the calls under way, which are told so, and refuses others.
function Client:close() check(lib.modelwire_client_close(self[HANDLE], -1, failed)) end

--- Starts a task; `task:join()` waits for its end and gives what it returns, or raises its error.
function modelwire.spawn(work, ...)
  local task = setmetatable({}, Task)
  local thread = coroutine.create(function(...)
    task.is_good, task.result = pcall(work, ...)
    wake(task)
  end)
  tasks[thread] = true
  coroutine.resume(thread, ...)
  return task
end

function Task:join()
  while self.is_good == nil do wait(self) end
  if not self.is_good then error(self.result, 0) end
  return self.result
end

--- Hands the records of the log to a function: documents with level, message and target.
function modelwire.log(level, handler)
  local number = lib["MODELWIRE_LOG_" .. level:upper()]
  check(lib.modelwire_queue_log(queue, number, 0, failed))
  local slot = { queue = queue, level = level, handler = handler, tag = 0, first = 1, last = 0 }
  slots[0] = slot
  modelwire.spawn(function() for record in next_item, slot do pcall(handler, record) end end)
end

--- Readable when there is something for `modelwire.poll()`.
function modelwire.descriptor() return lib.modelwire_queue_fd(queue) end

--- Takes what comes, at first in so many milliseconds, lets tasks run, and tells how many calls
-- are unfinished.
function modelwire.poll(longest_ms)
  if turn(longest_ms or 0) then repeat until not turn(0) end
  return tonumber(lib.modelwire_queue_count(queue))
end

new_queue()
return modelwire
