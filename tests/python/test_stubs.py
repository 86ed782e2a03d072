"""The types that the package promises: against what is there, and as a typed program sees them.
Knows no behaviour."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent

# Where stubs and the package differ on purpose, each with its reason.
ALLOWED = """
# The list that maturin writes into the extension module; stubs have no use for it.
modelwire\\._native\\.__all__
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


def test_a_typed_program(tmp_path):
    """R-OP1: mypy --strict accepts a program that uses all of the public surface."""
    example = str(HERE / "typed_example.py")
    check(tmp_path, "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), example)
