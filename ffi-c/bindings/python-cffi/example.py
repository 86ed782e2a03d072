"""Chats with both clients, base URL and key from the environment: python3 example.py MODEL TEXT"""

import asyncio
import sys

from modelwire_cffi import Client, Error
from modelwire_cffi.aio import AsyncClient


async def together(body):
    async with AsyncClient() as client:
        answers = await asyncio.gather(client.chat(body), client.chat(body))
        print([answer.text for answer in answers])


try:
    model, text = sys.argv[1:]
    body = {"model": model, "messages": [{"role": "user", "content": text}]}
    with Client() as client, client.stream_chat(body, total_timeout_ms=60_000) as stream:
        for chunk in stream:
            print(chunk.text, end="", flush=True)
        print(f"\n{stream.response.info['request_id']}")
    asyncio.run(together(body))
except Error as error:
    sys.exit(str(error))
