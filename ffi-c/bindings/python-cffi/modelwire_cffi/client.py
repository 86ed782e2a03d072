"""The client for threads."""

from __future__ import annotations

import os
from typing import Any

from modelwire_cffi.calls import Closing, Queue, Response, Stream
from modelwire_cffi.library import do, json_of, lib, new


class Client(Closing):
    """Options are the library's, by name; `log` ("debug" ...) is for the module logging.

    A body is a dict, or JSON text. Threads may share a client. What has come of the log is written
    whenever one of them waits.
    """

    _stream = Stream

    def __init__(self, log: str = "off", **options: Any):
        self._handle, self._queues = new("client", *json_of(options)), {}
        self._log_level = getattr(lib, f"MODELWIRE_LOG_{log.upper()}")

    def models(self, **options: Any) -> Response:
        return self._stream(self, lib.MODELWIRE_OPERATION_MODELS, False, None, options).result()

    def chat(self, body: dict[str, Any] | str, **options: Any) -> Response:
        return self._stream(self, lib.MODELWIRE_OPERATION_CHAT, False, body, options).result()

    def responses(self, body: dict[str, Any] | str, **options: Any) -> Response:
        return self._stream(self, lib.MODELWIRE_OPERATION_RESPONSES, False, body, options).result()

    def stream_chat(self, body: dict[str, Any] | str, **options: Any) -> Stream:
        return self._stream(self, lib.MODELWIRE_OPERATION_CHAT, True, body, options)

    def stream_responses(self, body: dict[str, Any] | str, **options: Any) -> Stream:
        return self._stream(self, lib.MODELWIRE_OPERATION_RESPONSES, True, body, options)

    def close(self) -> None:
        """Ends the calls in flight; they and later calls raise an Error of kind "closed"."""
        do(lib.modelwire_client_close, self._handle, -1)

    @property
    def unfinished(self) -> int:
        """How many calls are in flight."""
        self._queue().look()
        return lib.modelwire_queue_count(self._queue().handle)

    def _queue(self):
        process = os.getpid()  # a forked child has one of its own
        if process not in self._queues:
            self._queues.setdefault(process, Queue(lib.MODELWIRE_INTERRUPTIBLE, self._log_level))
        return self._queues[process]
