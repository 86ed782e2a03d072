"""Streams through the C library from another runtime: Python's ctypes and an asyncio loop.

Nothing but libmodelwire.so is used; Python programs as such use the package `modelwire`. It is a
whole binding in the fifteen functions that it takes: opaque pointers, JSON as pointer and length,
calls by a number of the program's own, and one descriptor that its event loop watches.

What the functions take is read from modelwire.json, which MODELWIRE_JSON names, or which stands
beside the header in an include folder of this file's parents.

    python3 queue_asyncio.py echo "Say hello." [COUNT]
"""

import asyncio
import ctypes
import functools
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

PLACES = [above / "include/modelwire.json" for above in Path(__file__).resolve().parents]
PLACE = os.environ.get("MODELWIRE_JSON") or next(filter(Path.is_file, PLACES), PLACES[-1])
HEADER = json.loads(Path(PLACE).read_text())
FUNCTIONS = {one["name"]: one for one in HEADER["functions"]}
VALUES = {one["name"].removeprefix("MODELWIRE_"): one["value"] for one in HEADER["constants"]}
POINTER, SIZE = ctypes.c_void_p, ctypes.c_size_t
TYPES = {"size_t": SIZE, "int32_t": ctypes.c_int32, "int64_t": ctypes.c_int64, "void": None}
TYPES |= {"double": ctypes.c_double, "uint32_t": ctypes.c_uint32, "uint64_t": ctypes.c_uint64}
TYPES |= {one["name"]: TYPES[one["is"]] for one in HEADER["types"]}
lib = ctypes.CDLL(HEADER["soname"])


@functools.cache
def function(name: str):
    """A function of the library; whatever is no number is a pointer."""
    declared = FUNCTIONS[f"modelwire_{name}"]
    found = getattr(lib, declared["name"])
    found.argtypes = [TYPES.get(one["type"], POINTER) for one in declared["parameters"]]
    found.restype = TYPES.get(declared["returns"]["type"], POINTER)
    return found


def call(name: str, *arguments):
    return function(name)(*arguments)


class Failure(Exception):
    """What an error is known of, as the library says it: `kind`, `message`, `hint` and more."""

    def __init__(self, known: dict) -> None:
        super().__init__(f"{known['kind']}: {known['message']}\n{known['hint']}")
        self.known = known


def read(name: str, handle):
    """The JSON text of an event or an error, as Python's own objects; None where it has none."""
    length = SIZE()
    text = call(name, handle, ctypes.byref(length))
    return json.loads(ctypes.string_at(text, length.value)) if length.value else None


def check(status: int, error: ctypes.c_void_p) -> None:
    """Raises what a function gave through `err`."""
    if status == VALUES["OK"]:
        return
    try:
        known = read("error_json", error)
    finally:
        call("error_free", error)
    kind = ctypes.string_at(call("status_name", status)).decode()
    raise Failure(known or {"kind": kind, "message": "", "hint": ""})


def made(name: str, *arguments):
    """What a function gives through `out`."""
    out, error = POINTER(), POINTER()
    check(call(name, *arguments, ctypes.byref(out), ctypes.byref(error)), error)
    return out


class Client:
    """A client whose calls run in this event loop. Options are those of the library, by name."""

    def __init__(self, **options: object) -> None:
        text = json.dumps(options).encode()
        self.client = made("client_new", text, len(text))
        self.queue = made("queue_new", 0)
        self.calls: dict[int, asyncio.Queue] = {}
        self.last = 0
        asyncio.get_running_loop().add_reader(call("queue_fd", self.queue), self.take)

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(call("queue_fd", self.queue))
        call("queue_free", self.queue)
        call("client_free", self.client)

    def take(self) -> None:
        """The descriptor is readable: take until there is nothing more."""
        event = POINTER()
        while call("queue_next", self.queue, 0, ctypes.byref(event)) == VALUES["OK"]:
            kind, tag = call("event_kind", event), call("event_tag", event)
            if events := self.calls.get(tag):
                events.put_nowait((kind, read("event_json", event)))
            call("event_free", event)

    async def run(self, operation: str, request: dict, stream: bool) -> AsyncIterator[dict]:
        """Each chunk of a stream, or the whole response. Who leaves it early ends the call."""
        self.last += 1
        tag, text, error = self.last, json.dumps(request).encode(), POINTER()
        events = self.calls[tag] = asyncio.Queue()
        try:
            given = (self.client, VALUES[f"OPERATION_{operation}"], text, len(text), stream, tag)
            check(call("queue_submit", self.queue, *given, ctypes.byref(error)), error)
            while True:
                kind, value = await events.get()
                if kind == VALUES["EVENT_ERROR"]:
                    raise Failure(value)
                if value is not None:
                    yield value
                if kind == VALUES["EVENT_RESPONSE"]:
                    return
        finally:
            del self.calls[tag]
            call("queue_cancel", self.queue, tag)


async def say(client: Client, model: str, text: str) -> str:
    """A streamed chat, put together."""
    request = {"model": model, "messages": [{"role": "user", "content": text}]}
    pieces = []
    async for chunk in client.run("CHAT", request, stream=True):
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
