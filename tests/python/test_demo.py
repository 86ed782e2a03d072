"""The example that users copy: what it prints against the service. Knows nothing that it uses."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import programs
from wire import answer, events, finish, piece

DEMO = Path(__file__).parent / "demo.py"

ECHOED = """\
Models
  echo
  echo-stream-only
  echo-reasoning
  echo-tools
  limited
  recovers
  forbidden
  broken
  ... and 3 more
Chat (echo)
  Say hello in five words.
  (finished: stop)
Chat, streamed
  Say hello in five words.
  (5 pieces)
Response
  Say hello in five words.
  (finished: completed)
Response, streamed
  Say hello in five words.
  (5 pieces)
An error
  status      NotFoundError
  http status 404
  message     The model "no-such-model" does not exist or you do not have access to it.
  type        invalid_request_error
  code        model_not_found
  model       no-such-model
  path        /v1/chat/completions
  request id  req-
  metered     unknown
  hint        Check the base URL, the path and the model name.
What it cost
  calls: 4
  tokens: 20 in, 20 out, 40 in all
"""


def run(base_url, **variables):
    """Runs the example; what it printed, without the number of the request id."""
    environment = {**programs.environment(base_url), **variables}
    command = [sys.executable, str(DEMO)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=20)
    return done.returncode, re.sub("req-[0-9]+", "req-", done.stdout), done.stderr


def test_demo(service):
    """R-OP1, R-ERR1, R-MET1: the three operations, an error and the sums."""
    assert run(service.base_url) == (0, ECHOED, "")


def test_demo_of_a_service_without_responses(service):
    """R-OP1, R-F3: an unknown model may be answered, and /responses may be missing."""
    whole = answer({"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]})
    missing = answer({}, 404)
    exchanges = [answer([{"id": "a"}]), whole, events(piece("h"), piece("i"), finish())]
    code, output, complaint = run(service.script("demo", [*exchanges, missing, missing, whole]))
    assert (code, complaint) == (0, "")
    assert output.count("  (404: this service has no /responses)\n") == 2
    assert 'none: the service answered for "no-such-model" all the same' in output
    assert output.endswith("  calls: 3\n  tokens: 0 in, 0 out, 0 in all\n")


@pytest.mark.parametrize(
    ("variables", "complaint"),
    [
        ({"MODELWIRE_API_KEY": "sk-wrong"}, "Incorrect API key provided. (status 401)\nhint: "),
        ({"MODELWIRE_MODEL": "broken"}, "The server had an error"),
        ({"MODELWIRE_MODEL": "cut"}, "hint: The service may have processed the request"),
        ({"MODELWIRE_BASE_URL": ""}, "no base URL is configured\nhint: "),
    ],
)
def test_demo_tells_a_failure(service, variables, complaint):
    """R-ERR1, R-ERR5: with its hint, and a code that is not 0."""
    code, _, said = run(service.base_url, **variables)
    assert code == 1 and complaint in said and "Traceback" not in said


def test_demo_is_short():
    """R-OP1: an example to be read."""
    assert len(DEMO.read_text().splitlines()) <= 120
