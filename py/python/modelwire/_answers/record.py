"""The record of a call that has ended, as Python objects.

All times are seconds from the start of the call. Unknown values are None.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from modelwire._answers.usage import Usage

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


class _Record:
    """The base of all records."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON-compatible dicts, lists, strings and numbers; `start` of a call is a
        string in ISO 8601 format."""
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
    base_url: str | None
    """The base URL to which it was sent, if the client has several."""
    address: str | None
    """The peer of the connection: the service, or a proxy."""
    reused: bool | None
    """Whether it reused a connection; None if it got none."""
    dns: float | None
    """The time of the DNS lookup, for a new connection."""
    connect: float | None
    """The time to connect, for a new connection."""
    tls: float | None
    """The time of the TLS handshake, for a new connection."""
    head: float | None
    """When the response headers were complete."""
    first_byte: float | None
    """When the first byte of its body arrived."""
    end: float
    """When it ended."""
    status: int | None
    """The status of its answer."""
    kind: str | None
    """The `kind` of its error."""


@dataclass(frozen=True, repr=False)
class WaitRecord(_Record):
    """A period in which a call had to wait."""

    reason: str
    """The reason: "retry", the delay before another attempt; "connection", for a free connection;
    "turn", behind other calls of an adaptive client; "reuse", a short time in which the service
    may close the connection."""
    start: float
    """When it began."""
    length: float
    """How long it took."""


@dataclass(frozen=True, repr=False)
class CallRecord(_Record):
    """The record of a call that has ended, with or without success. It never contains the key."""

    start: datetime
    """When the call was started, in UTC."""
    operation: str
    """The operation: "models", "chat" or "responses"."""
    path: str
    """The path of the request, without host and query."""
    model: str | None
    """The requested model."""
    streamed: bool
    """Whether the program requested a stream."""
    attempts: tuple[AttemptRecord, ...]
    """The last 32 attempts, in order."""
    attempts_count: int
    """The number of attempts, also of those that could not connect; 0 if none began."""
    waits: tuple[WaitRecord, ...]
    """The last 32 waits of the call."""
    waits_count: int
    """The number of waits."""
    first_chunk: float | None
    """When the first chunk of a stream was read."""
    last_chunk: float | None
    """When the last chunk was read."""
    chunks: int
    """The number of chunks."""
    chunk_times: tuple[float, ...]
    """When each chunk was read; empty unless requested."""
    consumer_wait: float
    """How long a stream was not read any further because its queue was full."""
    elapsed: float
    """The duration of the call."""
    bottleneck: str | None
    """Where most of the time went, or where it failed: "queue", "retry", "dns", "connect",
    "proxy", "tls", "service", "stream" or "consumer"."""
    kind: str | None
    """The `kind` of its error; None after success."""
    status: int | None
    """The HTTP status of the answer, if one arrived."""
    request_id: str | None
    """The service's identifier of the request."""
    response_id: str | None
    """The `id` of the answer."""
    response_model: str | None
    """The model that answered, as the service names it."""
    finish_reason: str | None
    """Why the first choice of a chat stopped, or the `status` of a response."""
    usage: Usage | None = field(hash=False)
    """The tokens that the service reported, even before a failure."""
    metered: str
    """Whether the call may have been metered: not_sent, normally_not, entered, unknown."""
    bytes_out: int
    """The bytes of the sent bodies, over all attempts."""
    bytes_in: int
    """The bytes of the received bodies, over all attempts, as transferred."""
    cancelled_by: str | None
    """Who ended the call early: "program", "dropped", "closed" or "shutdown"."""

    @classmethod
    def _of_json(cls, text: str) -> CallRecord:
        """From the core's JSON, which is parsed on demand."""
        made = object.__new__(cls)
        made.__dict__[_TEXT] = text
        return made

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            # No field is set while the text is unparsed. Two threads may both parse it.
            text = self.__dict__.get(_TEXT)
            if text is not None and name in _NAMES:
                self.__dict__.update(_read(text))
                self.__dict__.pop(_TEXT, None)
            if name in self.__dict__:
                return self.__dict__[name]
            raise AttributeError(f"a CallRecord has no field {name!r}")

    @classmethod
    def _of_unsent(cls, *, start: float, **told: Any) -> CallRecord:
        """The record of a call that the core never had."""
        plain: dict[str, Any] = dict.fromkeys(one.name for one in fields(cls))
        plain.update(
            start=_EPOCH + timedelta(seconds=start),
            attempts=(),
            attempts_count=0,
            waits=(),
            waits_count=0,
            chunks=0,
            chunk_times=(),
            consumer_wait=0.0,
            metered="not_sent",
            bytes_out=0,
            bytes_in=0,
        )
        return cls(**{**plain, **told})


_TEXT = "_json"
_NAMES = frozenset(one.name for one in fields(CallRecord))


def _read(text: str) -> dict[str, Any]:
    """The fields of a record by name."""
    told = json.loads(text)
    start = _EPOCH + timedelta(milliseconds=told.pop("start_unix_ms"))
    attempts = tuple([_part(AttemptRecord, one) for one in told["attempts"]])
    waits = tuple([_part(WaitRecord, one) for one in told["waits"]])
    usage = told["usage"]
    if usage is not None:
        usage = Usage(usage)
    found = _in_seconds(told)
    found.update(start=start, attempts=attempts, waits=waits, usage=usage)
    return found


def _part(kind: type[Any], told: dict[str, Any]) -> Any:
    made = object.__new__(kind)  # bypasses the constructor of a frozen class, which is slow
    made.__dict__.update(_in_seconds(told))
    return made


def _in_seconds(told: dict[str, Any]) -> dict[str, Any]:
    """Times under their names here."""
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
