"""The native clients of a client and of its copies: one for each base URL, all with shared sums.
The other changes of a copy, its key and its headers, are set for each of its calls."""

from __future__ import annotations

from modelwire._errors import OpenAIError
from modelwire._native import NativeClient

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeAlias

    from modelwire._answers.record import CallRecord
    from modelwire._key import Secret
    from modelwire._observe import Observer

    _Pairs: TypeAlias = tuple[tuple[str, str], ...]

NATIVE_CLIENTS_MAX = 16
"""So many base URLs keep their connections; the one that was first asked for longest ago goes."""


class Natives:
    """The state that a client shares with its copies: connections, sums, and whether it was
    closed."""

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
        """The observers of the calls of this client, and of its copies."""
        self.on_call: Callable[[CallRecord], object] | None = None
        """The function that is called with the record of each of them."""
        self.teller: Any = None
        """What calls observers and `on_call` in this process, once there is a call for them."""
        self.number = 0
        """The number of this client there."""

    def at(self, base_url: str | None) -> NativeClient:
        """The native client of this base URL. Any thread; it takes no lock, so that a child forked
        at the same time finds nothing locked."""
        if self.is_closed:
            raise OpenAIError("the client was closed", kind="closed", hint="Create a new client.")
        native = self._made.get(base_url)
        if native is None:
            options = {**self.options, "headers": list(self.headers)}
            options.pop("base_urls", None)
            options.pop("balance", None)
            native = NativeClient(base_url, self.key.value, options, self.first)
            native = self._made.setdefault(base_url, native)
            if len(self._made) > NATIVE_CLIENTS_MAX:
                self._made.pop(next(iter([*self._made])), None)
        return native

    def own(self, key: Secret, headers: _Pairs, removed: tuple[str, ...]) -> dict[str, Any]:
        """The options of a call that set this key and these headers."""
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
        """The usage of all calls; taking it resets the totals."""
        if by not in ("model", "key"):
            raise ValueError(f'by is "model" or "key", not {by!r}')
        return self.first.usage(by == "key", take)

    def close(self) -> None:
        """Rejects new calls; those in flight continue."""
        self.is_closed = True
        self._made.clear()

    def __del__(self) -> None:
        # Records of its last calls may be queued.
        if self.__dict__.get("teller") is not None and self.on_call is not None:
            self.teller.keep(self.number, self.on_call)
