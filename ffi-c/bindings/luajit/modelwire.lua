--- A client of OpenAI-compatible model services for LuaJIT, over the C library modelwire.
--
-- It needs LuaJIT 2.1 (Debian: luajit), modelwire.ffi.h of the C library beside this file, and the
-- library: by its path in MODELWIRE_LIBRARY, as the rock installs it, or where the loader finds it.
--
-- A call waits for its answer, while tasks (`modelwire.spawn`) run. A loop of the program's own
-- watches `modelwire.descriptor()` for reading and calls `modelwire.poll()` then. A stream that is
-- left by `break` ends when it is collected, and at once by `stream:close()`.

local ffi = require("ffi")
local here, name = debug.getinfo(1, "S").source:match("^@(.*/)") or "./", "modelwire.ffi.h"
ffi.cdef((io.open(here .. name) or assert(io.open(here .. "../../../include/" .. name))):read("*a"))
local installed = package.searchpath("libmodelwire", package.cpath)
local lib = ffi.load(os.getenv("MODELWIRE_LIBRARY") or installed or "libmodelwire.so.0.1")
assert(lib.modelwire_check_abi(lib.MODELWIRE_ABI) == 0, "libmodelwire has another ABI")

local RESPONSE, ERROR = lib.MODELWIRE_EVENT_RESPONSE, lib.MODELWIRE_EVENT_ERROR
local PAUSE_AT, RESUME_AT, LOOK_UP_MS = 128, 32, 100 -- Ctrl-C is a hook: a wait looks up for it
local LEVELS = { off = 0, error = 1, warn = 2, warning = 2, info = 3, debug = 4, trace = 5 }
local HANDLE = {} -- the key of what is the library's; no member of a document has it
local modelwire = { null = newproxy() } -- null in requests; that of lua-cjson is taken as well
local Array, Document, Failure, Stream, Client, Task = {}, {}, {}, {}, {}, {}
Stream.__index, Client.__index, Task.__index = Stream, Client, Task
local length, count = ffi.new("size_t[1]"), ffi.new("size_t[1]")
local failed, events = ffi.new("modelwire_error *[1]"), ffi.new("modelwire_event *[64]")
local handed_out, ready, tasks = 0, {}, setmetatable({}, { __mode = "k" })
-- One queue for all clients, as LuaJIT has one thread. What comes for a call waits in its slot.
local queue, slots, last_tag = nil, {}, 0

--- An empty table is an object in JSON, but for `modelwire.array({})`.
function modelwire.array(items) return setmetatable(items, Array) end
local function refuse(...) error("no value of JSON: " .. string.format(...), 0) end
local function escaped(byte) return ("\\u%04x"):format(byte:byte()) end
local function number_of(value)
  local text = ("%.16g"):format(value)
  return tonumber(text) == value and text or ("%.17g"):format(value)
end
local function check_array(items)
  local last = #items
  for name in pairs(items) do
    local is_place = type(name) == "number" and name % 1 == 0 and name > 0
    last = is_place and math.max(last, name) or refuse("an array with a member %s", tostring(name))
  end
  for index = 1, last do
    if items[index] == nil then refuse("an array without item %d (null: modelwire.null)", index) end
  end
end
local function encoded(value, around) -- the tables that it is in
  local kind, parts = type(value), {}
  if kind == "string" then return '"' .. value:gsub('[%z\1-\31"\\\127]', escaped) .. '"' end
  if kind == "number" and value - value == 0 then return number_of(value) end
  if kind == "boolean" then return tostring(value) elseif kind == "userdata" then return "null" end
  if kind ~= "table" then refuse("%s", tostring(value)) end
  if getmetatable(value) == Document and value.json ~= "" then return value.json end
  local is_array = #value > 0 or getmetatable(value) == Array
  if is_array then check_array(value) end
  around[value] = true
  for name, member in (is_array and ipairs or pairs)(value) do
    if around[member] then refuse("a table that contains itself, as its member %s", name) end
    local text = type(name) == "number" and number_of(name) or tostring(name)
    parts[#parts + 1] = (is_array and "" or encoded(text) .. ":") .. encoded(member, around)
  end
  around[value] = nil
  return (is_array and "[" or "{") .. table.concat(parts, ",") .. (is_array and "]" or "}")
end
function modelwire.encode(value) return encoded(value, {}) end
local function json_of(it) return type(it) == "string" and it or modelwire.encode(it or {}) end
local function string_of(text) return text ~= nil and ffi.string(text, length[0]) or nil end
local function document_of(json) return setmetatable({ json = json }, Document) end

--- Raises an error with every member of modelwire_error_json: `kind`, `message`, `hint` and more.
local function check(status)
  if status >= 0 then return end
  local kind = ffi.string(lib.modelwire_status_name(status))
  local json = string_of(lib.modelwire_error_json(failed[0], length))
  failed[0] = lib.modelwire_error_free(failed[0])
  json = json or modelwire.encode({ kind = kind, message = "no more is known", hint = "" })
  error(setmetatable({ json = json }, Failure), 0)
end
local function parsed(document)
  if not rawget(document, HANDLE) and document.json ~= "" then -- empty after some streams
    local made = ffi.new("modelwire_value *[1]")
    check(lib.modelwire_value_new(document.json, #document.json, made, failed))
    document[HANDLE] = ffi.gc(made[0], lib.modelwire_value_free)
  end
  return rawget(document, HANDLE)
end

--- Documents are parsed when something of them is asked for: `document.choices[1].delta.content`,
-- or in one step `document:get("/choices/0/delta/content")`. Objects and arrays are documents too,
-- with a `count()`; chunks and responses are some with `text`, `name` and `json`, its text. A
-- member that is called like one of these is read by `get("/count")`.
function Document:get(path)
  local value = parsed(self)
  local text = string_of(lib.modelwire_value_text(value, path, #path, length))
  if text then return text end
  text = string_of(lib.modelwire_value_json(value, path, #path, length))
  if not text or text == "null" then return nil end
  if text == "true" or text == "false" then return text == "true" end
  return tonumber(text) or document_of(text)
end
function Document:count() return tonumber(lib.modelwire_value_count(parsed(self), "", 0)) end
function Document:__index(name)
  if Document[name] then return Document[name] end
  local step = type(name) == "number" and name - 1 or name:gsub("~", "~0"):gsub("/", "~1")
  return Document.get(self, "/" .. step)
end

Failure.__index = Document.__index
function Failure:__tostring() return ("%s: %s\n%s"):format(self.kind, self.message, self.hint) end
local function new_queue()
  if queue then ffi.gc(queue, nil) end -- that of the parent process
  local made = ffi.new("modelwire_queue *[1]")
  check(lib.modelwire_queue_new(0, made, failed))
  -- Freed when Lua ends, before its streams or after them.
  queue = ffi.gc(made[0], function(handle) queue = lib.modelwire_queue_free(handle) end)
end

--- A chunk, a response, a failure or a record as strings: the collector knows their size, and they
-- cost less than a finaliser for each event.
local function item_of(event, kind)
  local text = string_of(lib.modelwire_event_text(event, length))
  local name = string_of(lib.modelwire_event_name(event, length))
  local json = string_of(lib.modelwire_event_json(event, length))
  local item = { text = text, name = name, json = json }
  if kind == RESPONSE then
    local info = lib.modelwire_value_json(lib.modelwire_event_info(event), "", 0, length)
    item.info = document_of(string_of(info))
  end
  return setmetatable(item, kind == ERROR and Failure or Document)
end
--- Runs a task until it waits; one that yields by itself goes on when others had their turn.
local function go_on(task, ...)
  local _, reason = coroutine.resume(task, ...)
  if reason ~= HANDLE and coroutine.status(task) ~= "dead" then ready[#ready + 1] = task end
end
local function wake(waited) ready[#ready + 1], waited.waiter = waited.waiter, nil end
local function hand_out()
  while handed_out < tonumber(count[0]) do
    local event = events[handed_out]
    handed_out = handed_out + 1
    local kind, tag = lib.modelwire_event_kind(event), tonumber(lib.modelwire_event_tag(event))
    local slot = slots[tag]
    if slot and kind <= lib.MODELWIRE_EVENT_LOG then
      local last = slot.last + 1
      slot[last], slot.last = item_of(event, kind), last
      if kind == RESPONSE or kind == ERROR then
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
  hand_out() -- what an error left, as that of Ctrl-C
  handed_out, count[0] = 0, 0
  local status = lib.modelwire_queue_take(queue, #ready > 0 and 0 or longest_ms, events, 64, count)
  check(status)
  hand_out()
  local awake = ready
  ready = {}
  for index = 1, #awake do go_on(awake[index]) end
  return status == lib.MODELWIRE_OK
end
jit.off(turn) -- compiled loops run no hooks

--- Waits for a slot or a task: in a task the others run meanwhile, outside of tasks all of them.
local function wait(waited)
  if not tasks[coroutine.running()] then return turn(LOOK_UP_MS) end
  assert(not waited.waiter, "another task waits for it already")
  waited.waiter = coroutine.running()
  coroutine.yield(HANDLE)
end
local function leave(slot)
  slots[slot.tag], slot.has_end, slot.first = nil, true, slot.last + 1
  lib.modelwire_queue_cancel(queue, slot.tag)
  wake(slot)
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
    slot.is_paused = lib.modelwire_queue_resume(queue, slot.tag) ~= lib.MODELWIRE_OK
  end
  if first == slot.last then slot.first, slot.last = 1, 0 end
  if getmetatable(item) == Failure then error(item, 0) end
  return item
end

local function submit(stream, client, operation, request, options)
  local made, json, chosen = ffi.new("modelwire_request *[1]"), json_of(request), json_of(options)
  check(lib.modelwire_request_new(operation, json, #json, made, failed))
  local ours = ffi.gc(made[0], lib.modelwire_request_free)
  check(lib.modelwire_request_set_options(ours, chosen, #chosen, failed))
  last_tag = last_tag + 1
  if lib.modelwire_queue_cancel(queue, last_tag) == lib.MODELWIRE_E_FORKED then new_queue() end
  check(lib.modelwire_queue_submit_request(queue, client[HANDLE], ours, stream, last_tag, failed))
  slots[last_tag] = { queue = queue, tag = last_tag, first = 1, last = 0 }
  return slots[last_tag]
end
local function response_of(...) return next_item(submit(0, ...)) end
local function stream_of(...)
  local slot = submit(1, ...)
  local left = ffi.gc(ffi.new("char[1]"), function() leave(slot) end)
  return setmetatable({ slot = slot, left = left }, Stream)
end

--- `for chunk in stream do`; then `stream.response` is how it ended.
function Stream:__call()
  local item = next_item(self.slot)
  if not item or not rawget(item, "info") then return item end
  self.response = item
end

--- Ends the call: a task that waits for it gets an error. Closing leaves the stream for good.
function Stream:cancel() lib.modelwire_queue_cancel(queue, self.slot.tag) end
function Stream:close() leave(self.slot) end

--- A client with options of docs/options.md, as a table or JSON text.
function modelwire.client(options)
  local made, json = ffi.new("modelwire_client *[1]"), json_of(options)
  check(lib.modelwire_client_new(json, #json, made, failed))
  return setmetatable({ [HANDLE] = ffi.gc(made[0], lib.modelwire_client_free) }, Client)
end

--- Requests and options of a call are tables or JSON text.
function Client:models(options) return response_of(self, 1, "", options) end
function Client:chat(request, options) return response_of(self, 2, request, options) end
function Client:chat_stream(request, options) return stream_of(self, 2, request, options) end
function Client:responses(request, options) return response_of(self, 3, request, options) end
function Client:responses_stream(request, options) return stream_of(self, 3, request, options) end
--- Ends the calls in flight and refuses others; both fail with kind "closed".
function Client:close() check(lib.modelwire_client_close(self[HANDLE], -1, failed)) end

--- Starts a task; `task:join()` waits for its end and gives what it returns, or raises its error.
function modelwire.spawn(work, ...)
  local task = setmetatable({}, Task)
  local thread = coroutine.create(function(...)
    task.is_good, task.result = pcall(work, ...)
    wake(task)
  end)
  tasks[thread] = true
  go_on(thread, ...)
  return task
end
function Task:join()
  while self.is_good == nil do wait(self) end
  if not self.is_good then error(self.result, 0) end
  return self.result
end

--- Hands the records of the log to a function: documents with level, message and target.
function modelwire.log(level, handler)
  local hint = " is none of the levels off, error, warn, info, debug and trace"
  local number = LEVELS[level] or error(tostring(level) .. hint, 2)
  check(lib.modelwire_queue_log(queue, number, 0, failed))
  slots[0] = { queue = queue, tag = 0, first = 1, last = 0 }
  modelwire.spawn(function() for record in next_item, slots[0] do pcall(handler, record) end end)
end
function modelwire.descriptor() return lib.modelwire_queue_fd(queue) end
--- Waits at most that long for events, takes them, and returns how many calls are unfinished.
function modelwire.poll(longest_ms)
  if turn(longest_ms or 0) then repeat until not turn(0) end
  return tonumber(lib.modelwire_queue_count(queue))
end
new_queue()
return modelwire
