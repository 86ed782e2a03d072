"""A pytest plugin for openai-python's own test suite: tells each test's outcome, requests and
private names as lines of JSON. With SUITE_LIBRARY=modelwire it also plays the suite's mocks of
httpx2 to modelwire, by a real server of this machine.

A client that is made gets a base URL at that server, which hands each request, with the URL that
the test gave, to the transport of the client's http_client, or to httpx2's own, which the suite's
respx replaces; and sends what it returns.
"""

import ast
import asyncio
import contextlib
import functools
import itertools
import json
import os
import re
import signal
import socket
import struct
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import answers
import httpx2
import names
import pytest

LIBRARY = os.environ["SUITE_LIBRARY"]
DEADLINE = 60
"""Seconds after which a test is ended."""

_requests = []
"""The requests of the test that runs, as "METHOD /path"."""
_raised = []
"""What the handlers of its mocks raised."""
_lines = open(os.environ["SUITE_RESULTS"], "a", buffering=1)
os.environ["TEST_API_BASE_URL"] = answers.serve()


def _note(request):
    # The place of the base URL is the test's matter.
    path = re.sub(r"^.*?(?=/(models|chat|responses)\b)", "", request.url.path)
    _requests.append(f"{request.method} {path}")


# --- The server that plays a transport of httpx2.


class Route:
    """A client's transport, and the origin that its requests have in the test."""

    def __init__(self, transport, origin, is_async):
        self.transport, self.origin, self.is_async = transport, origin, is_async
        try:
            self.loop = asyncio.get_running_loop()
        except RuntimeError:
            self.loop = None

    def awaited(self, coroutine):
        if self.loop is None or self.loop.is_closed():
            return asyncio.run(coroutine)
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(DEADLINE)

    def answer(self, request):
        """The response's head, and an iterator over its body."""
        if self.is_async:
            response = self.awaited(self.transport.handle_async_request(request))
        else:
            response = self.transport.handle_request(request)
        return response, self.pieces(response)

    def pieces(self, response):
        stream = response.stream
        if not self.is_async:
            yield from stream
            stream.close()
            return
        parts = aiter(stream)
        while (part := self.awaited(anext(parts, None))) is not None:
            yield part
        self.awaited(stream.aclose())


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    routes = {}

    def log_message(self, *_):
        pass

    def handle_one_request(self):
        with contextlib.suppress(ConnectionError):
            super().handle_one_request()

    def do_GET(self):
        number, _, rest = self.path[1:].partition("/")
        route = self.routes[number]
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        sent = [(name, value) for name, value in self.headers.items() if name.lower() != "host"]
        request = httpx2.Request(self.command, f"{route.origin}/{rest}", headers=sent, content=body)
        _note(request)
        started = False
        try:
            response, pieces = route.answer(request)
            self.send_response_only(response.status_code)
            for name, value in response.headers.multi_items():
                if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                    self.send_header(name, value)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            started = True
            for piece in filter(None, pieces):
                self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            self.wfile.write(b"0\r\n\r\n")
        except ConnectionError:
            self.close_connection = True  # the client left
        except BaseException as error:
            # A transport's exception is a failed connection; a failed assertion is reported.
            if not isinstance(error, httpx2.HTTPError):
                _raised.append(error)
            self.close_connection = True
            if not started:
                linger = struct.pack("ii", 1, 0)
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)

    do_POST = do_PUT = do_PATCH = do_DELETE = do_GET


def _bridge():
    global openai_classes
    import openai

    import modelwire
    from modelwire import _client
    from modelwire._openai.classes import _Finder

    openai_classes = _Finder(openai)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    own = f"http://127.0.0.1:{server.server_port}"
    numbers = map(str, itertools.count())
    original = _client._arguments

    def arguments(given, is_async):
        """What a client is made from, led to the server of this plugin."""
        url = given.get("base_url") or os.environ.get("OPENAI_BASE_URL")
        url = str(url or "https://api.openai.com/v1")
        theirs = given.get("http_client")
        plain = httpx2.AsyncHTTPTransport if is_async else httpx2.HTTPTransport
        transport = None
        if isinstance(theirs, (httpx2.Client, httpx2.AsyncClient)):
            transport = theirs._transport
            theirs._transport = plain()
        origin = httpx2.URL(url)
        number = next(numbers)
        place = f"{origin.scheme}://{origin.netloc.decode()}"
        Handler.routes[number] = Route(transport or plain(), place, is_async)
        try:
            found = original({**given, "base_url": f"{own}/{number}{origin.path}"}, is_async)
        finally:
            if transport is not None:
                theirs._transport = transport
        return {**found, "no_proxy": True}

    _client._arguments = arguments
    shown = _client.BaseClient.base_url

    def base_url(self):
        from modelwire._answers.http import URL

        url = shown.fget(self)
        number, _, rest = url.removeprefix(f"{own}/").partition("/")
        return URL(f"{Handler.routes[number].origin}/{rest}") if url.startswith(own) else url

    _client.BaseClient.base_url = property(base_url, shown.fset)
    for kind in (modelwire.OpenAI, modelwire.AsyncOpenAI):
        kind.__init__ = _without_admin(kind.__init__)


def _without_admin(init):
    """openai's second key, for operations that are not here; the suite's client always has one."""

    @functools.wraps(init)
    def made(self, **given):
        given.pop("admin_api_key", None)
        init(self, **given)

    return made


def _watch(kind):
    original = kind._send_single_request

    def sent(self, request):
        _note(request)
        return original(self, request)

    kind._send_single_request = sent


def _noted(original):
    @functools.wraps(original)
    def connect(*given, **named):
        _requests.append("WEBSOCKET")
        return original(*given, **named)

    return connect


def _watch_websockets():
    from websockets.asyncio import client as awaited
    from websockets.sync import client

    client.connect = _noted(client.connect)
    awaited.connect.__init__ = _noted(awaited.connect.__init__)


if LIBRARY == "modelwire":
    _bridge()
else:
    _watch(httpx2.Client)
    _watch(httpx2.AsyncClient)
    _watch_websockets()


# --- What the suite checks with. Printed objects have classes with other names here.


def _content(printed):
    """A printed object without the names of classes, the order of fields, white space, and the
    fields that are None because they were not sent."""

    def plain(node):
        if isinstance(node, ast.Call):
            fields = {field.arg: plain(field.value) for field in node.keywords}
            return {name: value for name, value in fields.items() if value != "None"}
        if isinstance(node, ast.List):
            return [plain(one) for one in node.elts]
        return re.sub(r"(\\n|\s)+", "", ast.unparse(node))

    printed = re.sub(r"<(\w+\.\w+): .*?>(?=[,)\s])", r"'\1'", printed)  # a member of an enum
    return plain(ast.parse(printed.strip().replace("\n", " "), mode="eval").body)


class Printed(str):
    def __eq__(self, other):
        return _content(self) == _content(other)

    __hash__ = str.__hash__


def _print(original, *given):
    return Printed(original(*given))


def _compare_signatures(original, *given, exclude_params=frozenset(), **named):
    """Our own parameters, which openai's methods do not have, are not compared."""
    return original(*given, exclude_params={*exclude_params, "gather", "idempotency_key", "stream_only"}, **named)


def _match(original, type_, value, **named):
    """What openai's class of the same name takes; ours say nothing of the types of fields."""
    assert isinstance(value, type_)
    theirs = openai_classes.class_of(value)
    if theirs is not type(value):
        theirs.model_validate_json(value.to_json())


_CHECKS = {
    "print_obj": _print,
    "assert_signatures_in_sync": _compare_signatures,
    "assert_matches_type": _match,
}


@pytest.fixture(autouse=True)
def checks(request, monkeypatch):
    """The suite's own checks, as far as they have to know which library it is."""
    for name, ours in _CHECKS.items():
        original = getattr(request.module, name, None)
        if LIBRARY == "modelwire" and original is not None:
            monkeypatch.setattr(request.module, name, functools.partial(ours, original))


# --- What each test did.


@contextlib.contextmanager
def _deadline():
    def late(*_):
        raise TimeoutError("the deadline of a test")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(DEADLINE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    _requests.clear()
    _raised.clear()
    yield


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    with _deadline():
        outcome = yield
    if _raised:
        outcome.force_exception(_raised[0])


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.when != "call" and report.passed:
        return
    crash = getattr(report.longrepr, "reprcrash", None)
    message = crash.message if crash else str(report.longrepr or "")
    told = {
        "test": item.nodeid,
        "outcome": report.outcome,
        "message": message[:600],
        "trace": str(report.longrepr)[-3000:] if report.failed else "",
        "requests": sorted(set(_requests)),
    }
    if LIBRARY == "openai":
        told.update(names.used(str(item.path), item.nodeid.partition("[")[0].partition("::")[2]))
    _lines.write(json.dumps(told) + "\n")


def pytest_collection_modifyitems(items):
    """Only the tests that apply are run with modelwire."""
    if LIBRARY == "modelwire":
        applying = set(json.loads(os.environ["SUITE_TESTS"]))
        items[:] = [item for item in items if item.nodeid in applying]


def pytest_unconfigure():
    _lines.close()


def pytest_collectreport(report):
    if report.failed:
        message = str(report.longrepr)[-1500:]
        told = {"test": report.nodeid, "outcome": "failed", "message": message}
        _lines.write(json.dumps(told) + "\n")
