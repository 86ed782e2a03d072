"""Loops over streams that are left: by an exception, a cancelled task, a closed generator or a
`break`."""

import asyncio

import pytest

import modelwire
from callers import asked
from loops import until_closed
from wire import HELLO, STALL, piece, stream

pytestmark = pytest.mark.sync_alone("there are tests of loops of both kinds")

FORMS = {
    "stream": lambda stream: stream,
    "text": lambda stream: stream.text_deltas(),
    "batches": lambda stream: stream.batches(2),
}
ENDLESS = stream(piece("a"), piece("b"), STALL)


class Left(Exception):
    """What a program raises inside its loop."""


@pytest.mark.parametrize("form", FORMS)
def test_a_loop_that_an_exception_leaves_closes_its_stream(quiet, scripted, form):
    """At once, though a traceback holds the stream."""
    kept = asked(scripted(ENDLESS), stream=True)
    with pytest.raises(Left) as raised:
        for _ in FORMS[form](kept):
            raise Left
    quiet.until_closed()
    assert raised.value.__traceback__ is not None
    for _ in range(2):
        with pytest.raises(modelwire.OpenAIError, match="left the loop") as told:
            list(kept)
        error = told.value
        assert (error.kind, error.metered) == ("closed", "entered") and "another call" in error.hint
        assert error.request.url.path.endswith("/v1/chat/completions")
    kept.close()


@pytest.mark.parametrize("form", FORMS)
def test_a_generator_that_is_closed_closes_its_stream(quiet, scripted, form):
    """What a web framework does when its client is gone."""
    kept = asked(scripted(ENDLESS), stream=True)

    def pieces():
        yield from FORMS[form](kept)

    going = pieces()
    next(going)
    going.close()
    quiet.until_closed()


def test_a_helper_that_is_left_closes_its_stream(quiet, scripted):
    """Without its `with`."""
    client = scripted(ENDLESS)
    helper = client.chat.completions.stream(model="m", messages=HELLO).__enter__()
    with pytest.raises(Left):
        for _ in helper:
            raise Left
    quiet.until_closed()
    assert helper is not None


def test_a_break_leaves_a_held_stream_open(quiet, scripted):
    """Who looks at the first chunk may read on; nobody holds it, and it is closed."""
    client = scripted(ENDLESS)
    kept = asked(client, stream=True)
    for first in kept:
        assert first.choices[0].delta.content == "a"
        break
    for second in kept:
        assert second.choices[0].delta.content == "b"
        break
    del kept
    quiet.until_closed()
    for _ in asked(client, stream=True):
        break
    quiet.until_closed()


def test_another_exhausted_iterator_leaves_the_stream_open(quiet, scripted):
    """What ended was something else; the stream goes on."""
    kept = asked(scripted(ENDLESS), stream=True)
    with pytest.raises(StopIteration):
        next(zip([], kept))
    try:
        raise Left
    except Left:
        first = next(iter(kept))
    assert first.choices[0].delta.content == "a" and next(kept) and not kept.response.is_closed


@pytest.mark.parametrize("form", FORMS)
async def test_a_cancelled_loop_closes_its_stream(quiet, make, form):
    """While it waits for the next chunk, though the task and its frames are kept."""
    kept = await asked(make(ENDLESS), stream=True)
    began = asyncio.Event()

    async def consume():
        async for _ in FORMS[form](kept):
            began.set()

    task = asyncio.create_task(consume())
    await began.wait()
    # clock: before or in the wait, both are to end the same
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError) as raised:
        await task
    await until_closed(quiet)
    assert raised.value is not None
    with pytest.raises(modelwire.OpenAIError, match="left the loop"):
        await anext(kept)


async def test_a_loop_under_a_timeout_closes_its_stream(quiet, make):
    """The stream that nobody named, though the exception is kept."""
    client = make(ENDLESS)

    async def consume():
        async for _ in await asked(client, stream=True):
            pass

    with pytest.raises(asyncio.TimeoutError) as raised:
        await asyncio.wait_for(consume(), 0.1)
    await until_closed(quiet)
    assert raised.value.__traceback__ is not None


@pytest.mark.parametrize("form", FORMS)
async def test_an_asynchronous_generator_that_is_closed_closes_its_stream(quiet, make, form):
    """What a web framework does when its client is gone."""
    kept = await asked(make(ENDLESS), stream=True)

    async def pieces():
        async for one in FORMS[form](kept):
            yield one

    going = pieces()
    await anext(going)
    await going.aclose()
    await until_closed(quiet)
    assert kept is not None


async def test_an_asynchronous_helper_that_is_cancelled_closes_its_stream(quiet, make):
    """Without its `async with`."""
    client = make(ENDLESS)
    manager = client.chat.completions.stream(model="m", messages=HELLO)
    helper = await manager.__aenter__()

    async def consume():
        async for _ in helper:
            pass

    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(consume(), 0.1)
    await until_closed(quiet)


async def test_a_break_of_an_async_loop_leaves_a_held_stream_open(quiet, make):
    """And a wait for a single chunk that is given up does, too."""
    kept = await asked(make(ENDLESS), stream=True)
    async for first in kept:
        assert first.choices[0].delta.content == "a"
        break
    assert (await anext(kept)).choices[0].delta.content == "b"
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(kept.__anext__(), 0.05)
    assert quiet.open_connections() == 1
    del kept
    await until_closed(quiet)
