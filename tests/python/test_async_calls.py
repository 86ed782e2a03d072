"""What calls of an AsyncClient tell at their ends."""

import asyncio
import gc
import threading
from functools import partial

import anyio
import pytest

import modelwire
from conftest import KEY, eventually, together
from loops import DEADLINE, ON_BACKENDS
from test_async_loops import STALLED
from test_calls import CHAT, Told
from wire import SILENCE


@ON_BACKENDS
async def test_calls_of_many_tasks_are_recorded(make, kind):
    """Each call once; the close waits for what is due, and the loop goes on."""
    told, ticks = [], []

    def on_call(record):
        before = len(ticks)
        eventually("the loop goes on", lambda: len(ticks) > before)
        told.append(record)

    async def ask(client):
        answer = await client.chat.completions.create(**CHAT)
        assert answer.timing.status == 200
        stream = await client.chat.completions.create(**CHAT, stream=True)
        assert stream.timing is None
        async for _ in stream:
            pass
        assert stream.timing.chunks > 0

    async def tick():
        while True:
            ticks.append(None)
            # clock: the pace of who runs beside
            await anyio.sleep(0.005)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(tick)
        async with (
            make(on_call=on_call) as client,
            anyio.create_task_group() as asking,
        ):
            for _ in range(20):
                asking.start_soon(ask, client)
        assert len(told) == 40
        tasks.cancel_scope.cancel()


@pytest.mark.thread_unsafe("a thread collects no garbage while another does")
@ON_BACKENDS
async def test_calls_of_cancelled_tasks_are_recorded(make, kind):
    """One that waits for an answer, and one that reads a stream."""
    told = Told()
    client = make(SILENCE, STALLED, SILENCE, on_call=told.append)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(partial(client.chat.completions.create, **CHAT))
        while not make.requests():
            # clock: between two looks
            await anyio.sleep(0.01)
        tasks.cancel_scope.cancel()
    stream = await client.chat.completions.create(**CHAT, stream=True)
    with anyio.move_on_after(0.1):
        async for _ in stream:
            pass
    assert stream.timing is not None
    await client.close()
    gc.collect()
    assert [record.kind for record in told.all()] == ["cancelled"] * 2
    assert [record.streamed for record in told] == [False, True]


@pytest.mark.thread_unsafe("a thread collects no garbage while another does")
def test_streams_left_by_a_closed_loop_are_recorded(service):
    """asyncio.run after asyncio.run; what the first left is told."""
    told = Told()
    made = modelwire.AsyncOpenAI(base_url=service.base_url, api_key=KEY, on_call=told.append)
    kept = []

    async def main():
        kept.append(await made.chat.completions.create(**CHAT, stream=True))

    asyncio.run(main())
    asyncio.run(main())
    kept.clear()
    gc.collect()
    assert len(told.all()) == 2
    asyncio.run(made.close())


def test_a_close_where_no_loop_runs(service):
    """A coroutine that is driven by hand waits as well."""
    told = Told()
    made = modelwire.AsyncOpenAI(base_url=service.base_url, api_key=KEY, on_call=told.append)
    asyncio.run(made.chat.completions.create(**CHAT))
    with pytest.raises(StopIteration):
        made.close().send(None)
    assert len(told) == 1


def test_calls_of_many_loops_are_recorded_by_one_thread(service):
    """Threads with a loop each, over one client; one thread tells."""
    names, told = set(), []

    def on_call(record):
        names.add(threading.current_thread().name)
        told.append(record)

    made = modelwire.AsyncOpenAI(base_url=service.base_url, api_key=KEY, on_call=on_call)

    async def main():
        await asyncio.wait_for(
            asyncio.gather(*(made.chat.completions.create(**CHAT) for _ in range(5))), DEADLINE
        )

    together(*[lambda: asyncio.run(main())] * 4)
    assert modelwire.flush_calls() and len(told) == 20 and names == {"modelwire-calls"}


async def test_a_function_that_hands_on_to_a_loop(service):
    """By the way that asyncio has for threads."""
    told = []
    running = asyncio.get_running_loop()
    async with modelwire.AsyncOpenAI(
        base_url=service.base_url,
        api_key=KEY,
        on_call=lambda record: running.call_soon_threadsafe(told.append, record),
    ) as made:
        await made.chat.completions.create(**CHAT)
    await asyncio.sleep(0)
    assert len(told) == 1
