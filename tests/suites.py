#!/usr/bin/env python3
"""Runs the test suites side by side: the test programs that cargo builds, the examples in the
documentation of the crates, and pytest.

    tests/suites.py [WORD...]

Each WORD chooses the suites whose name has it ("c/", "rust/scenarios", "python"). Most suites wait
for sockets and processes, so twice as many run at once as there are processors; SUITES_AT_ONCE
sets how many. The output of a suite that fails is printed whole, of any other one line. A test
never depends on what runs beside it.
"""

import json
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CARGO = ["cargo", "test", "--quiet", "--locked"]
PYTEST = [sys.executable, "-m", "pytest", "--color=no"]
# Parts into which the files of pytest are dealt.
PYTEST_PARTS = 6
# The longest suites start first, so that none of them is left over at the end.
LONGEST = ["c/", "python", "cpp/", "rust/scenarios", "bulk/", "core/"]
COUNTS = re.compile(r"(\d+) (passed|failed|errors?)\b")
# The line at the end, of cargo and of pytest; what a failing test shows may count as well.
SUMMARY = re.compile(r"^.*\bin \d[\d.]*s\b.*$", re.MULTILINE)


def test_programs():
    """The test programs of the workspace, built: (name, command, folder to run in)."""
    command = [*CARGO, "--no-run", "--message-format", "json-render-diagnostics"]
    build = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if build.returncode != 0:
        sys.exit(build.returncode)
    for line in build.stdout.splitlines():
        message = json.loads(line)
        if message.get("executable") and message.get("profile", {}).get("test"):
            folder = Path(message["manifest_path"]).parent
            name = f"{folder.relative_to(ROOT)}/{message['target']['name']}"
            yield name.removeprefix("tests/"), [message["executable"], "--quiet"], folder


def parts_of_pytest():
    """The test files of Python, dealt into parts, each for a process of its own."""
    files = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("tests/python/test_*.py"))
    for part in range(PYTEST_PARTS):
        name = f"python {part + 1}/{PYTEST_PARTS}"
        yield name, [*PYTEST, *files[part::PYTEST_PARTS]], ROOT


def suites(words):
    """All suites that the words choose, the longest first."""
    found = list(test_programs())
    found.append(("documentation", [*CARGO, "--doc"], ROOT))
    found.extend(parts_of_pytest())
    if words:
        found = [one for one in found if any(word in one[0] for word in words)]
    first = {name: rank for rank, name in enumerate(LONGEST)}
    return sorted(found, key=lambda one: min((first[n] for n in first if n in one[0]), default=9))


class Results:
    """What the suites that ended gave."""

    def __init__(self):
        self.lock = threading.Lock()
        self.passed = self.failed = 0
        self.broken = []

    def add(self, name, output, code, seconds):
        counts = {"passed": 0, "failed": 0}
        for number, word in COUNTS.findall(" ".join(SUMMARY.findall(output))):
            counts["passed" if word == "passed" else "failed"] += int(number)
        with self.lock:
            self.passed += counts["passed"]
            # A suite that ended badly before it could count failed as a whole.
            failed = counts["failed"] or int(code != 0)
            self.failed += failed
            if code != 0:
                self.broken.append(name)
                print(output, end="")
            word = f"{counts['passed']} passed" + (f", {failed} FAILED" if failed else "")
            print(f"{name}: {word} in {seconds[0]:.0f} s, {seconds[1]:.0f} s of CPU", flush=True)


def main(words):
    waiting = suites(words)
    if not waiting:
        sys.exit(f"no suite has one of these words in its name: {' '.join(words)}")
    results = Results()

    def worker():
        while True:
            with results.lock:
                if not waiting:
                    return
                name, command, folder = waiting.pop(0)
            begun = time.monotonic()
            run = subprocess.Popen(
                command,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
            )
            output = run.stdout.read()
            _, status, used = os.wait4(run.pid, 0)
            run.returncode = os.waitstatus_to_exitcode(status)
            seconds = time.monotonic() - begun, used.ru_utime + used.ru_stime
            results.add(name, output, run.returncode, seconds)

    at_once = int(os.environ.get("SUITES_AT_ONCE") or 2 * (os.cpu_count() or 1))
    workers = [threading.Thread(target=worker) for _ in range(at_once)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    if results.broken:
        print("not green: " + ", ".join(sorted(results.broken)))
    print(f"{results.passed} passed, {results.failed} failed")
    sys.exit(bool(results.broken))


if __name__ == "__main__":
    main(sys.argv[1:])
