"""A service in threads of the test itself. It answers when the test lets it, so that what happens
before an answer is known by its order and not by a clock."""

import contextlib
import http.server
import threading

from loops import DEADLINE
from wire import STREAM_HEAD, sent


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.respond(self)

    do_GET = do_POST

    def send(self, text):
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


class _Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128

    def handle_error(self, *_):
        """The client has gone, or what was waited for never came: the connection is closed."""


@contextlib.contextmanager
def serving(respond):
    """The base URL of a service. `respond` answers each request in a thread of its own: with what
    it gives to the request's `send`. If it raises, the connection is closed."""
    with _Server(("127.0.0.1", 0), _Handler) as server:
        server.respond = respond
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1"
        finally:
            if isinstance(respond, Held):
                respond.stop()
            server.shutdown()
            thread.join()


class Held:
    """The answer of such a service: a stream whose head is sent at once, and each further step
    after a call of `go` that came after the step before it."""

    def __init__(self, *steps):
        self._steps = [sent(step) if isinstance(step, str) else step for step in steps]
        self._turn, self._is_over = threading.Event(), False
        self.go = self._turn.set

    def stop(self):
        self._is_over = True
        self.go()

    def __call__(self, request):
        request.send(STREAM_HEAD)
        for step in self._steps:
            if not self._turn.wait(DEADLINE) or self._is_over:
                raise TimeoutError
            self._turn.clear()
            request.send(step["send"])
