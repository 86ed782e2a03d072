"""An AsyncClient with the methods of a Client, so that the scenarios of the synchronous client run
through asyncio too: every call and every chunk is awaited, one after another, on one event loop."""

import inspect

import modelwire
from modelwire._schemas.tools import AsyncRun


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
            is_awaited = inspect.isawaitable(found) and not isinstance(found, AsyncRun)
            return await found if is_awaited else found

        return self._wrapped(self._loop.run_until_complete(call()))

    def _wrapped(self, found):
        kind = type(found)
        is_part = hasattr(kind, "__anext__") or hasattr(kind, "__aenter__") or callable(found)
        is_part = is_part or kind.__module__ == "modelwire._answers.raw"
        is_part = is_part or kind.__name__.startswith("Async")
        is_part = is_part and not isinstance(found, modelwire._resources.ModelList)
        return Awaited(found, self._loop) if is_part else found

    def __iter__(self):
        return self if hasattr(self._inner, "__anext__") else self._wrapped(aiter(self._inner))

    def __next__(self):
        async def step():
            return await anext(self._inner, None)

        found = self._loop.run_until_complete(step())
        if found is None:
            raise StopIteration
        return found

    def __enter__(self):
        entered = self._loop.run_until_complete(_awaiting(self._inner.__aenter__()))
        return self if entered is self._inner else self._wrapped(entered)

    def __exit__(self, *error):
        self._loop.run_until_complete(_awaiting(self._inner.__aexit__(*error)))

    def __repr__(self):
        return repr(self._inner)


async def _awaiting(found):
    return await found
