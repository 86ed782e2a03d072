# A chat, piece by piece; then what is known of it.
#
#     mix run example.exs echo "Say hello."

[model, text] = System.argv()
client = Modelwire.client!()
request = [model: model, messages: [%{role: "user", content: text}]]

try do
  stream = Modelwire.chat_stream!(client, request, total_timeout_ms: 60_000, gather: true)
  for chunk <- stream, do: IO.write(chunk.text)
  {:ok, response} = Modelwire.response(stream)
  IO.puts("\n#{Modelwire.info(response)["finish_reason"]}")
rescue
  error in Modelwire.Error ->
    IO.puts(:stderr, Exception.message(error))
    exit({:shutdown, 1})
end
