"""opentelemetry-instrumentation-openai-v2: spans of chat calls; it patches openai's own classes by
the names of their modules, so what it sees of a client that is not of them is the question."""
# needs: opentelemetry-instrumentation-openai-v2==2.4b0 opentelemetry-util-genai==0.4b0
# needs: opentelemetry-sdk openai==3.52.0 httpx

import drive

drive.stand_in(resources=True)

from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

ASK = {"model": "echo", "messages": [{"role": "user", "content": "One two."}]}
exporter = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
OpenAIInstrumentor().instrument(tracer_provider=provider)


def spans():
    told = []
    for span in exporter.get_finished_spans():
        # openai 3 and this version do not agree about the address.
        skipped = ("gen_ai.response.id", "server.address", "server.port")
        kept = {name: value for name, value in span.attributes.items() if name not in skipped}
        told.append([span.name, kept])
    exporter.clear()
    return told


@drive.case
def chat(service):
    content = drive.client(service).chat.completions.create(**ASK).choices[0].message.content
    return [content, spans()]


@drive.case
def streamed(service):
    list(drive.client(service).chat.completions.create(stream=True, **ASK))
    return spans()


@drive.case
async def asynchronous(service):
    await drive.async_client(service).chat.completions.create(**ASK)
    return spans()


drive.main()
