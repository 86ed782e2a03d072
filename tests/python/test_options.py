"""What a call or a copy of a client sets for itself, and what a client takes beside key and URL."""

import copy
import dataclasses
import datetime
import gc
import json
import math
import os
import pathlib
import time
import weakref

import pytest

import modelwire
from callers import asked, headers
from conftest import KEY, SOON, eventually
from modelwire import _parameters
from wire import ANSWER, END, HELLO, SILENCE, STALL, answer, events, finish, piece, stream

URL = "http://127.0.0.1:9/v1"
BUSY = answer({"error": {"message": "slow down"}}, 429)


def test_further_fields_win(scripted):
    """extra_body adds fields and replaces those that are named."""
    asked(scripted(ANSWER), temperature=0.5, extra_body={"temperature": 1, "new": [None]})
    [request] = scripted.requests()
    sent = {"model": "m", "messages": HELLO, "temperature": 1, "new": [None]}
    assert json.loads(request["body"]) == sent


def test_unknown_parameters_are_a_type_error(scripted):
    """As in openai-python; extra_body takes them."""
    client = scripted(ANSWER)
    with pytest.raises(TypeError, match="nonsense"):
        asked(client, nonsense=1)
    with pytest.raises(TypeError, match="messages"):
        client.responses.create(model="m", input="x", messages=[])
    with pytest.raises(TypeError, match="nonsense"):
        client.models.list(nonsense=1)
    with pytest.raises(TypeError, match="extra_body"):
        client.models.list(extra_body={"a": 1})
    assert scripted.requests() == []


def test_a_key_in_a_header_is_the_key(scripted):
    """As programs replace it: of a client, of a copy and of a call."""
    header = {"Authorization": "Bearer sk-header"}
    client = scripted(ANSWER)
    asked(client, extra_headers=header)
    asked(client)
    asked(client, extra_headers={"authorization": "bearer sk-lower", "X-A": "a"})
    copy = client.with_options(default_headers=header)
    asked(copy)
    asked(copy, extra_headers={"X-A": "a"})
    asked(client, extra_headers={"authorization": "Bearer sk-first", **header})  # the last counts
    sent = [headers(request) for request in scripted.requests()]
    assert [one["authorization"].split(" sk-")[1] for one in sent] == [
        *("header", "test", "lower", "header", "header", "header"),
    ]
    assert (sent[2]["x-a"], sent[4]["x-a"]) == ("a", "a")
    assert copy.api_key == "sk-header" and "Authorization" not in copy.default_headers
    made = scripted(ANSWER, default_headers=header, api_key=None)
    assert made.api_key == "sk-header"
    with pytest.raises(modelwire.OpenAIError, match="Authorization.*api_key="):
        client.with_options(default_headers={"Authorization": "Basic b3RoZXI="})


@pytest.mark.parametrize("value", [5, None, b"x", True])
def test_headers_that_are_not_text_are_named(scripted, value):
    """Of a client, of a copy and of a call; None leaves nothing out."""
    client = scripted(ANSWER)
    for call in (
        lambda: scripted(ANSWER, default_headers={"X-A": value}),
        lambda: client.with_options(default_headers={"X-A": value}),
        lambda: asked(client, extra_headers={"X-A": value}),
    ):
        with pytest.raises(TypeError, match="header X-A takes a str, not .*omit"):
            call()
    with pytest.raises(TypeError, match="the name of a header must be a str, not 5"):
        asked(client, extra_headers={5: "x"})


def test_invalid_retries_and_timeouts_are_explained(scripted):
    """No retries, and no timeout."""
    client = scripted(ANSWER)
    for call in (lambda **given: scripted(ANSWER, **given), client.with_options):
        with pytest.raises(TypeError, match="max_retries .* 0 disables retries"):
            call(max_retries=None)
        for seconds in (-1, 0, float("nan")):
            with pytest.raises(ValueError, match="timeout takes seconds above 0.*None"):
                asked(call(timeout=seconds))


def test_retries_without_end(scripted):
    """As many as there can be, as openai-python has it."""
    for given in (math.inf, 10**100):
        client = scripted(ANSWER, max_retries=given)
        asked(client)
        assert client.max_retries == client.with_options(max_retries=given).max_retries > 10**9


def test_headers_of_a_call(scripted):
    """They replace default ones, whatever their case; omit removes one."""
    client = scripted(ANSWER, default_headers={"X-Tenant": "7", "X-Kept": "k"})
    asked(client, extra_headers={"x-tenant": "8", "X-New": "n"})
    asked(client, extra_headers={"X-Tenant": modelwire.omit})
    asked(client)
    first, second, third = map(headers, scripted.requests())
    assert (first["x-tenant"], first["x-new"], first["x-kept"]) == ("8", "n", "k")
    assert "x-tenant" not in second and second["x-kept"] == "k"
    assert third["x-tenant"] == "7"
    with pytest.raises(modelwire.RequestError, match="authorization.*api_key=") as raised:
        asked(client, extra_headers={"authorization": "Basic b3RoZXI="})
    assert "b3RoZXI" not in str(raised.value)
    with pytest.raises(modelwire.RequestError, match="not a header name"):
        asked(client, extra_headers={"a b": "c"})


def test_queries(scripted):
    """Of the client and of the call, written as openai-python writes them."""
    client = scripted(answer({"data": []}), default_query={"tenant": 7})
    client.models.list()
    query = {"a": [1, 2], "b": {"c": True}, "left": None, "with space": "ü&"}
    client.models.list(extra_query=query)
    client.models.list(extra_query={"tenant": 8})
    targets = [request["target"].partition("?")[2] for request in scripted.requests()]
    own = "tenant=7&a%5B%5D=1&a%5B%5D=2&b%5Bc%5D=true&with+space=%C3%BC%26"
    assert targets == ["tenant=7", own, "tenant=8"]


def test_usage_is_summed_over_variants_of_a_client(client):
    """Calls with queries or removed headers count like the others."""
    asked(client, model="echo")
    asked(client, model="echo", extra_query={"a": 1})
    for number in range(20):
        asked(client, model="echo", extra_query={"b": number})
    assert client.usage()["echo"]["calls"] == 22


def test_a_timeout_of_a_call(scripted):
    """Seconds, a Timeout, or an httpx.Timeout."""
    httpx = pytest.importorskip("httpx")
    client = scripted(SILENCE)
    for timeout in (0.2, modelwire.Timeout(first_byte=0.2), httpx.Timeout(0.2)):
        with pytest.raises(modelwire.APITimeoutError) as raised:
            asked(client, timeout=timeout)
        assert raised.value.timeout == "first_byte_timeout"
    with pytest.raises(modelwire.APITimeoutError) as raised:
        asked(client, timeout=modelwire.Timeout(total=0.2))
    assert raised.value.timeout == "total_timeout"
    with pytest.raises(TypeError, match="timeout"):
        asked(client, timeout="soon")


def test_a_timeout_of_a_call_is_not_the_clients(scripted):
    """The next call has the client's own again."""
    gap = [{"pause_ms": 400}, piece("a"), finish()]
    client = scripted(stream(STALL), stream(*gap, *END))
    with pytest.raises(modelwire.APITimeoutError):
        list(asked(client, stream=True, timeout=modelwire.Timeout(idle=0.1)))
    assert len(list(asked(client, stream=True))) == 2
    assert len(list(asked(client, stream=True, timeout=None))) == 2


def test_a_copy_sets_what_it_is_given_and_shares_the_rest(scripted):
    """with_options, as in openai-python; connections and sums are shared."""
    client = scripted(BUSY, ANSWER, default_headers={"X-Tenant": "7"}, max_retries=0)
    other = client.with_options(max_retries=1, default_headers={"X-New": "n"}, timeout=30)
    assert (other.max_retries, other.timeout, client.max_retries) == (1, 30, 0)
    asked(other)
    sent = scripted.requests()
    assert len(sent) == 2 and {headers(request)["x-tenant"] for request in sent} == {"7"}
    assert headers(sent[0])["x-new"] == "n" and "x-new" not in client.default_headers
    assert client.usage() == other.usage()
    replaced = client.copy(set_default_headers={"X-Only": "o"}, set_default_query={"q": 1})
    assert replaced.default_headers == {"X-Only": "o"} and replaced.default_query == {"q": 1}
    with pytest.raises(ValueError, match="mutually exclusive"):
        client.copy(default_headers={}, set_default_headers={})
    other.close()
    assert client.is_closed()


def test_copy_copy_is_a_copy(scripted, connect):
    """A client of its own that shares connections and sums; a deep copy is refused."""
    client = scripted(ANSWER, ANSWER, timeout=7, default_headers={"X-A": "a"})
    inner = getattr(client, "_inner", client)
    copied = copy.copy(inner)
    assert type(copied) is type(inner) and copied is not inner
    assert (copied.timeout, copied.default_headers) == (7, {"X-A": "a"})
    copied.timeout = 8
    assert client.timeout == 7 and copied.chat is not inner.chat
    with pytest.raises(TypeError, match="^this (Async)?OpenAI cannot be pickled or deep-copied"):
        copy.deepcopy(inner)


def test_a_copy_with_another_key_or_url(scripted, service):
    """The first goes on with its own."""
    client = scripted(answer({"data": []}))
    client.with_options(api_key="sk-other").models.list()
    client.with_options(base_url=service.base_url).models.list()
    client.models.list()
    keys = [headers(request)["authorization"] for request in scripted.requests()]
    assert keys == ["Bearer sk-other", f"Bearer {KEY}"] and len(service.requests()) == 1


@pytest.mark.sync_alone("an attribute of the stand-in is not one of the client")
def test_settings_can_be_assigned(scripted, service):
    """Key, URL, timeout and retries are attributes, as in openai-python."""
    client = scripted(BUSY, answer({"data": []}))
    client.api_key = "sk-other"
    client.max_retries = 1
    client.timeout = 20
    client.models.list()
    assert {headers(request)["authorization"] for request in scripted.requests()} == {
        "Bearer sk-other"
    }
    client.base_url = service.base_url
    client.api_key = KEY
    assert len(client.models.list()) > 1
    assert (client.api_key, client.base_url, client.timeout) == (KEY, service.base_url, 20)
    with pytest.raises(modelwire.OpenAIError, match="API key"):
        client.api_key = "sk-two words"


def test_api_key_may_be_a_function(scripted):
    """By a function, before each call; what it gives is checked."""
    keys = iter(["sk-first", "sk-second", "sk-two words"])
    client = scripted(answer({"data": []}), api_key=lambda: next(keys))
    client.models.list()
    client.models.list()
    sent = [headers(request)["authorization"] for request in scripted.requests()]
    assert sent == ["Bearer sk-first", "Bearer sk-second"]
    with pytest.raises(modelwire.OpenAIError, match="API key"):
        client.models.list()


def test_organization_and_project(scripted, monkeypatch):
    """Arguments, or openai-python's variables; further headers from a variable too."""
    client = scripted(answer({"data": []}), organization="org", project="proj")
    client.models.list()
    sent = headers(scripted.requests()[0])
    assert (sent["openai-organization"], sent["openai-project"]) == ("org", "proj")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-env")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-One: 1\nX-Two:2\nnonsense")
    client = modelwire.Client(base_url="http://localhost/v1", api_key=KEY)
    expected = {"OpenAI-Organization": "org-env", "X-One": "1", "X-Two": "2"}
    assert client.default_headers == expected and client.organization == "org-env"


@pytest.mark.parametrize("name", _parameters.OPTIONS)
def test_every_option_of_a_call_reaches_the_core(scripted, name):
    """The core says what it takes; one that is left out is no field of the request."""
    client = scripted(ANSWER)
    with pytest.raises(modelwire.RequestError, match=f"{name} takes "):
        asked(client, **{name: []})
    for absent in (None, modelwire.NOT_GIVEN, modelwire.omit):
        asked(client, **{name: absent})
    sent = [json.loads(request["body"]) for request in scripted.requests()]
    assert sent == [{"model": "m", "messages": HELLO}] * 3


def test_a_call_that_only_streams(scripted):
    """One option of the call."""
    client = scripted(events(piece("a"), piece("b"), finish()))
    assert asked(client, stream_only=True).choices[0].message.content == "ab"
    assert '"stream":true' in scripted.requests()[0]["body"]


def test_attempts_of_a_call_have_one_idempotency_key(scripted):
    """Made at random, or given with the call."""
    retry = modelwire.Retry(first_wait=0.001)
    client = scripted(BUSY, ANSWER, idempotency_header="X-Once", retry=retry)
    asked(client)
    asked(client, idempotency_key="order-7")
    first, again, own = [headers(request)["x-once"] for request in scripted.requests()]
    assert first == again and len(first) == 32 and own == "order-7"


def test_the_keepalive_of_a_client(scripted):
    for seconds in (None, 1.0, 60):
        assert asked(scripted(ANSWER, tcp_keepalive=seconds)).choices
    with pytest.raises(modelwire.OpenAIError, match="tcp_keepalive"):
        scripted(ANSWER, tcp_keepalive=0.5)


def test_a_service_at_a_unix_socket():
    """Its base URL stays as it was given."""
    url = "http+unix://%2Fnowhere%2Fm.sock/v1"
    with modelwire.Client(base_url=url, api_key=KEY) as client:
        assert str(client.base_url) == url
        copy = client.copy(base_url=client.base_url)
        for one in (client, copy):
            with pytest.raises(modelwire.APIConnectionError, match="to /nowhere/m.sock: "):
                one.models.list()


def test_the_whole_answer_at_the_end_of_a_stream(scripted):
    """Where the call gathers; and what was gathered, on its error."""
    client = scripted(events(piece("a"), piece("b"), finish()), events(piece("c"), end="cut"))
    chat = asked(client, stream=True, gather=True)
    assert chat.answer is None
    assert len(list(chat)) == 3
    assert chat.answer.choices[0].message.content == "ab"
    assert chat.answer.object == "chat.completion"
    with pytest.raises(modelwire.APIConnectionError) as raised:
        list(asked(client, stream=True, gather=True))
    assert json.loads(raised.value.partial)["choices"][0]["message"]["content"] == "c"


def test_without_gathering_a_stream_keeps_nothing(scripted):
    """Memory stays flat."""
    chat = asked(scripted(events(piece("a"), finish())), stream=True)
    list(chat)
    assert chat.answer is None and chat.end == "done_mark"


@pytest.mark.parametrize("most", [1, 2, 7, 1000])
def test_batches(scripted, most):
    """All that is there, at least one chunk and at most so many."""
    client = scripted(events(*[piece(str(number)) for number in range(20)], finish()))
    chat = asked(client, stream=True)
    batches = list(chat.batches(most))
    assert all(1 <= len(batch) <= most for batch in batches)
    contents = [chunk.choices[0].delta.content for batch in batches for chunk in batch]
    assert contents == [*map(str, range(20)), None] and chat.end == "done_mark"


def test_a_batch_before_an_error_is_not_lost(scripted):
    """The chunks first, then the error; then it is over."""
    error = '{"error":{"message":"m"}}'
    chat = asked(scripted(events(piece("a"), piece("b"), error)), stream=True)
    found = []
    with pytest.raises(modelwire.APIError, match="m"):
        for batch in chat.batches():
            found += batch
    assert len(found) == 2 and list(chat.batches()) == []


def test_a_batch_does_not_wait_for_more(scripted):
    """What is there is handed out although more will come."""
    chat = asked(scripted(stream(piece("a"), STALL)), stream=True)
    [chunk] = next(chat.batches())
    assert chunk.choices[0].delta.content == "a"
    with pytest.raises(ValueError, match="max"):
        chat.batches(0)
    chat.close()


def test_text_alone(client):
    """Pieces of text, without the chunks that have none."""
    chat = asked(client, model="echo", stream=True)
    assert list(chat.text_deltas()) == ["Hello ", "there, ", "dear ", "service"]
    response = client.responses.create(model="echo", input="one two", stream=True)
    assert "".join(response.text_deltas()) == "one two" and response.end == "final_event"


def test_the_answer_of_a_stream_as_an_object(client):
    """Status and headers under the names of httpx."""
    with asked(client, model="echo", stream=True) as chat:
        assert chat.response.status_code == 200 and chat.response.is_success
        assert chat.response.headers["Content-Type"] == "text/event-stream"
        assert chat.response.headers.get("x-request-id") == chat.request_id
        assert chat.response.request.method == "POST"


@dataclasses.dataclass
class Message:
    role: str
    content: str


def test_values_of_many_kinds(scripted):
    """Dataclasses, pydantic models, times, tuples and generators are written as JSON."""
    pydantic = pytest.importorskip("pydantic")

    class Model(pydantic.BaseModel):
        by: int = pydantic.Field(alias="BY")
        unset: int = 0

    client = scripted(ANSWER)
    when = datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc)
    client.chat.completions.create(
        model="m",
        messages=(Message("user", str(number)) for number in range(2)),
        metadata={"model": Model(BY=1), "when": when, "day": when.date(), "some": (1, 2)},
        tools=iter([{"type": "function"}]),
        stop=("a",),
    )
    sent = json.loads(scripted.requests()[0]["body"])
    assert sent["messages"] == [{"role": "user", "content": "0"}, {"role": "user", "content": "1"}]
    assert sent["metadata"] == {
        "model": {"BY": 1},
        "when": "2026-01-02T03:04:05+00:00",
        "day": "2026-01-02",
        "some": [1, 2],
    }
    assert sent["tools"] == [{"type": "function"}] and sent["stop"] == ["a"]


def test_a_class_as_a_value_is_refused(scripted):
    """With an error that says what to give."""
    client = scripted(ANSWER)
    with pytest.raises(TypeError, match="JSON schema"):
        asked(client, response_format=Message)
    assert scripted.requests() == []


@pytest.mark.parametrize("left_out", ["NOT_GIVEN", "not_given", "omit"])
def test_every_omit_marker_is_left_out(scripted, left_out):
    """None of them is sent, wherever it stands; all are false."""
    value = getattr(modelwire, left_out)
    asked(scripted(ANSWER), temperature=value, metadata={"a": value, "b": 1}, stream=value)
    sent = json.loads(scripted.requests()[0]["body"])
    assert "temperature" not in sent and sent["metadata"] == {"b": 1} and not value


MISSING = [
    lambda client: client.models.retrieve("m"),
    lambda client: client.responses.retrieve("r"),
    lambda client: client.chat.completions.list(),
    lambda client: client.get("/files", cast_to=object),
    lambda client: client.post("/embeddings", cast_to=object),
    lambda client: client.embeddings.create(model="m", input="x"),
    lambda client: client.beta.assistants.create(model="m"),
    lambda client: client.beta.threads.messages.list("t"),
    lambda client: client.chat.completions.messages.list("c"),
    lambda client: client.responses.input_items.list("r"),
    lambda client: modelwire.embeddings.create(model="m", input="x"),
]


@pytest.mark.parametrize("use", MISSING)
def test_an_unsupported_operation_raises(scripted, use):
    """A clear error that says what there is; nothing is sent."""
    client = scripted(ANSWER)
    with pytest.raises(modelwire.OpenAIError, match="no operation") as raised:
        use(client)
    assert raised.value.hint and scripted.requests() == []


@pytest.mark.sync_alone("hasattr sees the stand-in")
def test_unsupported_operations_can_be_inspected(scripted):
    """Instrumentation looks for every part of a client, and wraps its methods."""
    client = scripted(ANSWER)
    for part in ("completions", "embeddings", "images", "audio"):
        assert hasattr(client, part) and getattr(client, part) is getattr(client, part)
    kept = client.completions.create
    client.completions.create = lambda **given: kept(**given)
    with pytest.raises(modelwire.OpenAIError) as raised:
        client.completions.create(model="m", prompt="x")
    assert "chat.completions" in raised.value.hint
    assert "OpenAI.audio.speech" in repr(client.audio.speech)
    assert scripted.requests() == []


def test_an_unknown_client_attribute_raises(scripted):
    """Python's own AttributeError."""
    client = scripted(ANSWER)
    for part in (client, client.beta, client.chat, client.responses, client.models):
        with pytest.raises(AttributeError, match="nonsense"):
            part.nonsense
        assert not hasattr(part, "__deepcopy_nonsense__")


@pytest.mark.parametrize("name", ["AzureOpenAI", "AsyncAzureOpenAI", "BedrockOpenAI"])
def test_clients_of_other_services(name):
    """Programs import them, and ask isinstance; to make one says what to do."""
    other = getattr(modelwire, name)
    assert getattr(modelwire, name) is other and other.__name__ == name
    assert not isinstance(modelwire.OpenAI(base_url=URL, api_key=KEY), other)
    with pytest.raises(modelwire.OpenAIError, match="Use OpenAI or AsyncOpenAI"):
        other(azure_endpoint="https://example.invalid", api_version="v", api_key=KEY)


def test_older_names(client):
    """Where older programs look for a call."""
    create = client.beta.chat.completions.create
    assert create(model="echo", messages=HELLO).choices[0].message.content


def test_options_of_the_transport(tmp_path):
    """What is wrong is told when the client is made."""

    def made(**options):
        return modelwire.Client(base_url="https://localhost/v1", api_key=KEY, **options)

    made(http2=True, no_proxy=True, limits=modelwire.Limits(event_bytes_max=1 << 20))
    made(proxy="http://user:secret@127.0.0.1:3128")
    with pytest.raises(modelwire.OpenAIError, match="could not be read") as raised:
        made(ca=tmp_path / "missing.pem")
    assert raised.value.kind == "config"
    (tmp_path / "empty.pem").write_text("no certificate")
    with pytest.raises(modelwire.OpenAIError):
        made(ca=tmp_path / "empty.pem")
    with pytest.raises(modelwire.OpenAIError):
        made(client_certificate=b"no certificate")
    with pytest.raises(modelwire.OpenAIError):
        made(proxy="nonsense://x")
    with pytest.raises(TypeError, match="exclude each other"):
        made(proxy="http://127.0.0.1:1", no_proxy=True)
    with pytest.raises(modelwire.OpenAIError, match="event_bytes_max"):
        made(limits=modelwire.Limits(event_bytes_max=0))


@pytest.mark.parametrize("number", [int, bool])
@pytest.mark.parametrize("name", ["ca", "client_certificate", "cert", "verify"])
def test_a_number_is_not_opened_as_a_certificate(name, number):
    """It would be a descriptor, which would be closed; True would be standard output."""
    reader, writer = os.pipe()
    given = True if number is bool else writer
    if name in ("cert", "verify"):
        given = {"http_client": modelwire.DefaultHttpxClient(**{name: given})}
    else:
        given = {name: given}
    if (name, number) == ("verify", bool):
        modelwire.Client(base_url=URL, api_key=KEY, **given)  # the default
    else:
        with pytest.raises(TypeError, match=f"^[a-z_]+ takes .*, not {number.__name__}$"):
            modelwire.Client(base_url=URL, api_key=KEY, **given)
    for descriptor in (1, reader, writer):
        os.fstat(descriptor)
    os.close(reader)
    os.close(writer)


def test_a_bound_of_the_client(scripted):
    """Named in the error that it causes."""
    limits = modelwire.Limits(event_bytes_max=1000)
    chat = asked(scripted(events(piece("x" * 2000)), limits=limits), stream=True)
    with pytest.raises(modelwire.APIResponseValidationError, match="event_bytes_max"):
        list(chat)


@pytest.mark.parametrize(
    "one",
    [
        modelwire.Limits(connections_max=1),
        modelwire.Limits(max_connections=1, max_keepalive_connections=0),
    ],
    ids=["ours", "httpx"],
)
def test_a_cap_on_connections(scripted, one):
    """Further calls wait in order, under a timeout of their own; httpx's name sets the same cap."""
    httpx = pytest.importorskip("httpx")
    client = scripted(stream(piece("a"), STALL), answer({"choices": [{}]}), limits=one)
    first = asked(client, stream=True)
    for timeout in (modelwire.Timeout(pool=0.2), httpx.Timeout(None, pool=0.2)):
        with pytest.raises(modelwire.APITimeoutError, match="connections_max = 1") as raised:
            asked(client, timeout=timeout)
        assert raised.value.timeout == "pool_timeout"
        assert raised.value.metered == "not_sent" and raised.value.attempts == 0
    first.close()
    asked(client)
    assert len(scripted.requests()) == 2


def test_lost_connections_are_tried_again_if_wanted(scripted):
    """The call may be metered twice then."""
    lost = {"steps": [{"close": True}]}
    with pytest.raises(modelwire.APIConnectionError) as raised:
        asked(scripted(lost, ANSWER))
    assert raised.value.attempts == 1 and raised.value.metered == "unknown"
    policy = modelwire.Retry(lost_connections=True, first_wait=0.01)
    asked(scripted(lost, lost, ANSWER, retry=policy))
    with pytest.raises(modelwire.APIConnectionError) as raised:
        asked(scripted(lost, lost, ANSWER, retry=modelwire.Retry(connect_errors=True)))
    assert raised.value.attempts == 1


def test_a_retry_policy(scripted):
    """Further statuses and other waits are options."""
    policy = modelwire.Retry(statuses=[429, 503], first_wait=0.01, max_retries=2)
    client = scripted(answer({}, 503), answer({}, 429), ANSWER, retry=policy)
    asked(client)
    assert len(scripted.requests()) == 3
    assert repr(policy) == "Retry(max_retries=2, first_wait=0.01, statuses=[429, 503])"
    assert client.max_retries == 2


def test_max_retries_with_a_retry_policy_is_refused(connect):
    """Which of both would count? An error that says what to do, whatever the number."""
    for number in (2, modelwire.DEFAULT_MAX_RETRIES):
        with pytest.raises(TypeError, match=rf"retry=Retry\(max_retries={number}, "):
            connect(base_url=URL, api_key=KEY, retry=modelwire.Retry(), max_retries=number)
    client = connect(base_url=URL, api_key=KEY, retry=modelwire.Retry(max_retries=5))
    assert (client.max_retries, client.copy(max_retries=1).max_retries) == (5, 1)
    assert connect(base_url=URL, api_key=KEY).max_retries == modelwire.DEFAULT_MAX_RETRIES


@pytest.mark.parametrize("failure", [408, 409, 429, 500, 503, 599, "lost", "late"])
def test_the_openai_retry_policy(scripted, failure):
    """By one name; two retries of what openai-python tries again."""
    failed = {"lost": {"steps": [{"close": True}]}, "late": SILENCE}.get(failure)
    failed = failed or answer({}, failure)
    settings = {"retry": modelwire.Retry.openai(first_wait=0.01)}
    if failure == "late":  # an answer might be late as well
        settings["timeout"] = modelwire.Timeout(first_byte=0.3)
    else:
        asked(scripted(failed, failed, ANSWER, **settings))
        assert len(scripted.requests()) == 3
    client = scripted(failed, failed, failed, ANSWER, **settings)
    with pytest.raises(modelwire.APIError) as raised:
        asked(client)
    assert (raised.value.attempts, client.max_retries) == (3, 2)
    eventually("the service has read them", lambda: len(scripted.requests()) >= 3)
    assert len(scripted.requests()) == 3


def test_the_openai_retry_policy_can_be_changed(scripted):
    """What is given replaces a part; what it does not try again, it leaves."""
    policy = modelwire.Retry.openai(max_retries=1, first_wait=0.01)
    assert policy.max_retries == 1 and policy != modelwire.Retry.openai()
    assert repr(policy).startswith("Retry(max_retries=1, first_wait=0.01, statuses=(408, 409, 429")
    client = scripted(answer({}, 400), ANSWER, retry=policy)
    with pytest.raises(modelwire.BadRequestError) as raised:
        asked(client)
    assert raised.value.attempts == 1
    with pytest.raises(TypeError, match="nonsense"):
        modelwire.Retry.openai(nonsense=1)


def test_a_retry_after_that_is_shorter(scripted):
    """A lower bound by default, the wait itself as openai has it."""
    busy = answer({}, 429, retry_after_ms="10")
    policy = modelwire.Retry.openai(first_wait=30, jitter=0)
    before = time.monotonic()
    asked(scripted(busy, busy, ANSWER, retry=policy))
    assert time.monotonic() - before < SOON  # clock: one wait of 30 s would be longer
    before = time.monotonic()
    asked(scripted(busy, ANSWER, retry=modelwire.Retry(first_wait=0.5)))
    assert time.monotonic() - before >= 0.5


def test_the_longest_wait_before_a_retry(scripted):
    policy = modelwire.Retry(max_retries=8, first_wait=0.1, wait_max=0.2)
    before = time.monotonic()
    asked(scripted(*[BUSY] * 8, ANSWER, retry=policy))
    assert time.monotonic() - before < 15  # clock: 20 s and more if the waits doubled on


def test_limits_under_httpxs_names():
    limits = modelwire.Limits(
        max_connections=7, max_keepalive_connections=3, keepalive_expiry=1.5, headers_max=9
    )
    ours = modelwire.Limits(
        connections_max=7, idle_connections_max=3, idle_connection_ms_max=1500, headers_max=9
    )
    assert limits == ours
    httpx = pytest.importorskip("httpx")
    for given, expected in (
        (httpx.Limits(max_connections=7), {"connections_max": 7}),
        (httpx.Limits(keepalive_expiry=2), {"idle_connection_ms_max": 2000}),
        (httpx.Limits(), {}),
    ):
        assert modelwire._options.bounds(given) == expected
        modelwire.Client(base_url=URL, api_key=KEY, limits=given).close()
    assert modelwire.Limits(max_connections=None) == modelwire.Limits()
    with pytest.raises(TypeError, match="connections_max and max_connections are the same limit"):
        modelwire.Limits(connections_max=1, max_connections=1)
    with pytest.raises(TypeError, match=r"limits takes modelwire\.Limits"):
        modelwire.Client(base_url=URL, api_key=KEY, limits={"max_connections": 1})


def test_options_say_what_was_set():
    limits = modelwire.Limits(headers_max=5)
    assert repr(limits) == "Limits(headers_max=5)" and limits == modelwire.Limits(headers_max=5)
    assert modelwire.Timeout(idle=1) != modelwire.Timeout(idle=2)
    assert pathlib.Path(modelwire.__file__).exists()


def test_calls_of_the_module(service, monkeypatch):
    """As with openai's module: settings are its variables."""
    monkeypatch.setattr(modelwire, "base_url", service.base_url, raising=False)
    monkeypatch.setattr(modelwire, "api_key", KEY, raising=False)
    answered = asked(modelwire, model="echo")
    assert answered.choices[0].message.content == HELLO[0]["content"]
    assert modelwire.responses.create(model="echo", input="x").output_text == "x"
    assert len(modelwire.models.list()) > 1
    monkeypatch.setattr(modelwire, "api_key", "sk-wrong")
    with pytest.raises(modelwire.AuthenticationError):
        modelwire.models.list()
    with pytest.raises(AttributeError, match="nonsense"):
        modelwire.nonsense
    assert modelwire.types.chat.ChatCompletion is type(answered)


def test_a_client_of_several_services(service, connect):
    """A refusal moves on to the next, with its own key and name of the model."""
    busy, well = (service.script(name, [one]) for name, one in (("b", BUSY), ("w", ANSWER)))
    other = {"url": well, "api_key": "sk-other-test", "weight": 2, "models": {"m": "other"}}
    with connect(api_key=KEY, base_urls=[busy, other]) as client:
        record = asked(client).timing
        assert [attempt.base_url for attempt in record.attempts] == [busy, well]
        assert str(client.base_url).rstrip("/") == busy
        alone = client.copy(base_url=well)
        assert asked(alone).timing.attempts[0].base_url is None
        assert client.usage()["m"]["calls"] == 2
    [first, second] = service.requests("w")
    assert headers(first)["authorization"] == "Bearer sk-other-test"
    assert [json.loads(one["body"])["model"] for one in (first, second)] == ["other", "m"]
    for wrong, message in [
        ({"base_urls": ["x"]}, r"base_urls\[0\]: base_url is not a URL"),
        ({"base_urls": URL}, "base_urls takes an array"),
        ({"base_urls": [URL], "base_url": URL}, "both base_url and base_urls"),
        ({"balance": True, "base_url": URL}, "balance needs base_urls"),
        ({"base_urls": [{"uri": URL}]}, 'did you mean "url"'),
    ]:
        with pytest.raises(modelwire.OpenAIError, match=message):
            modelwire.Client(api_key=KEY, **wrong)


def test_a_function_runs_before_each_attempt(scripted):
    """It sees what is sent, adds headers, and its exception refuses the attempt."""
    seen = []

    def sign(attempt):
        seen.append((attempt.operation, attempt.number, json.loads(attempt.body)["messages"]))
        assert attempt.url.endswith("/chat/completions")
        attempt.set_header("x-signed", f"{attempt.number}")
        with pytest.raises(modelwire.OpenAIError, match="not a header name"):
            attempt.set_header("a b", "c")

    retry = modelwire.Retry(first_wait=0.001)
    client = scripted(BUSY, ANSWER, before_attempt=sign, retry=retry)
    asked(client)
    assert seen == [("chat", 1, HELLO), ("chat", 2, HELLO)]
    assert [headers(one)["x-signed"] for one in scripted.requests()] == ["1", "2"]

    def refuse(attempt):
        raise ValueError(f"not on Sundays: {attempt!r}")

    client = scripted(ANSWER, before_attempt=refuse)
    message = r"refused the attempt: ValueError: not on Sundays: BeforeAttempt\(operation='chat', "
    with pytest.raises(modelwire.OpenAIError, match=message) as raised:
        asked(client)
    assert (raised.value.kind, raised.value.metered) == ("callback", "not_sent")


def test_what_is_no_function_before_an_attempt_is_refused():
    async def never(attempt): ...

    for wrong in (7, never):
        with pytest.raises(TypeError, match="before_attempt takes a"):
            modelwire.Client(base_url=URL, api_key=KEY, before_attempt=wrong)


def test_a_client_in_its_own_function_is_collected():
    class Holder:
        def __init__(self):
            settings = {"base_url": URL, "api_key": KEY, "before_attempt": self.before}
            self.client = modelwire.Client(**settings)

        def before(self, attempt): ...

    known = weakref.ref(Holder())
    gc.collect()
    assert known() is None
