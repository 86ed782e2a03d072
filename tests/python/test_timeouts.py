"""The timeouts: which one runs out, and what its exception says."""

import time

import pytest

import modelwire
from conftest import KEY, SOON
from wire import END, HELLO, SILENCE, STALL, finish, pause, piece, sent, stream, text

COMMENT = {"send": "3\r\n:\n\n\r\n"}


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
    assert (error.metered, error.attempts, len(scripted.requests())) == ("unknown", 1, 1)


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
    steps = [step for _ in range(40) for step in (COMMENT, pause(0.05))]
    client = scripted(stream(*steps, *END), timeout=modelwire.Timeout(idle=0.4))
    runs_out("idle_timeout", lambda: asked(client, stream=True))


def test_pings_reset_the_idle_timeout_if_wanted(scripted):
    """Of the client or of a call, as openai-python's read timeout does it always."""
    steps = [step for _ in range(40) for step in (COMMENT, pause(0.05))]
    pinged = stream(*steps, piece("a"), finish(), *END)
    timeout = modelwire.Timeout(idle=0.5, pings_reset_idle=True)
    assert text(asked(scripted(pinged, timeout=timeout), stream=True)) == "a"
    client = scripted(pinged, pinged, timeout=modelwire.Timeout(idle=0.5))
    chat = client.chat.completions.create(model="m", messages=HELLO, stream=True, timeout=timeout)
    assert text(list(chat)) == "a"
    runs_out("idle_timeout", lambda: asked(client, stream=True))


def test_content_resets_the_idle_timeout(scripted):
    """The whole stream takes longer than the timeout."""
    steps = [step for _ in range(8) for step in (piece("a"), pause(0.1))]
    client = scripted(stream(*steps, finish(), *END), timeout=modelwire.Timeout(idle=0.5))
    assert text(asked(client, stream=True)) == "a" * 8


def test_the_whole_call_takes_too_long(scripted):
    """The deadline holds over pieces that keep coming."""
    steps = [step for _ in range(40) for step in (piece("a"), pause(0.05))]
    client = scripted(stream(*steps, *END), timeout=modelwire.Timeout(total=0.3))
    runs_out("total_timeout", lambda: asked(client, stream=True))


def test_a_numeric_timeout_limits_the_first_byte(scripted):
    """As Client's timeout says; here it is the first byte's."""
    runs_out("first_byte_timeout", lambda: asked(scripted(SILENCE, timeout=0.2)))


def test_a_timeout_that_is_off(scripted):
    """None waits for as long as it takes."""
    client = scripted(stream(pause(0.3), sent(piece("a")), finish(), *END), timeout=None)
    assert text(asked(client, stream=True)) == "a"


def test_a_slow_consumer_does_not_run_into_the_idle_timeout(scripted):
    """The time that a full queue waits is not the service's."""
    many = {"send": sent(piece("x" * 500))["send"], "times": 2000}
    steps = stream(many, finish(), *END)
    client = scripted(steps, timeout=modelwire.Timeout(idle=0.2))
    chat = client.chat.completions.create(model="m", messages=HELLO, stream=True)
    next(chat)
    # clock: the slowness itself
    time.sleep(0.5)  # this is the slowness, not a wait for something
    assert len(list(chat)) == 2000
