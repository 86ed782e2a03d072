"""An AsyncClient with the methods of a Client, so that the scenarios of the synchronous client run
through asyncio too: every call and every chunk is awaited, one after another, on one event loop."""

import asyncio
import inspect
import re

import pytest

import modelwire
from conftest import KEY


class Awaited:
    """Anything of an asynchronous client; what it returns is awaited before it is handed out."""

    def __init__(self, inner, loop):
        self._inner = inner
        self._loop = loop

    def __getattr__(self, name):
        return self._wrapped(getattr(self._inner, name))

    def __call__(self, *arguments, **named):
        async def call():
            found = self._inner(*arguments, **named)
            return await found if inspect.isawaitable(found) else found

        return self._wrapped(self._loop.run_until_complete(call()))

    def _wrapped(self, found):
        if isinstance(found, (modelwire.AsyncStream, modelwire.AsyncClient)):
            return Awaited(found, self._loop)
        parts = ("modelwire._resources", "modelwire._native")
        is_part = type(found).__module__ in parts and hasattr(type(found), "__anext__")
        is_part = is_part or type(found).__name__.startswith("Async")
        if is_part and not isinstance(found, modelwire._resources.ModelList):
            return Awaited(found, self._loop)
        return Awaited(found, self._loop) if callable(found) else found

    def __iter__(self):
        return self

    def __next__(self):
        async def step():
            return await anext(self._inner, None)

        found = self._loop.run_until_complete(step())
        if found is None:
            raise StopIteration
        return found

    def __enter__(self):
        self._loop.run_until_complete(self._inner.__aenter__())
        return self

    def __exit__(self, *error):
        self._loop.run_until_complete(_awaiting(self._inner.__aexit__(*error)))

    def __repr__(self):
        return repr(self._inner)


async def _awaiting(found):
    return await found


@pytest.fixture
def loop():
    """An event loop of the test's own, which ends clean."""
    loop = asyncio.new_event_loop()
    loop.set_debug(False)
    yield loop
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


@pytest.fixture
def client(service, loop):
    """The client of conftest, asynchronous."""
    with Awaited(modelwire.AsyncClient(base_url=service.base_url, api_key=KEY), loop) as client:
        yield client


@pytest.fixture
def scripted(service, request, loop):
    """The maker of conftest, of asynchronous clients."""
    name = re.sub("[^A-Za-z0-9]+", "-", f"async-{request.node.name}")

    def make(*exchanges, **settings):
        base_url = service.script(name, exchanges)
        settings = {"base_url": base_url, "api_key": KEY, **settings}
        made.append(Awaited(modelwire.AsyncClient(**settings), loop))
        return made[-1]

    made = []
    make.requests = lambda: service.requests(name)
    yield make
    for client in made:
        client.close()
