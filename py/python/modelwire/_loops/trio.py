"""Waits under trio: one descriptor for all waits of a run's tasks. Imported when the first call
runs under trio."""

from __future__ import annotations

from trio import lowlevel

from modelwire._native import Hub

checkpoint = lowlevel.checkpoint


class _Run:
    """The hub of one trio run, and its waiting tasks."""

    def __init__(self) -> None:
        self.hub = Hub()
        self.waiting: dict[int, lowlevel.Task] = {}


_run: lowlevel.RunVar[_Run] = lowlevel.RunVar("modelwire")


def hub() -> Hub:
    """The hub of the current run."""
    try:
        return _run.get().hub
    except LookupError:
        run = _Run()
    run.hub.fd()  # created now: a call that could not be waited for is not started
    _run.set(run)
    lowlevel.spawn_system_task(_drain, run)
    return run.hub


async def _drain(run: _Run) -> None:
    """Wakes the tasks of ready numbers until the end of the run."""
    while True:
        await lowlevel.wait_readable(run.hub.fd())
        for number in run.hub.take():
            task = run.waiting.pop(number, None)
            if task is not None:
                lowlevel.reschedule(task)


async def wait(number: int) -> None:
    """Waits until the hub is notified of this number."""
    waiting = _run.get().waiting

    def abort(_: object) -> lowlevel.Abort:
        waiting.pop(number, None)
        return lowlevel.Abort.SUCCEEDED

    waiting[number] = lowlevel.current_task()
    await lowlevel.wait_task_rescheduled(abort)
