"""logfire: what `instrument_openai(client)` records of calls."""
# needs: logfire==5.2.0 openai==3.52.0 httpx

import json
import os

os.environ["LOGFIRE_SEND_TO_LOGFIRE"] = "false"

import drive

drive.stand_in()

import logfire
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

exporter = InMemorySpanExporter()
logfire.configure(
    send_to_logfire=False,
    console=False,
    additional_span_processors=[SimpleSpanProcessor(exporter)],
)

HELLO = [{"role": "user", "content": "One two."}]


def recorded(*names):
    """What the spans have, without what differs from run to run; or of these attributes alone."""
    spans = exporter.get_finished_spans()
    exporter.clear()
    attributes = [dict(span.attributes) for span in spans]
    for one in attributes:
        if "gen_ai.usage.raw" in one:  # its fields stand in another order
            one["gen_ai.usage.raw"] = json.loads(one["gen_ai.usage.raw"])
        for name in [name for name in one if name.startswith("code.")]:
            del one[name]
        for name in ("duration", "logfire.msg", "gen_ai.response.id", "gen_ai.client.base_url"):
            one.pop(name, None)
    if names:
        return [[one.get(name) for name in names] for one in attributes]
    return [[span.name, one] for span, one in zip(spans, attributes)]


@drive.case
def chat(service):
    client = drive.client(service)
    logfire.instrument_openai(client)
    answer = client.chat.completions.create(model="echo", messages=HELLO)
    return [answer.choices[0].message.content, recorded()]


@drive.case
def streamed(service):
    client = drive.client(service)
    logfire.instrument_openai(client)
    chunks = client.chat.completions.create(model="echo", messages=HELLO, stream=True)
    texts = [chunk.choices[0].delta.content for chunk in chunks if chunk.choices]
    return [texts, recorded("response_data", "gen_ai.output.messages")]


@drive.case
def responses(service):
    client = drive.client(service)
    logfire.instrument_openai(client)
    answer = client.responses.create(model="echo", input="One two.")
    return [answer.output_text, recorded()]


@drive.case
async def asynchronous(service):
    client = drive.async_client(service)
    logfire.instrument_openai(client)
    answer = await client.chat.completions.create(model="echo", messages=HELLO)
    return [answer.choices[0].message.content, recorded()]


@drive.case
async def streamed_asynchronously(service):
    client = drive.async_client(service)
    logfire.instrument_openai(client)
    chunks = await client.responses.create(model="echo", input="One two.", stream=True)
    texts = [event.delta async for event in chunks if event.type == "response.output_text.delta"]
    return [texts, recorded("response_data", "gen_ai.output.messages")]


drive.main()
