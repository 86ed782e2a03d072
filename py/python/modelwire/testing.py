"""A fake inference service to test your programs: offline, fast, exact.

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

It is a real HTTP service on a free port of 127.0.0.1, run by its own thread, so any client of any
library can use it, from sync and async code (`async with` works as well), and from other
processes. Under pytest the fixture `modelwire_service` provides a new one for each test.

**By default it simulates a whole service**: `GET /v1/models`, `POST /v1/chat/completions` and
`POST /v1/responses`, whole and streamed, with authentication, usage, and the errors of real
services. Its models echo the last user message, and each shows one behaviour: `echo`,
`echo-stream-only`, `echo-reasoning`, `echo-tools`, `limited` (429 after two calls in a second),
`recovers` (429 twice, then fine), `forbidden`, `broken` (500), `cut`, `error-in-stream`, `slow`.
Not listed are those that play faults of real servers: `flat-error`, `unended-error`, `no-mark`,
`no-reason`, `late-end`.

**Scripted answers** go to the next requests, regardless of their contents and model.
`Service.queue` takes them as:

| answer | is |
|---|---|
| `"Hello there."`, `text(...)` | the model's output, in the form of the request (see below) |
| `["Hel", "lo"]` | the same, streamed in exactly these pieces |
| `{"object": ...}`, `document(...)` | exactly this JSON |
| `[{...}, {...}]`, `events(...)` | a stream of exactly these events |
| `429`, `error(429, retry_after=1)` | an error in the service's form |
| `garbage()` | invalid JSON: a body, or an event of a stream |
| `b"HTTP/1.1 ..."`, `raw(...)` | exactly these bytes; then the connection is closed |
| `played()` | the answer of the simulated service |

Text becomes a chat or a response, whole or streamed word by word, as the request requires. So a
test need not know which of them the program uses.

**Faults** can be added to any answer: `text("...").stall(2)`, `.slow(0.1)`, `.cut(after=3)`; see
`Answer`. A request with a wrong key, or outside `/v1`, is rejected as by a real service and takes
no scripted answer.

Everything is recorded: see `Service.requests`.
"""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, final

from modelwire._closing import AsyncClosing, Closing
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

# Headers that delimit the body: set by the service or by `raw`.
_FRAMING = ("content-length", "transfer-encoding", "connection")
# OpenAI's error type and code for each status.
_TYPES: dict[int, tuple[str, str | None]] = {
    401: ("invalid_request_error", "invalid_api_key"),
    403: ("permission_error", None),
    404: ("invalid_request_error", "model_not_found"),
    429: ("requests", "rate_limit_exceeded"),
}


@final
class Answer:
    """A scripted answer. Created by the functions of this module; immutable.

    Its methods return a copy with a fault, and can be combined: `text("a b c").slow(0.1)
    .cut(after=2)`. Where they count events, these are the events of a stream as sent: the first
    one of a chat has the role and no text, those of a response begin with `response.created`. An
    answer without streaming has no events; a fault after some events happens halfway through its
    body.
    """

    __slots__ = ("_description", "_native")

    def __init__(self, native: NativeAnswer, description: str) -> None:
        """Not for direct use: see `text`, `document`, `events`, `error`, `raw`, `garbage`."""
        self._native = native
        self._description = description

    def __repr__(self) -> str:
        return f"<Answer: {self._description}>"

    def stall(self, seconds: float | None = None, *, after: int | None = None) -> Answer:
        """Stalls before it begins, or after `after` events: for this many seconds, or, without a
        number, until the client disconnects."""
        if seconds is not None:
            _check_seconds("seconds", seconds)
        _check_count("after", after)
        where = "" if after is None else f" after {after} events"
        how_long = "" if seconds is None else f" for {seconds} s"
        native = self._native.stall(seconds, after)
        return Answer(native, f"{self._description}, stalls{where}{how_long}")

    def slow(self, seconds: float) -> Answer:
        """Waits this many seconds between events of a stream."""
        _check_seconds("seconds", seconds)
        return Answer(self._native.slow(seconds), f"{self._description}, {seconds} s an event")

    def cut(
        self, *, after: int | None = None, after_bytes: int | None = None, reset: bool = False
    ) -> Answer:
        """Closes (or resets) the connection: before it begins, or after `after` events (at the
        latest before the last one), or after `after_bytes` bytes of the body on the wire."""
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
"""The types that are accepted as an answer; the docstring of the module describes each."""


def text(
    pieces: str | Sequence[str] = "",
    *,
    reasoning: str | Sequence[str] = "",
    tool_calls: Sequence[tuple[str, Mapping[str, Any] | str]] = (),
    finish_reason: Literal["stop", "length", "content_filter"] = "stop",
    usage: tuple[int, int] | None = None,
) -> Answer:
    """The model's output, as a chat or a response, whole or streamed, as the request requires.

    A string is streamed word by word, a list in exactly its pieces. `reasoning` becomes the
    `reasoning_content` of chats. `tool_calls` are pairs of a function's name and its arguments (a
    dict, or JSON text as it is). `finish_reason` other than "stop" makes a response incomplete.
    `usage` is input and output tokens; by default words are counted.
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
    """A whole body: a dict or list as JSON, a string or bytes unchanged.

    A `Content-Type` among the headers replaces `application/json`. A streamed request also gets it
    unchanged.
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
    """A stream of exactly these events: dicts as JSON, strings after `data: ` unchanged.

    A dict with a `type`, as in the events of responses, gets this as the name of its event. `done`
    is whether `data: [DONE]` ends the stream; by default it does if the first item is a dict
    without a `type`, which is a chat chunk.
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
    string unchanged."""
    if isinstance(status, bool) or not isinstance(status, int) or not 400 <= status <= 599:
        raise ValueError(f"an error must have an HTTP status from 400 to 599, not {status!r}")
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
    """Invalid JSON with status 200: a body, or the only event of a stream. For other invalid data
    use `document` with a string, `events` with strings, or `raw`."""
    return Answer(NativeAnswer.garbage(), "garbage")


def raw(data: bytes) -> Answer:
    """Exactly these bytes, including status line and headers; then the connection is closed."""
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"raw answers must be bytes, not {_kind(data)}")
    return Answer(NativeAnswer.raw(bytes(data)), f"{len(data)} raw bytes")


def played() -> Answer:
    """The simulated service's answer to the request, to add faults to it or to queue it."""
    return Answer(NativeAnswer.played(), "played")


@final
@dataclass(frozen=True)
class Request:
    """A request that reached the service."""

    method: str
    """The method as sent."""
    path: str
    """Without the query: `/v1/chat/completions`."""
    query: str
    """The text after the `?`, undecoded; empty if there is none."""
    headers: dict[str, str] = field(repr=False)  # they contain the key
    """Header names are in lower case; the values of a repeated one are joined by commas."""
    content: bytes
    """The body as sent."""
    connection: int
    """The number of its connection, from 1."""
    at: float
    """The time of its arrival, in seconds since the service was started."""

    @property
    def body(self) -> Any:
        """The body parsed as JSON; None if there is none. ValueError if it is not JSON."""
        if not self.content:
            return None
        try:
            return json.loads(self.content)
        except ValueError as error:
            message = f"the body of {self.method} {self.path} is not JSON: {error}; see content"
            raise ValueError(message) from None


@final
class Service(Closing, AsyncClosing):
    """The service. It runs from its creation until `close`, or the end of a `with` or `async
    with`.

    `api_key` is the key that it accepts; `port` 0 uses a free one; `usage` is reported "asked" (as
    in real services: in a streamed chat only if `stream_options` requests it), "always" or
    "never", and where a script has it; `word_pause` is the delay in seconds between the words of
    every streamed answer; model `limited` accepts `rate_limit_calls` in each `rate_limit_window`
    seconds. `replay` is a file that `modelwire serve --record` wrote: requests without a script get
    its exchanges, with the recorded pauses or, by `pace` "fast", without.

    All methods may be called from any thread, and none waits for a client. In a forked process,
    `base_url` still leads to the service of the parent, and only the parent can script and inspect
    it.
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
        replay: str | os.PathLike[str] | None = None,
        pace: str = "exact",
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
        if pace not in ("exact", "fast"):
            raise ValueError(f'pace must be "exact" or "fast", not {pace!r}')
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
                replay=None if replay is None else os.fspath(replay),
                is_fast=pace == "fast",
            )
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        self._api_key = api_key
        self._base_url = self._native.base_url
        self._closed = False

    @property
    def base_url(self) -> str:
        """Its base URL: `http://127.0.0.1:PORT/v1`."""
        return self._base_url

    @property
    def api_key(self) -> str:
        """The key that it accepts."""
        return self._api_key

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables that make a program use it: for a subprocess, or
        `monkeypatch.setenv`."""
        names = ("MODELWIRE", "OPENAI")
        urls = {f"{name}_BASE_URL": self._base_url for name in names}
        return urls | {f"{name}_API_KEY": self._api_key for name in names}

    def queue(self, *answers: Scripted) -> None:
        """Queues these answers, in order, for the next requests. An invalid one raises TypeError
        or ValueError, and then none is queued."""
        self._open()
        natives = []
        for index, answer in enumerate(answers):
            try:
                natives.append(_answer(answer)._native)
            except (TypeError, ValueError) as wrong:
                # Not the exception's own class: some, such as UnicodeEncodeError, take more than
                # a message.
                kind = TypeError if isinstance(wrong, TypeError) else ValueError
                raise kind(f"answer {index}: {wrong}") from None
        self._native.queue(natives)

    def set_default(self, answer: Scripted | None) -> None:
        """Sets the answer to requests when none is queued; None, the initial value, is the answer
        of the simulated service."""
        self._open()
        self._native.answer_otherwise(None if answer is None else _answer(answer)._native)

    @property
    def requests(self) -> list[Request]:
        """All requests in order of arrival, including rejected ones. Readable after `close`. The
        latest 10,000 are kept, with at most 256 MiB of bodies."""
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
        """The number of queued answers that no request has taken yet."""
        return self._native.waiting

    def assert_all_taken(self) -> None:
        """AssertionError if an answer is still queued: the program made too few requests."""
        waiting = self.waiting
        if waiting:
            came = len(self.requests)
            raise AssertionError(
                f"{waiting} of the queued answers were not used; {came} requests arrived"
            )

    @property
    def metered(self) -> dict[str, dict[str, int]]:
        """What a real service would bill: calls, input_tokens and output_tokens of each model."""
        return self._native.metered

    @property
    def open_connections(self) -> int:
        """The number of open connections. A closed one counts until the service notices."""
        return self._native.open_connections

    def reset(self) -> None:
        """Clears requests, meters, the counters of models, queued answers and the default."""
        self._open()
        self._native.reset()

    def close(self) -> None:
        """Stops it and closes all its connections at once. Harmless to repeat."""
        self._closed = True
        self._native.close()

    def _open(self) -> None:
        if self._closed:
            raise RuntimeError("the service is closed: create another one")

    def __repr__(self) -> str:
        return f"<Service: {self._base_url}{', closed' if self._closed else ''}>"


def _answer(given: Any) -> Answer:
    """Converts an argument to an answer."""
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
            raise ValueError('an empty list could be text or events: use text("") or events([])')
        if all(isinstance(item, str) for item in items):
            return text(items)
        if all(isinstance(item, Mapping) for item in items):
            return events(items)
        kinds = ", ".join(sorted({_kind(item) for item in items}))
        raise TypeError(
            "a list must hold strings (the pieces of one text) or dicts (the events of one "
            f"stream), not {kinds}; pass several answers as several arguments"
        )
    raise TypeError(
        "an answer is a str, a list of str, a dict, a list of dict, a status, bytes, or what "
        f"text(), error() and their like return, not {_kind(given)}"
    )


def _plain(value: Any) -> Any:
    """An answer object of modelwire or openai-python as a dict."""
    if isinstance(value, (Answer, Mapping, type)) or not callable(getattr(value, "to_dict", None)):
        return value
    return value.to_dict()


def _pieces(name: str, given: str | Sequence[str]) -> list[str]:
    if isinstance(given, str):
        # Each word with the white space around it.
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
