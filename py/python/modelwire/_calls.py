"""Hands what calls told to those who asked: `on_call` and observers, on one thread of Python's own.
Imported when somebody asks; knows no call on its way.

The I/O thread only puts records into a bounded buffer of the core. So a function that sleeps,
raises, calls or closes a client holds up nobody but those who come after it on this thread.
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
from modelwire._loops.green import lasts, library
from modelwire._native import CallMark, NativeRecords
from modelwire._natives import without_key
from modelwire._observe import StartedCall, observers

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from modelwire._native import NativeTold
    from modelwire._natives import Natives, Secret
    from modelwire._observe import Observer

RECORDS_MAX = 256
"""Records that are taken at once."""
SLICE = 0.5
"""Seconds between two looks for clients that are gone, as long as there may be some."""
FOLLOWS = 64
"""Clients that are followed between two such looks."""
GREEN_SLICE = 0.05
"""Seconds between two looks of a greenlet."""
PAUSE = 0.002
"""Seconds between two looks of one who waits for what is due."""
END_MAX = 1.0
"""Seconds that the close of a client, and the end of the program, wait for what is due."""

_log = logging.getLogger("modelwire.calls")


class Listener:
    """The function of one client, `on_call`."""

    __slots__ = ("__weakref__", "function")

    def __init__(self, function: Callable[[CallRecord], object]) -> None:
        from inspect import iscoroutinefunction

        if not callable(function):
            raise TypeError(f"on_call takes a function, not {function!r}")
        if iscoroutinefunction(function) or iscoroutinefunction(type(function).__call__):
            raise TypeError(
                "on_call takes a plain function: it is called on a thread, where no event loop "
                "runs. asyncio.run_coroutine_threadsafe hands something to a loop"
            )
        self.function = function

    def follow(self, natives: Natives) -> None:
        """From now on this process tells it of the calls of its client."""
        _teller().follow(natives)


class Watched:
    """A call that observers were told of, from its start to its end."""

    __slots__ = ("_mark", "_more", "_start", "_started", "_teller", "_tokens", "headers")

    def __init__(
        self, client: Any, operation: str, fields: Any, stream: bool, key: Secret | None
    ) -> None:
        client._open()  # a client that was closed makes no call
        self._teller = _teller()
        self._teller.follow(client._natives)
        self._start = time.time()
        self._mark = CallMark()
        self._tokens: list[tuple[Observer, Any]] = []
        self._started = StartedCall(client, operation, fields, stream, key or client._secret)
        self._more: dict[str, Any] = {}
        self.headers: dict[str, Any] | None = None
        """What observers add to the headers of the call."""

    def begin(self, call: Any) -> None:
        """Tells the observers, and takes what they ask for."""
        started = self._started
        with contextlib.suppress(Exception):  # what is wrong with them the call itself says
            _, own = without_key(call.headers or {}, True)
            started.key = own or started.key
        # Known from now on: whatever is raised after an observer gave its token, `failed` ends it.
        self._teller.watched[self._mark.tag] = self
        for observer in (*observers, *started.client._natives.observers):
            try:
                token = observer.started(started)
            except Exception:
                _failed("an observer failed at the start of a call")
            else:
                if token is not None:
                    self._tokens.append((observer, token))
        if not self._tokens:
            self._teller.watched.pop(self._mark.tag, None)
        if started.headers:
            try:
                self.headers = _sendable(started.headers, started.client)
            except Exception:  # an observer replaced them by what is no dict
                _failed("what an observer set as headers is not sent")
        if started.chunk_times:
            self._more["chunk_times"] = True
        if started.gather and started.stream and not call.gather:
            self._more["gather_unseen"] = True
        if self._tokens:
            self._more["mark"] = self._mark

    def options(self, options: dict[str, Any] | None) -> dict[str, Any] | None:
        """What the call sets for itself, with what observers asked for."""
        return {**(options or {}), **self._more} or None

    def failed(self, error: BaseException) -> None:
        """The call was not made; where it was, the core tells how it ended."""
        if self._mark.is_started:
            return
        if self._tokens:
            self._teller.never_sent(self._mark.tag, self._record(error))
        else:
            self._teller.watched.pop(self._mark.tag, None)

    def _record(self, error: BaseException) -> CallRecord:
        """What is told of a call that was never sent."""
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

    def ended(self, record: CallRecord | None, told: NativeTold | None) -> None:
        """Tells those who were told of its start."""
        answer = None
        if told is not None:
            try:
                answer = told.answer(self._mark)
            except Exception:
                _failed("an answer could not be made for an observer")
        for observer, token in self._tokens:
            _guarded("an observer", observer.ended, token, record, answer)


# What the library sets: a call with one of them among its headers would be refused.
_OWN_HEADERS = ("authorization", "content-type", "content-length", "transfer-encoding", "host")
_PATHS = {"models": "/models", "chat": "/chat/completions", "responses": "/responses"}


def _sendable(headers: dict[str, str], client: Any) -> dict[str, Any]:
    """Those headers of observers that can be sent, and that the client does not set itself."""
    own = {name.lower() for name in (*client._headers, *_OWN_HEADERS)}
    found = {}
    for name, value in headers.items():
        texts = isinstance(name, str) and isinstance(value, str)
        if not texts or not name.replace("-", "").replace("_", "").isalnum():
            _log.warning("an observer set a header that cannot be sent")
        elif not (name.isascii() and value.isascii() and value.isprintable()):
            _log.warning("an observer set the header %s to what cannot be sent", name)
        elif name.lower() not in own:
            found[name] = value
    return found


def _guarded(what: str, function: Callable[..., object], *arguments: Any) -> None:
    """Calls a function of the program; what it raises is logged."""
    try:
        function(*arguments)
    except BaseException as error:
        if _is_end_of_greenlet(error):
            raise
        _failed(f"{what} failed at the end of a call")


def _is_end_of_greenlet(error: BaseException) -> bool:
    """Whether somebody ends this greenlet; the next call begins another one."""
    return type(error).__name__ == "GreenletExit"


def _failed(what: str) -> None:
    """Logs what is being handled. Handlers of the program may raise too: that is nobody's call."""
    with contextlib.suppress(Exception):
        _log.exception(what)


class _Teller:
    """What one process has of all this."""

    def __init__(self) -> None:
        self.records = NativeRecords()
        self.watched: dict[int, Watched] = {}
        """The calls that observers were told of, by their tags, until they are told the end."""
        self._listeners: WeakValueDictionary[int, Listener] = WeakValueDictionary()
        self._parked: dict[int, Listener] = {}
        """Those whose client is gone, until its last call has ended."""
        self._gone: set[int] = set()
        """The clients that are gone with all their calls, until what those told is handed on."""
        self._followed = 0
        self._taken: deque[NativeTold] = deque()
        """What this thread holds; where somebody ends it, a greenlet, the next one goes on."""
        self._unsent: deque[tuple[int, CallRecord]] = deque()
        self._numbers = count(1)
        # How much was handed on so far; of calls that were never sent, also how much there was.
        self._handed = self._dropped = self._unsent_handed = self._unsent_put = 0
        self._lock = threading.RLock()  # a signal's handler, or a finalizer, may call meanwhile
        self._handing = threading.Lock()
        """Held by the thread that hands on. `Thread.is_alive` would not do: where a handler of a
        signal raises in it, it takes a thread that lives for dead."""
        self._process = os.getpid()
        self._ident: int | None = None
        self._is_over = False
        self._deadline: float | None = None

    def follow(self, natives: Natives) -> None:
        """From now on the calls of this client, and of its copies, are told."""
        if natives.teller is not self:
            with self._lock:
                if natives.teller is not self:
                    number = next(self._numbers)
                    self.records.follow(natives.first, number, True)
                    natives.number = number
                    if natives.listener is not None:
                        self._listeners[number] = natives.listener
                    natives.teller = self
                    self._followed += 1
        if not self._handing.locked():
            self._begin()

    def _begin(self) -> bool:
        """Whether a thread hands on, or is about to."""
        with self._lock:
            if self._handing.locked():
                return True
            # Before Python 3.12 one that ends would wait for a new thread without end.
            if self._is_over or not lasts() or sys.is_finalizing():
                return False
            thread = threading.Thread(target=self._hand_on, name="modelwire-calls", daemon=True)
            try:
                thread.start()
            except RuntimeError:  # the interpreter ends: `end` hands on what is due
                return False
            return True

    def park(self, natives: Natives) -> None:
        """The client is gone; its calls under way may not be."""
        if natives.listener is not None and not self._is_over:
            self._parked[natives.number] = natives.listener
            self.records.interrupt()

    def never_sent(self, tag: int, record: CallRecord) -> None:
        """A call ended that the core never had."""
        with self._lock:
            self._unsent_put += 1
        self._unsent.append((tag, record))
        self.records.interrupt()

    def is_here(self) -> bool:
        """Whether this thread is the one that hands on."""
        return self._ident == threading.get_ident()

    def is_due(self) -> bool:
        """Whether anything was not handed on yet."""
        return self._is_behind(self._seen())

    def _seen(self) -> tuple[int, int, int]:
        return self.records.heard(), self.records.dropped(), self._unsent_put

    def _is_behind(self, seen: tuple[int, int, int]) -> bool:
        heard, dropped, put = seen
        return self._handed < heard or self._dropped < dropped or self._unsent_handed < put

    def flush(self, timeout: float) -> bool:
        """Waits until all that is due was handed on; true if it was in time."""
        if self.is_here():
            return not self.is_due()
        seen, end = self._seen(), time.monotonic() + timeout
        while self._is_behind(seen):
            if time.monotonic() >= end:
                return False
            if not self._handing.locked() and not self._begin():
                self._hand_on(is_due_alone=True)
            time.sleep(PAUSE)
        return True

    def end(self, timeout: float) -> None:
        """Hands on what is due, and no more."""
        self._deadline = time.monotonic() + timeout
        self._is_over = True
        self.records.stop()
        if not self.is_here() and self._handing.acquire(timeout=timeout):
            self._handing.release()
            self._hand_on()  # where no thread did

    def _hand_on(self, is_due_alone: bool = False) -> None:
        """Until it is over, or once around; unless another thread does."""
        if not self._handing.acquire(False):
            return
        # Nothing is imported here: a child that is forked meanwhile would wait for that for ever.
        try:
            self._ident = threading.get_ident()
            is_greenlet = library() is not None  # and must not wait in the core
            while self._round(0.0 if is_greenlet else SLICE if self._parked else None):
                if is_due_alone:
                    return
                if is_greenlet:
                    time.sleep(GREEN_SLICE)  # theirs
        except BaseException as error:
            if not _is_end_of_greenlet(error):
                raise
        finally:
            self._ident = None
            self._handing.release()

    def _round(self, wait: float | None) -> bool:
        """Hands on what there is; false once it is over."""
        if self._parked or self._followed >= FOLLOWS:
            self._followed = 0
            self._gone.update(self.records.take_gone())
        batch = self.records.take(RECORDS_MAX, 0.0 if self._taken else wait)
        self._taken.extend(batch or ())
        while self._taken:
            if not self._goes_on():
                return False
            self._tell(self._taken.popleft())
        if not self._goes_on():  # the last of them may have forked as well
            return False
        self._tell_unsent()
        self._tell_dropped()
        if self._gone and len(batch or ()) < RECORDS_MAX:  # nothing of them waits any more
            for number in self._gone:
                self._parked.pop(number, None)
            self._gone.clear()
        return batch is not None and self._goes_on()

    def _goes_on(self) -> bool:
        """Not in a child that one of the functions forked; and not beyond the end."""
        is_late = self._deadline is not None and time.monotonic() > self._deadline
        return self._process == os.getpid() and not is_late

    def _tell(self, told: NativeTold) -> None:
        try:
            record = CallRecord._of_json(told.json)
            if told.tag:
                watched = self.watched.pop(told.tag, None)
                if watched is not None:
                    watched.ended(record, told)
            listener = self._listeners.get(told.client)
            if listener is not None:
                _guarded("on_call", listener.function, record)
        finally:
            self._handed += 1

    def _tell_unsent(self) -> None:
        while self._unsent and self._goes_on():
            tag, record = self._unsent.popleft()
            watched = self.watched.pop(tag, None)
            try:
                if watched is not None:
                    watched.ended(record, None)
            finally:
                self._unsent_handed += 1

    def _tell_dropped(self) -> None:
        dropped = self.records.dropped()
        if dropped == self._dropped:
            return
        with contextlib.suppress(Exception):
            _log.warning(
                "%d calls ended of which nobody is told: RECORDS_WAITING_MAX = 4096 waited for "
                "on_call and observers",
                dropped - self._dropped,
            )
        for tag in self.records.take_dropped():
            watched = self.watched.pop(tag, None)
            if watched is not None:
                watched.ended(None, None)
        self._dropped = dropped


_tellers: dict[int, _Teller] = {}
"""That of this process; no lock, so that a child that is forked meanwhile finds none locked."""


def _teller() -> _Teller:
    process = os.getpid()
    teller = _tellers.get(process)
    if teller is None:
        for parent in [*_tellers]:
            _tellers.pop(parent, None)
        teller = _tellers.setdefault(process, _Teller())
    return teller


def flush(timeout: float) -> bool:
    """Waits until all that is due was handed on; true if it was in time. Inside a function that is
    told of calls it waits for nothing."""
    teller = _tellers.get(os.getpid())
    return teller is None or teller.flush(timeout)


async def flush_awaited(timeout: float) -> None:
    """The same in an event loop, which goes on meanwhile."""
    teller = _tellers.get(os.getpid())
    if teller is None or not teller.is_due():
        return
    sleep = _sleep_of_loop()
    if sleep is None or teller.is_here():
        teller.flush(timeout)
        return
    end = time.monotonic() + timeout
    while not teller.flush(0.0) and time.monotonic() < end:
        await sleep(PAUSE)


def _sleep_of_loop() -> Any:
    """How the event loop that runs here sleeps; None where none does."""
    lowlevel = sys.modules.get("trio.lowlevel")
    if lowlevel is not None and lowlevel.in_trio_task():
        return sys.modules["trio"].sleep
    asyncio = sys.modules.get("asyncio")
    if asyncio is not None and asyncio._get_running_loop() is not None:
        return asyncio.sleep
    return None


def end() -> None:
    """Hands on what is due when the interpreter ends. A later call begins no thread: there
    `Thread.start` would never return."""
    _teller().end(END_MAX)
