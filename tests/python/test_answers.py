"""The three operations, answered whole: what goes over the wire and what comes back."""

import json
import time

import pytest

import modelwire
from callers import asked, headers
from wire import HELLO, NO_PARTS, TRUST_TIME, answer, chat, events, finish, piece

MODELS = ["echo", "echo-stream-only", "echo-reasoning", "echo-tools", "limited", "recovers"]
TEXT = HELLO[0]["content"]


def test_list_models(service, client):
    """A GET without a body or its type; the list is iterable."""
    models = client.models.list()
    assert [model.id for model in models][: len(MODELS)] == MODELS
    assert [model.id for model in models.data] == [model.id for model in models]
    assert len(models) == len(models.data) and models[0].id == "echo"
    assert models.object == "list"
    assert models[0].owned_by == "modelwire-service" and models[0].created == 1_700_000_000

    [request] = service.requests()
    assert (request["method"], request["target"], request["body"]) == ("GET", "/v1/models", "")
    assert headers(request)["authorization"] == "Bearer sk-test"
    assert "content-type" not in headers(request)


@pytest.mark.parametrize(
    ("body", "ids"),
    [
        ([{"id": "a", "new": {"deep": 1}}, {"id": "b"}], ["a", "b"]),
        ({"data": [{"id": "a", "new": {"deep": 1}}], "object": "list"}, ["a"]),
        ({"data": []}, []),
        ([], []),
    ],
)
def test_list_models_in_both_forms(scripted, body, ids):
    """An object with `data` or a top-level array; unknown fields are kept."""
    models = scripted(answer(body)).models.list()
    assert [model.id for model in models] == ids
    assert all(model.new.deep == 1 for model in models.data[:1])


def test_models_are_named_wherever_their_name_is(scripted):
    """By `identifier`, `name` or `model`, or by themselves; what has a name of these is kept."""
    body = [{"identifier": "a"}, {"id": None, "name": "b"}, {"model": "c"}, "d", 7, {"id": 8}]
    models = scripted(answer(body)).models.list()
    assert [model.id for model in models] == ["a", "b", "c", "d", "7", "8"]
    assert models[0].identifier == "a" and models[1].model_dump()["id"] == "b"


@pytest.mark.parametrize("body", [{}, {"models": []}, {"data": None}, "null", '"text"', "7"])
def test_an_invalid_model_list_is_an_error(scripted, body):
    """Never an empty list."""
    with pytest.raises(modelwire.APIResponseValidationError, match="no model list"):
        scripted(answer(body)).models.list()


def test_chat(service, client):
    """The request as it was asked for, the answer typed."""
    completion = client.chat.completions.create(model="echo", messages=HELLO, max_tokens=40)
    [choice] = completion.choices
    assert (choice.index, choice.finish_reason) == (0, "stop")
    assert (choice.message.role, choice.message.content) == ("assistant", TEXT)
    assert (completion.object, completion.model) == ("chat.completion", "echo")
    assert completion.usage.prompt_tokens == completion.usage.completion_tokens == 4
    assert completion.usage.total_tokens == 8
    assert completion._request_id.startswith("req")

    [request] = service.requests()
    assert (request["method"], request["target"]) == ("POST", "/v1/chat/completions")
    assert headers(request)["authorization"] == "Bearer sk-test"
    assert headers(request)["content-type"] == "application/json"
    assert json.loads(request["body"]) == {"model": "echo", "messages": HELLO, "max_tokens": 40}


def test_chat_cut_short(client):
    """max_tokens reaches the service."""
    completion = asked(client, model="echo", max_tokens=2)
    [choice] = completion.choices
    assert (choice.message.content, choice.finish_reason) == ("Hello there,", "length")


def test_chat_of_several_choices(client):
    """`n` passes through, and all its choices come back."""
    completion = asked(client, model="echo", n=3)
    assert [choice.index for choice in completion.choices] == [0, 1, 2]
    assert {choice.message.content for choice in completion.choices} == {TEXT}


def test_chat_with_tools(client):
    """Tool calls have their fields."""
    completion = client.chat.completions.create(model="echo-tools", messages=HELLO)
    [call] = completion.choices[0].message.tool_calls
    assert (call.type, call.function.name) == ("function", "echo")
    assert json.loads(call.function.arguments) == {"text": TEXT}
    assert completion.choices[0].message.content is None


def test_response(service, client):
    """A plain string is enough; output_text is all of its text."""
    response = client.responses.create(model="echo", input=TEXT, max_output_tokens=40)
    assert (response.object, response.status, response.output_text) == (
        "response",
        "completed",
        TEXT,
    )
    assert response.output[0].content[0].text == TEXT
    assert (response.usage.input_tokens, response.usage.output_tokens) == (4, 4)
    assert response.error is None and response.incomplete_details is None

    [request] = service.requests()
    assert (request["method"], request["target"]) == ("POST", "/v1/responses")
    body = {"model": "echo", "input": TEXT, "max_output_tokens": 40}
    assert json.loads(request["body"]) == body


def test_response_of_items_cut_short(client):
    """Input may be a list; an incomplete response is an answer that says why."""
    response = client.responses.create(model="echo", input=HELLO, max_output_tokens=2)
    assert (response.status, response.output_text) == ("incomplete", "Hello there,")
    assert response.incomplete_details.reason == "max_output_tokens"


@pytest.mark.parametrize("output", [None, [], [{"type": "reasoning", "summary": []}]])
def test_response_without_text(scripted, output):
    """No output, no text; no error either."""
    response = scripted(answer({"object": "response", "output": output})).responses.create(
        model="m", input="x"
    )
    assert response.output_text == ""


def test_iterables_are_consumed(service, client):
    """Messages and input may be any iterable."""
    client.chat.completions.create(model="echo", messages=iter(HELLO))
    client.responses.create(model="echo", input=(item for item in HELLO))
    chat, response = (json.loads(request["body"]) for request in service.requests())
    assert chat["messages"] == response["input"] == HELLO


def test_usage_is_summed_by_model_as_the_service_meters_it(service, client):
    """Plain and streamed calls count alike; failed ones do not."""
    assert client.usage() == {}
    client.models.list()
    asked(client, model="echo")
    streamed = {"model": "echo", "messages": HELLO, "stream": True}
    list(client.chat.completions.create(**streamed, stream_options={"include_usage": True}))
    client.responses.create(model="echo", input=TEXT)
    list(client.responses.create(model="echo-stream-only", input="one two", stream=True))
    with pytest.raises(modelwire.NotFoundError):
        client.responses.create(model="no-such-model", input=TEXT)
    usage = client.usage()
    assert usage["echo"] == {
        "calls": 3,
        "calls_without_usage": 0,
        "input_tokens": 12,
        "output_tokens": 12,
        "total_tokens": 24,
        **NO_PARTS,
    }
    assert usage["echo-stream-only"]["total_tokens"] == 4
    for sums in usage.values():
        assert sums.pop("total_tokens") == sums["input_tokens"] + sums["output_tokens"]
        assert sums.pop("calls_without_usage") == 0
        assert {name: sums.pop(name) for name in NO_PARTS} == NO_PARTS
    assert usage == service.state()["metered"]


def test_calls_that_reported_no_usage_are_counted_apart(service, client):
    """A call that reported nothing is not a call that used nothing."""
    asked(client, model="echo")
    list(asked(client, model="echo", stream=True))
    list(client.responses.create(model="echo", input=TEXT, stream=True))
    client.models.list()
    used = client.usage()["echo"]
    assert (used["calls"], used["calls_without_usage"], used["total_tokens"]) == (3, 1, 16)
    assert service.state()["metered"]["echo"]["calls"] == 3


def test_connections_are_used_again(service, client):
    """Plain calls one after another need one connection."""
    for _ in range(5):
        asked(client, model="echo")
        # clock: nothing tells that a connection is back
        time.sleep(TRUST_TIME)
    assert len({request["connection"] for request in service.requests()}) == 1


def test_a_stream_that_answers_a_plain_call_is_gathered(scripted):
    """Nothing that was paid for is lost."""
    client = scripted(events(piece("a"), piece("b"), finish()))
    chat = asked(client)
    assert chat.choices[0].message.content == "ab" and chat.choices[0].finish_reason == "stop"
    assert chat.object == "chat.completion"


def test_a_document_that_answers_a_streamed_call_is_a_finished_stream(scripted):
    """One chunk, its message as the delta."""
    message = {"role": "assistant", "content": "whole"}
    [chunk] = scripted(chat(message)).chat.completions.create(
        model="m", messages=HELLO, stream=True
    )
    assert chunk.choices[0].delta.content == "whole"
    assert chunk.choices[0].finish_reason == "stop"


def test_a_model_that_only_streams(service):
    """One option of the client."""
    client = modelwire.Client(base_url=service.base_url, api_key="sk-test", stream_only=True)
    answer = client.chat.completions.create(model="echo-stream-only", messages=HELLO)
    assert answer.choices[0].message.content == TEXT
    assert answer.usage is None  # nothing is asked for behind the caller's back
    asked = {"include_usage": True}
    answer = client.chat.completions.create(
        model="echo-stream-only", messages=HELLO, stream_options=asked
    )
    assert answer.choices[0].message.content == TEXT and answer.usage.total_tokens == 8
    answer = client.responses.create(model="echo-stream-only", input=TEXT)
    assert answer.output_text == TEXT


def test_what_was_gathered_before_a_cut_is_not_lost(scripted):
    """It is on the exception."""
    client = scripted(events(piece("a"), piece("b"), end="cut"))
    with pytest.raises(modelwire.APIConnectionError) as raised:
        asked(client)
    assert json.loads(raised.value.partial)["choices"][0]["message"]["content"] == "ab"
    assert raised.value.metered == "entered"


def test_a_model_is_whatever_the_service_calls_it(scripted):
    """No name is known, none is refused."""
    client = scripted(chat({"role": "assistant", "content": "x"}))
    for name in ["vendor/näme with spaces:1.0", "0"]:
        client.chat.completions.create(model=name, messages=HELLO)
    sent = [json.loads(request["body"])["model"] for request in scripted.requests()]
    assert sent == ["vendor/näme with spaces:1.0", "0"]
