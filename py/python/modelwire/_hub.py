"""Waiting under asyncio: one descriptor in the event loop for all calls of that loop. Knows no
HTTP, and nothing of what arrives.

The I/O thread notes the number of a call that has something and makes the descriptor readable;
the loop then resolves the futures of all noted numbers in one go. No other thread touches Python.
Imported when the first asynchronous call waits.
"""

from __future__ import annotations

import asyncio
import itertools
from asyncio import get_running_loop
from collections.abc import AsyncGenerator
from typing import Any, Protocol

from modelwire._errors import OpenAIError
from modelwire._native import Hub as NativeHub

_NAME = "_modelwire_hub"
_numbers = itertools.count()  # one count for all loops: a stream may be awaited on several


class Source(Protocol):
    """What can be waited for: a call that was started, or a stream."""

    def _poll(self, hub: NativeHub, number: int, portion: int) -> Any: ...
    def _forget(self, number: int) -> None: ...


class Hub:
    """What the calls of one event loop wait at. It lives as an attribute of its loop, and does
    not hold it: they go together."""

    def __init__(self, loop: asyncio.AbstractEventLoop, native: NativeHub) -> None:
        self.native: NativeHub | None = native
        self.waiting: dict[int, asyncio.Future[None]] = {}
        loop.add_reader(native.fd(), _drain, native, self.waiting)
        # A loop that is shut down closes its asynchronous generators: that closes the hub.
        self.guard: AsyncGenerator[None, None] | None = _guard(self)
        try:
            self.guard.__anext__().send(None)
        except StopIteration:
            pass  # it stands at its yield

    def close(self, loop: asyncio.AbstractEventLoop) -> None:
        """Gives back the descriptor; the loop gets a new hub if it goes on."""
        native, self.native, self.guard = self.native, None, None
        if native is not None and not loop.is_closed():
            loop.remove_reader(native.fd())


def _drain(native: NativeHub, waiting: dict[int, asyncio.Future[None]]) -> None:
    """Resolves what was noted; called by the loop."""
    for number in native.take():
        future = waiting.pop(number, None)
        if future is not None and not future.done():
            future.set_result(None)


async def _guard(hub: Hub) -> AsyncGenerator[None, None]:
    try:
        yield
    finally:
        hub.close(get_running_loop())


def _new_hub(loop: asyncio.AbstractEventLoop) -> tuple[Hub, NativeHub]:
    native = NativeHub()
    hub = Hub(loop, native)
    setattr(loop, _NAME, hub)
    return hub, native


def running_loop() -> asyncio.AbstractEventLoop:
    """The loop of asyncio that runs here; a clear error where none does."""
    try:
        return get_running_loop()
    except RuntimeError:
        raise OpenAIError(
            "an asynchronous call needs a running asyncio event loop, and none runs here",
            kind="argument",
            hint="Under trio, use the synchronous client in trio.to_thread.run_sync.",
        ) from None


async def receive(source: Source, portion: int = 0) -> Any:
    """What the source has next, waiting for it. Whoever is cancelled here has taken nothing. Who
    finds nothing keeps its number, and so its place before those who came later."""
    loop = running_loop()
    number = next(_numbers)
    while True:
        hub: Hub | None = getattr(loop, _NAME, None)
        native = None if hub is None else hub.native
        if hub is None or native is None:
            hub, native = _new_hub(loop)
        found = source._poll(native, number, portion)
        if found is not None:
            return found
        hub.waiting[number] = future = loop.create_future()
        try:
            await future
        except BaseException:
            hub.waiting.pop(number, None)
            source._forget(number)
            raise
