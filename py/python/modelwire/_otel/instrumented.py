"""Calls through `client.request`, for tracing that replaces that method, as it does with
openai-python's clients. The method gets the request in openai-python's form, and each chunk of a
stream passes through it. Imported only then; needs no OpenTelemetry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from modelwire._closing import AsyncClosing, Closing
from modelwire._errors import OpenAIError
from modelwire._native import AsyncIteration, Iteration
from modelwire._options import is_given

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator


PATHS = {"models": "/models", "chat": "/chat/completions", "responses": "/responses"}


class Options:
    """A request in the form of openai-python's `request`."""

    def __init__(self, client: Any, operation: str, fields: Any, stream: bool, call: Any) -> None:
        self.method = "get" if operation == "models" else "post"
        self.url = PATHS[operation]
        self.headers = dict(call.headers or {})
        self.params = dict(call.query or {})
        self.json_data: Any = None
        if fields is not None:
            self.json_data = {name: value for name, value in fields.items() if is_given(value)}
            if stream:
                self.json_data["stream"] = True
        # A copy of a client shares the method of the original, but has its own settings.
        self._client = client
        self._of_call = (operation, fields, stream, call)

    def run(self) -> Any:
        """Makes the call."""
        return self._client._run(*self._of_call)


class _Traced:
    """A stream whose chunks pass through `__stream__`, which subclasses may wrap."""

    __stream__: Any
    _was_interrupted = False

    def __init__(self, stream: Any) -> None:
        self._native = stream
        self._chunks = self.__stream__()

    def _failed(self, error: BaseException) -> None:
        """An exception ends the generator of a subclass, and a chunk with it."""
        is_own = isinstance(error, OpenAIError)  # the stream ended, too
        self._was_interrupted = self._chunks is not self._native and not is_own

    def _ended(self) -> None:
        """The chunks ended: an error, unless the stream did."""
        if self._was_interrupted:
            raise OpenAIError(
                "the stream was interrupted while tracing had a chunk of it",
                kind="closed",
                metered="entered",
                hint="Make another call: the rest of this answer would have a gap.",
            ) from None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._native, name)

    if not TYPE_CHECKING:
        # For isinstance: the class of the native stream.
        __class__ = property(lambda self: self._native.__class__)


class TracedStream(Closing, _Traced):
    """A traced stream of a synchronous client."""

    def __stream__(self) -> Iterator[Any]:
        return self._native  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[Any]:
        return Iteration(self, self._native)

    def __next__(self) -> Any:
        try:
            return next(self._chunks)
        except StopIteration:
            self._ended()
            raise
        except BaseException as error:
            self._failed(error)
            raise

    def close(self) -> None:
        """Ends the stream."""
        self._native.close()
        self._chunks.close()


class AsyncTracedStream(AsyncClosing, _Traced):
    """A traced stream of an asynchronous client."""

    def __stream__(self) -> AsyncIterator[Any]:
        return self._native  # type: ignore[no-any-return]

    def __aiter__(self) -> AsyncIterator[Any]:
        return AsyncIteration(self, self._native)

    async def __anext__(self) -> Any:
        try:
            return await self._chunks.__anext__()
        except StopAsyncIteration:
            self._ended()
            raise
        except BaseException as error:
            self._failed(error)
            raise

    async def close(self) -> None:
        """Ends the stream."""
        await self._native.close()
        await self._chunks.aclose()


def asked(client: Any, operation: str, fields: Any, stream: bool, call: Any, kind: Any) -> Any:
    """Makes a call through the current `client.request`."""
    options = Options(client, operation, fields, stream, call)
    call.is_requested = True
    stream_cls = kind if stream else None
    return client.request(cast_to=object, options=options, stream=stream, stream_cls=stream_cls)


def request(options: Any, stream_cls: Any) -> Any:
    """The original `request` of a synchronous client."""
    result = _ours(options).run()
    return result if stream_cls is None else stream_cls(result)


async def async_request(options: Any, stream_cls: Any) -> Any:
    """The original `request` of an asynchronous client."""
    result = await _ours(options).run()
    return result if stream_cls is None else stream_cls(result)


def _ours(options: Any) -> Options:
    if not isinstance(options, Options):
        from modelwire._openai.unsupported import OF_CLIENT, Unsupported

        Unsupported("OpenAI.request", OF_CLIENT["request"])()
    return options
