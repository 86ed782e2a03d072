"""The scenarios with the client for asyncio."""

import asyncio
import threading

from common import (
    SCENARIOS,
    STRANGE,
    WORDS,
    at_once,
    chat,
    collect,
    deltas,
    descriptors,
    is_missing,
    left,
    raises,
    resident_kib,
    responses,
    same,
)
from modelwire_cffi.aio import AsyncClient


def scenario(function):
    """A scenario under the name asyncio_NAME, in an event loop."""
    SCENARIOS[f"asyncio_{function.__name__}"] = lambda: asyncio.run(function())
    return function


async def text_of(stream):
    return "".join([chunk.text async for chunk in stream])


@scenario
async def plain():
    async with AsyncClient() as client:
        assert "echo" in (await client.models()).info["models"]
        answer = await client.chat(chat("plain words"))
        same(answer.text, "plain words")
        same(answer.document["choices"][0]["message"]["content"], "plain words")
        same((answer.info["http_status"], answer.info["attempts"]), (200, 1))
        assert answer.info["usage"]["total_tokens"] > 0
        same((await client.responses(responses("plain words"))).text, "plain words")


@scenario
async def streamed():
    async with AsyncClient() as client:
        async with client.stream_chat(chat(WORDS), gather=True) as stream:
            chunks = [chunk async for chunk in stream]
        same("".join(chunk.text for chunk in chunks), WORDS)
        assert sum(1 for chunk in chunks if chunk.text) >= 2
        same(deltas(chunks), WORDS)
        same((stream.response.info["finish_reason"], stream.response.text), ("stop", WORDS))
        chunks = [chunk async for chunk in client.stream_responses(responses(WORDS))]
        same("".join(chunk.text for chunk in chunks), WORDS)
        assert "response.output_text.delta" in [chunk.name for chunk in chunks]
        same((await client.chat(chat(STRANGE))).text, STRANGE)
        same(await text_of(client.stream_chat(chat(STRANGE))), STRANGE)


@scenario
async def missing():
    client = AsyncClient()
    with raises("not_found") as caught:
        await client.chat(chat("hello", "no-such-model"))
    is_missing(caught[0])
    with raises("not_found") as caught:
        await text_of(client.stream_chat(chat("hello", "no-such-model")))
    is_missing(caught[0])


@scenario
async def cut():
    stream = AsyncClient().stream_chat(chat("hello"))
    same((await stream.__anext__()).text, "half ")
    with raises("disconnected"):
        await text_of(stream)
    same(await text_of(stream), "")


@scenario
async def cancel():
    client, loop = AsyncClient(), asyncio.get_running_loop()
    stream = client.stream_chat(chat("hello"))
    same((await stream.__anext__()).text, "one ")
    loop.call_later(0.3, stream.cancel)
    check = at_once(20)
    with raises("cancelled"):
        await stream.__anext__()
    check()
    async with client.stream_chat(chat("hello")) as stream:
        async for chunk in stream:
            same(chunk.text, "one ")
            break
    await loop.run_in_executor(None, left)


@scenario
async def slow_reader():
    client = AsyncClient()
    slow = client.stream_chat(chat("hello"))
    chunks = int((await slow.__anext__()).text != "")
    before = resident_kib()
    for _ in range(20):
        async with client.stream_chat(chat("hello")) as stream:
            same(sum([1 async for chunk in stream if chunk.text]), 20)
    grown = resident_kib() - before
    assert grown < 40 * 1024, f"{grown} KiB"
    chunks += sum([1 async for chunk in slow if chunk.text])
    same(chunks, 64_000)


@scenario
async def many():
    client = AsyncClient(connections_max=1100)

    async def one(number):
        text = f"stream {number}"
        same(await text_of(client.stream_chat(chat(text, "slow"))), text)

    for count in 100, 1000:
        await asyncio.gather(*map(one, range(count)))
    same(client.unfinished, 0)


SCENARIOS["many"] = SCENARIOS["asyncio_many"]


@scenario
async def finalizers():
    client, dropped = AsyncClient(), AsyncClient()
    for number in range(50):
        one = dropped if number == 0 else client
        stream = one.stream_chat(chat("hello"))
        same((await stream.__anext__()).text, "one ")
    del stream, one, dropped
    check = at_once(20)
    while client.unfinished:
        collect()
        check()
        await asyncio.sleep(0.05)
    await asyncio.get_running_loop().run_in_executor(None, left)


@scenario
async def clients():
    for number in range(1, 2001):
        client = AsyncClient()
        if number % 100 == 0:
            same((await client.chat(chat("hello"))).text, "hello")
            collect()
        if number % 2 == 0:
            client.close()
        if number == 200:
            before = descriptors(), resident_kib()
    del client
    collect()
    await asyncio.sleep(0.1)  # the loop stops to watch
    grown = descriptors() - before[0], resident_kib() - before[1]
    assert grown[0] < 20 and grown[1] < 16 * 1024, f"{grown} descriptors, KiB"


@scenario
async def close():
    client = AsyncClient()
    stream = client.stream_chat(chat("hello"))
    same((await stream.__anext__()).text, "one ")
    asyncio.get_running_loop().call_later(0.3, client.close)
    check = at_once(20)
    with raises("closed"):
        await stream.__anext__()
    check()
    with raises("closed"):
        await client.chat(chat("hello"))


@scenario
async def interrupt():
    client, check = AsyncClient(), at_once(20)
    try:
        await asyncio.wait_for(client.chat(chat("hello")), 0.5)
        raise AssertionError("nothing interrupted it")
    except asyncio.TimeoutError:
        check()
    while client.unfinished:
        await asyncio.sleep(0.01)
        check()


def loops():
    """One client on one loop after another, and on loops of two threads at once."""
    client, wrong = AsyncClient(), []

    async def one():
        same(await text_of(client.stream_chat(chat(WORDS, "slow"))), WORDS)

    def run():
        try:
            asyncio.run(one())
        except BaseException as error:
            wrong.append(error)

    run()
    run()
    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong


SCENARIOS["asyncio_loops"] = loops
