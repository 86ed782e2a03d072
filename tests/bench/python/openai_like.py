"""The works of a client with openai-python's interface: the same code runs modelwire and openai."""

import asyncio
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from measure import KEY, MESSAGES, MODEL, Seen, Task, resident_kib, total


def sync_works(new_client: Callable[..., Any]) -> dict[str, Callable[[Task], Seen]]:
    """Works over a blocking client."""

    def client(task: Task) -> Any:
        return new_client(base_url=task.base_url, api_key=KEY)

    def new(task: Task) -> Seen:
        clients = [client(task) for _ in range(task.operations)]
        return Seen(events=len(clients))

    def chats(api: Any, calls: int) -> Seen:
        seen = Seen()
        for _ in range(calls):
            answer = api.chat.completions.create(model=MODEL, messages=MESSAGES)
            seen.add(answer.choices[0].message.content)
        return seen

    def chat(task: Task) -> Seen:
        if task.at_once == 1:
            return chats(client(task), task.operations)
        api = client(task)
        with ThreadPoolExecutor(task.at_once) as threads:
            calls = [task.operations // task.at_once] * task.at_once
            return total(list(threads.map(lambda count: chats(api, count), calls)))

    def read(chunks: Any) -> Seen:
        events = text = 0
        for chunk in chunks:
            events += 1
            text += len(chunk.choices[0].delta.content or "")
        return Seen(events, text)

    def stream(task: Task) -> Seen:
        api = client(task)
        return read(api.chat.completions.create(model=MODEL, messages=MESSAGES, stream=True))

    def responses(task: Task) -> Seen:
        events = text = 0
        for event in client(task).responses.create(model=MODEL, input="hello", stream=True):
            events += 1
            if event.type == "response.output_text.delta":
                text += len(event.delta)
        return Seen(events, text)

    def first(task: Task) -> Seen:
        api, seen, times = client(task), Seen(), []
        for _ in range(task.operations):
            start = time.perf_counter()
            chunks = api.chat.completions.create(model=MODEL, messages=MESSAGES, stream=True)
            chunk = next(iter(chunks))
            times.append(time.perf_counter() - start)
            seen.add(chunk.choices[0].delta.content)
            seen = total([seen, read(chunks)])
        seen.found["first_us"] = statistics.median(times) * 1e6
        return seen

    def long(task: Task) -> Seen:
        """One long stream: how far the resident memory grows after its first tenth."""
        early = 0.0
        events = text = 0
        for chunk in client(task).chat.completions.create(
            model=MODEL, messages=MESSAGES, stream=True
        ):
            events += 1
            text += len(chunk.choices[0].delta.content or "")
            if events == task.operations // 10:
                early = resident_kib()
        return Seen(events, text, {"growth_kib": resident_kib() - early})

    def gather(task: Task) -> Seen:
        """A plain call that is answered by a stream."""
        return chats(client(task), 1)

    works = (new, chat, stream, responses, first, long, gather)
    return {work.__name__: work for work in works}


def async_works(new_client: Callable[..., Any]) -> dict[str, Callable[[Task], Seen]]:
    """Works over an asyncio client."""

    async def chats(api: Any, calls: int) -> Seen:
        seen = Seen()
        for _ in range(calls):
            answer = await api.chat.completions.create(model=MODEL, messages=MESSAGES)
            seen.add(answer.choices[0].message.content)
        return seen

    async def one_stream(api: Any) -> Seen:
        events = text = 0
        async for chunk in await api.chat.completions.create(
            model=MODEL, messages=MESSAGES, stream=True
        ):
            events += 1
            text += len(chunk.choices[0].delta.content or "")
        return Seen(events, text)

    async def open(task: Task) -> Seen:
        """Streams that are open at once, each after its first chunk: their memory."""
        api, seen = new_client(base_url=task.base_url, api_key=KEY), Seen()

        async def one() -> Any:
            chunks = await api.chat.completions.create(model=MODEL, messages=MESSAGES, stream=True)
            seen.add((await anext(chunks)).choices[0].delta.content)
            return chunks

        kept = [await one()]  # what the first one makes, all share
        before = resident_kib()
        kept += await asyncio.gather(*(one() for _ in range(task.operations)))
        seen.found["kib_per_stream"] = (resident_kib() - before) / task.operations
        for chunks in kept:
            await chunks.close()
        return seen

    async def chat(task: Task) -> Seen:
        api = new_client(base_url=task.base_url, api_key=KEY)
        calls = task.operations // task.at_once
        return total(await asyncio.gather(*(chats(api, calls) for _ in range(task.at_once))))

    async def stream(task: Task) -> Seen:
        api = new_client(base_url=task.base_url, api_key=KEY)
        return total(await asyncio.gather(*(one_stream(api) for _ in range(task.at_once))))

    def run(work: Callable[[Task], Any]) -> Callable[[Task], Seen]:
        return lambda task: asyncio.run(work(task))

    return {work.__name__: run(work) for work in (chat, stream, open)}
