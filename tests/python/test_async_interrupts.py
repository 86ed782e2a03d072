"""Ctrl-C while asyncio waits for a call."""

import pytest

from test_interrupts import interrupted, is_connecting
from wire import SILENCE, STALL, answer, piece, stream

pytestmark = pytest.mark.thread_unsafe("each test is a program of its own")

PROGRAM = """
    import asyncio
    signal.signal(signal.SIGINT, signal.default_int_handler)

    async def main():
        messages = [{{"role": "user", "content": "x"}}]
        client = modelwire.AsyncClient()
        create = client.chat.completions.create
        answer = await create(model="m", messages=messages, stream={stream})
        if {stream}:
            async for chunk in answer:
                print("chunk", flush=True)

    print("ready", flush=True)
    try:
        asyncio.run(main())
        print("ended", flush=True)
    except KeyboardInterrupt:
        print(time.monotonic(), flush=True)
    sys.stdin.read()  # it lives on: what is closed now, the call has closed
"""


def test_while_connecting(deaf_url):
    """The service does not answer at all."""
    interrupted(deaf_url, False, lambda: is_connecting(deaf_url), lambda: None, PROGRAM)


def test_while_waiting_for_the_head(quiet):
    """The call's connection is closed."""
    base_url = quiet.script("async-interrupt-head", [SILENCE])

    def is_waiting():
        return quiet.requests("async-interrupt-head")

    interrupted(base_url, False, is_waiting, quiet.until_closed, PROGRAM)


def test_between_two_chunks(quiet):
    """A stream that nobody holds any more is closed."""
    base_url = quiet.script("async-interrupt-stream", [stream(piece("a"), STALL)])
    interrupted(base_url, True, lambda: True, quiet.until_closed, PROGRAM)


def test_while_waiting_to_try_again(quiet):
    """The next attempt is never made."""
    name = "async-interrupt-retry"
    base_url = quiet.script(name, [answer({}, 429, retry_after="30")])
    interrupted(base_url, False, lambda: quiet.requests(name), lambda: None, PROGRAM)
    assert len(quiet.requests(name)) == 1
