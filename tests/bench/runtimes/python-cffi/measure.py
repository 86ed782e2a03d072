"""What the clients do around their work: arguments, clocks, one line of JSON."""

import json
import resource
import sys
import time

BODY = {"model": "bench", "messages": [{"role": "user", "content": "hello"}]}
KEY = "sk-test"


def cpu_s():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def measure(chat, stream):
    """Runs the work that the command line names. It is a function of the base URL, the operations
    and how many at once, and gives how many events and bytes of text it read."""
    work, base_url, operations, at_once = sys.argv[1:]
    run = {"chat": chat, "stream": stream}[work]
    cpu, wall = cpu_s(), time.perf_counter()
    events, text_bytes = run(base_url, int(operations), int(at_once))
    cpu, wall = cpu_s() - cpu, time.perf_counter() - wall
    told = {"cpu_us": cpu * 1e6, "wall_us": wall * 1e6}
    print(json.dumps({**told, "events": events, "text_bytes": text_bytes}))
