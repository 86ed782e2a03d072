# modelwire for Elixir: chats and responses of OpenAI-compatible model services, whole or as streams.
#
# It needs Elixir 1.14 and OTP 25 or later, a C compiler, and libmodelwire, which docs/c.md installs.
# Copy modelwire.ex into lib/ of a mix project, modelwire_nif.c and Makefile beside its mix.exs; the
# head of the Makefile says which line mix.exs gets. Without mix:
#
#     make && elixirc -o ebin modelwire.ex && elixir -pa ebin example.exs a-model "Say hello."
#
# A process owns the calls that it makes: it alone reads them, and they end with it. No scheduler is
# blocked while a call waits. A stream whose reader is slow makes the service wait, and nobody else.
# Base URL and key come from the environment that the virtual machine was started in, or from options.

defmodule Modelwire.Chunk do
  @moduledoc "A piece of a stream: its text, the JSON as it was sent, the name of its event."
  defstruct [:text, :name, :json]
end

defmodule Modelwire.Response do
  @moduledoc "An answer. `Modelwire.info/1` and `Modelwire.document/1` read what its JSON says."
  defstruct [:text, :json, :info_json]
end

defmodule Modelwire.Error do
  @moduledoc "What went wrong. `kind` is an atom, `:rate_limited` for instance; `json` has it all."
  @fields ~w(kind message hint http_status type code param request_id path model timeout metered body
    partial headers request_time_unix_ms attempts elapsed_ms retry_after_ms)a
  defexception [:json | @fields]

  @impl true
  def message(error), do: "#{error.kind}: #{error.message}\n#{error.hint}"

  @doc false
  def read({:ok, value}), do: {:ok, value}

  def read({:error, json}) do
    known = Modelwire.JSON.decode(json)
    fields = for field <- @fields, do: {field, known[Atom.to_string(field)]}
    kind = String.to_atom(known["kind"])
    {:error, struct!(__MODULE__, Keyword.merge(fields, kind: kind, json: json))}
  end

  @doc false
  def raised({:ok, value}), do: value
  def raised({:error, error}), do: raise(error)
end

defmodule Modelwire.Stream do
  @moduledoc "An enumerable of `Modelwire.Chunk`, for the process that made it."
  defstruct [:call, :owner]

  @doc false
  def take(%{call: call, owner: owner} = stream) when owner == self() do
    case Modelwire.Native.read(call) do
      tag when is_integer(tag) -> wait(tag) && take(stream)
      events -> events
    end
  end

  def take(_stream), do: raise(ArgumentError, "a stream is read by the process that made it")

  # Meanwhile somebody might have killed the router.
  defp wait(tag) do
    receive do
      {:modelwire, ^tag} -> true
    after
      5_000 -> Modelwire.Router.ensure() && wait(tag)
    end
  end

  defimpl Enumerable do
    alias Modelwire.{Chunk, Error}

    def reduce(stream, state, function),
      do: Stream.resource(fn -> stream end, &next/1, &Modelwire.cancel/1).(state, function)

    defp next(stream) do
      case Modelwire.Stream.take(stream) do
        [{2, _, _, _}] -> {:halt, stream}
        [{3, _, _, json}] -> {:error, json} |> Error.read() |> Error.raised()
        chunks -> {for({1, text, name, json} <- chunks, do: chunk(text, name, json)), stream}
      end
    end

    defp chunk(text, name, json), do: %Chunk{text: text, name: name, json: json}

    def count(_stream), do: {:error, __MODULE__}
    def member?(_stream, _chunk), do: {:error, __MODULE__}
    def slice(_stream), do: {:error, __MODULE__}
  end
end

defmodule Modelwire do
  @moduledoc """
  A client of OpenAI-compatible model services.

      client = Modelwire.client!(base_url: "https://host/v1", api_key: key)
      {:ok, response} = Modelwire.chat(client, model: "a-model", messages: messages)
      response.text
      Modelwire.info(response)["usage"]["total_tokens"]

      for chunk <- Modelwire.chat_stream!(client, model: "a-model", messages: messages),
          do: IO.write(chunk.text)

  A request is a keyword list, a map, or JSON text that is sent as it is. Options are those of the
  library by name, docs/options.md lists them; a call has its own as its last argument. What fails is
  a `Modelwire.Error`, returned, or raised by the functions with a `!`. To bound a call from outside
  use a task: what `Task.shutdown/2` or the end of its owner kills, is cancelled.
  """
  alias Modelwire.{Error, JSON, Native, Response, Router, Stream}

  @doc "Makes a client, to be shared by any number of processes. It connects to nothing yet."
  def client(options \\ []), do: options |> JSON.encode() |> Native.client() |> Error.read()
  def client!(options \\ []), do: options |> client() |> Error.raised()

  @doc "Ends what the client does: its calls, and all that are tried later, fail as `:closed`."
  def close(client), do: Native.close(client)

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
  def document(%{json: ""}), do: nil
  def document(%{json: json}), do: JSON.decode(json)

  @doc "What is known of a response: \"http_status\", \"usage\", \"tool_calls\", \"headers\" ..."
  def info(%Response{info_json: json}), do: JSON.decode(json)

  @doc "Lets Logger have the library's log from this level on; `:off` ends it."
  def log(level) when level in [:off, :error, :warning, :info, :debug, :trace] do
    Router.ensure()
    Native.log(Enum.find_index([:off, :error, :warning, :info, :debug, :trace], &(&1 == level)))
  end

  @doc "How many calls of this virtual machine are not over."
  def unfinished, do: Native.unfinished()

  defp whole(client, operation, request, options) do
    with {:ok, stream} <- submit(client, operation, request, options, 0), do: response(stream)
  end

  defp submit(client, operation, request, options, stream) do
    Router.ensure()
    json = if is_binary(request), do: request, else: JSON.encode(request)
    result = Native.submit(client, operation, json, JSON.encode(options), stream)
    with {:ok, call} <- Error.read(result), do: {:ok, %Stream{call: call, owner: self()}}
  end
end

defmodule Modelwire.Router do
  @moduledoc false
  use GenServer
  require Logger

  # One for the virtual machine; whoever comes first starts it.
  def ensure, do: Process.whereis(__MODULE__) || GenServer.start(__MODULE__, nil, name: __MODULE__)

  @impl true
  def init(nil), do: {:ok, nil, {:continue, nil}}

  @impl true
  def handle_continue(nil, nil), do: {:noreply, dispatch(Modelwire.Native.dispatch())}

  # The queue's descriptor is readable.
  @impl true
  def handle_info(_select, nil), do: {:noreply, dispatch(Modelwire.Native.dispatch())}

  defp dispatch(:idle), do: nil

  defp dispatch(records) do
    for record <- Enum.map(records, &Modelwire.JSON.decode/1) do
      level = %{"error" => :error, "warn" => :warning, "info" => :info}[record["level"]] || :debug
      Logger.log(level, record["message"], target: record["target"])
    end

    dispatch(Modelwire.Native.dispatch())
  end
end

defmodule Modelwire.Native do
  @moduledoc false
  @compile {:autoload, false}
  @on_load :load
  def load, do: :erlang.load_nif(:filename.join(folder(), "../priv/modelwire_nif"), 0)
  defp folder, do: __MODULE__ |> :code.which() |> :filename.dirname()

  for {name, arity} <- [dispatch: 0, read: 1, submit: 5, cancel: 1, client: 1, close: 1, log: 1,
                        unfinished: 0] do
    def unquote(name)(unquote_splicing(Macro.generate_arguments(arity, __MODULE__))),
      do: :erlang.nif_error(:not_loaded)
  end
end

defmodule Modelwire.JSON do
  @moduledoc false

  def encode([]), do: "{}"
  def encode(fields), do: fields |> text_of() |> IO.iodata_to_binary()

  defp text_of(nil), do: "null"
  defp text_of(value) when is_boolean(value) or is_number(value), do: to_string(value)
  defp text_of(value) when is_atom(value), do: text_of(Atom.to_string(value))
  defp text_of(%{} = map), do: text_of_members(map)
  defp text_of([{_, _} | _] = keywords), do: text_of_members(keywords)
  defp text_of(list) when is_list(list), do: [?[, Enum.map_intersperse(list, ?,, &text_of/1), ?]]

  defp text_of(text) when is_binary(text) do
    escape = fn <<byte>> -> "\\u00" <> Base.encode16(<<byte>>) end
    [?", Regex.replace(~r/[\x00-\x1f"\\]/, text, escape), ?"]
  end

  defp text_of_members(members) do
    text_of_member = fn {name, value} -> [text_of(to_string(name)), ?:, text_of(value)] end
    [?{, Enum.map_intersperse(members, ?,, text_of_member), ?}]
  end

  # Reads what the library has checked. Jason does it where the program has it.
  if Code.ensure_loaded?(Jason) do
    defdelegate decode(json), to: Jason, as: :decode!
  else
    def decode(json), do: json |> value() |> elem(0)
  end

  defp value(<<blank, rest::binary>>) when blank in ' \t\r\n', do: value(rest)
  defp value(<<?", rest::binary>>), do: string(rest, rest, 0)
  defp value("true" <> rest), do: {true, rest}
  defp value("false" <> rest), do: {false, rest}
  defp value("null" <> rest), do: {nil, rest}
  defp value("[" <> rest), do: members(rest, &value/1, [])

  defp value("{" <> rest) do
    {fields, rest} = members(rest, &field/1, [])
    {Map.new(fields), rest}
  end

  defp value(number) do
    {integer, rest} = Integer.parse(number)
    if String.starts_with?(rest, [".", "e", "E"]), do: Float.parse(number), else: {integer, rest}
  end

  defp members(<<blank, rest::binary>>, read, done) when blank in ' \t\r\n,',
    do: members(rest, read, done)

  defp members(<<close, rest::binary>>, _read, done) when close in ']}',
    do: {Enum.reverse(done), rest}

  defp members(text, read, done) do
    {member, rest} = read.(text)
    members(rest, read, [member | done])
  end

  defp field(text) do
    {name, rest} = value(text)
    [_blank, rest] = :binary.split(rest, ":")
    {value, rest} = value(rest)
    {{name, value}, rest}
  end

  defp string(<<?", rest::binary>>, from, length),
    do: {from |> binary_part(0, length) |> unescape(), rest}

  defp string(<<?\\, _, rest::binary>>, from, length), do: string(rest, from, length + 2)
  defp string(<<_, rest::binary>>, from, length), do: string(rest, from, length + 1)

  defp unescape(text) do
    case :binary.match(text, "\\") do
      :nomatch -> :binary.copy(text)
      _ -> Regex.replace(~r/(?:\\u[0-9a-fA-F]{4})+|\\./, text, &meant/1)
    end
  end

  defp meant("\\u" <> _ = units) do
    units = units |> String.replace("\\u", "") |> Base.decode16!(case: :mixed)
    with {_, read, _} <- :unicode.characters_to_binary(units, :utf16), do: read <> "\uFFFD"
  end

  defp meant("\\" <> letter) do
    Map.get(%{"n" => "\n", "t" => "\t", "r" => "\r", "b" => "\b", "f" => "\f"}, letter, letter)
  end
end
