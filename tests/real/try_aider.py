"""aider: edits of a file in a git repository, whole, streamed and as a patch, a question and a
commit message, through litellm."""
# needs: aider-chat==0.86.2

import os
import pathlib
import subprocess
import tempfile

os.environ["AIDER_ANALYTICS"] = "false"
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
home = pathlib.Path(tempfile.mkdtemp())  # it writes there
os.environ["HOME"] = str(home)
(home / ".gitconfig").write_text("[user]\nname = Tester\nemail = tester@example.com\n")
# With its list of models' prices at hand, it does not ask for it.
prices = home / ".aider" / "caches" / "model_prices_and_context_window.json"
prices.parent.mkdir(parents=True)
prices.write_text('{"some": {}}')

import drive

drive.stand_in()  # litellm, below it, makes the client

from aider.coders import Coder
from aider.io import InputOutput
from aider.models import Model

from modelwire.testing import error, text

OLD = "def hello():\n    return 1\n"
NEW = "def hello():\n    return 2\n"
WHOLE = f"hello.py\n```\n{NEW}```\n"
PATCH = f"hello.py\n```python\n<<<<<<< SEARCH\n{OLD}=======\n{NEW}>>>>>>> REPLACE\n```\n"


def repository():
    """A new git repository with one file, which is the working folder."""
    folder = pathlib.Path(tempfile.mkdtemp())
    os.chdir(folder)
    (folder / "hello.py").write_text(OLD)
    for command in ("init", "add hello.py", "commit -m First"):
        subprocess.run(["git", *command.split(" ")], check=True, capture_output=True)
    return folder


def model(service):
    found = Model("openai/echo", weak_model="openai/echo")
    found.extra_params = {
        "api_base": service.base_url,
        "api_key": service.api_key,
        "max_retries": 0,
    }
    found.weak_model.extra_params = found.extra_params
    return found


def coder(service, edit_format, **options):
    talk = InputOutput(yes=True, pretty=False, fancy_input=False)
    given = {"fnames": ["hello.py"], "map_tokens": 0, "auto_lint": False, **options}
    return Coder.create(model(service), edit_format, talk, **given)


def edited(service, answer, edit_format, stream):
    """What became of the file, and the subjects of the commits."""
    folder = repository()
    service.queue(answer, "Return two")
    coder(service, edit_format, stream=stream).run(with_message="Return 2.")
    log = subprocess.run(["git", "log", "--format=%s"], check=True, capture_output=True, text=True)
    return [(folder / "hello.py").read_text(), log.stdout.splitlines()]


@drive.case
def whole_file(service):
    return edited(service, WHOLE, "whole", False)


@drive.case
def whole_file_streamed(service):
    return edited(service, WHOLE, "whole", True)


@drive.case
def patch(service):
    return edited(service, PATCH, "diff", False)


@drive.case
def patch_streamed(service):
    return edited(service, PATCH, "diff", True)


@drive.case
def pieces(service):
    """The parts of an answer, for a program that shows them itself."""
    repository()
    service.queue("It says hello.")
    return list(coder(service, "ask", stream=True).run_stream("What is it?"))


@drive.case
def function(service):
    """A call of a function, as its own models of functions make it."""
    functions = [{"name": "weather", "parameters": {"type": "object", "properties": {}}}]
    service.queue(text("", tool_calls=[("weather", {"city": "Paris"})]))
    ask = [{"role": "user", "content": "Weather?"}]
    _, answer = model(service).send_completion(ask, functions, stream=False)
    return [call.function.arguments for call in answer.choices[0].message.tool_calls]


@drive.case
def simple(service):
    return model(service).simple_send_with_retries([{"role": "user", "content": "One two."}])


@drive.case
def refused(service):
    service.queue(error(403, "No."))
    ask = [{"role": "user", "content": "Say it."}]
    try:
        return str(model(service).send_completion(ask, None, stream=False))
    except Exception as failure:
        return [type(failure).__name__, "No." in str(failure)]


drive.main()
