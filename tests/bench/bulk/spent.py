"""What every Python program of the bulk benchmark does around its work: takes CPU and wall time and
tells them as one line of JSON.

    program.py IN.jsonl OUT.jsonl BASE_URL

IN has lines of a batch file. CPU is that of the process and of all that descend from it and still live.
"""

import json
import os
import sys
import time
from collections.abc import Callable

KEY = "sk-test"
TICK = os.sysconf("SC_CLK_TCK")


def of_descendants() -> float:
    """CPU seconds of the processes that descend from this one."""
    parents, spent = {}, {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue  # it ended
        parents[int(name)] = int(fields[1])
        spent[int(name)] = (int(fields[11]) + int(fields[12])) / TICK
    total = 0.0
    for one, seconds in spent.items():
        above = parents.get(one)
        while above is not None and above != os.getpid():
            above = parents.get(above)
        total += seconds if above is not None else 0.0
    return total


def rows(path: str) -> list[dict]:
    """The lines of a file as dicts."""
    with open(path) as file:
        return [json.loads(line) for line in file]


def done_before(path: str) -> set[str]:
    """The names in a file of results, if it is there; a torn last line is none."""
    found = set()
    if os.path.exists(path):
        with open(path) as file:
            for line in file:
                try:
                    found.add(json.loads(line)["custom_id"])
                except ValueError:
                    continue
    return found


def result(name: str, body: object) -> str:
    """A line of a batch output file."""
    response = {"status_code": 200, "request_id": None, "body": body}
    return json.dumps({"id": None, "custom_id": name, "response": response, "error": None}) + "\n"


def measure(work: Callable[[str, str, str], None]) -> None:
    """Runs the work between two looks at the clocks, and tells."""
    source, target, base_url = sys.argv[1:]
    cpu, wall, others = time.process_time(), time.perf_counter(), of_descendants()
    work(source, target, base_url)
    cpu = time.process_time() - cpu + of_descendants() - others
    wall = time.perf_counter() - wall
    print(json.dumps({"cpu_us": cpu * 1e6, "wall_us": wall * 1e6}))
