"""What every Python client of the benchmark does around its work: reads the arguments, takes CPU
and wall time, tells what it received as one line of JSON.

    client.py WORK BASE_URL OPERATIONS AT_ONCE
"""

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

MODEL = "bench"
MESSAGES: Any = [{"role": "user", "content": "hello"}]
KEY = "sk-test"


@dataclass
class Task:
    """What the command line asks for."""

    base_url: str
    operations: int
    at_once: int


@dataclass
class Seen:
    """What was received; the harness compares it with what was sent."""

    events: int = 0
    text_bytes: int = 0
    found: dict[str, float] = field(default_factory=dict)

    def add(self, text: str | None) -> None:
        """Counts one answer; a loop over chunks counts for itself, so that it measures nothing else."""
        self.events += 1
        self.text_bytes += len(text or "")


def total(parts: list[Seen]) -> Seen:
    """What several threads or tasks received."""
    return Seen(sum(part.events for part in parts), sum(part.text_bytes for part in parts))


def resident_kib() -> float:
    """Memory of this process that is resident now."""
    with open("/proc/self/status") as status:
        return next(float(line.split()[1]) for line in status if line.startswith("VmRSS:"))


def measure(works: dict[str, Callable[[Task], Seen]]) -> None:
    """Runs the work that the command line names between two looks at the clocks, and tells."""
    work, base_url, operations, at_once = sys.argv[1:]
    task = Task(base_url, int(operations), int(at_once))
    cpu, wall = time.process_time(), time.perf_counter()
    seen = works[work](task)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    told = {"cpu_us": cpu * 1e6, "wall_us": wall * 1e6, "events": seen.events}
    print(json.dumps({**told, "text_bytes": seen.text_bytes, **seen.found}))
