"""The binding's client for asyncio."""

import asyncio

from measure import BODY, KEY, measure
from modelwire_cffi.aio import AsyncClient


async def chats(client, count):
    text_bytes = 0
    for _ in range(count):
        text_bytes += len((await client.chat(BODY)).text.encode())
    return count, text_bytes


async def one_stream(client):
    events = text_bytes = 0
    async for chunk in client.stream_chat(BODY):
        events += 1
        text_bytes += len(chunk.text.encode())
    return events, text_bytes


async def together(base_url, at_once, work):
    client = AsyncClient(base_url=base_url, api_key=KEY)
    return [sum(parts) for parts in zip(*await asyncio.gather(*map(work, [client] * at_once)))]


def chat(base_url, operations, at_once):
    work = lambda client: chats(client, operations // at_once)  # noqa: E731
    return asyncio.run(together(base_url, at_once, work))


def stream(base_url, _, at_once):
    return asyncio.run(together(base_url, at_once, one_stream))


measure(chat, stream)
