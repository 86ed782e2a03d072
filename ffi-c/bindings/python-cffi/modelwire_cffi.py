"""modelwire over cffi: for PyPy, and for programs that ship nothing but libmodelwire.

Python programs as such use the package `modelwire`. Copy this file and include/modelwire.ffi.h beside
each other, for asyncio modelwire_cffi_asyncio.py too. They need libmodelwire.so.0.1, where the loader
finds it or MODELWIRE_LIBRARY says, and cffi (`pip install cffi`; PyPy has it built in).
The example: MODELWIRE_BASE_URL=... MODELWIRE_API_KEY=... python3 example.py MODEL TEXT
"""

import collections.abc
import contextlib
import functools
import itertools
import json
import logging
import os
import pathlib
import threading
import weakref

import cffi

HERE = pathlib.Path(__file__).resolve().parent
HEADERS = [HERE / "modelwire.ffi.h", *(up / "include/modelwire.ffi.h" for up in HERE.parents)]
ffi = cffi.FFI()
ffi.cdef(next(header for header in HEADERS if header.is_file()).read_text())
lib = ffi.dlopen(os.environ.get("MODELWIRE_LIBRARY", "libmodelwire.so.0.1"))
if lib.modelwire_check_abi(lib.MODELWIRE_ABI) != lib.MODELWIRE_OK:
    raise ImportError("this libmodelwire does not fit its header")
CHUNK, RESPONSE = lib.MODELWIRE_EVENT_CHUNK, lib.MODELWIRE_EVENT_RESPONSE
FAILED = lib.MODELWIRE_EVENT_ERROR
LENGTH, LOG_TAG, TAKEN_AT_ONCE = ffi.typeof("size_t *"), 0, 64
EVENTS_MOST, EVENTS_FEW = 128, 32  # with more of them waiting a stream is paused, with fewer resumed
LOG_LEVELS = {"error": 40, "warn": 30, "info": 20, "debug": 10, "trace": 5}


class Error(Exception):
    """What is known of a failure; `json` has all of it as text."""

    kind = message = hint = http_status = type = code = param = request_id = path = model = None
    timeout = metered = body = partial = headers = request_time_unix_ms = None
    attempts = elapsed_ms = retry_after_ms = None

    def __init__(self, text):
        super().__init__(text)
        self.__dict__.update(json.loads(text), json=text)

    def __str__(self):
        return f"{self.kind}: {self.message}\n{self.hint or ''}".rstrip()


def _text(read, *arguments):
    length = ffi.new(LENGTH)  # of its own: another thread may read a text meanwhile
    text = read(*arguments, length)
    return ffi.unpack(text, length[0]).decode()


def _json(value):
    """The arguments `json` and `length`; a str is JSON text already."""
    text = (value if isinstance(value, str) else json.dumps(value)).encode()
    return text, len(text)


def _do(function, *arguments):
    """Raises what a function gives through `err`."""
    error = ffi.new("modelwire_error **")
    if function(*arguments, error) != lib.MODELWIRE_OK:
        raise Error(_text(lib.modelwire_error_json, ffi.gc(error[0], lib.modelwire_error_free)))


def _new(noun, *arguments):
    """A handle that is freed with the object that holds it."""
    out = ffi.new(f"modelwire_{noun} **")
    _do(getattr(lib, f"modelwire_{noun}_new"), *arguments, out)
    return ffi.gc(out[0], getattr(lib, f"modelwire_{noun}_free"))


class Event:
    """A chunk of a stream, or a response: its text, and the rest for who asks."""

    def __init__(self, handle, owner=None):
        self._handle = handle if owner else ffi.gc(handle, lib.modelwire_event_free, 1024)
        self._owner = owner
        self.text = _text(lib.modelwire_event_text, handle)

    #: As the service sent it; empty at the end of a stream that was not gathered.
    json = property(lambda self: _text(lib.modelwire_event_json, self._handle))
    #: Of the server-sent event, "response.output_text.delta" for instance.
    name = property(lambda self: _text(lib.modelwire_event_name, self._handle))

    @functools.cached_property
    def document(self):
        """The JSON as Python's own objects."""
        return json.loads(self.json or "null")

    @functools.cached_property
    def info(self):
        """What the library knows of it: finish_reason, usage, tool_calls, http_status ..."""
        info = lib.modelwire_event_info(self._handle)
        return json.loads(_text(lib.modelwire_value_json, info, b"", 0))


class _Events(collections.deque):
    """Events that nobody has read; they are freed with it."""

    def __del__(self, free=lib.modelwire_event_free):
        while self:
            free(self.popleft())


class _Queue:
    """The calls of one client in one process, and in one event loop where there is one."""

    def __init__(self, flags, log):
        self.handle, self.process = _new("queue", flags), os.getpid()
        self.places, self.count = ffi.new("modelwire_event *[]", TAKEN_AT_ONCE), ffi.new(LENGTH)
        self.tags, self.streams = itertools.count(LOG_TAG + 1), weakref.WeakValueDictionary()
        self.taken = [], iter([])  # what was taken last, and what of it was not given yet
        self.taker, self.waiting = {}, {}  # the thread that takes; by tag, what wakes a reader
        self.pausing = threading.RLock()
        level = getattr(lib, f"MODELWIRE_LOG_{log.upper()}")
        _do(lib.modelwire_queue_log, self.handle, level, LOG_TAG)

    def take(self, timeout_ms=0):
        """Takes what is there and gives it to the streams.

        A signal may raise KeyboardInterrupt between any two calls of this; who takes next goes on
        there. So each step is one call, and what is left to do is told by what it left.
        """
        handles, rest = self.taken
        if not rest.__length_hint__():
            if not self.count[0]:
                places = (self.places, TAKEN_AT_ONCE, self.count)
                lib.modelwire_queue_take(self.handle, timeout_ms, *places)
            handles = ffi.unpack(self.places, self.count[0])
            rest = iter(handles)
            self.taken = handles, rest
        self.count[0] = 0
        handles = handles[len(handles) - rest.__length_hint__() :]
        for tag, run in itertools.groupby(handles, lib.modelwire_event_tag):
            given = itertools.islice(rest, len(list(run)))
            if stream := self.streams.get(tag):
                stream._give(given)
            for event in map(Event, given):  # of the log, or of a stream that was left
                if tag == LOG_TAG:
                    log = logging.getLogger(event.document["target"])
                    log.log(LOG_LEVELS[event.document["level"]], "%s", event.text)

    def check_process(self):
        if self.process != os.getpid():
            raise Error('{"kind": "forked", "message": "the call belongs to the parent process"}')

    def wait(self, stream):
        """Until it has events: one thread takes for all, and hands that over when it leaves."""
        self.check_process()
        me = threading.get_ident()
        if self.taker.get(0) == me:
            raise Error('{"kind": "callback", "message": "a signal handler cannot wait here"}')
        try:
            while stream._is_idle():
                if self.taker.setdefault(0, me) == me:
                    self.take(-1)
                else:
                    parked = threading.Lock()
                    parked.acquire()
                    self.waiting[stream._tag] = functools.partial(_release, parked)
                    if stream._is_idle() and self.taker:  # who changes that looks for it afterwards
                        parked.acquire()
            self.leave(stream._tag, me, 1)
        except BaseException:
            self.leave(stream._tag, me, None)  # all look: a wake may have been lost
            raise

    def look(self):
        """Takes what is there, unless a thread is at it."""
        me = threading.get_ident()
        if not self.taker and self.taker.setdefault(0, me) == me:
            try:
                self.take()
            finally:
                self.leave(LOG_TAG, me, None)

    def leave(self, tag, me, woken):
        self.waiting.pop(tag, None)
        if self.taker.get(0) == me:
            del self.taker[0]
        if not self.taker or woken is None:
            for wake in list(self.waiting.values())[:woken]:
                wake()


def _release(lock):
    with contextlib.suppress(RuntimeError):  # it was before
        lock.release()


class _Closing(contextlib.AbstractContextManager):
    """Closed at the end of a `with`."""

    def __exit__(self, *_):
        self.close()


class Stream(_Closing, collections.abc.Iterator):
    """The chunks of a response, for one thread at a time; `response` is there at their end."""

    _is_paused, _is_over, response = False, True, None

    def __init__(self, client, operation, is_stream, body, options):
        self._client, self._queue, self._events = client, client._queue(), _Events()
        self._tag, self._is_over = next(self._queue.tags), False
        self._queue.streams[self._tag] = self
        request = _new("request", operation, *(_json(body) if body else (ffi.NULL, 0)))
        if options:
            _do(lib.modelwire_request_set_options, request, *_json(options))
        call = (self._queue.handle, client._handle, request, is_stream, self._tag)
        _do(lib.modelwire_queue_submit_request, *call)

    def __next__(self):
        while not self._is_over:
            if not self._events:
                self._queue.wait(self)
            elif chunk := self._read():
                return chunk
        raise StopIteration

    def result(self):
        """Reads on to the end."""
        with self:
            collections.deque(self, 0)
        return self.response

    def cancel(self):
        """Ends the call, from any thread: its reader gets an Error of kind "cancelled"."""
        lib.modelwire_queue_cancel(self._queue.handle, self._tag)

    def close(self):
        """Leaves the stream. So does the collector, on any thread: therefore this takes no lock."""
        if not self._is_over:
            self._is_over = True
            self.cancel()
            self._give(())

    __del__ = close

    def _is_idle(self):
        return not self._events and not self._is_over

    def _give(self, events):
        self._events.extend(events)  # a single call, see take
        if len(self._events) > EVENTS_MOST:
            with self._queue.pausing:
                self._is_paused = True  # from here on its reader looks
                if len(self._events) > EVENTS_FEW:
                    lib.modelwire_queue_pause(self._queue.handle, self._tag)
        if wake := self._queue.waiting.get(self._tag):
            wake()

    def _read(self):
        """The next event if it is a chunk; the last one ends the call."""
        if self._is_paused and len(self._events) <= EVENTS_FEW:
            with self._queue.pausing:
                lib.modelwire_queue_resume(self._queue.handle, self._tag)
                self._is_paused = False
        kind = lib.modelwire_event_kind(self._events[0])
        if kind not in (RESPONSE, FAILED):
            event = Event(self._events.popleft())
            return event if kind == CHUNK else None
        event = Event(self._events[0], self._events)  # stays there: an interrupt does not lose the end
        if kind == FAILED:
            self.close()
            raise Error(event.json)
        self.response = event
        self.close()
        return None


class Client(_Closing):
    """A client for threads. Options are the library's by name; `log` is for the module logging."""

    _stream = Stream

    def __init__(self, log="off", **options):
        self._handle, self._log, self._queues = _new("client", *_json(options)), log, {}

    def models(self, **options):
        return self._stream(self, lib.MODELWIRE_OPERATION_MODELS, False, None, options).result()

    def chat(self, body, **options):
        return self._stream(self, lib.MODELWIRE_OPERATION_CHAT, False, body, options).result()

    def responses(self, body, **options):
        return self._stream(self, lib.MODELWIRE_OPERATION_RESPONSES, False, body, options).result()

    def stream_chat(self, body, **options):
        return self._stream(self, lib.MODELWIRE_OPERATION_CHAT, True, body, options)

    def stream_responses(self, body, **options):
        return self._stream(self, lib.MODELWIRE_OPERATION_RESPONSES, True, body, options)

    def close(self):
        """Ends what is under way; that and later calls raise an Error of kind "closed"."""
        _do(lib.modelwire_client_close, self._handle, -1)

    @property
    def unfinished(self):
        """How many calls are under way."""
        self._queue().look()
        return lib.modelwire_queue_count(self._queue().handle)

    def _queue(self):
        process = os.getpid()  # a forked child has one of its own
        if process not in self._queues:
            self._queues.setdefault(process, _Queue(lib.MODELWIRE_INTERRUPTIBLE, self._log))
        return self._queues[process]
