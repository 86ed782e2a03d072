--- The works of the benchmark with modelwire.

local modelwire = require("modelwire")

local request = { model = "bench", messages = { { role = "user", content = "hello" } } }
local works = {}

local function client_of(base_url)
  return modelwire.client({ base_url = base_url, api_key = "sk-test" })
end

function works.chat(base_url, operations)
  local client, text_bytes = client_of(base_url), 0
  for _ = 1, operations do text_bytes = text_bytes + #client:chat(request).text end
  return operations, text_bytes
end

function works.stream(base_url)
  local events, text_bytes = 0, 0
  for chunk in client_of(base_url):chat_stream(request) do
    events, text_bytes = events + 1, text_bytes + #chunk.text
  end
  return events, text_bytes
end

return works
