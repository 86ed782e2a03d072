"""Arguments besides the request itself: omitted arguments, timeouts, retries, limits."""

from __future__ import annotations

# True for type checkers; importing typing would cost more than all the rest.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, ClassVar

    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_said):
        """For type checkers only: declares the constructors of such classes."""
        return lambda made: made


_registered: dict[type, type] = {}
"""openai-python's classes of marks for ours, once its classes are registered."""


class _Kind(type):
    """The class of the classes of marks: for `isinstance`, openai-python's marks of the same name
    are instances as well."""

    def __instancecheck__(cls, value: object) -> bool:
        kind = type(value)
        return issubclass(kind, cls) or (kind.__name__ == cls.__name__ and _is_openais(kind))


class _Mark(metaclass=_Kind):
    """The base of both marks."""

    if not TYPE_CHECKING:
        # The reported class.
        __class__ = property(lambda self: _registered.get(type(self), type(self)))

    def __bool__(self) -> bool:
        return False

    def __reduce__(self) -> tuple[type, tuple[()]]:
        return type(self), ()


class NotGiven(_Mark):
    """The type of NOT_GIVEN: an omitted argument, where None has a meaning."""

    def __repr__(self) -> str:
        return "NOT_GIVEN"


class Omit(_Mark):
    """The type of omit: like NOT_GIVEN; as the value of a header it removes a default header."""

    def __repr__(self) -> str:
        return "omit"


NOT_GIVEN = NotGiven()
"""An omitted argument; it is not sent, while None is sent as null."""

not_given = NOT_GIVEN
"""The same as NOT_GIVEN, under its newer name."""

omit = Omit()
"""The same for a single call: omits this argument or this default header."""

MAX_RETRIES = 3
"""Retries after status 429: the service's reference policy."""


def is_given(value: object) -> bool:
    """Whether an argument was passed at all. openai-python's marks also count: programs that were
    written for it pass those."""
    kind = type(value)
    if kind is NotGiven or kind is Omit:
        return False
    return not (kind.__name__ in ("NotGiven", "Omit") and _is_openais(kind))


def _is_openais(kind: type) -> bool:
    return kind.__module__.partition(".")[0] == "openai"


def register(openai: Any) -> None:
    """Makes both marks instances of openai-python's classes as well."""
    for kind in (NotGiven, Omit):
        theirs = getattr(openai, kind.__name__, None)
        if isinstance(theirs, type) and theirs is not kind:
            _registered[kind] = theirs


def refuse(given: dict[str, Any], reasons: Mapping[str, str]) -> None:
    """Takes out the arguments that openai-python has and that have no meaning here. A TypeError
    with the reason if one has a value."""
    for name, why in reasons.items():
        value = given.pop(name, None)
        if value is not None and is_given(value):
            raise TypeError(f"{name} is not supported: {why}")


def wrong_type(name: str, takes: str, value: object) -> TypeError:
    """The error for a value of a wrong type. It does not show the value, which may be a key."""
    return TypeError(f"{name} takes {takes}, not {type(value).__name__}")


def as_dict(name: str, value: Any) -> dict[Any, Any]:
    """A mapping that was given as this option; empty for None."""
    try:
        return dict(value or ())
    except (TypeError, ValueError):
        raise wrong_type(name, "a dict", value) from None


def as_list(name: str, takes: str, value: Any) -> list[Any]:
    """The values that were given as this option."""
    if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
        raise wrong_type(name, takes, value)
    return list(value)


@dataclass_transform(kw_only_default=True)
class _Fields(type):
    """Makes the annotated names of a class its slots, and the keyword arguments of its constructor
    if it has none: like dataclasses, whose import would take too long."""

    def __new__(meta, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> _Fields:
        fields = dict(body.get("__annotations__", {}))
        for field in fields:
            body.pop(field, None)
        body["__slots__"] = tuple(fields)
        if fields and "__init__" not in body:
            arguments = ", ".join(f"{field}=NOT_GIVEN" for field in fields)
            lines = "".join(f"\n    self.{field} = {field}" for field in fields)
            made: dict[str, Any] = {"NOT_GIVEN": NOT_GIVEN}
            exec(f"def __init__(self, *, {arguments}):{lines}", made)
            made["__init__"].__annotations__ = {**fields, "return": "None"}
            made["__init__"].__module__ = __name__
            made["__init__"].__qualname__ = f"{name}.__init__"
            body["__init__"] = made["__init__"]
        return super().__new__(meta, name, bases, body)


class _Options(metaclass=_Fields):
    """Named values, each of which may be omitted."""

    if TYPE_CHECKING:
        __slots__: ClassVar[tuple[str, ...]]

    def _given(self) -> dict[str, Any]:
        values = {name: getattr(self, name) for name in self.__slots__}
        return {name: value for name, value in values.items() if is_given(value)}

    def __repr__(self) -> str:
        from reprlib import repr as short  # six items of a list of a hundred statuses are enough

        given = (f"{name}={short(value)}" for name, value in self._given().items())
        return f"{type(self).__name__}({', '.join(given)})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._given() == other._given()

    __hash__ = None  # type: ignore[assignment]


class Timeout(_Options):
    """The timeouts in seconds; None disables one.

    pool: the wait for a connection while Limits.connections_max are in use, and for the call's turn
        with Retry(adaptive=True) (off)
    connect: the time to open a connection, including TLS (10 s by default); for clients only
    first_byte: from the start of an attempt until the response headers are complete; despite its
        name, not until the first byte of the body (600 s)
    first_content: from the start of an attempt until the first content of its answer: text,
        reasoning or a tool call, not headers, pings, roles or empty deltas (off)
    idle: the longest pause in the content of an answer's body; pings (SSE comments, blank
        lines) do not count (300 s)
    total: the longest time for all attempts and the delays between them (off)
    pings_reset_idle: whether pings also reset the idle timeout (False), as they do with
        openai-python's read timeout; a service that hangs may send them forever

    The positional argument sets connect, first_byte and idle. Of httpx.Timeout's names, read
    sets first_byte and idle; write is accepted but has no meaning here: first_byte covers it.
    """

    pool: float | None | NotGiven = NOT_GIVEN
    connect: float | None | NotGiven = NOT_GIVEN
    first_byte: float | None | NotGiven = NOT_GIVEN
    first_content: float | None | NotGiven = NOT_GIVEN
    idle: float | None | NotGiven = NOT_GIVEN
    total: float | None | NotGiven = NOT_GIVEN
    pings_reset_idle: bool | NotGiven = NOT_GIVEN

    def __init__(
        self,
        timeout: float | None | NotGiven = NOT_GIVEN,
        *,
        connect: float | None | NotGiven = NOT_GIVEN,
        first_byte: float | None | NotGiven = NOT_GIVEN,
        first_content: float | None | NotGiven = NOT_GIVEN,
        idle: float | None | NotGiven = NOT_GIVEN,
        total: float | None | NotGiven = NOT_GIVEN,
        read: float | None | NotGiven = NOT_GIVEN,
        write: float | None | NotGiven = NOT_GIVEN,
        pool: float | None | NotGiven = NOT_GIVEN,
        pings_reset_idle: bool | NotGiven = NOT_GIVEN,
    ) -> None:
        general = timeout if is_given(timeout) else NOT_GIVEN
        reading = read if is_given(read) else general
        self.pool = pool
        self.connect = connect if is_given(connect) else general
        self.first_byte = first_byte if is_given(first_byte) else reading
        self.first_content = first_content
        self.idle = idle if is_given(idle) else reading
        self.total = total
        self.pings_reset_idle = pings_reset_idle


class Retry(_Options):
    """When and how often a call is retried. The default is the service's reference policy: only
    status 429, at most 3 retries, after 0.5, 1 and 2 s, each delay raised to a longer Retry-After.

    max_retries: the maximum number of retries of one call
    first_wait: the initial backoff: seconds before the first retry; doubled for each further one
    wait_max: the maximum backoff: the maximum of the doubled delay, in seconds (8)
    statuses: the HTTP statuses to retry
    connect_errors: whether to retry a call of which nothing was sent: the connection could
        not be opened, or was closed before, or an HTTP/2 service rejected it unprocessed
    lost_connections: whether to retry a call whose connection was lost after some of it
        was sent and before an answer; the service may have processed it, and it may then be billed
        twice
    first_byte_timeouts: whether to retry a call whose answer did not begin within the
        first_byte timeout; the service may have processed it, and it may then be billed twice
    before_content: whether to retry a call whose answer failed after it began and before any of
        its content reached the program (an error in the stream, silence, an empty or truncated
        body), or within the first_content timeout; the failed attempt may be billed in addition
    jitter: the largest random addition to a delay, as a fraction from 0 to 1 (0.25)
    retry_after_max: the longest Retry-After that a call waits for, in seconds; beyond it the error
        is raised at once
    retry_after_exact: whether a Retry-After replaces the delay even if it is shorter
        (False: both are minimums)
    adaptive: whether the calls of a client slow down together when the service answers too many
        of them with a retried status (False): fewer calls in flight, at the rate that the service
        was observed to accept, and more again after some seconds without rate limiting. For many
        concurrent calls to a service whose limits are unknown. A client begins with 8 calls in
        flight and needs some round trips to reach many; each client and each process adapts
        on its own
    """

    max_retries: int | NotGiven = NOT_GIVEN
    first_wait: float | NotGiven = NOT_GIVEN
    wait_max: float | NotGiven = NOT_GIVEN
    statuses: Iterable[int] | NotGiven = NOT_GIVEN
    connect_errors: bool | NotGiven = NOT_GIVEN
    lost_connections: bool | NotGiven = NOT_GIVEN
    first_byte_timeouts: bool | NotGiven = NOT_GIVEN
    before_content: bool | NotGiven = NOT_GIVEN
    jitter: float | NotGiven = NOT_GIVEN
    retry_after_max: float | NotGiven = NOT_GIVEN
    retry_after_exact: bool | NotGiven = NOT_GIVEN
    adaptive: bool | NotGiven = NOT_GIVEN

    @classmethod
    def openai(cls, *, max_retries: int = 2, **parts: Any) -> Retry:
        """openai-python's policy: 2 retries of the statuses 408, 409, 429 and 5xx, of connections
        that were not opened or lost before an answer, and of answers that did not begin in time;
        after 0.5 s, doubled up to 8 s, or what the service asks for. What was sent is sent again:
        a call may be processed and billed more than once. Any part can be overridden."""
        policy = {
            "statuses": (408, 409, 429, *range(500, 600)),
            "connect_errors": True,
            "lost_connections": True,
            "first_byte_timeouts": True,
            "retry_after_exact": True,
        }
        return cls(**{"max_retries": max_retries, **policy, **parts})


class Limits(_Options):
    """The limits of a client; an error names the limit that caused it.

    event_bytes_max: the largest server-sent event (16 MiB by default)
    response_bytes_max: the largest answer kept in memory (256 MiB)
    error_body_bytes_max: the part of a failed answer's body that is kept (64 KiB)
    headers_max: the maximum number of headers of an answer (100)
    queue_bytes_max, queue_events_max: what may be queued for a slow consumer (256 KiB, 1024)
    connections_max: the maximum number of connections in use (1000, and never more than 3/8 of the
        process's descriptors); further calls wait in order
    idle_connections_max: idle connections kept for later calls (1000, and never more than 1/16
        of the descriptors)
    idle_connection_ms_max: how long these are kept, in milliseconds (4000, because many servers
        close theirs after 5 s)

    Of httpx.Limits' names, max_connections is connections_max, max_keepalive_connections is
    idle_connections_max, and keepalive_expiry is idle_connection_ms_max in seconds; None leaves the
    default.
    """

    event_bytes_max: int | NotGiven = NOT_GIVEN
    response_bytes_max: int | NotGiven = NOT_GIVEN
    error_body_bytes_max: int | NotGiven = NOT_GIVEN
    headers_max: int | NotGiven = NOT_GIVEN
    queue_bytes_max: int | NotGiven = NOT_GIVEN
    queue_events_max: int | NotGiven = NOT_GIVEN
    connections_max: int | NotGiven = NOT_GIVEN
    idle_connections_max: int | NotGiven = NOT_GIVEN
    idle_connection_ms_max: int | NotGiven = NOT_GIVEN

    def __init__(
        self,
        *,
        event_bytes_max: int | NotGiven = NOT_GIVEN,
        response_bytes_max: int | NotGiven = NOT_GIVEN,
        error_body_bytes_max: int | NotGiven = NOT_GIVEN,
        headers_max: int | NotGiven = NOT_GIVEN,
        queue_bytes_max: int | NotGiven = NOT_GIVEN,
        queue_events_max: int | NotGiven = NOT_GIVEN,
        connections_max: int | NotGiven = NOT_GIVEN,
        idle_connections_max: int | NotGiven = NOT_GIVEN,
        idle_connection_ms_max: int | NotGiven = NOT_GIVEN,
        max_connections: int | None | NotGiven = NOT_GIVEN,
        max_keepalive_connections: int | None | NotGiven = NOT_GIVEN,
        keepalive_expiry: float | None | NotGiven = NOT_GIVEN,
    ) -> None:
        self.event_bytes_max = event_bytes_max
        self.response_bytes_max = response_bytes_max
        self.error_body_bytes_max = error_body_bytes_max
        self.headers_max = headers_max
        self.queue_bytes_max = queue_bytes_max
        self.queue_events_max = queue_events_max
        self.connections_max = connections_max
        self.idle_connections_max = idle_connections_max
        self.idle_connection_ms_max = idle_connection_ms_max
        self._also("connections_max", "max_connections", max_connections)
        self._also("idle_connections_max", "max_keepalive_connections", max_keepalive_connections)
        expiry: Any = keepalive_expiry
        if is_given(expiry) and expiry is not None:
            expiry = max(1, round(expiry * 1000))
        self._also("idle_connection_ms_max", "keepalive_expiry", expiry)
        if max_keepalive_connections == 0 and not is_given(self.idle_connection_ms_max):
            self.idle_connections_max = self.idle_connection_ms_max = 1  # no reuse

    def _also(self, name: str, alias: str, value: Any) -> None:
        """Sets a limit that was given by its other name."""
        if not is_given(value):
            return
        if is_given(getattr(self, name)):
            raise TypeError(f"{name} and {alias} are the same limit: give one of them")
        setattr(self, name, NOT_GIVEN if value is None else value)


def seconds(timeout: Any) -> dict[str, float | None]:
    """The timeouts that were set, by name. A number limits every wait of the call; an
    httpx.Timeout is converted as far as possible."""
    if not is_given(timeout):
        return {}
    if timeout is None or isinstance(timeout, (int, float)):
        if timeout is not None and not timeout > 0:
            raise ValueError(
                f"timeout takes seconds above 0, not {timeout!r}; None disables timeouts"
            )
        return dict.fromkeys(("connect", "first_byte", "idle"), timeout)
    if isinstance(timeout, Timeout):
        return timeout._given()
    if hasattr(timeout, "connect") and hasattr(timeout, "read"):
        times = {"connect": timeout.connect, "first_byte": timeout.read, "idle": timeout.read}
        return {**times, "pool": getattr(timeout, "pool", None)}
    raise wrong_type("timeout", "seconds, None or modelwire.Timeout", timeout)


HTTPX_KEEPALIVE_EXPIRY = 5.0
"""httpx's default: it means that nothing was chosen, and servers close their connections then."""


def bounds(limits: Any) -> dict[str, int]:
    """The limits that were set, by name; an httpx.Limits is converted."""
    if isinstance(limits, Limits):
        return limits._given()
    names = ("max_connections", "max_keepalive_connections", "keepalive_expiry")
    if not all(hasattr(limits, name) for name in names):
        raise wrong_type("limits", "modelwire.Limits", limits)
    given = {name: getattr(limits, name) for name in names}
    if given["keepalive_expiry"] == HTTPX_KEEPALIVE_EXPIRY:
        del given["keepalive_expiry"]
    return Limits(**given)._given()
