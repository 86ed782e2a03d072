"""The documents: their Python programs, run as their readers would, and their links. Knows nothing
of what the programs do."""

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
    for name in ("README.md", "docs/python.md", "docs/costs.md"):
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


def links():
    """Every link to a file, with the document in which it stands."""
    documents = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("py/*.md")]
    for document in sorted([*documents, *ROOT.glob("tests/*/README.md")]):
        for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", document.read_text()):
            if "://" not in link:
                yield document, link


def test_links_lead_somewhere():
    """What a reader clicks is there."""
    lost = [
        (str(document), link) for document, link in links() if not (document.parent / link).exists()
    ]
    assert not lost
