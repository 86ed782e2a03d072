"""`modelwire.otel` with real calls: OpenTelemetry's SDK keeps what it gets in memory, and its own
instrumentation of openai-python does so for the same calls. The forms of attributes and content are
in test_otel_content.py."""

import asyncio
import contextlib
import gc
import importlib.util
import json
import os
import sys
import time
from functools import partial
from pathlib import Path

import pytest

import programs
from conftest import together

pytest.importorskip("opentelemetry.sdk")

from opentelemetry import baggage, context, trace
from opentelemetry.metrics import NoOpMeterProvider
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, Decision, Sampler, SamplingResult

import modelwire
import wire
from modelwire.otel import ModelwireInstrumentor
from modelwire.testing import Service, error, raw, text
from programs import run

pytestmark = pytest.mark.thread_unsafe("observers are the process's")

CHAT = {"model": "echo", "messages": [{"role": "user", "content": "One two three."}]}
RESPONSE = {"model": "echo", "input": "One two three."}
CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"


class Telemetry:
    """An SDK in memory, and what it got."""

    def __init__(self):
        self.exporter, self.reader = InMemorySpanExporter(), InMemoryMetricReader()
        self.provider = TracerProvider()
        self.provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.meters = MeterProvider([self.reader])
        self.tracer = self.provider.get_tracer("the program")

    def start(self, **settings):
        given = {"tracer_provider": self.provider, "meter_provider": self.meters, **settings}
        ModelwireInstrumentor().instrument(**given)

    def spans(self):
        """The spans of calls that ended since the last look."""
        assert modelwire.flush_calls(10.0)
        found = self.exporter.get_finished_spans()
        self.exporter.clear()
        return [one for one in found if one.instrumentation_scope.name == "modelwire"]

    def span(self):
        (found,) = self.spans()
        return found

    def metrics(self):
        """Every metric by its name: its unit and its points."""
        assert modelwire.flush_calls(10.0)
        data = self.reader.get_metrics_data()
        return {
            metric.name: (metric.unit, list(metric.data.data_points))
            for resource in (data.resource_metrics if data else ())
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }

    def exported(self):
        """Everything so far as one text."""
        assert modelwire.flush_calls(10.0)
        spans = [one.to_json() for one in self.exporter.get_finished_spans()]
        data = self.reader.get_metrics_data()
        return "".join(spans) + (data.to_json() if data else "")


@pytest.fixture
def telemetry(monkeypatch):
    """An SDK; nothing is instrumented before and after the test."""
    for name in list(os.environ):
        if name.startswith("OTEL_"):
            monkeypatch.delenv(name)
    modelwire.flush_calls(10.0)
    yield Telemetry()
    if ModelwireInstrumentor().is_instrumented_by_opentelemetry:
        ModelwireInstrumentor().uninstrument()


@pytest.fixture
def instrumented(telemetry):
    """The same, instrumented as in most programs."""
    telemetry.start()
    return telemetry


def ended_well(span):
    return span.status.status_code.name == "UNSET" and "error.type" not in span.attributes


def at(service, **settings):
    return {"base_url": service.base_url, "api_key": service.api_key, **settings}


@pytest.fixture
def client(connect, modelwire_service):
    with connect(**at(modelwire_service)) as client:
        yield client


def chat(caller, **given):
    """A plain chat, or a stream with its chunks."""
    return ask(caller, lambda client: client.chat.completions.create, {**CHAT, **given})


def ask(caller, method, given):
    def asked(client):
        answer = method(client)(**given)
        return list(answer) if given.get("stream") else answer

    return caller(asked)


# Every kind of call.


def test_a_plain_chat(instrumented, caller):
    answer = chat(caller)
    span = instrumented.span()
    assert span.name == "chat echo" and span.kind is trace.SpanKind.CLIENT and ended_well(span)
    host, _, port = caller.service.base_url.removeprefix("http://").partition(":")
    expected = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "echo",
        "gen_ai.response.id": answer.id,
        "gen_ai.response.model": answer.model,
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": answer.usage.prompt_tokens,
        "gen_ai.usage.output_tokens": answer.usage.completion_tokens,
        "server.address": host,
        "server.port": int(port.partition("/")[0]),
        "network.peer.address": host,
        "http.response.status_code": 200,
        "modelwire.metered": "entered",
        "gen_ai.request.stream": None,
        "gen_ai.response.time_to_first_chunk": None,
    }
    assert {name: span.attributes.get(name) for name in expected} == expected
    metrics = instrumented.metrics()
    unit, (duration,) = metrics.pop("gen_ai.client.operation.duration")
    assert unit == "s" and duration.count == 1
    assert duration.sum == pytest.approx((span.end_time - span.start_time) / 1e9)
    unit, points = metrics.pop("gen_ai.client.token.usage")
    used = {one.attributes["gen_ai.token.type"]: one.sum for one in points}
    assert used == {"input": answer.usage.prompt_tokens, "output": answer.usage.completion_tokens}
    assert unit == "{token}" and not metrics


def test_a_plain_response(instrumented, caller):
    given = {**RESPONSE, "max_output_tokens": 50}
    answer = ask(caller, lambda client: client.responses.create, given)
    span = instrumented.span()
    assert span.name == "chat echo" and ended_well(span)
    assert span.attributes["gen_ai.response.id"] == answer.id
    assert span.attributes["gen_ai.request.max_tokens"] == 50
    assert span.attributes["gen_ai.response.finish_reasons"] == ("stop",)
    assert span.attributes["gen_ai.usage.output_tokens"] == answer.usage.output_tokens


def test_streams(instrumented, caller):
    """A span ends with its stream, and has its times."""
    with_usage = {**CHAT, "stream": True, "stream_options": {"include_usage": True}}
    counts = [
        len(ask(caller, lambda client: client.chat.completions.create, with_usage)),
        len(ask(caller, lambda client: client.responses.create, {**RESPONSE, "stream": True})),
    ]
    for span, count in zip(instrumented.spans(), counts, strict=True):
        assert ended_well(span), span.to_json()
        assert span.attributes["gen_ai.request.stream"] is True
        assert span.attributes["modelwire.chunks"] == count
        assert span.attributes["gen_ai.response.finish_reasons"] == ("stop",)
        assert span.attributes["gen_ai.usage.output_tokens"] > 0
        assert 0 < span.attributes["gen_ai.response.time_to_first_chunk"] < 10
    metrics = instrumented.metrics()
    unit, (first,) = metrics["gen_ai.client.operation.time_to_first_chunk"]
    assert unit == "s" and first.count == 2
    unit, (each,) = metrics["gen_ai.client.operation.time_per_output_chunk"]
    assert unit == "s" and each.count == sum(counts) - 2


def test_helper_streams_and_parsing(instrumented, caller):
    caller.service.queue(text("1"), text("1"))
    caller.chat_stream()
    caller.chat(response_format=int)
    assert [one.name for one in instrumented.spans()] == ["chat m", "chat m"]


def test_raw_answers(instrumented, client):
    """with_raw_response and with_streaming_response: read, parsed, and left unread."""
    of_raw = client.chat.completions.with_raw_response.create
    streaming = client.chat.completions.with_streaming_response.create
    of_raw(**CHAT).parse()
    list(of_raw(**CHAT, stream=True).parse())
    with streaming(**CHAT) as response:
        response.read()
    with streaming(**CHAT, stream=True) as response:
        list(response.iter_lines())
    with streaming(**CHAT, stream=True):
        pass
    spans = instrumented.spans()
    assert len(spans) == 5 and all(map(ended_well, spans)), spans
    assert all(one.attributes["http.response.status_code"] == 200 for one in spans)


@pytest.mark.sync_alone("bulk takes the client itself")
def test_models_bulk_rows_and_closed_clients_have_no_span(instrumented, client):
    """The conventions have no operation for a list of models; the journal has the rows."""
    client.models.list()
    assert len(list(modelwire.bulk(["One.", "Two."], model="echo", client=client))) == 2
    client.close()
    with pytest.raises(modelwire.OpenAIError):
        client.chat.completions.create(**CHAT)
    assert not instrumented.spans() and not instrumented.metrics()


def test_one_span_covers_all_retries(instrumented, caller):
    """With an event for each attempt and each wait."""
    caller.service.queue(error(429), error(429), "Done.")
    caller.settings["retry"] = modelwire.Retry(max_retries=2, first_wait=0.01)
    chat(caller)
    span = instrumented.span()
    assert ended_well(span) and span.attributes["http.request.resend_count"] == 2
    attempts = [one.attributes for one in span.events if one.name == "modelwire.attempt"]
    assert [one["status"] for one in attempts] == [429, 429, 200]
    waits = [one.attributes for one in span.events if one.name == "modelwire.wait"]
    retries = [one["seconds"] for one in waits if one["reason"] == "retry"]
    assert len(retries) == 2 and min(retries) >= 0.01
    assert all(span.start_time <= one.timestamp <= span.end_time for one in span.events)


# Failures and cancelled calls.

CUT = raw(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")
FAILURES = [
    (CUT, "APIConnectionError", 200),
    (error(400), "BadRequestError", 400),
    (error(401), "AuthenticationError", 401),
    (error(404), "NotFoundError", 404),
    (error(409), "ConflictError", 409),
    (error(500), "InternalServerError", 500),
    (raw(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n?"), "APIResponseValidationError", 200),
]


@pytest.mark.parametrize(("answer", "kind", "status"), FAILURES, ids=lambda one: str(one)[:24])
def test_failed_calls(instrumented, caller, answer, kind, status):
    """error.type is the class of the exception; no text of the service is in the span."""
    caller.service.queue(answer)
    with pytest.raises(modelwire.OpenAIError) as raised:
        chat(caller)
    span = instrumented.span()
    assert type(raised.value).__name__ == span.attributes["error.type"] == kind
    assert span.attributes["modelwire.error.kind"] == raised.value.kind
    assert span.attributes["modelwire.metered"] == raised.value.metered
    assert span.attributes["http.response.status_code"] == status
    assert span.status.status_code.name == "ERROR" and "scripted" not in span.to_json()
    _, (duration,) = instrumented.metrics()["gen_ai.client.operation.duration"]
    assert duration.attributes["error.type"] == kind


UNANSWERED = [
    ({"base_url": "http://127.0.0.1:9/v1"}, {}, modelwire.APIConnectionError),
    (
        {"timeout": modelwire.Timeout(total=0.2), "max_retries": 0},
        {},
        modelwire.APITimeoutError,
    ),
    ({}, {"messages": [{"role": 1}]}, modelwire.RequestError),
]


@pytest.mark.parametrize(
    ("settings", "given", "kind"), UNANSWERED, ids=["refused", "timeout", "never sent"]
)
def test_calls_without_an_answer(instrumented, caller, settings, given, kind):
    caller.settings.update(settings)
    caller.service.set_default(text("never").stall())
    with pytest.raises(kind):
        chat(caller, **given)
    assert instrumented.span().attributes["error.type"] == kind.__name__


@pytest.mark.parametrize("model", ["cut", "error-in-stream"])
def test_streams_that_break(instrumented, caller, model):
    """After their first chunk."""
    with pytest.raises(modelwire.APIError) as raised:
        chat(caller, model=model, stream=True)
    span = instrumented.span()
    assert span.attributes["error.type"] == type(raised.value).__name__
    assert span.attributes["modelwire.chunks"] > 0
    assert span.attributes["gen_ai.response.time_to_first_chunk"] > 0


def stalled(service, name):
    """The address of a stream that begins and does not go on."""
    script = wire.stream(wire.piece("a"), wire.piece("b"), wire.STALL)
    return {"base_url": service.script(name, [script, script, script]), "api_key": "sk-test"}


def test_streams_that_the_program_left_had_no_error(instrumented, service):
    """By break, by close, by dropping the last reference."""
    with modelwire.OpenAI(**stalled(service, "otel-left")) as client:
        for _ in client.chat.completions.create(**CHAT, stream=True):
            break
        assert instrumented.span().attributes["modelwire.cancelled_by"] in ("program", "dropped")
        stream = client.chat.completions.create(**CHAT, stream=True)
        next(iter(stream))
        stream.close()
        assert ended_well(instrumented.span())
        stream = iter(client.chat.completions.create(**CHAT, stream=True))
        next(stream)
        del stream
        gc.collect()
        span = instrumented.span()
        assert ended_well(span) and span.attributes["modelwire.chunks"] >= 1


async def test_a_task_that_is_cancelled(instrumented, service):
    """In a plain call, which is an error, and in a stream, which is none."""
    async with modelwire.AsyncOpenAI(**stalled(service, "otel-task")) as client:
        task = asyncio.create_task(client.chat.completions.create(**CHAT))
        # clock: before or in the wait, both are to end the same
        await asyncio.sleep(0.1)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

        stream = await client.chat.completions.create(**CHAT, stream=True)

        async def read():
            async for _ in stream:
                pass

        with contextlib.suppress(TimeoutError, asyncio.TimeoutError):
            await asyncio.wait_for(read(), 0.2)
    plain, streamed = instrumented.spans()
    assert plain.attributes["error.type"] == "cancelled"
    assert plain.status.status_code.name == "ERROR" and ended_well(streamed)


# Context.


async def test_tasks_and_threads_have_their_own_parent_spans(instrumented, modelwire_service):
    parents = {}

    def parent(number):
        made = instrumented.tracer.start_span(f"parent {number}")
        parents[f"model-{number}"] = made.get_span_context()
        return trace.use_span(made, end_on_exit=True)

    async def ask_async(client, number):
        with parent(number):
            given = {**CHAT, "model": f"model-{number}"}
            async for _ in await client.chat.completions.create(**given, stream=True):
                pass

    def work(client, number):
        with parent(number):
            client.chat.completions.create(**{**CHAT, "model": f"model-{number}"})

    modelwire_service.set_default("Fine.")
    async with modelwire.AsyncOpenAI(**at(modelwire_service)) as client:
        await asyncio.gather(*(ask_async(client, number) for number in range(20)))
    with modelwire.OpenAI(**at(modelwire_service)) as client:
        together(*[partial(work, client, 100 + one) for one in range(20)])
    spans = instrumented.spans()
    assert len(spans) == 40
    for span in spans:
        expected = parents[span.attributes["gen_ai.request.model"]]
        assert (span.parent.span_id, span.context.trace_id) == (expected.span_id, expected.trace_id)


def test_a_call_changes_no_current_span(instrumented, client):
    with instrumented.tracer.start_as_current_span("parent") as parent:
        client.chat.completions.create(**CHAT)
        assert trace.get_current_span() is parent
        for _ in client.chat.completions.create(**CHAT, stream=True):
            assert trace.get_current_span() is parent


def test_no_context_is_sent_by_default(instrumented, caller):
    chat(caller)
    sent = caller.service.last_request.headers
    assert not {"traceparent", "tracestate", "baggage"} & sent.keys()


def test_the_context_is_sent_where_it_is_asked_for(telemetry, caller):
    """Unless the call itself has such a header."""
    telemetry.start(inject_context=True)
    token = context.attach(baggage.set_baggage("customer", "7"))
    try:
        chat(caller)
    finally:
        context.detach(token)
    made, sent = telemetry.span().context, caller.service.last_request.headers
    expected = f"00-{made.trace_id:032x}-{made.span_id:016x}-{made.trace_flags:02x}"
    assert (sent["traceparent"], sent["baggage"]) == (expected, "customer=7")
    mine = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
    chat(caller, extra_headers=mine)
    assert caller.service.last_request.headers["traceparent"] == mine["traceparent"]


# Content.


def content(span):
    return {
        name: json.loads(value)
        for name, value in span.attributes.items()
        if name.endswith((".messages", "_instructions", ".definitions"))
    }


def test_content_is_not_captured_by_default(instrumented, caller):
    chat(caller, tools=[{"type": "function", "function": {"name": "add"}}])
    assert "One two three." not in instrumented.exported() and not content(instrumented.span())


ONE_TWO = [{"type": "text", "content": "One two three."}]


@pytest.mark.parametrize("operation", ["chat", "responses"])
@pytest.mark.parametrize("streamed", [False, True], ids=["plain", "streamed"])
def test_content_is_captured_where_it_is_asked_for(telemetry, caller, operation, streamed):
    """Also of a stream, which is gathered for it."""
    telemetry.start(capture_content=True)
    if operation == "chat":
        chat(caller, stream=streamed)
    else:
        given = {**RESPONSE, "stream": streamed}
        ask(caller, lambda client: client.responses.create, given)
    assert content(telemetry.span()) == {
        "gen_ai.input.messages": [{"role": "user", "parts": ONE_TWO}],
        "gen_ai.output.messages": [
            {"role": "assistant", "parts": ONE_TWO, "finish_reason": "stop"}
        ],
    }


@pytest.mark.parametrize(
    ("value", "on_spans", "in_events"),
    [
        ("true", True, False),
        ("SPAN_ONLY", True, False),
        ("no_content", False, False),
        ("event_only", False, True),
        ("span_and_event", True, True),
        ("?", False, False),
    ],
)
def test_the_variable_asks_for_content(telemetry, client, monkeypatch, value, on_spans, in_events):
    """On spans, or in the event of the conventions in the context of its span."""
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor

    exporter, provider = InMemoryLogRecordExporter(), LoggerProvider()
    provider.add_log_record_processor(SimpleLogRecordProcessor(exporter))
    monkeypatch.setenv(CAPTURE, value)
    telemetry.start(logger_provider=provider)
    client.chat.completions.create(**CHAT)
    span = telemetry.span()
    assert bool(content(span)) == on_spans
    logged = [one.log_record for one in exporter.get_finished_logs()]
    assert len(logged) == in_events
    for record in logged:
        assert record.event_name == "gen_ai.client.inference.operation.details"
        assert record.span_id == span.context.span_id
        parts = record.attributes["gen_ai.output.messages"][0]["parts"]
        assert [dict(part) for part in parts] == ONE_TWO
        assert record.attributes["gen_ai.request.model"] == "echo"


def test_the_key_is_nowhere(telemetry):
    """In no attribute, event or text, whatever the program repeats it in."""
    telemetry.start(capture_content=True)
    key = "sk-test-long"
    echoing = {**CHAT, "messages": [{"role": "user", "content": f"It is {key}."}], "model": key}
    with Service(api_key=key) as service, modelwire.OpenAI(**at(service)) as client:
        service.queue(
            f"It is {key}.", [f"It is {key}", " indeed."], error(400, f"{key} is wrong", code=key)
        )
        create = client.chat.completions.create
        create(**echoing, extra_headers={"X-Mine": key}, stop=key)
        list(create(**echoing, stream=True))
        with pytest.raises(modelwire.APIStatusError):
            create(**echoing)
        with pytest.raises(modelwire.RequestError):
            create(**{**echoing, "messages": [{"role": key, "content": 5}]})
    exported = telemetry.exported()
    assert len(telemetry.spans()) == 4
    assert key not in exported and "[key]" in exported


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("is_own", [False, True])
def test_a_key_that_the_service_echoes(telemetry, service, streamed, is_own):
    """In no text of its answer; nor a key of the call's own."""
    telemetry.start(capture_content=True)
    key = "sk-test-of-a-long-kind"
    texts = dict.fromkeys(("id", "model", "system_fingerprint", "service_tier"), key)
    part = {"role": "assistant", "content": f"It is {key}."}
    choice = {"index": 0, "delta" if streamed else "message": part, "finish_reason": key}
    body = {**texts, "object": "chat.completion", "choices": [choice]}
    played = wire.events(json.dumps(body)) if streamed else wire.answer(body, x_request_id=key)
    own = {"extra_headers": {"Authorization": f"Bearer {key}"}} if is_own else {}
    asked = {**CHAT, "messages": [{"role": "user", "content": f"It is {key}."}], "model": key}
    url = service.script(f"echoing-{streamed}-{is_own}", [played])
    api_key = "sk-test-other" if is_own else key
    with modelwire.OpenAI(base_url=url, max_retries=0, api_key=api_key) as client:
        given = client.chat.completions.create(**asked, **own, stop=key, stream=streamed)
        if streamed:
            list(given)
    exported = telemetry.exported()
    assert len(telemetry.spans()) == 1
    assert key not in exported and "[key]" in exported


def test_the_keys_of_several_base_urls(telemetry, service):
    """Nor a key with the line end of its file."""
    telemetry.start(capture_content=True)
    key = "sk-test-of-a-long-kind"
    texts = dict.fromkeys(("id", "model", "system_fingerprint", "service_tier"), key)
    message = {"role": "assistant", "content": f"It is {key}."}
    body = {**texts, "choices": [{"index": 0, "message": message, "finish_reason": key}]}
    url = service.script("echoing-several", [wire.answer(body)] * 2)
    for given in (
        {"base_urls": [{"url": url, "api_key": key}], "api_key": "sk-test-of-"},
        {"base_url": url, "api_key": f"{key}\n"},
    ):
        with modelwire.OpenAI(**given, max_retries=0) as client:
            client.chat.completions.create(**CHAT)
    exported = telemetry.exported()
    assert len(telemetry.spans()) == 2
    assert key not in exported and "[key]" in exported


def test_texts_that_are_not_utf_8(telemetry, caller):
    """Of a call that is refused for them: exporters can encode its span."""
    telemetry.start(capture_content=True)
    odd = "a\ud800"
    for given in ({"model": odd}, {"stop": odd}, {"messages": [{"role": "user", "content": odd}]}):
        with pytest.raises(ValueError):
            chat(caller, **given)
    spans = telemetry.spans()
    assert len(spans) == 3
    for span in spans:
        for value in (span.name, *span.attributes.values()):
            str(value).encode()


# Span processors, samplers, other instrumentation.


class Broken(SpanProcessor):
    """Raises wherever it is called, or sleeps."""

    def __init__(self, does):
        self.does, self.calls = does, 0

    def on_start(self, span, parent_context=None):
        if self.does == "raises at the start":
            raise ValueError("on purpose")

    def on_end(self, span):
        self.calls += 1
        if self.does == "raises at the end":
            raise ValueError("on purpose")
        if self.does == "sleeps at the end":
            # clock: the slowness itself
            time.sleep(0.3)


@pytest.mark.parametrize("does", ["raises at the start", "raises at the end", "sleeps at the end"])
def test_a_span_processor_changes_no_call(telemetry, client, does):
    broken = Broken(does)
    telemetry.provider.add_span_processor(broken)
    telemetry.start()
    times = []
    for _ in range(3):
        begun = time.monotonic()
        assert client.chat.completions.create(**CHAT).choices
        assert len(list(client.chat.completions.create(**CHAT, stream=True))) > 3
        times.append(time.monotonic() - begun)
    if does == "sleeps at the end":
        assert min(times) < 2 * 0.3  # clock: one of three is enough
    modelwire.flush_calls(10.0)
    assert broken.calls == (0 if does == "raises at the start" else 6)


class OnlyEcho(Sampler):
    """Decides by the attributes of the start."""

    def __init__(self):
        self.seen = []

    def should_sample(self, parent, trace_id, name, kind=None, attributes=None, *rest, **others):
        self.seen.append(set(attributes))
        is_echo = attributes["gen_ai.request.model"] == "echo"
        return SamplingResult(Decision.RECORD_AND_SAMPLE if is_echo else Decision.DROP, attributes)

    def get_description(self):
        return "by model"


def test_samplers_decide_by_the_attributes_of_the_start(telemetry, modelwire_service, client):
    """A call that is not sampled is measured all the same."""
    sampler = OnlyEcho()
    telemetry.provider = TracerProvider(sampler=sampler)
    telemetry.provider.add_span_processor(SimpleSpanProcessor(telemetry.exporter))
    telemetry.start()
    modelwire_service.set_default("Fine.")
    for model in ("echo", "another"):
        client.chat.completions.create(**{**CHAT, "model": model})
    assert [one.name for one in telemetry.spans()] == ["chat echo"]
    of_start = {"operation.name", "provider.name", "request.model"}
    expected = {f"gen_ai.{name}" for name in of_start} | {"server.address", "server.port"}
    assert sampler.seen == [expected, expected]
    _, points = telemetry.metrics()["gen_ai.client.operation.duration"]
    assert sum(one.count for one in points) == 2


def test_a_call_that_is_neither_sampled_nor_measured_is_not_observed(
    telemetry, client, monkeypatch
):
    from modelwire._otel.calls import CallTracer

    telemetry.provider = TracerProvider(sampler=ALWAYS_OFF)
    telemetry.start(meter_provider=NoOpMeterProvider())
    ended = []
    monkeypatch.setattr(CallTracer, "ended", lambda *given: ended.append(given))
    client.chat.completions.create(**CHAT)
    assert not telemetry.spans() and not ended


def test_suppression(instrumented, caller):
    """By OpenTelemetry's key, and by the older one."""
    from opentelemetry.instrumentation.utils import suppress_instrumentation

    with suppress_instrumentation():
        chat(caller)
    token = context.attach(context.set_value("suppress_instrumentation", True))
    try:
        chat(caller)
    finally:
        context.detach(token)
    assert not instrumented.spans() and not instrumented.metrics()


def test_a_call_that_has_a_span_gets_no_second_one(instrumented, caller):
    """Another instrumentation, of the same classes or of a framework, started it."""
    with instrumented.tracer.start_as_current_span("chat echo", kind=trace.SpanKind.CLIENT):
        chat(caller)
    assert not instrumented.spans() and not instrumented.metrics()
    with instrumented.tracer.start_as_current_span("chat echo"):
        chat(caller)
    assert instrumented.span()


# On and off.


def test_uninstrument_during_a_call(instrumented, client):
    """The span of the call in flight ends; the next call has none."""
    stream = client.chat.completions.create(**CHAT, stream=True)
    next(iter(stream))
    ModelwireInstrumentor().uninstrument()
    client.chat.completions.create(**CHAT)
    list(stream)
    span = instrumented.span()
    assert ended_well(span) and span.attributes["gen_ai.request.stream"] is True
    instrumented.start()
    client.chat.completions.create(**CHAT)
    assert instrumented.span()


def test_there_is_one_instrumentor(instrumented, caplog):
    """A second `instrument` changes nothing and warns."""
    assert ModelwireInstrumentor() is ModelwireInstrumentor()
    instrumented.start(inject_context=True)
    assert "already instrumented" in caplog.text
    ModelwireInstrumentor().uninstrument()
    ModelwireInstrumentor().uninstrument()
    assert "nothing to uninstrument" in caplog.text
    instrumented.start(no_such=1, skip_dep_check=True)
    assert "no_such" in caplog.text and "skip_dep_check" not in caplog.text


def test_importing_modelwire_imports_no_opentelemetry():
    out = run(
        """
        import modelwire.testing, modelwire.streaming
        modelwire.OpenAI(base_url="http://127.0.0.1:9/v1", api_key="sk-test")
        print([name for name in sys.modules if name.startswith("opentelemetry")])
        import modelwire.otel
        print("opentelemetry.sdk" in sys.modules)
        """
    )
    assert out == "[]\nFalse\n"


def test_without_opentelemetry_the_import_says_what_is_missing():
    out = run(
        """
        sys.modules["opentelemetry"] = None
        try:
            import modelwire.otel
        except ModuleNotFoundError as error:
            print(error)
        """
    )
    assert out == "modelwire.otel needs opentelemetry-api: pip install 'modelwire[otel]'\n"


PRINTING = """
from opentelemetry.sdk.trace import TracerProvider, export
from opentelemetry.trace import set_tracer_provider
provider = TracerProvider()
provider.add_span_processor(export.{processor}(export.ConsoleSpanExporter()))
set_tracer_provider(provider)
ask = dict(model="echo", messages=[dict(role="user", content="One two.")])
client.chat.completions.create(**ask)
list(client.chat.completions.create(**ask, stream=True))
"""


def test_opentelemetry_instrument_finds_it(modelwire_service, tmp_path):
    """`opentelemetry-instrument python app.py`, without a line about modelwire.otel."""
    program = tmp_path / "app.py"
    setup = "import modelwire\nclient = modelwire.OpenAI()\n"
    program.write_text(setup + PRINTING.format(processor="SimpleSpanProcessor"))
    instrument = Path(sys.executable).with_name("opentelemetry-instrument")
    kept = {name: one for name, one in os.environ.items() if not name.startswith("OTEL_")}
    done = programs.finished(
        [str(instrument), sys.executable, str(program)],
        env={**kept, **modelwire_service.environment},
    )
    assert done.stdout.count('"name": "chat echo"') == 2, done.stdout + done.stderr


@pytest.mark.parametrize("processor", ["BatchSpanProcessor", "SimpleSpanProcessor"])
def test_a_program_that_ends_exports_its_spans(modelwire_service, processor):
    """Whatever was imported and set up first."""
    setup = (
        "from modelwire.otel import ModelwireInstrumentor\n"
        "ModelwireInstrumentor().instrument()\n"
        "client = modelwire.OpenAI()\n"
    )
    out = run(setup + PRINTING.format(processor=processor), modelwire_service.base_url)
    assert out.count('"name": "chat echo"') == 2


IN_MEMORY = """
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from modelwire.otel import ModelwireInstrumentor
exporter, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
ModelwireInstrumentor().instrument(tracer_provider=provider)
client = modelwire.OpenAI()
ask = dict(model="echo", messages=[dict(role="user", content="One two.")])
"""


def test_a_forked_child_has_the_spans_of_its_own_calls(modelwire_service):
    """And none of its parent's calls in flight."""
    program = """
stream = client.chat.completions.create(**ask, stream=True)
next(iter(stream))
child = os.fork()
if child == 0:
    exporter.clear()  # spans of the parent that ended before
    client.chat.completions.create(**ask)
else:
    assert os.waitpid(child, 0)[1] == 0
    list(stream)
assert modelwire.flush_calls()
spans = exporter.get_finished_spans()
streamed = [bool(one.attributes.get("gen_ai.request.stream")) for one in spans]
print("child" if child == 0 else "parent", streamed, flush=True)
if child == 0:
    os._exit(0)
"""
    out = run(IN_MEMORY + program, modelwire_service.base_url)
    assert out == "child [False]\nparent [True]\n"


# With OpenTelemetry's own instrumentation of openai-python.

HAS_PEER = importlib.util.find_spec("opentelemetry.instrumentation.openai_v2") is not None
needs_peer = pytest.mark.skipif(not HAS_PEER, reason="needs its instrumentation of openai")

LATEST = {"OTEL_SEMCONV_STABILITY_OPT_IN": "gen_ai_latest_experimental"}  # its default is of 2025
PARAMETERS = {
    "temperature": 0.5,
    "top_p": 0.9,
    "max_tokens": 10,
    "presence_penalty": 0.1,
    "frequency_penalty": 0.2,
    "seed": 3,
    "stop": ["end"],
    "n": 1,
    "response_format": {"type": "json_object"},
    "service_tier": "default",
}
PEER_CALLS = [
    {"asked": CHAT},
    {"asked": {**CHAT, **PARAMETERS}},
    {"asked": CHAT, "async": True},
    {"asked": {**CHAT, "stream": True, "stream_options": {"include_usage": True}}},
    {"asked": {**CHAT, "stream": True}, "async": True},
    {"asked": {**CHAT, "stream": True}, "left": True},
    {"asked": CHAT, "raw": True},
    {"asked": {**CHAT, "model": "broken"}},
    {"asked": {**CHAT, "model": "no-such-model"}},
    {"asked": {**CHAT, "model": "forbidden"}},
    {"asked": {**CHAT, "model": "error-in-stream", "stream": True}},
    {"asked": {**CHAT, "model": "cut", "stream": True}},
]


@needs_peer
def test_spans_and_metrics_equal_those_of_openai(telemetry, modelwire_service, client):
    """Names, kinds, parents, status, and all attributes that both have."""
    done = programs.finished(
        [sys.executable, str(Path(__file__).parent / "otel_peer.py"), modelwire_service.base_url],
        env={**os.environ, **LATEST},
        input=json.dumps(PEER_CALLS),
    )
    theirs = json.loads(done.stdout)
    telemetry.start()
    for call, (their,) in zip(PEER_CALLS, theirs["spans"], strict=True):
        with telemetry.tracer.start_as_current_span("caller"):
            with contextlib.suppress(modelwire.OpenAIError):
                _make(client.with_options(max_retries=0), call)
        span = telemetry.span()
        assert (span.name, span.kind.name) == (their["name"], their["kind"])
        assert span.status.status_code.name == their["status"], call
        assert span.parent is not None and their["parent"] == "caller"
        ours, wanted = json.loads(span.to_json())["attributes"], their["attributes"]
        wanted.pop("gen_ai.response.id", None)  # the service counts its answers
        if call["asked"].get("stream"):  # only read where a stream is gathered
            wanted.pop("openai.response.service_tier", None)
        assert {name: ours.get(name) for name in wanted} == wanted, call
    metrics = telemetry.metrics()
    for name, (unit, attributes) in theirs["metrics"].items():
        ours = {one for point in metrics[name][1] for one in point.attributes}
        assert metrics[name][0] == unit and set(attributes) <= ours, name


def _make(client, call):
    chats, asked = client.chat.completions, call["asked"]
    if call.get("raw"):
        chats.with_raw_response.create(**asked).parse()
        return
    answer = chats.create(**asked)
    for _ in answer if asked.get("stream") else ():
        if call.get("left"):
            break


@needs_peer
@pytest.mark.parametrize("opted", ["", *LATEST.values()])
def test_a_call_has_one_span_where_it_wraps_our_classes(modelwire_service, opted):
    """As where openai's names were replaced by ours."""
    before = f"""
import os
os.environ["OTEL_SEMCONV_STABILITY_OPT_IN"] = {opted!r}
import openai.resources.chat.completions as theirs
import modelwire._resources
theirs.Completions = modelwire._resources.Completions
theirs.AsyncCompletions = modelwire._resources.AsyncCompletions
"""
    program = """
from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor
OpenAIInstrumentor().instrument(tracer_provider=provider)
client.chat.completions.create(**ask)
list(client.chat.completions.create(**ask, stream=True))
assert modelwire.flush_calls()
print([one.name for one in exporter.get_finished_spans()])
client.responses.create(model="echo", input="One two.")
assert modelwire.flush_calls()
print(len(exporter.get_finished_spans()))
"""
    out = run(IN_MEMORY + program, modelwire_service.base_url, before=before)
    assert out == "['chat echo', 'chat echo']\n3\n"
