"""A parallel processor as openai-cookbook describes one, written anew from that description: rows
are read one by one, each waits until requests and tokens of the minute have room for it, runs as a
task, goes to a queue of retries where it fails, and is appended to the results; after a refusal for
the rate all wait for 15 seconds. It keeps no word of what it did in an earlier run."""

import asyncio
import json
import os
import time
from collections import deque

import aiohttp
import spent

REQUESTS_PER_MINUTE = float(os.environ.get("RPM", "600000000"))
TOKENS_PER_MINUTE = float(os.environ.get("TPM", "60000000000"))
ATTEMPTS_MAX = 5
PAUSE_AFTER_REFUSAL = 15.0
LOOP_PAUSE = 0.001


def tokens_of(body: dict) -> int:
    """An estimate: four characters are a token."""
    said = sum(len(message["content"]) for message in body["messages"])
    return said // 4 + body.get("max_tokens", 15)


class Processor:
    def __init__(self, session: aiohttp.ClientSession, url: str, target: str) -> None:
        self.session, self.url, self.target = session, url, target
        self.again: deque[tuple[dict, int]] = deque()
        self.under_way = 0
        self.refused_at = 0.0

    async def call(self, row: dict, left: int) -> None:
        try:
            async with self.session.post(self.url, json=row["body"]) as answer:
                body = await answer.json()
            failed = "error" in body
            if failed and answer.status == 429:
                self.refused_at = time.monotonic()
        except (aiohttp.ClientError, asyncio.TimeoutError, ValueError):
            failed = True
        if failed and left > 1:
            self.again.append((row, left - 1))
        elif not failed:
            with open(self.target, "a") as out:
                out.write(spent.result(row["custom_id"], body))
        self.under_way -= 1

    async def run(self, rows) -> None:
        requests, tokens = REQUESTS_PER_MINUTE, TOKENS_PER_MINUTE
        updated, following, tasks = time.monotonic(), None, set()
        is_at_end = False
        while True:
            if following is None:
                if self.again:
                    following = self.again.popleft()
                elif not is_at_end:
                    row = next(rows, None)
                    is_at_end = row is None
                    following = None if row is None else (row, ATTEMPTS_MAX)
                    self.under_way += row is not None
            now = time.monotonic()
            requests = min(
                requests + REQUESTS_PER_MINUTE * (now - updated) / 60, REQUESTS_PER_MINUTE
            )
            tokens = min(tokens + TOKENS_PER_MINUTE * (now - updated) / 60, TOKENS_PER_MINUTE)
            updated = now
            if following is not None:
                needed = tokens_of(following[0]["body"])
                if requests >= 1 and tokens >= needed:
                    requests, tokens = requests - 1, tokens - needed
                    task = asyncio.ensure_future(self.call(*following))
                    tasks.add(task)
                    task.add_done_callback(tasks.discard)
                    following = None
            if following is None and is_at_end and not self.again and not tasks:
                return
            await asyncio.sleep(LOOP_PAUSE)
            since = time.monotonic() - self.refused_at
            if self.refused_at and since < PAUSE_AFTER_REFUSAL:
                await asyncio.sleep(PAUSE_AFTER_REFUSAL - since)


async def all_of(source: str, target: str, base_url: str) -> None:
    headers = {"Authorization": f"Bearer {spent.KEY}"}
    with open(source) as file:
        async with aiohttp.ClientSession(headers=headers) as session:
            processor = Processor(session, f"{base_url}/chat/completions", target)
            await processor.run(map(json.loads, file))


spent.measure(lambda source, target, base_url: asyncio.run(all_of(source, target, base_url)))
