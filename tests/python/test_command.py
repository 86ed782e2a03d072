"""The command as `pip install` brings it: arguments, exit codes, Ctrl-C and broken pipes, which are
what the binary has."""

import os
import re
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import modelwire
import programs
from conftest import SOON, eventually
from wire import SILENCE

pytestmark = pytest.mark.thread_unsafe("each test is a program of its own")

SCRIPT = Path(sys.executable).with_name("modelwire")
FORMS = {"script": [str(SCRIPT)], "module": [sys.executable, "-m", "modelwire"]}
# The bar is 60 ms in a release build on an idle machine; a debug build on a busy one takes longer.
HELP_CPU_SECONDS_MAX = 0.6


def run(*arguments, base_url=None, form="script", **options):
    return subprocess.run(
        [*FORMS[form], *arguments],
        env=programs.environment(base_url),
        capture_output=True,
        timeout=programs.DEADLINE,
        **options,
    )


@pytest.mark.parametrize("form", FORMS)
def test_help(form):
    """Standard output has it, and the name of the command, however it was started."""
    done = run("--help", form=form)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"Usage: modelwire" in done.stdout and b"bulk" in done.stdout


@pytest.mark.parametrize("form", FORMS)
def test_version(form):
    """One version everywhere."""
    done = run("--version", form=form)
    assert done.stdout.decode() == f"modelwire {modelwire.__version__}\n"


def test_wrong_use():
    """Exit code 2 and a word of what is wrong, on standard error alone."""
    done = run("no-such-command")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"no-such-command" in done.stderr and b"Traceback" not in done.stderr


def test_arguments_of_any_bytes():
    """What is no UTF-8 reaches the command as it was given."""
    done = run("bulk", b"no-such-file-\xff.jsonl")
    assert done.returncode != 0 and b"Traceback" not in done.stderr


def test_help_is_cheap():
    """Starting Python is part of it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run("--help")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert spent < HELP_CPU_SECONDS_MAX


def test_the_command_imports_few_modules():
    """The package and what comes with Python's start, no further module of ours."""
    source = "import sys; import modelwire._command; print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True)
    found = {name for name in told.stdout.split() if name.startswith("modelwire.")}
    assert not found & {"modelwire.bulk", "modelwire.types", "modelwire.testing"}
    assert "asyncio" not in told.stdout.split() and "typing" not in told.stdout.split()


def test_a_closed_pipe_is_silent():
    """No traceback and no message where the reader has gone."""
    read, write = os.pipe()
    os.close(read)
    command = [*FORMS["script"], "--help"]
    try:
        done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, timeout=60)
    finally:
        os.close(write)
    assert b"Traceback" not in done.stderr and b"Exception" not in done.stderr


def test_ctrl_c_is_silent(service):
    """While a call waits; the code is what a shell expects of an interrupted program."""
    base_url = service.script("command-ctrl-c", [SILENCE])
    with subprocess.Popen(
        [*FORMS["script"], "models"],
        env=programs.environment(base_url),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            eventually("the request is there", lambda: service.requests("command-ctrl-c"))
            process.send_signal(signal.SIGINT)
            out, errors = process.communicate(timeout=SOON)
        finally:
            process.kill()
    assert process.returncode in (130, -signal.SIGINT)
    assert (out, errors) == (b"", b"")


def test_models(service):
    """A call of the command is one of the service."""
    done = run("models", base_url=service.base_url)
    assert (done.returncode, done.stderr) == (0, b"")
    assert re.search(rb"(?m)^echo\b", done.stdout)


def test_a_wrong_key_has_its_code(service):
    """11 is authentication."""
    settings = {**programs.environment(service.base_url), "MODELWIRE_API_KEY": "sk-wrong"}
    done = subprocess.run([*FORMS["script"], "models"], env=settings, capture_output=True)
    assert done.returncode == 11 and b"Incorrect API key" in done.stderr


@pytest.mark.parametrize(("begin", "format"), [(b"PAR1", "Parquet"), (b"ARROW1", "Arrow")])
def test_files_of_columns(tmp_path, begin, format):
    """The command names what reads them."""
    path = tmp_path / "in.columns"
    path.write_bytes(begin + bytes(100))
    done = run("bulk", str(path), "-o", str(tmp_path / "out"), base_url="http://127.0.0.1:9/v1")
    assert done.returncode == 2
    told = done.stderr.decode()
    assert (
        f"in.columns is {format}, not JSON lines" in told and "from modelwire import bulk" in told
    )
    assert ("read_parquet" in told) == (format == "Parquet") and "pip install pyarrow" in told
