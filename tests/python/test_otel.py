"""`modelwire.otel` with real calls: OpenTelemetry's SDK keeps in memory what it was told, and its
own instrumentation of openai does the same for the same calls. Knows no form of content: that is in
test_otel_content.py."""

import asyncio
import contextlib
import gc
import importlib.util
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

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

HELLO = wire.HELLO
CHAT = {"model": "echo", "messages": [{"role": "user", "content": "One two three."}]}
RESPONSE = {"model": "echo", "input": "One two three."}
HERE = Path(__file__).parent


class Telemetry:
    """What was told, and what it is told to."""

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

    def points(self):
        """Every metric by its name: its points."""
        assert modelwire.flush_calls(10.0)
        data = self.reader.get_metrics_data()
        return {
            metric.name: list(metric.data.data_points)
            for resource in (data.resource_metrics if data else ())
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }

    def exported(self):
        """Everything that was told, as one text."""
        assert modelwire.flush_calls(10.0)
        spans = [one.to_json() for one in self.exporter.get_finished_spans()]
        data = self.reader.get_metrics_data()
        return "".join(spans) + (data.to_json() if data else "")


@pytest.fixture
def telemetry(monkeypatch):
    """Everything that is needed to tell calls; nothing is told after the test."""
    for name in list(os.environ):
        if name.startswith("OTEL_"):
            monkeypatch.delenv(name)
    modelwire.flush_calls(10.0)
    made = Telemetry()
    yield made
    if ModelwireInstrumentor().is_instrumented_by_opentelemetry:
        ModelwireInstrumentor().uninstrument()


@pytest.fixture
def told(telemetry):
    """The same, as most programs have it."""
    telemetry.start()
    return telemetry


def ended_well(span):
    return span.status.status_code.name == "UNSET" and "error.type" not in span.attributes


# Every kind of call.


def test_a_plain_chat(told, caller):
    """One span, and what it has."""
    answer = caller(lambda client: client.chat.completions.create(**CHAT))
    span = told.span()
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
    points = told.points()
    (duration,) = points["gen_ai.client.operation.duration"]
    assert duration.count == 1 and duration.sum == pytest.approx(
        (span.end_time - span.start_time) / 1e9
    )
    used = {
        one.attributes["gen_ai.token.type"]: one.sum for one in points["gen_ai.client.token.usage"]
    }
    assert used == {"input": answer.usage.prompt_tokens, "output": answer.usage.completion_tokens}
    assert "gen_ai.client.operation.time_to_first_chunk" not in points


def test_a_plain_response(told, caller):
    answer = caller(lambda client: client.responses.create(**RESPONSE, max_output_tokens=50))
    span = told.span()
    assert span.name == "chat echo" and ended_well(span)
    assert span.attributes["gen_ai.response.id"] == answer.id
    assert span.attributes["gen_ai.request.max_tokens"] == 50
    assert span.attributes["gen_ai.response.finish_reasons"] == ("stop",)
    assert span.attributes["gen_ai.usage.output_tokens"] == answer.usage.output_tokens


def test_a_list_of_models_is_not_told(told, caller):
    """The conventions have no operation for it."""
    caller(lambda client: client.models.list())
    assert not told.spans() and not told.points()


def test_the_rows_of_a_bulk_job_are_not_told(told, modelwire_service):
    """The journal has what became of each."""
    with modelwire.OpenAI(**_at(modelwire_service)) as client:
        assert len(list(modelwire.bulk(["One.", "Two."], model="echo", client=client))) == 2
    assert not told.spans() and not told.points()


def test_streams(told, modelwire_service):
    """A span ends with its stream, and has its times."""
    usage = {"include_usage": True}

    def sync():
        with modelwire.OpenAI(**_at(modelwire_service)) as client:
            for make, given in (
                (client.chat.completions.create, {**CHAT, "stream_options": usage}),
                (client.responses.create, RESPONSE),
            ):
                yield len(list(make(**given, stream=True)))

    async def asynchronous():
        counts = []
        async with modelwire.AsyncOpenAI(**_at(modelwire_service)) as client:
            for make, given in (
                (client.chat.completions.create, {**CHAT, "stream_options": usage}),
                (client.responses.create, RESPONSE),
            ):
                counts.append(len([one async for one in await make(**given, stream=True)]))
        return counts

    counts = [*sync(), *asyncio.run(asynchronous())]
    for span, count in zip(told.spans(), counts, strict=True):
        assert ended_well(span), span.to_json()
        assert span.attributes["gen_ai.request.stream"] is True
        assert span.attributes["modelwire.chunks"] == count
        assert span.attributes["gen_ai.response.finish_reasons"] == ("stop",)
        assert span.attributes["gen_ai.usage.output_tokens"] > 0
        assert 0 < span.attributes["gen_ai.response.time_to_first_chunk"] < 10
    points = told.points()
    (first,) = points["gen_ai.client.operation.time_to_first_chunk"]
    (each,) = points["gen_ai.client.operation.time_per_output_chunk"]
    assert first.count == 4 and each.count > 4


def _at(service, **settings):
    return {"base_url": service.base_url, "api_key": service.api_key, **settings}


def test_helper_streams_and_parsing(told, caller):
    caller.service.queue(text("1"), text("1"))
    caller.chat_stream()
    caller.chat(response_format=int)
    names = [one.name for one in told.spans()]
    assert names == ["chat m", "chat m"]


def test_raw_answers(told, modelwire_service):
    """with_raw_response and with_streaming_response, read, parsed, and left unread."""
    with modelwire.OpenAI(**_at(modelwire_service)) as client:
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
        spans = told.spans()
    assert len(spans) == 5
    assert all(ended_well(one) for one in spans), spans
    assert all(one.attributes["http.response.status_code"] == 200 for one in spans)

    async def main():
        async with modelwire.AsyncOpenAI(**_at(modelwire_service)) as client:
            of_raw = client.chat.completions.with_raw_response.create
            (await of_raw(**CHAT)).parse()
            stream = (await of_raw(**CHAT, stream=True)).parse()
            async for _ in stream:
                pass

    asyncio.run(main())
    assert [ended_well(one) for one in told.spans()] == [True, True]


def test_one_span_covers_all_retries(told, caller):
    """With an event for each attempt and each wait."""
    caller.service.queue(error(429), error(429), "Done.")
    fast = modelwire.Retry(max_retries=2, first_wait=0.01)
    caller.settings["retry"] = fast
    caller(lambda client: client.chat.completions.create(**CHAT))
    span = told.span()
    assert ended_well(span) and span.attributes["http.request.resend_count"] == 2
    events = [(one.name, one.attributes.get("status")) for one in span.events]
    attempts = [status for name, status in events if name == "modelwire.attempt"]
    assert attempts == [429, 429, 200]
    waits = [one for one in span.events if one.name == "modelwire.wait"]
    assert [one.attributes["reason"] for one in waits].count("retry") == 2
    assert all(
        one.attributes["seconds"] >= 0.01 for one in waits if one.attributes["reason"] == "retry"
    )
    assert all(span.start_time <= one.timestamp <= span.end_time for one in span.events)


FAILURES = {
    "no status": (
        raw(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"),
        "APIConnectionError",
        200,
    ),
    "400": (error(400), "BadRequestError", 400),
    "401": (error(401), "AuthenticationError", 401),
    "404": (error(404), "NotFoundError", 404),
    "409": (error(409), "ConflictError", 409),
    "500": (error(500), "InternalServerError", 500),
    "no json": (
        raw(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n?"),
        "APIResponseValidationError",
        200,
    ),
}


@pytest.mark.parametrize("failure", FAILURES)
def test_failed_calls(told, caller, failure):
    """error.type is the class of the exception; nothing of the service's text is told."""
    answer, kind, status = FAILURES[failure]
    caller.service.queue(answer)
    with pytest.raises(modelwire.OpenAIError) as raised:
        caller(lambda client: client.chat.completions.create(**CHAT))
    assert type(raised.value).__name__ == kind
    span = told.span()
    assert span.attributes["error.type"] == kind
    assert span.attributes["modelwire.error.kind"] == raised.value.kind
    assert span.attributes["modelwire.metered"] == raised.value.metered
    assert span.attributes.get("http.response.status_code") == status
    assert span.status.status_code.name == "ERROR" and "scripted" not in span.to_json()
    (duration,) = told.points()["gen_ai.client.operation.duration"]
    assert duration.attributes["error.type"] == kind


def test_a_service_that_is_not_there(told, caller):
    caller.settings["base_url"] = "http://127.0.0.1:9/v1"
    with pytest.raises(modelwire.APIConnectionError):
        caller(lambda client: client.chat.completions.create(**CHAT))
    span = told.span()
    assert span.attributes["error.type"] == "APIConnectionError"
    assert span.attributes["server.port"] == 9


def test_a_timeout(told, caller):
    with pytest.raises(modelwire.APITimeoutError):
        caller.settings["timeout"] = modelwire.Timeout(total=0.2)
        caller.settings["max_retries"] = 0
        caller(lambda client: client.chat.completions.create(**{**CHAT, "model": "slow"}))
    assert told.span().attributes["error.type"] == "APITimeoutError"


def test_calls_that_are_never_sent(told, caller):
    """Refused for their arguments: told once each."""
    with pytest.raises(modelwire.RequestError):
        caller(lambda client: client.chat.completions.create(model="echo", messages=[{"role": 1}]))
    assert told.span().attributes["error.type"] == "RequestError"


def test_a_closed_client_makes_no_call(told, modelwire_service):
    client = modelwire.OpenAI(**_at(modelwire_service))
    client.close()
    with pytest.raises(modelwire.OpenAIError):
        client.chat.completions.create(**CHAT)
    assert not told.spans()


@pytest.mark.parametrize("model", ["cut", "error-in-stream"])
def test_streams_that_break(told, modelwire_service, model):
    """After their first chunk."""
    with modelwire.OpenAI(**_at(modelwire_service)) as client:
        with pytest.raises(modelwire.APIError) as raised:
            list(client.chat.completions.create(**{**CHAT, "model": model}, stream=True))
    span = told.span()
    assert span.attributes["error.type"] == type(raised.value).__name__
    assert span.attributes["modelwire.chunks"] > 0
    assert span.attributes["gen_ai.response.time_to_first_chunk"] > 0


def stalled(service, name):
    """The address of a stream that begins and does not go on."""
    script = wire.stream(wire.piece("a"), wire.piece("b"), wire.STALL)
    return {"base_url": service.script(name, [script, script, script]), "api_key": "sk-test"}


def test_streams_that_are_left_had_no_error(told, service):
    """By break, by close, by nobody holding them any more."""
    with modelwire.OpenAI(**stalled(service, "otel-left")) as client:
        ask = client.chat.completions.create
        for _ in ask(**CHAT, stream=True):
            break
        assert told.span().attributes["modelwire.cancelled_by"] in ("program", "dropped")
        stream = ask(**CHAT, stream=True)
        next(iter(stream))
        stream.close()
        assert ended_well(told.span())
        stream = iter(ask(**CHAT, stream=True))
        next(stream)
        del stream
        gc.collect()
        span = told.span()
        assert ended_well(span) and span.attributes["modelwire.chunks"] >= 1


def test_a_task_that_is_cancelled(told, service):
    """In a plain call, which has nothing then; and in a stream."""

    async def main():
        async with modelwire.AsyncOpenAI(**stalled(service, "otel-task")) as client:
            going = asyncio.create_task(client.chat.completions.create(**CHAT))
            # clock: before or in the wait, both are to end the same
            await asyncio.sleep(0.1)
            going.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await going
            stream = await client.chat.completions.create(**CHAT, stream=True)
            with contextlib.suppress(TimeoutError, asyncio.TimeoutError):
                await asyncio.wait_for(_all(stream), 0.2)

    async def _all(stream):
        async for _ in stream:
            pass

    asyncio.run(main())
    plain, streamed = told.spans()
    assert plain.attributes["error.type"] == "cancelled"
    assert plain.status.status_code.name == "ERROR"
    assert ended_well(streamed)


# Parents.


def test_a_span_has_the_context_of_its_caller(told, caller):
    with told.tracer.start_as_current_span("parent") as parent:
        caller(lambda client: client.chat.completions.create(**CHAT))
        assert trace.get_current_span() is parent
    span = told.span()
    assert span.parent.span_id == parent.get_span_context().span_id
    assert span.context.trace_id == parent.get_span_context().trace_id


def test_tasks_and_threads_have_parents_of_their_own(told, modelwire_service):
    parents = {}

    def parent(number):
        made = told.tracer.start_span(f"parent {number}")
        parents[f"model-{number}"] = made.get_span_context().span_id
        return trace.use_span(made, end_on_exit=True)

    async def ask(client, number):
        with parent(number):
            given = {**CHAT, "model": f"model-{number}"}
            async for _ in await client.chat.completions.create(**given, stream=True):
                pass

    async def main():
        async with modelwire.AsyncOpenAI(**_at(modelwire_service)) as client:
            await asyncio.gather(*(ask(client, number) for number in range(20)))

    def work(client, number):
        with parent(number):
            client.chat.completions.create(**{**CHAT, "model": f"model-{number}"})

    modelwire_service.set_default("Fine.")
    asyncio.run(main())
    with modelwire.OpenAI(**_at(modelwire_service)) as client:
        threads = [threading.Thread(target=work, args=(client, 100 + one)) for one in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    spans = told.spans()
    assert len(spans) == 40
    for span in spans:
        assert span.parent.span_id == parents[span.attributes["gen_ai.request.model"]]


def test_a_stream_does_not_become_the_context_of_its_reader(told, modelwire_service):
    """What is made while it is read is no child of its span."""
    with modelwire.OpenAI(**_at(modelwire_service)) as client:
        with told.tracer.start_as_current_span("parent") as parent:
            for _ in client.chat.completions.create(**CHAT, stream=True):
                assert trace.get_current_span() is parent


# What is sent.


def test_nothing_is_sent_unasked(told, caller):
    caller(lambda client: client.chat.completions.create(**CHAT))
    sent = caller.service.last_request.headers
    assert not {"traceparent", "tracestate", "baggage"} & sent.keys()


def test_the_context_is_sent_where_it_is_asked(telemetry, caller):
    telemetry.start(inject_context=True)
    token = context.attach(baggage.set_baggage("customer", "7"))
    try:
        caller(lambda client: client.chat.completions.create(**CHAT))
    finally:
        context.detach(token)
    span, sent = telemetry.span(), caller.service.last_request.headers
    made = span.context
    expected = f"00-{made.trace_id:032x}-{made.span_id:016x}-{made.trace_flags:02x}"
    assert sent["traceparent"] == expected
    assert sent["baggage"] == "customer=7"


def test_a_header_of_the_call_goes_before_the_context(telemetry, caller):
    telemetry.start(inject_context=True)
    mine = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
    caller(lambda client: client.chat.completions.create(**CHAT, extra_headers=mine))
    assert caller.service.last_request.headers["traceparent"] == mine["traceparent"]


# Content.


def content(span):
    names = ("gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.tool.definitions")
    return {name: json.loads(span.attributes[name]) for name in names if name in span.attributes}


TOOLS = [{"type": "function", "function": {"name": "add", "parameters": {"type": "object"}}}]


def test_content_is_not_told_unasked(told, caller):
    caller(lambda client: client.chat.completions.create(**CHAT, tools=TOOLS))
    assert "One two three." not in told.exported() and not content(told.span())


@pytest.mark.parametrize("streamed", [False, True], ids=["plain", "streamed"])
def test_content_is_told_where_it_is_asked(telemetry, modelwire_service, streamed):
    """Also of a stream, which is gathered for it."""
    telemetry.start(capture_content=True)
    with modelwire.OpenAI(**_at(modelwire_service)) as client:
        answer = client.chat.completions.create(**CHAT, tools=TOOLS, stream=streamed)
        if streamed:
            list(answer)
    assert content(telemetry.span()) == {
        "gen_ai.input.messages": [
            {"role": "user", "parts": [{"type": "text", "content": "One two three."}]}
        ],
        "gen_ai.output.messages": [
            {
                "role": "assistant",
                "parts": [{"type": "text", "content": "One two three."}],
                "finish_reason": "stop",
            }
        ],
        "gen_ai.tool.definitions": [{"type": "function", "name": "add"}],
    }


@pytest.mark.parametrize("streamed", [False, True], ids=["plain", "streamed"])
def test_content_of_responses(telemetry, modelwire_service, streamed):
    telemetry.start(capture_content=True)
    with modelwire.OpenAI(**_at(modelwire_service)) as client:
        answer = client.responses.create(**RESPONSE, instructions="Be brief.", stream=streamed)
        if streamed:
            list(answer)
    span = telemetry.span()
    told = content(span)
    assert told["gen_ai.output.messages"][0]["parts"] == [
        {"type": "text", "content": "One two three."}
    ]
    assert json.loads(span.attributes["gen_ai.system_instructions"])[0]["content"] == "Be brief."


@pytest.mark.parametrize(
    ("said", "is_told"),
    [
        ("true", True),
        ("SPAN_ONLY", True),
        ("no_content", False),
        ("event_only", False),
        ("?", False),
    ],
)
def test_the_variable_asks_for_content(telemetry, caller, monkeypatch, said, is_told):
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", said)
    telemetry.start()
    caller(lambda client: client.chat.completions.create(**CHAT))
    assert bool(content(telemetry.span())) == is_told


def test_content_goes_to_the_log_where_it_is_asked(telemetry, caller, monkeypatch):
    """As the event of the conventions, in the context of its span."""
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor

    exporter, provider = InMemoryLogRecordExporter(), LoggerProvider()
    provider.add_log_record_processor(SimpleLogRecordProcessor(exporter))
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "event_only")
    telemetry.start(logger_provider=provider)
    caller(lambda client: client.chat.completions.create(**CHAT))
    span = telemetry.span()
    (event,) = exporter.get_finished_logs()
    record = event.log_record
    assert record.event_name == "gen_ai.client.inference.operation.details"
    assert record.span_id == span.context.span_id
    parts = record.attributes["gen_ai.output.messages"][0]["parts"]
    assert [dict(part) for part in parts] == [{"type": "text", "content": "One two three."}]
    assert record.attributes["gen_ai.request.model"] == "echo"


def test_the_key_is_nowhere(telemetry):
    """Whatever echoes it, in no attribute, event or text. A word that is too short to be a key is
    not looked for."""
    with Service(api_key="sk-test-long") as service:
        _with_the_key_everywhere(telemetry, service)


def _with_the_key_everywhere(telemetry, modelwire_service):
    telemetry.start(capture_content=True)
    key = modelwire_service.api_key
    echoing = {**CHAT, "messages": [{"role": "user", "content": f"It is {key}."}], "model": key}
    modelwire_service.queue(
        f"It is {key}.", [f"It is {key}", " indeed."], error(400, f"{key} is wrong", code=key), 401
    )
    with modelwire.OpenAI(**_at(modelwire_service)) as client:
        ask = client.chat.completions.create
        ask(**echoing, extra_headers={"X-Mine": key}, stop=key)
        list(ask(**echoing, stream=True))
        for _ in range(2):
            with pytest.raises(modelwire.APIStatusError):
                ask(**echoing)
        with pytest.raises(modelwire.RequestError):
            ask(**{**echoing, "messages": [{"role": key, "content": 5}]})
    exported = telemetry.exported()
    assert len(telemetry.spans()) == 5
    assert key not in exported and "[key]" in exported


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("is_own", [False, True])
def test_a_key_that_the_service_echoes(telemetry, service, streamed, is_own):
    """In no text of its answer, whatever it stands for; nor a key of the call's own."""
    telemetry.start(capture_content=True)
    key = "sk-test-of-a-long-kind"
    texts = dict.fromkeys(("id", "model", "system_fingerprint", "service_tier"), key)
    part = {"role": "assistant", "content": f"It is {key}."}
    choice = {"index": 0, "delta" if streamed else "message": part, "finish_reason": key}
    body = {**texts, "object": "chat.completion", "choices": [choice]}
    played = wire.events(json.dumps(body)) if streamed else wire.answer(body, x_request_id=key)
    name = f"echoing-{streamed}-{is_own}"
    own = {"extra_headers": {"Authorization": f"Bearer {key}"}} if is_own else {}
    asked = {**CHAT, "messages": [{"role": "user", "content": f"It is {key}."}], "model": key}
    settings = {"base_url": service.script(name, [played]), "max_retries": 0}
    with modelwire.OpenAI(**settings, api_key="sk-test-other" if is_own else key) as client:
        given = client.chat.completions.create(**asked, **own, stop=key, stream=streamed)
        if streamed:
            list(given)
    exported = telemetry.exported()
    assert len(telemetry.spans()) == 1
    assert key not in exported and "[key]" in exported


def test_texts_that_are_not_utf_8(telemetry, caller):
    """Of a call that is refused for them: an exporter can write its span, and so the others."""
    telemetry.start(capture_content=True)
    odd = "a\ud800"
    for given in ({"model": odd}, {"stop": odd}, {"messages": [{"role": "user", "content": odd}]}):
        with pytest.raises(ValueError):
            caller(lambda client, given=given: client.chat.completions.create(**{**CHAT, **given}))
    for span in telemetry.spans():
        for value in (span.name, *span.attributes.values()):
            str(value).encode()


# Who is told, and what they do.


class Broken(SpanProcessor):
    """What raises wherever it is called, or sleeps."""

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
def test_who_is_told_changes_no_call(telemetry, modelwire_service, does):
    broken = Broken(does)
    telemetry.provider.add_span_processor(broken)
    telemetry.start()
    with modelwire.OpenAI(**_at(modelwire_service)) as client:
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


class OnlyStreams(Sampler):
    """Decides by what it is told at the start."""

    def __init__(self):
        self.seen = []

    def should_sample(self, parent, trace_id, name, kind=None, attributes=None, *rest, **others):
        self.seen.append((name, kind, dict(attributes)))
        wanted = attributes["gen_ai.request.model"] == "echo"
        decision = Decision.RECORD_AND_SAMPLE if wanted else Decision.DROP
        return SamplingResult(decision, attributes)

    def get_description(self):
        return "by model"


def test_samplers_decide_by_the_attributes_of_the_start(telemetry, modelwire_service):
    sampler = OnlyStreams()
    telemetry.provider = TracerProvider(sampler=sampler)
    telemetry.provider.add_span_processor(SimpleSpanProcessor(telemetry.exporter))
    telemetry.start()
    modelwire_service.set_default("Fine.")
    with modelwire.OpenAI(**_at(modelwire_service)) as client:
        for model in ("echo", "another"):
            client.chat.completions.create(**{**CHAT, "model": model})
    assert [one.name for one in telemetry.spans()] == ["chat echo"]
    assert [set(attributes) for _, _, attributes in sampler.seen] == 2 * [
        {
            "gen_ai.operation.name",
            "gen_ai.provider.name",
            "gen_ai.request.model",
            "server.address",
            "server.port",
        }
    ]
    # A call that is not sampled is measured.
    assert sum(one.count for one in telemetry.points()["gen_ai.client.operation.duration"]) == 2


def test_a_call_that_nobody_is_told_of_is_left_alone(telemetry, modelwire_service, monkeypatch):
    """Neither sampled nor measured: no record of it is even taken."""
    from modelwire._otel.calls import CallTracer

    telemetry.provider = TracerProvider(sampler=ALWAYS_OFF)
    telemetry.start(meter_provider=NoOpMeterProvider())
    monkeypatch.setattr(CallTracer, "ended", lambda *given: pytest.fail("it was told"))
    with modelwire.OpenAI(**_at(modelwire_service)) as client:
        client.chat.completions.create(**CHAT)
    assert not telemetry.spans()


def test_suppression(told, caller):
    """By OpenTelemetry's own key, and by the older one."""
    from opentelemetry.instrumentation.utils import suppress_instrumentation

    with suppress_instrumentation():
        caller(lambda client: client.chat.completions.create(**CHAT))
    assert not told.spans()
    token = context.attach(context.set_value("suppress_instrumentation", True))
    try:
        caller(lambda client: client.chat.completions.create(**CHAT))
    finally:
        context.detach(token)
    assert not told.spans() and not told.points()
    caller(lambda client: client.chat.completions.create(**CHAT))
    assert told.span()


def test_a_span_of_the_same_call_is_not_made_twice(told, caller):
    """Another instrumentation has one already: of a class above, or of the same class."""
    kind = trace.SpanKind.CLIENT
    with told.tracer.start_as_current_span("chat echo", kind=kind):
        caller(lambda client: client.chat.completions.create(**CHAT))
    assert not told.spans() and not told.points()
    with told.tracer.start_as_current_span("chat echo"):
        caller(lambda client: client.chat.completions.create(**CHAT))
    assert told.span()


# On and off.


def test_uninstrument_in_the_middle_of_a_call(told, modelwire_service):
    """What is under way is told; what follows is not."""
    with modelwire.OpenAI(**_at(modelwire_service)) as client:
        stream = client.chat.completions.create(**CHAT, stream=True)
        next(iter(stream))
        ModelwireInstrumentor().uninstrument()
        client.chat.completions.create(**CHAT)
        list(stream)
        span = told.span()
        assert ended_well(span) and span.attributes["gen_ai.request.stream"] is True
        told.start()
        client.chat.completions.create(**CHAT)
        assert len(told.spans()) == 1


def test_there_is_one_instrumentor(told, caplog):
    """As with OpenTelemetry's own: a second `instrument` changes nothing and says so."""
    assert ModelwireInstrumentor() is ModelwireInstrumentor()
    assert ModelwireInstrumentor().is_instrumented_by_opentelemetry
    told.start(inject_context=True)
    assert "already instrumented" in caplog.text
    ModelwireInstrumentor().uninstrument()
    ModelwireInstrumentor().uninstrument()
    assert "nothing to uninstrument" in caplog.text
    told.start(no_such=1, skip_dep_check=True)
    assert "no_such" in caplog.text and "skip_dep_check" not in caplog.text


def test_importing_modelwire_imports_no_opentelemetry():
    assert (
        run(
            """
            import modelwire.testing, modelwire.streaming
            modelwire.OpenAI(base_url="http://127.0.0.1:9/v1", api_key="sk-test")
            print([name for name in sys.modules if name.startswith("opentelemetry")])
            import modelwire.otel
            assert "opentelemetry.sdk" not in sys.modules
            """
        )
        == "[]\n"
    )


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


def test_opentelemetry_instrument_finds_it(modelwire_service, tmp_path):
    """`opentelemetry-instrument python app.py`: no line of the program names modelwire.otel."""
    program = tmp_path / "app.py"
    program.write_text(
        "from opentelemetry.sdk.trace import TracerProvider, export\n"
        "from opentelemetry.trace import set_tracer_provider\n"
        "import modelwire\n"
        "provider = TracerProvider()\n"
        "processor = export.SimpleSpanProcessor(export.ConsoleSpanExporter())\n"
        "provider.add_span_processor(processor)\n"
        "set_tracer_provider(provider)\n"
        "client = modelwire.OpenAI()\n"
        "ask = [{'role': 'user', 'content': 'x'}]\n"
        "client.chat.completions.create(model='echo', messages=ask)\n"
    )
    instrument = Path(sys.executable).with_name("opentelemetry-instrument")
    command = [str(instrument), sys.executable, str(program)]
    kept = {name: one for name, one in os.environ.items() if not name.startswith("OTEL_")}
    kept |= modelwire_service.environment
    done = subprocess.run(command, env=kept, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert '"name": "chat echo"' in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("processor", ["BatchSpanProcessor", "SimpleSpanProcessor"])
def test_a_program_that_ends_has_told_its_calls(modelwire_service, processor):
    """Whatever was imported and set up first: what is due is told before the SDK ends."""
    out = run(
        f"""
        from modelwire.otel import ModelwireInstrumentor
        ModelwireInstrumentor().instrument()
        client = modelwire.OpenAI()
        from opentelemetry.sdk.trace import TracerProvider, export
        from opentelemetry.trace import set_tracer_provider
        provider = TracerProvider()
        processor = export.{processor}(export.ConsoleSpanExporter())
        provider.add_span_processor(processor)
        set_tracer_provider(provider)
        ask = dict(model="echo", messages=[{{"role": "user", "content": "One two."}}])
        client.chat.completions.create(**ask)
        list(client.chat.completions.create(**ask, stream=True))
        """,
        modelwire_service.base_url,
    )
    assert out.count('"name": "chat echo"') == 2


def test_a_forked_child_tells_its_own_calls(modelwire_service):
    """And none of its parent's, which go on."""
    out = run(
        """
        import asyncio
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
        from modelwire.otel import ModelwireInstrumentor

        exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        ModelwireInstrumentor().instrument(tracer_provider=provider)
        client = modelwire.OpenAI()
        ask = dict(model="echo", messages=[{"role": "user", "content": "One two."}])
        stream = client.chat.completions.create(**ask, stream=True)
        next(iter(stream))
        child = os.fork()
        if child == 0:
            exporter.clear()  # what was told before is the parent's
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
        """,
        modelwire_service.base_url,
    )
    assert out == "child [False]\nparent [True]\n"


# Beside OpenTelemetry's own instrumentation of openai.

HAS_PEER = importlib.util.find_spec("opentelemetry.instrumentation.openai_v2") is not None
needs_peer = pytest.mark.skipif(not HAS_PEER, reason="needs its instrumentation of openai")

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

# What differs, and why: attributes that both have with other values, and those that we lack. What
# we have and it lacks is the address of the service, HTTP's status, finish reasons and usage of
# streams, their times, and all of modelwire.*.
OTHERWISE = {"gen_ai.response.id": "the service counts its answers"}
LACKING = {
    "openai.response.service_tier": "nobody reads it in a stream that is not gathered",
}


@needs_peer
def test_the_same_spans_as_of_openai(telemetry, modelwire_service):
    """Names, kinds, parents, states, and all attributes that both have."""
    theirs = _of_peer(modelwire_service)
    telemetry.start()
    differed, lacked = set(), set()
    for call, expected in zip(PEER_CALLS, theirs["spans"], strict=True):
        (their,) = expected
        _ask_ours(telemetry, modelwire_service, call)
        span = telemetry.span()
        assert span.name == their["name"] and span.kind.name == their["kind"]
        assert span.status.status_code.name == their["status"], call
        assert span.parent is not None and their["parent"] == "caller"
        ours = json.loads(span.to_json())["attributes"]
        told = their["attributes"]
        assert len(ours.keys() & told.keys()) >= 3
        differed |= {name for name in ours.keys() & told.keys() if ours[name] != told[name]}
        lacked |= told.keys() - ours.keys()
        assert told.keys() <= ours.keys() or call["asked"].get("stream"), call
    assert differed == OTHERWISE.keys() and lacked <= LACKING.keys()
    points = telemetry.points()
    for name, (_, attributes) in theirs["metrics"].items():
        ours = {one for point in points[name] for one in point.attributes}
        assert set(attributes) <= ours, name


def _of_peer(service):
    opted = {"OTEL_SEMCONV_STABILITY_OPT_IN": "gen_ai_latest_experimental"}
    done = subprocess.run(
        [sys.executable, str(HERE / "otel_peer.py"), service.base_url],
        env={**os.environ, **opted},
        input=json.dumps(PEER_CALLS),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _ask_ours(telemetry, service, call):
    asked = call["asked"]

    async def ask_async():
        async with modelwire.AsyncOpenAI(**_at(service, max_retries=0)) as client:
            answer = await client.chat.completions.create(**asked)
            if asked.get("stream"):
                async for _ in answer:
                    pass

    def ask():
        with modelwire.OpenAI(**_at(service, max_retries=0)) as client:
            chats = client.chat.completions
            chats = chats.with_raw_response if call.get("raw") else chats
            answer = chats.create(**asked)
            if call.get("raw"):
                answer.parse()
            elif asked.get("stream"):
                for _ in answer:
                    if call.get("left"):
                        break

    with telemetry.tracer.start_as_current_span("caller"):
        with contextlib.suppress(modelwire.OpenAIError):
            asyncio.run(ask_async()) if call.get("async") else ask()


@needs_peer
def test_beside_it_on_our_own_classes_a_call_has_one_span(modelwire_service):
    """Where openai's names were replaced by ours, it wraps our classes."""
    out = run(
        """
        import openai, openai.resources.chat.completions as theirs
        import modelwire._resources
        theirs.Completions = modelwire._resources.Completions
        theirs.AsyncCompletions = modelwire._resources.AsyncCompletions
        from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
        from modelwire.otel import ModelwireInstrumentor

        exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        OpenAIInstrumentor().instrument(tracer_provider=provider)
        ModelwireInstrumentor().instrument(tracer_provider=provider)
        client = modelwire.OpenAI()
        ask = dict(model="echo", messages=[{"role": "user", "content": "One two."}])
        client.chat.completions.create(**ask)
        list(client.chat.completions.create(**ask, stream=True))
        assert modelwire.flush_calls()
        print([one.name for one in exporter.get_finished_spans()])
        client.responses.create(model="echo", input="One two.")
        assert modelwire.flush_calls()
        print(len(exporter.get_finished_spans()))
        """,
        modelwire_service.base_url,
    )
    assert out == "['chat echo', 'chat echo']\n3\n"
