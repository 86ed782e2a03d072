"""The asynchronous client under trio, and under anyio on both of its backends."""

import asyncio

import anyio
import pytest
import trio
import trio.testing

import modelwire
from loops import BACKENDS, ON_BACKENDS, until_closed
from test_async_loops import STALLED, asked, opened
from wire import END, SILENCE, answer, finish, pause, piece, sent, stream, text


@ON_BACKENDS
async def test_tasks_of_nested_groups_are_cancelled(quiet, make, kind):
    """One that fails ends the others, and what they waited for."""
    client = make(STALLED, STALLED, STALLED)

    async def read():
        async with await opened(client) as chat:
            async for _ in chat:
                pass

    async def fail():
        # clock: before or in the wait, both are to end the same
        await anyio.sleep(0.1)
        raise ZeroDivisionError

    with pytest.raises(BaseException) as raised:
        async with anyio.create_task_group() as outer:
            outer.start_soon(read)
            async with anyio.create_task_group() as inner:
                inner.start_soon(read)
                inner.start_soon(read)
                inner.start_soon(fail)
    error = raised.value
    while not isinstance(error, ZeroDivisionError):
        (error,) = error.exceptions
    await until_closed(quiet)


@pytest.mark.parametrize("kind", BACKENDS[:1])
async def test_a_turn_is_a_checkpoint(make, kind):
    """The clock of trio's own tests sees that a task with chunks enough still gives way."""
    many = {**sent(piece("x")), "times": 5_000}
    client = make(stream(many, finish(), *END))
    chat = await opened(client)
    turns = 0

    async def count():
        nonlocal turns
        while True:
            turns += 1
            await trio.lowlevel.checkpoint()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(count)
        assert len([chunk async for chunk in chat]) == 5_001
        nursery.cancel_scope.cancel()
    assert turns >= 5_000 // 128


@ON_BACKENDS
async def test_text_batches_helpers_and_raw_streams_work(make, kind):
    """Pieces of text, batches, `async with`, the helper stream, a raw response."""
    paced = [pause(0.01), piece("a"), pause(0.01), piece("b"), pause(0.01), finish(), *END]
    client = make(*[stream(*paced)] * 4)
    async with await opened(client) as chat:
        assert [piece async for piece in chat.text_deltas()] == ["a", "b"]
    chat = await opened(client)
    batches = [batch async for batch in chat.batches()]
    assert text([chunk for batch in batches for chunk in batch]) == "ab"
    messages = [{"role": "user", "content": "x"}]
    async with client.chat.completions.stream(model="m", messages=messages) as helper:
        kinds = [event.type async for event in helper]
        final = await helper.get_final_completion()
    assert "content.delta" in kinds and final.choices[0].message.content == "ab"
    raw = client.chat.completions.with_streaming_response
    async with raw.create(model="m", messages=messages, stream=True) as response:
        assert response.status_code == 200 and "ab" not in await response.text()


@ON_BACKENDS
async def test_errors_arrive(make, kind):
    """Those of the service and those of time."""
    client = make(answer({}, 404), SILENCE)
    with pytest.raises(modelwire.NotFoundError):
        await asked(client)
    with pytest.raises(modelwire.APITimeoutError):
        await asked(client, timeout=0.1)


def test_a_stream_of_trio_goes_on_under_asyncio(make):
    """A stream belongs to no loop."""
    client = make(stream(piece("a"), pause(0.1), piece("b"), pause(0.1), finish(), *END))

    async def begin():
        return await opened(client)

    chat = trio.run(begin)

    async def step():
        return (await anext(chat)).choices[0].delta.content

    runs = [lambda: asyncio.run(step()), lambda: trio.run(step), lambda: asyncio.run(step())]
    assert [one() for one in runs] == ["a", "b", None]


def test_trio_as_a_guest_of_asyncio(make):
    """Both run on one thread, and each task is waited for by its own."""
    client = make()

    async def under_trio():
        return (await asked(client, "trio")).choices[0].message.content

    async def host():
        loop, done = asyncio.get_running_loop(), asyncio.Future()
        trio.lowlevel.start_guest_run(
            under_trio,
            run_sync_soon_threadsafe=loop.call_soon_threadsafe,
            done_callback=done.set_result,
        )
        of_asyncio = (await asked(client, "asyncio")).choices[0].message.content
        return of_asyncio, (await done).unwrap()

    assert asyncio.run(host()) == ("asyncio", "trio")


def test_trio_does_not_load_our_asyncio_module(program):
    """Nor is trio imported where asyncio runs."""
    source = """
        import trio
        before = set(sys.modules)
        client = modelwire.AsyncClient()
        print(trio.run(ask, client).choices[0].message.content)
        assert "modelwire._loops.event_loop" not in sys.modules
        """
    assert program(source) == "x\n"
    source = """
        import asyncio
        async def main():
            return await ask(modelwire.AsyncClient())
        print(asyncio.run(main()).choices[0].message.content)
        assert "trio" not in sys.modules and "modelwire._loops.trio" not in sys.modules
        """
    assert program(source) == "x\n"


def test_ctrl_c_under_trio(program):
    """While a call waits."""
    source = """
        import trio
        async def main():
            def interrupt():
                # clock: before or in the wait, both are to end the same
                time.sleep(0.3)
                os.kill(os.getpid(), signal.SIGINT)
            threading.Thread(target=interrupt, daemon=True).start()
            await ask(modelwire.AsyncClient())
        try:
            trio.run(main)
        except BaseException as error:
            while hasattr(error, "exceptions"):
                (error,) = error.exceptions
            print(type(error).__name__)
        """
    assert program(source, SILENCE) == "KeyboardInterrupt\n"
