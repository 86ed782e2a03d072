"""What is left when it is not used any more: nothing, also without the garbage collector."""

import asyncio
import gc
import os

import pytest

import modelwire
from callers import asked
from conftest import KEY, eventually
from wire import HELLO, STALL, events, piece, stream

pytestmark = pytest.mark.thread_unsafe("what the process holds is counted")


def ours():
    """How many objects of our classes there are."""
    counts = {}
    for one in gc.get_objects():
        kind = type(one)
        # A class of classes has a descriptor there.
        module = kind.__module__ if isinstance(kind.__module__, str) else ""
        if module.startswith("modelwire") and not issubclass(kind, type):
            counts[kind.__name__] = counts.get(kind.__name__, 0) + 1
    return counts


def use(base_url):
    """All that a program may hold, dropped at once."""
    client = modelwire.Client(base_url=base_url, api_key=KEY)
    answer = client.chat.completions.create(model="echo-tools", messages=HELLO)
    kept = [answer.choices[0].message.tool_calls, client.models.list(), client.copy(timeout=5)]
    with client.chat.completions.stream(model="echo", messages=HELLO) as chat:
        kept += chat
        kept.append(chat.get_final_completion())
    chunks = asked(client, model="echo", stream=True)
    kept += [chunk.choices[0].delta for chunk in chunks]
    kept.append(client.with_raw_response.responses.create(model="echo", input="x").parse())
    try:
        client.chat.completions.create(model="no-such-model", messages=HELLO)
    except modelwire.NotFoundError as error:
        kept.append(error.report())


async def use_async(base_url):
    client = modelwire.AsyncClient(base_url=base_url, api_key=KEY)
    chat = await client.chat.completions.create(model="slow", messages=HELLO, stream=True)
    kept = [chunk async for chunk in chat]
    async with client.responses.stream(model="echo", input="x") as made:
        kept += [event async for event in made]
    kept += await asyncio.gather(*(client.models.list() for _ in range(3)))
    unfinished = await client.chat.completions.create(model="slow", messages=HELLO, stream=True)
    await anext(unfinished)


@pytest.mark.parametrize("way", ["sync", "async"])
def test_nothing_waits_for_the_garbage_collector(service, way):
    """No cycles: what is dropped is gone, its connections and its key with it."""

    def once():
        if way == "sync":
            use(service.base_url)
        else:
            asyncio.run(use_async(service.base_url))

    once()  # what is made once and kept
    gc.collect()
    gc.disable()
    try:
        before = ours()
        once()
        after = ours()
    finally:
        gc.enable()
    assert after == before


def test_a_client_that_is_dropped_closes_its_connections(quiet):
    """Without close()."""
    client = modelwire.Client(base_url=quiet.base_url, api_key=KEY)
    client.models.list()
    assert quiet.open_connections() == 1
    gc.disable()
    try:
        del client
        quiet.until_closed()
    finally:
        gc.enable()


def test_a_client_for_one_call_lives_as_long_as_its_call(service):
    """Nobody holds it by a name."""
    models = modelwire.Client(base_url=service.base_url, api_key=KEY).models
    assert len(models.list()) > 1
    create = modelwire.Client(base_url=service.base_url, api_key=KEY).chat.completions.create
    assert list(create(model="echo", messages=HELLO, stream=True))


@pytest.mark.sync_alone("test_abandoned_streams_leak_no_file_descriptor is there")
def test_a_thousand_abandoned_streams(quiet, scripted):
    """No descriptor and no connection is left."""
    client = scripted(stream(piece("a"), STALL), events(piece("a")))
    next(asked(client, stream=True))
    quiet.until_closed()
    before = len(os.listdir("/proc/self/fd"))
    client = scripted(stream(piece("a"), STALL))
    for _ in range(1000):
        next(asked(client, stream=True))
    quiet.until_closed()
    eventually("no descriptor is left", lambda: len(os.listdir("/proc/self/fd")) <= before)
