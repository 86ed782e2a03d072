"""Calls by path: get, post and the other methods of a client."""

import json

import httpx
import pydantic
import pytest

import modelwire
from callers import headers
from wire import HELLO, answer, events, finish, piece

CHAT = {
    "id": "c",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hi."}}
    ],
    "timings": {"a": 1},
}
MODELS = {"object": "list", "data": [{"id": "a", "object": "model"}]}
BODY = {"model": "m", "messages": HELLO, "top_k": 7}


class Mine(pydantic.BaseModel):
    id: str
    timings: dict[str, int]


def post(client, cast_to=modelwire.types.chat.ChatCompletion, body=BODY, **given):
    return client.post("/chat/completions", cast_to=cast_to, body=body, **given)


def test_a_path_is_the_operation(scripted):
    """The same request as of the operation, with or without slashes around the path."""
    client = scripted(answer(CHAT))
    for path in ("/chat/completions", "chat/completions", "/chat/completions/"):
        found = client.post(path, cast_to=modelwire.types.chat.ChatCompletion, body=BODY)
        assert found.choices[0].message.content == "Hi." and found.timings.a == 1
    client.chat.completions.create(model="m", messages=HELLO, extra_body={"top_k": 7})
    sent = scripted.requests()
    assert len({(one["method"], one["target"]) for one in sent}) == 1
    assert [json.loads(one["body"]) for one in sent] == [BODY] * 4
    assert client.usage()["m"]["calls"] == 4


def test_responses_and_models(scripted):
    client = scripted(answer({"id": "r", "object": "response", "output": []}), answer(MODELS))
    kind = modelwire.types.responses.Response
    found = client.post("/responses", cast_to=kind, body={"model": "m", "input": "x"})
    assert type(found) is kind and found.id == "r"
    page = client.get("/models", cast_to=modelwire.pagination.SyncPage[modelwire.types.Model])
    assert [model.id for model in page] == ["a"]
    assert scripted.requests()[1]["method"] == "GET"


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (dict, CHAT),
        (dict[str, object], CHAT),
        (object, CHAT),
        (str, json.dumps(CHAT)),
        (bytes, json.dumps(CHAT).encode()),
        (type(None), None),
        (Mine, Mine(id="c", timings={"a": 1})),
        (modelwire.types.chat.ChatCompletion, modelwire.types.chat.ChatCompletion(**CHAT)),
    ],
    ids=str,
)
def test_an_answer_is_of_the_asked_type(scripted, kind, expected):
    assert post(scripted(answer(CHAT)), kind) == expected


@pytest.mark.parametrize("kind", [httpx.Response, modelwire._answers.http.Response])
def test_an_answer_as_an_http_response(scripted, kind):
    """Status, headers and the text, in an object with httpx's names."""
    found = post(scripted(answer(CHAT, x_request_id="r1")), kind)
    assert (found.status_code, found.json()) == (200, CHAT)
    assert found.headers["x-request-id"] == "r1"


def test_an_answer_that_does_not_match(scripted):
    """An error with the answer, which was paid for."""
    with pytest.raises(modelwire.AnswerValidationError) as raised:
        post(scripted(answer({**CHAT, "timings": 7})), Mine)
    assert raised.value.completion.id == "c" and "Mine" in str(raised.value)


def test_a_stream(scripted):
    """With stream=True; the body need not say it. A stream asked for by the body alone is gathered,
    for the answer is asked for as a whole."""
    client = scripted(events(piece("a"), piece("b"), finish()))
    kind = modelwire.AsyncStream if scripted.connect is not modelwire.Client else modelwire.Stream
    for stream_cls in (kind[modelwire.types.chat.ChatCompletionChunk], kind, None):
        chunks = post(client, body=BODY, stream=True, stream_cls=stream_cls)
        assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == "ab"
    whole = post(client, body={**BODY, "stream": True})
    assert whole.choices[0].message.content == "ab"
    assert all(json.loads(one["body"])["stream"] is True for one in scripted.requests())
    with pytest.raises(TypeError, match="stream_cls takes"):
        post(client, stream=True, stream_cls=dict)


def test_options(scripted):
    """Of make_request_options, and of the client's own; extra fields win."""
    busy = answer({"error": {"message": "slow down"}}, 429)
    retry = modelwire.Retry(max_retries=0, first_wait=0.001)
    client = scripted(busy, answer(CHAT), retry=retry, default_headers={"X-A": "a", "X-B": "b"})
    options = {
        "headers": {"X-A": "own", "X-B": modelwire.omit},
        "params": {"q": "1"},
        "extra_json": {"top_k": 8},
        "timeout": 7,
        "max_retries": 1,
    }
    assert post(client, options=options).id == "c"
    sent = scripted.requests()
    assert len(sent) == 2 and sent[1]["target"].endswith("/chat/completions?q=1")
    assert headers(sent[1])["x-a"] == "own" and "x-b" not in headers(sent[1])
    assert json.loads(sent[1]["body"])["top_k"] == 8
    for name in ("nonsense", "idempotency_key"):
        with pytest.raises(TypeError, match=f"options takes headers, .*, not {name}"):
            post(client, options={name: "x"})


def test_the_security_option(scripted):
    """A key as bearer is how each call is authenticated; nothing else is."""
    client = scripted(answer(CHAT))
    for security in ({"bearer_auth": True}, {}, None):
        assert post(client, options={"security": security}).id == "c"
    for security in ({"admin_api_key_auth": True}, {"bearer_auth": False}):
        with pytest.raises(TypeError, match="security takes bearer_auth=True alone"):
            post(client, options={"security": security})


def test_a_raw_answer(scripted):
    """By openai-python's header, which is not sent: litellm asks so."""
    client = scripted(answer(CHAT, x_request_id="r1"))
    headers_of_it = {"x-stainless-raw-response": "true", "X-A": "a"}
    found = post(client, options={"headers": headers_of_it})
    assert repr(found) == "<LegacyAPIResponse [200]>"
    assert found.headers["x-request-id"] == "r1" and found.json() == CHAT
    assert found.parse().id == "c"
    found = post(client, Mine, options={"headers": headers_of_it})
    assert found.parse() == Mine(id="c", timings={"a": 1}) == found.parse()
    sent = headers(scripted.requests()[0])
    assert "x-stainless-raw-response" not in sent and sent["x-a"] == "a"
    for value in ("stream", modelwire.omit):
        with pytest.raises(TypeError, match="X-Stainless-Raw-Response takes true"):
            post(client, options={"headers": {"X-Stainless-Raw-Response": value}})


def test_a_raw_stream(scripted):
    client = scripted(events(piece("a"), piece("b"), finish()))
    options = {"headers": {"X-Stainless-Raw-Response": "true"}}
    found = post(client, stream=True, options=options)
    assert found.status_code == 200
    assert "".join(one.choices[0].delta.content or "" for one in found.parse()) == "ab"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("get", "/files"),
        ("get", "/models/m"),
        ("get", "/chat/completions"),
        ("post", "/embeddings"),
        ("post", "/models"),
    ],
)
def test_other_paths_are_refused(scripted, method, path):
    """Named, with the three that there are; nothing is sent."""
    client = scripted(answer(CHAT))
    with pytest.raises(modelwire.OpenAIError, match=f"operation {method.upper()} {path}") as raised:
        getattr(client, method)(path, cast_to=object)
    for operation in ("GET /models", "POST /chat/completions", "POST /responses"):
        assert operation in raised.value.hint
    assert scripted.requests() == []


@pytest.mark.parametrize("method", ["put", "patch", "delete"])
def test_other_methods_are_refused(scripted, method):
    client = scripted(answer(CHAT))
    with pytest.raises(
        modelwire.OpenAIError, match=f"no operation for .*OpenAI.{method}"
    ) as raised:
        getattr(client, method)("/responses", cast_to=object)
    for operation in ("models.list", "chat.completions.create", "responses.create"):
        assert operation in raised.value.hint
    assert scripted.requests() == []


@pytest.mark.parametrize(
    ("use", "said"),
    [
        (lambda client: post(client, body=[1]), "body takes the fields"),
        (lambda client: post(client, body=None, content=b"{}"), "as body"),
        (lambda client: post(client, files={"a": b""}), "as body"),
        (lambda client: client.get("/models", cast_to=dict, stream=True), "does not stream"),
        (
            lambda client: client.get("/models", cast_to=dict, options={"extra_json": {"a": 1}}),
            "without a body",
        ),
    ],
)
def test_what_cannot_be_sent_is_a_type_error(scripted, use, said):
    with pytest.raises(TypeError, match=said):
        use(scripted(answer(CHAT)))


def test_fields_are_checked_as_of_the_operation(scripted):
    client = scripted(answer(CHAT))
    with pytest.raises(modelwire.RequestError, match="messages"):
        post(client, body={"model": "m"})
    assert scripted.requests() == []


def test_headers_of_the_client(scripted):
    """The header with the key, and how the library calls itself."""
    client = scripted(answer(CHAT), api_key="sk-own")
    post(client)
    sent = headers(scripted.requests()[0])
    assert client.auth_headers == {"Authorization": "Bearer sk-own"}
    assert sent["authorization"] == "Bearer sk-own" and sent["user-agent"] == client.user_agent
