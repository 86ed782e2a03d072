--- The scenarios of the LuaJIT binding: `scenarios.lua NAME` plays one, as a program would.

local ffi = require("ffi")
local modelwire = require("modelwire")

ffi.cdef([[
  int fork(void);
  int kill(int process, int signal);
  int getpid(void);
  int usleep(unsigned microseconds);
  int waitpid(int process, int *status, int options);
  void _exit(int status);
  struct watched { int descriptor; short wanted, found; };
  int poll(struct watched *watched, unsigned long count, int timeout_ms);
]])
local SIGINT, PATIENCE_S = 2, 15
local MEMBERS = [[kind message hint http_status type code param request_id path model timeout
  metered body partial headers request_time_unix_ms attempts elapsed_ms retry_after_ms]]

local scenarios = {}

local function equal(found, wanted, what)
  if found ~= wanted then
    error(("%s: %s instead of %s"):format(what, tostring(found), tostring(wanted)), 2)
  end
end

local function chat_of(model, text)
  return { model = model, messages = { { role = "user", content = text } } }
end

--- The kind of the error that this raises, and the error.
local function failure(work, ...)
  local is_good, problem = pcall(work, ...)
  assert(not is_good, "no error was raised")
  assert(type(problem) == "table" and problem.kind, "another error: " .. tostring(problem))
  for name in MEMBERS:gmatch("%S+") do
    local _ = problem[name]
  end
  assert(tostring(problem):find(problem.kind, 1, true), "the message does not tell the kind")
  return problem.kind, problem
end

--- The whole text of a stream, and how many chunks had a piece of it.
local function read_to_end(stream)
  local texts = {}
  for chunk in stream do
    if chunk.text ~= "" then texts[#texts + 1] = chunk.text end
  end
  return table.concat(texts), #texts
end

--- What the kernel tells of this process: "VmRSS", in KiB.
local function status_of(name)
  for line in io.lines("/proc/self/status") do
    local found = line:match("^" .. name .. ":%s*(%d+)")
    if found then return tonumber(found) end
  end
end

local function descriptors()
  local listing = io.popen("ls /proc/" .. ffi.C.getpid() .. "/fd | wc -l")
  local found = tonumber(listing:read("*a"))
  listing:close()
  return found
end

local function cue() assert(io.read("*l"), "no cue came") end

local function eventually(what, is_so)
  local before = os.time()
  while not is_so() do
    assert(os.time() - before < PATIENCE_S, what .. ": not in time")
    modelwire.poll(50)
  end
end

function scenarios.plain()
  local client = modelwire.client()
  local models = client:models()
  local has_echo = false
  for index = 1, models.info.models:count() do
    has_echo = has_echo or models.info.models[index] == "echo"
  end
  assert(has_echo, "echo is not among the models")
  local response = client:chat(chat_of("echo", "plain words"))
  equal(response.text, "plain words", "text")
  equal(response.choices[1].message.content, "plain words", "the document")
  equal(response:get("/choices/0/message/content"), "plain words", "the document by path")
  equal(modelwire.encode({ response.choices[1].message }):match('"plain words"'), '"plain words"',
    "a document in a request")
  assert(response.info.usage.total_tokens > 0, "no usage")
  equal(response.info.http_status, 200, "http_status")
  equal(response.info.attempts, 1, "attempts")
  equal(client:responses({ model = "echo", input = "plain words" }).text, "plain words", "response")
end

function scenarios.streamed()
  local client = modelwire.client()
  local function streamed(words)
    local stream = client:chat_stream(chat_of("echo", words), { gather = true })
    local texts, deltas, count = {}, {}, 0
    for chunk in stream do
      texts[#texts + 1] = chunk.text
      deltas[#deltas + 1] = chunk:get("/choices/0/delta/content")
      if chunk.text ~= "" then count = count + 1 end
    end
    equal(table.concat(texts), words, "the texts")
    equal(table.concat(deltas), words, "the deltas")
    equal(stream.response.info.finish_reason, "stop", "finish_reason")
    equal(stream.response.text, words, "what was gathered")
    equal(stream(), nil, "after the end")
    return count
  end
  assert(streamed("one two three four") >= 2, "not piece by piece")
  local every = "a\0b \240\159\153\130 äöü \"\\\n end"
  streamed(every)
  equal(client:chat(chat_of("echo", every)).text, every, "a whole text")

  local last
  local stream = client:chat_stream(chat_of("echo", "one two"))
  for chunk in stream do last = chunk:get("/choices/0/finish_reason") or last end
  equal(last, "stop", "finish_reason of a chunk")
  equal(stream.response.json, "", "what was not gathered")
  equal(stream.response.choices, nil, "a member of what was not gathered")

  local names, texts, deltas = {}, {}, {}
  stream = client:responses_stream({ model = "echo", input = "one two three four" })
  for chunk in stream do
    names[chunk.name] = true
    texts[#texts + 1] = chunk.text
    if chunk.name == "response.output_text.delta" then deltas[#deltas + 1] = chunk.delta end
  end
  assert(names["response.output_text.delta"], "no chunk is called response.output_text.delta")
  equal(table.concat(texts), "one two three four", "the texts of a response")
  equal(table.concat(deltas), "one two three four", "the deltas of a response")
end

function scenarios.missing()
  local client = modelwire.client()
  local request = chat_of("no-such-model", "words")
  local function check(work)
    local kind, problem = failure(work)
    equal(kind, "not_found", "kind")
    equal(problem.http_status, 404, "http_status")
    equal(problem.attempts, 1, "attempts")
    equal(problem.model, "no-such-model", "model")
    assert(#problem.message > 0 and #problem.hint > 0, "no message or no hint")
    assert(problem.headers:count() > 0 and problem.headers[1].name, "no headers")
    assert(#problem.headers[1].value > 0, "a header without a value")
    assert(problem.json:find("not_found", 1, true), "the error's JSON")
  end
  check(function() client:chat(request) end)
  check(function() read_to_end(client:chat_stream(request)) end)
end

function scenarios.no_key()
  local kind, problem = failure(modelwire.client)
  equal(kind, "config", "kind")
  assert(tostring(problem):lower():find("key", 1, true), "the key is not named")
end

function scenarios.wrong_request()
  local client = modelwire.client()
  local kind, problem = failure(client.chat, client, { model = "echo" })
  equal(kind, "argument", "kind")
  assert(problem.message:find("messages", 1, true), "the field is not named")
  local empty = { model = "echo", messages = modelwire.array({}), seed = modelwire.null }
  equal(modelwire.encode(empty.messages), "[]", "an empty array")
  equal(modelwire.encode({ empty.seed }), "[null]", "null")
  local text = modelwire.encode({ 0.1, 2 ^ 53, true, "\1\"" })
  equal(text, '[0.1,9007199254740992,true,"\\u0001\\u0022"]', "other values")
  for _, number in ipairs({ 0.1 + 0.2, 2 ^ 53 + 2, 1e300 / 3, -5e-324 }) do
    equal(tonumber(modelwire.encode(number)), number, "a number")
  end
  equal(modelwire.encode({ [2 ^ 53] = 1 }), '{"9007199254740992":1}', "a number as a name")

  local function refused(words, value)
    local is_good, why = pcall(client.chat, client, { model = "echo", messages = value })
    assert(not is_good and why:find(words, 1, true), words .. ": " .. tostring(why))
  end
  local cyclic, message = {}, { role = "user", content = "words" }
  cyclic.again = cyclic
  refused("without item 2", { message, nil, message })
  refused("without item 1", { nil, message })
  refused("a member role", { message, role = "user" })
  refused("contains itself, as its member again", cyclic)
  refused("function", { print })
  local twice = { {}, {} }
  twice[1][1] = twice[2]
  equal(modelwire.encode(twice), "[[{}],{}]", "a table twice")
end

function scenarios.options()
  local client = modelwire.client()
  local options = { total_timeout_ms = 15000, headers = { ["x-own"] = "one" } }
  equal(client:chat(chat_of("echo", "words"), options).text, "words", "a call with options")
  equal(read_to_end(client:chat_stream(chat_of("echo", "words"), options)), "words", "a stream")
  assert(client:models({ total_timeout_ms = 15000 }).info.models:count() > 0, "no models")
  local _, problem = failure(client.chat, client, chat_of("echo", "words"), { totl_timeout_ms = 1 })
  assert(tostring(problem):find("totl_timeout_ms", 1, true), "the option is not named")
  _, problem = failure(modelwire.client, { bas_url = "x" })
  assert(tostring(problem):find("bas_url", 1, true), "the client's option is not named")
  local urls = { { url = os.getenv("MODELWIRE_BASE_URL"), weight = 2 }, "http://127.0.0.1:1/v1" }
  client = modelwire.client({ base_urls = urls })
  equal(client:chat(chat_of("echo", "words")).text, "words", "of the first service")
end

function scenarios.cut()
  local stream = modelwire.client():chat_stream(chat_of("any", "words"))
  equal(stream().text, "half ", "what came before")
  equal(failure(stream), "disconnected", "kind")
  equal(stream(), nil, "after the error")
end

function scenarios.cancel()
  local client = modelwire.client()
  local stream = client:chat_stream(chat_of("any", "words"))
  local texts = {}
  local reader = modelwire.spawn(function()
    for chunk in stream do texts[#texts + 1] = chunk.text end
  end)
  eventually("a chunk", function() return #texts == 1 end)
  modelwire.spawn(function() stream:cancel() end)
  equal(failure(reader.join, reader), "cancelled", "kind")
  equal(texts[1], "one ", "text")
  stream = client:chat_stream(chat_of("any", "words"))
  for chunk in stream do
    equal(chunk.text, "one ", "text")
    break
  end
  stream:close()
  equal(stream(), nil, "a stream that was left")
  eventually("its end", function() return modelwire.poll() == 0 end)
  print("left")
  io.flush()
  cue()
end

function scenarios.slow_reader()
  local client = modelwire.client()
  local slow = client:chat_stream(chat_of("any", "words"))
  equal(#slow().text, 1000, "a chunk")
  local before = status_of("VmRSS")
  local readers = {}
  for index = 1, 20 do
    readers[index] = modelwire.spawn(function()
      local text, chunks = read_to_end(client:chat_stream(chat_of("any", "words")))
      equal(#text, 20000, "text of a small stream")
      return chunks
    end)
  end
  for _, reader in ipairs(readers) do equal(reader:join(), 20, "chunks of a small stream") end
  local grown = status_of("VmRSS") - before
  assert(grown < 40 * 1024, "memory grew by " .. grown .. " KiB")
  local text, chunks = read_to_end(slow)
  equal(chunks, 63999, "chunks of the large stream after the first")
  equal(#text, 63999000, "their text")
end

function scenarios.many()
  local client = modelwire.client({ connections_max = 1100 })
  for _, number in ipairs({ 100, 1000 }) do
    local readers = {}
    for index = 1, number do
      readers[index] = modelwire.spawn(function()
        return (read_to_end(client:chat_stream(chat_of("slow", "stream " .. index))))
      end)
    end
    assert(modelwire.poll() > number / 2, "they are not under way at once")
    for index, reader in ipairs(readers) do equal(reader:join(), "stream " .. index, "text") end
  end
end

function scenarios.finalizers()
  local function begin()
    local client = modelwire.client()
    for _ = 1, 50 do
      local stream = client:chat_stream(chat_of("any", "words"))
      equal(stream().text, "one ", "text")
    end
  end
  begin()
  eventually("all are unfinished no more", function()
    collectgarbage()
    return modelwire.poll() == 0
  end)
  cue()
end

function scenarios.clients()
  local function make(number)
    local client = modelwire.client()
    if number % 100 == 0 then
      equal(client:chat(chat_of("echo", "words")).text, "words", "text")
    end
    if number % 2 == 0 then client:close() end
  end
  local descriptors_before, memory_before
  for number = 1, 2000 do
    make(number)
    if number == 200 then descriptors_before, memory_before = descriptors(), status_of("VmRSS") end
  end
  collectgarbage()
  local more = descriptors() - descriptors_before
  assert(more < 20, more .. " more descriptors")
  more = status_of("VmRSS") - memory_before
  assert(more < 16 * 1024, more .. " KiB more")
end

function scenarios.log()
  local records = {}
  modelwire.log("debug", function(record) records[#records + 1] = record end)
  modelwire.client():chat(chat_of("echo", "words"))
  eventually("a record", function() return #records > 0 end)
  for _, record in ipairs(records) do
    assert(record.level and #record.message > 0 and #record.target > 0, record.json)
    assert(not record.json:find("sk-test", 1, true), "the key is in the log")
  end
  modelwire.log("off")
  local is_good, why = pcall(modelwire.log, "verbose", print)
  assert(not is_good and why:find("verbose", 1, true) and why:find("trace", 1, true), why)
  modelwire.log("warning", print)
end

function scenarios.close()
  local client = modelwire.client()
  local stream, text = client:chat_stream(chat_of("any", "words")), nil
  local reader = modelwire.spawn(function()
    for chunk in stream do text = chunk.text end
  end)
  eventually("a chunk", function() return text end)
  modelwire.spawn(function() client:close() end)
  equal(failure(reader.join, reader), "closed", "kind")
  equal(failure(client.chat, client, chat_of("any", "words")), "closed", "kind of a new call")
  client:close()
end

--- A child sends a signal after a while.
local function signal_soon(milliseconds)
  local parent = ffi.C.getpid()
  local child = ffi.C.fork()
  if child == 0 then
    ffi.C.usleep(milliseconds * 1000)
    ffi.C.kill(parent, SIGINT)
    ffi.C._exit(0)
  end
  return child
end

function scenarios.interrupt()
  local client = modelwire.client()
  -- Ctrl-C: luajit's handler lets the code that runs raise "interrupted!".
  local child, before = signal_soon(500), os.time()
  local is_good, problem = pcall(client.chat, client, chat_of("any", "words"))
  assert(not is_good and tostring(problem):find("interrupted", 1, true), tostring(problem))
  assert(os.time() - before <= 20, "the handler ran late")
  ffi.C.waitpid(child, nil, 0)
  eventually("the interrupted call is over", function() return modelwire.poll() == 0 end)
  -- A task beside it ends a wait that lasts too long.
  local stream = client:chat_stream(chat_of("any", "words"))
  local reader = modelwire.spawn(stream)
  modelwire.poll(300)
  stream:cancel()
  equal(failure(reader.join, reader), "cancelled", "kind")
  equal(modelwire.poll(), 0, "unfinished calls")
end

function scenarios.fork()
  local client = modelwire.client()
  local words = "one two three four five six"
  local stream = client:chat_stream(chat_of("slow", words))
  local text = stream().text
  local child = ffi.C.fork()
  if child == 0 then
    local is_good, problem = pcall(function()
      equal(failure(read_to_end, stream), "forked", "kind of the stream before a call")
      equal(client:chat(chat_of("echo", "from the child")).text, "from the child", "text")
      equal(stream(), nil, "the stream afterwards")
      collectgarbage()
    end)
    if not is_good then io.stderr:write(tostring(problem), "\n") end
    os.exit(is_good and 0 or 1, true)
  end
  local status = ffi.new("int[1]")
  text = text .. read_to_end(stream)
  ffi.C.waitpid(child, status, 0)
  equal(status[0], 0, "how the child ended")
  equal(text, words, "text of the parent")
end

--- Several programs in one: a coroutine of the program's own blocks, in a task and outside of one.
function scenarios.coroutines()
  local client = modelwire.client()
  local function words(count)
    return coroutine.wrap(function()
      for number = 1, count do
        coroutine.yield(client:chat(chat_of("slow", "word " .. number)).text)
      end
    end)
  end
  local function read(count)
    local texts = {}
    for text in words(count) do texts[#texts + 1] = text end
    return table.concat(texts, " ")
  end
  local tasks = {}
  for index = 1, 5 do tasks[index] = modelwire.spawn(read, 2) end
  equal(read(2), "word 1 word 2", "outside of tasks")
  for _, task in ipairs(tasks) do equal(task:join(), "word 1 word 2", "in a task") end

  -- A task that yields by itself lets others go on.
  local order = {}
  local function steps(name)
    return function()
      for number = 1, 3 do
        order[#order + 1] = name .. number
        coroutine.yield()
      end
      return client:chat(chat_of("slow", name)).text
    end
  end
  local one, two = modelwire.spawn(steps("a")), modelwire.spawn(steps("b"))
  equal(one:join() .. two:join(), "ab", "of tasks that yield")
  equal(table.concat(order, " "), "a1 b1 a2 b2 a3 b3", "their order")
end

--- A loop of the program's own watches the descriptor.
function scenarios.descriptor()
  local client, texts, left = modelwire.client(), {}, 10
  for index = 1, left do
    modelwire.spawn(function()
      texts[index] = read_to_end(client:chat_stream(chat_of("slow", "stream " .. index)))
      left = left - 1
    end)
  end
  local watched = ffi.new("struct watched", modelwire.descriptor(), 1) -- for reading
  local before = os.time()
  while left > 0 do
    ffi.C.poll(watched, 1, 1000)
    modelwire.poll()
    assert(os.time() - before < PATIENCE_S, "not in time")
  end
  for index = 1, 10 do equal(texts[index], "stream " .. index, "text") end
end

local play = scenarios[arg[1]] or error("no such scenario: " .. tostring(arg[1]))
play()
