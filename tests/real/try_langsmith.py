"""langsmith: wrap_openai around a client, sync, async, streamed; what it records of the calls."""
# needs: langsmith==0.14.17 openai==3.52.0

import os

os.environ.update(LANGSMITH_TRACING="true", LANGSMITH_API_KEY="sk-test")

import drive

drive.stand_in()

import langsmith
from langsmith.run_helpers import tracing_context
from langsmith.wrappers import wrap_openai


def recorded(run):
    """What the wrapper notes at the end of each call."""
    seen = []

    class Client(langsmith.Client):
        def create_run(self, *arguments, **named):
            pass

        def update_run(self, *arguments, outputs=None, **named):
            seen.append(outputs)

    client = Client(api_url="http://127.0.0.1:9", api_key="sk-test", auto_batch_tracing=False)
    with tracing_context(enabled=True, client=client):
        result = run()
    return [result, seen]


def cleaned(value):
    """Without what changes from run to run."""
    if isinstance(value, dict):
        skipped = ("id", "created", "created_at")
        return {name: cleaned(item) for name, item in value.items() if name not in skipped}
    if isinstance(value, list):
        return [cleaned(item) for item in value]
    return value


ASK = {"model": "echo", "messages": [{"role": "user", "content": "One two."}]}


@drive.case
def chat(service):
    def run():
        client = wrap_openai(drive.client(service))
        return client.chat.completions.create(**ASK).choices[0].message.content

    return cleaned(recorded(run))


@drive.case
def streamed(service):
    def run():
        client = wrap_openai(drive.client(service))
        chunks = client.chat.completions.create(stream=True, **ASK)
        return [chunk.choices[0].delta.content for chunk in chunks]

    return cleaned(recorded(run))


@drive.case
def responses(service):
    def run():
        client = wrap_openai(drive.client(service))
        return client.responses.create(model="echo", input="One two.").output_text

    return cleaned(recorded(run))


@drive.case
def responses_streamed(service):
    def run():
        client = wrap_openai(drive.client(service))
        events = client.responses.create(model="echo", input="One two.", stream=True)
        return [event.type for event in events]

    return cleaned(recorded(run))


@drive.case
def asynchronous(service):
    import asyncio

    async def ask():
        client = wrap_openai(drive.async_client(service))
        answer = await client.chat.completions.create(**ASK)
        chunks = await client.chat.completions.create(stream=True, **ASK)
        return [answer.choices[0].message.content, len([chunk async for chunk in chunks])]

    return cleaned(recorded(lambda: asyncio.run(ask())))


drive.main()
