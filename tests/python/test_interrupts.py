"""Ctrl-C while a call waits: how soon it is heard and what it leaves."""

import contextlib
import os
import signal
import time

import pytest

import lockstep
import programs
from conftest import eventually
from lockstep import Held
from wire import SILENCE, STALL, answer, piece, sent, stream

pytestmark = pytest.mark.thread_unsafe("each test is a program of its own")

HEARD_WITHIN = 25.0  # the target is 0.2 s; a busy machine may take longer

# A shell that starts tests in the background has SIGINT ignored in them; Python then keeps it so.
PROGRAM = """
    import asyncio
    signal.signal(signal.SIGINT, signal.default_int_handler)
    client, async_client = modelwire.Client(), modelwire.AsyncClient()
    CALL = {{"model": "m", "messages": [{{"role": "user", "content": "x"}}], "stream": {stream}}}

    def call():
        answer = client.chat.completions.create(**CALL)
        if {stream}:
            for chunk in answer:
                print("chunk", flush=True)

    async def call_async():
        answer = await async_client.chat.completions.create(**CALL)
        if {stream}:
            async for chunk in answer:
                print("chunk", flush=True)

    print("ready", flush=True)
    try:
        {call}
        print("ended", flush=True)
    except KeyboardInterrupt:
        print(time.monotonic(), flush=True)
    sys.stdin.read()  # it lives on: what is closed now, the call has closed
"""
WITH_BOTH = pytest.mark.parametrize("call", ["call()", "asyncio.run(call_async())"])


def is_connecting(base_url):
    """Whether some socket waits for this address (SYN_SENT in /proc/net/tcp)."""
    port = int(base_url.split(":")[2].split("/")[0])
    with open("/proc/net/tcp") as table:
        rows = [line.split() for line in table.readlines()[1:]]
    # The sockets that fill the queue of this address may be waiting, too: those are ours.
    mine = {os.path.basename(link) for link in map(_link, os.listdir("/proc/self/fd"))}
    waiting = [row for row in rows if row[2].endswith(f":{port:04X}") and row[3] == "02"]
    return any(f"socket:[{row[9]}]" not in mine for row in waiting)


def _link(number):
    try:
        return os.readlink(f"/proc/self/fd/{number}")
    except FileNotFoundError:
        return ""


def interrupted(call, base_url, stream, is_waiting, then):
    """Interrupts a program once it waits; checks that it hears it soon, then what it left."""
    with contextlib.ExitStack() as stack:
        program = stack.enter_context(
            programs.start(PROGRAM.format(call=call, stream=stream), base_url)
        )
        stack.callback(program.kill)
        assert program.stdout.readline() == "ready\n"
        if stream:
            assert program.stdout.readline() == "chunk\n"
        eventually("the program waits", is_waiting)
        before = time.monotonic()
        program.send_signal(signal.SIGINT)
        heard = float(program.stdout.readline()) - before
        then()
        _, complaint = program.communicate(timeout=programs.DEADLINE)
        assert (program.returncode, complaint) == (0, "")
    # clock: by itself it would be heard after 30 s or never
    assert heard < HEARD_WITHIN


@WITH_BOTH
def test_interrupt_while_connecting(deaf_url, call):
    """The service does not answer at all."""
    interrupted(call, deaf_url, False, lambda: is_connecting(deaf_url), lambda: None)


@WITH_BOTH
def test_interrupt_while_waiting_for_the_head(quiet, call):
    """The call's connection is closed."""
    base_url = quiet.script("interrupt-head", [SILENCE])
    interrupted(call, base_url, False, lambda: quiet.requests("interrupt-head"), quiet.until_closed)


@WITH_BOTH
def test_interrupt_between_two_chunks(quiet, call):
    """A stream that nobody holds any more is closed."""
    base_url = quiet.script("interrupt-stream", [stream(piece("a"), STALL)])
    interrupted(call, base_url, True, lambda: True, quiet.until_closed)


@WITH_BOTH
def test_interrupt_while_waiting_to_retry(quiet, call):
    """The next attempt is never made."""
    base_url = quiet.script("interrupt-retry", [answer({}, 429, retry_after="30")])
    # Its connection waits in the pool to be used again, for all that the call is over.
    interrupted(call, base_url, False, lambda: quiet.requests("interrupt-retry"), lambda: None)
    assert len(quiet.requests("interrupt-retry")) == 1


def lines(source, held):
    """What a program prints against a stream that goes on after each line, and is not silent for
    longer than HEARD_WITHIN."""
    said = []
    with lockstep.serving(held) as url, programs.start(source, url) as program:
        for line in program.stdout:
            said.append(line)
            held.go()
        _, complaint = program.communicate(timeout=programs.DEADLINE)
    assert (program.returncode, complaint) == (0, "")
    return "".join(said)


def test_a_handler_that_does_not_raise_does_not_end_the_call():
    """A program's own handler runs while a call waits, which then goes on."""
    source = f"""
        signal.signal(signal.SIGALRM, lambda *_: print("heard", flush=True))
        timeout = modelwire.Timeout(idle={HEARD_WITHIN})
        chat = ask(modelwire.Client(timeout=timeout), stream=True)
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        print(next(chat).choices[0].delta.content)
        """
    assert lines(source, Held(piece("a"))) == "heard\na\n"


@pytest.mark.parametrize("tracing", ["", "client.request = client.request"])
@pytest.mark.parametrize("way", ["create", "helper", "lines"])
def test_a_handler_that_raises_loses_no_chunk(way, tracing):
    """A wait that was interrupted is taken up again by the next one, also where chunks pass through
    a method that tracing replaces."""
    source = f"""
        import json
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        timeout = modelwire.Timeout(idle={HEARD_WITHIN})
        client = modelwire.Client(timeout=timeout)
        {tracing}
        if "{way}" == "create":
            chat = ask(client, stream=True)
        elif "{way}" == "lines":
            opening = ask(client.with_streaming_response, stream=True)
            chat = opening.__enter__().iter_lines()
        else:
            manager = client.chat.completions.stream(model="m", messages=MESSAGES)
            chat = manager.__enter__()
        found = []

        def read_one():
            # A loop over it would end the stream when an exception leaves the loop.
            if (one := next(chat, None)) is None:
                return False
            if "{way}" == "create":
                found.append(one.choices[0].delta.content)
            elif "{way}" == "lines":
                if one.startswith("data: {{"):
                    found.append(json.loads(one[6:])["choices"][0]["delta"]["content"])
            elif one.type == "content.delta":
                found.append(one.delta)
            return True

        def read():
            while read_one():
                pass

        for _ in range(2):
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.1)
                read()
            except KeyboardInterrupt:
                found.append("interrupted")
                print("go on", flush=True)  # nothing is sent before
            while found.count("b") < 1:
                assert read_one()
        read()
        print(*found)
        """
    first, second = (piece("a"), piece("b")), (piece("c"), "[DONE]")
    held = Held(*({"send": "".join(sent(one)["send"] for one in both)} for both in (first, second)))
    assert lines(source, held) == "go on\ngo on\ninterrupted a b interrupted c\n"
