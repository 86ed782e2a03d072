"""What the scenarios of both clients ask for and look at."""

import contextlib
import gc
import os
import sys
import threading
import time

from modelwire_cffi import Error

MEMBERS = (
    "kind message hint http_status type code param request_id path model timeout metered body "
    "partial headers request_time_unix_ms attempts elapsed_ms retry_after_ms"
).split()
WORDS = "one two three four"
STRANGE = "nul \0 emoji \U0001f600 umlauts äöüß end"
SCENARIOS = {}


def scenario(function):
    """A scenario, under its function's name."""
    SCENARIOS[function.__name__] = function
    return function


def chat(text, model="echo"):
    return {"model": model, "messages": [{"role": "user", "content": text}]}


def responses(text):
    return {"model": "echo", "input": text}


def same(seen, wanted):
    assert seen == wanted, f"{seen!r} instead of {wanted!r}"


@contextlib.contextmanager
def raises(*kinds):
    """That the block raises an Error of one of these kinds; it is in the list that `as` names."""
    caught = []
    try:
        yield caught
    except Error as error:
        assert error.kind in kinds, f"{error.kind!r} instead of {kinds}: {error}"
        assert error.message and error.message in str(error)
        caught.append(error)
    else:
        raise AssertionError(f"no Error was raised, instead of {kinds}")


def is_missing(error):
    """Looks at every member of what a model that is not there raises."""
    same((error.http_status, error.attempts, error.model), (404, 1, "no-such-model"))
    assert error.hint and error.hint in str(error)
    known = {name: getattr(error, name) for name in MEMBERS}
    assert known["path"].endswith("/chat/completions") and known["body"] and known["headers"]


def deltas(chunks):
    """The content of chat chunks, out of their documents."""
    choices = [choice for chunk in chunks for choice in chunk.document["choices"]]
    return "".join(choice["delta"].get("content") or "" for choice in choices)


def at_once(seconds):
    """A function that fails where this has taken longer."""
    start = time.monotonic()

    def check():
        took = time.monotonic() - start
        assert took < seconds, f"it took {took:.1f} s"

    return check


def later(seconds, function):
    timer = threading.Timer(seconds, function)
    timer.daemon = True
    timer.start()
    return timer


def resident_kib():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))


def descriptors():
    return len(os.listdir("/proc/self/fd"))


def collect():
    gc.collect()
    gc.collect()  # PyPy runs what the first one found


def left():
    """The cue comes when the service sees no connection any more."""
    print("left", flush=True)
    assert sys.stdin.readline(), "the cue did not come"
