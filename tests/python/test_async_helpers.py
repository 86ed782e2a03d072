"""The helper streams of an AsyncClient."""

import asyncio

import pytest

import modelwire
from conftest import KEY
from wire import END, HELLO, STALL, events, finish, pause, piece, stream

TEXT = HELLO[0]["content"]


def run(base_url, main):
    async def with_client():
        async with modelwire.AsyncClient(base_url=base_url, api_key=KEY) as client:
            await asyncio.wait_for(main(client), 60)

    asyncio.run(with_client())


def test_events_and_the_final_completion(service):
    """`stream()` is not awaited, `async with` enters it."""

    async def main(client):
        make = client.chat.completions.stream
        asked = {"include_usage": True}
        async with make(model="echo", messages=HELLO, stream_options=asked) as chat:
            found = [event async for event in chat]
            completion = await chat.get_final_completion()
        kinds = [event.type for event in found if event.type != "chunk"]
        assert kinds == ["content.delta"] * 5 + ["content.done"]
        (done,) = (event for event in found if event.type == "content.done")
        assert done.content == completion.choices[0].message.content == TEXT
        assert found[-1].snapshot == chat.current_completion_snapshot == completion
        assert completion.usage.total_tokens == chat.usage["total_tokens"] == 8

    run(service.base_url, main)


def test_a_response(service):
    """Read to its end without looking at the events."""

    async def main(client):
        async with client.responses.stream(model="echo", input=TEXT) as made:
            response = await made.get_final_response()
        assert response.output_text == TEXT
        async with client.responses.stream(model="echo", input=TEXT) as made:
            deltas = [event async for event in made if event.type.endswith("text.delta")]
        assert deltas[-1].snapshot == TEXT

    run(service.base_url, main)


def test_a_cancelled_wait_loses_no_event(service):
    """Events of a chunk that was taken wait for the next one who asks."""
    steps = [step for number in range(20) for step in (piece(str(number)), pause(0.005))]
    base_url = service.script("async-helper", [stream(*steps, finish(), *END)])

    async def main(client):
        found = []
        async with client.chat.completions.stream(model="m", messages=HELLO) as chat:
            while True:
                try:
                    event = await asyncio.wait_for(anext(chat, None), 0.001)
                except asyncio.TimeoutError:
                    continue
                if event is None:
                    break
                found.append(event)
        deltas = [event.delta for event in found if event.type == "content.delta"]
        assert deltas == [str(number) for number in range(20)]
        assert found[-1].content == "".join(deltas)

    run(base_url, main)


def test_leaving_the_block_closes_the_exchange(quiet):
    """Also by an exception."""
    script = [stream(piece("a"), STALL), events(piece("a"), end="cut")]
    base_url = quiet.script("async-helper-left", script)

    async def main(client):
        with pytest.raises(ZeroDivisionError):
            async with client.chat.completions.stream(model="m", messages=HELLO) as chat:
                await anext(chat)
                raise ZeroDivisionError
        while quiet.open_connections():
            # clock: between two looks
            await asyncio.sleep(0.01)
        with pytest.raises(modelwire.APIConnectionError):
            async with client.chat.completions.stream(model="m", messages=HELLO) as chat:
                await chat.until_done()

    run(base_url, main)
