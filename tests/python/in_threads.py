"""Runs the suite in many threads of one process at once: `python tests/python/in_threads.py 4`, and
what pytest is to be told. Each thread is a session of its own, with a service of its own, and
begins at another place of the suite.

pytest-run-parallel, which has many threads run one test, gives them all the same fixtures: they
would share one script of the service. What cannot run beside other tests is marked `thread_unsafe`,
with its reason, and left out; so is what takes a fixture that changes the process.
"""

import collections
import contextlib
import faulthandler
import sys
import threading
import traceback

import _pytest.runner
import pytest

# Fixtures that change what all threads have, or run a process.
OF_THE_PROCESS = {"capfd", "caplog", "capsys", "monkeypatch", "program"}
# What these would do is done here, once.
OPTIONS = ["-s", "-p", "no:faulthandler", "-p", "no:logging"]
OPTIONS += ["-p", "no:threadexception", "-p", "no:unraisableexception"]
STUCK_S = 3600  # where every thread stands is told then


class Gate:
    """Sessions are made one after the other, for pytest imports the tests, and run together."""

    def __init__(self, sessions):
        self.collecting = threading.Lock()
        self.all_collected = threading.Barrier(sessions)
        self.printing = threading.Lock()


class Session:
    """One thread: what ran there, and what failed."""

    def __init__(self, number, of, gate):
        self.number, self.of, self.gate = number, of, gate
        self.counts, self.failed, self.left_out = collections.Counter(), [], {}
        self.tests, self.code = 0, None

    def run(self, arguments):
        with contextlib.ExitStack() as self.turn:
            self.turn.enter_context(self.gate.collecting)
            try:
                self.code = pytest.main([*OPTIONS, *arguments], plugins=[self])
            except BaseException:
                self.failed.append(("the session itself", traceback.format_exc()))
            finally:
                if self.code not in (0, 1):
                    self.gate.all_collected.abort()

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config):
        config.pluginmanager.unregister(name="terminalreporter")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        kept = []
        for item in items:
            reason = alone(item)
            if reason:
                self.left_out[item.nodeid] = reason
            else:
                kept.append(item)
        self.tests = len(kept)
        first = len(kept) * self.number // self.of
        items[:] = kept[first:] + kept[:first]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        self.turn.close()
        if not session.testsfailed:
            self.gate.all_collected.wait()

    def pytest_collectreport(self, report):
        if report.failed:
            self.tell(report.nodeid, report.longreprtext)

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.failed or report.skipped:
            self.counts[report.outcome] += 1
            if self.counts.total() % 500 == 0:
                self.say(f"{self.counts.total()} of {self.tests}")
        if report.failed:
            self.tell(report.nodeid, report.longreprtext)

    def tell(self, name, text):
        self.failed.append((name, text))
        self.say(f"FAILED {name}\n{text}\n")

    def say(self, text):
        with self.gate.printing:
            print(f"thread {self.number}: {text}", flush=True)


def alone(item):
    """Why a test cannot run beside others; None if it can."""
    marker = item.get_closest_marker("thread_unsafe")
    if marker:
        return marker.args[0]
    fixtures = sorted(OF_THE_PROCESS.intersection(item.fixturenames))
    return f"fixture {fixtures[0]}" if fixtures else None


def main():
    number, arguments = int(sys.argv[1]), sys.argv[2:]
    faulthandler.enable()
    faulthandler.dump_traceback_later(STUCK_S, exit=True)
    # A variable of the process that says which test runs: there is not one, and C reads variables
    # of the process while this would write them.
    _pytest.runner._update_current_test_var = lambda item, when: None
    gate = Gate(number)
    sessions = [Session(one, number, gate) for one in range(number)]
    complaints = []
    sys.unraisablehook = lambda found: complaints.append(found.exc_value)
    threading.excepthook = lambda found: complaints.append(found.exc_value)
    threads = [threading.Thread(target=one.run, args=(arguments,)) for one in sessions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    reasons = collections.Counter(sessions[0].left_out.values())
    for reason, count in sorted(reasons.items()):
        print(f"left out, {count}: {reason}")
    for complaint in complaints:
        traceback.print_exception(complaint)
    for one in sessions:
        counts = ", ".join(f"{count} {outcome}" for outcome, count in sorted(one.counts.items()))
        print(f"thread {one.number}: {counts}")
    fine = all(one.code == 0 and not one.failed for one in sessions) and not complaints
    sys.exit(not fine)


if __name__ == "__main__":
    main()
