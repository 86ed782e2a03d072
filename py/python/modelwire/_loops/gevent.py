"""Waits in greenlets, if gevent or eventlet has patched the program's blocking calls: a waiting
call lets the other greenlets of its thread run. Imported when one of the two is and a call waits,
and by code that starts threads.

Each thread has one descriptor in its hub for all waits of its greenlets, as event loops have.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import Any
from warnings import warn

from modelwire._native import Hub

_ATTRIBUTE = "_modelwire_waiting"
_SIGNAL_CHECK = 0.05
"""Seconds. A signal that comes right before the hub of the main thread waits for its descriptors,
or that another thread got, is seen only when the hub does something."""
_MODULES = {"gevent": ("gevent.monkey", "is_module_patched"),
            "eventlet": ("eventlet.patcher", "is_monkey_patched")}  # fmt: skip
_warned = False


def library() -> str | None:
    """The library that has patched the program's sockets or threads."""
    for name, (module, asks) in _MODULES.items():
        is_patched = getattr(sys.modules.get(module), asks, None)
        if is_patched is not None and (is_patched("socket") or is_patched("thread")):
            return name
    _warn_of_greenlets()
    return None


def lasts() -> bool:
    """Whether a thread started here outlives the caller. A greenlet does not outlive the hub of its
    thread, and the hub of a pool thread runs only while something waits in it."""
    return library() is None or _is_main_thread()


def _is_main_thread() -> bool:
    is_linux = sys.platform == "linux"  # also in a forked child: eventlet keeps the parent's value
    main = os.getpid() if is_linux else threading.main_thread().native_id
    return threading.get_native_id() == main


def _warn_of_greenlets() -> None:
    """Warns if a greenlet calls without patching: the call blocks all greenlets of its thread."""
    global _warned
    greenlet = getattr(sys.modules.get("gevent"), "Greenlet", None)
    if _warned or greenlet is None or not isinstance(sys.modules["gevent"].getcurrent(), greenlet):
        return
    _warned = True
    warn(
        "modelwire was called in a gevent greenlet without gevent.monkey.patch_all(): the call "
        "blocks all greenlets of its thread. Call patch_all() before everything else.",
        RuntimeWarning,
        stacklevel=2,
    )


def hub() -> Hub:
    """The hub that is notified of this thread's calls."""
    return _waiting().native


def wait(number: int) -> None:
    """Lets other greenlets run until the hub is notified of this number. An exception thrown into
    this greenlet meanwhile (a timeout, its end) is raised here."""
    _waiting().wait(number)


def _waiting() -> _Greenlets:
    make: Any = _Gevent if library() == "gevent" else _Eventlet
    hub = sys.modules[make.module].get_hub()
    waiting: _Greenlets | None = hub.__dict__.get(_ATTRIBUTE)
    if waiting is None or not waiting.is_of_this_process():
        waiting = hub.__dict__[_ATTRIBUTE] = make(hub)
    return waiting


class _Greenlets:
    """The waiting greenlets of one thread."""

    module = ""
    """The module that has the hub of the thread."""

    def __init__(self) -> None:
        self.native = Hub()
        self.waiting: dict[int, Any] = {}
        self._ready: list[int] = []
        self._process = os.getpid()

    def wait(self, number: int) -> None:
        """Lets others run until the hub is notified of this number."""
        raise NotImplementedError

    def is_of_this_process(self) -> bool:
        """Whether it was created in this process: a forked child needs another hub and
        descriptor."""
        return self._process == os.getpid()

    def _drain(self, *_: object) -> None:
        """Resumes the greenlets of all ready numbers; called in the greenlet of the hub."""
        self._ready += self.native.take()
        while self._ready:
            waiter = self.waiting.get(self._ready[0])
            if waiter is not None:
                waiter.switch(None)
            del self._ready[0]  # last: Ctrl-C may come anywhere, and leaves the rest for later


class _Gevent(_Greenlets):
    """A watcher that is active only while something waits: otherwise gevent would wait for it at
    the end of the program."""

    module = "gevent"

    def __init__(self, hub: Any) -> None:
        super().__init__()
        self._waiter = sys.modules["gevent.hub"].Waiter
        self._watcher = hub.loop.io(self.native.fd(), 1)
        self._ticks = hub.loop.timer(_SIGNAL_CHECK, _SIGNAL_CHECK) if _is_main_thread() else None

    def wait(self, number: int) -> None:
        waiter = self._waiter()
        if not self._watcher.active:
            self._watcher.start(self._drain)
            if self._ticks is not None:
                self._ticks.start(self._drain)
        self.waiting[number] = waiter
        try:
            waiter.get()
        finally:
            self.waiting.pop(number, None)
            if not self.waiting:
                self._watcher.stop()
                if self._ticks is not None:
                    self._ticks.stop()


class _Eventlet(_Greenlets):
    """A listener, of which a hub has one per descriptor."""

    module = "eventlet.hubs"

    def __init__(self, hub: Any) -> None:
        super().__init__()
        self._current = sys.modules["greenlet"].getcurrent
        self._hub = hub
        self._needs_ticks = _is_main_thread()
        hub.add(hub.READ, self.native.fd(), self._drain, self._lost, self._lost)

    def wait(self, number: int) -> None:
        self.waiting[number] = self._current()
        self._schedule_tick()
        try:
            self._hub.switch()
        finally:
            self.waiting.pop(number, None)

    def _schedule_tick(self) -> None:
        """Wakes the hub of the main thread again and again while something waits."""
        if self._needs_ticks and self.waiting:
            self._needs_ticks = False
            self._hub.schedule_call_global(_SIGNAL_CHECK, self._tick)

    def _tick(self) -> None:
        self._needs_ticks = True
        self._schedule_tick()
        self._drain()

    def _lost(self, *_: object) -> None:
        """The hub dropped the descriptor; the next wait creates a new one."""
        self._hub.__dict__.pop(_ATTRIBUTE, None)
