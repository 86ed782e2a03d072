"""What a call told when it had ended, as Python objects. Knows no call: the core wrote the text
that they are read from.

All times are seconds from the start of the call. What is not known is None.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


class _Record:
    """What all of them have."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """All fields as dicts, lists, texts and numbers, as JSON can have them; `start` of a call
        as text in the form of ISO 8601."""
        return {one.name: _plain(getattr(self, one.name)) for one in fields(self)}  # type: ignore[arg-type]

    def __repr__(self) -> str:
        shown = []
        for one in fields(self):  # type: ignore[arg-type]
            value = getattr(self, one.name)
            if isinstance(value, tuple) and value and isinstance(value[0], float):
                value = f"<{len(value)} times>"
            elif isinstance(value, datetime):
                value = value.isoformat()
            elif value is None or value in ((), {}):
                continue
            else:
                value = repr(value)
            shown.append(f"{one.name}={value}")
        return f"{type(self).__name__}({', '.join(shown)})"


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    if isinstance(value, _Record):
        return value.to_dict()
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    return value.isoformat() if isinstance(value, datetime) else value


@dataclass(frozen=True, repr=False)
class AttemptRecord(_Record):
    """One attempt of a call."""

    start: float
    """When it began."""
    address: str | None
    """What it was connected to: the service, or a proxy on the way."""
    reused: bool | None
    """Whether its connection was there before; None where it got none."""
    dns: float | None
    """How long the host's name was looked up, for a connection of its own."""
    connect: float | None
    """How long connecting took, for a connection of its own."""
    tls: float | None
    """How long the TLS handshake took, for a connection of its own."""
    head: float | None
    """When the head of its answer was complete."""
    first_byte: float | None
    """When the first byte of its body came."""
    end: float
    """When it ended."""
    status: int | None
    """The status of its answer."""
    kind: str | None
    """What it failed with, as the `kind` of an error."""


@dataclass(frozen=True, repr=False)
class WaitRecord(_Record):
    """A time in which a call could not go on."""

    reason: str
    """What for: "retry", the time before another attempt; "connection", one of those that there may
    be; "turn", behind other calls of an adaptive client; "reuse", a moment in which the service may
    close the connection."""
    start: float
    """When it began."""
    length: float
    """How long it took."""


@dataclass(frozen=True, repr=False)
class CallUsage(_Record):
    """The tokens of a call, as far as the service told them."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    cached_input_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None
    audio_input_tokens: int | None = None
    audio_output_tokens: int | None = None


@dataclass(frozen=True, repr=False)
class CallRecord(_Record):
    """What a call told when it had ended, whichever way it ended. Never the key."""

    start: datetime
    """When the call was started, in UTC."""
    operation: str
    """What was called: "models", "chat" or "responses"."""
    path: str
    """The path of the request, without host and query."""
    model: str | None
    """The model that was asked for."""
    streamed: bool
    """Whether the program asked for a stream."""
    attempts: tuple[AttemptRecord, ...]
    """The attempts in their order, the last 32."""
    attempts_count: int
    """How many attempts there were; 0 where nothing was sent."""
    waits: tuple[WaitRecord, ...]
    """What the call waited for, the last 32."""
    waits_count: int
    """How many waits there were."""
    first_chunk: float | None
    """When the first chunk of a stream was read."""
    last_chunk: float | None
    """When the last one was."""
    chunks: int
    """How many chunks came."""
    chunk_times: tuple[float, ...]
    """When each chunk was read; empty unless that was asked for."""
    elapsed: float
    """How long all of it took."""
    kind: str | None
    """What it failed with, as the `kind` of an error; None for a good answer."""
    status: int | None
    """The HTTP status of the answer, where one came."""
    request_id: str | None
    """The service's name for the exchange."""
    response_id: str | None
    """The `id` of the answer."""
    response_model: str | None
    """The model that answered, as it calls itself."""
    finish_reason: str | None
    """Why the first choice of a chat stopped, or the `status` of a response."""
    usage: CallUsage | None
    """The tokens that the service reported, also before a failure."""
    metered: str
    """Whether the call may have been metered: not_sent, normally_not, entered, unknown."""
    bytes_out: int
    """Bytes of the bodies that were sent, over all attempts."""
    bytes_in: int
    """Bytes of the bodies that were read, over all attempts, as they came."""
    cancelled_by: str | None
    """Who ended the call before its end: "program", "dropped", "closed" or "shutdown"."""

    @classmethod
    def _of_json(cls, text: str) -> CallRecord:
        """What the core wrote; it is read when somebody looks."""
        made = object.__new__(cls)
        made.__dict__[_TEXT] = text
        return made

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            # No field is there as long as the text is. Of two threads that look both may read it.
            text = self.__dict__.get(_TEXT)
            if text is not None and name in _NAMES:
                self.__dict__.update(_read(text))
                self.__dict__.pop(_TEXT, None)
            if name in self.__dict__:
                return self.__dict__[name]
            raise AttributeError(f"a CallRecord has no field {name!r}")

    @classmethod
    def _of_unsent(cls, *, start: float, **told: Any) -> CallRecord:
        """Of a call that the core never had."""
        plain: dict[str, Any] = dict.fromkeys(one.name for one in fields(cls))
        plain.update(
            start=_EPOCH + timedelta(seconds=start),
            attempts=(),
            attempts_count=0,
            waits=(),
            waits_count=0,
            chunks=0,
            chunk_times=(),
            metered="not_sent",
            bytes_out=0,
            bytes_in=0,
        )
        return cls(**{**plain, **told})


_TEXT = "_json"
_NAMES = frozenset(one.name for one in fields(CallRecord))
_OF_USAGE = frozenset(one.name for one in fields(CallUsage))


def _read(text: str) -> dict[str, Any]:
    """The fields of a record by their names."""
    told = json.loads(text)
    start = _EPOCH + timedelta(milliseconds=told.pop("start_unix_ms"))
    attempts = tuple([_part(AttemptRecord, one) for one in told["attempts"]])
    waits = tuple([_part(WaitRecord, one) for one in told["waits"]])
    usage = told["usage"]
    if usage is not None:
        usage = CallUsage(**{name: usage[name] for name in usage if name in _OF_USAGE})
    found = _in_seconds(told)
    found.update(start=start, attempts=attempts, waits=waits, usage=usage)
    return found


def _part(kind: type[Any], told: dict[str, Any]) -> Any:
    made = object.__new__(kind)  # past the constructor of a frozen class, which is slow
    made.__dict__.update(_in_seconds(told))
    return made


def _in_seconds(told: dict[str, Any]) -> dict[str, Any]:
    """Times under the names that they have here."""
    found = {}
    for name, value in told.items():
        if name.endswith("_us"):
            name = name[:-3]
            if isinstance(value, list):
                value = tuple(one / 1e6 for one in value)
            elif value is not None:
                value = value / 1e6
        found[name] = value
    return found
