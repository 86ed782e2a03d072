"""What `modelwire.otel` tells of a call, as data: of a request and a record to attributes, events,
metrics and content."""

import importlib
import json
import pkgutil
from types import SimpleNamespace

import pytest

pytest.importorskip("opentelemetry.sdk")

from conftest import id_of
from modelwire._otel import content
from modelwire._otel.calls import CallTracer
from test_otel import Telemetry

pytestmark = pytest.mark.thread_unsafe("observers are the process's")

KEY = "sk-test-long"  # a short one is a word that may be meant
USER = [{"role": "user", "content": "One two."}]


class Client:
    """What is asked of a client."""

    def __init__(self, url="https://service.example/v1"):
        self._url = url

    def _open(self):
        return SimpleNamespace(base_url=self._url)


def call(operation="chat", stream=False, client=None, **fields):
    return SimpleNamespace(
        client=client or Client(),
        key=SimpleNamespace(value=KEY),
        other_keys=(),
        operation=operation,
        fields={"model": "echo", **fields},
        stream=stream,
        headers={},
        gather=False,
        chunk_times=False,
    )


def usage(**figures):
    every = (
        "input_tokens output_tokens total_tokens cached_input_tokens cache_write_tokens "
        "reasoning_tokens audio_input_tokens audio_output_tokens"
    )
    return SimpleNamespace(**{**dict.fromkeys(every.split()), **figures})


def attempt(**given):
    every = "address reused dns connect tls head first_byte end status kind"
    return SimpleNamespace(**{**dict.fromkeys(every.split()), "start": 0.0, **given})


def record(**given):
    """A record of a plain call that went well, but for what is given."""
    plain = dict.fromkeys(
        "kind request_id response_id response_model finish_reason usage first_chunk last_chunk "
        "cancelled_by".split()
    )
    plain.update(
        elapsed=0.5,
        streamed=False,
        status=200,
        attempts=(attempt(address="127.0.0.1:80", reused=True, status=200),),
        attempts_count=1,
        waits=(),
        chunks=0,
        chunk_times=(),
        metered="entered",
        bytes_out=10,
        bytes_in=20,
    )
    return SimpleNamespace(**{**plain, **given})


class Told(Telemetry):
    """What was exported of calls."""

    def __init__(self, **settings):
        super().__init__()
        asked = {
            "provider": "openai",
            "inject_context": False,
            "content_on_spans": False,
            "content_max": content.CONTENT_MAX,
            "chunk_times": True,
            **settings,
        }
        self.calls = CallTracer(self.tracer, self.meters.get_meter("test"), None, **asked)

    def span(self, call, record, response=None):
        """The span of one call."""
        token = self.calls.started(call)
        self.calls.ended(token, record, response)
        (span,) = self.exporter.get_finished_spans()
        self.exporter.clear()
        return span

    def points(self):
        """The points of every metric by its name: what they add up to, and their attributes."""
        return {
            name: [(point.sum, dict(point.attributes)) for point in points]
            for name, (_, points) in self.metrics().items()
        }


def test_another_provider_has_no_attributes_of_openai():
    told = Told(provider="another")
    attributes = told.span(call(messages=USER, service_tier="flex"), record()).attributes
    assert attributes["gen_ai.provider.name"] == "another"
    assert not [name for name in attributes if name.startswith("openai.")]


PARAMETERS = {
    "temperature": 0.5,
    "top_p": 0.9,
    "top_k": 4,
    "max_tokens": 10,
    "presence_penalty": 0.1,
    "frequency_penalty": 0.2,
    "seed": 3,
    "stop": "end",
    "n": 2,
    "response_format": {"type": "json_schema", "json_schema": {}},
    "service_tier": "flex",
}


def test_the_parameters_of_a_chat():
    span = Told().span(call(stream=True, messages=USER, **PARAMETERS), record())
    told = dict(span.attributes)
    assert span.name == "chat echo" and span.kind.name == "CLIENT"
    expected = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "echo",
        "server.address": "service.example",
        "server.port": 443,
        "openai.api.type": "chat_completions",
        "gen_ai.request.stream": True,
        "gen_ai.request.temperature": 0.5,
        "gen_ai.request.top_p": 0.9,
        "gen_ai.request.top_k": 4,
        "gen_ai.request.max_tokens": 10,
        "gen_ai.request.presence_penalty": 0.1,
        "gen_ai.request.frequency_penalty": 0.2,
        "gen_ai.request.seed": 3,
        "gen_ai.request.stop_sequences": ("end",),
        "gen_ai.request.choice.count": 2,
        "gen_ai.output.type": "json",
        "openai.request.service_tier": "flex",
    }
    assert {name: told.get(name) for name in expected} == expected


def test_the_parameters_of_a_response():
    asked = call(
        "responses",
        input="Say it.",
        max_output_tokens=7,
        text={"format": {"type": "text"}},
        conversation={"id": "conv_1"},
        service_tier="auto",
    )
    told = Told().span(asked, record()).attributes
    expected = {
        "gen_ai.operation.name": "chat",
        "openai.api.type": "responses",
        "gen_ai.request.max_tokens": 7,
        "gen_ai.output.type": "text",
        "gen_ai.conversation.id": "conv_1",
        "openai.request.service_tier": None,
        "gen_ai.request.stream": None,
    }
    assert {name: told.get(name) for name in expected} == expected


@pytest.mark.parametrize(
    "fields",
    [
        {"model": None},
        {"model": 7, "temperature": "hot", "stop": {"a": 1}, "n": "two"},
        {"messages": object(), "response_format": object(), "reasoning": 5, "text": []},
        {"stop": [object()], "tools": {"not": "a list"}, "conversation": []},
    ],
    ids=id_of,
)
def test_whatever_a_program_passes_there_is_a_span(fields):
    """A call that is refused for its arguments is told as well."""
    told = Told(content_on_spans=True)
    span = told.span(call(**fields), record(status=None, kind="argument", attempts=()))
    assert span.attributes["error.type"] == "RequestError"
    assert span.status.status_code.name == "ERROR"


def test_a_model_equal_to_the_key_is_masked():
    span = Told().span(call(model=KEY, stop=[KEY], service_tier=KEY), record())
    assert KEY not in span.to_json()


FAILURES = [
    (record(), None),
    (record(kind="invalid_request", status=400), "BadRequestError"),
    (record(kind="authentication", status=401), "AuthenticationError"),
    (record(kind="rate_limited", status=429), "RateLimitError"),
    (record(kind="server", status=500), "InternalServerError"),
    (record(kind="status", status=409), "ConflictError"),
    (record(kind="status", status=418), "APIStatusError"),
    (record(kind="connect", status=None, attempts=()), "APIConnectionError"),
    (record(kind="timeout", status=None), "APITimeoutError"),
    (record(kind="incomplete"), "IncompleteStreamError"),
    (record(kind="stream"), "APIError"),
    (record(kind="closed", status=None, attempts=()), "closed"),
    (record(kind="a_kind_to_come"), "a_kind_to_come"),
    (record(kind="cancelled", cancelled_by="dropped", first_chunk=0.1), "cancelled"),
    (record(kind="cancelled", cancelled_by="dropped", streamed=True, status=None), "cancelled"),
    (record(kind="cancelled", cancelled_by="dropped", streamed=True), None),
    (record(kind="cancelled", cancelled_by="program", first_chunk=0.1, streamed=True), None),
    (record(kind="cancelled", cancelled_by="shutdown", streamed=True), "cancelled"),
    (record(kind="cancelled", cancelled_by="closed", streamed=True), "cancelled"),
]


@pytest.mark.parametrize(("record", "error"), FAILURES, ids=lambda one: getattr(one, "kind", one))
def test_the_error_of_a_call(record, error):
    """By the class of the exception, as other instrumentations have it; a stream that the program
    left had no error."""
    told = Told()
    span = told.span(call(messages=USER), record)
    assert span.attributes.get("error.type") == error
    assert (span.status.status_code.name == "ERROR") == (error is not None)
    (duration,) = told.points()["gen_ai.client.operation.duration"]
    assert duration[1].get("error.type") == error
    assert span.attributes.get("modelwire.error.kind") == record.kind


def test_a_span_lasts_as_long_as_its_call():
    span = Told().span(call(messages=USER), record(elapsed=2.25))
    assert span.end_time - span.start_time == 2_250_000_000


FULL = record(
    streamed=True,
    response_id="chatcmpl-1",
    response_model="echo-1",
    finish_reason="length",
    request_id="req_1",
    first_chunk=0.25,
    chunks=3,
    chunk_times=(0.25, 0.375, 0.5),
    attempts=(attempt(address="[::1]:8080", reused=True, status=200),),
    usage=usage(
        input_tokens=100,
        output_tokens=40,
        cached_input_tokens=60,
        cache_write_tokens=5,
        reasoning_tokens=30,
        audio_input_tokens=10,
    ),
)


def test_the_answer_of_a_call():
    told = Told()
    span = told.span(call(stream=True, messages=USER), FULL)
    expected = {
        "gen_ai.response.id": "chatcmpl-1",
        "gen_ai.response.model": "echo-1",
        "gen_ai.response.finish_reasons": ("length",),
        "gen_ai.response.time_to_first_chunk": 0.25,
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 40,
        "gen_ai.usage.cache_read.input_tokens": 60,
        "gen_ai.usage.cache_creation.input_tokens": 5,
        "gen_ai.usage.reasoning.output_tokens": 30,
        "http.response.status_code": 200,
        "network.peer.address": "::1",
        "network.peer.port": 8080,
        "modelwire.request_id": "req_1",
        "modelwire.metered": "entered",
        "modelwire.chunks": 3,
        "modelwire.bytes_in": 20,
        "modelwire.bytes_out": 10,
    }
    assert {name: span.attributes.get(name) for name in expected} == expected
    assert not span.events

    points = told.points()
    ((duration, attributes),) = points.pop("gen_ai.client.operation.duration")
    assert duration == 0.5
    assert attributes["gen_ai.response.model"] == "echo-1" and attributes["server.port"] == 443
    assert [one[0] for one in points.pop("gen_ai.client.operation.time_to_first_chunk")] == [0.25]
    assert [one[0] for one in points.pop("gen_ai.client.operation.time_per_output_chunk")] == [0.25]
    used = points.pop("gen_ai.client.token.usage")
    assert {one["gen_ai.token.type"]: value for value, one in used} == {"input": 100, "output": 40}
    assert not points


def test_every_name_is_one_of_the_conventions():
    """As the package of OpenTelemetry's conventions has them."""
    from opentelemetry.semconv import attributes
    from opentelemetry.semconv._incubating import attributes as newer
    from opentelemetry.semconv._incubating import metrics

    known = set()
    for package in (attributes, newer, metrics):
        for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            module = vars(importlib.import_module(found.name))
            known |= {one for one in module.values() if isinstance(one, str)}
    told = Told(content_on_spans=True)
    asked = call(stream=True, messages=USER, conversation="c", **PARAMETERS)
    answer = {"service_tier": "flex", "system_fingerprint": "f", "choices": []}
    failed = SimpleNamespace(**{**vars(FULL), "kind": "server", "attempts_count": 2})
    span = told.span(asked, failed, SimpleNamespace(**answer))
    points = told.points()
    names = {*span.attributes, *points, *(name for one in points.values() for name in one[0][1])}
    own = {name for name in names if name.startswith("modelwire.")}
    assert len(names) > 40 and names - own <= known, names - own - known


@pytest.mark.parametrize("chunks", [0, 1, 2, 3, 257, 258, 1000, 16_384])
def test_the_times_between_chunks_are_bounded(chunks):
    """All of a short stream; of a long one, evenly spread."""
    times = tuple(1.0 + number for number in range(chunks))
    long = record(streamed=True, first_chunk=1.0, chunk_times=times, chunks=chunks)
    told = Told()
    told.span(call(stream=True, messages=USER), long)
    gaps = told.points().get("gen_ai.client.operation.time_per_output_chunk", [(0, {})])[0][0]
    assert gaps == (max(chunks - 1, 0) if chunks <= 257 else pytest.approx(192, abs=64))


def test_a_call_without_usage_counts_nothing():
    told = Told()
    told.span(call(messages=USER), record())
    assert "gen_ai.client.token.usage" not in told.points()


def test_attempts_and_waits_are_events():
    wait = SimpleNamespace(reason="retry", start=0.1, length=0.5)
    attempts = (
        attempt(start=0.0, address="127.0.0.1:80", reused=False, connect=0.01, status=429, end=0.1),
        attempt(start=0.6, address="127.0.0.1:80", reused=True, status=200, head=0.7, end=0.9),
    )
    span = Told().span(
        call(messages=USER), record(attempts=attempts, attempts_count=2, waits=(wait,))
    )
    events = [
        (one.name, one.timestamp - span.start_time, dict(one.attributes)) for one in span.events
    ]
    assert sorted(events, key=lambda one: one[1]) == [
        (
            "modelwire.attempt",
            0,
            {
                "address": "127.0.0.1:80",
                "reused": False,
                "connect": 0.01,
                "end": 0.1,
                "status": 429,
            },
        ),
        ("modelwire.wait", 100_000_000, {"reason": "retry", "seconds": 0.5}),
        (
            "modelwire.attempt",
            600_000_000,
            {"address": "127.0.0.1:80", "reused": True, "head": 0.7, "end": 0.9, "status": 200},
        ),
    ]
    assert span.attributes["http.request.resend_count"] == 1


# What is asked, as the conventions have it.

INPUTS = [
    ("chat", USER, [{"role": "user", "parts": [{"type": "text", "content": "One two."}]}]),
    (
        "chat",
        [{"role": "system", "content": [{"type": "text", "text": "Be brief."}]}],
        [{"role": "system", "parts": [{"type": "text", "content": "Be brief."}]}],
    ),
    (
        "chat",
        [
            {
                "role": "user",
                "content": [
                    {"type": "image_url", "image_url": {"url": "https://a.example/b.png"}},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
                    {"type": "input_audio", "input_audio": {"format": "wav", "data": "BBBB"}},
                    {"type": "file", "file": {"file_id": "file-1"}},
                ],
            }
        ],
        [
            {
                "role": "user",
                "parts": [
                    {"type": "uri", "modality": "image", "uri": "https://a.example/b.png"},
                    {
                        "type": "blob",
                        "modality": "image",
                        "mime_type": "image/png",
                        "content": "AAAA",
                    },
                    {
                        "type": "blob",
                        "modality": "audio",
                        "mime_type": "audio/wav",
                        "content": "BBBB",
                    },
                    {"type": "file", "file": {"file_id": "file-1"}},
                ],
            }
        ],
    ),
    (
        "chat",
        [
            {
                "role": "assistant",
                "content": None,
                "reasoning_content": "Hm.",
                "tool_calls": [
                    {
                        "id": "call_1",
                        "type": "function",
                        "function": {"name": "add", "arguments": '{"a":1}'},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": "call_1", "content": "2"},
        ],
        [
            {
                "role": "assistant",
                "parts": [
                    {"type": "reasoning", "content": "Hm."},
                    {"type": "tool_call", "id": "call_1", "name": "add", "arguments": {"a": 1}},
                ],
            },
            {
                "role": "tool",
                "parts": [{"type": "tool_call_response", "id": "call_1", "response": "2"}],
            },
        ],
    ),
    ("responses", "Hi.", [{"role": "user", "parts": [{"type": "text", "content": "Hi."}]}]),
    (
        "responses",
        [
            {"role": "user", "content": [{"type": "input_text", "text": "Hi."}]},
            {"type": "function_call", "call_id": "c", "name": "add", "arguments": "{cut"},
            {"type": "function_call_output", "call_id": "c", "output": "2"},
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]},
            {"type": "item_reference", "id": "x"},
        ],
        [
            {"role": "user", "parts": [{"type": "text", "content": "Hi."}]},
            {
                "role": "assistant",
                "parts": [{"type": "tool_call", "id": "c", "name": "add", "arguments": "{cut"}],
            },
            {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c", "response": "2"}]},
            {"role": "assistant", "parts": [{"type": "reasoning", "content": "Hm."}]},
            {"role": "assistant", "parts": [{"type": "item_reference", "id": "x"}]},
        ],
    ),
]


@pytest.mark.parametrize(("operation", "given", "expected"), INPUTS)
def test_messages_have_the_form_of_the_conventions(operation, given, expected):
    name = "messages" if operation == "chat" else "input"
    told = content.of_request(operation, {name: given}, 10_000, [KEY])
    assert told == {"gen_ai.input.messages": expected}


def test_instructions_and_tools():
    fields = {
        "input": "Hi.",
        "instructions": "Be brief.",
        "tools": [
            {"type": "function", "name": "add", "parameters": {"type": "object"}},
            {"type": "web_search"},
        ],
    }
    told = content.of_request("responses", fields, 10_000, [KEY])
    assert told["gen_ai.system_instructions"] == [{"type": "text", "content": "Be brief."}]
    assert told["gen_ai.tool.definitions"] == [
        {"type": "function", "name": "add"},
        {"type": "web_search", "name": "web_search"},
    ]
    tools = [{"type": "function", "function": {"name": "add"}}]
    told = content.of_request("chat", {"messages": USER, "tools": tools}, 10_000, [KEY])
    assert told["gen_ai.tool.definitions"] == [{"type": "function", "name": "add"}]


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "user", "content": "x" * 100_000}],
        [{"role": "user", "content": "x"}] * 100_000,
        [{"role": "user", "content": [{"type": "text", "text": "xx"}] * 100_000}],
        [{"role": "user", "content": [{"type": "odd", "x" * 100_000: 1}]}],
        [{"role": "user", "content": [{"type": "odd", "deep": [[1] * 9] * 100_000}]}],
        [{"role": "x" * 100_000, "content": None}],
    ],
)
def test_content_is_bounded(messages):
    told = content.of_request("chat", {"messages": messages}, 1000, [KEY])
    text = json.dumps(told["gen_ai.input.messages"])
    assert len(text) < 40_000  # a bare message of two characters has some forty of JSON around it
    json.loads(text)


def test_content_that_is_nested_without_end():
    deep = []
    deep.append(deep)
    told = content.of_request("chat", {"messages": [{"role": "user", "content": [deep]}]}, 1000, [])
    assert json.dumps(told["gen_ai.input.messages"])


def test_the_key_is_in_no_content():
    messages = [{"role": KEY, "content": [{"type": "odd", KEY: [f"my key is {KEY}!"]}]}]
    told = content.of_request("chat", {"messages": messages}, 1000, [KEY])
    assert KEY not in json.dumps(told["gen_ai.input.messages"])


def test_a_key_that_json_escapes_is_in_no_content():
    """As in the arguments of a tool call that are not whole."""
    keys = ["sk-test/long+", "sk-test/"]
    for text in (
        r'{"a": "sk-test\/long+',
        r'{"a": "\u0073k-test\\/long\u002B',
        '{"a": "sk-test/long+',
    ):
        function = {"name": "f", "arguments": text}
        message = {"role": "assistant", "tool_calls": [{"id": "1", "function": function}]}
        told = content.of_request("chat", {"messages": [message]}, 1000, keys)
        (call,) = told["gen_ai.input.messages"][0]["parts"]
        assert call["arguments"] == '{"a": "[key]'
    assert content.redacted(r"sk-te\st a\nb", keys) == r"sk-te\st a\nb"
