"""langfuse: `from langfuse.openai import OpenAI` patches openai's resources by their modules."""
# needs: langfuse==5.0.4 openai==3.52.0

import os

os.environ.update(
    LANGFUSE_PUBLIC_KEY="pk-test", LANGFUSE_SECRET_KEY="sk-test", LANGFUSE_HOST="http://127.0.0.1:9"
)

import drive

drive.stand_in(resources=True)

from langfuse import Langfuse
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

exporter = InMemorySpanExporter()
langfuse = Langfuse(span_exporter=exporter)

from langfuse.openai import openai

ASK = {"model": "echo", "messages": [{"role": "user", "content": "One two."}]}


def spans():
    langfuse.flush()
    told = []
    for span in exporter.get_finished_spans():
        names = ("langfuse.observation.output", "langfuse.observation.model.name")
        told.append([span.name, [span.attributes.get(name) for name in names]])
    exporter.clear()
    return told


def client(service, kind):
    return kind(base_url=service.base_url, api_key=service.api_key)


@drive.case
def chat(service):
    answer = client(service, openai.OpenAI).chat.completions.create(**ASK)
    return [answer.choices[0].message.content, spans()]


@drive.case
def streamed(service):
    chunks = client(service, openai.OpenAI).chat.completions.create(stream=True, **ASK)
    return [[chunk.choices[0].delta.content for chunk in chunks], spans()]


@drive.case
async def asynchronous(service):
    answer = await client(service, openai.AsyncOpenAI).chat.completions.create(**ASK)
    return [answer.choices[0].message.content, spans()]


drive.main()
