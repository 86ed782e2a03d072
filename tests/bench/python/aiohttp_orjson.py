"""aiohttp and orjson, written by hand as aiohttp's manual shows."""

import asyncio
from collections.abc import Awaitable, Callable

import aiohttp
import orjson
from measure import KEY, MESSAGES, MODEL, Seen, Task, measure, total

HEADERS = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
Session = aiohttp.ClientSession


def session(task: Task) -> Session:
    connector = aiohttp.TCPConnector(limit=task.at_once)
    timeout = aiohttp.ClientTimeout(total=None)
    return Session(headers=HEADERS, connector=connector, timeout=timeout)


async def chats(http: Session, task: Task) -> Seen:
    seen = Seen()
    url = f"{task.base_url}/chat/completions"
    for _ in range(task.operations // task.at_once):
        body = orjson.dumps({"model": MODEL, "messages": MESSAGES})
        async with http.post(url, data=body) as answer:
            answer.raise_for_status()
            found = orjson.loads(await answer.read())
            seen.add(found["choices"][0]["message"]["content"])
    return seen


async def one_stream(http: Session, task: Task) -> Seen:
    events = text = 0
    body = orjson.dumps({"model": MODEL, "messages": MESSAGES, "stream": True})
    async with http.post(f"{task.base_url}/chat/completions", data=body) as answer:
        answer.raise_for_status()
        async for line in answer.content:
            if not line.startswith(b"data: "):
                continue
            data = line[6:].strip()
            if data == b"[DONE]":
                return Seen(events, text)
            events += 1
            text += len(orjson.loads(data)["choices"][0]["delta"].get("content") or "")
    raise RuntimeError("no [DONE]")


async def at_once(work: Callable[[Session, Task], Awaitable[Seen]], task: Task) -> Seen:
    async with session(task) as http:
        return total(await asyncio.gather(*(work(http, task) for _ in range(task.at_once))))


measure(
    {
        "chat": lambda task: asyncio.run(at_once(chats, task)),
        "stream": lambda task: asyncio.run(at_once(one_stream, task)),
    }
)
