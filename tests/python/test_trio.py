"""The asynchronous client under trio, and under anyio on both of its backends."""

import asyncio
import gc
import time

import anyio
import pytest
import trio
import trio.testing

import modelwire
import programs
from conftest import eventually
from test_async_loops import STALLED, asked, descriptors, opened
from wire import END, SILENCE, answer, finish, pause, piece, stream, text

DEADLINE = 60.0


def run(main, backend="trio"):
    """Runs it on one of anyio's backends, no longer than it may take."""

    async def bounded():
        with anyio.fail_after(DEADLINE):
            return await main()

    if backend == "trio alone":

        async def alone():
            with trio.fail_after(DEADLINE):
                return await main()

        return trio.run(alone)
    return anyio.run(bounded, backend=backend)


BACKENDS = ["trio alone", "trio", "asyncio"]
TRIO = pytest.mark.parametrize("backend", BACKENDS[:1])
ALL = pytest.mark.parametrize("backend", BACKENDS)


@ALL
def test_calls_and_streams_at_once(make, backend):
    """32 plain calls and 32 streams in one nursery; each gets its own answer."""
    found = {}

    async def whole(client, number):
        answer = await asked(client, f"plain {number}")
        found["plain", number] = answer.choices[0].message.content

    async def streamed(client, number):
        chunks = [chunk async for chunk in await asked(client, f"stream {number}", stream=True)]
        found["stream", number] = text(chunks)

    async def main():
        async with make() as client, anyio.create_task_group() as tasks:
            for number in range(32):
                tasks.start_soon(whole, client, number)
                tasks.start_soon(streamed, client, number)

    run(main, backend)
    kinds = [(kind, number) for kind in ("plain", "stream") for number in range(32)]
    assert found == {(kind, number): f"{kind} {number}" for kind, number in kinds}


@pytest.mark.thread_unsafe("the descriptors and threads of the process are counted")
@ALL
def test_one_client_in_one_run_after_another(make, backend):
    """No run leaves a descriptor behind."""
    client = make()

    async def main():
        return (await asked(client)).choices[0].message.content

    assert run(main, backend) == "hello"
    gc.collect()
    before = descriptors()
    assert [run(main, backend) for _ in range(20)] == ["hello"] * 20
    gc.collect()
    eventually("no descriptor is left", lambda: descriptors() <= before)


@ALL
def test_a_scope_that_is_cancelled_closes_the_exchange(quiet, make, backend):
    """Of a call that waits for its head."""
    client = make(SILENCE)

    async def main():
        with anyio.move_on_after(0.1) as scope:
            await asked(client)
        assert scope.cancelled_caught
        while quiet.open_connections():
            # clock: between two looks
            await anyio.sleep(0.01)

    run(main, backend)


@ALL
def test_cancelling_a_wait_loses_nothing(make, backend):
    """A wait of 1 ms again and again; every number comes once, in its order."""
    steps = [step for number in range(40) for step in (piece(str(number)), pause(0.004))]
    client = make(stream(*steps, finish(), *END))

    async def main():
        chat, found, given_up = await opened(client), [], 0
        while True:
            chunk = "none"
            with anyio.move_on_after(0.001):
                chunk = await anext(chat, None)
            if chunk is None:
                break
            if chunk == "none":
                given_up += 1
            else:
                found.append(chunk.choices[0].delta.content)
        assert found == [*map(str, range(40)), None] and given_up > 0

    run(main, backend)


@ALL
def test_tasks_of_nested_groups_are_cancelled(quiet, make, backend):
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

    async def main():
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
        while quiet.open_connections():
            # clock: between two looks
            await anyio.sleep(0.01)

    run(main, backend)


@pytest.mark.thread_unsafe("what is measured is how long others wait")
@ALL
def test_a_stream_that_is_always_ready_starves_nobody(make, backend):
    """Other tasks run on, and a cancellation is heard."""
    # More than any machine reads in the time that it has.
    many = {**stream(piece("x"))["steps"][1], "times": 50_000_000}
    client = make(stream(many, finish(), *END), timeout=modelwire.Timeout(idle=DEADLINE))

    async def main():
        ticks, seen = [], 0
        chat = await opened(client)

        async def tick():
            while True:
                ticks.append(time.thread_time())  # what the loop's own thread worked meanwhile
                if seen > 1000 and len(ticks) > 5:
                    scope.cancel()
                # clock: the pace of who runs beside
                await anyio.sleep(0.001)

        async with anyio.create_task_group() as tasks:
            scope = anyio.CancelScope()
            tasks.start_soon(tick)
            with scope:
                async for _ in chat:
                    seen += 1
            assert scope.cancelled_caught
            tasks.cancel_scope.cancel()
        await chat.close()
        gaps = [later - sooner for sooner, later in zip(ticks, ticks[1:])]
        assert max(gaps) < 0.5

    run(main, backend)


@TRIO
def test_a_turn_is_a_checkpoint(make, backend):
    """The clock of trio's own tests sees that a task with chunks enough still gives way."""
    many = {**stream(piece("x"))["steps"][1], "times": 5_000}
    client = make(stream(many, finish(), *END))

    async def main():
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

    run(main, backend)


@ALL
def test_what_a_stream_has_beside_its_chunks(make, backend):
    """Pieces of text, batches, `async with`, the helper stream, a raw response."""
    paced = [pause(0.01), piece("a"), pause(0.01), piece("b"), pause(0.01), finish(), *END]
    client = make(*[stream(*paced)] * 4)

    async def main():
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

    run(main, backend)


@ALL
def test_errors_arrive(make, backend):
    """Those of the service and those of time."""
    client = make(answer({}, 404), SILENCE)

    async def main():
        with pytest.raises(modelwire.NotFoundError):
            await asked(client)
        with pytest.raises(modelwire.APITimeoutError):
            await asked(client, timeout=0.1)

    run(main, backend)


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


@pytest.mark.thread_unsafe("it is a program of its own")
def test_trio_alone_imports_no_asyncio_of_ours(service):
    """Nor is trio imported where asyncio runs."""
    source = """
        import trio
        def ask(client):
            return client.chat.completions.create(
                model="echo", messages=[{"role": "user", "content": "x"}])
        before = set(sys.modules)
        client = modelwire.AsyncClient()
        print(trio.run(ask, client).choices[0].message.content)
        assert "modelwire._loops.event_loop" not in sys.modules
        """
    assert programs.run(source, service.base_url) == "x\n"
    source = """
        import asyncio
        async def ask():
            return await modelwire.AsyncClient().chat.completions.create(
                model="echo", messages=[{"role": "user", "content": "x"}])
        print(asyncio.run(ask()).choices[0].message.content)
        assert "trio" not in sys.modules and "modelwire._loops.trio" not in sys.modules
        """
    assert programs.run(source, service.base_url) == "x\n"


@pytest.mark.thread_unsafe("it is a program of its own")
def test_ctrl_c_under_trio(service):
    """While a call waits."""
    service.script("trio-interrupt", [SILENCE])
    source = """
        import trio
        async def main():
            def interrupt():
                # clock: before or in the wait, both are to end the same
                time.sleep(0.3)
                os.kill(os.getpid(), signal.SIGINT)
            threading.Thread(target=interrupt, daemon=True).start()
            await modelwire.AsyncClient().chat.completions.create(
                model="m", messages=[{"role": "user", "content": "x"}])
        try:
            trio.run(main)
        except BaseException as error:
            while hasattr(error, "exceptions"):
                (error,) = error.exceptions
            print(type(error).__name__)
        """
    base_url = service.base_url.replace("/v1", "/scripts/trio-interrupt/v1")
    assert programs.run(source, base_url) == "KeyboardInterrupt\n"
