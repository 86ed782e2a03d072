defmodule Scenarios do
  @moduledoc "The scenarios of the bindings, in Elixir: `run` plays the one that it is given."

  import ExUnit.Assertions

  def main do
    [name] = System.argv()
    play(name)
  rescue
    error -> fail(Exception.format(:error, error, __STACKTRACE__))
  catch
    kind, reason -> fail(Exception.format(kind, reason, __STACKTRACE__))
  end

  defp fail(text) do
    IO.puts(:stderr, text)
    System.halt(1)
  end

  @text "ein Stück\0Text 🦀 mit äöü und 日本語"

  # The library beside the NIF is the one of the package.
  def play("installed") do
    play("plain")
    assert File.read!("/proc/self/maps") =~ ~r"/app/_build/.*/priv/libmodelwire\.so"
  end

  def play("built") do
    play("plain")
    refute File.read!("/proc/self/maps") =~ ~r"/priv/libmodelwire\.so"
  end

  def play("plain") do
    client = Modelwire.client!()
    assert {:ok, models} = Modelwire.models(client)
    assert "echo" in Modelwire.info(models)["models"]

    {:ok, response} = Modelwire.chat(client, chat("plain words"))
    assert response.text == "plain words"

    assert [%{"message" => %{"content" => "plain words"}}] =
             Modelwire.document(response)["choices"]

    info = Modelwire.info(response)
    assert info["usage"]["total_tokens"] > 0
    assert %{"http_status" => 200, "attempts" => 1} = info

    assert Modelwire.responses!(client, model: "echo", input: "plain words").text == "plain words"
  end

  def play("streamed") do
    client = Modelwire.client!()

    for text <- ["one two three four", @text] do
      stream = Modelwire.chat_stream!(client, chat(text), gather: true)
      chunks = Enum.to_list(stream)
      assert joined(chunks) == text
      assert Enum.count(chunks, &(&1.text != "")) >= 2
      documents = Enum.map(chunks, &Modelwire.document/1)
      assert Enum.map_join(documents, &delta/1) == text
      assert {:ok, response} = Modelwire.response(stream)
      assert Modelwire.info(response)["finish_reason"] == "stop"
      assert response.text == text
      assert Enum.to_list(stream) == []
      assert Modelwire.chat!(client, chat(text)).text == text
    end

    stream = Modelwire.responses_stream!(client, model: "echo", input: @text)
    chunks = Enum.to_list(stream)
    assert joined(chunks) == @text
    deltas = for %{name: "response.output_text.delta"} = chunk <- chunks, do: chunk
    assert Enum.map_join(deltas, &Modelwire.document(&1)["delta"]) == @text
    assert {:ok, _response} = Modelwire.response(stream)
  end

  def play("missing") do
    client = Modelwire.client!()
    request = chat("x", "no-such-model")
    {:error, error} = Modelwire.chat(client, request)
    not_found(error)

    not_found(
      assert_raise(Modelwire.Error, fn ->
        Enum.to_list(Modelwire.chat_stream!(client, request))
      end)
    )
  end

  def play("no_key") do
    assert {:error, %Modelwire.Error{kind: :config} = error} = Modelwire.client()
    assert Exception.message(error) =~ "key"
    assert_raise Modelwire.Error, fn -> Modelwire.client!() end
  end

  def play("wrong_request") do
    client = Modelwire.client!()
    assert {:error, %{kind: :argument} = error} = Modelwire.chat(client, model: "echo")
    assert error.message =~ "messages"
    assert_raise Modelwire.Error, ~r/JSON/, fn -> Modelwire.chat!(client, "{") end
    # What is no client, and no call, is refused by the NIF.
    assert_raise ArgumentError, fn -> Modelwire.chat(make_ref(), chat("x")) end
    assert_raise ArgumentError, fn -> Modelwire.close(:client) end
    assert_raise ArgumentError, fn -> Modelwire.Native.read(client) end
    assert_raise ArgumentError, fn -> Modelwire.Native.submit(client, :chat, "", "", 1) end
    assert_raise ArgumentError, fn -> Modelwire.Native.client(<<1::1>>, 0) end
    assert {:error, %{kind: :argument}} = Modelwire.chat(client, <<255>>)

    # What is no client, no request, or no value of JSON is named.
    for other <- [nil, {:ok, client}] do
      refused("no client", other, fn -> Modelwire.chat(other, chat("x")) end)
      refused("no client", other, fn -> Modelwire.close(other) end)
    end

    for other <- [nil, 5, ~D[2024-01-01]] do
      refused("no keyword list or map", other, fn -> Modelwire.chat(client, other) end)
      refused("no keyword list or map", other, fn -> Modelwire.models(client, other) end)
      refused("no keyword list or map", other, fn -> Modelwire.client(other) end)
    end

    refused("no name with a value", "x", fn -> Modelwire.chat(client, ["x"]) end)
    refused("no name with a value", {{}, 1}, fn -> Modelwire.chat(client, %{{} => 1}) end)
    refused("no proper list", ["a" | "b"], fn -> Modelwire.chat(client, chat(["a" | "b"])) end)

    for value <- [<<1::3>>, {:a}, self(), make_ref(), &play/1, ~D[2024-01-01]],
        do: refused("no value of JSON", value, fn -> Modelwire.chat(client, chat(value)) end)

    numbers = ~s([1e400,-1.5E-3,-1E+999,{"a":1.0e5},2])
    assert Modelwire.JSON.decode(numbers) == ["1e400", -0.0015, "-1E+999", %{"a" => 1.0e5}, 2]
  end

  def play("options") do
    client = Modelwire.client!(idle_timeout_ms: 60_000, headers: %{"x-a" => "b"})
    options = [total_timeout_ms: 15_000, headers: %{"x-b" => "c"}]
    assert {:ok, %{text: "x"}} = Modelwire.chat(client, chat("x"), options)
    slow = chat(String.duplicate("word ", 2000), "slow")

    assert {:error, %{kind: :timeout} = error} =
             Modelwire.chat(client, slow, total_timeout_ms: 100)

    assert error.timeout == "total_timeout_ms" or error.timeout == "total_timeout"
    assert {:error, error} = Modelwire.chat(client, chat("x"), total_timeout: 1)
    assert error.message =~ "total_timeout"
    assert {:error, error} = Modelwire.client(idle_timeout: 1)
    assert error.message =~ "idle_timeout"
    urls = [[url: System.get_env("MODELWIRE_BASE_URL"), weight: 2], "http://127.0.0.1:1/v1"]
    several = Modelwire.client!(base_urls: urls)
    assert {:ok, %{text: "x"}} = Modelwire.chat(several, chat("x"))
  end

  def play("cut") do
    stream = Modelwire.chat_stream!(Modelwire.client!(), chat("x"))
    {read, error} = read_all(stream)
    assert read == "half "
    assert error.kind in [:incomplete, :disconnected]
    assert error.kind == :disconnected
    assert {:error, ^error} = Modelwire.response(stream)
  end

  def play("cancel") do
    client = Modelwire.client!()
    parent = self()

    reader =
      Task.async(fn ->
        stream = Modelwire.chat_stream!(client, chat("x"))
        send(parent, {:stream, stream})
        read_all(stream, fn -> send(parent, :read) end)
      end)

    assert_receive {:stream, stream}, 20_000
    assert_receive :read, 20_000
    Process.sleep(100)
    Modelwire.cancel(stream)
    assert {"one ", %{kind: :cancelled}} = Task.await(reader, 20_000)

    assert [%{text: "one "}] = Enum.take(Modelwire.chat_stream!(client, chat("x")), 1)
    cue()
  end

  def play("slow_reader") do
    client = Modelwire.client!()
    parent = self()

    slow =
      Task.async(fn ->
        Enum.reduce(Modelwire.chat_stream!(client, chat("x")), 0, fn chunk, count ->
          if count == 0 do
            send(parent, :begun)
            receive(do: (:go_on -> :ok))
          end

          # The last one has no text.
          count + div(byte_size(chunk.text), 1000)
        end)
      end)

    assert_receive :begun, 20_000
    before = resident_kib()

    for _ <- 1..20 do
      assert byte_size(joined(Modelwire.chat_stream!(client, chat("x")))) == 20_000
    end

    Process.sleep(500)
    grown = resident_kib() - before
    assert grown < 40_000, "#{grown} KiB"
    send(slow.pid, :go_on)
    assert Task.await(slow, 15_000) == 64_000
  end

  def play("many") do
    client = Modelwire.client!(connections_max: 1100)

    for count <- [100, 1000] do
      1..count
      |> Enum.map(fn number ->
        Task.async(fn ->
          text = "stream #{number}"
          assert joined(Modelwire.chat_stream!(client, chat(text, "slow"))) == text
        end)
      end)
      |> Task.await_many(18_000)
    end
  end

  def play("finalizers") do
    drop_streams(Modelwire.client!())
    wait_until("all streams are ended", 20_000, &nothing_is_left?/0)
    cue()
  end

  def play("clients") do
    grow_clients(200)
    {descriptors, memory} = {descriptors(), resident_kib()}
    grow_clients(1800)
    assert descriptors() - descriptors < 20, "#{descriptors()} after #{descriptors}"
    assert resident_kib() - memory < 16_000, "#{resident_kib()} KiB after #{memory}"
  end

  def play("log") do
    {:ok, _} = Application.ensure_all_started(:logger)
    :ok = :logger.remove_handler(Logger)
    :ok = :logger.add_handler(:probe, __MODULE__, %{config: self()})
    Modelwire.log(:debug)
    Modelwire.chat!(Modelwire.client!(), chat("x"))
    assert_receive {:record, level, message, target}, 20_000
    # For more of them.
    Process.sleep(200)
    Modelwire.log(:off)
    records = [{level, message, target} | records()]
    assert level in [:debug, :info, :warning, :error]
    assert message != "" and target =~ ~r/^\w+/
    refute inspect(records) =~ "sk-test"
    for level <- [:warn, :warning, :off], do: assert(Modelwire.log(level) == :ok)
    for other <- [:verbose, 3, nil], do: refused("levels", other, fn -> Modelwire.log(other) end)
    assert_raise ArgumentError, ~r/:debug, :trace/, fn -> Modelwire.log(:verbose) end
  end

  def play("telemetry") do
    silent = Modelwire.client!()
    # In place of the package of this name.
    Code.compile_string("""
    defmodule :telemetry do
      def execute(event, measurements, metadata), do: send(:probe, {event, measurements, metadata})
    end
    """)
    Process.register(self(), :probe)
    client = Modelwire.client!()
    Modelwire.chat!(silent, chat("one two"))
    Modelwire.chat!(client, chat("one two"))
    {:error, _} = Modelwire.chat(client, chat("x", "no-such-model"))

    event = fn ->
      assert_receive {[:modelwire, :call, :stop], measurements, metadata}, 20_000
      {measurements, metadata}
    end

    {measurements, metadata} = event.()
    assert %{duration: duration, input_tokens: 2, output_tokens: 2} = measurements
    assert duration in 1..System.convert_time_unit(20, :second, :native)
    assert %{operation: "chat", model: "echo", kind: nil, record: record} = metadata
    assert record["status"] == 200 and record["attempts_count"] == 1
    {measurements, metadata} = event.()
    assert measurements.input_tokens == nil and metadata.kind == "not_found"
    # The client from before has no such events.
    refute_receive {_, _, _}, 200
  end

  def play("close") do
    client = Modelwire.client!()
    parent = self()

    reader =
      Task.async(fn ->
        read_all(Modelwire.chat_stream!(client, chat("x")), fn -> send(parent, :read) end)
      end)

    assert_receive :read, 20_000
    Process.sleep(100)
    assert Modelwire.close(client) == :ok
    assert {"one ", %{kind: :closed}} = Task.await(reader, 20_000)
    assert {:error, %{kind: :closed}} = Modelwire.chat(client, chat("x"))
    assert Modelwire.close(client) == :ok
  end

  def play("interrupt") do
    client = Modelwire.client!()
    parent = self()
    {:ok, _} = System.trap_signal(:sigusr2, fn -> send(parent, :signalled) && :ok end)
    task = Task.async(fn -> Modelwire.chat(client, chat("x")) end)
    wait_until("the call is under way", 20_000, fn -> Modelwire.unfinished() == 1 end)
    {_, 0} = System.cmd("kill", ["-USR2", System.pid()])
    assert_receive :signalled, 20_000
    assert Task.yield(task, 200) == nil
    assert Task.shutdown(task, :brutal_kill) == nil
    wait_until("the call is cancelled", 20_000, fn -> Modelwire.unfinished() == 0 end)
  end

  # A process that ends takes its calls along, also where another one knows them.
  def play("owner") do
    client = Modelwire.client!()
    parent = self()

    owner =
      spawn(fn ->
        stream = Modelwire.chat_stream!(client, chat("x"))
        send(parent, {:stream, stream})
        receive(do: (:end -> :ok))
      end)

    assert_receive {:stream, stream}, 20_000
    assert Modelwire.unfinished() == 1
    assert_raise ArgumentError, ~r/process/, fn -> Enum.to_list(stream) end
    send(owner, :end)
    wait_until("the call is ended", 20_000, fn -> Modelwire.unfinished() == 0 end)
    assert stream.owner == owner
    cue()
  end

  # A killed router is started anew while calls wait.
  def play("router") do
    client = Modelwire.client!()
    text = String.duplicate("word ", 10)

    task = Task.async(fn -> joined(Modelwire.chat_stream!(client, chat(text, "slow"))) end)

    for _ <- 1..10 do
      Process.sleep(50)
      router = Process.whereis(Modelwire.Router)
      if router, do: Process.exit(router, :kill)
    end

    assert Task.await(task, 15_000) == text
  end

  # Streams that are left in every way, some of them while they are paused, leave nothing behind.
  def play("storm") do
    client = Modelwire.client!()
    request = chat(String.duplicate("word ", 1500))

    for round <- 1..6 do
      owners =
        for number <- 1..40 do
          spawn(fn ->
            stream = Modelwire.chat_stream!(client, request)

            case rem(number, 4) do
              0 -> Enum.take(stream, round * 50)
              1 -> Process.sleep(round * 4)
              2 -> spawn(fn -> Modelwire.cancel(stream) end) && read_all(stream)
              3 -> Enum.each(stream, fn _ -> if(number == 3, do: Process.sleep(1)) end)
            end
          end)
        end

      Process.sleep(round * 3)
      for owner <- owners, do: Process.exit(owner, :kill)
    end

    wait_until("all are over", 20_000, fn -> Modelwire.unfinished() == 0 end)
    assert Modelwire.chat!(client, chat("x")).text == "x"
  end

  # The module is loaded anew while a call is under way.
  def play("reload") do
    client = Modelwire.client!()
    stream = Modelwire.chat_stream!(client, chat("one two three", "slow"))

    for _ <- 1..3 do
      :code.purge(Modelwire.Native)
      assert {:module, _} = :code.load_file(Modelwire.Native)
    end

    :code.purge(Modelwire.Native)
    assert joined(stream) == "one two three"
    assert Modelwire.chat!(client, chat("x")).text == "x"
  end

  # Requests and answers of some megabytes, and half a million chunks, keep no scheduler for long.
  def play("schedulers") do
    client = Modelwire.client!()
    :erlang.system_monitor(self(), [{:long_schedule, 300}])
    text = String.duplicate("many words \n", 400_000)
    assert Modelwire.chat!(client, Modelwire.JSON.encode(chat(text))).text == text
    refute_receive {:monitor, _, :long_schedule, _}, 100
  end

  @doc "A handler of the log, which hands its records to a process."
  def log(%{level: level, msg: {:string, message}, meta: meta}, %{config: pid}),
    do: send(pid, {:record, level, IO.iodata_to_binary(message), meta[:target]})

  def log(_other, _config), do: :ok

  defp chat(text, model \\ "echo"), do: [model: model, messages: [%{role: "user", content: text}]]

  defp joined(chunks), do: Enum.map_join(chunks, & &1.text)

  defp delta(%{"choices" => [%{"delta" => delta} | _]}), do: delta["content"] || ""
  defp delta(_), do: ""

  # Refused by words and the value.
  defp refused(words, value, work) do
    error = assert_raise(ArgumentError, work)
    assert error.message =~ words and error.message =~ inspect(value)
  end

  defp not_found(error) do
    assert error.kind == :not_found
    assert %{http_status: 404, attempts: 1, model: "no-such-model"} = error
    assert error.message != "" and error.hint != ""
    assert error.json =~ "not_found"
    members = error.json |> Modelwire.JSON.decode() |> Map.delete("kind")

    for {name, value} <- members,
        do: assert(Map.fetch!(error, String.to_existing_atom(name)) == value)

    assert Exception.message(error) =~ error.message and Exception.message(error) =~ error.hint
    assert Exception.message(error) =~ "not_found"
  end

  # The text up to an error, and that; `at_text` is called at each chunk.
  defp read_all(stream, at_text \\ fn -> :ok end) do
    parent = self()

    for chunk <- stream do
      send(parent, {:text, chunk.text})
      at_text.()
    end

    flunk("no error came")
  rescue
    error in Modelwire.Error -> {texts(), error}
  end

  defp texts do
    receive do
      {:text, text} -> text <> texts()
    after
      0 -> ""
    end
  end

  defp records do
    receive do
      {:record, level, message, target} -> [{level, message, target} | records()]
    after
      0 -> []
    end
  end

  defp drop_streams(client) do
    for _ <- 1..50 do
      stream = Modelwire.chat_stream!(client, chat("x"))
      stop = fn chunk, nil -> {:suspend, chunk} end
      assert {:suspended, %{text: "one "}, _} = Enumerable.reduce(stream, {:cont, nil}, stop)
    end
  end

  defp nothing_is_left? do
    :erlang.garbage_collect()
    Modelwire.unfinished() == 0
  end

  defp grow_clients(count) do
    for number <- 1..count do
      client = Modelwire.client!()
      if rem(number, 100) == 0, do: assert(Modelwire.chat!(client, chat("x")).text == "x")
      if rem(number, 2) == 0, do: Modelwire.close(client)
    end

    :erlang.garbage_collect()
  end

  defp resident_kib do
    [_, kib] = Regex.run(~r/VmRSS:\s+(\d+)/, File.read!("/proc/self/status"))
    String.to_integer(kib)
  end

  defp descriptors, do: length(File.ls!("/proc/self/fd"))

  defp wait_until(what, patience_ms, is_so) do
    cond do
      is_so.() -> :ok
      patience_ms <= 0 -> flunk("waited in vain until #{what}")
      true -> Process.sleep(20) && wait_until(what, patience_ms - 20, is_so)
    end
  end

  # The harness gives it when all connections are closed.
  defp cue do
    IO.puts("left")
    assert IO.gets("") != :eof
  end
end
