"""Starts the loopback service once and gives tests a client of it."""

import asyncio
import contextlib
import http.client
import importlib
import inspect
import json
import os
import pkgutil
import re
import signal
import socket
import subprocess
import sys
import sysconfig
import threading
import time
from urllib.parse import urlsplit

import pytest

import loops
import modelwire
import programs
from awaited import Awaited
from callers import caller  # noqa: F401
from modelwire import testing

# Whoever starts the tests in the background of a script has Ctrl-C ignored, and so in every program
# that a test starts: there it would never be heard.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# pytest parses each module of the package at its first import, to rewrite its asserts, and CPython
# 3.11 parses lines to format a traceback: at once in two threads, one of the two may fail
# (gh-106905). So what calls import at their first use is there before a test starts threads.
importlib.import_module("modelwire._calls")
for _folder in ("_answers", "_bulk", "_loops", "_schemas"):
    _package = importlib.import_module(f"modelwire.{_folder}")
    for _module in pkgutil.iter_modules(_package.__path__, f"{_package.__name__}."):
        with contextlib.suppress(ImportError):  # trio is not everywhere
            importlib.import_module(_module.name)

KEY = "sk-test"  # the one key that the service accepts
DEADLINE = 60.0  # for what takes milliseconds unless it is broken
SOON = 30.0  # for what would take for ever if it were broken
BUILD_IT = "build it with `cargo build -p modelwire-testing` and name it in MODELWIRE_SERVICE"


class Service:
    """The running service: where it is, and a look inside through its control interface.

    All questions go over one connection, which is left out of the counts.
    """

    def __init__(self, base_url):
        self.base_url = base_url
        self._asking = http.client.HTTPConnection(urlsplit(base_url).netloc, timeout=DEADLINE)

    def close(self):
        self._asking.close()

    def _ask(self, method, path, body=None):
        self._asking.request(method, f"/_control/{path}", body and json.dumps(body))
        answer = self._asking.getresponse()
        text = answer.read()
        assert answer.status == 200, text
        return json.loads(text)

    def script(self, name, exchanges):
        """Registers a script; returns the base URL under which it is played."""
        return self._ask("PUT", f"scripts/{name}", {"exchanges": exchanges})["base_url"]

    def requests(self, name=""):
        """The requests that reached a script; without a name, the played service."""
        return self._ask("GET", f"requests/{name}")

    def state(self):
        """Connections so far, connections open now, and what was metered."""
        state = self._ask("GET", "state")
        state["connections"] -= 1
        state["open_connections"] -= 1
        return state

    def open_connections(self):
        return self.state()["open_connections"]

    def clear(self):
        """Forgets requests, meters and the counters of models, not the scripts."""
        self._ask("POST", "clear")

    def until_closed(self):
        """Waits until no connection is open; a service notices a close after a moment."""
        eventually("every connection is closed", lambda: self.open_connections() == 0)


def id_of(value):
    """The name of a parameter, the same in each process: without addresses."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(value))


def eventually(what, condition):
    """Polls a condition; fails when it does not come true."""
    end = time.monotonic() + DEADLINE
    while not condition():
        # clock: bounds a hang
        assert time.monotonic() < end, f"not within {DEADLINE} s: {what}"
        # clock: between two looks
        time.sleep(0.01)


def one_of_three(measure):
    """For what is a measurement by its nature, which a machine that stands still can spoil: it must
    hold once in three times. What is broken fails all three."""
    for _ in range(2):
        with contextlib.suppress(AssertionError, modelwire.OpenAIError):
            return measure()
    return measure()


def together(*works):
    """Runs these at once, each in a thread of its own; raises what one of them raised."""
    barrier = threading.Barrier(len(works))
    failures = []

    def run(work):
        try:
            barrier.wait(DEADLINE)
            work()
        except BaseException as error:  # a panic of Rust is one
            failures.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(4 * DEADLINE)
        assert not thread.is_alive()
    if failures:
        raise failures[0]


@pytest.fixture(scope="session")
def running_service():
    binary = os.environ.get("MODELWIRE_SERVICE", "")
    if not os.access(binary, os.X_OK):
        pytest.exit(f"no service binary at {binary!r}: {BUILD_IT}", returncode=1)
    # It dies with its stdin, so also when this process is killed.
    command = [binary, "--key", KEY, "--exit-with-stdin"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:
        service = Service(process.stdout.readline().split()[-1])
        try:
            yield service
        finally:
            service.close()
            process.stdin.close()
            process.wait(DEADLINE)


@pytest.fixture
def service(running_service):
    """The service with nothing remembered."""
    running_service.clear()
    return running_service


@pytest.fixture
def stand_in():
    """The service of `modelwire.testing`, which plays scripts."""
    with testing.Service() as service:
        yield service


@pytest.fixture
def quiet(service):
    """The service when no connection of an earlier test is open any more."""
    service.until_closed()
    return service


def pytest_configure(config):
    config.addinivalue_line("markers", "sync_alone(reason): not run with an AsyncClient")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """A test that is an `async def` runs on asyncio's event loop, or on the kind it takes."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    given = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    loops.run(lambda: pyfuncitem.obj(**given), given.get("kind", "asyncio"))
    return True


def pytest_generate_tests(metafunc):
    """A test of a client runs with both kinds of client, unless it is marked `sync_alone`."""
    is_alone = metafunc.definition.get_closest_marker("sync_alone")
    if "connect" in metafunc.fixturenames and not is_alone:
        metafunc.parametrize("connect", ["sync", "async"], indirect=True)


@pytest.fixture
def connect(request):
    """The class of a client. An AsyncClient is used like a Client: each wait is driven to its end
    on one event loop."""
    if getattr(request, "param", "sync") == "sync":
        yield modelwire.Client
        return
    loop = asyncio.new_event_loop()
    loop.set_debug(False)
    yield lambda **settings: Awaited(modelwire.AsyncClient(**settings), loop)
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


@pytest.fixture
def client(service, connect):
    with connect(base_url=service.base_url, api_key=KEY) as client:
        yield client


class Maker:
    """Makes clients of a script with the name of the test; without one, of the played service."""

    def __init__(self, service, request, connect):
        self.service, self.connect, self.made = service, connect, []
        self.name = re.sub("[^A-Za-z0-9]+", "-", request.node.name)

    def __call__(self, *exchanges, **settings):
        base_url = self.service.script(self.name, exchanges) if exchanges else self.service.base_url
        self.made.append(self.connect(**{"base_url": base_url, "api_key": KEY, **settings}))
        return self.made[-1]

    def requests(self):
        return self.service.requests(self.name)


@pytest.fixture
def scripted(service, request, connect):
    """Makes clients of the kind that the test runs with."""
    make = Maker(service, request, connect)
    yield make
    for client in make.made:
        client.close()


@pytest.fixture
def make(service, request):
    """Makes an AsyncClient, for a test with an event loop of its own."""
    make = Maker(service, request, modelwire.AsyncClient)
    yield make
    for client in make.made:
        asyncio.run(client.close())


@pytest.fixture
def program(service, request):
    """Runs a program to its end, against the played service or against a script."""

    def run(source, *exchanges, flags=(), before=""):
        name = re.sub("[^A-Za-z0-9]+", "-", request.node.name)
        base_url = service.script(name, exchanges) if exchanges else service.base_url
        return programs.run(source, base_url, *flags, before=before)

    return run


@pytest.fixture
def deaf_url():
    """An address whose queue of connections is full: to connect to it never ends."""
    with contextlib.ExitStack() as stack:
        listening = stack.enter_context(socket.socket())
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        for _ in range(3):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listening.getsockname())
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"


@pytest.fixture(autouse=True)
def _no_settings_from_outside():
    with pytest.MonkeyPatch.context() as patched:
        for name in list(os.environ):
            # The Makefile's own variable is no setting of the library.
            if name.startswith(("MODELWIRE_", "OPENAI_")) and name != "MODELWIRE_SERVICE":
                patched.delenv(name)
        yield


@pytest.fixture(autouse=True)
def _no_lock_where_there_is_none():
    """A module that needs the interpreter's lock switches it on when it is imported."""
    yield
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        assert not sys._is_gil_enabled(), "the interpreter's lock is on"
