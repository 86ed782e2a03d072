"""Waiting in greenlets, where gevent or eventlet replaced the blocking calls of a program: whoever
waits for a call lets the other greenlets of its thread run. Imported when one of the two is and a
call waits, and by what has a thread of its own.

Each thread has one descriptor in its hub for all that its greenlets wait for, as the event loops of
asyncio and trio have.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import Any
from warnings import warn

from modelwire._native import Hub

_ATTRIBUTE = "_modelwire_waiting"
_MODULES = {"gevent": ("gevent.monkey", "is_module_patched"),
            "eventlet": ("eventlet.patcher", "is_monkey_patched")}  # fmt: skip
_warned = False


def library() -> str | None:
    """Which of the two has replaced the sockets or the threads of this program."""
    for name, (module, asks) in _MODULES.items():
        is_patched = getattr(sys.modules.get(module), asks, None)
        if is_patched is not None and (is_patched("socket") or is_patched("thread")):
            return name
    _warn_of_greenlets()
    return None


def lasts() -> bool:
    """Whether what begins here as a thread runs on when this is left. A greenlet does not outlive
    the hub of its thread, and that of a thread of a pool runs only while something waits in it."""
    if library() is None:
        return True
    is_linux = sys.platform == "linux"  # there too in a child: eventlet keeps what the parent had
    main = os.getpid() if is_linux else threading.main_thread().native_id
    return threading.get_native_id() == main


def _warn_of_greenlets() -> None:
    """Where a greenlet calls that nothing was replaced for, all of its thread stand still."""
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
    """What calls of this thread are noted in."""
    return _waiting().native


def wait(number: int) -> None:
    """Lets other greenlets run until this number is noted. What is raised in this greenlet
    meanwhile (a timeout, its end) is raised here."""
    _waiting().wait(number)


def _waiting() -> _Greenlets:
    make: Any = _Gevent if library() == "gevent" else _Eventlet
    hub = sys.modules[make.module].get_hub()
    waiting: _Greenlets | None = hub.__dict__.get(_ATTRIBUTE)
    if waiting is None or not waiting.is_of_this_process():
        waiting = hub.__dict__[_ATTRIBUTE] = make(hub)
    return waiting


class _Greenlets:
    """Those of one thread that wait."""

    module = ""
    """Which one has the hub of the thread."""

    def __init__(self) -> None:
        self.native = Hub()
        self.waiting: dict[int, Any] = {}
        self._process = os.getpid()

    def wait(self, number: int) -> None:
        """Lets others run until this number is noted."""
        raise NotImplementedError

    def is_of_this_process(self) -> bool:
        """A child that was forked has a hub and a descriptor of its own."""
        return self._process == os.getpid()

    def _drain(self, *_: object) -> None:
        """Lets those go on whose numbers were noted; called in the greenlet of the hub."""
        for number in self.native.take():
            waiter = self.waiting.pop(number, None)
            if waiter is not None:
                waiter.switch(None)


class _Gevent(_Greenlets):
    """A watcher, which is there as long as somebody waits: else gevent would wait for it at the
    end of the program."""

    module = "gevent"

    def __init__(self, hub: Any) -> None:
        super().__init__()
        self._waiter = sys.modules["gevent.hub"].Waiter
        self._watcher = hub.loop.io(self.native.fd(), 1)

    def wait(self, number: int) -> None:
        waiter = self._waiter()
        if not self._watcher.active:
            self._watcher.start(self._drain)
        self.waiting[number] = waiter
        try:
            waiter.get()
        finally:
            self.waiting.pop(number, None)
            if not self.waiting:
                self._watcher.stop()


class _Eventlet(_Greenlets):
    """A listener, of which a hub has one for each descriptor."""

    module = "eventlet.hubs"

    def __init__(self, hub: Any) -> None:
        super().__init__()
        self._current = sys.modules["greenlet"].getcurrent
        self._hub = hub
        hub.add(hub.READ, self.native.fd(), self._drain, self._lost, self._lost)

    def wait(self, number: int) -> None:
        self.waiting[number] = self._current()
        try:
            self._hub.switch()
        finally:
            self.waiting.pop(number, None)

    def _lost(self, *_: object) -> None:
        """The hub gave the descriptor up; the next wait makes a new one."""
        self._hub.__dict__.pop(_ATTRIBUTE, None)
