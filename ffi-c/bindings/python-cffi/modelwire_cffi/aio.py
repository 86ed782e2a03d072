"""The client for asyncio, whose event loop watches the queue's descriptor."""

from __future__ import annotations

import asyncio
import contextlib
import os
import weakref
from typing import TYPE_CHECKING, Any

from modelwire_cffi.calls import Chunk, Queue, Response, Stream
from modelwire_cffi.client import Client
from modelwire_cffi.library import lib


class AsyncStream(Stream):
    """The chunks of a response, for one task at a time; `response` is there at their end."""

    __iter__ = None

    def __aiter__(self):
        return self

    async def __anext__(self) -> Chunk:
        while not self._is_over:
            if not self._events:
                await self._wait()
            elif chunk := self._read():
                return chunk
        raise StopAsyncIteration

    async def _wait(self):
        self._queue.check_process()
        arrived = asyncio.Event()
        self._queue.waiting[self._tag] = arrived.set
        try:
            await arrived.wait()
        finally:
            del self._queue.waiting[self._tag]

    async def result(self) -> Response:
        """Reads on to the end."""
        async with self:
            async for _ in self:
                pass
        return self.response

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        self.close()


class AsyncClient(Client):
    """A client for one event loop after another, or for those of several threads.

    async with AsyncClient() as client, client.stream_chat({"model": "m", ...}) as stream:
        async for chunk in stream:
            print(chunk.text, end="", flush=True)
    """

    _stream = AsyncStream
    if TYPE_CHECKING:  # what the methods of Client return with such streams

        async def models(self, **options: Any) -> Response: ...
        async def chat(self, body: dict[str, Any] | str, **options: Any) -> Response: ...
        async def responses(self, body: dict[str, Any] | str, **options: Any) -> Response: ...
        def stream_chat(self, body: dict[str, Any] | str, **options: Any) -> AsyncStream: ...
        def stream_responses(self, body: dict[str, Any] | str, **options: Any) -> AsyncStream: ...

    def __init__(self, log: str = "off", **options: Any):
        super().__init__(log, **options)
        self._queues = weakref.WeakKeyDictionary()
        weakref.finalize(self, forget, self._queues).atexit = False

    def _queue(self):
        loop = asyncio.get_running_loop()
        queue = self._queues.get(loop)
        if queue is None or queue.process != os.getpid():
            queue = self._queues[loop] = Queue(0, self._log_level)
            loop.add_reader(lib.modelwire_queue_fd(queue.handle), queue.take)
        return queue

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        self.close()


def forget(queues):
    """The client is gone: its loops need not watch any more. On any thread."""
    for loop, queue in list(queues.items()):
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(unwatch, loop, queue)


def unwatch(loop, queue):
    loop.remove_reader(lib.modelwire_queue_fd(queue.handle))
