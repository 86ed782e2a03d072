"""The spans that OpenTelemetry's own instrumentation of openai makes for a list of calls of openai-
python, as JSON: run by test_otel.py in a process of its own, since it patches classes.

    python otel_peer.py BASE_URL < calls.json
"""

import asyncio
import json
import sys

import openai
from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter


def run(client, call):
    """One call; what it raises is told by its span."""
    raw = client.chat.completions
    raw = raw.with_raw_response if call.get("raw") else raw
    try:
        with tracer.start_as_current_span("caller"):
            answer = raw.create(**call["asked"])
            answer = answer.parse() if call.get("raw") else answer
            if call["asked"].get("stream"):
                for _ in answer:
                    if call.get("left"):
                        answer.close()
                        break
    except openai.OpenAIError:
        pass


async def run_async(client, call):
    """The same of an asynchronous client."""
    try:
        with tracer.start_as_current_span("caller"):
            answer = await client.chat.completions.create(**call["asked"])
            if call["asked"].get("stream"):
                async for _ in answer:
                    pass
    except openai.OpenAIError:
        pass


def span(one, names):
    """A span as JSON, its parent by name."""
    return {
        "name": one.name,
        "kind": one.kind.name,
        "status": one.status.status_code.name,
        "parent": names.get(one.parent and one.parent.span_id),
        "attributes": dict(one.attributes),
    }


def metrics(reader):
    """The names of attributes of each metric, of all its points together."""
    data = reader.get_metrics_data()
    found = {}
    for resource in data.resource_metrics:
        for scope in resource.scope_metrics:
            for metric in scope.metrics:
                names = {name for point in metric.data.data_points for name in point.attributes}
                found[metric.name] = [metric.unit, sorted(names)]
    return found


if __name__ == "__main__":
    exporter, reader = InMemorySpanExporter(), InMemoryMetricReader()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("caller")
    meters = MeterProvider([reader])
    OpenAIInstrumentor().instrument(tracer_provider=provider, meter_provider=meters)
    settings = {"base_url": sys.argv[1], "api_key": "sk-test", "max_retries": 0}
    told = []
    for call in json.load(sys.stdin):
        if call.get("async"):
            asyncio.run(run_async(openai.AsyncOpenAI(**settings), call))
        else:
            run(openai.OpenAI(**settings), call)
        spans = exporter.get_finished_spans()
        names = {one.context.span_id: one.name for one in spans}
        told.append([span(one, names) for one in spans if one.name != "caller"])
        exporter.clear()
    json.dump({"spans": told, "metrics": metrics(reader)}, sys.stdout)
