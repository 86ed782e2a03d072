# The usual client: httpc of OTP, which hands a stream over in messages, and jiffy for the JSON.
{:ok, _} = Application.ensure_all_started(:inets)
headers = [{'authorization', 'Bearer sk-test'}]

defmodule Usual do
  def request(stream) do
    fields = %{model: "bench", messages: [%{role: "user", content: "hello"}]}
    :jiffy.encode(if stream, do: Map.put(fields, :stream, true), else: fields)
  end

  # Each event is a line "data: JSON"; a piece of the body may end within one.
  def read(request, rest, {events, bytes} = seen) do
    receive do
      {:http, {^request, :stream_start, _headers}} ->
        read(request, rest, seen)

      {:http, {^request, :stream_end, _headers}} ->
        seen

      {:http, {^request, :stream, piece}} ->
        [rest | lines] = (rest <> piece) |> :binary.split("\n", [:global]) |> Enum.reverse()

        {more_events, more_bytes} = lines |> Enum.reverse() |> Enum.reduce({0, 0}, &line/2)
        read(request, rest, {events + more_events, bytes + more_bytes})
    end
  end

  defp line("data: [DONE]" <> _, seen), do: seen

  defp line("data: " <> json, {events, bytes}) do
    %{"choices" => choices} = :jiffy.decode(json, [:return_maps])

    case choices do
      [%{"delta" => %{"content" => text}} | _] when is_binary(text) ->
        {events + 1, bytes + byte_size(text)}

      _ ->
        {events + 1, bytes}
    end
  end

  defp line(_blank, seen), do: seen
end

Bench.main(fn
  "chat", base_url, operations, _at_once ->
    url = String.to_charlist(base_url <> "/chat/completions")

    for _ <- 1..operations, reduce: {0, 0} do
      {events, bytes} ->
        request = {url, headers, 'application/json', Usual.request(false)}

        {:ok, {200, body}} =
          :httpc.request(:post, request, [], full_result: false, body_format: :binary)

        %{"choices" => [%{"message" => %{"content" => text}}]} =
          :jiffy.decode(body, [:return_maps])

        {events + 1, bytes + byte_size(text)}
    end

  "stream", base_url, _operations, at_once ->
    url = String.to_charlist(base_url <> "/chat/completions")

    read = fn ->
      request = {url, headers, 'application/json', Usual.request(true)}

      {:ok, id} =
        :httpc.request(:post, request, [], sync: false, stream: :self, body_format: :binary)

      Usual.read(id, "", {0, 0})
    end

    tasks = for _ <- 1..at_once, do: Task.async(read)

    for {events, bytes} <- Task.await_many(tasks, :infinity), reduce: {0, 0} do
      {all_events, all_bytes} -> {all_events + events, all_bytes + bytes}
    end
end)
