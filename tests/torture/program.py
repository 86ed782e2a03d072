"""The Python package, tortured: says what program.c says, of plain calls, streams and asyncio."""

import asyncio
import ctypes
import os
import time

import modelwire

OPTIONS = {"base_url": os.environ["TORTURE_BASE_URL"], "api_key": "sk-test", "timeout": 20.0}


def shim(name: str) -> None:
    """Counts and fails from here on, or no longer."""
    function = getattr(ctypes.CDLL(None), name, None)
    if function:
        function()


def asking(name: str, **more: object) -> dict[str, object]:
    """The arguments of a call whose answer is its name."""
    return {"model": "echo", "messages": [{"role": "user", "content": name}], **more}


def say(*parts: object) -> None:
    """A line as program.c has it."""
    print(*parts, sep="\t", flush=True)


def end(name: str, error: BaseException | None, text: str | None = None) -> None:
    """Says how a call ended."""
    if error is None:
        say("end", name, "ok", text)
        return
    message = str(error).splitlines()[0] if str(error) else ""
    if isinstance(error, modelwire.OpenAIError):
        say("end", name, "error", error.kind, getattr(error, "metered", "-"), message)
    else:
        say("end", name, "raised", type(error).__name__, message)


def plain(client: modelwire.OpenAI, name: str) -> None:
    """One call."""
    try:
        answer = client.chat.completions.create(**asking(name))
        end(name, None, answer.choices[0].message.content)
    except Exception as error:
        end(name, error)


def streamed(client: modelwire.OpenAI, name: str) -> None:
    """One stream."""
    try:
        with client.chat.completions.create(**asking(name, stream=True)) as stream:
            end(name, None, "".join(stream.text_deltas()))
    except Exception as error:
        end(name, error)


async def at_once() -> None:
    """A call and a stream side by side."""

    async def call(client: modelwire.AsyncOpenAI, name: str) -> None:
        try:
            answer = await client.chat.completions.create(**asking(name))
            end(name, None, answer.choices[0].message.content)
        except Exception as error:
            end(name, error)

    async def stream(client: modelwire.AsyncOpenAI, name: str) -> None:
        try:
            async with await client.chat.completions.create(**asking(name, stream=True)) as chunks:
                end(name, None, "".join([text async for text in chunks.text_deltas()]))
        except Exception as error:
            end(name, error)

    async with modelwire.AsyncOpenAI(**OPTIONS) as client:
        whole, streamed = call(client, "awaited plain"), stream(client, "awaited stream of words")
        await asyncio.gather(whole, streamed)


def work() -> None:
    """All of it."""
    with modelwire.OpenAI(**OPTIONS) as client:
        plain(client, "python plain")
        streamed(client, "python stream of words")
    asyncio.run(at_once())


def descriptors() -> int:
    """Open ones."""
    return len(os.listdir("/proc/self/fd"))


def settled(wanted: int) -> int:
    """The same, when what was closed is gone."""
    end = time.monotonic() + 20
    while (found := descriptors()) > wanted and time.monotonic() < end:
        time.sleep(0.01)
    return found


with modelwire.OpenAI(**OPTIONS) as warm:  # what is imported late is imported now
    plain(warm, "before")
    streamed(warm, "before in words")
before = descriptors()
shim("torture_arm")
try:
    work()
except Exception as error:
    say("setup", "-", type(error).__name__, str(error))
shim("torture_disarm")
say("descriptors", before, settled(before))
with modelwire.OpenAI(**OPTIONS) as last:
    plain(last, "after")
