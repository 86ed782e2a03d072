"""The client as Python programs use it: settings, resources, and nothing else. Knows no HTTP."""

from __future__ import annotations

from modelwire._errors import OpenAIError
from modelwire._native import NativeClient

# Type checkers take this name as true; importing typing would cost more than all the rest.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from types import TracebackType
    from typing import Any, Literal, overload

    from modelwire._native import Object, Stream


class NotGiven:
    """The type of NOT_GIVEN: an argument that was left out, where None has a meaning."""

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "NOT_GIVEN"


NOT_GIVEN = NotGiven()

MAX_RETRIES = 3
"""Retries after status 429: the service's reference policy."""


class Timeout:
    """The four timeouts in seconds; None switches one off.

    connect: opening a connection, TLS included (10 s by default)
    first_byte: from the start of an attempt to the complete head of its answer (600 s)
    idle: between two pieces of substance of an answer; keep-alives do not count (300 s)
    total: over all attempts and the waits between them (off)
    """

    __slots__ = ("connect", "first_byte", "idle", "total")

    def __init__(
        self,
        *,
        connect: float | None | NotGiven = NOT_GIVEN,
        first_byte: float | None | NotGiven = NOT_GIVEN,
        idle: float | None | NotGiven = NOT_GIVEN,
        total: float | None | NotGiven = NOT_GIVEN,
    ) -> None:
        self.connect = connect
        self.first_byte = first_byte
        self.idle = idle
        self.total = total

    def __repr__(self) -> str:
        given = (f"{name}={value!r}" for name, value in _given(self).items())
        return f"Timeout({', '.join(given)})"


def _given(timeout: float | Timeout | None | NotGiven) -> dict[str, float | None]:
    """What was set, by name. A number means no wait of the call is longer than that."""
    if isinstance(timeout, NotGiven):
        return {}
    if timeout is None or isinstance(timeout, (int, float)):
        return dict.fromkeys(("connect", "first_byte", "idle"), timeout)
    if not isinstance(timeout, Timeout):
        raise TypeError(f"timeout takes seconds, None or modelwire.Timeout, not {timeout!r}")
    values = {name: getattr(timeout, name) for name in Timeout.__slots__}
    return {name: value for name, value in values.items() if not isinstance(value, NotGiven)}


class ModelList:
    """The models of a service: iterable, and a list as `data`."""

    __slots__ = ("_answer", "data")

    def __init__(self, answer: Object) -> None:
        self._answer = answer
        # A service may answer with a top-level array instead of an object with `data`.
        self.data: list[Object] = answer._items()

    def __iter__(self) -> Iterator[Object]:
        return iter(self.data)

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, index: int) -> Object:
        return self.data[index]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._answer, name)

    @property
    def _request_id(self) -> str | None:
        return self._answer._request_id

    def __repr__(self) -> str:
        return f"ModelList({self.data!r})"


class Models:
    """`client.models`"""

    def __init__(self, client: Client) -> None:
        self._client = client

    def list(self) -> ModelList:
        """The models that the service offers."""
        return ModelList(self._client._open().models())


class Completions:
    """`client.chat.completions`"""

    def __init__(self, client: Client) -> None:
        self._client = client

    if TYPE_CHECKING:

        @overload
        def create(
            self,
            *,
            messages: Iterable[Any],
            model: str,
            stream: Literal[False] | None | NotGiven = NOT_GIVEN,
            **parameters: Any,
        ) -> Object: ...
        @overload
        def create(
            self,
            *,
            messages: Iterable[Any],
            model: str,
            stream: Literal[True],
            **parameters: Any,
        ) -> Stream: ...
        @overload
        def create(
            self,
            *,
            messages: Iterable[Any],
            model: str,
            stream: bool,
            **parameters: Any,
        ) -> Object | Stream: ...

    def create(
        self,
        *,
        messages: Iterable[Any],
        model: str,
        stream: bool | None | NotGiven = NOT_GIVEN,
        **parameters: Any,
    ) -> Object | Stream:
        """Creates a chat completion: the answer, or with stream=True an iterator of its chunks.

        `parameters` are the request's further fields, `max_tokens` for instance; an omitted one
        is not sent, None is sent as null.
        """
        body = _body({"messages": _whole(messages), "model": model}, parameters)
        return self._client._open().create("chat", body, _is_on(stream))


class Chat:
    """`client.chat`"""

    def __init__(self, client: Client) -> None:
        self.completions = Completions(client)


class Responses:
    """`client.responses`"""

    def __init__(self, client: Client) -> None:
        self._client = client

    if TYPE_CHECKING:

        @overload
        def create(
            self,
            *,
            input: str | Iterable[Any],
            model: str,
            stream: Literal[False] | None | NotGiven = NOT_GIVEN,
            **parameters: Any,
        ) -> Object: ...
        @overload
        def create(
            self,
            *,
            input: str | Iterable[Any],
            model: str,
            stream: Literal[True],
            **parameters: Any,
        ) -> Stream: ...
        @overload
        def create(
            self,
            *,
            input: str | Iterable[Any],
            model: str,
            stream: bool,
            **parameters: Any,
        ) -> Object | Stream: ...

    def create(
        self,
        *,
        input: str | Iterable[Any],
        model: str,
        stream: bool | None | NotGiven = NOT_GIVEN,
        **parameters: Any,
    ) -> Object | Stream:
        """Creates a response: the answer, or with stream=True an iterator of its events.

        `parameters` are the request's further fields, `max_output_tokens` for instance; an
        omitted one is not sent, None is sent as null.
        """
        body = _body({"input": _whole(input), "model": model}, parameters)
        return self._client._open().create("responses", body, _is_on(stream))


def _whole(items: Any) -> Any:
    """What an iterator gives as a list; anything else as it is."""
    return list(items) if hasattr(items, "__next__") else items


def _is_on(stream: bool | None | NotGiven) -> bool:
    if stream is None or isinstance(stream, (bool, NotGiven)):
        return bool(stream)
    raise TypeError(f"stream takes a bool, not {stream!r}")


_OF_THE_CLIENT = {
    "timeout": "timeout",
    "extra_headers": "default_headers",
    "extra_query": "a query in base_url",
    "extra_body": "the field itself as an argument",
}


def _body(required: dict[str, Any], parameters: dict[str, Any]) -> dict[str, Any]:
    for name, instead in _OF_THE_CLIENT.items():
        if not isinstance(parameters.pop(name, NOT_GIVEN), NotGiven):
            raise TypeError(f"create() takes no {name} in this version; use {instead} instead")
    required.update(parameters)
    return {name: value for name, value in required.items() if not isinstance(value, NotGiven)}


class Client:
    """A client of one service. Threads may share it; calls do not wait for each other.

    What is not given comes from the environment: MODELWIRE_BASE_URL or OPENAI_BASE_URL,
    MODELWIRE_API_KEY or OPENAI_API_KEY. There is no built-in base URL.

    With stream_only every plain call streams underneath and returns the gathered answer, for a
    service whose models answer only by streaming.
    """

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout: float | Timeout | None | NotGiven = NOT_GIVEN,
        max_retries: int = MAX_RETRIES,
        default_headers: Mapping[str, str] | None = None,
        stream_only: bool = False,
    ) -> None:
        self._native: NativeClient | None = NativeClient(
            base_url=base_url,
            api_key=api_key,
            timeout=_given(timeout),
            max_retries=max_retries,
            headers=list((default_headers or {}).items()),
            stream_only=stream_only,
        )
        self.models = Models(self)
        self.chat = Chat(self)
        self.responses = Responses(self)

    @property
    def base_url(self) -> str:
        """Where the service is, without anything secret."""
        return self._open().base_url

    def usage(self) -> dict[str, dict[str, int]]:
        """What the answered calls used so far, by requested model: calls and tokens."""
        return self._open().usage()

    def close(self) -> None:
        """Closes the client: its next call raises. Streams that were opened go on."""
        self._native = None

    def is_closed(self) -> bool:
        """Whether `close` was called."""
        return self._native is None

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        where = "closed" if self._native is None else f"base_url={self.base_url!r}"
        return f"{type(self).__name__}({where})"

    def _open(self) -> NativeClient:
        if self._native is None:
            raise OpenAIError("the client was closed", kind="closed", hint="Make a new one.")
        return self._native


OpenAI = Client
"""The name under which programs written for openai-python know it."""
