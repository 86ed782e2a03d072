"""Streams through the C library from another runtime: Python's ctypes and an asyncio loop.

Nothing but libmodelwire.so is used; Python programs as such use the package `modelwire`. It shows
what a binding for any language needs: opaque pointers, strings as pointer and length, and one
descriptor that its event loop watches.

    python3 queue_asyncio.py a-model "Say hello." [COUNT]
"""

import asyncio
import ctypes
import sys

lib = ctypes.CDLL("libmodelwire.so.0.1")
NUL = ctypes.c_size_t(-1)
OK, CHUNK, DONE = 0, 1, 2
POINTER, TEXT, OUT = ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p)
for name, result, arguments in [
    ("client_new", ctypes.c_int32, [POINTER, OUT, OUT]),
    ("client_free", None, [POINTER]),
    ("request_chat", ctypes.c_int32, [TEXT, ctypes.c_size_t, OUT, OUT]),
    ("request_add_message", ctypes.c_int32, [POINTER, *[TEXT, ctypes.c_size_t] * 2]),
    ("request_free", None, [POINTER]),
    ("call_new", ctypes.c_int32, [POINTER, POINTER, OUT, OUT]),
    ("call_submit", ctypes.c_int32, [POINTER, ctypes.c_int32, POINTER, ctypes.c_uint64, OUT]),
    ("call_free", None, [POINTER]),
    ("queue_new", ctypes.c_int32, [ctypes.c_int32, OUT, OUT]),
    ("queue_fd", ctypes.c_int32, [POINTER]),
    ("queue_next", ctypes.c_int32, [POINTER, ctypes.c_int32, OUT]),
    ("queue_free", None, [POINTER]),
    ("event_kind", ctypes.c_int32, [POINTER]),
    ("event_tag", ctypes.c_uint64, [POINTER]),
    ("event_text", TEXT, [POINTER, POINTER]),
    ("event_error", POINTER, [POINTER]),
    ("event_free", None, [POINTER]),
    ("error_report", TEXT, [POINTER, POINTER]),
]:
    function = getattr(lib, f"modelwire_{name}")
    function.restype, function.argtypes = result, arguments


def made(create, *arguments):
    """What a function gives through `out`; its error as an exception."""
    out, error = ctypes.c_void_p(), ctypes.c_void_p()
    if create(*arguments, ctypes.byref(out), ctypes.byref(error)) != OK:
        sys.exit(lib.modelwire_error_report(error, None).decode())
    return out


async def main(model: str, text: str, count: int) -> None:
    client = made(lib.modelwire_client_new, None)
    request = made(lib.modelwire_request_chat, model.encode(), NUL)
    lib.modelwire_request_add_message(request, b"user", NUL, text.encode(), NUL)
    queue = made(lib.modelwire_queue_new, 0)

    texts = [""] * count
    ends = [asyncio.get_running_loop().create_future() for _ in range(count)]

    def take() -> None:
        """The descriptor is readable: take until there is nothing more."""
        event = ctypes.c_void_p()
        while lib.modelwire_queue_next(queue, 0, ctypes.byref(event)) == OK:
            tag = lib.modelwire_event_tag(event)
            if lib.modelwire_event_kind(event) == CHUNK:
                texts[tag] += lib.modelwire_event_text(event, None).decode()
            elif lib.modelwire_event_kind(event) == DONE:
                error = lib.modelwire_event_error(event)
                ends[tag].set_result(error and lib.modelwire_error_report(error, None).decode())
            lib.modelwire_event_free(event)

    loop = asyncio.get_running_loop()
    fd = lib.modelwire_queue_fd(queue)
    loop.add_reader(fd, take)
    calls = [made(lib.modelwire_call_new, client, request) for _ in range(count)]
    for tag, call in enumerate(calls):
        error = ctypes.c_void_p()
        if lib.modelwire_call_submit(call, 1, queue, tag, ctypes.byref(error)) != OK:
            sys.exit(lib.modelwire_error_report(error, None).decode())
    failures = await asyncio.gather(*ends)
    for tag, text in enumerate(texts):
        print(f"{tag}: {'failed' if failures[tag] else text}")

    loop.remove_reader(fd)
    for call in calls:
        lib.modelwire_call_free(call)
    lib.modelwire_queue_free(queue)
    lib.modelwire_request_free(request)
    lib.modelwire_client_free(client)
    # What fails one stream mostly fails them all: the first says why, and what to do about it.
    sys.exit(next(filter(None, failures), 0))


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(f"usage: {sys.argv[0]} MODEL TEXT [COUNT]")
    asyncio.run(main(sys.argv[1], sys.argv[2], int((sys.argv[3:] or ["3"])[0])))
