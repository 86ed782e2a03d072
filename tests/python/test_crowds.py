"""Thousands of calls at once in a process with few descriptors."""

import pytest

from programs import run

pytestmark = pytest.mark.thread_unsafe("each test is a program of its own")

LIMITED = """
import asyncio, resource
resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))
"""
ALL_AT_ONCE = """
async def main():
    async with modelwire.AsyncClient({settings}) as client:
        async def one():
            messages = [{{"role": "user", "content": "x"}}]
            return await client.chat.completions.create(model="echo", messages=messages)
        answers = await asyncio.gather(*(one() for _ in range({calls})))
        print(len(answers), client.usage()["echo"]["calls"])
asyncio.run(main())
"""
CALLS = 5_000


@pytest.mark.parametrize(
    "settings",
    ["", "limits=modelwire.Limits(connections_max=8)"],
    ids=["default", "eight"],
)
def test_five_thousand_calls_under_a_thousand_descriptors(service, settings):
    """Those beyond the cap wait their turn; all are answered."""
    program = LIMITED + ALL_AT_ONCE.format(settings=settings, calls=CALLS)
    assert run(program, service.base_url).split() == [str(CALLS)] * 2
