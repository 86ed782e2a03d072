"""Answers with their status and headers: `with_raw_response` and `with_streaming_response`, as in
openai-python. Imported on demand.

Everything here wraps the results of a resource's own methods.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from datetime import timedelta
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from modelwire._answers.http import URL, Headers, Request, Response
from modelwire._errors import OpenAIError
from modelwire._native import AsyncStream, Stream

if TYPE_CHECKING:
    from modelwire._answers.rate_limits import RateLimits
    from modelwire._answers.record import CallRecord

_T = TypeVar("_T")
_To = TypeVar("_To")

openai_classes: dict[type, type] = {}
"""openai's classes of those here, once they are registered."""


class RawResponse(Generic[_T]):
    """A whole answer, or an opened stream, with its status and headers. `parse` returns what the
    normal method returns."""

    def __init__(self, result: _T, read: Any = None, cast: Any = None) -> None:
        self._result: Any = result
        self._read = read
        self._cast = cast
        if isinstance(result, (Stream, AsyncStream)):
            self.http_response: Response = result.response
        else:
            answer: Any = getattr(result, "_answer", result)  # a list of models contains the answer
            self.http_response = answer._response
            self.http_response.text = answer.to_json(indent=None)

    @property
    def status_code(self) -> int:
        """The HTTP status."""
        return self.http_response.status_code

    @property
    def headers(self) -> Headers:
        """The headers of the answer."""
        return self.http_response.headers

    @property
    def request_id(self) -> str | None:
        """The service's identifier of the request."""
        return self.headers.get("x-request-id")

    @property
    def rate_limits(self) -> RateLimits | None:
        """The rate limits that the service reported; None if it reported none."""
        return self.http_response.rate_limits

    @property
    def http_request(self) -> Request:
        """The request."""
        return self.http_response.request

    @property
    def method(self) -> str:
        """The method of the request."""
        return self.http_request.method

    @property
    def url(self) -> URL:
        """The address of the request."""
        return self.http_request.url

    @property
    def retries_taken(self) -> int | None:
        """The number of retries of the call; for a stream, None before its end."""
        return self.http_response.retries_taken

    @property
    def elapsed(self) -> timedelta | None:
        """The duration of the call, including attempts and waits; for a stream, None before its
        end."""
        return self.http_response.elapsed

    @property
    def timing(self) -> CallRecord | None:
        """The record of the call; for a stream, None before its end."""
        timing: CallRecord | None = self._result.timing
        return timing

    @property
    def is_closed(self) -> bool:
        """Whether the answer was read completely or closed."""
        return self.http_response.is_closed

    def _parsed(self, to: Any = None) -> Any:
        """The result; for `parse`, the parsed text; or the answer as another type."""
        if to is not None:
            from modelwire._answers.cast import of_raw

            return of_raw(self._result, to)
        if self._read is not None:
            self._read(self._result)
            self._read = None
        return self._result if self._cast is None else self._cast(self._result)

    if not TYPE_CHECKING:
        # The reported class.
        __class__ = property(lambda self: openai_classes.get(type(self), type(self)))

    def _whole(self, what: str) -> str:
        if isinstance(self._result, (Stream, AsyncStream)):
            raise OpenAIError(
                f"{what} of a stream is not available at once",
                kind="argument",
                hint="Iterate over parse(), or the lines of with_streaming_response.",
            )
        return self.http_response.text


class _Parses(RawResponse[_T]):
    """A raw answer whose `parse` does not wait."""

    @overload
    def parse(self, *, to: type[_To]) -> _To: ...
    @overload
    def parse(self, *, to: None = None) -> _T: ...
    def parse(self, *, to: Any = None) -> Any:
        """The result of the normal method: the answer, or the stream. With `to`, the answer as this
        type, as `cast_to` of `client.post` takes it; of a stream, the class of streams."""
        return self._parsed(to)


class LegacyAPIResponse(_Parses[_T]):
    """The result of the methods of `with_raw_response`."""

    @property
    def text(self) -> str:
        """The answer as JSON text."""
        return self._whole("the text")

    @property
    def content(self) -> bytes:
        """The answer as bytes."""
        return self._whole("the content").encode()

    def json(self) -> Any:
        """The answer as dicts and lists."""
        self._whole("the JSON")
        return self.http_response.json()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} [{self.status_code}]>"


_END = "data: [DONE]\n\n"


def _wire(event: Any) -> str:
    name = f"event: {event._event}\n" if event._event else ""
    return f"{name}data: {event.to_json(indent=None)}\n\n"


def _lines(text: str) -> list[str]:
    # Not str.splitlines, which also splits at characters that may be in JSON, such as U+2028.
    return [line.decode() for line in text.encode().splitlines()]


class _Lines(Iterator[str]):
    """The lines of texts. No generator: an interruption would end it."""

    def __init__(self, texts: Iterator[str]) -> None:
        self._texts = texts
        self._waiting: list[str] = []  # the next one last

    def __next__(self) -> str:
        while not self._waiting:
            self._waiting = _lines(next(self._texts))[::-1]
        return self._waiting.pop()


class _AsyncPieces(AsyncIterator[Any]):
    """What a function makes of each text of an answer. No generator, for the same reason."""

    def __init__(self, result: Any, last: str, split: Callable[[str], list[Any]]) -> None:
        self._events = aiter(result) if isinstance(result, AsyncStream) else None
        self._last: str | None = last  # the text after them
        self._split = split
        self._waiting: list[Any] = []  # the next one last

    async def __anext__(self) -> Any:
        while not self._waiting:
            self._waiting = self._split(await self._text())[::-1]
        return self._waiting.pop()

    async def _text(self) -> str:
        if self._events is not None:
            try:
                return _wire(await anext(self._events))
            except StopAsyncIteration:
                self._events = None
        if self._last is None:
            raise StopAsyncIteration
        text, self._last = self._last, None
        return text


class _Opened(RawResponse[_T]):
    """The result of `with_streaming_response` within its `with`: open until it is read."""

    _is_read = False

    @property
    def is_closed(self) -> bool:
        """Whether the answer was read, or closed."""
        return self._is_read and super().is_closed

    def _parsed(self, to: Any = None) -> Any:
        self._is_read = True
        return super()._parsed(to)

    def _json(self) -> Any:
        self._whole("the JSON")
        self._is_read = True
        return self.http_response.json()


class APIResponse(_Opened[_T], _Parses[_T]):
    """The result of a synchronous client's `with_streaming_response` within its `with`."""

    def read(self) -> bytes:
        """The whole answer as bytes; for a stream, its events in wire format."""
        return self.text().encode()

    def text(self) -> str:
        """The whole answer as text; for a stream, its events in wire format."""
        return "".join(self.iter_text())

    def json(self) -> Any:
        """The answer as dicts and lists."""
        return self._json()

    def iter_text(self, chunk_size: int | None = None) -> Iterator[str]:
        """The text in pieces, as it arrives."""
        self._is_read = True
        if isinstance(self._result, Stream):
            return chain(map(_wire, self._result), (_END,))
        return iter((self.http_response.text,))

    def iter_bytes(self, chunk_size: int | None = None) -> Iterator[bytes]:
        """The bytes in pieces, as they arrive."""
        return map(str.encode, self.iter_text())

    def iter_lines(self) -> Iterator[str]:
        """The lines as they arrive."""
        return _Lines(self.iter_text())

    def close(self) -> None:
        """Ends the call."""
        self._is_read = True
        if isinstance(self._result, Stream):
            self._result.close()


class AsyncAPIResponse(_Opened[_T]):
    """The result of an asynchronous client's `with_streaming_response` within its `async with`."""

    @overload
    async def parse(self, *, to: type[_To]) -> _To: ...
    @overload
    async def parse(self, *, to: None = None) -> _T: ...
    async def parse(self, *, to: Any = None) -> Any:
        """The result of the normal method: the answer, or the stream. With `to`, the answer as this
        type, as `cast_to` of `client.post` takes it; of a stream, the class of streams."""
        return self._parsed(to)

    async def read(self) -> bytes:
        """The whole answer as bytes; for a stream, its events in wire format."""
        return (await self.text()).encode()

    async def text(self) -> str:
        """The whole answer as text; for a stream, its events in wire format."""
        return "".join([piece async for piece in self.iter_text()])

    async def json(self) -> Any:
        """The answer as dicts and lists."""
        return self._json()

    def _pieces(self, split: Callable[[str], list[Any]]) -> AsyncIterator[Any]:
        self._is_read = True
        last = _END if isinstance(self._result, AsyncStream) else self.http_response.text
        return _AsyncPieces(self._result, last, split)

    def iter_text(self, chunk_size: int | None = None) -> AsyncIterator[str]:
        """The text in pieces, as it arrives."""
        return self._pieces(lambda text: [text])

    def iter_bytes(self, chunk_size: int | None = None) -> AsyncIterator[bytes]:
        """The bytes in pieces, as they arrive."""
        return self._pieces(lambda text: [text.encode()])

    def iter_lines(self) -> AsyncIterator[str]:
        """The lines as they arrive."""
        return self._pieces(_lines)

    async def close(self) -> None:
        """Ends the call."""
        self._is_read = True
        if isinstance(self._result, AsyncStream):
            await self._result.close()


class _Opening:
    """The context manager that a method of `with_streaming_response` returns: entering it makes
    the call, and leaving it ends the call."""

    def __init__(self, call: Any, read: Any = None) -> None:
        self._call = call
        self._read = read
        self._response: Any = None

    def __enter__(self) -> APIResponse[Any]:
        self._response = APIResponse(self._call(), self._read)
        return self._response  # type: ignore[no-any-return]

    def __exit__(self, *error: object) -> None:
        self._response.close()

    async def __aenter__(self) -> AsyncAPIResponse[Any]:
        self._response = AsyncAPIResponse(await self._call(), self._read)
        return self._response  # type: ignore[no-any-return]

    async def __aexit__(self, *error: object) -> None:
        await self._response.close()


async def _awaited(result: Any, read: Any = None) -> LegacyAPIResponse[Any]:
    return LegacyAPIResponse(await result, read)


_LACKING = ("retrieve", "update", "delete", "cancel", "compact")


class Raw:
    """A resource whose methods return answers with their status and headers."""

    def __init__(self, resource: Any, streams: bool) -> None:
        self._resource = resource
        self._streams = streams

    def create(self, **given: Any) -> Any:
        """Like the resource's method with this name."""
        return self._wrapped(self._resource.create, given)

    def list(self, **given: Any) -> Any:
        """Like the resource's method with this name."""
        return self._wrapped(self._resource.list, given)

    def parse(self, **given: Any) -> Any:
        """Like the resource's method with this name; its `parse` parses the answer."""
        resource = self._resource
        reading, request = resource._parsing(given)
        return self._called(
            lambda: resource._client._run(resource._operation, *request), reading.read
        )

    def __getattr__(self, name: str) -> Any:
        # Unsupported operations raise their error here as well.
        if name in _LACKING and hasattr(self._resource, name):
            return getattr(self._resource, name)
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def _wrapped(self, method: Any, given: dict[str, Any]) -> Any:
        return self._called(lambda: method(**given))

    def _called(self, call: Any, read: Any = None) -> Any:
        if self._streams:
            return _Opening(call, read)
        result = call()
        if hasattr(result, "__await__"):
            return _awaited(result, read)
        return LegacyAPIResponse(result, read)


class RawChat:
    """`chat` of a raw client."""

    def __init__(self, chat: Any, streams: bool) -> None:
        self.completions = Raw(chat.completions, streams)


class RawClient:
    """A client whose methods return answers with their status and headers."""

    def __init__(self, client: Any, streams: bool) -> None:
        self.models = Raw(client.models, streams)
        self.chat = RawChat(client.chat, streams)
        self.responses = Raw(client.responses, streams)
