"""The Python programs in README.md and docs/python.md, run as their readers would, against the
stand-in. Knows nothing of what they do."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from modelwire.testing import Service

ROOT = Path(__file__).parents[2]
DEADLINE = 60.0


def programs():
    """Every block of Python, with the place where it begins."""
    for name in ("README.md", "docs/python.md"):
        text = (ROOT / name).read_text()
        for block in re.finditer(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
            line = text.count("\n", 0, block.start()) + 1
            yield pytest.param(block[1], id=f"{name}:{line}")


@pytest.mark.parametrize("program", list(programs()))
def test_programs_of_the_documents(program, tmp_path):
    """What a reader copies works."""
    file = tmp_path / "test_it.py"
    file.write_text(program.replace("a-model", "echo"))
    arguments = [file]
    if "def test_" in program:
        arguments = ["-m", "pytest", "-p", "no:cacheprovider", file]
    with Service() as service:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=tmp_path,
            env={**os.environ, **service.environment},
            capture_output=True,
            text=True,
            timeout=DEADLINE,
        )
    assert done.returncode == 0 and done.stderr == "", done.stdout + done.stderr
    assert done.stdout
