# modelwire: whole chats one after another, or streams beside each other, each in a process.
request = ~s({"model":"bench","messages":[{"role":"user","content":"hello"}]})

Bench.main(fn
  "chat", base_url, operations, _at_once ->
    client = Modelwire.client!(base_url: base_url, api_key: "sk-test")

    for _ <- 1..operations, reduce: {0, 0} do
      {events, bytes} ->
        {events + 1, bytes + byte_size(Modelwire.chat!(client, request).text)}
    end

  "stream", base_url, _operations, at_once ->
    client = Modelwire.client!(base_url: base_url, api_key: "sk-test")

    read = fn ->
      for chunk <- Modelwire.chat_stream!(client, request), reduce: {0, 0} do
        {events, bytes} -> {events + 1, bytes + byte_size(chunk.text)}
      end
    end

    tasks = for _ <- 1..at_once, do: Task.async(read)

    for {events, bytes} <- Task.await_many(tasks, :infinity), reduce: {0, 0} do
      {all_events, all_bytes} -> {all_events + events, all_bytes + bytes}
    end
end)
