"""Exits, many times over: what fails once in fifty runs fails here. Runs where `-m deep` asks for
it."""

import pytest

from test_async_loops import PENDING
from test_processes import EXITS, STALLED, with_stalled_stream

RUNS = 100
pytestmark = pytest.mark.deep


@pytest.mark.parametrize("how", EXITS)
def test_exit(program, how):
    """A program with a stalled stream ends, well and without a word."""
    for _ in range(RUNS):
        program(with_stalled_stream(how), STALLED)


@pytest.mark.parametrize("how", PENDING)
def test_exit_of_an_event_loop(program, how):
    """With tasks that wait, and with a loop that goes on."""
    for _ in range(RUNS):
        program(PENDING[how], STALLED)


def test_exit_while_it_logs(program):
    """A thread hands on records while the interpreter ends."""
    source = """
        import io, logging
        logging.basicConfig(stream=io.StringIO(), level=logging.DEBUG)
        chat = ask(modelwire.Client(), model="m", stream=True)
        threading.Thread(target=list, args=(chat,), daemon=True).start()
    """
    for _ in range(RUNS):
        program(source, STALLED)
