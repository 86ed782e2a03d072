"""What the drivers share: a foreign program is run twice, with openai's client and with
modelwire's, against the same scripted service, and every result and every request is told as a line
of JSON.

A driver names its cases with `case` and ends with `main`. `run` starts it once for each library
and compares the lines.
"""

import asyncio
import inspect
import json
import os
import sys
import traceback

import modelwire
from modelwire.testing import Service

LIBRARY = os.environ.get("REAL_LIBRARY", "modelwire")
SHIM = os.environ.get("REAL_SHIM", "names")
"""What is done beside handing over a client: none, registered, names, both; see `standin`."""
CASE_DEADLINE = 60.0

_cases = []


def stand_in(resources=False):
    """Lets the program meet modelwire where it imports openai, as far as REAL_SHIM says. To be
    called before the program is imported."""
    if LIBRARY == "modelwire" and SHIM != "none":
        import standin

        if SHIM in ("registered", "both"):
            modelwire.register_openai_classes()
        if SHIM in ("names", "both"):
            standin.names()
        if resources and SHIM != "registered":
            standin.resources()


def library():
    """The module whose clients are tried."""
    if LIBRARY == "modelwire":
        return modelwire
    import openai

    return openai


def client(service, **options):
    """A client of the library that is tried, led to the service."""
    return library().OpenAI(base_url=service.base_url, api_key=service.api_key, **options)


def async_client(service, **options):
    """The same for asyncio."""
    return library().AsyncOpenAI(base_url=service.base_url, api_key=service.api_key, **options)


def case(function):
    """A case: takes the service, returns plain data that both libraries must agree on."""
    _cases.append(function)
    return function


def _plain(value):
    """Results as JSON; what is not plain data is told by its text."""
    return json.loads(json.dumps(value, default=str, sort_keys=True))


def _run(function, service):
    if inspect.iscoroutinefunction(function):
        return asyncio.run(asyncio.wait_for(function(service), CASE_DEADLINE))
    return function(service)


def main():
    """Runs the cases, or those that are named, and tells each as a line of JSON."""
    for function in _cases:
        if len(sys.argv) > 1 and function.__name__ not in sys.argv[1:]:
            continue
        with Service() as service:
            told = {"case": function.__name__}
            try:
                told["result"] = _plain(_run(function, service))
            except BaseException as error:
                told["failed"] = f"{type(error).__name__}: {error}"
                told["traceback"] = traceback.format_exc()
            told["requests"] = [
                {"path": request.path, "query": request.query, "body": request.body}
                for request in service.requests
            ]
            told["untaken"] = service.waiting
            # openai's client says so in this header; programs set User-Agent themselves.
            told["openai"] = any("x-stainless-lang" in r.headers for r in service.requests)
        print("\n" + json.dumps(told), flush=True)  # whatever the program printed
    # Some frameworks leave threads behind that would wait for a network.
    sys.stdout.flush()
    os._exit(0)
