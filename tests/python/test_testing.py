"""modelwire.testing: what users test their own programs with, through modelwire, through the
standard library, and as a process."""

import asyncio
import http.client
import inspect
import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import modelwire
import programs
from conftest import together
from modelwire import testing
from modelwire.testing import Service, document, error, events, garbage, played, raw, text
from wire import TRUST_TIME

DEADLINE = 60.0
HELLO = [{"role": "user", "content": "Say hello."}]


@pytest.fixture
def client(modelwire_service):
    service = modelwire_service
    with modelwire.Client(base_url=service.base_url, api_key=service.api_key) as client:
        yield client


def post(service, path="/chat/completions", body=None, key=None, **more):
    """A request by urllib; returns the status, the headers and the body."""
    if body is None:
        body = {"model": "echo", "messages": HELLO}
    request = urllib.request.Request(
        service.base_url + path,
        data=json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {key or service.api_key}", **more},
    )
    try:
        answer = urllib.request.urlopen(request, timeout=DEADLINE)
    except urllib.error.HTTPError as refused:
        answer = refused
    with answer:
        return answer.status, answer.headers, answer.read()


def address(service):
    parts = urlsplit(service.base_url)
    return parts.hostname, parts.port


def chat(client, **more):
    return client.chat.completions.create(model="a-model", messages=HELLO, **more)


def contents(chunks):
    return [chunk.choices[0].delta.content for chunk in chunks if chunk.choices]


# What is played without a script.


def test_the_service_answers_without_a_script(modelwire_service, client):
    """Models, chats and responses, without a word of script."""
    assert "echo" in [model.id for model in client.models.list()]
    completion = client.chat.completions.create(model="echo", messages=HELLO)
    assert completion.choices[0].message.content == "Say hello."
    assert client.responses.create(model="echo", input="Hi you").output_text == "Hi you"
    with pytest.raises(modelwire.NotFoundError):
        chat(client)
    with pytest.raises(modelwire.InternalServerError):
        client.chat.completions.create(model="broken", messages=HELLO)
    assert modelwire_service.metered["echo"] == {
        "calls": 2,
        "input_tokens": 4,
        "output_tokens": 4,
    }


def test_only_the_right_key_is_accepted():
    """The key can be chosen; who comes with another takes no answer from the queue."""
    with Service(api_key="sk-mine") as service:
        service.queue("Hello.")
        status, _, body = post(service, key="sk-test")
        assert (status, json.loads(body)["error"]["code"]) == (401, "invalid_api_key")
        assert service.waiting == 1
        assert post(service)[0] == 200
        service.assert_all_taken()


def test_the_settings_of_the_played_service():
    """Pace and rate limit."""
    with Service(word_pause=0.05, rate_limit_calls=1, rate_limit_window=60) as service:
        since = time.monotonic()
        messages = [{"role": "user", "content": "a b c"}]
        body = {"model": "echo", "messages": messages, "stream": True}
        assert post(service, body=body)[0] == 200
        assert time.monotonic() - since >= 0.1
        limited = {"model": "limited", "messages": HELLO}
        assert [post(service, body=limited)[0] for _ in range(3)] == [200, 429, 429]


# Scripted answers.


@pytest.mark.parametrize("stream", [False, True])
def test_text_is_a_chat_and_a_response(modelwire_service, client, stream):
    """One script serves both operations, plain and streamed, whatever the model is called."""
    modelwire_service.queue("Hello there, friend.", "Hello there, friend.")
    if stream:
        assert contents(chat(client, stream=True)) == ["", "Hello ", "there, ", "friend.", None]
        deltas = client.responses.create(model="any", input="x", stream=True)
        deltas = [event.delta for event in deltas if event.type == "response.output_text.delta"]
        assert deltas == ["Hello ", "there, ", "friend."]
    else:
        completion = chat(client)
        assert completion.choices[0].message.content == "Hello there, friend."
        assert (completion.model, completion.usage.completion_tokens) == ("a-model", 3)
        response = client.responses.create(model="any", input="x")
        assert response.output_text == "Hello there, friend."
    modelwire_service.assert_all_taken()


@pytest.mark.parametrize("pieces", [["Hel", "lo", " y", "ou"], ["all at once"], [" ", "", "ü\n"]])
def test_pieces_are_streamed_as_they_are(modelwire_service, client, pieces):
    """A list is one answer in exactly these pieces."""
    modelwire_service.set_default(pieces)
    assert contents(chat(client, stream=True)) == ["", *pieces, None]
    assert chat(client).choices[0].message.content == "".join(pieces)


@pytest.mark.parametrize("said", ["", " ", "a", " a  b ", "a\nb\tc", "no\u00a0break é\U0001f600"])
def test_a_string_is_streamed_by_words_and_loses_nothing(modelwire_service, client, said):
    """Whatever white space there is."""
    modelwire_service.queue(said, said)
    assert "".join(filter(None, contents(chat(client, stream=True)))) == said
    assert chat(client).choices[0].message.content == said


def test_text_says_all_that_a_model_can_say(modelwire_service, client):
    """Tool calls, reasoning, the reason to stop, usage."""
    calls = [("look_up", {"city": "Oslo"}), ("rest", "{broken")]
    answer = text("Let me see.", reasoning="Hm, Oslo.", tool_calls=calls, usage=(5, 8))
    modelwire_service.queue(answer, answer, text(["cut sh"], finish_reason="length"))
    completion = chat(client)
    message = completion.choices[0].message
    assert completion.choices[0].finish_reason == "tool_calls"
    assert message.reasoning_content == "Hm, Oslo."
    functions = [(call.function.name, call.function.arguments) for call in message.tool_calls]
    assert functions == [("look_up", '{"city":"Oslo"}'), ("rest", "{broken")]
    assert (completion.usage.prompt_tokens, completion.usage.completion_tokens) == (5, 8)
    output = client.responses.create(model="any", input="x").output
    assert [item.type for item in output] == ["message", "function_call", "function_call"]
    assert json.loads(output[1].arguments) == {"city": "Oslo"}
    response = client.responses.create(model="any", input="x")
    assert (response.status, response.incomplete_details.reason) == (
        "incomplete",
        "max_output_tokens",
    )


def test_a_dict_is_sent_as_it_is(modelwire_service, client):
    """A chat, a response, a list of models: whatever a real service sent once."""
    completion = {"id": "c", "object": "chat.completion", "choices": [{}], "extra": {"é": [1.5]}}
    models = {"object": "list", "data": [{"id": "mine", "object": "model"}]}
    response = {"id": "r", "object": "response", "output": [], "status": "completed"}
    modelwire_service.queue(completion, models, response)
    assert chat(client).to_dict() == completion
    assert [model.id for model in client.models.list()] == ["mine"]
    assert client.responses.create(model="any", input="x").to_dict() == response


def test_a_document_has_a_status_and_headers(modelwire_service):
    """JSON, text and bytes; a content type of its own."""
    modelwire_service.queue(
        document([1, 2], status=202, headers={"X-Request-Id": "mine", "X-Other": "é"}),
        document("<html>", status=502, headers={"content-type": "text/html"}),
        document(b"\xff\x00"),
    )
    status, headers, body = post(modelwire_service)
    assert (status, headers.get_all("x-request-id"), body) == (202, ["mine"], b"[1,2]")
    status, headers, body = post(modelwire_service)
    assert (status, headers.get_all("content-type"), body) == (502, ["text/html"], b"<html>")
    assert post(modelwire_service)[2] == b"\xff\x00"


def test_events_are_sent_as_they_are(modelwire_service, client):
    """Dicts and strings; chats end with the end mark, events of responses have names."""
    chunk = {"choices": [{"index": 0, "delta": {"content": "x"}, "finish_reason": "stop"}]}
    modelwire_service.queue([chunk], events([chunk], done=False), events(["{}", "anything"]))
    assert contents(chat(client, stream=True)) == ["x"]
    assert post(modelwire_service)[2] == f"data: {compact(chunk)}\n\n".encode()
    assert post(modelwire_service)[2] == b"data: {}\n\ndata: anything\n\n"
    event = {"type": "response.completed", "response": {"status": "completed"}}
    modelwire_service.queue([event])
    expected = f"event: response.completed\ndata: {compact(event)}\n\n"
    assert post(modelwire_service, "/responses")[2] == expected.encode()


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def test_what_was_answered_once_can_be_scripted(modelwire_service, client):
    """Answer objects and chunks put back into the queue come again."""
    completion = client.chat.completions.create(model="echo", messages=HELLO)
    chunks = list(client.chat.completions.create(model="echo", messages=HELLO, stream=True))
    modelwire_service.queue(completion, chunks)
    assert chat(client) == completion
    assert list(chat(client, stream=True)) == chunks


def test_the_queue_wins_over_the_default_and_that_over_the_model(modelwire_service, client):
    """In this order; reset forgets all of it."""
    modelwire_service.set_default("default")
    modelwire_service.queue("first", played())
    modelwire_service.queue("third")
    echo = [{"role": "user", "content": "second"}]
    said = [
        client.chat.completions.create(model="echo", messages=echo).choices[0].message.content
        for _ in range(5)
    ]
    assert said == ["first", "second", "third", "default", "default"]
    modelwire_service.set_default(None)
    assert client.models.list().object == "list"
    modelwire_service.set_default("again")
    modelwire_service.queue("never")
    with pytest.raises(AssertionError, match="1 of the queued answers were not used; 6 requests"):
        modelwire_service.assert_all_taken()
    modelwire_service.reset()
    assert (modelwire_service.requests, modelwire_service.waiting) == ([], 0)
    assert client.responses.create(model="echo", input="played").output_text == "played"


# Faults.


def test_rate_limited_twice_then_successful(modelwire_service, client):
    """The client tries again, with the same bytes, and not before the service wants it."""
    modelwire_service.queue(*[error(429, retry_after=1)] * 2, "Fine.")
    assert chat(client).choices[0].message.content == "Fine."
    first, second, third = modelwire_service.requests
    assert first.content == second.content == third.content
    assert second.at - first.at >= 1 and third.at - second.at >= 1


@pytest.mark.parametrize(
    ("status", "exception"),
    [
        (400, modelwire.BadRequestError),
        (401, modelwire.AuthenticationError),
        (403, modelwire.PermissionDeniedError),
        (404, modelwire.NotFoundError),
        (422, modelwire.UnprocessableEntityError),
        (500, modelwire.InternalServerError),
        (503, modelwire.InternalServerError),
    ],
)
def test_a_status_is_an_error(modelwire_service, client, status, exception):
    """The number alone is enough."""
    modelwire_service.queue(status)
    with pytest.raises(exception, match=f"A scripted error {status}") as raised:
        chat(client)
    assert raised.value.status_code == status


def test_a_scripted_error_has_every_given_field(modelwire_service):
    """Every field of the envelope, and headers."""
    headers = {"X-Limit": "0"}
    modelwire_service.queue(
        error(429, "no", type="t", code="c", param="p", retry_after=0.5, headers=headers)
    )
    status, headers, body = post(modelwire_service)
    assert (status, headers["Retry-After"], headers["X-Limit"]) == (429, "0.5", "0")
    assert json.loads(body) == {"error": {"message": "no", "type": "t", "param": "p", "code": "c"}}


@pytest.mark.parametrize("stream", [False, True])
def test_a_stall_runs_into_timeouts(modelwire_service, stream):
    """Before the head and in the middle, with and without an end."""
    timeout = modelwire.Timeout(first_byte=0.2, idle=0.2)
    settings = {"base_url": modelwire_service.base_url, "api_key": "sk-test"}
    with modelwire.Client(timeout=timeout, **settings) as client:
        for answer in (
            text("a b c").stall(),
            text("a b c").stall(after=2),
            text("a b c").stall(60, after=2),
        ):
            modelwire_service.queue(answer)
            with pytest.raises(modelwire.APITimeoutError):
                list(chat(client, stream=True)) if stream else chat(client)


def test_a_short_stall_loses_nothing(modelwire_service, client):
    """The answer goes on where it was."""
    since = time.monotonic()
    answer = text("a b c").stall(0.1).stall(0.1, after=2)
    modelwire_service.queue(answer, answer)
    assert contents(chat(client, stream=True)) == ["", "a ", "b ", "c", None]
    assert chat(client).choices[0].message.content == "a b c"
    assert time.monotonic() - since >= 0.4


def test_a_slow_stream_arrives_bit_by_bit(modelwire_service, client):
    """The wait is between the events: the first is there long before the last."""
    modelwire_service.queue(text("a b c d e").slow(0.05), text("a b c d e").slow(600))
    since = time.monotonic()
    assert len(contents(chat(client, stream=True))) == 7
    assert time.monotonic() - since >= 0.05 * 6
    with chat(client, stream=True) as begun:
        assert next(begun).choices[0].delta.role == "assistant"


@pytest.mark.parametrize("reset", [False, True])
def test_a_cut_is_never_a_whole_answer(modelwire_service, client, reset):
    """After events and after bytes, plain and streamed, chats and responses, played ones, too."""
    answers = [text("a b c").cut(after=count, reset=reset) for count in (0, 1, 3, 100)]
    answers += [text("a b c").cut(after_bytes=count, reset=reset) for count in (0, 1, 300)]
    answers += [text("a b c").cut(reset=reset)]
    for answer in answers:
        modelwire_service.queue(answer, answer, answer)
        with pytest.raises(modelwire.APIConnectionError):
            chat(client)
        with pytest.raises(modelwire.APIConnectionError):
            list(chat(client, stream=True))
        with pytest.raises(modelwire.APIConnectionError):
            list(client.responses.create(model="any", input="x", stream=True))
    modelwire_service.queue(played().cut(after=2))
    seen = []
    with pytest.raises(modelwire.APIConnectionError):
        for chunk in client.chat.completions.create(model="echo", messages=HELLO, stream=True):
            seen.append(chunk.choices[0].delta.content)
    assert seen == ["", "Say "]


@pytest.mark.parametrize(
    "answer",
    [garbage(), document("<html>", headers={"Content-Type": "text/html"}), raw(b"HTTP? No.\r\n")],
    ids=repr,
)
def test_garbage_is_a_validation_error(modelwire_service, client, answer):
    """Not JSON, not events, not HTTP."""
    modelwire_service.set_default(answer)
    with pytest.raises(modelwire.APIResponseValidationError):
        chat(client)
    with pytest.raises(modelwire.APIResponseValidationError):
        list(chat(client, stream=True))


def test_faults_add_up(modelwire_service, client):
    """An answer can be slow and break off, too; the one it was made of stays whole."""
    whole = text("a b c d")
    modelwire_service.queue(whole.stall(0.05).slow(0.05).cut(after=3), whole)
    since = time.monotonic()
    with pytest.raises(modelwire.APIConnectionError):
        list(chat(client, stream=True))
    assert time.monotonic() - since >= 0.15
    assert chat(client).choices[0].message.content == "a b c d"


# What is wrong with a script.


@pytest.mark.parametrize(
    ("make", "exception", "says"),
    [
        (lambda: object(), TypeError, "an answer is a str, .*, not object"),
        (lambda: True, TypeError, "not bool"),
        (lambda: "\ud800", ValueError, "surrogates not allowed"),
        (lambda: error(429, retry_after=-1), ValueError, "retry_after must be a number of sec"),
        (lambda: None, TypeError, "not NoneType"),
        (lambda: 200, ValueError, "from 400 to 599, not 200"),
        (lambda: [], ValueError, "an empty list could be text or events"),
        (lambda: ["a", {"b": 1}], TypeError, r"not dict, str; pass several answers as several arg"),
        (lambda: [text("a"), text("b")], TypeError, "not Answer; pass several answers"),
        (lambda: {"a": {1, 2}}, TypeError, "set is not JSON serializable"),
        (lambda: {"a": float("nan")}, ValueError, "not JSON compliant"),
        (lambda: text(7), TypeError, "pieces must be a string or a list of strings, not int"),
        (lambda: text(["a", 7]), TypeError, r"pieces\[1\] must be a string, not int"),
        (lambda: text(tool_calls=["f"]), TypeError, r"tool_calls\[0\] must be a pair"),
        (lambda: text(finish_reason="tired"), ValueError, "must be stop, length or content_filter"),
        (lambda: text(usage=(1, -1)), ValueError, "usage must be tokens in and tokens out"),
        (lambda: text("a").stall(-1), ValueError, "seconds must be a number of seconds, not -1"),
        (lambda: text("a").stall(after=-1), ValueError, "after must be an integer of at least 0"),
        (lambda: text("a").slow("1"), ValueError, "seconds must be a number of seconds, not '1'"),
        (lambda: text("a").cut(after=1, after_bytes=1), ValueError, "not both"),
        (lambda: document({}, status=99), ValueError, "from 200 to 999, not 99"),
        (lambda: document({}, headers={"a b": "c"}), ValueError, "'a b': 'c' cannot be sent"),
        (lambda: document({}, headers={"a": "b\r\nc: d"}), ValueError, "cannot be sent; use raw"),
        (lambda: document({}, headers={"a": 1}), TypeError, "'a' must be a string with a string"),
        (lambda: document({}, headers={"Content-Length": "1"}), ValueError, "written by the serv"),
        (lambda: events("text"), TypeError, "events must be a list of events"),
        (lambda: events([1]), TypeError, "event 0 must be a dict or a string, not 1"),
        (lambda: raw("text"), TypeError, "raw answers must be bytes, not str"),
        (lambda: error(200), ValueError, "must have an HTTP status from 400 to 599, not 200"),
    ],
)
def test_a_wrong_script_is_refused_where_it_is_written(modelwire_service, make, exception, says):
    """With a message that says what to write instead; nothing of it is queued."""
    with pytest.raises(exception, match=says):
        modelwire_service.queue("fine", make())
    assert modelwire_service.waiting == 0


def test_a_message_says_which_answer_is_wrong(modelwire_service):
    """Of several."""
    with pytest.raises(TypeError, match=r"^answer 2: an answer is"):
        modelwire_service.queue("fine", 500, 1.5)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"api_key": ""}, "api_key must be visible ASCII"),
        ({"api_key": "a b"}, "api_key must be visible ASCII"),
        ({"port": 70000}, "port must be from 0 to 65535, not 70000"),
        ({"word_pause": -1}, "word_pause must be a number of seconds, not -1"),
        ({"pace": "slow"}, 'pace must be "exact" or "fast", not'),
        ({"replay": __file__}, "cannot be replayed: line 1 is no recorded exchange"),
        ({"rate_limit_calls": 0.5}, "rate_limit_calls must be an integer"),
        ({"rate_limit_window": float("nan")}, "rate_limit_window must be a number of seconds"),
    ],
)
def test_invalid_settings_are_refused(settings, says):
    """Named, with what they must be."""
    with pytest.raises(ValueError, match=says):
        Service(**settings)


def test_recorded_exchanges_are_replayed(tmp_path):
    """By path and body, without the recorded pauses; scripted answers come first."""

    def exchange(body, said):
        head = f"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {len(said)}\r\n\r\n"
        answer = [[0, head], [3_600_000, said]]
        path = "/responses"
        return {"method": "POST", "path": path, "body": body, "answer": answer, "end": "close"}

    asked = '{"model":"m","input":"two"}'
    lines = [exchange("", '{"id":"first","output":[]}'), exchange(asked, '{"id":"2","output":[]}')]
    file = tmp_path / "exchanges.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with Service(replay=file, pace="fast") as service:
        client = modelwire.Client(base_url=service.base_url, api_key=service.api_key)
        ids = [client.responses.create(model="m", input=text).id for text in ("two", "one", "two")]
        assert ids == ["2", "first", "2"]
        service.queue({"id": "scripted", "output": []})
        assert client.responses.create(model="m", input="two").id == "scripted"
        client.close()
    with pytest.raises(OSError, match="cannot be replayed"):
        Service(replay=tmp_path / "none")


def test_a_port_that_is_taken(modelwire_service):
    """Named in the error; a free one can be chosen, and chosen again."""
    taken = urlsplit(modelwire_service.base_url).port
    with pytest.raises(OSError, match=f"cannot listen on 127.0.0.1, port {taken}"):
        Service(port=taken)
    with Service() as service:
        free = urlsplit(service.base_url).port
        post(service)
    with Service(port=free) as service:
        assert urlsplit(service.base_url).port == free
        assert post(service)[0] == 200


def test_text_does_not_answer_every_request(modelwire_service):
    """Who lists models and is scripted to hear a text is told so."""
    modelwire_service.queue("Hello.")
    request = urllib.request.Request(
        modelwire_service.base_url + "/models", headers={"Authorization": "Bearer sk-test"}
    )
    with pytest.raises(urllib.error.HTTPError) as raised:
        urllib.request.urlopen(request, timeout=DEADLINE)
    with raised.value as refused:
        assert refused.status == 500
        assert "but the request is GET /v1/models" in json.load(refused)["error"]["message"]


# What is recorded.


def test_requests_are_recorded_in_their_order(modelwire_service, client):
    """Method, path, query, headers, body, connection and time; refused ones, too."""
    post(modelwire_service, "/chat/completions?a=1&b", {"model": "é"}, **{"X-One": "1"})
    chat_body = {"model": "echo", "messages": HELLO, "temperature": 0.5}
    client.chat.completions.create(**chat_body)
    # clock: nothing tells that a connection is back
    time.sleep(TRUST_TIME)
    client.models.list()
    first, second, third = modelwire_service.requests
    assert (first.method, first.path, first.query) == ("POST", "/v1/chat/completions", "a=1&b")
    assert first.headers["x-one"] == "1" and first.headers["authorization"] == "Bearer sk-test"
    assert first.body == {"model": "é"} and json.loads(first.content) == first.body
    assert second.body == chat_body
    assert (third.method, third.path, third.body) == ("GET", "/v1/models", None)
    assert first.connection != second.connection == third.connection
    assert 0 < first.at < second.at < third.at
    assert modelwire_service.last_request == third
    assert "sk-test" not in repr(modelwire_service.requests)


def test_a_request_body_that_is_not_json_is_kept_as_bytes(modelwire_service):
    """Is there as bytes."""
    target = urlsplit(modelwire_service.base_url)
    connection = http.client.HTTPConnection(target.netloc, timeout=DEADLINE)
    connection.putrequest("POST", "/v1/responses")
    for value in ("a", "b"):
        connection.putheader("X-Twice", value)
    connection.putheader("Content-Length", "2")
    connection.endheaders(b"\xff{")
    assert connection.getresponse().status == 401
    connection.close()
    asked = modelwire_service.last_request
    assert (asked.content, asked.headers["x-twice"]) == (b"\xff{", "a, b")
    with pytest.raises(ValueError, match=r"the body of POST /v1/responses is not JSON: .* content"):
        _ = asked.body


def test_last_request_without_requests_fails(modelwire_service):
    """The last of no requests fails the test that looks for it."""
    with pytest.raises(AssertionError, match="no request reached the service"):
        _ = modelwire_service.last_request


# Life and surroundings.


def test_a_closed_service_keeps_its_recordings(client, modelwire_service):
    """What was recorded stays; it cannot be scripted, and takes no connection."""
    chat_of_echo = {"model": "echo", "messages": HELLO}
    client.chat.completions.create(**chat_of_echo)
    assert modelwire_service.open_connections == 1
    modelwire_service.close()
    modelwire_service.close()
    assert modelwire_service.requests[0].body == chat_of_echo
    for use in (lambda: modelwire_service.queue("x"), modelwire_service.reset):
        with pytest.raises(RuntimeError, match="the service is closed: create another one"):
            use()
    with pytest.raises(modelwire.APIConnectionError):
        client.models.list()
    assert repr(modelwire_service).endswith("/v1, closed>")


def test_environment_variables_point_to_the_service(modelwire_service, monkeypatch):
    """A program that configures itself from its environment needs no change."""
    for name, value in modelwire_service.environment.items():
        monkeypatch.setenv(name, value)
    with modelwire.OpenAI() as client:
        client.models.list()
    assert len(modelwire_service.requests) == 1


def test_other_http_clients_work(modelwire_service):
    """A stream by http.client: one event a chunk, on a connection that stays open."""
    modelwire_service.queue(["a", "b"])
    target = urlsplit(modelwire_service.base_url)
    connection = http.client.HTTPConnection(target.netloc, timeout=DEADLINE)
    headers = {"Authorization": "Bearer sk-test"}
    for _ in range(2):
        body = {"model": "echo", "messages": HELLO, "stream": True}
        connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
        answer = connection.getresponse()
        assert answer.headers["content-type"] == "text/event-stream"
        lines = answer.read().decode().split("\n\n")
        assert lines[-2:] == ["data: [DONE]", ""]
    connection.close()
    assert {request.connection for request in modelwire_service.requests} == {1}


def test_within_asyncio():
    """The service has a thread of its own, so a client of the same loop can talk to it."""

    async def ask():
        async with Service() as service:
            service.queue(text("Hello.").stall(0.05), "Hello.")
            body = json.dumps({"model": "any", "messages": HELLO}).encode()
            head = (
                "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                f"Authorization: Bearer sk-test\r\nContent-Length: {len(body)}\r\n\r\n"
            )

            async def one():
                reader, writer = await asyncio.open_connection(*address(service))
                writer.write(head.encode() + body)
                answer = await reader.read()
                writer.close()
                await writer.wait_closed()
                return answer

            answers = await asyncio.wait_for(asyncio.gather(one(), one()), DEADLINE)
            assert all(b"Hello." in answer for answer in answers)
            return service

    service = asyncio.run(ask())
    assert len(service.requests) == 2
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address(service))


def test_many_threads_share_a_service(modelwire_service, client):
    """Each request takes exactly one answer."""
    said = [f"answer {number}" for number in range(200)]
    heard = []

    def ask():
        for _ in range(25):
            modelwire_service.queue(said.pop())
            heard.append(chat(client).choices[0].message.content)

    together(*[ask] * 8)
    assert sorted(heard) == sorted(f"answer {number}" for number in range(200))
    assert (len(modelwire_service.requests), modelwire_service.waiting) == (200, 0)


def held():
    """The threads and the file descriptors of this process."""
    return len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd"))


@pytest.mark.thread_unsafe("the descriptors and threads of the process are counted")
@pytest.mark.parametrize("how", ["closed", "dropped"])
def test_a_hundred_services_leak_nothing(how):
    """No thread and no file descriptor, with a connection open and an answer under way."""

    def one():
        service = Service()
        service.queue(text("a b c").stall(after=1))
        body = json.dumps({"model": "any", "messages": HELLO, "stream": True})
        with socket.create_connection(address(service), DEADLINE) as open_one:
            head = "POST /v1/chat/completions HTTP/1.1\r\nAuthorization: Bearer sk-test\r\n"
            open_one.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
            assert open_one.recv(1000).startswith(b"HTTP/1.1 200 OK")
            if how == "closed":
                service.close()
            else:
                del service
            while open_one.recv(1000):
                pass  # until the service has hung up

    one()
    before = held()
    for _ in range(100):
        one()
    after = held()
    # Fewer, if a connection of an earlier test went meanwhile.
    assert after[0] <= before[0] and after[1] <= before[1]


@pytest.mark.thread_unsafe("the descriptors and threads of the process are counted")
def test_the_service_thread_takes_no_signals(modelwire_service):
    """They are for the program: a signal that the service's thread took would wake nobody."""
    masks = []
    for task in Path("/proc/self/task").iterdir():
        if (task / "comm").read_text().startswith("modelwire-serv"):
            status = (task / "status").read_text()
            masks.append(int(status.split("SigBlk:")[1].split()[0], 16))
    interrupt_and_terminate = 1 << 1 | 1 << 14
    assert masks and all(mask & interrupt_and_terminate for mask in masks)


STATES = {
    "idle": "",
    "closed": "service.close()",
    "mid_stream": """
        stream = client.chat.completions.create(model="m", messages=hello, stream=True)
        next(iter(stream))
        """,
    "thread_waits": """
        def wait():
            for _ in client.chat.completions.create(model="m", messages=hello, stream=True): pass
        threading.Thread(target=wait, daemon=True).start()
        # clock: between two looks
        while not service.requests: time.sleep(0.01)
        """,
    "in_a_cycle": "cycle = [service]; cycle.append(cycle); del service, cycle",
    "raised": "sys.exit(0)",
}


@pytest.mark.thread_unsafe("it is a program of its own")
@pytest.mark.parametrize("state", STATES)
def test_an_interpreter_exits_while_the_service_runs(state):
    """In silence and at once."""
    setup = """
from modelwire.testing import Service, text
service = Service()
service.queue(text("a b").stall(after=1))
client = modelwire.Client(base_url=service.base_url, api_key="sk-test")
hello = [{"role": "user", "content": "x"}]
"""
    programs.run(setup + inspect.cleandoc(STATES[state]))


@pytest.mark.thread_unsafe("it is a program of its own")
def test_a_forked_child_talks_to_its_parents_service():
    """It cannot steer it, and its end does not end it."""
    program = """
        import urllib.request
        from modelwire.testing import Service
        service = Service()
        service.queue("one", "two")

        def ask():
            body = b'{"model": "echo", "input": "x"}'
            headers = {"Authorization": "Bearer sk-test"}
            request = urllib.request.Request(service.base_url + "/responses", body, headers)
            return b'"text":"' in urllib.request.urlopen(request, timeout=60).read()

        assert ask()
        child = os.fork()
        if child == 0:
            assert ask()
            for use in (lambda: service.requests, lambda: service.queue("x"), service.reset):
                try:
                    use()
                except RuntimeError as error:
                    assert "runs in the process that created it" in str(error)
                else:
                    os._exit(1)
            service.close()
            del service
            with Service() as service:  # one of its own
                assert ask() and len(service.requests) == 1
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        assert service.waiting == 0
        service.queue("three")
        assert ask()
        print(len(service.requests))
        """
    # From 3.12 on Python warns of a fork beside threads; that there is one is the point here.
    printed = programs.run(program, None, "-W", "ignore::DeprecationWarning")
    assert printed == "3\n"


@pytest.mark.thread_unsafe("it is a program of its own")
def test_a_cut_is_seen_while_a_forked_child_lives():
    """The child holds the service's end of a connection that was open when it was made."""
    program = """
        import http.client
        from urllib.parse import urlsplit
        from modelwire.testing import Service, text
        service = Service()
        service.queue("whole", text("never whole").cut(after_bytes=20))
        connection = http.client.HTTPConnection(urlsplit(service.base_url).netloc, timeout=60)

        def ask():
            headers = {"Authorization": "Bearer sk-test"}
            body = '{"model": "m", "input": "x"}'
            connection.request("POST", "/v1/responses", body, headers)
            return connection.getresponse().read()

        assert b"whole" in ask()
        gone, never = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(never)
            os.read(gone, 1)
            os._exit(0)
        try:
            ask()
        except http.client.IncompleteRead as cut:
            print(len(cut.partial))
        finally:
            os.close(never)
            os.waitpid(child, 0)
        assert {request.connection for request in service.requests} == {1}
        """
    assert programs.run(program, None, "-W", "ignore::DeprecationWarning") == "20\n"


# The package.


@pytest.mark.thread_unsafe("it is a program of its own")
def test_modelwire_does_not_import_testing():
    """Who does not test does not pay; and pytest is needed by the fixture alone."""
    programs.run("""
        import modelwire
        assert "modelwire.testing" not in sys.modules
        import modelwire.testing
        assert "pytest" not in sys.modules
        """)


def test_testing_exports_and_documents_every_public_name():
    """__all__ is what is public, and everything public is documented."""
    assert testing.__doc__
    for name in testing.__all__:
        one = getattr(testing, name)
        if name == "Scripted":
            continue  # a union has no docstring of its own
        assert inspect.getdoc(one), name
        members = vars(one).items() if isinstance(one, type) else ()
        for member_name, member in members:
            if not member_name.startswith("_") and (
                inspect.isroutine(member) or isinstance(member, property)
            ):
                assert inspect.getdoc(member), f"{name}.{member_name}"
    defined = {
        name
        for name, one in vars(testing).items()
        if not name.startswith("_") and getattr(one, "__module__", "") == testing.__name__
    }
    assert defined | {"Scripted"} == set(testing.__all__)


def test_the_names_of_answers():
    """What a failing test shows."""
    shown = repr(text("x" * 50, tool_calls=[("f", "{}")]).stall(2, after=1).cut(after_bytes=7))
    assert shown == (
        f"<Answer: text '{'x' * 37}...', calls f, stalls after 1 events for 2 s, cut after 7 bytes>"
    )
    assert repr(error(429)) == "<Answer: error 429>"


USES_THE_FIXTURE = """
import json, urllib.request

seen = []

def ask(service):
    headers = {"Authorization": f"Bearer {service.api_key}"}
    request = urllib.request.Request(service.base_url + "/models", headers=headers)
    return json.load(urllib.request.urlopen(request, timeout=60))

def test_the_fixture_starts_a_service(modelwire_service):
    assert ask(modelwire_service)["object"] == "list"
    assert len(modelwire_service.requests) == 1
    seen.append(modelwire_service)

def test_the_fixture_is_fresh_for_each_test(modelwire_service):
    assert modelwire_service.requests == []
    assert "closed" in repr(seen[0])
"""


def run_pytest(tmp_path, *arguments):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    return done.stdout + done.stderr


@pytest.mark.thread_unsafe("it is a program of its own")
def test_the_pytest_plugin_provides_the_fixture(tmp_path):
    """Nothing has to be imported or named; a fresh service each time; it can be left out."""
    (tmp_path / "test_uses.py").write_text(USES_THE_FIXTURE)
    assert "2 passed" in run_pytest(tmp_path, "-W", "error")
    assert "fixture 'modelwire_service' not found" in run_pytest(tmp_path, "-p", "no:modelwire")


TYPED = """
from modelwire.testing import Answer, Request, Scripted, Service, document, error, events, text
from modelwire.testing import garbage, played, raw


def script(service: Service) -> list[str]:
    one: Answer = text("a b", tool_calls=[("f", {"a": 1}), ("g", "{}")], usage=(1, 2)).slow(0.1)
    other: Scripted = {"object": "list", "data": []}
    service.queue(one, other, 429, error(429, retry_after=1), "x", ["a", "b"], b"raw")
    service.queue([{"choices": []}], events(["{}"], done=True), document([1], status=201))
    service.queue(garbage(), raw(b"x"), played().cut(after=1), one.stall(), one.stall(2, after=1))
    service.set_default(None)
    service.set_default("always")
    last: Request = service.last_request
    when: float = last.at
    named: str | None = last.headers.get("x-name")
    assert when and named and service.metered["m"]["calls"]
    return [request.path for request in service.requests]


async def started() -> dict[str, str]:
    async with Service(api_key="sk-x", port=0, word_pause=0.5) as service:
        return service.environment


with Service() as service:
    script(service)
"""


@pytest.mark.thread_unsafe("it is a program of its own")
def test_a_typed_program(tmp_path):
    """mypy --strict accepts a program that uses all of it."""
    (tmp_path / "typed.py").write_text(TYPED)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", "cache", "typed.py"]
    programs.finished(command, cwd=tmp_path, timeout=None)


def test_the_example_of_the_docstring_is_true():
    """As it stands there."""
    lines = [line for line in testing.__doc__.splitlines() if line.startswith("    ") or not line]
    source = inspect.cleandoc("\n".join(lines))

    def my_program(client):
        asked = [{"role": "user", "content": "How is it going?"}]
        completion = client.chat.completions.create(model="any", messages=asked)
        return completion.choices[0].message.content

    names = {"my_program": my_program}
    exec(source, names)
    names["test_my_program_survives_a_busy_service"]()
