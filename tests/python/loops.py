"""Event loops of all kinds; a test that is an `async def` runs on one, by a hook of conftest.py."""

import asyncio
import importlib

import pytest

DEADLINE = 60.0


def _uvloop():
    import uvloop

    return uvloop.new_event_loop()


def _in_python():
    """A loop whose tasks are written in Python, as instrumentation and debuggers have them."""
    loop = asyncio.new_event_loop()
    loop.set_task_factory(lambda loop, coroutine, **named: Task(coroutine, loop=loop, **named))
    return loop


def _with_debug():
    loop = asyncio.new_event_loop()
    loop.set_debug(True)
    loop.slow_callback_duration = DEADLINE
    return loop


def _eager():
    """Tasks that run until their first wait before anybody waits for them."""
    loop = asyncio.new_event_loop()
    loop.set_task_factory(asyncio.eager_task_factory)
    return loop


Task = asyncio.tasks._PyTask
# From Python 3.14 on, these tell only asyncio's functions in Python which task runs, and nobody
# looks there.
for _name in ("_enter_task", "_leave_task", "_swap_current_task"):
    if hasattr(asyncio.tasks, f"_py{_name}"):
        setattr(asyncio.tasks, f"_py{_name}", getattr(asyncio.tasks, _name))
LOOPS = {
    "asyncio": asyncio.new_event_loop,
    "uvloop": _uvloop,
    "tasks in Python": _in_python,
    "debug": _with_debug,
}
if hasattr(asyncio, "eager_task_factory"):
    LOOPS["eager"] = _eager
BACKENDS = ["trio alone", "anyio on trio", "anyio on asyncio"]
ON_LOOPS = pytest.mark.parametrize("kind", LOOPS)
ON_BACKENDS = pytest.mark.parametrize("kind", BACKENDS)
ON_ALL = pytest.mark.parametrize("kind", [*LOOPS, *BACKENDS])


def run(main, kind="asyncio"):
    """What `main` returns, run on an event loop of this kind, no longer than it may take."""

    async def bounded():
        with module.fail_after(DEADLINE):
            return await main()

    async def alone():
        try:
            return await asyncio.wait_for(main(), DEADLINE)
        finally:
            left = asyncio.all_tasks() - {asyncio.current_task()}
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)

    if kind in BACKENDS:
        module = importlib.import_module("trio" if kind == "trio alone" else "anyio")
        settings = {"backend": kind.removeprefix("anyio on ")} if module.__name__ == "anyio" else {}
        return module.run(bounded, **settings)
    loop = LOOPS[kind]()
    try:
        return loop.run_until_complete(alone())
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


async def within(seconds, waiting, kind):
    """What is awaited, or TimeoutError; on asyncio's loops by its own function, which may make a
    task of it."""
    if kind in LOOPS:
        try:
            return await asyncio.wait_for(waiting, seconds)
        except asyncio.TimeoutError:  # another class before Python 3.11
            raise TimeoutError from None
    import anyio

    with anyio.fail_after(seconds):
        return await waiting


async def until_closed(service):
    """Waits until no connection is open, while other tasks run."""
    import anyio

    while service.open_connections():
        # clock: between two looks
        await anyio.sleep(0.01)
