"""Everything at once on one client: plain calls, streams, cancels, closes, bulk jobs and observers,
in threads and in event loops. What each got is compared with what it asked for.
"""

import asyncio
import collections
import os
import random
import threading
import time

import pytest

import modelwire
from conftest import eventually
from modelwire.testing import Service

pytestmark = pytest.mark.thread_unsafe("it brings threads enough")

SECONDS = 3.0
WORDS = [f"word{number} " for number in range(30)]


class Storm:
    """What all of them share: the clients, what was asked and what went wrong."""

    def __init__(self, service):
        self.service = service
        self.told = collections.deque()
        settings = {"base_url": service.base_url, "api_key": service.api_key}
        self.lock = threading.Lock()
        self.begun = 0
        self.client = modelwire.OpenAI(**settings, on_call=self.told.append)
        self.loops = modelwire.AsyncOpenAI(**settings, on_call=self.told.append)
        self.settings = settings
        self.until = time.monotonic() + SECONDS
        self.whole = collections.Counter()
        self.failures = collections.deque()

    def goes_on(self):
        # clock: how long it is tried
        return time.monotonic() < self.until

    def thread(self, work, *given):
        def run():
            try:
                while self.goes_on():
                    work(*given)
            except BaseException as error:  # a panic of Rust is one
                self.failures.append(error)

        return threading.Thread(target=run, name=work.__name__)

    def begins(self, calls=1):
        with self.lock:
            self.begun += calls

    def got(self, asked, found, of):
        """An answer that is another one's is told at once."""
        assert found == asked, f"{of}: {found!r} for {asked!r}"
        with self.lock:
            self.whole[of] += 1


def said(chance):
    """What is asked for, and comes back: no two are the same."""
    return f"{chance.random()} " + "".join(chance.sample(WORDS, chance.randint(1, 20))).strip()


def chat(text):
    return {"model": "echo", "messages": [{"role": "user", "content": text}]}


def plain(storm, chance):
    text = said(chance)
    storm.begins(2)
    answer = storm.client.chat.completions.create(**chat(text))
    storm.got(text, answer.choices[0].message.content, "plain")
    storm.got(text, storm.client.responses.create(model="echo", input=text).output_text, "plain")


def streams(storm, chance):
    text = said(chance)
    storm.begins(2)
    chunks = storm.client.chat.completions.create(**chat(text), stream=True)
    storm.got(text, "".join(chunk.choices[0].delta.content or "" for chunk in chunks), "streams")
    with storm.client.chat.completions.stream(**chat(text)) as helper:
        helper.until_done()
        storm.got(text, helper.get_final_completion().choices[0].message.content, "streams")


def leaves(storm, chance):
    """Streams that are left in the middle, one of them closed by another thread."""
    storm.begins()
    stream = storm.client.chat.completions.create(**chat(said(chance)), stream=True)
    for _, _ in zip(range(chance.randint(0, 5)), stream):
        pass
    if chance.random() < 0.5:
        closing = threading.Thread(target=stream.close)
        closing.start()
        list(stream)  # what it had read already, and the end
        closing.join()
    storm.got(None, None, "leaves")


def comes_and_goes(storm, chance):
    """Copies of the client, and clients of its own that are closed while a thread uses them."""
    text = said(chance)
    copy = storm.client.with_options(timeout=30)
    storm.begins()
    storm.got(text, copy.chat.completions.create(**chat(text)).choices[0].message.content, "copies")
    own = modelwire.OpenAI(**storm.settings)

    def use():
        try:
            while True:
                list(own.chat.completions.create(**chat(text), stream=True))
        except modelwire.OpenAIError as error:
            if error.kind != "closed":
                storm.failures.append(error)

    using = threading.Thread(target=use)
    using.start()
    # clock: any moment will do
    time.sleep(chance.random() / 50)
    own.close()
    using.join(60)
    assert not using.is_alive()


def rows(storm, chance):
    asked = [said(chance) for _ in range(20)]
    storm.begins(len(asked))
    results = modelwire.bulk(asked, model="echo", client=storm.client, ordered=True)
    storm.got(asked, [result.text for result in results], "rows")


async def one_task(storm, chance):
    text = said(chance)
    storm.begins()
    stream = await storm.loops.chat.completions.create(**chat(text), stream=True)
    found = "".join([chunk.choices[0].delta.content or "" async for chunk in stream])
    storm.got(text, found, "tasks")
    storm.begins()
    answer = await storm.loops.chat.completions.create(**chat(text))
    storm.got(text, answer.choices[0].message.content, "tasks")


def tasks(storm, chance):
    """An event loop with tasks that come to their end, and tasks that are cancelled on the way."""

    async def main():
        made = [random.Random(chance.random()) for _ in range(15)]
        all = [asyncio.create_task(one_task(storm, one)) for one in made]
        for task in all[10:]:
            asyncio.get_running_loop().call_later(chance.random() / 100, task.cancel)
        for ended in await asyncio.gather(*all, return_exceptions=True):
            if ended and not isinstance(ended, asyncio.CancelledError):
                raise ended
        assert not any(task.cancelled() for task in all[:10])

    asyncio.run(main())


def looks(storm, chance):
    """What a client tells of itself is whole at each moment."""
    usage = storm.client.usage()
    assert all(one["calls"] >= 0 for one in usage.values())
    repr(storm.client)
    if storm.told:
        record = storm.told[-1]
        assert record.operation and record.start and record.elapsed >= 0
    # clock: the pace of who looks
    time.sleep(0.001)


WORKS = [plain, plain, streams, streams, leaves, comes_and_goes, rows, tasks, tasks, looks]


SEEDS = [int(os.environ["TEST_SEED"])] if "TEST_SEED" in os.environ else range(3)


@pytest.mark.parametrize("seed", SEEDS)
def test_everything_at_once(seed):
    """Nobody gets what another asked for; each call is told of once."""
    with Service() as service:
        storm = Storm(service)
        threads = [
            storm.thread(work, storm, random.Random(f"{seed} {number}"))
            for number, work in enumerate(WORKS)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(SECONDS + 60)
            assert not thread.is_alive(), thread.name
        assert not storm.failures, list(storm.failures)
        assert set(storm.whole) == {"plain", "streams", "leaves", "copies", "rows", "tasks"}
        storm.client.close()
        asyncio.run(storm.loops.close())
        eventually("each call is told of", lambda: len(storm.told) >= storm.begun)
        assert len(set(map(id, storm.told))) == len(storm.told) == storm.begun
        assert {record.kind for record in storm.told} <= {None, "cancelled"}
