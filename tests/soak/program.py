"""The soak in Python: `program.py MODE NUMBER SECONDS AT_ONCE` makes calls, in `threads` or in
`asyncio`, and says how each ended as judge.rs reads it.
"""

import asyncio
import itertools
import json
import os
import random
import sys
import threading
import time
import zlib

import modelwire

MODE, (NUMBER, SECONDS, AT_ONCE) = sys.argv[1], map(int, sys.argv[2:])
UNTIL = time.monotonic() + SECONDS
numbers = itertools.count()
lock = threading.Lock()
counts = [0, 0, 0]


def options(name: str) -> dict[str, object]:
    """The options that the other languages take as JSON."""
    given = json.loads(os.environ[name])
    waits = {name: given[f"retry_{name}_ms"] / 1000 for name in ("first_wait", "wait_max")}
    flags = ("connect_errors", "lost_connections", "first_byte_timeouts", "adaptive")
    retry = {name: given[f"retry_{name}"] for name in flags if f"retry_{name}" in given}
    statuses = tuple(given.get("retry_statuses", [429]))
    times = {name: given[f"{name}_timeout_ms"] / 1000 for name in ("connect", "first_byte", "idle")}
    limits = {
        name: value for name, value in given.items() if name.endswith(("events_max", "bytes_max"))
    }
    return {
        "base_url": given["base_url"],
        "api_key": given["api_key"],
        "retry": modelwire.Retry(statuses=statuses, **waits, **retry),
        "timeout": modelwire.Timeout(**times),
        "limits": modelwire.Limits(**limits),
        "on_call": ended,
    }


def ended(record: modelwire.CallRecord) -> None:
    """Counts the records; all come from one thread for each client."""
    with lock:
        counts[0] += 1
        counts[1] += record.attempts_count


def say(*parts: object) -> None:
    """A line for the judge, whole."""
    line = " ".join(map(str, parts)).encode() + b"\n"
    with lock:
        while line:
            line = line[os.write(1, line) :]


class Talk:
    """A call under way, and what has come of it."""

    def __init__(self, clients) -> None:
        self.number = next(numbers)
        dice = random.Random(NUMBER << 40 | self.number)
        self.is_stream = dice.random() < 0.6
        length = dice.randrange(1, 2000 if dice.random() < 0.01 else 33)
        self.leave_after = dice.randrange(1, length + 1) if dice.random() < 0.02 else None
        name = f"{NUMBER}.{self.number}.{length}"
        client = clients[self.number % 4 == 3]
        if dice.random() < 0.25:
            self.create = client.responses.create
            self.asked = {"input": name}
        else:
            self.create = client.chat.completions.create
            self.asked = {"messages": [{"role": "user", "content": name}]}
        self.asked |= {"model": "soak"} | ({"stream": True} if self.is_stream else {})
        self.chunks = self.sum = 0

    def add(self, text: str) -> bool:
        """Counts a chunk; whether the stream shall be left."""
        self.sum = zlib.crc32(text.encode(), self.sum)
        self.chunks += 1
        return self.chunks == self.leave_after

    def whole(self, answer) -> None:
        text = answer.output_text if "input" in self.asked else answer.choices[0].message.content
        self.sum = zlib.crc32(text.encode())
        self.end("ok", answer)

    def end(self, kind: str, what, metered: str = "-") -> None:
        """Says how it ended; `what` has its record."""
        attempts = what.timing.attempts_count if what.timing else "-"  # of a stream that was left
        say(self.number, kind, metered, attempts, self.chunks, self.sum, 0)

    def failed(self, error: modelwire.OpenAIError) -> None:
        self.end(error.kind, error, error.metered)


def work(clients) -> None:
    """Calls, one after another."""
    while time.monotonic() < UNTIL:  # clock: how long it works
        talk = Talk(clients)
        try:
            answer = talk.create(**talk.asked)
            if not talk.is_stream:
                talk.whole(answer)
                continue
            with answer:
                is_left = any(talk.add(text) for text in answer.text_deltas() if text)
            talk.end("left" if is_left else "ok", answer)
        except modelwire.OpenAIError as error:
            talk.failed(error)


async def work_async(clients) -> None:
    """The same, awaited."""
    while time.monotonic() < UNTIL:  # clock: how long it works
        talk = Talk(clients)
        try:
            if talk.number % 50 == 0 and not talk.is_stream:
                answer = await asyncio.wait_for(talk.create(**talk.asked), random.random() / 200)
            else:
                answer = await talk.create(**talk.asked)
            if not talk.is_stream:
                talk.whole(answer)
                continue
            is_left = False
            async with answer:
                async for text in answer.text_deltas():
                    if text and talk.add(text):
                        is_left = True
                        break
            talk.end("left" if is_left else "ok", answer)
        except modelwire.OpenAIError as error:
            talk.failed(error)
        except asyncio.TimeoutError:
            say(talk.number, "left", "-", "-", 0, 0, 1)


def sums(clients) -> None:
    """What the clients have counted."""
    global used
    for client in clients:
        for sum in client.usage().values():
            without = sum["calls_without_usage"]
            values = (sum["calls"] - without, without, sum["input_tokens"], sum["output_tokens"])
            used = [one + value for one, value in zip(used, values)]


async def at_once() -> None:
    """Many tasks on one loop."""
    clients = [modelwire.AsyncOpenAI(**options(name)) for name in ("SOAK_OPTIONS", "SOAK_GENEROUS")]
    await asyncio.gather(*(work_async(clients) for _ in range(AT_ONCE)))
    sums(clients)
    for client in clients:
        await client.aclose()


def in_threads() -> None:
    """Many threads."""
    clients = [modelwire.OpenAI(**options(name)) for name in ("SOAK_OPTIONS", "SOAK_GENEROUS")]
    threads = [threading.Thread(target=work, args=(clients,)) for _ in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sums(clients)
    for client in clients:
        client.close()


used = [0, 0, 0, 0]
# The library's thread stays, with what it waits with.
before = len(os.listdir("/proc/self/fd")) + 4
if MODE == "threads":
    in_threads()
else:
    asyncio.run(at_once())
calls = next(numbers)
end = time.monotonic() + 20
while counts[0] < calls and time.monotonic() < end:  # clock: bounds a hang
    time.sleep(0.01)  # clock: between two looks
# clock: bounds a hang
while (after := len(os.listdir("/proc/self/fd"))) > before and time.monotonic() < end:
    time.sleep(0.01)  # clock: between two looks
said = {"calls": calls, "records": counts[0], "attempts": counts[1]}
said |= dict(zip(("used", "unused", "input", "output"), used))
said |= {"before": before, "after": after}
say("said", *(f"{name}={value}" for name, value in said.items()))
