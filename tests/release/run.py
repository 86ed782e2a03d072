"""Runs the checks of checks.txt, one after another, and writes what came of each into the table of
docs/platforms.md: a check that fails is written down as well, and fails this at its end.

    python3 tests/release/run.py [TARGET ...]    all of them, or these alone; rows of others stay
"""

import datetime
import re
import subprocess
import sys
import time

from artefacts import IN_CI, ROOT, Wrong, artefacts, checks, filled

PAGE = ROOT / "docs/platforms.md"
HEAD = "| check | shows | last result | on | with |\n|---|---|---|---|---|"


def results(text):
    """The rows that are there, by target."""
    rows = [line for line in text.splitlines() if line.startswith("| `tests/release/")]
    return {
        row.split("`")[1].removeprefix("tests/release/"): row
        for row in rows
        if row.count(" | ") == 4
    }


def said_by(command):
    done = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True)
    lines = (done.stdout or done.stderr).strip().splitlines()
    if done.returncode != 0 or not lines:
        raise Wrong(f"`{command}` tells no version")
    return lines[0].replace("|", "/")


def run(targets):
    """Runs targets one after another until one fails, showing what they say; returns whether none
    did, the seconds, the tests, and what they say that they could not do."""
    since, passed, lacks = time.monotonic(), 0, []
    for target in targets:
        with subprocess.Popen(
            [f"tests/release/{target}"],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as running:
            for line in running.stdout:
                print(line, end="", flush=True)
                passed += sum(map(int, re.findall(r"\b(\d+) passed\b", line)))
                if line.strip().lower().startswith(("not checked: ", "not run: ")):
                    lacks.append(line.strip())
        if running.returncode != 0:
            return (
                False,
                time.monotonic() - since,
                passed,
                [f"`tests/release/{target}` failed", *lacks],
            )
    return True, time.monotonic() - since, passed, lacks


def main(targets):
    known = {check.target: check for check in checks()}
    for row in artefacts():
        if row.run_by not in (None, IN_CI, *known):
            raise Wrong(f"checks.txt lacks {row.run_by}, which runs {row.file}")
    for target in targets:
        if target not in known:
            raise Wrong(f"there is no check {target!r}, but {', '.join(known)}")
    failed = []
    for target in targets or known:
        print(f"test-platforms: {target}", flush=True)
        parts = dict.fromkeys(
            row.made_by for row in artefacts() if row.run_by == target and row.file != "-"
        )
        is_good, seconds, passed, lacks = run([*parts, target])
        if not is_good:
            failed.append(target)
        came = "passed" if is_good else "**failed**"
        came += f", {passed} tests, in {seconds:.0f} s" if passed else f" in {seconds:.0f} s"
        came = "; ".join([came, *lacks])
        on = f"{datetime.date.today()}, {said_by('git rev-parse --short HEAD')}"
        with_ = ", ".join(map(said_by, known[target].versions)) if is_good else "-"
        text = PAGE.read_text()
        rows = results(text)
        rows[target] = (
            f"| `tests/release/{target}` | {known[target].shows} | {came} | {on} | {with_} |"
        )
        PAGE.write_text(
            filled(text, "results", "\n".join([HEAD, *(rows[one] for one in known if one in rows)]))
        )
    if failed:
        raise Wrong(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Wrong as wrong:
        sys.exit(f"test-platforms: {wrong}")
