"""The types that the package promises: against what is there, and as a typed program sees them.
Knows no behaviour."""

import subprocess
import sys
from pathlib import Path

import pytest

import programs

HERE = Path(__file__).parent
PY = HERE.parents[1] / "py"
EXAMPLES = sorted((PY / "examples").glob("*.py"))
PROGRAMS = [str(HERE / "typed_example.py"), *map(str, EXAMPLES)]

# Where stubs and the package differ on purpose, each with its reason.
ALLOWED = """
# The list that maturin writes into the extension module; stubs have no use for it.
modelwire\\._native\\.__all__
# Names of classes whose instances are of others; type checkers see them as subclasses.
modelwire\\.types\\.(_parsed|chat|responses)\\.Parsed.*
modelwire\\.types\\._parsed\\.T
# None of the class above it; each that is raised has one.
modelwire\\._errors\\.APIStatusError\\.status_code
"""


def check(tmp_path, *arguments):
    """Runs a checker away from the sources, so that it sees the installed package."""
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def test_stubs_are_true(tmp_path):
    """R-OP1: mypy.stubtest compares them with the classes that were built."""
    allowed = tmp_path / "allowed"
    allowed.write_text(ALLOWED)
    check(tmp_path, "mypy.stubtest", "modelwire", "--allowlist", str(allowed))


def test_stubs_are_what_their_tables_say(tmp_path):
    """R-OP1: each type is said once, in py/stubs/write.py."""
    done = subprocess.run([sys.executable, PY / "stubs" / "write.py", "--check"])
    assert done.returncode == 0


def test_typed_programs(tmp_path):
    """R-OP1: mypy --strict accepts the examples, and a program that uses the public surface."""
    check(tmp_path, "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), *PROGRAMS)


def test_the_package_itself_is_typed(tmp_path):
    """R-OP1: mypy --strict accepts it."""
    cache = str(tmp_path / "cache")
    check(tmp_path, "mypy", "--strict", "--cache-dir", cache, "-p", "modelwire")


def test_typed_programs_in_an_editor(tmp_path):
    """R-OP1: pyright accepts them too."""
    check(tmp_path, "pyright", "--pythonpath", sys.executable, *PROGRAMS)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_examples_run(service, example):
    """R-OP1: against the service that the tests have."""
    settings = {"MODELWIRE_MODEL": "echo", **programs.environment(service.base_url)}
    command = [sys.executable, example]
    done = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_examples_tell_a_failure(service, example):
    """R-ERR1: the message and what to do about it, once."""
    settings = {**programs.environment(service.base_url), "MODELWIRE_API_KEY": "sk-wrong"}
    settings["MODELWIRE_MODEL"] = "echo"
    command = [sys.executable, example]
    done = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert done.stderr.count("Incorrect API key provided") == 1
    assert done.stderr.count("Copy the whole API key again") == 1
