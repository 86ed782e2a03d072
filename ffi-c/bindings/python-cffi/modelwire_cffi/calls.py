"""Calls by tag on a queue, and the streams that their events go to."""

from __future__ import annotations

import collections.abc
import contextlib
import copy
import functools
import itertools
import json
import logging
import operator
import os
import threading
import weakref
from typing import Any

from modelwire_cffi.library import LENGTH, Error, do, ffi, json_of, lib, new, text_of

CHUNK, RESPONSE = lib.MODELWIRE_EVENT_CHUNK, lib.MODELWIRE_EVENT_RESPONSE
FAILED = lib.MODELWIRE_EVENT_ERROR
TAKEN_AT_ONCE, LOG_TAG = 64, 0
TEXTS_MAX = 65_536  # bytes of texts that are read in one call
EVENTS_MOST, EVENTS_FEW = 128, 32  # a stream with more that wait is paused, and resumed with few
LOG_LEVELS = {"error": 40, "warn": 30, "info": 20, "debug": 10, "trace": 5}


class Event:
    """What the library sent: its text, and the rest when it is asked for."""

    def __init__(self, places: Any, place: int, tag: int, kind: int, text: str):
        self._places, self._place, self._tag, self._kind = places, place, tag, kind
        self.text = text

    @property
    def _handle(self):
        return (self._places + self._place)[0]

    def __repr__(self):
        return f"{type(self).__name__}(text={self.text!r})"

    @property
    def json(self) -> str:
        """The JSON text as the service sent it; empty at the end of a stream without `gather`."""
        return text_of(lib.modelwire_event_json, self._handle)

    @functools.cached_property
    def document(self) -> Any:
        """The JSON, parsed; None where there is none."""
        return json.loads(self.json or "null")

    @functools.cached_property
    def info(self) -> dict[str, Any]:
        """What the library knows of it: finish_reason, usage, tool_calls, http_status ..."""
        info = lib.modelwire_event_info(self._handle)
        return json.loads(text_of(lib.modelwire_value_json, info, b"", 0))


class Chunk(Event):
    """A piece of a stream: the text that it adds."""

    @property
    def name(self) -> str:
        """The name of the server-sent event, "response.output_text.delta" for instance."""
        return text_of(lib.modelwire_event_name, self._handle)


class Response(Event):
    """A whole answer, or the end of a stream, which has text and JSON with `gather` only."""


TAG_OF, CLASSES = operator.attrgetter("_tag"), {CHUNK: Chunk, RESPONSE: Response}


class Queue:
    """The calls of one client in one process, and in one event loop where there is one."""

    def __init__(self, flags, log_level):
        self.handle, self.process = new("queue", flags), os.getpid()
        self.places, self.count = room(), ffi.new(LENGTH)
        self.tags, self.kinds = (ffi.new(f"{c}_t[]", TAKEN_AT_ONCE) for c in ("uint64", "int32"))
        self.lengths, self.texts = ffi.new("size_t[]", TAKEN_AT_ONCE), ffi.new("char[]", TEXTS_MAX)
        self.taken = iter([])  # and not given yet
        self.new_tags, self.streams = itertools.count(LOG_TAG + 1), weakref.WeakValueDictionary()
        self.taker, self.waiting = {}, {}  # the thread that takes; by tag, what wakes a reader
        self.pausing = threading.RLock()
        do(lib.modelwire_queue_log, self.handle, log_level, LOG_TAG)

    def take(self, timeout_ms=0):
        """Takes what is there and gives it to the streams; how many events that were.

        A signal may raise KeyboardInterrupt between any two calls of this; the next taker goes on
        there. So each step is one call, and the state that it leaves says what is left to do.
        """
        if not self.taken.__length_hint__():
            if not self.count[0]:
                self.places = room()
                places = (self.places, TAKEN_AT_ONCE, self.count)
                lib.modelwire_queue_take(self.handle, timeout_ms, *places)
            self.taken = iter(self.read())
        self.count[0], count = 0, self.taken.__length_hint__()
        for tag, run in itertools.groupby(copy.copy(self.taken), TAG_OF):
            given = itertools.islice(self.taken, len(list(run)))
            if stream := self.streams.get(tag):
                stream._give(given)
            for event in given:  # of the log, or of a stream that was left
                if tag == LOG_TAG:
                    log = logging.getLogger(event.document["target"])
                    log.log(LOG_LEVELS[event.document["level"]], "%s", event.text)
        return count

    def read(self):
        """The events that were taken, with their texts."""
        events, places = [], self.places
        while (first := len(events)) < self.count[0]:
            start, left = places + first, self.count[0] - first
            where = (self.tags, self.kinds, self.lengths, self.texts, TEXTS_MAX)
            count = lib.modelwire_event_read_all(start, left, lib.MODELWIRE_READ_TEXT, *where)
            if not count:  # it is longer than there is room for
                facts = (lib.modelwire_event_tag(start[0]), lib.modelwire_event_kind(start[0]))
                text = text_of(lib.modelwire_event_text, start[0])
                events.append(event_of(places, first, *facts, text))
            lengths = ffi.unpack(self.lengths, count)
            texts, at = ffi.buffer(self.texts, sum(lengths))[:], 0
            facts = zip(ffi.unpack(self.tags, count), ffi.unpack(self.kinds, count), lengths)
            for place, (tag, kind, length) in enumerate(facts, first):
                text = texts[at : at + length].decode()
                events.append(event_of(places, place, tag, kind, text))
                at += length
        return events

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
            while True:
                parked = threading.Lock()
                parked.acquire()
                # First: who gives it events, or leaves, does that and then looks who waits.
                self.waiting[stream._tag] = functools.partial(release, parked)
                if stream._events or stream._is_over:
                    break
                if self.taker.setdefault(0, me) == me:
                    self.take(-1)
                else:
                    parked.acquire()
            self.leave(stream._tag, me, 1)
        except BaseException:
            self.leave(stream._tag, me, None)  # all look: a wake may have been lost
            raise

    def look(self):
        """Takes all that is there, unless a thread is at it."""
        me = threading.get_ident()
        if not self.taker and self.taker.setdefault(0, me) == me:
            try:
                while self.take():
                    pass
            finally:
                self.leave(LOG_TAG, me, None)

    def leave(self, tag, me, woken):
        self.waiting.pop(tag, None)
        if self.taker.get(0) == me:
            del self.taker[0]
        if not self.taker or woken is None:
            for wake in list(self.waiting.values())[:woken]:
                wake()


def room():
    """An array for events, which are freed with it, and it with the last of them that is kept."""
    places = ffi.new("modelwire_event *[]", TAKEN_AT_ONCE)
    return ffi.gc(places, free, TAKEN_AT_ONCE * 256)


FREE = (TAKEN_AT_ONCE, lib.MODELWIRE_READ_FREE, *(ffi.NULL,) * 4, 0)


def free(places, read_all=lib.modelwire_event_read_all, how=FREE):
    read_all(places, *how)  # at the end of the process its own names may be gone


def event_of(places, place, tag, kind, text):
    return CLASSES.get(kind, Event)(places, place, tag, kind, text)


def release(lock):
    with contextlib.suppress(RuntimeError):  # it was before
        lock.release()


class Closing(contextlib.AbstractContextManager):
    """Closed at the end of a `with`."""

    def __exit__(self, *_):
        self.close()


class Stream(Closing, collections.abc.Iterator):
    """The chunks of a response, for one thread at a time; `response` is there at their end."""

    _is_paused, _is_over = False, True
    response: Response | None = None

    def __init__(self, client, operation, is_stream, body, options):
        self._client, self._queue, self._events = client, client._queue(), collections.deque()
        self._tag, self._is_over = next(self._queue.new_tags), False
        self._queue.streams[self._tag] = self
        request = new("request", operation, *(json_of(body) if body else (ffi.NULL, 0)))
        if options:
            do(lib.modelwire_request_set_options, request, *json_of(options))
        call = (self._queue.handle, client._handle, request, is_stream, self._tag)
        do(lib.modelwire_queue_submit_request, *call)

    def __next__(self) -> Chunk:
        while not self._is_over:
            if not self._events:
                self._queue.wait(self)
            elif chunk := self._read():
                return chunk
        raise StopIteration

    def result(self) -> Response:
        """Reads on to the end."""
        with self:
            collections.deque(self, 0)
        return self.response

    def cancel(self) -> None:
        """Ends the call, from any thread: its reader gets an Error of kind "cancelled"."""
        lib.modelwire_queue_cancel(self._queue.handle, self._tag)

    def close(self) -> None:
        """Leaves the stream. So does the collector, on any thread: therefore this takes no lock."""
        if not self._is_over:
            self._is_over = True
            self.cancel()
            self._wake()

    __del__ = close

    def _give(self, events):
        self._events.extend(events)  # a single call, see take
        if len(self._events) > EVENTS_MOST:
            with self._queue.pausing:
                self._is_paused = True  # from here on its reader looks
                if len(self._events) > EVENTS_FEW:
                    lib.modelwire_queue_pause(self._queue.handle, self._tag)
                if self._is_over:  # it was left meanwhile: a pause would keep its last event back
                    lib.modelwire_queue_resume(self._queue.handle, self._tag)
        self._wake()

    def _wake(self):
        if wake := self._queue.waiting.get(self._tag):
            wake()

    def _read(self):
        """The next event if it is a chunk; the last one ends the call."""
        if self._is_paused and len(self._events) <= EVENTS_FEW:
            with self._queue.pausing:
                lib.modelwire_queue_resume(self._queue.handle, self._tag)
                self._is_paused = False
        event = self._events[0]  # the last one stays there: no interrupt loses the end
        kind = event._kind
        if kind not in (RESPONSE, FAILED):
            self._events.popleft()
            return event if kind == CHUNK else None
        self.response = event if kind == RESPONSE else None
        self.close()
        if kind == FAILED:
            raise Error(event.json)
        return None
