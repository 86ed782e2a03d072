"""The timeouts: which one runs out, and what its exception says."""

import socket
import threading
import time

import pytest

import lockstep
import modelwire
from conftest import KEY, SOON, eventually
from wire import (
    END,
    HELLO,
    SILENCE,
    STALL,
    STREAM_HEAD,
    finish,
    pause,
    piece,
    sent,
    stream,
    text,
)

COMMENT = {"send": "3\r\n:\n\n\r\n"}
PINGS = [COMMENT, pause(0.05)] * 1200  # a minute: longer than SOON
IDLE = 4.0  # seconds: longer than a busy machine may let a program stand still


def asked(client, stream=False):
    chat = client.chat.completions.create(model="m", messages=HELLO, stream=stream)
    return list(chat) if stream else chat


def runs_out(name, call):
    """The exception of a call that runs into the timeout of this name, soon."""
    before = time.monotonic()
    with pytest.raises(modelwire.APITimeoutError) as raised:
        call()
    # clock: bounds a hang
    assert time.monotonic() - before < SOON
    error = raised.value
    assert isinstance(error, TimeoutError) and isinstance(error, ConnectionError)
    assert (error.kind, error.timeout) == ("timeout", name)
    assert name in str(error) and error.hint
    return error


def test_connecting_takes_too_long(deaf_url):
    """Nothing was sent."""
    timeout = modelwire.Timeout(connect=0.2)
    client = modelwire.Client(base_url=deaf_url, api_key=KEY, timeout=timeout)
    error = runs_out("connect_timeout", lambda: asked(client))
    assert (error.metered, error.attempts) == ("not_sent", 1)


@pytest.mark.parametrize("stream", [False, True])
def test_the_first_byte_takes_too_long(scripted, stream):
    """Sent, so it may have been metered; not sent again."""
    client = scripted(SILENCE, timeout=modelwire.Timeout(first_byte=0.2))
    error = runs_out("first_byte_timeout", lambda: asked(client, stream))
    eventually("the service has read it", scripted.requests)
    assert (error.metered, error.attempts, len(scripted.requests())) == ("unknown", 1, 1)


@pytest.mark.parametrize("answer", [SILENCE, stream(piece(""), STALL)], ids=["head", "role"])
@pytest.mark.parametrize("stream", [False, True])
def test_the_first_content_takes_too_long(scripted, answer, stream):
    client = scripted(answer, timeout=modelwire.Timeout(first_content=0.2))
    runs_out("first_content_timeout", lambda: asked(client, stream))


def test_a_stream_falls_silent(scripted):
    """What came before was delivered."""
    client = scripted(stream(piece("a"), STALL), timeout=modelwire.Timeout(idle=0.2))
    chunks = []
    chat = client.chat.completions.create(model="m", messages=HELLO, stream=True)
    error = runs_out("idle_timeout", lambda: chunks.extend(chat))
    assert text(chunks) == "a" and error.metered == "entered"


def test_an_answer_falls_silent(scripted):
    head = {"send": "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"}
    client = scripted({"steps": [head, STALL]}, timeout=modelwire.Timeout(idle=0.2))
    runs_out("idle_timeout", lambda: asked(client))


def test_comments_do_not_reset_the_idle_timeout(scripted):
    """A keep-alive is no answer."""
    client = scripted(stream(*PINGS, *END), timeout=modelwire.Timeout(idle=0.4))
    runs_out("idle_timeout", lambda: asked(client, stream=True))


def test_pings_reset_the_idle_timeout_if_wanted(scripted):
    """Of the client or of a call, as openai-python's read timeout does it always."""
    pinged = stream(*PINGS[:180], piece("a"), finish(), *END)
    timeout = modelwire.Timeout(idle=IDLE, pings_reset_idle=True)
    call = {"model": "m", "messages": HELLO, "stream": True}
    before = time.monotonic()
    # Both at once, to take the time of one.
    chat = scripted(pinged, timeout=timeout).chat.completions.create(**call)
    client = scripted(pinged, stream(*PINGS, *END), timeout=modelwire.Timeout(idle=0.5))
    other = client.chat.completions.create(**call, timeout=timeout)
    assert text(list(chat)) == text(list(other)) == "a"
    assert time.monotonic() - before > IDLE
    runs_out("idle_timeout", lambda: asked(client, stream=True))


def test_content_resets_the_idle_timeout(scripted):
    """The whole stream takes longer than the timeout."""
    steps = [step for _ in range(9) for step in (piece("a"), pause(0.5))]
    client = scripted(stream(*steps, finish(), *END), timeout=modelwire.Timeout(idle=IDLE))
    before = time.monotonic()
    assert text(asked(client, stream=True)) == "a" * 9
    assert time.monotonic() - before > IDLE


def test_the_whole_call_takes_too_long(scripted):
    """The deadline holds over pieces that keep coming."""
    steps = [step for _ in range(1200) for step in (piece("a"), pause(0.05))]
    client = scripted(stream(*steps, *END), timeout=modelwire.Timeout(total=0.3))
    runs_out("total_timeout", lambda: asked(client, stream=True))


def test_a_numeric_timeout_limits_the_first_byte(scripted):
    """As Client's timeout says; here it is the first byte's."""
    runs_out("first_byte_timeout", lambda: asked(scripted(SILENCE, timeout=0.2)))


def test_a_timeout_that_is_off(scripted):
    """None waits for as long as it takes."""
    client = scripted(stream(pause(0.3), sent(piece("a")), finish(), *END), timeout=None)
    assert text(asked(client, stream=True)) == "a"


def test_a_slow_consumer_does_not_run_into_the_idle_timeout(connect):
    """The time that a full queue waits is not the service's, which has sent everything before."""
    is_sent = threading.Event()

    def respond(request):
        # The kernel holds what the queue does not, so nothing later depends on this thread.
        request.connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        steps = [sent(piece("x" * 500))] * 500 + [sent(finish()), *END]
        request.send(STREAM_HEAD + "".join(step["send"] for step in steps))
        is_sent.set()

    limits, timeout = modelwire.Limits(queue_bytes_max=32 << 10), modelwire.Timeout(idle=0.2)
    with (
        lockstep.serving(respond) as url,
        connect(base_url=url, api_key=KEY, timeout=timeout, limits=limits) as client,
    ):
        chat = client.chat.completions.create(model="m", messages=HELLO, stream=True)
        next(chat)
        assert is_sent.wait(SOON)
        # clock: the slowness itself
        time.sleep(0.5)  # this is the slowness, not a wait for something
        assert len(list(chat)) == 500
