"""What many write for themselves: aiohttp, a semaphore, a task for each row, one retry loop,
results appended as they come, and the names in them skipped at the next start."""

import asyncio
import json
import os
import sys

import aiohttp
import spent

AT_ONCE = int(os.environ.get("AT_ONCE", "64"))


async def all_of(source: str, target: str, base_url: str) -> None:
    done = spent.done_before(target)
    semaphore = asyncio.Semaphore(AT_ONCE)
    headers = {"Authorization": f"Bearer {spent.KEY}"}
    connector = aiohttp.TCPConnector(limit=AT_ONCE)
    with open(target, "a") as out:
        async with aiohttp.ClientSession(headers=headers, connector=connector) as session:

            async def one(row: dict) -> None:
                async with semaphore:
                    for attempt in range(5):
                        try:
                            async with session.post(
                                f"{base_url}/chat/completions", json=row["body"]
                            ) as answer:
                                answer.raise_for_status()
                                out.write(spent.result(row["custom_id"], await answer.json()))
                                out.flush()
                                return
                        except (aiohttp.ClientError, asyncio.TimeoutError):
                            await asyncio.sleep(2**attempt)
                    print(f"gave up: {row['custom_id']}", file=sys.stderr)

            waiting = [row for row in spent.rows(source) if row["custom_id"] not in done]
            await asyncio.gather(*(one(row) for row in waiting))


spent.measure(lambda source, target, base_url: asyncio.run(all_of(source, target, base_url)))
