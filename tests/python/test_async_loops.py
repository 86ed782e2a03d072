"""What only an asynchronous client can do wrong: cancellation, many event loops, fairness."""

import asyncio
import contextlib
import contextvars
import gc
import itertools
import os
import resource
import time
import warnings
from functools import partial

import anyio
import pytest

import lockstep
import modelwire
from conftest import KEY, eventually, together
from lockstep import Held
from loops import DEADLINE, LOOPS, ON_ALL, ON_LOOPS, run, until_closed, within
from modelwire.testing import Service
from wire import (
    ANSWER,
    END,
    HELLO,
    SILENCE,
    STALL,
    answer,
    events,
    finish,
    pause,
    piece,
    sent,
    stream,
    text,
)

STALLED = stream(piece("a"), STALL)


def opened(client, **fields):
    return client.chat.completions.create(model="m", messages=HELLO, stream=True, **fields)


def asked(client, content="hello", **fields):
    messages = [{"role": "user", "content": content}]
    return client.chat.completions.create(model="echo", messages=messages, **fields)


def descriptors():
    return len(os.listdir("/proc/self/fd"))


@contextlib.contextmanager
def no_descriptors():
    """None can be opened: the lowest free numbers are taken, and the limit ends there."""
    taken, limits = [], resource.getrlimit(resource.RLIMIT_NOFILE)
    used = max(map(int, os.listdir("/proc/self/fd")))
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + 1, limits[1]))
    try:
        with contextlib.suppress(OSError):
            while True:
                taken.append(os.open(os.devnull, os.O_RDONLY))
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        for number in taken:
            os.close(number)


@pytest.mark.parametrize("kind", ["asyncio", "trio alone"])
@pytest.mark.thread_unsafe(reason="takes all descriptors of the process")
def test_nothing_is_sent_without_a_descriptor_to_wait_with(kind):
    """The connection is there, from another loop; this loop has no descriptor for its waits yet."""
    calls = []

    async def refused_then_not(client):
        with no_descriptors(), pytest.raises(modelwire.APIConnectionError, match="descriptor"):
            await asked(client)
        return await asked(client)

    with Service() as service:
        client = modelwire.AsyncOpenAI(
            base_url=service.base_url, api_key=service.api_key, on_call=calls.append
        )
        run(partial(asked, client), kind)  # what is imported late is imported now
        answer = run(partial(refused_then_not, client), kind)
        assert answer.choices[0].message.content == "hello"
        assert modelwire.flush_calls(DEADLINE)
        assert len(calls) == len(service.requests) == 2


@ON_ALL
async def test_calls_at_once(make, kind):
    """64 plain calls and 64 streams on one loop; each gets its own answer."""
    found = {}

    async def whole(client, number):
        answer = await asked(client, f"plain {number}")
        found["plain", number] = answer.choices[0].message.content

    async def streamed(client, number):
        chunks = [chunk async for chunk in await asked(client, f"stream {number}", stream=True)]
        found["stream", number] = text(chunks)

    async with make() as client, anyio.create_task_group() as tasks:
        for number in range(64):
            tasks.start_soon(whole, client, number)
            tasks.start_soon(streamed, client, number)
    kinds = [(kind, number) for kind in ("plain", "stream") for number in range(64)]
    assert found == {(kind, number): f"{kind} {number}" for kind, number in kinds}


@pytest.mark.thread_unsafe("the descriptors and threads of the process are counted")
@ON_ALL
def test_one_client_on_one_loop_after_another(make, kind):
    """asyncio.run after asyncio.run; no loop leaves a descriptor behind."""
    client = make()

    async def main():
        return (await asked(client)).choices[0].message.content

    assert run(main, kind) == "hello"
    gc.collect()
    before = descriptors()
    assert [run(main, kind) for _ in range(50)] == ["hello"] * 50
    gc.collect()
    eventually("no descriptor is left", lambda: descriptors() <= before)


@pytest.mark.thread_unsafe("the descriptors of the process are counted")
def test_a_closed_loop_leaks_no_descriptor(make):
    """A program that only closes its loop leaks nothing either."""
    client = make()
    for attempt in range(20):
        loop = asyncio.new_event_loop()
        loop.run_until_complete(asked(client))
        loop.close()
        del loop
        if attempt == 4:  # the hub is there, and the service known: calls share a connection
            gc.collect()
            before = descriptors()
    gc.collect()
    eventually("no descriptor is left", lambda: descriptors() <= before)


def test_loops_in_threads_share_a_client(make):
    """8 threads, each with a loop of its own."""
    client = make()
    found = []

    async def calls(number):
        answers = await asyncio.gather(*(asked(client, f"{number} {turn}") for turn in range(8)))
        found.extend(answer.choices[0].message.content for answer in answers)

    together(*[partial(run, partial(calls, number)) for number in range(8)])
    assert sorted(found) == sorted(f"{a} {b}" for a in range(8) for b in range(8))
    assert client.usage()["echo"]["calls"] == 64


def test_a_stream_of_one_loop_is_awaited_on_another(make):
    """A stream belongs to no loop."""
    client = make(stream(piece("a"), pause(0.1), piece("b"), pause(0.1), finish(), *END))
    chat = run(lambda: opened(client))

    async def step():
        return (await anext(chat)).choices[0].delta.content

    assert [run(step) for _ in range(3)] == ["a", "b", None]


def test_without_a_loop_there_is_a_clear_error(make):
    """Nothing is sent."""
    client = make(ANSWER)
    with pytest.raises(modelwire.OpenAIError, match="running event loop") as raised:
        asked(client).send(None)
    assert raised.value.hint and make.requests() == []


@ON_ALL
@pytest.mark.parametrize(
    ("stage", "exchange"),
    [
        ("head", SILENCE),
        ("body", {"steps": [{"send": "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"}, STALL]}),
    ],
)
async def test_a_cancelled_call_closes_its_exchange(quiet, make, stage, exchange, kind):
    """Whether it waits for the head or for the body."""
    client, ended = make(exchange), []

    async def ask():
        try:
            await asked(client)
        except BaseException as error:
            ended.append(type(error))
            raise

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask)
        while not make.requests():
            # clock: between two looks
            await anyio.sleep(0.01)
        tasks.cancel_scope.cancel()
    assert ended == [anyio.get_cancelled_exc_class()]
    await until_closed(quiet)


async def test_a_call_that_is_cancelled_between_attempts_is_not_tried_again(make):
    """The next attempt is never made."""
    client = make(answer({}, 429, retry_after="1"))
    begun, asking = time.monotonic(), asyncio.ensure_future(asked(client))
    while not make.requests():
        # clock: between two looks
        await asyncio.sleep(0.01)
    # clock: until it has the answer and waits; if it has not, both are to end the same
    await asyncio.sleep(0.2)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    is_late = time.monotonic() - begun >= 1
    # clock: should it be late, what was sent before is read
    await asyncio.sleep(0.3)
    before = len(make.requests())
    assert before == 1 or is_late
    # clock: the next attempt never comes, however long it is waited for
    await asyncio.sleep(1.2)
    assert len(make.requests()) == before


async def test_a_call_that_is_cancelled_while_it_connects(deaf_url):
    """At once."""
    timeout = modelwire.Timeout(connect=2 * DEADLINE)
    client = modelwire.AsyncClient(base_url=deaf_url, api_key=KEY, timeout=timeout)
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(asked(client), 0.1)


@pytest.mark.thread_unsafe("a thread collects no garbage while another does")
def test_a_call_that_is_never_awaited_is_never_made(make):
    """As any coroutine."""
    client = make(ANSWER)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        asked(client)
        gc.collect()
    assert make.requests() == []


@ON_ALL
def test_cancelling_a_wait_loses_nothing(kind):
    """A wait of 1 ms again and again; every number comes once, in its order.

    Each number is sent once a wait for it was given up, so it meets the next wait at any moment.
    """
    numbers, found = [*map(str, range(60))], []
    held = Held(*map(piece, numbers), finish(), *END)

    async def main():
        async with modelwire.AsyncClient(base_url=url, api_key=KEY) as client:
            chat = await opened(client)
            while True:
                try:
                    chunk = await within(0.001, anext(chat, None), kind)
                except TimeoutError:
                    held.go()
                    continue
                if chunk is None:
                    break
                found.append(chunk.choices[0].delta.content)
        assert found == [*numbers, None] and chat.end == "done_mark"

    with lockstep.serving(held) as url:
        run(main, kind)


async def test_a_wait_that_was_never_begun_has_taken_nothing(make):
    """Dropped, closed or thrown into before its first step."""
    client = make(events(piece("a"), piece("b"), finish()))
    chat = await opened(client)
    chat.__anext__()
    chat.__anext__().close()
    with pytest.raises(ZeroDivisionError):
        chat.__anext__().throw(ZeroDivisionError())
    task = asyncio.ensure_future(chat.__anext__())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert text([chunk async for chunk in chat]) == "ab"


async def test_a_step_of_a_stream_can_be_a_task(make):
    """create_task takes what __anext__ gives, as it does in openai-python."""
    client = make(stream(piece("a"), pause(0.05), piece("b"), finish(), *END))
    chat = await opened(client)
    first = await asyncio.create_task(chat.__anext__())
    second = await asyncio.create_task(chat.__anext__())
    assert first.choices[0].delta.content + second.choices[0].delta.content == "ab"


async def test_an_awaitable_cannot_be_awaited_by_two_tasks(make):
    """The task that comes second is told, and the first one goes on."""
    client = make(STALLED)
    chat = await opened(client)
    await chat.__anext__()
    step = chat.__anext__()

    async def waits():
        return await step

    first = asyncio.ensure_future(waits())
    # clock: the first one awaits after one turn of the loop
    await asyncio.sleep(0.05)
    with pytest.raises(RuntimeError, match="being awaited already"):
        await asyncio.wait_for(waits(), DEADLINE)
    assert not first.done()
    await chat.close()
    # A coroutine cannot raise StopAsyncIteration itself.
    with pytest.raises((StopAsyncIteration, RuntimeError)) as raised:
        await asyncio.wait_for(first, DEADLINE)
    assert isinstance(raised.value.__cause__ or raised.value, StopAsyncIteration)


async def test_an_awaitable_is_awaited_once(make):
    """As any coroutine."""
    client = make(events(piece("a"), finish()))
    chat = await opened(client)
    step = chat.__anext__()
    await step
    with pytest.raises(RuntimeError, match="already awaited"):
        await step
    closing = chat.aclose()
    await closing
    with pytest.raises(RuntimeError, match="already awaited"):
        await closing


async def test_two_tasks_share_a_stream(make):
    """Each chunk reaches one of them, and both see the end."""
    steps = [step for number in range(40) for step in (piece(str(number)), pause(0.002))]
    client = make(stream(*steps, finish(), *END))
    chat = await opened(client)

    async def read():
        return [chunk.choices[0].delta.content async for chunk in chat]

    first, second = await asyncio.gather(read(), read())
    numbers = [int(content) for content in first + second if content is not None]
    assert sorted(numbers) == list(range(40))


def ways_to_leave():
    async def leave_with(chat):
        async with chat:
            await anext(chat)

    async def leave_with_error(chat):
        with pytest.raises(ZeroDivisionError):
            async with chat:
                raise ZeroDivisionError

    async def break_out(chat):
        async for _ in chat:
            break

    async def close_unawaited(chat):
        chat.close()

    async def aclose(chat):
        await chat.aclose()
        await chat.aclose()
        assert [chunk async for chunk in chat] == [] and chat.end is None

    async def close_while_waiting(chat):
        await anext(chat)
        waiting = asyncio.ensure_future(chat.__anext__())
        # clock: before or in the wait, both are to end the same
        await asyncio.sleep(0.02)
        await chat.close()
        with pytest.raises(StopAsyncIteration):
            await waiting

    ways = [leave_with, leave_with_error, break_out, close_unawaited, aclose, close_while_waiting]
    return {way.__name__: way for way in ways}


@pytest.mark.parametrize("way", ways_to_leave())
async def test_an_abandoned_stream_closes_its_connection(quiet, make, way):
    """Leaving `async with`, closing and dropping it end the exchange at once."""
    client = make(STALLED)
    chat = await opened(client)
    assert quiet.open_connections() == 1
    await ways_to_leave()[way](chat)
    del chat
    await until_closed(quiet)


@pytest.mark.thread_unsafe("what is measured is how long others wait")
@ON_ALL
async def test_a_busy_stream_does_not_starve_other_tasks(make, kind):
    """Other tasks run on, and a cancellation is heard."""
    # More than any machine reads in the time that it has.
    many = {**sent(piece("x")), "times": 50_000_000}
    client = make(stream(many, finish(), *END), timeout=modelwire.Timeout(idle=DEADLINE))
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


@pytest.mark.thread_unsafe("the descriptors and threads of the process are counted")
async def test_abandoned_streams_leak_no_file_descriptor(quiet, make):
    """200 streams, each left after its first chunk."""
    client = make(STALLED)

    async def abandon():
        async for chunk in await opened(client):
            assert chunk.choices[0].delta.content == "a"
            break

    async with await opened(client) as chat:
        await anext(chat)
        with pytest.raises(asyncio.TimeoutError):  # who waits has the loop watch a descriptor
            await asyncio.wait_for(chat.__anext__(), 0.05)
    await until_closed(quiet)
    before = descriptors()
    for _ in range(200):
        await abandon()
    gc.collect()
    while quiet.open_connections() or descriptors() > before:
        # clock: between two looks
        await asyncio.sleep(0.01)


async def test_closing_the_response_ends_the_stream(make):
    """`aclose` is awaited, as in openai-python."""
    client = make(STALLED)
    chat = await opened(client)
    assert await anext(chat) and not chat.response.is_closed
    await chat.response.aclose()
    assert [chunk async for chunk in chat] == [] and chat.response.is_closed


async def test_a_cancelled_wait_loses_no_event_of_a_helper_stream(make):
    """Events of a chunk that was taken wait for the next one who asks."""
    steps = [step for number in range(20) for step in (piece(str(number)), pause(0.005))]
    client = make(stream(*steps, finish(), *END))
    found = []
    async with client.chat.completions.stream(model="m", messages=HELLO) as chat:
        while not found or found[-1].type != "content.done":
            with contextlib.suppress(asyncio.TimeoutError):
                found.append(await asyncio.wait_for(anext(chat), 0.001))
    deltas = [event.delta for event in found if event.type == "content.delta"]
    assert deltas == [str(number) for number in range(20)]
    assert found[-1].content == "".join(deltas)


async def test_api_key_may_be_a_function(make, service):
    """By a coroutine function, before each call."""
    keys = iter(["sk-first", "sk-second"])

    async def key():
        await asyncio.sleep(0)
        return next(keys)

    client = make(ANSWER, api_key=key)
    for _ in range(2):
        await client.chat.completions.create(model="m", messages=HELLO)
    sent = [dict(request["headers"])["authorization"] for request in make.requests()]
    assert sent == ["Bearer sk-first", "Bearer sk-second"]


async def test_the_list_of_models_is_awaited_or_iterated(make):
    """Both ways, as in openai-python."""
    client = make()
    models = await client.models.list()
    ids = [model.id for model in models]
    assert ids == [model.id async for model in models]
    assert ids == [model.id async for model in client.models.list()]
    assert not models.has_next_page() and [page async for page in models.iter_pages()]


PENDING = {
    "pending tasks": """
        import asyncio
        async def main():
            client = modelwire.AsyncClient()
            chat = await ask(client, model="m", stream=True)
            await anext(chat)
            asyncio.ensure_future(anext(chat))
            # clock: before or in the wait, both are to end the same
            await asyncio.sleep(0.005)

        asyncio.run(main())
    """,
    "a loop that never ends": """
        import asyncio
        async def main():
            client = modelwire.AsyncClient()
            chat = await ask(client, model="m", stream=True)
            async for chunk in chat:
                ready.set()

        ready = threading.Event()
        threading.Thread(target=asyncio.run, args=(main(),), daemon=True).start()
        ready.wait()
    """,
}


@pytest.mark.parametrize("how", PENDING)
def test_exit(program, how):
    """A program with a stalled stream ends, well and without a word."""
    for _ in range(5):
        program(PENDING[how], stream(piece("a"), piece("b"), STALL))


def test_fork_under_a_running_loop(service, program):
    """The child makes a loop of its own and calls."""
    program(
        """
        import asyncio
        client = modelwire.AsyncClient()

        def of_child():
            thread = threading.Thread(target=lambda: asyncio.run(main()))
            thread.start()
            thread.join()

        async def main(is_parent=False):
            await ask(client)
            if is_parent:
                assert in_child(of_child)
                await ask(client)

        asyncio.run(main(True))
        """,
    )
    assert len(service.requests()) == 3


@pytest.mark.thread_unsafe("what is measured is how long others wait")
@ON_LOOPS
@pytest.mark.parametrize("way", ["there", "trickling"])
async def test_tasks_that_share_a_stream_all_make_progress(kind, way):
    """Whether chunks are there already or trickle in, each task has its share."""
    order = []

    async def read(task):
        held.go()
        async for _ in shared:
            order.append(task)
            held.go()

    if way == "there":
        count, one = 6000, sent(piece("x"))["send"]
        held = Held({"send": one * count}, finish(), *END)
    else:
        count = 60
        held = Held(*[piece("x")] * count, finish(), *END)
    with lockstep.serving(held) as url:
        async with modelwire.AsyncClient(base_url=url, api_key=KEY) as client:
            shared = await opened(client)
            await asyncio.gather(*map(read, range(3)))
    assert len(order) == count + 1
    if way == "there":
        # Of turns: one also ends after 5 ms, so its chunks may be few on a busy machine. It has 128
        # at most; two in a row look like one.
        order = [task for task, _ in itertools.groupby(order)]
        assert len(order) > count / 256, "turns that are too long"
    shares = [order.count(task) for task in range(3)]
    assert min(shares) > len(order) / 6, shares


@ON_LOOPS
async def test_a_task_goes_on_in_its_own_context(make, kind):
    """Each of two tasks sees its own variables after each wait, whoever woke it."""
    steps = [step for number in range(20) for step in (piece(str(number)), pause(0.002))]
    client = make(*[stream(*steps, finish(), *END)] * 2)
    who = contextvars.ContextVar("who")

    async def read(name):
        who.set(name)
        async for _ in await opened(client):
            assert who.get() == name
        return who.get()

    assert await asyncio.gather(read("a"), read("b")) == ["a", "b"]


@ON_LOOPS
async def test_a_cancelled_wait_keeps_its_message(make, kind):
    """As a future of asyncio's; a second cancellation changes nothing."""

    async def cancelled(waiting):
        task = asyncio.ensure_future(waiting)
        # clock: between two looks
        await asyncio.sleep(0.01)
        assert task.cancel("enough") and task.cancel("again")
        with pytest.raises(asyncio.CancelledError) as raised:
            await task
        return raised.value.args

    async with await opened(make(STALLED)) as chat:
        await anext(chat)
        assert await cancelled(chat.__anext__()) == await cancelled(asyncio.Event().wait())


async def test_a_task_that_shields_itself_waits_on():
    """The cancellation of the outer one leaves the wait as it is."""
    held = Held(piece("a"), piece("b"))
    with lockstep.serving(held) as url:
        async with modelwire.AsyncClient(base_url=url, api_key=KEY) as client:
            chat = await opened(client)
            held.go()
            await anext(chat)
            task = asyncio.ensure_future(chat.__anext__())
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(asyncio.shield(task), 0.01)
            held.go()
            assert (await task).choices[0].delta.content == "b"
            await chat.close()


@pytest.mark.thread_unsafe("a thread collects no garbage while another does")
@pytest.mark.parametrize("kind", ["asyncio", "uvloop"])
def test_a_program_that_interrupts_itself_loses_no_wake(make, kind):
    """What ends the loop in the middle of a wake leaves the others to the next turn."""
    client = make(*[stream(pause(0.1), piece("a"), finish(), *END)] * 8)
    loop = LOOPS[kind]()
    done = []

    async def read(number):
        async for _ in await opened(client):
            done.append(number)
            if len(done) == 1:
                raise KeyboardInterrupt
            break

    tasks = [loop.create_task(read(number)) for number in range(8)]
    with pytest.raises(KeyboardInterrupt):
        loop.run_until_complete(asyncio.wait(tasks, timeout=DEADLINE))
    loop.run_until_complete(asyncio.wait(tasks, timeout=DEADLINE))
    assert sorted(done) == list(range(8))
    assert [task for task in tasks if isinstance(task.exception(), KeyboardInterrupt)]
    loop.close()
    del tasks  # what they raised holds their frames, and those the streams
    gc.collect()


def test_a_loop_works_after_shutdown_asyncgens(make):
    """With a new descriptor."""
    client = make()
    loop = asyncio.new_event_loop()
    for _ in range(3):
        assert loop.run_until_complete(asked(client)).choices
        loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


@ON_LOOPS
async def test_a_traceback_holds_no_stream(quiet, make, kind):
    """The exception of a wait that was cancelled is kept; the stream goes all the same."""
    client = make(STALLED)
    chat = await opened(client)
    await anext(chat)
    try:
        await asyncio.wait_for(chat.__anext__(), 0.01)
    except asyncio.TimeoutError as error:
        kept = error
    del chat
    await until_closed(quiet)
    assert kept
