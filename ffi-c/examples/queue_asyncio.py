"""Streams through the C library from another runtime: Python's ctypes and an asyncio loop.

Nothing but libmodelwire.so is used; Python programs as such use the package `modelwire`. It is a
whole binding in the fifteen functions that it takes: opaque pointers, JSON as pointer and length,
calls by a number of the program's own, and one descriptor that its event loop watches.

    python3 queue_asyncio.py a-model "Say hello." [COUNT]
"""

import asyncio
import ctypes
import json
import sys
from collections.abc import AsyncIterator

lib = ctypes.CDLL("libmodelwire.so.0.1")
OK, MODELS, CHAT, RESPONSES = 0, 1, 2, 3
CHUNK, RESPONSE, ERROR = 1, 2, 3
STATUS, SIZE, TAG = ctypes.c_int32, ctypes.c_size_t, ctypes.c_uint64
POINTER, TEXT, OUT = ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p)
LENGTH, BYTES = ctypes.POINTER(SIZE), ctypes.POINTER(ctypes.c_char)
for name, result, arguments in [
    ("client_new", STATUS, [TEXT, SIZE, OUT, OUT]),
    ("client_free", None, [POINTER]),
    ("queue_new", STATUS, [ctypes.c_uint32, OUT, OUT]),
    ("queue_free", None, [POINTER]),
    ("queue_fd", ctypes.c_int32, [POINTER]),
    ("queue_next", STATUS, [POINTER, ctypes.c_int32, OUT]),
    ("queue_submit", STATUS, [POINTER, POINTER, STATUS, TEXT, SIZE, STATUS, TAG, OUT]),
    ("queue_cancel", STATUS, [POINTER, TAG]),
    ("event_kind", STATUS, [POINTER]),
    ("event_tag", TAG, [POINTER]),
    ("event_json", BYTES, [POINTER, LENGTH]),
    ("event_free", None, [POINTER]),
    ("error_json", BYTES, [POINTER, LENGTH]),
    ("error_free", None, [POINTER]),
    ("status_name", TEXT, [STATUS]),
]:
    function = getattr(lib, f"modelwire_{name}")
    function.restype, function.argtypes = result, arguments


class Failure(Exception):
    """What an error is known of, as the library says it: `kind`, `message`, `hint` and more."""

    def __init__(self, known: dict) -> None:
        super().__init__(f"{known['kind']}: {known['message']}\n{known['hint']}")
        self.known = known


def read(function, handle):
    """The JSON text of an event or an error, as Python's own objects; None where it has none."""
    length = SIZE()
    text = function(handle, ctypes.byref(length))
    return json.loads(text[: length.value]) if length.value else None


def check(status: int, error: ctypes.c_void_p) -> None:
    """Raises what a function gave through `err`."""
    if status == OK:
        return
    try:
        known = read(lib.modelwire_error_json, error)
    finally:
        lib.modelwire_error_free(error)
    raise Failure(known or {"kind": lib.modelwire_status_name(status), "message": "", "hint": ""})


def made(create, *arguments):
    """What a function gives through `out`."""
    out, error = POINTER(), POINTER()
    check(create(*arguments, ctypes.byref(out), ctypes.byref(error)), error)
    return out


class Client:
    """A client whose calls run in this event loop. Options are those of the library, by name."""

    def __init__(self, **options: object) -> None:
        text = json.dumps(options).encode()
        self.client = made(lib.modelwire_client_new, text, len(text))
        self.queue = made(lib.modelwire_queue_new, 0)
        self.calls: dict[int, asyncio.Queue] = {}
        self.last = 0
        asyncio.get_running_loop().add_reader(lib.modelwire_queue_fd(self.queue), self.take)

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(lib.modelwire_queue_fd(self.queue))
        lib.modelwire_queue_free(self.queue)
        lib.modelwire_client_free(self.client)

    def take(self) -> None:
        """The descriptor is readable: take until there is nothing more."""
        event = POINTER()
        while lib.modelwire_queue_next(self.queue, 0, ctypes.byref(event)) == OK:
            kind, tag = lib.modelwire_event_kind(event), lib.modelwire_event_tag(event)
            if call := self.calls.get(tag):
                call.put_nowait((kind, read(lib.modelwire_event_json, event)))
            lib.modelwire_event_free(event)

    async def call(self, operation: int, request: dict, stream: bool) -> AsyncIterator[dict]:
        """Each chunk of a stream, or the whole response. Who leaves it early ends the call."""
        self.last += 1
        tag, text, error = self.last, json.dumps(request).encode(), POINTER()
        events = self.calls[tag] = asyncio.Queue()
        try:
            check(
                lib.modelwire_queue_submit(
                    self.queue, self.client, operation, text, len(text), stream, tag,
                    ctypes.byref(error),
                ),
                error,
            )  # fmt: skip
            while True:
                kind, value = await events.get()
                if kind == ERROR:
                    raise Failure(value)
                if value is not None:
                    yield value
                if kind == RESPONSE:
                    return
        finally:
            del self.calls[tag]
            lib.modelwire_queue_cancel(self.queue, tag)


async def say(client: Client, model: str, text: str) -> str:
    """A streamed chat, put together."""
    request = {"model": model, "messages": [{"role": "user", "content": text}]}
    pieces = []
    async for chunk in client.call(CHAT, request, stream=True):
        for choice in chunk["choices"]:
            pieces.append(choice["delta"].get("content") or "")
    return "".join(pieces)


async def main(model: str, text: str, count: int) -> None:
    client = Client()
    # All of them at once, on one thread.
    calls = (say(client, model, text) for _ in range(count))
    results = await asyncio.gather(*calls, return_exceptions=True)
    for number, result in enumerate(results):
        print(f"{number}: {'failed' if isinstance(result, Failure) else result}")
    client.close()
    # What fails one stream mostly fails them all: the first says why, and what to do about it.
    sys.exit(str(next((one for one in results if isinstance(one, Failure)), "")) or 0)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(f"usage: {sys.argv[0]} MODEL TEXT [COUNT]")
    asyncio.run(main(sys.argv[1], sys.argv[2], int((sys.argv[3:] or ["3"])[0])))
