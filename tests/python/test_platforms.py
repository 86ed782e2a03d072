"""The tables of what a release consists of: that they are complete, and that the documents have
them."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.thread_unsafe("it reads sources, and calls nothing")

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "tests/release"))

import artefacts  # noqa: E402

ROWS = artefacts.artefacts()
CHECKS = artefacts.checks()
SCRIPTS = {path.name for path in (ROOT / "tests/release").iterdir() if os.access(path, os.X_OK)}
TARGETS = set(re.findall(r"(?m)^([a-z-]+):", (ROOT / "Makefile").read_text()))


def test_the_documents_have_the_tables():
    """`make generate` writes them."""
    for path, text in artefacts.documents().items():
        assert path.read_text() == text, f"{path.name} is stale: run `make generate`"


def test_scripts_that_build_and_test_artefacts_exist():
    """As a script; and `test-platforms` makes a file and runs what runs it."""
    checks = {check.target for check in CHECKS}
    for row in ROWS:
        assert row.made_by in SCRIPTS or (row.made_by, row.file) == ("-", "-"), row
        assert row.run_by in {None, artefacts.IN_CI, *(SCRIPTS & checks)}, row
    assert checks <= SCRIPTS


def test_make_targets_and_scripts_named_in_the_docs_exist():
    files = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/README.md")]
    text = "\n".join(path.read_text() for path in [*files, *ROOT.glob("tests/*/README.md")])
    targets = set(re.findall(r"`make ([a-z-]+)", text))
    assert len(targets) > 8 and targets <= TARGETS, targets - TARGETS
    scripts = set(re.findall(r"`tests/release/([a-z-]+)(?![\w.-])", text))
    assert len(scripts) > 8 and scripts <= SCRIPTS, scripts - SCRIPTS


def test_make_help_names_every_target():
    done = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    named = re.findall(r"(?m)^make ([a-z-]+) ", done.stdout)
    assert set(named) == TARGETS - {"help"} and len(named) <= 13


def test_every_result_is_of_a_check():
    """What it says is that of the last run by hand."""
    text = (ROOT / "docs/platforms.md").read_text()
    [results] = re.findall(r"<!-- results: .*? -->\n(.*?)<!-- /results -->", text, re.DOTALL)
    told = re.findall(r"(?m)^\| `tests/release/([a-z-]+)` \| .*? \| (.*?) \|", results)
    assert {target for target, _ in told} <= {check.target for check in CHECKS}


def names():
    """A file for every row."""
    return [
        row.file.replace("{version}", artefacts.version()).replace("[0-9]*", "0").replace("*", "x")
        for row in ROWS
        if row.file != "-"
    ]


def test_every_file_has_a_row():
    """One, and every row a file."""
    of_each = artefacts.row_of_each(names(), ROWS)
    assert sorted(of_each) == sorted(names())
    with pytest.raises(artefacts.Wrong, match="surprise.whl has 0 rows"):
        artefacts.row_of_each([*names(), "surprise.whl"], ROWS)
    with pytest.raises(artefacts.Wrong, match="made no"):
        artefacts.row_of_each(names()[1:], ROWS)


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        ("a.whl | here | Python wheel | run | wheels | -", "what runs it is None"),
        ("a.whl | here | Python wheel | built | wheels | test-wheels", "'built'"),
        ("a.whl | here | Python wheel | seen | wheels | test-wheels", "nobody knows"),
        ("a.whl | here | Python wheel | built", "4 columns"),
    ],
)
def test_an_invalid_row_is_reported(monkeypatch, tmp_path, row, wrong):
    """What was run names what ran it."""
    (tmp_path / "artefacts.txt").write_text(f"# comment\n\n{row}\n")
    monkeypatch.setattr(artefacts, "HERE", tmp_path)
    with pytest.raises(artefacts.Wrong, match=wrong):
        artefacts.artefacts()


def test_a_platform_is_a_line():
    """With all that there is for it, and how each was tested."""
    rows = [
        artefacts.Artefact("a.whl", "here", "Python wheel", "run", "wheels", "test-wheels"),
        artefacts.Artefact("a.tar.gz", "here", "C library", "under wine", "zips", "test-zips"),
        artefacts.Artefact("b.whl", "there", "Python wheel", "built", "wheels", None),
        artefacts.Artefact("c.crate", artefacts.ANY, "Rust crate", "run", "crates", "check"),
    ]
    assert artefacts.platforms(rows).splitlines() == [
        "| platform | Python wheel | C library |",
        "|---|---|---|",
        "| here | run | run under wine |",
        "| there | built, not run | - |",
    ]
