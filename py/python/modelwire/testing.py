"""A stand-in for the inference service, to test your own programs with: offline, fast, exact.

    from modelwire import OpenAI
    from modelwire.testing import Service

    def test_my_program_survives_a_busy_service():
        with Service() as service:
            client = OpenAI(base_url=service.base_url, api_key=service.api_key)
            service.queue(429, 429, "All is well.")

            assert my_program(client) == "All is well."

            asked = service.requests
            assert len(asked) == 3
            assert asked[-1].body["messages"][0]["content"] == "How is it going?"

It is a real HTTP service on a free port of 127.0.0.1, run by a thread of its own, so any client of
any library can talk to it, from sync and from async code (`async with` works as well), and from
other processes. Under pytest the fixture `modelwire_service` is a fresh one for each test.

**Unless told otherwise it plays a whole service**: `GET /v1/models`, `POST /v1/chat/completions`
and `POST /v1/responses`, plain and streamed, with authentication, usage, and the errors of the
real ones. Its models echo what the last user message says, and each shows one behaviour: `echo`,
`echo-stream-only`, `echo-reasoning`, `echo-tools`, `limited` (429 after two calls in a second),
`recovers` (429 twice, then fine), `forbidden`, `broken` (500), `cut`, `error-in-stream`, `slow`.
Not listed are those that play faults of real servers: `flat-error`, `unended-error`, `no-mark`,
`no-reason`, `late-end`.

**Scripted answers** are taken by the next requests, whatever they ask for and whatever model they
name. `Service.queue` takes them as:

| answer | is |
|---|---|
| `"Hello there."`, `text(...)` | what the model says, as the request asks for it (see below) |
| `["Hel", "lo"]` | the same, streamed in exactly these pieces |
| `{"object": ...}`, `document(...)` | exactly this JSON |
| `[{...}, {...}]`, `events(...)` | a stream of exactly these events |
| `429`, `error(429, retry_after=1)` | an error as the service would tell it |
| `garbage()` | what is no JSON: a body, or an event of a stream |
| `b"HTTP/1.1 ..."`, `raw(...)` | exactly these bytes; then the connection is closed |
| `played()` | what the played service says |

Text becomes a chat or a response, whole or streamed word by word, as the request asks. So a test
need not know which of them the program uses.

**Faults** are worked into any answer: `text("...").stall(2)`, `.slow(0.1)`, `.cut(after=3)`; see
`Answer`. A request with a wrong key, or not below `/v1`, is refused as a real service refuses it
and takes no scripted answer.

Everything is recorded: see `Service.requests`.
"""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal, TypeAlias, final

from modelwire._native import NativeAnswer, NativeService

__all__ = [
    "Answer",
    "Request",
    "Scripted",
    "Service",
    "document",
    "error",
    "events",
    "garbage",
    "played",
    "raw",
    "text",
]

# Headers that say where a body ends: the service writes them, or `raw` does.
_FRAMING = ("content-length", "transfer-encoding", "connection")
# The type and code that OpenAI gives to errors of a status.
_TYPES: dict[int, tuple[str, str | None]] = {
    401: ("invalid_request_error", "invalid_api_key"),
    403: ("permission_error", None),
    404: ("invalid_request_error", "model_not_found"),
    429: ("requests", "rate_limit_exceeded"),
}


@final
class Answer:
    """A scripted answer. Made by the functions of this module; never changes.

    Its methods return a copy with a fault worked in, and can be combined: `text("a b c").slow(0.1)
    .cut(after=2)`. Where they count events, those are the events of a stream as they go out: the
    first one of a chat carries the role and no text, those of a response begin with
    `response.created`. A plain answer has no events; what would happen after some happens half way
    through its body.
    """

    __slots__ = ("_description", "_native")

    def __init__(self, native: NativeAnswer, description: str) -> None:
        """Not for direct use: see `text`, `document`, `events`, `error`, `raw`, `garbage`."""
        self._native = native
        self._description = description

    def __repr__(self) -> str:
        return f"<Answer: {self._description}>"

    def stall(self, seconds: float | None = None, *, after: int | None = None) -> Answer:
        """Falls silent before it begins, or `after` so many events: for so many seconds, or,
        without a number, until the client goes away."""
        if seconds is not None:
            _check_seconds("seconds", seconds)
        _check_count("after", after)
        where = "" if after is None else f" after {after} events"
        how_long = "" if seconds is None else f" for {seconds} s"
        native = self._native.stall(seconds, after)
        return Answer(native, f"{self._description}, stalls{where}{how_long}")

    def slow(self, seconds: float) -> Answer:
        """Waits so many seconds between every two events of a stream."""
        _check_seconds("seconds", seconds)
        return Answer(self._native.slow(seconds), f"{self._description}, {seconds} s an event")

    def cut(
        self, *, after: int | None = None, after_bytes: int | None = None, reset: bool = False
    ) -> Answer:
        """Breaks off by closing the connection (or resetting it): before it begins, or `after`
        so many events (at the latest before the last one), or `after_bytes` of the body as it goes
        over the wire."""
        if after is not None and after_bytes is not None:
            raise ValueError("cut: give after (events) or after_bytes, not both")
        _check_count("after", after)
        _check_count("after_bytes", after_bytes)
        where = "before the head"
        if after is not None:
            where = f"after {after} events"
        elif after_bytes is not None:
            where = f"after {after_bytes} bytes"
        native = self._native.cut(after, after_bytes, bool(reset))
        return Answer(native, f"{self._description}, {'reset' if reset else 'cut'} {where}")


Scripted: TypeAlias = (
    Answer | str | bytes | int | Mapping[str, Any] | Sequence[str] | Sequence[Mapping[str, Any]]
)
"""What can stand for an answer; the docstring of the module says what each means."""


def text(
    pieces: str | Sequence[str] = "",
    *,
    reasoning: str | Sequence[str] = "",
    tool_calls: Sequence[tuple[str, Mapping[str, Any] | str]] = (),
    finish_reason: Literal["stop", "length", "content_filter"] = "stop",
    usage: tuple[int, int] | None = None,
) -> Answer:
    """What the model says, as a chat or a response, plain or streamed, as the request asks.

    A string is streamed word by word, a list in exactly its pieces. `reasoning` becomes the
    `reasoning_content` of chats. `tool_calls` are pairs of a function's name and its arguments (a
    dict, or JSON text as it is). `finish_reason` other than "stop" makes a response incomplete.
    `usage` is tokens in and tokens out; otherwise words are counted.
    """
    calls = []
    for index, call in enumerate(tool_calls):
        if isinstance(call, str) or len(call) != 2 or not isinstance(call[0], str):
            raise TypeError(
                f"tool_calls[{index}] must be a pair of a function's name and its arguments, "
                f"not {call!r}"
            )
        name, arguments = call
        calls.append((name, arguments if isinstance(arguments, str) else _json(arguments)))
    if usage is not None and (len(usage) != 2 or min(usage) < 0):
        raise ValueError(f"usage must be tokens in and tokens out, not {usage!r}")
    said = _pieces("pieces", pieces)
    native = NativeAnswer.text(said, _pieces("reasoning", reasoning), calls, finish_reason, usage)
    called = [f"calls {name}" for name, _ in calls]
    return Answer(native, ", ".join([f"text {_short(''.join(said))}", *called]))


def document(
    body: Mapping[str, Any] | Sequence[Any] | str | bytes,
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """A whole body: a dict or list as JSON, a string or bytes as they are.

    A `Content-Type` among the headers replaces `application/json`. A streamed request gets it,
    too, as it is.
    """
    if not isinstance(status, int) or not 200 <= status <= 999:
        raise ValueError(f"status must be a final HTTP status from 200 to 999, not {status!r}")
    if isinstance(body, str):
        content = body.encode()
    elif isinstance(body, bytes):
        content = body
    else:
        content = _json(body).encode()
    pairs = []
    for name, value in (headers or {}).items():
        if not isinstance(name, str) or not isinstance(value, str):
            raise TypeError(f"header {name!r} must be a string with a string, not {value!r}")
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name) or re.search(r"[\r\n\0]", value):
            raise ValueError(f"header {name!r}: {value!r} cannot be sent; use raw() to break HTTP")
        if name.lower() in _FRAMING:
            raise ValueError(f"header {name!r} is written by the service; use raw() to break HTTP")
        pairs.append((name, value))
    native = NativeAnswer.document(status, pairs, content)
    return Answer(native, f"{status} {_short(content.decode(errors='replace'))}")


def events(items: Sequence[Mapping[str, Any] | str], *, done: bool | None = None) -> Answer:
    """A stream of exactly these events: dicts as JSON, strings put after `data: ` as they are.

    A dict with a `type`, as the events of responses have it, gets that as the name of its event.
    `done` is whether `data: [DONE]` ends the stream; by default it does if the first item is a
    dict without a `type`, which is a chunk of a chat.
    """
    if isinstance(items, (str, bytes, Mapping)):
        raise TypeError("events must be a list of events")
    rendered: list[tuple[str | None, str]] = []
    for index, item in enumerate(map(_plain, items)):
        if isinstance(item, str):
            rendered.append((None, item))
        elif isinstance(item, Mapping):
            name = item.get("type")
            rendered.append((name if isinstance(name, str) else None, _json(item)))
        else:
            raise TypeError(f"event {index} must be a dict or a string, not {item!r}")
    if done is None:
        done = bool(rendered) and isinstance(_plain(items[0]), Mapping) and rendered[0][0] is None
    if done:
        rendered.append((None, "[DONE]"))
    return Answer(NativeAnswer.events(rendered), f"{len(rendered)} events")


def error(
    status: int,
    message: str | None = None,
    *,
    type: str | None = None,
    code: str | None = None,
    param: str | None = None,
    retry_after: float | str | None = None,
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """An error in OpenAI's envelope. `retry_after` is the header of that name: in seconds, or a
    string as it is."""
    if isinstance(status, bool) or not isinstance(status, int) or not 400 <= status <= 599:
        raise ValueError(f"an error has an HTTP status from 400 to 599, not {status!r}")
    usual_type, usual_code = _TYPES.get(
        status, ("server_error" if status >= 500 else "invalid_request_error", None)
    )
    told = {
        "message": f"A scripted error {status}." if message is None else message,
        "type": usual_type if type is None else type,
        "param": param,
        "code": usual_code if code is None else code,
    }
    all_headers = dict(headers or {})
    if retry_after is not None:
        if not isinstance(retry_after, str):
            _check_seconds("retry_after", retry_after)
            retry_after = f"{retry_after:.10g}"
        all_headers["Retry-After"] = retry_after
    answer = document({"error": told}, status=status, headers=all_headers)
    return Answer(answer._native, f"error {status}")


def garbage() -> Answer:
    """What is no JSON, under status 200: a body, or the only event of a stream. For other garbage
    there are `document` with a string, `events` with strings, and `raw`."""
    return Answer(NativeAnswer.garbage(), "garbage")


def raw(data: bytes) -> Answer:
    """Exactly these bytes, status line and headers and all; then the connection is closed."""
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"raw answers are bytes, not {_kind(data)}")
    return Answer(NativeAnswer.raw(bytes(data)), f"{len(data)} raw bytes")


def played() -> Answer:
    """What the played service says to the request. To have faults in it, or a place in a queue."""
    return Answer(NativeAnswer.played(), "played")


@final
@dataclass(frozen=True)
class Request:
    """A request that reached the service."""

    method: str
    """As it was sent."""
    path: str
    """Without the query: `/v1/chat/completions`."""
    query: str
    """What follows the `?`, undecoded; empty if nothing does."""
    headers: dict[str, str] = field(repr=False)  # they hold the key
    """The names in lower case; the values of a repeated one are joined by commas."""
    content: bytes
    """The body as it was sent."""
    connection: int
    """Which connection it came on, counted from 1."""
    at: float
    """When it had arrived, in seconds since the service was started."""

    @property
    def body(self) -> Any:
        """The body read as JSON; None if there is none. ValueError if it is not JSON."""
        if not self.content:
            return None
        try:
            return json.loads(self.content)
        except ValueError as error:
            message = f"the body of {self.method} {self.path} is not JSON: {error}; see content"
            raise ValueError(message) from None


@final
class Service:
    """The service. It runs from here until `close`, or the end of a `with` or `async with`.

    `api_key` is the one that it accepts; `port` 0 takes a free one; `usage` is reported "asked"
    (as real services do: in a streamed chat only where `stream_options` asks for it), "always" or
    "never", and where a script says it; `word_pause` is a wait in
    seconds between the words of every streamed answer; model `limited` takes `rate_limit_calls`
    in each `rate_limit_window` seconds.

    All methods may be called from any thread, and none waits for a client. In a process that was
    forked, `base_url` still leads to the service of the parent, and only the parent can script it
    and look inside.
    """

    __slots__ = ("__weakref__", "_api_key", "_base_url", "_closed", "_native")

    def __init__(
        self,
        *,
        api_key: str = "sk-test",
        port: int = 0,
        usage: str = "asked",
        word_pause: float = 0.0,
        rate_limit_calls: int = 2,
        rate_limit_window: float = 1.0,
    ) -> None:
        """Starts it; it accepts connections when this returns."""
        if not isinstance(api_key, str):
            raise TypeError(f"api_key must be a string, not {_kind(api_key)}")
        if not re.fullmatch(r"[!-~]+", api_key):
            raise ValueError("api_key must be visible ASCII characters: it is sent in a header")
        if not isinstance(port, int) or not 0 <= port <= 65535:
            raise ValueError(f"port must be from 0 to 65535, not {port!r}")
        if usage not in ("asked", "always", "never"):
            raise ValueError(f'usage must be "asked", "always" or "never", not {usage!r}')
        _check_count("rate_limit_calls", rate_limit_calls)
        _check_seconds("word_pause", word_pause)
        _check_seconds("rate_limit_window", rate_limit_window)
        # Its thread inherits the mask: signals are for the threads of the program.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        try:
            self._native = NativeService(
                api_key=api_key,
                port=port,
                usage=usage,
                word_pause=word_pause,
                rate_limit_calls=rate_limit_calls,
                rate_limit_window=rate_limit_window,
            )
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        self._api_key = api_key
        self._base_url = self._native.base_url
        self._closed = False

    @property
    def base_url(self) -> str:
        """Where it is: `http://127.0.0.1:PORT/v1`."""
        return self._base_url

    @property
    def api_key(self) -> str:
        """The key that it accepts."""
        return self._api_key

    @property
    def environment(self) -> dict[str, str]:
        """The variables that lead a program here: for a subprocess, or `monkeypatch.setenv`."""
        names = ("MODELWIRE", "OPENAI")
        urls = {f"{name}_BASE_URL": self._base_url for name in names}
        return urls | {f"{name}_API_KEY": self._api_key for name in names}

    def queue(self, *answers: Scripted) -> None:
        """Lets the next requests take these answers in their order. One that is wrong raises
        TypeError or ValueError, and then none is queued."""
        self._open()
        natives = []
        for index, answer in enumerate(answers):
            try:
                natives.append(_answer(answer)._native)
            except (TypeError, ValueError) as wrong:
                # Not its own class: some of them, as UnicodeEncodeError, take more than a message.
                kind = TypeError if isinstance(wrong, TypeError) else ValueError
                raise kind(f"answer {index}: {wrong}") from None
        self._native.queue(natives)

    def set_default(self, answer: Scripted | None) -> None:
        """Sets what requests are told when no answer is queued; None, as at the start, is what
        the played service says."""
        self._open()
        self._native.answer_otherwise(None if answer is None else _answer(answer)._native)

    @property
    def requests(self) -> list[Request]:
        """All requests in the order in which they arrived, refused ones, too. Readable after
        `close`. The latest 10,000 are kept, and of those at most 256 MiB of bodies."""
        return [_request(*recorded) for recorded in self._native.requests]

    @property
    def last_request(self) -> Request:
        """The latest request. AssertionError if there was none."""
        requests = self.requests
        if not requests:
            raise AssertionError("no request reached the service")
        return requests[-1]

    @property
    def waiting(self) -> int:
        """How many queued answers no request has taken yet."""
        return self._native.waiting

    def assert_all_taken(self) -> None:
        """AssertionError if an answer is still queued: the program asked less than expected."""
        waiting = self.waiting
        if waiting:
            came = len(self.requests)
            raise AssertionError(
                f"{waiting} of the queued answers were not taken; {came} requests came"
            )

    @property
    def metered(self) -> dict[str, dict[str, int]]:
        """What a real service would have on its bill: calls, input_tokens and output_tokens of
        each model."""
        return self._native.metered

    @property
    def open_connections(self) -> int:
        """Connections open now. One that was closed counts until the service noticed."""
        return self._native.open_connections

    def reset(self) -> None:
        """Forgets requests, meters, the counters of models, queued answers and the default."""
        self._open()
        self._native.reset()

    def close(self) -> None:
        """Stops it and closes all its connections, at once. Harmless to repeat."""
        self._closed = True
        self._native.close()

    def _open(self) -> None:
        if self._closed:
            raise RuntimeError("the service is closed: make another one")

    def __enter__(self) -> Service:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    async def __aenter__(self) -> Service:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()  # nothing of it waits for a client, so there is nothing to await

    def __repr__(self) -> str:
        return f"<Service: {self._base_url}{', closed' if self._closed else ''}>"


def _answer(given: Any) -> Answer:
    """The answer that something stands for."""
    given = _plain(given)
    if isinstance(given, Answer):
        return given
    if isinstance(given, str):
        return text(given)
    if isinstance(given, (bytes, bytearray, memoryview)):
        return raw(bytes(given))
    if isinstance(given, int) and not isinstance(given, bool):
        return error(given)
    if isinstance(given, Mapping):
        return document(given)
    if isinstance(given, Sequence):
        items = [_plain(item) for item in given]
        if not items:
            raise ValueError('an empty list could be text or events: say text("") or events([])')
        if all(isinstance(item, str) for item in items):
            return text(items)
        if all(isinstance(item, Mapping) for item in items):
            return events(items)
        kinds = ", ".join(sorted({_kind(item) for item in items}))
        raise TypeError(
            "a list must hold strings (the pieces of one text) or dicts (the events of one "
            f"stream), not {kinds}; several answers are several arguments"
        )
    raise TypeError(
        "an answer is a str, a list of str, a dict, a list of dict, a status, bytes, or what "
        f"text(), error() and their like return, not {_kind(given)}"
    )


def _plain(value: Any) -> Any:
    """An answer object of modelwire or openai-python as the dict that it is."""
    if isinstance(value, (Answer, Mapping, type)) or not callable(getattr(value, "to_dict", None)):
        return value
    return value.to_dict()


def _pieces(name: str, given: str | Sequence[str]) -> list[str]:
    if isinstance(given, str):
        # A word each, with the space that follows it.
        return re.findall(r"\s*\S+\s*", given) or [given] * bool(given)
    if not isinstance(given, Sequence):
        raise TypeError(f"{name} must be a string or a list of strings, not {_kind(given)}")
    for index, piece in enumerate(given):
        if not isinstance(piece, str):
            raise TypeError(f"{name}[{index}] must be a string, not {_kind(piece)}")
    return list(given)


def _request(
    method: str,
    target: str,
    pairs: list[tuple[str, str]],
    content: bytes,
    connection: int,
    at: float,
) -> Request:
    path, _, query = target.partition("?")
    headers: dict[str, str] = {}
    for name, value in pairs:
        name = name.lower()
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return Request(method, path, query, headers, content, connection, at)


def _check_count(name: str, value: int | None) -> None:
    if value is not None and (not isinstance(value, int) or not 0 <= value < 1 << 32):
        raise ValueError(f"{name} must be an integer of at least 0, not {value!r}")


def _check_seconds(name: str, value: float) -> None:
    if not isinstance(value, (int, float)) or not 0 <= value <= 1e9:
        raise ValueError(f"{name} must be a number of seconds, not {value!r}")


def _json(value: Any) -> str:
    return json.dumps(value, allow_nan=False, separators=(",", ":"))


def _short(said: str) -> str:
    return repr(said if len(said) <= 40 else f"{said[:37]}...")


def _kind(value: object) -> str:
    return value.__class__.__name__
