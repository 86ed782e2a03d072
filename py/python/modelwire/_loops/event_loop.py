"""The hub of an asyncio-compatible event loop: one descriptor for all waits of its tasks.

The I/O thread queues the number of a call that is ready, and makes the descriptor readable; the
loop then resumes the tasks of all queued numbers at once. No other thread touches Python. Imported
when the first asynchronous call waits.
"""

from __future__ import annotations

import asyncio
from asyncio import get_running_loop
from collections.abc import AsyncGenerator

from modelwire._errors import OpenAIError
from modelwire._native import Hub

_HUB, _GUARD = "_modelwire_hub", "_modelwire_guard"


def new_hub(loop: asyncio.AbstractEventLoop) -> Hub:
    """Creates the hub of a loop. The hub is an attribute of its loop and has no reference to it, so
    both are freed together."""
    hub = Hub()
    loop.add_reader(hub.fd(), hub.drain)
    setattr(loop, _HUB, hub)
    # A loop that shuts down closes its asynchronous generators, which removes the descriptor. If
    # it continues, it gets a new hub, and closes no generator again.
    if not getattr(loop, "_asyncgens_shutdown_called", False):
        guard = _guard(hub)
        try:
            guard.__anext__().send(None)
        except StopIteration:
            pass  # it is suspended at its yield
        setattr(loop, _GUARD, guard)
    return hub


async def _guard(hub: Hub) -> AsyncGenerator[None, None]:
    try:
        yield
    finally:
        loop = get_running_loop()
        loop.remove_reader(hub.fd())
        if getattr(loop, _HUB, None) is hub:
            delattr(loop, _HUB)
            delattr(loop, _GUARD)


def nobody_runs() -> OpenAIError:
    """The error of an asynchronous call outside of an event loop."""
    return OpenAIError(
        "an asynchronous call needs a running event loop, of asyncio or trio, and none runs here",
        kind="argument",
        hint="Await it within asyncio.run or trio.run; elsewhere use the synchronous client.",
    )
