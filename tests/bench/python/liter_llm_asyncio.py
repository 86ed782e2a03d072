"""liter-llm's client, which is for asyncio alone."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import liter_llm
from measure import KEY, MESSAGES, MODEL, Seen, Task, measure, total


def new_client(task: Task) -> Any:
    # A prefix names the provider; "openai/" is the one with this protocol.
    return liter_llm.create_client(api_key=KEY, base_url=task.base_url, timeout_secs=600)


def request() -> Any:
    return liter_llm.ChatCompletionRequest(model=f"openai/{MODEL}", messages=MESSAGES)


async def chats(client: Any, task: Task) -> Seen:
    seen = Seen()
    for _ in range(task.operations // task.at_once):
        answer = await liter_llm.chat(client, request())
        seen.add(answer.choices[0].message.content.text)
    return seen


async def one_stream(client: Any, task: Task) -> Seen:
    events = text = 0
    async for chunk in liter_llm.chat_stream(client, request()):
        events += 1
        text += len(chunk.choices[0].delta.content or "")
    return Seen(events, text)


async def at_once(work: Callable[[Any, Task], Awaitable[Seen]], task: Task) -> Seen:
    client = new_client(task)
    return total(await asyncio.gather(*(work(client, task) for _ in range(task.at_once))))


measure(
    {
        "chat": lambda task: asyncio.run(at_once(chats, task)),
        "stream": lambda task: asyncio.run(at_once(one_stream, task)),
    }
)
# Its worker threads abort the process at interpreter exit, about one time in three: the work is
# done and told by now, so that exit is left out.
sys.stdout.flush()
os._exit(0)
