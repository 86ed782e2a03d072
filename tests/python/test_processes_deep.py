"""Exits, many times over: what fails once in fifty runs fails here. Runs where `-m deep` asks for
it."""

import pytest

import programs
from test_async_loops import PENDING
from test_processes import EXITS
from wire import STALL, piece, stream

RUNS = 100
pytestmark = pytest.mark.deep


def address(service):
    service.script("exit-deep", [stream(piece("a"), piece("b"), STALL)])
    return service.base_url.replace("/v1", "/scripts/exit-deep/v1")


@pytest.mark.thread_unsafe("it is a program of its own")
@pytest.mark.parametrize("how", EXITS)
def test_exit(service, how):
    """A program with a stalled stream ends, well and without a word."""
    source = f"""
        client = modelwire.Client()
        messages = [{{"role": "user", "content": "x"}}]
        chat = client.chat.completions.create(model="m", messages=messages, stream=True)
        next(chat)
        {EXITS[how].strip()}
    """
    for _ in range(RUNS):
        programs.run(source, address(service))


@pytest.mark.thread_unsafe("it is a program of its own")
@pytest.mark.parametrize("how", PENDING)
def test_exit_of_an_event_loop(service, how):
    """With tasks that wait, and with a loop that goes on."""
    source = f"""
        import asyncio
        {PENDING[how].strip()}
    """
    for _ in range(RUNS):
        programs.run(source, address(service))


@pytest.mark.thread_unsafe("it is a program of its own")
def test_exit_while_it_logs(service):
    """A thread hands on records while the interpreter ends."""
    source = """
        import io, logging
        logging.basicConfig(stream=io.StringIO(), level=logging.DEBUG)
        client = modelwire.Client()
        messages = [{"role": "user", "content": "x"}]
        chat = client.chat.completions.create(model="m", messages=messages, stream=True)
        threading.Thread(target=list, args=(chat,), daemon=True).start()
    """
    for _ in range(RUNS):
        programs.run(source, address(service))
