"""modelwire's blocking client while OpenTelemetry's SDK is told of every call: spans that are
recorded and go nowhere, and all metrics."""

from collections.abc import Callable

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider

import modelwire
from modelwire.otel import ModelwireInstrumentor

from measure import Seen, Task, measure
from openai_like import sync_works


def told(work: Callable[[Task], Seen]) -> Callable[[Task], Seen]:
    """The same work; what is due at its end is part of it."""

    def measured(task: Task) -> Seen:
        seen = work(task)
        assert modelwire.flush_calls(60.0)
        return seen

    return measured


ModelwireInstrumentor().instrument(
    tracer_provider=TracerProvider(), meter_provider=MeterProvider([InMemoryMetricReader()])
)
measure({name: told(work) for name, work in sync_works(modelwire.OpenAI).items()})
