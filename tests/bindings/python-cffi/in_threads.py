"""The scenarios with the client for threads; `many` alone is asyncio's."""

import faulthandler
import logging
import os
import random
import signal
import sys
import threading
import time

from common import (
    STRANGE,
    WORDS,
    at_once,
    chat,
    collect,
    deltas,
    descriptors,
    is_missing,
    later,
    left,
    raises,
    resident_kib,
    responses,
    same,
    scenario,
)
from modelwire_cffi import Chunk, Client
from modelwire_cffi.calls import EVENTS_FEW


@scenario
def plain():
    with Client() as client:
        assert "echo" in client.models().info["models"]
        answer = client.chat(chat("plain words"))
        same((answer.text, repr(answer)), ("plain words", "Response(text='plain words')"))
        same(answer.document["choices"][0]["message"]["content"], "plain words")
        same((answer.info["http_status"], answer.info["attempts"]), (200, 1))
        assert answer.info["usage"]["total_tokens"] > 0
        same(client.responses(responses("plain words")).text, "plain words")


@scenario
def streamed():
    with Client() as client:
        with client.stream_chat(chat(WORDS), gather=True) as stream:
            chunks = list(stream)
        same("".join(chunk.text for chunk in chunks), WORDS)
        assert sum(1 for chunk in chunks if chunk.text) >= 2
        assert {type(chunk) for chunk in chunks} == {Chunk}
        same(deltas(chunks), WORDS)
        same((stream.response.info["finish_reason"], stream.response.text), ("stop", WORDS))
        stream = client.stream_responses(responses(WORDS))
        chunks = list(stream)
        same("".join(chunk.text for chunk in chunks), WORDS)
        assert "response.output_text.delta" in [chunk.name for chunk in chunks]
        # Longer than what is read of many events at once, between shorter ones.
        long = " ".join(["short", "é" * 40_000, "x", "y" * 65_536, *["z" * 3000] * 40])
        same("".join(chunk.text for chunk in client.stream_chat(chat(long))), long)
        same(client.chat(chat(STRANGE)).text, STRANGE)
        same("".join(chunk.text for chunk in client.stream_chat(chat(STRANGE))), STRANGE)


@scenario
def missing():
    client = Client()
    with raises("not_found") as caught:
        client.chat(chat("hello", "no-such-model"))
    is_missing(caught[0])
    with raises("not_found") as caught:
        list(client.stream_chat(chat("hello", "no-such-model")))
    is_missing(caught[0])


@scenario
def no_key():
    with raises("config") as caught:
        Client()
    assert "key" in str(caught[0])


@scenario
def wrong_request():
    with raises("argument") as caught:
        Client().chat({"model": "echo"})
    assert "messages" in str(caught[0])


@scenario
def options():
    client = Client()
    with raises("timeout") as caught:
        client.chat(chat("word " * 50, "slow"), total_timeout_ms=50)
    same(caught[0].timeout, "total_timeout")
    with raises("argument") as caught:
        client.chat(chat("hello"), total_timeout=50)
    assert "total_timeout" in str(caught[0])
    with raises("config") as caught:
        Client(no_such_option=1)
    assert "no_such_option" in str(caught[0])
    service = {"url": os.environ["MODELWIRE_BASE_URL"], "weight": 2}
    several = Client(base_urls=[service, "http://127.0.0.1:1/v1"])
    same(several.chat(chat("hello")).text, "hello")


@scenario
def cut():
    stream = Client().stream_chat(chat("hello"))
    same(next(stream).text, "half ")
    with raises("disconnected"):
        list(stream)
    same(list(stream), [])


@scenario
def cancel():
    client = Client()
    stream = client.stream_chat(chat("hello"))
    same(next(stream).text, "one ")
    later(0.3, stream.cancel)
    check = at_once(20)
    with raises("cancelled"):
        next(stream)
    check()
    with client.stream_chat(chat("hello")) as stream:
        for chunk in stream:
            same(chunk.text, "one ")
            break
    left()


@scenario
def slow_reader():
    client = Client()
    slow = client.stream_chat(chat("hello"))
    chunks = int(next(slow).text != "")
    before = resident_kib()
    for _ in range(20):
        with client.stream_chat(chat("hello")) as stream:
            same(sum(1 for chunk in stream if chunk.text), 20)
    grown = resident_kib() - before
    assert grown < 40 * 1024, f"{grown} KiB"
    chunks += sum(1 for chunk in slow if chunk.text)
    same(chunks, 64_000)


@scenario
def finalizers():
    client, dropped = Client(), Client()
    for number in range(50):
        one = dropped if number == 0 else client
        stream = one.stream_chat(chat("hello"))
        same(next(stream).text, "one ")
    del stream, one, dropped
    check = at_once(20)
    while client.unfinished:
        collect()
        check()
        time.sleep(0.05)
    left()


@scenario
def clients():
    before = None
    for number in range(1, 2001):
        client = Client()
        if number % 100 == 0:
            same(client.chat(chat("hello")).text, "hello")
            collect()
        if number % 2 == 0:
            client.close()
        if number == 200:
            before = descriptors(), resident_kib()
    del client
    collect()
    grown = descriptors() - before[0], resident_kib() - before[1]
    assert grown[0] < 20 and grown[1] < 16 * 1024, f"{grown} descriptors, KiB"


@scenario
def log():
    records = []
    handler = logging.Handler()
    handler.emit = records.append
    logging.getLogger().addHandler(handler)
    logging.getLogger().setLevel(1)
    client = Client(log="debug")
    client.chat(chat("hello"))
    check = at_once(20)
    while not any(record.name == "modelwire" for record in records):
        client.unfinished  # noqa: B018 (looks what has come)
        check()
    told = [(record.levelname, record.name, record.getMessage()) for record in records]
    assert ("INFO", "modelwire") in [one[:2] for one in told], told
    assert all(one[2] for one in told) and "sk-test" not in repr(told), told


@scenario
def close():
    client = Client()
    stream = client.stream_chat(chat("hello"))
    same(next(stream).text, "one ")
    later(0.3, client.close)
    check = at_once(20)
    with raises("closed"):
        next(stream)
    check()
    with raises("closed"):
        client.chat(chat("hello"))


@scenario
def interrupt():
    client, seen = Client(), []

    def first(*_):
        seen.append(time.monotonic())
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, 0.5)

    signal.signal(signal.SIGALRM, first)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    start, check = time.monotonic(), at_once(20)
    try:
        client.chat(chat("hello"))
        raise AssertionError("nothing interrupted it")
    except KeyboardInterrupt:
        check()
    assert seen and seen[0] - start < 20
    while client.unfinished:
        check()


@scenario
def fork():
    client = Client()
    stream = client.stream_chat(chat(WORDS, "slow"))
    text = next(stream).text
    child = os.fork()
    if child == 0:
        try:
            same(client.chat(chat("child")).text, "child")
            with raises("forked"):
                list(stream)
            os._exit(0)
        except BaseException as error:
            print("in the child:", repr(error), file=sys.stderr)
            os._exit(1)
    same(text + "".join(chunk.text for chunk in stream), WORDS)
    same(os.waitpid(child, 0)[1], 0)


@scenario
def threads():
    """Many threads share a client, and signals raise in the one that takes, again and again."""
    client, wrong, interrupts = Client(), [], 0

    def work(number):
        try:
            for turn in range(3):
                words = f"thread {number} turn {turn} " + "and a word " * (1, 50, 100)[turn]
                model = ("slow", "echo", "echo")[turn]
                stream = client.stream_chat(chat(words, model))
                same("".join(chunk.text for chunk in stream), words)
                same(client.chat(chat(words)).text, words)
        except BaseException as error:
            wrong.append(error)

    workers = [threading.Thread(target=work, args=[number], daemon=True) for number in range(20)]
    for worker in workers:
        worker.start()
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    faulthandler.dump_traceback_later(18, exit=True)  # where they hang
    while any(worker.is_alive() for worker in workers):
        stream, is_over = client.stream_chat(chat("a word " * 200)), False
        while not is_over:
            try:
                signal.setitimer(signal.ITIMER_REAL, random.uniform(0.00005, 0.002))
                for _ in stream:
                    pass
                signal.setitimer(signal.ITIMER_REAL, 0)
                is_over = True
            except KeyboardInterrupt:
                interrupts += 1
    signal.setitimer(signal.ITIMER_REAL, 0)
    assert not wrong, wrong
    same(client.unfinished, 0)
    assert interrupts > 10, f"{interrupts} interrupts"


@scenario
def paused():
    """A stream that another thread takes for is paused, and its reader has all of it."""
    client = Client()
    ahead = client.stream_chat(chat("ahead " * 2000))
    text = next(ahead).text
    worker = threading.Thread(target=lambda: client.chat(chat("word " * 20, "slow")))
    worker.start()
    worker.join()
    assert EVENTS_FEW < len(ahead._events) < 1000, len(ahead._events)
    same(text + "".join(chunk.text for chunk in ahead), "ahead " * 2000)


@scenario
def abandoned():
    """Threads leave streams of a shared client in every way, paused ones too: no call goes on."""
    client, wrong = Client(), []

    def work(number):
        chance = random.Random(number)
        try:
            for _ in range(40):
                stream = client.stream_chat(chat("word " * 300))
                for _, _ in zip(range(chance.choice([0, 1, 5, 200])), stream):
                    pass
                way = chance.randrange(4)
                if way == 0:
                    stream.close()
                elif way == 1:
                    stream.cancel()
                elif way == 2:
                    later(0.001, stream.close)
                    list(stream)
        except BaseException as error:
            if getattr(error, "kind", None) != "cancelled":
                wrong.append(error)

    workers = [threading.Thread(target=work, args=[number], daemon=True) for number in range(6)]
    for worker in workers:
        worker.start()
    check = at_once(18)
    while any(worker.is_alive() for worker in workers) or client.unfinished:
        collect()
        check()
        time.sleep(0.02)
    assert not wrong, wrong
