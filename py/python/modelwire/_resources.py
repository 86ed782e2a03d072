"""The three operations, with the names of openai-python.

The types of arguments and results are in `_resources.pyi`, the parameters in `_parameters`.
"""

from __future__ import annotations

from modelwire import _parameters
from modelwire._errors import OpenAIError, _made
from modelwire._options import is_given


class ModelList:
    """The models of a service: iterable, and a list as `data`; always on one page."""

    __slots__ = ("__weakref__", "_answer", "data")

    def __init__(self, answer):
        self._answer = answer
        # A service may answer with a top-level array instead of an object with `data`.
        self.data = answer._items()

    def __iter__(self):
        return iter(self.data)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        return self.data[index]

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._answer, name)

    def __eq__(self, other):
        return isinstance(other, ModelList) and self._answer == other._answer

    __hash__ = None

    def __class_getitem__(cls, kind):
        """The class itself, for annotations such as `SyncPage[Model]`."""
        return cls

    def __reduce__(self):
        return ModelList, (self._answer,)

    @property
    def _request_id(self):
        return self._answer._request_id

    @property
    def rate_limits(self):
        """The rate limits that the service reported; None if it reported none."""
        return self._answer._rate_limits

    @property
    def timing(self):
        """The record of the call, a CallRecord."""
        return self._answer._timing

    def has_next_page(self):
        """False: the service lists its models on one page."""
        return False

    def get_next_page(self):
        """There is no next page."""
        raise RuntimeError("the model list has one page; check has_next_page()")

    def iter_pages(self):
        """Yields only this page."""
        yield self

    def __repr__(self):
        return f"ModelList({self.data!r})"


class AsyncModelList(ModelList):
    """The models of a service, from an asynchronous client: `for` and `async for` both work."""

    __slots__ = ()

    async def __aiter__(self):
        for model in self.data:
            yield model

    def __reduce__(self):
        return AsyncModelList, (self._answer,)

    async def get_next_page(self):
        """There is no next page."""
        raise RuntimeError("the model list has one page; check has_next_page()")

    async def iter_pages(self):
        """Yields only this page."""
        yield self


class AsyncPaginator:
    """The result of AsyncModels.list: await it for the list, or iterate it with `async for` for
    its models. The call is made then."""

    __slots__ = ("_ask",)

    def __init__(self, ask):
        self._ask = ask

    def __await__(self):
        return self._ask().__await__()

    async def __aiter__(self):
        for model in await self:
            yield model


def _lacks(path, instead):
    """A method that openai-python has and the service does not support."""

    def missing(self, *arguments, **named):
        raise OpenAIError(
            f"the service has no operation {path}", kind="argument", hint=f"Use {instead}."
        )

    missing.__doc__ = f"Not an operation of the service; use {instead}."
    missing.__name__ = path.rpartition(".")[2]
    return missing


class _Resource:
    def __init__(self, client):
        self._client = client

    def __getattr__(self, name):
        from modelwire._openai import unsupported as _unsupported

        kind = type(self).__name__.removeprefix("Async")
        return _unsupported.of(self, name, _unsupported.OF_RESOURCE.get(kind, {}))


def end():
    """Refuses all further operations, as the core does after a shutdown. A helper would first
    import its module, which is impossible once the interpreter exits."""

    def refused(self, name):
        raise _made(OpenAIError, "the library was shut down", kind="shutdown")

    _Resource.__getattribute__ = refused


class _RawAccess:
    """The raw and the streaming form of a resource's methods."""

    @property
    def with_raw_response(self):
        """The same methods, returning the answer with its status and headers."""
        return self._raw(streams=False)

    @property
    def with_streaming_response(self):
        """The same methods as context managers; the answer is read on demand."""
        return self._raw(streams=True)

    def _raw(self, streams):
        from modelwire._answers.raw import Raw

        return Raw(self, streams)


class _RawChatAccess(_RawAccess):
    """The same of `client.chat`."""

    def _raw(self, streams):
        from modelwire._answers.raw import RawChat

        return RawChat(self, streams)


class Models(_Resource, _RawAccess):
    """`client.models`"""

    def list(self, **given):
        """The models that the service offers."""
        call = _parameters.models(self, **given)
        return ModelList(self._client._run("models", None, False, call))

    list.__wrapped__ = _parameters.models

    retrieve = _lacks("models.retrieve", "models.list and look for the id")
    delete = _lacks("models.delete", "models.list")


class AsyncModels(_Resource, _RawAccess):
    """`async_client.models`"""

    def list(self, **given):
        """The models that the service offers: `await` it, or iterate it with `async for`."""
        call = _parameters.models(self, **given)

        async def ask():
            return AsyncModelList(await self._client._run("models", None, False, call))

        return AsyncPaginator(ask)

    list.__wrapped__ = _parameters.models

    retrieve = _lacks("models.retrieve", "models.list and look for the id")
    delete = _lacks("models.delete", "models.list")


def _chat_reading(given):
    """The parser for the answer of a stream; None if nothing can be parsed."""
    if not given.get("tools") and not given.get("response_format"):
        return None
    from modelwire._schemas.parse import ChatReading

    return ChatReading(given, all_strict=False)


def _run_tools(resource, kind, given, tools, max_turns, raise_errors):
    """A tool loop, which uses the resource's own create, or streams."""
    from modelwire import streaming
    from modelwire._schemas import tools as _tools

    if given.get("stream"):
        raise TypeError("run_tools has no stream: use its events()")
    key = given.pop("idempotency_key", None)
    if key is not None and is_given(key):
        raise TypeError(
            "run_tools has no idempotency_key, because each of its calls needs its own "
            "idempotency_key: give the client idempotency_header"
        )
    is_chat = resource._operation == "chat"
    form = _tools.ChatForm if is_chat else _tools.ResponseForm
    reading, _ = resource._parsing(given)  # reports invalid parameters
    options = {
        "tools": tools,
        "max_turns": max_turns
        if max_turns is not None and is_given(max_turns)
        else _tools.MAX_TURNS,
        "raise_errors": is_given(raise_errors) and raise_errors,
    }
    prefix = "Async" if kind == "AsyncRun" else ""
    manager = getattr(streaming, f"{prefix}StreamManager")
    streamed = getattr(streaming, f"{prefix}{'ChatCompletion' if is_chat else 'Response'}Stream")
    parameters = _parameters.chat_stream if is_chat else _parameters.response_stream

    def open_(asked):
        asked = {name: one for name, one in asked.items() if name not in ("stream", "stream_only")}
        request = parameters(resource, **asked)
        return manager(lambda: resource._client._run(resource._operation, *request), streamed)

    return getattr(_tools, kind)(
        lambda asked: resource.create(**asked), open_, form, reading, options
    )


def _response_reading(given):
    """The same for a response."""
    if not given.get("tools") and not given.get("text_format"):
        return None
    from modelwire._schemas.parse import ResponseReading

    return ResponseReading(given)


class Completions(_Resource, _RawAccess):
    """`client.chat.completions`"""

    def create(self, **given):
        """Creates a chat completion: the answer, or with stream=True an iterator of its chunks.

        An omitted parameter is not sent; None is sent as null. extra_body adds fields that are not
        named here; extra_headers and extra_query add headers and query parameters. timeout is
        seconds or a Timeout. stream_only streams a call without stream internally; gather keeps
        the whole answer of a stream for its end.

        User, system, developer and tool messages must have content, and max_tokens must be 1 or
        more: otherwise a RequestError describes the problem, and nothing is sent.

        A higher max_tokens may consume more; longer messages generally cost more and take longer.
        stream changes only how the answer arrives: it is not free.
        """
        return self._client._run(
            "chat", *_parameters.chat(self, **_parameters.to_create_a_chat(given))
        )

    create.__wrapped__ = _parameters.chat

    def stream(self, **given):
        """Streams a chat completion as events with snapshots; use it with `with`.

        get_final_completion() returns the whole answer. The parameters are those of create,
        without stream.
        """
        from modelwire.streaming import ChatCompletionStream, StreamManager

        reading = _chat_reading(given)
        if reading is not None:
            given = reading.given
        request = _parameters.chat_stream(self, **_parameters.of_a_chat(given))
        run = self._client._run
        return StreamManager(
            lambda: run("chat", *request), lambda stream: ChatCompletionStream(stream, reading)
        )

    stream.__wrapped__ = _parameters.chat_stream

    def parse(self, **given):
        """Creates a chat completion and parses it: `choices[0].message.parsed` has the type of
        response_format, `function.parsed_arguments` that of pydantic_function_tool.

        The type is a pydantic model, a dataclass, a TypedDict, a msgspec Struct, a TypeAdapter, or
        a list or union of these. An answer that does not match raises an AnswerValidationError, a
        truncated one a LengthFinishReasonError or ContentFilterFinishReasonError; for a refusal,
        `parsed` is None. The parameters are those of create, without stream.
        """
        reading, request = self._parsing(given)
        return reading.read(self._client._run("chat", *request))

    parse.__wrapped__ = _parameters.chat_parse

    def _parsing(self, given):
        """The parser for the answer, and the request."""
        from modelwire._schemas.parse import ChatReading

        reading = ChatReading(given, all_strict=True)
        return reading, _parameters.chat_parse(self, **_parameters.of_a_chat(reading.given))

    _operation = "chat"

    def run_tools(self, *, tools, max_turns=None, raise_errors=False, **given):
        """Runs tools until the model answers: sends the request, calls the functions that the
        model requests, sends their results, and so on.

        tools are functions with annotations; their docstrings describe them and their parameters.
        Iterate the result for the turns, or call its get_final_completion(). An exception of a
        function is sent to the model, unless raise_errors is set; so is a call that cannot be
        made. After max_turns a MaxTurnsError has the whole conversation. Each turn is a call to
        the service and costs what its messages cost. The other parameters are those of parse.
        """
        return _run_tools(self, "Run", given, tools, max_turns, raise_errors)

    list = _lacks("chat.completions.list", "your own records")
    retrieve = _lacks("chat.completions.retrieve", "your own records")
    update = _lacks("chat.completions.update", "your own records")
    delete = _lacks("chat.completions.delete", "your own records")


class AsyncCompletions(_Resource, _RawAccess):
    """`async_client.chat.completions`"""

    async def create(self, **given):
        """Creates a chat completion: the answer, or with stream=True an asynchronous iterator of
        its chunks. The parameters and their costs are those of the synchronous method.
        """
        return await self._client._run(
            "chat", *_parameters.chat(self, **_parameters.to_create_a_chat(given))
        )

    create.__wrapped__ = _parameters.chat

    def stream(self, **given):
        """Streams a chat completion as events with snapshots; use it with `async with`.

        get_final_completion() returns the whole answer. The parameters are those of create,
        without stream.
        """
        from modelwire.streaming import AsyncChatCompletionStream, AsyncStreamManager

        reading = _chat_reading(given)
        if reading is not None:
            given = reading.given
        request = _parameters.chat_stream(self, **_parameters.of_a_chat(given))
        run = self._client._run
        return AsyncStreamManager(
            lambda: run("chat", *request), lambda stream: AsyncChatCompletionStream(stream, reading)
        )

    stream.__wrapped__ = _parameters.chat_stream

    async def parse(self, **given):
        """Creates a chat completion and parses it: `choices[0].message.parsed` has the type of
        response_format, `function.parsed_arguments` that of pydantic_function_tool.

        The type is a pydantic model, a dataclass, a TypedDict, a msgspec Struct, a TypeAdapter, or
        a list or union of these. An answer that does not match raises an AnswerValidationError, a
        truncated one a LengthFinishReasonError or ContentFilterFinishReasonError; for a refusal,
        `parsed` is None. The parameters are those of create, without stream.
        """
        reading, request = self._parsing(given)
        return reading.read(await self._client._run("chat", *request))

    parse.__wrapped__ = _parameters.chat_parse
    _parsing = Completions._parsing
    _operation = "chat"

    def run_tools(self, *, tools, max_turns=None, raise_errors=False, **given):
        """Runs tools until the model answers: sends the request, calls the functions that the
        model requests, sends their results, and so on.

        tools are functions with annotations; their docstrings describe them and their parameters.
        Iterate the result for the turns, or call its get_final_completion(). An exception of a
        function is sent to the model, unless raise_errors is set; so is a call that cannot be
        made. After max_turns a MaxTurnsError has the whole conversation. Each turn is a call to
        the service and costs what its messages cost. The other parameters are those of parse.
        """
        return _run_tools(self, "AsyncRun", given, tools, max_turns, raise_errors)

    list = _lacks("chat.completions.list", "your own records")
    retrieve = _lacks("chat.completions.retrieve", "your own records")
    update = _lacks("chat.completions.update", "your own records")
    delete = _lacks("chat.completions.delete", "your own records")


class Responses(_Resource, _RawAccess):
    """`client.responses`"""

    def create(self, **given):
        """Creates a response: the answer, or with stream=True an iterator of its events.

        An omitted parameter is not sent; None is sent as null. extra_body adds fields that are not
        named here; extra_headers and extra_query add headers and query parameters. timeout is
        seconds or a Timeout. stream_only streams a call without stream internally; gather keeps
        the whole answer of a stream for its end.

        input must be a string or a list, and max_output_tokens 1 or more: otherwise a RequestError
        describes the problem, and nothing is sent.

        A higher max_output_tokens may consume more; a longer input generally costs more and takes
        longer. stream changes only how the answer arrives: it is not free.
        """
        return self._client._run(
            "responses", *_parameters.response(self, **_parameters.to_create_a_response(given))
        )

    create.__wrapped__ = _parameters.response

    def stream(self, **given):
        """Streams a response as events with snapshots; use it with `with`.

        get_final_response() returns the whole answer. The parameters are those of create, without
        stream.
        """
        from modelwire.streaming import ResponseStream, StreamManager

        reading = _response_reading(given)
        if reading is not None:
            given = reading.given
        request = _parameters.response_stream(self, **_parameters.supported(given))
        run = self._client._run
        return StreamManager(
            lambda: run("responses", *request), lambda stream: ResponseStream(stream, reading)
        )

    stream.__wrapped__ = _parameters.response_stream

    def parse(self, **given):
        """Creates a response and parses it: `output_parsed` has the type of text_format,
        `parsed_arguments` of a call that of pydantic_function_tool.

        The type is a pydantic model, a dataclass, a TypedDict, a msgspec Struct, a TypeAdapter, or
        a list or union of these. An answer that does not match raises an AnswerValidationError, a
        truncated one a LengthFinishReasonError or ContentFilterFinishReasonError. Commentary and
        refusals are not parsed. The parameters are those of create, without stream.
        """
        reading, request = self._parsing(given)
        return reading.read(self._client._run("responses", *request))

    parse.__wrapped__ = _parameters.response_parse

    def _parsing(self, given):
        """The parser for the answer, and the request."""
        from modelwire._schemas.parse import ResponseReading

        if given.get("stream"):
            raise TypeError("responses.parse does not stream; responses.stream parses as well")
        reading = ResponseReading(given)
        return reading, _parameters.response_parse(self, **_parameters.of_a_response(reading.given))

    _operation = "responses"

    def run_tools(self, *, tools, max_turns=None, raise_errors=False, **given):
        """Runs tools until the model answers: sends the request, calls the functions that the
        model requests, sends their results, and so on.

        tools are functions with annotations; their docstrings describe them and their parameters.
        Iterate the result for the turns, or call its get_final_response(). An exception of a
        function is sent to the model, unless raise_errors is set; so is a call that cannot be
        made. After max_turns a MaxTurnsError has the whole conversation. Each turn is a call to
        the service and costs what its messages cost. The other parameters are those of parse.
        """
        return _run_tools(self, "Run", given, tools, max_turns, raise_errors)

    retrieve = _lacks("responses.retrieve", "the answer of create")
    delete = _lacks("responses.delete", "the answer of create")
    cancel = _lacks("responses.cancel", "close() of a stream")
    compact = _lacks("responses.compact", "create")


class AsyncResponses(_Resource, _RawAccess):
    """`async_client.responses`"""

    async def create(self, **given):
        """Creates a response: the answer, or with stream=True an asynchronous iterator of its
        events. The parameters and their costs are those of the synchronous method.
        """
        return await self._client._run(
            "responses", *_parameters.response(self, **_parameters.to_create_a_response(given))
        )

    create.__wrapped__ = _parameters.response

    def stream(self, **given):
        """Streams a response as events with snapshots; use it with `async with`.

        get_final_response() returns the whole answer. The parameters are those of create, without
        stream.
        """
        from modelwire.streaming import AsyncResponseStream, AsyncStreamManager

        reading = _response_reading(given)
        if reading is not None:
            given = reading.given
        request = _parameters.response_stream(self, **_parameters.supported(given))
        run = self._client._run
        return AsyncStreamManager(
            lambda: run("responses", *request), lambda stream: AsyncResponseStream(stream, reading)
        )

    stream.__wrapped__ = _parameters.response_stream

    async def parse(self, **given):
        """Creates a response and parses it: `output_parsed` has the type of text_format,
        `parsed_arguments` of a call that of pydantic_function_tool.

        The type is a pydantic model, a dataclass, a TypedDict, a msgspec Struct, a TypeAdapter, or
        a list or union of these. An answer that does not match raises an AnswerValidationError, a
        truncated one a LengthFinishReasonError or ContentFilterFinishReasonError. Commentary and
        refusals are not parsed. The parameters are those of create, without stream.
        """
        reading, request = self._parsing(given)
        return reading.read(await self._client._run("responses", *request))

    parse.__wrapped__ = _parameters.response_parse
    _parsing = Responses._parsing
    _operation = "responses"

    def run_tools(self, *, tools, max_turns=None, raise_errors=False, **given):
        """Runs tools until the model answers: sends the request, calls the functions that the
        model requests, sends their results, and so on.

        tools are functions with annotations; their docstrings describe them and their parameters.
        Iterate the result for the turns, or call its get_final_response(). An exception of a
        function is sent to the model, unless raise_errors is set; so is a call that cannot be
        made. After max_turns a MaxTurnsError has the whole conversation. Each turn is a call to
        the service and costs what its messages cost. The other parameters are those of parse.
        """
        return _run_tools(self, "AsyncRun", given, tools, max_turns, raise_errors)

    retrieve = _lacks("responses.retrieve", "the answer of create")
    delete = _lacks("responses.delete", "the answer of create")
    cancel = _lacks("responses.cancel", "close() of a stream")
    compact = _lacks("responses.compact", "create")


class Chat(_Resource, _RawChatAccess):
    """`client.chat`"""

    def __init__(self, client):
        super().__init__(client)
        self.completions = Completions(client)


class AsyncChat(_Resource, _RawChatAccess):
    """`async_client.chat`"""

    def __init__(self, client):
        super().__init__(client)
        self.completions = AsyncCompletions(client)


class Beta(_Resource):
    """`client.beta`: the same calls, for older programs."""

    def __init__(self, chat):
        self.chat = chat


class AsyncBeta(Beta):
    """`async_client.beta`: the same calls, for older programs."""
