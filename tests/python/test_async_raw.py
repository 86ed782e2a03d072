"""Answers with their status and headers, from an AsyncClient."""

import asyncio
import json

import modelwire
import wire
from conftest import KEY
from wire import HELLO


def run(service, main):
    async def with_client():
        async with modelwire.AsyncClient(base_url=service.base_url, api_key=KEY) as client:
            await asyncio.wait_for(main(client), 60)

    asyncio.run(with_client())


def test_raw_answers(service):
    """Awaited; parse() is not, as in openai-python."""

    async def main(client):
        raw = await client.chat.completions.with_raw_response.create(model="echo", messages=HELLO)
        assert raw.status_code == 200 and raw.parse().choices and json.loads(raw.text)
        raw = await client.with_raw_response.models.list()
        assert raw.parse().data
        raw = await client.with_raw_response.responses.create(model="echo", input="x", stream=True)
        assert [event async for event in raw.parse()]

    run(service, main)


def test_streamed_answers(service):
    """Inside of `async with`; everything of it is awaited."""

    async def main(client):
        make = client.chat.completions.with_streaming_response.create
        async with make(model="echo", messages=HELLO) as response:
            assert response.headers["content-type"] == "application/json"
            assert json.loads(await response.read()) == await response.json()
            assert (await response.parse()).choices
        async with make(model="echo", messages=HELLO, stream=True) as response:
            lines = [line async for line in response.iter_lines() if line]
        assert lines[-1] == "data: [DONE]" and len(lines) == 7

    run(service, main)


def test_the_response_of_a_stream_ends_it(service):
    """`aclose` is awaited, as in openai-python."""

    base_url = service.script("aclose", [wire.stream(wire.piece("a"), wire.STALL)])

    async def main(client):
        client = client.with_options(base_url=base_url)
        make = client.chat.completions.create
        stream = await make(model="m", messages=HELLO, stream=True)
        assert await anext(aiter(stream)) and not stream.response.is_closed
        await stream.response.aclose()
        assert [chunk async for chunk in stream] == [] and stream.response.is_closed

    run(service, main)
