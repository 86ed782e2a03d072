--- A streamed chat, and three at once: luajit example.lua MODEL "Say hello."

local modelwire = require("modelwire")

local client = modelwire.client() -- base URL and key from the environment
local request = { model = arg[1], messages = { { role = "user", content = arg[2] } } }

local stream = client:chat_stream(request)
for chunk in stream do
  io.write(chunk.text)
  io.flush()
end
print("\n" .. stream.response.info.http_status)

local tasks = {}
for number = 1, 3 do
  tasks[number] = modelwire.spawn(function() return client:chat(request).text end)
end
for number, task in ipairs(tasks) do
  local is_good, result = pcall(task.join, task)
  print(number, is_good and result or tostring(result))
end
