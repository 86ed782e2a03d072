"""The engine of a bulk job with the connections of a client."""

from __future__ import annotations

import atexit
import signal
import sys
from typing import TYPE_CHECKING, Any

from modelwire._native import NativeBulk, bulk_end_all
from modelwire._options import NOT_GIVEN
from modelwire._parameters import Call

if TYPE_CHECKING:
    from collections.abc import Callable

    from modelwire._client import BaseClient
    from modelwire._key import Secret
    from modelwire._native import NativeBudget
    from modelwire._options import NotGiven, Timeout

TAKEN_MAX = 256
"""So many outcomes become Python's objects in one go."""

CLOSE_SECONDS = 10.0
"""How long the end of a job waits for what was on its way to be ended; with an output, to come
in."""

COUNT_MAX = 2**31 - 1
"""A larger number of attempts, or of requests at once, is no other limit than this one."""


PATIENCE_MAX = 31 * 24 * 3600
"""Seconds: a month, as in the command."""


def begin(
    client: BaseClient,
    key: Secret | None,
    limits: dict[str, Any],
    output: tuple[str, bool, bool, str | None] | None = None,
    budget: NativeBudget | None = None,
    copied: tuple[bool, list[str]] | None = None,
    timeout: float | Timeout | None | NotGiven = NOT_GIVEN,
) -> NativeBulk:
    """An engine whose requests are like this client's, except for retries."""
    call = Call({"extra_headers": None, "extra_query": None, "timeout": timeout})
    native, options = client._prepare(call, key)
    if key is not None and client._key_of_each_call is not None:
        limits = {**limits, "renew_key": _renewal(client._key_of_each_call, key)}
    if client._natives.on_call is not None:
        from modelwire._calls import follow

        follow(client._natives)
    if output is not None:
        atexit.unregister(_end_all)
        atexit.register(_end_all)
    if sys.platform == "win32":  # no signal interrupts a thread there
        return NativeBulk(native, limits, options or {}, output, budget, copied)
    # Its thread inherits the mask: signals are for the threads of the program.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        return NativeBulk(native, limits, options or {}, output, budget, copied)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _renewal(function: Callable[[], Any], first: Secret) -> Callable[[], str | None]:
    """Asks the function for another key after a 401; None if it returns the same, or is awaited."""
    last = first.value

    def renew() -> str | None:
        nonlocal last
        key = function()
        if hasattr(key, "close"):
            key.close()  # a coroutine, which no event loop can run here
        if not isinstance(key, str) or key == last:
            return None
        last = key
        return key

    return renew


def _end_all() -> None:
    """At the end of the program: keeps rows in flight, which are already metered."""
    bulk_end_all(CLOSE_SECONDS)


def limits_of(
    max_concurrency: int | None,
    rpm: float | None,
    tpm: float | None,
    attempts: int | None,
    may_pay_twice: bool,
    patience: float | None = None,
) -> dict[str, Any]:
    """The options of the engine that are set, by name."""
    limits: dict[str, Any] = {"may_pay_twice": may_pay_twice}
    if patience is not None:
        is_number = isinstance(patience, (int, float)) and not isinstance(patience, bool)
        if not is_number or not 0 <= patience <= PATIENCE_MAX:
            raise ValueError(
                f"patience is {patience!r}; it must be seconds, from 0 to {PATIENCE_MAX}"
            )
        limits["patience"] = patience
    for name, value in (
        ("max_concurrency", max_concurrency),
        ("rpm", rpm),
        ("tpm", tpm),
        ("attempts", attempts),
    ):
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
            raise ValueError(f"{name} is {value!r}; it must be above 0, or None for no limit")
        if name in ("max_concurrency", "attempts"):
            if not isinstance(value, int):
                raise ValueError(f"{name} is {value!r}; it must be a whole number")
            value = min(value, COUNT_MAX)
        limits[name] = value
    return limits
