"""The native clients of a client and of its copies: one for each base URL, all counting in one sum.
What else a copy changes, its key and its headers, is set for each of its calls. Knows no call."""

from __future__ import annotations

from modelwire._errors import OpenAIError, RequestError
from modelwire._given import is_given
from modelwire._native import NativeClient

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NoReturn, TypeAlias

    from modelwire._calls import Listener
    from modelwire._observe import Observer

    _Pairs: TypeAlias = tuple[tuple[str, str], ...]

NATIVE_CLIENTS_MAX = 16
"""So many base URLs keep their connections; the one that was first asked for longest ago goes."""


observers: list[Observer] = []
"""Those who are told of the calls of all clients in this process. They stand here so that
nothing is imported where there are none."""


class Secret:
    """A key that shows itself to nobody who does not ask for it."""

    __slots__ = ("value",)

    def __init__(self, value: str | None) -> None:
        self.value = value

    def __repr__(self) -> str:
        return "[key]" if self.value else "None"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a key is not pickled")


def checked(name: Any, value: Any) -> tuple[str, Any]:
    """A header that can be sent or, where nothing is given, left out."""
    if not isinstance(name, str):
        raise TypeError(f"the name of a header is a str, not {name!r}")
    if is_given(value) and not isinstance(value, str):
        raise TypeError(
            f"header {name} takes a str, not {type(value).__name__}; modelwire.omit leaves it out"
        )
    return name, value


def without_key(headers: dict[str, Any], is_call: bool) -> tuple[dict[str, Any], Secret | None]:
    """Headers without the one that has the key, and the key in it: so programs replace it."""
    for name, value in headers.items():
        if not isinstance(name, str) or name.lower() != "authorization" or not is_given(value):
            continue
        scheme, _, key = checked(name, value)[1].strip().partition(" ")
        if scheme.lower() != "bearer" or not key.strip():
            raise (RequestError if is_call else OpenAIError)(
                f"header {name} cannot be set to anything but a key",
                kind="argument" if is_call else "config",
                hint='Give the key as api_key or with_options(api_key=...), or as "Bearer <key>".',
            )
        return {one: headers[one] for one in headers if one != name}, Secret(key.strip())
    return headers, None


class Natives:
    """What a client shares with its copies: connections, sums, and whether it was closed."""

    def __init__(
        self, options: dict[str, Any], base_url: str | None, key: Secret, headers: _Pairs
    ) -> None:
        self.options = options
        self.key = key
        self.headers = headers
        self.is_closed = False
        self.first: NativeClient = NativeClient(
            base_url, key.value, {**options, "headers": list(headers)}
        )
        """The first one, in whose sums all count."""
        self._made = {base_url: self.first}
        self.observers: Sequence[Observer] = ()
        """Those who are told of the calls of this client, and of its copies."""
        self.listener: Listener | None = None
        """What is told of their ends: `on_call`."""
        self.teller: Any = None
        """Who tells them in this process, once somebody is to be told."""
        self.number = 0
        """By which the teller knows this client."""

    def at(self, base_url: str | None) -> NativeClient:
        """The native client of this base URL. Any thread; nothing is locked, so that a child that
        is forked meanwhile finds nothing locked."""
        if self.is_closed:
            raise OpenAIError("the client was closed", kind="closed", hint="Make a new one.")
        if self.listener is not None:
            self.listener.follow(self)
        native = self._made.get(base_url)
        if native is None:
            options = {**self.options, "headers": list(self.headers)}
            native = NativeClient(base_url, self.key.value, options, self.first)
            native = self._made.setdefault(base_url, native)
            if len(self._made) > NATIVE_CLIENTS_MAX:
                self._made.pop(next(iter([*self._made])), None)
        return native

    def own(self, key: Secret, headers: _Pairs, removed: tuple[str, ...]) -> dict[str, Any]:
        """What a call sets for itself so that it goes with this key and these headers."""
        own: dict[str, Any] = {}
        if key.value != self.key.value:
            own["api_key"] = key
        if headers is not self.headers or removed:
            kept = {name.lower() for name, _ in headers}
            more = [pair for pair in headers if pair not in self.headers]
            gone = [name for name, _ in self.headers if name.lower() not in kept]
            if more:
                own["headers"] = more
            if gone or removed:
                own["without_headers"] = [*gone, *removed]
        return own

    def usage(self, by: str, take: bool) -> dict[str, Any]:
        """What all calls used; whoever takes it lets the sums begin anew."""
        if by not in ("model", "key"):
            raise ValueError(f'by is "model" or "key", not {by!r}')
        return self.first.usage(by == "key", take)

    def close(self) -> None:
        """No further call; what is under way goes on."""
        self.is_closed = True
        self._made.clear()

    def __del__(self) -> None:
        # A stream may go on without its client; its end is told still. The function that is told
        # may hold the client: what this held goes now, so that both go once the last call ended.
        if self.__dict__.get("listener") is not None and self.teller is not None:
            self.teller.park(self)  # before: that they are gone is told once, to whom it is parked
            self.close()
            del self.first
