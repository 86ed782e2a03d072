"""openai-python's own tests of these operations' methods: every parameter, raw and streaming
forms, sync and async. Their files are unchanged, but for the lines that ask whether an answer is
a pydantic object and whether openai's telemetry was sent, and for bounds of no tokens, which no
service takes; the client and the service come from a conftest of ours."""
# needs: openai==3.52.0 pytest pytest-asyncio rich
# source: openai==3.52.0

import contextlib
import os
import pathlib
import shutil
import sys
import tempfile

import drive

drive.stand_in()

import pytest

TESTS = pathlib.Path(os.environ["REAL_SOURCES"]) / "openai-3.52.0" / "tests"
HERE = pathlib.Path(__file__).parent
# The operations that the service has, once each.
CHOSEN = "(create or (test_models and list)) and not aiohttp and not strict and not input_tokens"
NOT_ASKED = (
    "assert isinstance(value, type_)\n",
    "assert isinstance(value, BaseModel)\n",
    'assert response.http_request.headers.get("X-Stainless-Lang") == "python"\n',
)
# A made-up value of theirs, which is refused here before anything is sent.
NO_TOKENS = ("max_tokens=0,", "max_output_tokens=0,")


class Outcomes:
    """What became of each test."""

    def __init__(self):
        self.told = {}

    def pytest_runtest_logreport(self, report):
        name = report.nodeid.partition("::")[2]
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            self.told[name] = crash.message.splitlines()[0] if crash else "failed"
        elif report.when == "call":
            self.told[name] = report.outcome


def tests(path):
    def run(service):
        with tempfile.TemporaryDirectory() as folder:
            copied = pathlib.Path(folder) / "tests"
            (copied / path).parent.mkdir(parents=True)
            for name in ("__init__.py", "utils.py", path):
                source = (TESTS / name).read_text()
                for line in NOT_ASKED:
                    source = source.replace(line, "pass\n")
                for bound in NO_TOKENS:
                    source = source.replace(bound, bound.replace("0", "1"))
                (copied / name).write_text(source)
            shutil.copy(HERE / "own_tests_conftest.py", copied / "conftest.py")
            outcomes = Outcomes()
            sys.path.insert(0, folder)
            options = ["-q", "-p", "no:cacheprovider", "--rootdir", folder, "-k", CHOSEN]
            options += ["-o", "asyncio_mode=auto", "-o", "filterwarnings="]
            options += ["-o", "asyncio_default_fixture_loop_scope=session"]
            with contextlib.redirect_stdout(sys.stderr):
                pytest.main([*options, str(copied / path)], plugins=[outcomes])
            sys.path.remove(folder)
            for name in [name for name in sys.modules if name.split(".")[0] == "tests"]:
                del sys.modules[name]
            return outcomes.told

    run.__name__ = pathlib.Path(path).stem
    drive.case(run)


tests("api_resources/test_models.py")
tests("api_resources/chat/test_completions.py")
tests("api_resources/test_responses.py")

drive.main()
