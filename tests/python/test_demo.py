"""The example that users copy: what it prints against the service."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import programs
from wire import answer, events, finish, piece

pytestmark = pytest.mark.thread_unsafe("each test is a program of its own")

DEMO = Path(__file__).parent / "demo.py"
# What it must print: the same in every language.
EXPECTED = Path(__file__).parents[1] / "demo"
# As tests/demo/run starts it: with the models that only the loopback service has.
SHOWN = {
    "MODELWIRE_DEMO_STREAM_ONLY_MODEL": "echo-stream-only",
    "MODELWIRE_DEMO_REFUSED_MODEL": "recovers",
}


def run(base_url, **variables):
    """Runs the example; what it printed, without the number of the request id."""
    environment = {**programs.environment(base_url), **variables}
    command = [sys.executable, str(DEMO)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    return done.returncode, re.sub("req-[0-9]+", "req-N", done.stdout), done.stderr


def expected(name):
    """A program that ended well and printed this."""
    return 0, (EXPECTED / name).read_text(), ""


def test_demo(service):
    """The operations, an error and the sums."""
    assert run(service.base_url, **SHOWN) == expected("expected.txt")
    assert len(service.requests()) == 10


def test_demo_of_a_model_that_only_streams(service):
    """A plain call that is refused is made again with stream_only."""
    done = run(service.base_url, **SHOWN, MODELWIRE_MODEL="echo-stream-only")
    assert done == expected("only_streams.txt")
    assert len(service.requests()) == 11


def test_demo_of_a_service_without_responses(service):
    """An unknown model may be answered, and /responses may be missing."""
    whole = answer({"choices": [{"message": {"content": "Hello!"}, "finish_reason": "stop"}]})
    streamed = events(piece("Hel"), piece("lo!"), finish())
    models = answer({"data": [{"id": "only"}]})
    exchanges = [models, whole, streamed, answer("no such path", 404), streamed, whole]
    assert run(service.script("demo", exchanges)) == expected("without_responses.txt")


@pytest.mark.parametrize(
    ("variables", "complaint", "advice"),
    [
        ({"MODELWIRE_API_KEY": "sk-wrong"}, "Incorrect API key provided", "Copy the whole API key"),
        ({"MODELWIRE_MODEL": "forbidden"}, "The balance of this account", "Check in the service's"),
        ({"MODELWIRE_MODEL": "broken"}, "The server had an error", "A temporary fault"),
        ({"MODELWIRE_MODEL": "cut"}, "", "The service may have processed the request"),
        ({"MODELWIRE_BASE_URL": ""}, "no base URL is configured", "Set MODELWIRE_BASE_URL"),
    ],
)
def test_demo_reports_a_failure(service, variables, complaint, advice):
    """With its hint, each once, and a code that is not 0."""
    code, _, said = run(service.base_url, **variables)
    assert code == 1 and said.count(advice) == 1 and "Traceback" not in said
    assert complaint in said and said.count(complaint or said) == 1


def test_demo_is_short():
    """An example to be read. Its nine parts, among them a model that only streams and a call that
    is refused at first, take as many lines as nine short functions do."""
    assert len(DEMO.read_text().splitlines()) <= 170
