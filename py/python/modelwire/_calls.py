"""Calls `on_call` and observers with the records of ended calls, on one Python thread. Imported
when there is one of them.

Records come out of a queue of the core; the I/O thread only inserts them. So a callback that
sleeps, raises, makes calls or closes a client delays only later callbacks on this thread.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
import time
from collections import deque
from itertools import count
from weakref import WeakValueDictionary

from modelwire._answers.record import CallRecord
from modelwire._errors import TYPE_CHECKING, OpenAIError
from modelwire._key import without_key
from modelwire._loops.gevent import lasts, library
from modelwire._native import CallMark, NativeCalls
from modelwire._observe import StartedCall, observers
from modelwire._options import wrong_type

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from modelwire._clients import Natives
    from modelwire._key import Secret
    from modelwire._native import EndedCall
    from modelwire._observe import Observer

RECORDS_MAX = 256
"""Records that are taken at once."""
GREEN_SLICE = 0.05
"""Seconds between two looks of a greenlet."""
PAUSE = 0.002
"""Seconds between two looks of a thread that waits in `flush`."""
END_MAX = 1.0
"""Seconds that the close of a client, and the end of the program, wait for records."""

_log = logging.getLogger("modelwire.calls")


def check_function(function: Callable[..., object], name: str) -> None:
    """Raises if this cannot be `on_call` or `before_attempt`."""
    from inspect import iscoroutinefunction

    if not callable(function):
        raise wrong_type(name, "a function", function)
    if iscoroutinefunction(function) or iscoroutinefunction(type(function).__call__):
        raise TypeError(
            f"{name} takes a plain function: it is called on a thread without an event loop. Use "
            "asyncio.run_coroutine_threadsafe to reach a loop"
        )


class Watched:
    """A call with observers or `on_call`, from its start to its end."""

    __slots__ = ("_mark", "_more", "_start", "_started", "_dispatcher", "_tokens", "headers")

    def __init__(
        self, client: Any, operation: str, fields: Any, stream: bool, key: Secret | None
    ) -> None:
        client._open()  # raises for a closed client
        self._dispatcher = _dispatcher()
        self._dispatcher.follow(client._natives)
        self._start = time.time()
        self._mark = CallMark()
        self._tokens: list[tuple[Observer, Any]] = []
        self._started = StartedCall(client, operation, fields, stream, key or client._secret)
        self._more: dict[str, Any] = {}
        self.headers: dict[str, Any] | None = None
        """What observers add to the headers of the call."""

    def begin(self, call: Any) -> None:
        """Calls the observers, and collects their requests."""
        started = self._started
        with contextlib.suppress(Exception):  # the call itself reports invalid headers
            _, own = without_key(call.headers or {}, True)
            started.key = own or started.key
        # Registered from now on: if anything raises after an observer gave its token, `failed`
        # ends the call.
        self._dispatcher.watched[self._mark.tag] = self
        for observer in (*observers, *started.client._natives.observers):
            try:
                token = observer.started(started)
            except Exception:
                _failed("an observer failed at the start of a call")
            else:
                if token is not None:
                    self._tokens.append((observer, token))
        if started.headers:
            try:
                self.headers = _sendable(started.headers, started.client)
            except Exception:  # an observer replaced them with something that is not a dict
                _failed("headers set by an observer are not sent")
        if started.chunk_times:
            self._more["chunk_times"] = True
        if started.gather and started.stream and not call.options.get("gather"):
            self._more["gather_unseen"] = True
        if self._is_awaited():
            self._more["mark"] = self._mark
        else:
            self._dispatcher.watched.pop(self._mark.tag, None)

    def _is_awaited(self) -> bool:
        """Whether there is a callback for its end."""
        return bool(self._tokens) or self._on_call() is not None

    def _on_call(self) -> Callable[[CallRecord], object] | None:
        function: Callable[[CallRecord], object] | None = self._started.client._natives.on_call
        return function

    def options(self, options: dict[str, Any] | None) -> dict[str, Any] | None:
        """The call's own options, with those that observers requested."""
        return {**(options or {}), **self._more} or None

    def failed(self, error: BaseException) -> None:
        """Records that the call was not made; if it was, its record comes from the core."""
        if self._mark.is_started:
            return
        if self._tokens:
            self._dispatcher.never_sent(self._mark.tag, self._record(error))
        else:
            self._dispatcher.watched.pop(self._mark.tag, None)

    def _record(self, error: BaseException) -> CallRecord:
        """The record of a call that was never sent, for observers; `on_call` does not receive
        it."""
        started = self._started
        model = started.fields.get("model")
        is_fault = isinstance(error, Exception)
        kind = "argument" if is_fault else "cancelled"
        if isinstance(error, OpenAIError) and error.kind:
            kind = error.kind
        return CallRecord._of_unsent(
            start=self._start,
            elapsed=max(time.time() - self._start, 0.0),
            operation=started.operation,
            path=_PATHS[started.operation],
            model=model if isinstance(model, str) else None,
            streamed=started.stream,
            kind=kind,
            cancelled_by=None if is_fault else "program",
        )

    def ended(self, record: CallRecord | None, ended: EndedCall | None) -> None:
        """Calls the observers that gave a token, and `on_call`."""
        answer = None
        if ended is not None and self._tokens:
            try:
                answer = ended.answer(self._mark)
            except Exception:
                _failed("an answer could not be created for an observer")
        for observer, token in self._tokens:
            _guarded("an observer", observer.ended, token, record, answer)
        function = self._on_call()
        if ended is not None and function is not None:
            _guarded("on_call", function, record)


# Set by the library: a call with one of these headers would be rejected.
_OWN_HEADERS = ("authorization", "content-type", "content-length", "transfer-encoding", "host")
_PATHS = {"models": "/models", "chat": "/chat/completions", "responses": "/responses"}


def _sendable(headers: dict[str, str], client: Any) -> dict[str, Any]:
    """The headers of observers that can be sent and that the client does not set itself."""
    own = {name.lower() for name in (*client._headers, *_OWN_HEADERS)}
    found = {}
    for name, value in headers.items():
        texts = isinstance(name, str) and isinstance(value, str)
        if not texts or not name.replace("-", "").replace("_", "").isalnum():
            _log.warning("an observer set a header that cannot be sent")
        elif not (name.isascii() and value.isascii() and value.isprintable()):
            _log.warning("an observer set the header %s to a value that cannot be sent", name)
        elif name.lower() not in own:
            found[name] = value
    return found


def _guarded(what: str, function: Callable[..., object], *arguments: Any) -> None:
    """Calls a function of the program; logs its exceptions."""
    try:
        function(*arguments)
    except BaseException as error:
        if _is_end_of_greenlet(error):
            raise
        _failed(f"{what} failed at the end of a call")


def _is_end_of_greenlet(error: BaseException) -> bool:
    """Whether this greenlet is being killed; the next call starts another one."""
    return type(error).__name__ == "GreenletExit"


def _failed(what: str) -> None:
    """Logs the current exception. Log handlers may raise too, which must not affect a call."""
    with contextlib.suppress(Exception):
        _log.exception(what)


class _Dispatcher:
    """The queue and the thread of one process."""

    def __init__(self) -> None:
        self.calls = NativeCalls()
        self.watched: dict[int, Watched] = {}
        """The calls with observers or `on_call`, by their tags, until these were called."""
        self._clients: WeakValueDictionary[int, Natives] = WeakValueDictionary()
        self._kept: dict[int, Callable[[CallRecord], object]] = {}
        """The functions of clients that are gone, until all is handed on that waits now."""
        self._numbers = count(1)
        self._taken: deque[EndedCall] = deque()
        """What this thread holds; where somebody ends it, a greenlet, the next one goes on."""
        self._unsent: deque[tuple[int, CallRecord]] = deque()
        self._flushes: deque[list[int]] = deque()
        """Lists of waiting flushes, emptied once everything that is queued now is delivered."""
        self._lock = threading.RLock()  # a signal handler or a finalizer may reenter
        self._handing = threading.Lock()
        """Held by the delivering thread. `Thread.is_alive` does not work: after a signal handler
        raises in it, it reports a live thread as dead."""
        self._process = os.getpid()
        self._ident: int | None = None
        self._is_over = False
        self._deadline: float | None = None

    def follow(self, natives: Natives) -> None:
        """Receives the calls of this client and of its copies from now on."""
        if self._is_over:
            return
        if natives.teller is not self:
            with self._lock:
                if natives.teller is not self:
                    natives.number = next(self._numbers)
                    self._clients[natives.number] = natives
                    self.calls.follow(natives.first, natives.number)
                    natives.teller = self
        if not self._handing.locked():
            self._begin()

    def _begin(self) -> bool:
        """Whether a thread delivers records, or is about to."""
        with self._lock:
            if self._handing.locked():
                return True
            # Before Python 3.12, an exiting interpreter would wait for a new thread forever.
            if self._is_over or not lasts() or sys.is_finalizing():
                return False
            thread = threading.Thread(target=self._deliver, name="modelwire-calls", daemon=True)
            try:
                thread.start()
            except RuntimeError:  # the interpreter exits: `end` delivers the queue
                return False
            return True

    def keep(self, number: int, function: Callable[[CallRecord], object]) -> None:
        """Keeps a dropped client whose bulk records may be queued."""
        self._kept[number] = function
        self._flushes.append([number])
        self.calls.wakeup()

    def never_sent(self, tag: int, record: CallRecord) -> None:
        """Records the end of a call that the core never had."""
        self._unsent.append((tag, record))
        self.calls.wakeup()

    def is_here(self) -> bool:
        """Whether this thread is the one that delivers records."""
        return self._ident == threading.get_ident()

    def asked(self) -> list[int]:
        """A list that is empty once everything queued now is delivered."""
        waiting = [0]
        self._flushes.append(waiting)
        self.calls.wakeup()
        return waiting

    def flush(self, timeout: float) -> bool:
        """Waits until everything queued now is delivered; returns True if it was in time."""
        if self.is_here():
            return False
        waiting, end = self.asked(), time.monotonic() + timeout
        while waiting:
            if time.monotonic() >= end:
                return False
            if not self._handing.locked() and not self._begin():
                self._deliver(is_due_alone=True)
            time.sleep(PAUSE)
        return True

    def end(self, timeout: float) -> None:
        """Delivers what is queued, then stops."""
        self._deadline = time.monotonic() + timeout
        self._is_over = True
        self.calls.close()
        if not self.is_here() and self._handing.acquire(timeout=timeout):
            self._handing.release()
            self._deliver()  # if no thread did

    def _deliver(self, is_due_alone: bool = False) -> None:
        """Delivers until the end, or once; unless another thread does."""
        if not self._handing.acquire(False):
            return
        # Nothing is imported here: a child forked meanwhile would wait for the import forever.
        try:
            self._ident = threading.get_ident()
            is_greenlet = library() is not None  # a greenlet must not wait in the core
            while self._round(0.0 if is_greenlet or is_due_alone else None):
                if is_due_alone:
                    return
                if is_greenlet:
                    time.sleep(GREEN_SLICE)  # the patched one
        except BaseException as error:
            if not _is_end_of_greenlet(error):
                raise
        finally:
            self._ident = None
            self._handing.release()

    def _round(self, wait: float | None) -> bool:
        """Delivers what is queued; False at the end."""
        flushes = len(self._flushes)
        batch = self.calls.take(RECORDS_MAX, 0.0 if flushes or self._taken else wait)
        is_all = len(batch or ()) < RECORDS_MAX
        self._taken.extend(batch or ())
        while self._taken:
            if not self._goes_on():
                return False
            self._tell(self._taken.popleft())
        if not self._goes_on():  # the last callback may have forked, too
            return False
        while self._unsent and self._goes_on():
            tag, record = self._unsent.popleft()
            self._ended(tag, record, None)
        for _ in range(flushes if is_all and self._goes_on() else 0):
            waiting = self._flushes.popleft()
            self._kept.pop(waiting[0], None)
            waiting.clear()
        return batch is not None and self._goes_on()

    def _goes_on(self) -> bool:
        """False in a child that a callback forked, and after the end."""
        is_late = self._deadline is not None and time.monotonic() > self._deadline
        return self._process == os.getpid() and not is_late

    def _tell(self, ended: EndedCall) -> None:
        if ended.dropped:
            with contextlib.suppress(Exception):
                _log.warning(
                    "%d calls ended without on_call and without a record for observers: the queue "
                    "was full (RECORDS_WAITING_MAX = 4096)",
                    ended.dropped,
                )
            for tag in ended.dropped_tags:
                self._ended(tag, None, None)
        record = CallRecord._of_json(ended.json)
        if ended.tag:
            self._ended(ended.tag, record, ended)
            return
        # A row of a bulk job.
        natives = self._clients.get(ended.client)
        function = self._kept.get(ended.client) if natives is None else natives.on_call
        if function is not None:
            _guarded("on_call", function, record)

    def _ended(self, tag: int, record: CallRecord | None, ended: EndedCall | None) -> None:
        watched = self.watched.pop(tag, None)
        if watched is not None:
            watched.ended(record, ended)


_dispatchers: dict[int, _Dispatcher] = {}
"""That of this process; no lock, so that a child that is forked meanwhile finds none locked."""


def _dispatcher() -> _Dispatcher:
    process = os.getpid()
    teller = _dispatchers.get(process)
    if teller is None:
        for parent in [*_dispatchers]:
            _dispatchers.pop(parent, None)
        teller = _dispatchers.setdefault(process, _Dispatcher())
    return teller


def follow(natives: Natives) -> None:
    """Delivers the calls of this client to its `on_call` from now on, including bulk calls."""
    _dispatcher().follow(natives)


def flush(timeout: float) -> bool:
    """Waits until everything queued now is delivered; returns True if it was in time. Inside a
    callback it returns False without a wait."""
    teller = _dispatchers.get(os.getpid())
    return teller is None or teller.flush(timeout)


async def flush_awaited(timeout: float) -> None:
    """Like `flush`, in an event loop, which keeps running."""
    teller = _dispatchers.get(os.getpid())
    if teller is None:
        return
    sleep = _sleep_of_loop()
    if sleep is None or teller.is_here() or not (teller._handing.locked() or teller._begin()):
        teller.flush(timeout)
        return
    waiting, end = teller.asked(), time.monotonic() + timeout
    while waiting and time.monotonic() < end:
        await sleep(PAUSE)


def _sleep_of_loop() -> Any:
    """The sleep function of the running event loop; None without one."""
    lowlevel = sys.modules.get("trio.lowlevel")
    if lowlevel is not None and lowlevel.in_trio_task():
        return sys.modules["trio"].sleep
    asyncio = sys.modules.get("asyncio")
    if asyncio is not None and asyncio._get_running_loop() is not None:
        return asyncio.sleep
    return None


def end() -> None:
    """Delivers what is queued when the interpreter exits. Later calls start no thread:
    `Thread.start` would never return then."""
    _dispatcher().end(END_MAX)
