# modelwire for Elixir: chats and responses of OpenAI-compatible services, whole or streamed.
# A process owns the calls that it makes: it alone reads them, and they end with it. No scheduler is
# blocked while a call waits. A stream whose reader is slow makes the service wait, and nobody else.
# Base URL and key come from options, or the environment that the virtual machine was started in.

# A piece of a stream: its text, the name of its event, its JSON as it was sent.
defmodule Modelwire.Chunk, do: defstruct([:text, :name, :json])

# An answer. Modelwire.info and Modelwire.document read its JSON.
defmodule Modelwire.Response, do: defstruct([:text, :json, :info_json])

defmodule Modelwire.Error do
  @moduledoc "What went wrong. `kind` is an atom, `:rate_limited` for instance; `json` has it all."
  @fields ~w(kind message hint doc_url http_status type code param request_id path model timeout metered
    body partial headers request_time_unix_ms attempts elapsed_ms retry_after_ms
    rate_limits timing)a
  defexception [:json | @fields]

  def message(error), do: "#{error.kind}: #{error.message}\n#{error.hint}"

  def read({:ok, made}), do: {:ok, made}

  def read({:error, json}) do
    known = Modelwire.JSON.decode(json)
    fields = for field <- @fields, do: {field, known[Atom.to_string(field)]}
    {:error, struct!(__MODULE__, [json: json] ++ fields) |> Map.update!(:kind, &String.to_atom/1)}
  end

  def raised({:ok, value}), do: value
  def raised({:error, error}), do: raise(error)
end

defmodule Modelwire.Stream do
  @moduledoc "An enumerable of `Modelwire.Chunk`, for the process that made it."
  defstruct [:call, :owner]

  # Events that came or come next: {kind, text, name, json}; modelwire.h has the kinds.
  def take(%{call: call, owner: owner} = stream) do
    if owner != self(), do: raise(ArgumentError, "only the process that made a stream reads it")
    with tag when is_integer(tag) <- Modelwire.Native.read(call),
         do: receive(do: ({:modelwire, ^tag} -> take(stream)))
  end

  defimpl Enumerable do
    def reduce(stream, state, function),
      do: Stream.resource(fn -> stream end, &next/1, &Modelwire.cancel/1).(state, function)

    defp next(stream) do
      case Modelwire.Stream.take(stream) do
        [{1, _, _, _} | _] = chunks -> {Enum.map(chunks, &chunk/1), stream}
        _last -> Modelwire.Error.raised(Modelwire.response(stream)) && {:halt, stream}
      end
    end

    defp chunk({1, text, name, json}), do: %Modelwire.Chunk{text: text, name: name, json: json}
    def count(_stream), do: {:error, __MODULE__}
    def member?(_stream, _chunk), do: {:error, __MODULE__}
    def slice(_stream), do: {:error, __MODULE__}
  end
end

defmodule Modelwire do
  @moduledoc """
  A client of OpenAI-compatible model services:

      client = Modelwire.client!(base_url: "https://host/v1", api_key: key)
      {:ok, response} = Modelwire.chat(client, model: "echo", messages: messages)
      IO.puts(response.text)
      for chunk <- Modelwire.chat_stream!(client, request), do: IO.write(chunk.text)

  A request is a keyword list, a map, or JSON text that is sent as it is. Options are those of the
  library by name, as docs/options.md lists them; those of a call are its last argument. What fails
  is a `Modelwire.Error`, returned, or raised by the functions with a `!`. To bound a call from
  outside use a task: what `Task.shutdown/2` or the end of its owner kills, is cancelled.
  """
  alias Modelwire.{Error, JSON, Native, Response, Router, Stream}
  @levels [off: 0, error: 1, warn: 2, warning: 2, info: 3, debug: 4, trace: 5]

  @doc """
  Makes a client, to be shared by any number of processes. It connects to nothing yet.

  If the program has `:telemetry`, each call emits `[:modelwire, :call, :stop]` when it has ended. Measurements:
  `duration`, in native units, and `input_tokens` and `output_tokens`, nil where the service reports none.
  Metadata: `operation`, `model`, `kind` of its error or nil, and `record`, with all that was measured.
  """
  def client(options \\ []) do
    is_followed = if Code.ensure_loaded?(:telemetry), do: 1, else: 0
    options |> JSON.encode() |> Native.client(is_followed) |> Error.read()
  end

  def client!(options \\ []), do: options |> client() |> Error.raised()

  @doc "Ends what the client does: its calls, and all that are tried later, fail as `:closed`."
  def close(client), do: client |> checked() |> Native.close()

  @doc "Lists the models; their ids are `info(response)[\"models\"]`."
  def models(client, options \\ []), do: whole(client, 1, "", options)
  def models!(client, options \\ []), do: client |> models(options) |> Error.raised()

  for {name, operation} <- [chat: 2, responses: 3] do
    @doc "Asks for #{name}, answered whole: `{:ok, response}` or `{:error, error}`."
    def unquote(name)(client, request, options \\ []),
      do: whole(client, unquote(operation), request, options)

    def unquote(:"#{name}!")(client, request, options \\ []),
      do: client |> whole(unquote(operation), request, options) |> Error.raised()

    @doc "Asks for #{name} as an enumerable of chunks. Who leaves it early ends the exchange."
    def unquote(:"#{name}_stream!")(client, request, options \\ []),
      do: client |> submit(unquote(operation), request, options, 1) |> Error.raised()
  end

  @doc "How a stream ended, `{:ok, response}` or `{:error, error}`; skips what was not read of it."
  def response(%Stream{} = stream) do
    case Stream.take(stream) do
      [{2, text, info, json}] -> {:ok, %Response{text: text, json: json, info_json: info}}
      [{3, _, _, json}] -> Error.read({:error, json})
      _chunks -> response(stream)
    end
  end

  @doc "Ends a stream, from any process: its reader gets an error of the kind `:cancelled`."
  def cancel(%Stream{call: call}), do: Native.cancel(call)

  @doc "What the service sent in a chunk or a response, as maps and lists; nil where it is nothing."
  def document(%{json: json}), do: if(json != "", do: JSON.decode(json))

  @doc "What is known of a response: \"http_status\", \"usage\", \"tool_calls\", \"headers\" ..."
  def info(%Response{info_json: json}), do: JSON.decode(json)

  @doc "Lets Logger have the library's log: `:error` to `:trace`, or `:off`."
  def log(level) do
    number = is_atom(level) && @levels[level]
    levels = inspect(Keyword.keys(@levels))
    if !number, do: raise(ArgumentError, "#{inspect(level)} is none of the levels #{levels}")
    Router.ensure() && Native.log(number)
  end

  @doc "How many calls of this virtual machine are not over."
  def unfinished, do: Native.unfinished()

  defp whole(client, operation, request, options),
    do: with({:ok, stream} <- submit(client, operation, request, options, 0), do: response(stream))

  defp checked(client) when is_reference(client), do: client

  defp checked(other),
    do: raise(ArgumentError, "no client, as client!() gives it: #{inspect(other)}")

  defp submit(client, operation, request, options, stream) do
    Router.ensure()
    json = if is_binary(request), do: request, else: JSON.encode(request)
    result = Native.submit(checked(client), operation, json, JSON.encode(options), stream)
    with {:ok, call} <- Error.read(result), do: {:ok, %Stream{call: call, owner: self()}}
  end
end

# One process for the virtual machine, started by whoever comes first, and again if it is killed.
defmodule Modelwire.Router do
  @moduledoc false
  use GenServer
  require Logger
  def ensure, do: Process.whereis(__MODULE__) || GenServer.start(__MODULE__, nil, name: __MODULE__)

  @impl true
  def init(nil) do
    router = self()
    spawn(fn -> Process.monitor(router) && receive(do: (_down -> ensure())) end)
    {:ok, nil, 0}
  end

  # At its beginning, and whenever the descriptor of the queue is readable.
  @impl true
  def handle_info(_message, nil), do: {:noreply, tell(Modelwire.Native.dispatch())}

  defp tell(:idle), do: nil

  defp tell(records) do
    for record <- Enum.map(records, &Modelwire.JSON.decode/1), do: tell_one(record)
    tell(Modelwire.Native.dispatch())
  end

  defp tell_one(%{"level" => level, "message" => message} = record) do
    level = %{"error" => :error, "warn" => :warning, "info" => :info}[level]
    Logger.log(level || :debug, message, target: record["target"])
  end

  defp tell_one(record) do
    duration = System.convert_time_unit(record["elapsed_us"], :microsecond, :native)
    measurements = for name <- [:input_tokens, :output_tokens], into: %{duration: duration},
      do: {name, record["usage"][Atom.to_string(name)]}
    metadata = %{operation: record["operation"], model: record["model"], kind: record["kind"], record: record}
    # Not a dependency: the program brings it.
    apply(:telemetry, :execute, [[:modelwire, :call, :stop], measurements, metadata])
  end
end

defmodule Modelwire.Native do
  @moduledoc false
  @compile {:autoload, false}
  @on_load :load
  def load,
    do: "../../priv/modelwire_nif" |> Path.expand(:code.which(__MODULE__)) |> :erlang.load_nif(0)

  @arities [submit: 5, read: 1, cancel: 1, client: 2, close: 1, log: 1, dispatch: 0, unfinished: 0]
  for {name, arity} <- @arities do
    def unquote(name)(unquote_splicing(Macro.generate_arguments(arity, __MODULE__))),
      do: :erlang.nif_error(:not_loaded)
  end
end

defmodule Modelwire.JSON do
  @moduledoc false
  def encode(fields), do: fields |> object() |> IO.iodata_to_binary()

  # What is no value of JSON is not sent in some form of ours.
  defp refuse(kind, value), do: raise(ArgumentError, "no #{kind}: #{inspect(value)}")

  defp object(fields) when is_struct(fields) or not (is_map(fields) or is_list(fields)),
    do: refuse("keyword list or map", fields)

  defp object(fields), do: [?{, fields |> proper() |> Enum.map_intersperse(?,, &field/1), ?}]

  defp field({name, value}) when is_atom(name) or is_binary(name) or is_number(name),
    do: [text(to_string(name)), ?:, text(value)]

  defp field(other), do: refuse("name with a value", other)
  defp proper(fields) when is_map(fields), do: fields
  defp proper(list), do: if(List.improper?(list), do: refuse("proper list", list), else: list)

  defp text(nil), do: "null"
  defp text(value) when is_boolean(value) or is_number(value), do: to_string(value)
  defp text(value) when is_atom(value), do: text(Atom.to_string(value))
  defp text(map) when is_map(map) and not is_struct(map), do: object(map)
  defp text([{_, _} | _] = fields), do: object(fields)

  defp text(list) when is_list(list),
    do: [?[, list |> proper() |> Enum.map_intersperse(?,, &text/1), ?]]

  defp text(string) when is_binary(string),
    do: [?", for(<<byte <- string>>, into: "", do: escape(byte)), ?"]

  defp text(other), do: refuse("value of JSON", other)
  defp escape(byte) when byte < 0x20 or byte in [?", ?\\], do: "\\u00" <> Base.encode16(<<byte>>)
  defp escape(byte), do: <<byte>>

  # Reads what the library has checked: commas and colons need no look.
  def decode(json), do: json |> value() |> elem(0)

  defp value(<<blank, rest::binary>>) when blank in ~c" \t\r\n:,", do: value(rest)
  defp value(<<?", rest::binary>>), do: string(rest, rest, 0, true)
  defp value("[" <> rest), do: items(rest, [])
  defp value("{" <> rest), do: with({items, rest} <- items(rest, []), do: {pairs(items, %{}), rest})
  defp value("true" <> rest), do: {true, rest}
  defp value("false" <> rest), do: {false, rest}
  defp value("null" <> rest), do: {nil, rest}
  defp value(<<close, rest::binary>>) when close in ~c"]}", do: {:end, rest}

  defp value(number) do
    {integer, rest} = Integer.parse(number)
    if String.starts_with?(rest, [".", "e", "E"]), do: float(number), else: {integer, rest}
  end

  # As it was sent, where no float is so large.
  defp float(number) do
    with :error <- Float.parse(number) do
      [text] = Regex.run(~r/^[-+.0-9eE]+/, number)
      {text, binary_part(number, byte_size(text), byte_size(number) - byte_size(text))}
    end
  end

  defp items(text, done) do
    case value(text) do
      {:end, rest} -> {Enum.reverse(done), rest}
      {item, rest} -> items(rest, [item | done])
    end
  end

  defp pairs([], done), do: done
  defp pairs([name, value | rest], done), do: pairs(rest, Map.put(done, name, value))

  # A text without escapes is copied, so that it does not keep the whole JSON in memory.
  defp string(<<?", rest::binary>>, text, size, is_plain) do
    text = binary_part(text, 0, size)
    {if(is_plain, do: :binary.copy(text), else: unescape(text)), rest}
  end

  defp string(<<?\\, _, rest::binary>>, text, size, _), do: string(rest, text, size + 2, false)
  defp string(<<_, rest::binary>>, text, size, plain), do: string(rest, text, size + 1, plain)

  # JSON's escapes are also Elixir's, except characters in two halves.
  defp unescape(text),
    do: ~r/\\\\|(?:\\u[dD][89a-fA-F]..)+/ |> Regex.replace(text, &join/1) |> Macro.unescape_string()

  defp join("\\\\"), do: "\\\\"
  defp join(halves) do
    halves = halves |> String.replace("\\u", "") |> Base.decode16!(case: :mixed)
    with {_, whole, _} <- :unicode.characters_to_binary(halves, :utf16), do: whole <> "\uFFFD"
  end
end
