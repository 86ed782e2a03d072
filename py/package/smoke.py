"""What an installed wheel does, on a machine that has Python and nothing else: `python smoke.py`.
Plays its own service.
"""

import asyncio
import os
import pickle
import platform
import subprocess
import sys
import threading

import modelwire
from modelwire.testing import Service

HELLO = [{"role": "user", "content": "a b c"}]


def calls(client):
    assert any(model.id == "echo" for model in client.models.list())
    answer = client.chat.completions.create(model="echo", messages=HELLO)
    assert answer.choices[0].message.content == "a b c"
    assert pickle.loads(pickle.dumps(answer)) == answer
    with client.chat.completions.create(model="echo", messages=HELLO, stream=True) as stream:
        assert "".join(chunk.choices[0].delta.content or "" for chunk in stream) == "a b c"
    assert client.responses.create(model="echo", input="a b c").output_text == "a b c"


def errors(client, service):
    service.queue(429, "fine")
    retried = client.chat.completions.create(model="echo", messages=HELLO)
    assert retried.choices[0].message.content == "fine"
    try:
        client.chat.completions.create(model="forbidden", messages=HELLO)
    except modelwire.PermissionDeniedError as error:
        assert error.status_code == 403
    else:
        raise AssertionError("no error")


def threads(client):
    done = []

    def work():
        for _ in range(20):
            calls(client)
        done.append(True)

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(done) == 4


async def loops(settings):
    async with modelwire.AsyncOpenAI(**settings) as client:

        async def one():
            stream = await client.responses.create(model="echo", input="a b", stream=True)
            return [text async for text in stream.text_deltas()]

        assert await asyncio.gather(*[one() for _ in range(8)]) == [["a ", "b"]] * 8


def bulk(client):
    rows = [f"row {number}" for number in range(100)]
    results = modelwire.bulk(rows, model="echo", client=client, ordered=True)
    assert [result.text for result in results] == rows


EXITS = """
import threading, time
import modelwire
client = modelwire.OpenAI()
messages = [{"role": "user", "content": "a"}]
stream = client.chat.completions.create(model="echo", messages=messages, stream=True)
next(stream)
threading.Thread(target=list, args=(stream,), daemon=True).start()
time.sleep(0.01)  # it has begun to wait, as a rule
"""


def exits(service):
    """Python ends daemon threads as they are: under frames of ours, too."""
    variables = os.environ | service.environment
    for _ in range(10):
        service.queue(modelwire.testing.text("a").stall(after=1))
        done = subprocess.run([sys.executable, "-c", EXITS], env=variables, capture_output=True)
        assert (done.returncode, done.stderr) == (0, b""), done


def command(service):
    line = [sys.executable, "-m", "modelwire", "chat", "--model", "echo", "a b c"]
    variables = os.environ | service.environment
    done = subprocess.run(line, capture_output=True, text=True, env=variables)
    assert (done.returncode, done.stdout.strip()) == (0, "a b c"), done


def main():
    is_free = not getattr(sys, "_is_gil_enabled", lambda: True)()
    with Service() as service:
        settings = {"base_url": service.base_url, "api_key": service.api_key}
        with modelwire.OpenAI(**settings) as client:
            calls(client)
            errors(client, service)
            threads(client)
            bulk(client)
        asyncio.run(loops(settings))
        # An emulator runs this process alone.
        if "--alone" not in sys.argv:
            command(service)
            exits(service)
    # A module that needs the lock switches it on when it is imported.
    assert not is_free or not sys._is_gil_enabled(), "the lock is on again"
    lock = "without" if is_free else "with"
    print(
        f"modelwire {modelwire.__version__} on Python {platform.python_version()} {lock} a lock, "
        f"{platform.machine()}, {'-'.join(platform.libc_ver()) or 'another C library'}: fine"
    )


if __name__ == "__main__":
    main()
