"""The native part of modelwire: classes over the core's handles and views."""

from collections.abc import Iterator
from types import TracebackType
from typing import Any, final

from typing_extensions import Self

__version__: str

def shutdown(timeout: float) -> bool:
    """Ends every call and the I/O thread; called at interpreter exit."""

class _View:
    """What every object over an answer's JSON has. Fields are attributes, unknown ones too."""

    def __getattr__(self, name: str, /) -> Any: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: Any, /) -> Self: ...
    def to_dict(self) -> dict[str, Any]:
        """All fields as dicts and lists, unknown ones included."""
    def model_dump(self) -> dict[str, Any]:
        """The same as `to_dict`."""
    def to_json(self, *, indent: int | None = None) -> str:
        """The JSON text: as the service sent it, or indented."""

@final
class Object(_View):
    """An object inside an answer, or the whole of it."""

    @property
    def output_text(self) -> str: ...
    @property
    def _request_id(self) -> str | None: ...
    def _items(self) -> list[Object]: ...

@final
class ChunkDelta(_View):
    """What a chunk adds to a choice."""

    @property
    def content(self) -> str | None: ...
    @property
    def role(self) -> str | None: ...

@final
class ChunkChoice(_View):
    """One choice of a chunk."""

    @property
    def delta(self) -> ChunkDelta: ...
    @property
    def index(self) -> int | None: ...
    @property
    def finish_reason(self) -> str | None: ...

@final
class ChatCompletionChunk(_View):
    """One chunk of a chat completion stream."""

    @property
    def choices(self) -> list[ChunkChoice]: ...
    @property
    def usage(self) -> Object | None: ...

@final
class ResponseStreamEvent(_View):
    """One event of a response stream."""

    @property
    def type(self) -> str | None: ...

@final
class Stream:
    """The chunks of an answer as they arrive: an iterator and a context manager."""

    def __iter__(self) -> Iterator[Any]: ...
    def __next__(self) -> Any: ...
    def __enter__(self) -> Stream: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...
    def close(self) -> None:
        """Ends the stream now and closes its exchange. Harmless to repeat; any thread."""
    @property
    def status_code(self) -> int: ...
    @property
    def request_id(self) -> str | None: ...
    @property
    def headers(self) -> list[tuple[str, str]]: ...
    @property
    def usage(self) -> dict[str, int] | None: ...
    @property
    def end(self) -> str | None: ...

@final
class NativeClient:
    """What `modelwire.Client` is made of; not for direct use."""

    def __new__(
        cls,
        *,
        base_url: str | None,
        api_key: str | None,
        timeout: dict[str, float | None],
        max_retries: int,
        headers: list[tuple[str, str]],
        stream_only: bool,
    ) -> NativeClient: ...
    @property
    def base_url(self) -> str: ...
    def usage(self) -> dict[str, dict[str, int]]: ...
    def models(self) -> Object: ...
    def create(self, endpoint: str, body: dict[str, Any], stream: bool) -> Object | Stream: ...

@final
class NativeAnswer:
    """What `modelwire.testing.Answer` is made of; not for direct use."""

    @staticmethod
    def played() -> NativeAnswer: ...
    @staticmethod
    def text(
        pieces: list[str],
        reasoning: list[str],
        tool_calls: list[tuple[str, str]],
        finish_reason: str,
        usage: tuple[int, int] | None,
    ) -> NativeAnswer: ...
    @staticmethod
    def document(status: int, headers: list[tuple[str, str]], body: bytes) -> NativeAnswer: ...
    @staticmethod
    def events(events: list[tuple[str | None, str]]) -> NativeAnswer: ...
    @staticmethod
    def raw(data: bytes) -> NativeAnswer: ...
    @staticmethod
    def garbage() -> NativeAnswer: ...
    def stall(self, seconds: float | None, after: int | None) -> NativeAnswer: ...
    def slow(self, seconds: float) -> NativeAnswer: ...
    def cut(self, after: int | None, after_bytes: int | None, reset: bool) -> NativeAnswer: ...

@final
class NativeService:
    """What `modelwire.testing.Service` is made of; not for direct use."""

    def __new__(
        cls,
        *,
        api_key: str,
        port: int,
        word_pause: float,
        rate_limit_calls: int,
        rate_limit_window: float,
    ) -> NativeService: ...
    @property
    def base_url(self) -> str: ...
    @property
    def waiting(self) -> int: ...
    @property
    def requests(self) -> list[tuple[str, str, list[tuple[str, str]], bytes, int, float]]: ...
    @property
    def metered(self) -> dict[str, dict[str, int]]: ...
    @property
    def open_connections(self) -> int: ...
    def queue(self, answers: list[NativeAnswer]) -> None: ...
    def answer_otherwise(self, answer: NativeAnswer | None) -> None: ...
    def reset(self) -> None: ...
    def close(self) -> None: ...
