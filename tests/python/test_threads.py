"""Threads: many on one client, many on one stream."""

import concurrent.futures
import sys
import threading
import time

import pytest

import modelwire
from callers import asked
from conftest import SOON
from wire import HELLO, STALL, events, finish, piece, stream

pytestmark = pytest.mark.sync_alone("threads; test_async_loops.py has tasks and loops")

THREADS = 20
CHUNKS = 3000


def test_many_threads_share_a_client(service, client):
    """Each gets its own answers, plain and streamed; none is lost from the sums."""
    barrier = threading.Barrier(THREADS)

    def work(number):
        barrier.wait()
        for turn in range(5):
            said = f"thread {number} turn {turn}"
            messages = [{"role": "user", "content": said}]
            answer = client.chat.completions.create(model="echo", messages=messages)
            assert answer.choices[0].message.content == said
            chunks = client.chat.completions.create(model="echo", messages=messages, stream=True)
            assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == said
        return True

    with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
        assert all(pool.map(work, range(THREADS)))
    assert client.usage()["echo"]["calls"] == THREADS * 10
    assert service.state()["metered"]["echo"]["calls"] == THREADS * 10


@pytest.mark.parametrize("interval", [5e-3, 1e-6])
@pytest.mark.parametrize("way", ["create", "helper"])
def test_two_threads_share_a_stream(scripted, interval, way):
    """Each chunk reaches exactly one of them, in its order; both see the end. So does each event
    of a helper stream."""
    numbers = [piece(str(number)) for number in range(CHUNKS)]
    client = scripted(events(*numbers, finish()))
    if way == "create":
        chat = asked(client, stream=True)
    else:
        manager = client.chat.completions.stream(model="m", messages=HELLO)
        chat = manager.__enter__()
    barrier = threading.Barrier(2)

    def read(_):
        barrier.wait()
        if way == "helper":
            return [int(event.delta) for event in chat if event.type == "content.delta"]
        contents = [chunk.choices[0].delta.content for chunk in chat]
        return [int(content) for content in contents if content is not None]

    before = sys.getswitchinterval()
    sys.setswitchinterval(interval)
    try:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            first, second = pool.map(read, range(2))
    finally:
        sys.setswitchinterval(before)
    assert first == sorted(first) and second == sorted(second)
    assert sorted(first + second) == list(range(CHUNKS))


def test_all_threads_that_wait_for_a_stream_see_its_end(scripted):
    """Also when it is closed, and when it fails."""
    client = scripted(stream(piece("a"), STALL))
    chat = asked(client, stream=True)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        readers = [pool.submit(list, chat) for _ in range(4)]
        while not any(reader.running() for reader in readers):
            # clock: between two looks
            time.sleep(0.001)
        chat.close()
        lists = [reader.result(timeout=SOON) for reader in readers]
    assert sum(map(len, lists)) <= 1


def test_a_waiting_thread_releases_the_gil(scripted):
    """Whoever waits for a chunk holds up nobody."""
    client = scripted(stream(piece("a"), STALL))
    chat = asked(client, stream=True)
    next(chat)
    waiting = threading.Thread(target=list, args=(chat,))
    waiting.start()
    before = time.monotonic()
    sum(range(1_000_000))
    # clock: bounds a hang
    assert time.monotonic() - before < SOON and waiting.is_alive()
    chat.close()
    waiting.join(SOON)
    assert not waiting.is_alive()


def test_closing_a_client_in_use_by_threads_ends_their_calls(scripted):
    """A client is closed by one thread while another uses it: no crash, one clear end."""
    client = scripted(events(piece("a"), finish()))
    failures = []

    def work():
        try:
            while True:
                list(asked(client, stream=True))
        except modelwire.OpenAIError as error:
            failures.append(error.kind)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    while len(scripted.requests()) < 20:
        # clock: between two looks
        time.sleep(0.001)
    client.close()
    for thread in threads:
        thread.join(SOON)
    assert failures == ["closed"] * 4
