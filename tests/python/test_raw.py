"""Answers with their status and headers: with_raw_response and with_streaming_response."""

import asyncio
import json
import time

import pydantic
import pytest

import lockstep
import modelwire
from callers import asked
from conftest import KEY
from lockstep import Held
from wire import ANSWER, HELLO, SILENCE, STALL, answer, chat, events, finish, piece, stream

MESSAGE = {"role": "assistant", "content": "hi"}


def test_a_whole_answer(scripted):
    """Status, headers, text, and what the plain method returns."""
    client = scripted({"json": {**chat(MESSAGE)["json"], "headers": {"x-request-id": "req-1"}}})
    raw = client.chat.completions.with_raw_response.create(model="m", messages=HELLO)
    assert (raw.status_code, raw.request_id, raw.method) == (200, "req-1", "POST")
    assert raw.headers["X-REQUEST-ID"] == "req-1" and raw.http_response.status_code == 200
    completion = raw.parse()
    assert completion.choices[0].message.content == "hi" and raw.is_closed
    assert json.loads(raw.text) == raw.json() == completion.to_dict()
    assert raw.content == raw.text.encode() and raw.url.path.endswith("/chat/completions")


def test_raw_request_url_and_headers(service, scripted):
    """Address and headers as they were sent; what is secret is not shown."""
    client = scripted(
        ANSWER,
        default_headers={"X-Tenant": "7", "X-Api-Key": "sk-other"},
        default_query={"a": 1},
        organization="org",
    )
    raw = client.responses.with_raw_response.create(
        model="m", input="x", extra_headers={"x-tenant": "8"}, extra_query={"b": ["c d"]}
    )
    [sent] = scripted.requests()
    asked, wire = raw.http_request, {name.lower(): value for name, value in sent["headers"]}
    assert raw.url == f"{client.base_url}/responses?a=1&b%5B%5D=c+d"
    assert raw.url.raw_path.decode() == sent["target"] and asked.method == "POST"
    assert (raw.url.scheme, raw.url.host) == ("http", "127.0.0.1")
    assert client.base_url.port == raw.url.port and client.base_url.path.endswith("/v1")
    shown = dict(asked.headers)
    assert shown.pop("x-api-key") == "[hidden]" and "authorization" not in shown
    assert shown and all(wire[name] == value for name, value in shown.items())
    unsaid = {"authorization", "host", "content-length", "accept-encoding", "x-api-key"}
    assert set(wire) - set(shown) <= unsaid
    assert "sk-" not in repr(asked.headers) and "sk-" not in repr(raw.http_response)


def test_raw_retries_and_elapsed_time(scripted):
    """Attempts and time of a whole answer; of a stream, once it is over."""
    busy = answer({"error": {"message": "slow down"}}, 429)
    client = scripted(busy, chat(MESSAGE), busy, events(piece("a"), finish()))
    client = client.with_options(max_retries=1)
    before = time.monotonic()
    raw = client.chat.completions.with_raw_response.create(model="m", messages=HELLO)
    took = time.monotonic() - before
    assert raw.retries_taken == raw.http_response.retries_taken == 1
    # clock: the same time, measured around it
    assert 0.3 < raw.elapsed.total_seconds() <= took
    raw = client.chat.completions.with_raw_response.create(model="m", messages=HELLO, stream=True)
    assert raw.retries_taken is None and raw.elapsed is None
    list(raw.parse())
    assert raw.retries_taken == 1 and raw.elapsed.total_seconds() > 0.3


def test_every_operation(client):
    """Of the client and of its parts."""
    assert client.with_raw_response.models.list().parse().data[0].id == "echo"
    assert client.models.with_raw_response.list().status_code == 200
    raw = client.with_raw_response.responses.create(model="echo", input="x")
    assert raw.parse().output_text == "x"
    raw = client.with_raw_response.responses.create(model="echo", input="x", stream=True)
    assert list(raw.parse())[-1].type == "response.completed"
    raw = asked(client.with_raw_response, model="echo")
    assert raw.parse().choices


def test_a_stream(client):
    """Headers at once, then the stream as ever."""
    raw = client.chat.completions.with_raw_response.create(
        model="echo", messages=HELLO, stream=True
    )
    assert raw.headers["content-type"] == "text/event-stream" and not raw.is_closed
    with pytest.raises(modelwire.OpenAIError, match="not available at once"):
        raw.text
    assert len(list(raw.parse())) == 6 and raw.is_closed


class Small(pydantic.BaseModel):
    id: str


def test_an_answer_as_another_type(client):
    """With `to`, as `cast_to` of calls by path takes it; read as often as it is asked for."""
    raw = asked(client.with_raw_response, model="echo")
    assert raw.parse(to=Small) == Small(id=raw.parse().id) and raw.parse(to=dict) == raw.json()
    assert raw.parse(to=str) == raw.text and raw.parse(to=bytes) == raw.content
    assert isinstance(raw.parse(to=modelwire.types.chat.ChatCompletion), modelwire.BaseModel)
    with pytest.raises(modelwire.AnswerValidationError):
        raw.parse(to=int)
    models = client.with_raw_response.models.list()
    assert models.parse(to=dict)["data"][0]["id"] == models.parse().data[0].id
    assert models.parse(to=type(models.parse())) is models.parse()


@pytest.mark.parametrize("kind", [modelwire.Stream, modelwire.AsyncStream])
def test_a_stream_as_another_type(connect, client, kind):
    """Its chunks come as they are: only the class of its client is taken."""
    is_same = (kind is modelwire.Stream) == (connect is modelwire.Client)
    raw = asked(client.with_raw_response, model="echo", stream=True)
    if is_same:
        assert len(list(raw.parse(to=kind[modelwire.types.chat.ChatCompletionChunk]))) == 6
        return
    for other in (kind, dict):
        with pytest.raises(TypeError, match="to takes"):
            raw.parse(to=other)


@pytest.mark.parametrize("is_stream", [False, True])
def test_lines_end_at_line_breaks_alone(scripted, is_stream):
    """Not at characters in the text of a model that Python, too, takes for line breaks."""
    said = "a\u2028b\x85c\x1cd"
    part = {"delta" if is_stream else "message": {"content": said}}
    body = json.dumps({"id": "c", "choices": [{"index": 0, **part}]}, ensure_ascii=False)
    client = scripted(events(body, finish()) if is_stream else answer(body))
    opening = client.with_streaming_response.chat.completions.create(
        model="m", messages=HELLO, stream=is_stream
    )
    with opening as response:
        lines = [line.removeprefix("data: ") for line in response.iter_lines()]
    first = json.loads(lines[0])["choices"][0]
    assert (first["delta"] if is_stream else first["message"])["content"] == said
    assert len([line for line in lines if line]) == (3 if is_stream else 1)


def test_a_cancelled_wait_for_a_line_loses_none():
    """The next wait takes it up again, as one for a chunk."""
    held = Held(piece("a"), piece("b"), "[DONE]")

    async def read(url):
        client = modelwire.AsyncOpenAI(base_url=url, api_key=KEY)
        opening = client.with_streaming_response.chat.completions.create(
            model="m", messages=HELLO, stream=True
        )
        async with client, opening as response:
            lines, found = response.iter_lines(), []
            while found[-2:] != ["data: [DONE]", ""]:
                waiting = asyncio.ensure_future(anext(lines))
                await asyncio.sleep(0)
                if waiting.cancel():
                    with pytest.raises(asyncio.CancelledError):
                        await waiting
                    held.go()
                    waiting = anext(lines)
                found.append(await waiting)
            with pytest.raises(StopAsyncIteration):
                await anext(lines)
        return found

    with lockstep.serving(held) as url:
        found = asyncio.run(read(url))
    assert found == [f"data: {piece('a')}", "", f"data: {piece('b')}", "", "data: [DONE]", ""]


def test_an_opened_answer_as_another_type(client):
    """Which counts as having read it."""
    opening = client.with_streaming_response.chat.completions.create(model="echo", messages=HELLO)
    with opening as response:
        assert response.parse(to=Small).id == response.json()["id"] and response.is_closed


def test_errors_are_raised_as_ever(scripted):
    client = scripted(answer({}, 404))
    with pytest.raises(modelwire.NotFoundError):
        client.models.with_raw_response.list()


def test_a_whole_answer_in_a_with_block(scripted):
    """The call is made when it is entered."""
    client = scripted(chat(MESSAGE))
    opening = client.chat.completions.with_streaming_response.create(model="m", messages=HELLO)
    assert scripted.requests() == []
    with opening as response:
        assert response.status_code == 200 and not response.is_closed
        assert response.headers["content-type"] == "application/json"
        assert json.loads(response.read()) == response.json() == response.parse().to_dict()
        assert json.loads("".join(response.iter_lines())) == response.json()
        assert response.is_closed


def test_a_stream_in_a_with_block(quiet, scripted):
    """Its exchange ends with the block."""
    client = scripted(stream(piece("a"), STALL), events(piece("a"), finish()))
    make = client.chat.completions.with_streaming_response.create
    with make(model="m", messages=HELLO, stream=True) as response:
        assert next(response.parse()).choices[0].delta.content == "a" and not response.is_closed
    assert response.is_closed
    quiet.until_closed()
    with make(model="m", messages=HELLO, stream=True) as response:
        lines = [line for line in response.iter_lines() if line]
    assert lines == [f"data: {piece('a')}", f"data: {finish()}", "data: [DONE]"]


def test_the_lines_of_a_response(client):
    """Events have their names."""
    make = client.responses.with_streaming_response.create
    with make(model="echo", input="x", stream=True) as response:
        text = response.text()
    assert text.startswith("event: response.created\ndata: {") and text.endswith("[DONE]\n\n")


def test_a_block_that_could_not_be_entered(scripted):
    """The error of the call, and no other."""
    client = scripted(SILENCE, timeout=0.2)
    with pytest.raises(modelwire.APITimeoutError), client.models.with_streaming_response.list():
        pass


def test_closing_the_response_ends_the_stream(quiet, scripted):
    """As older programs end a stream."""
    client = scripted(stream(piece("a"), STALL), events(piece("a"), finish()))
    opened = asked(client, stream=True)
    response = opened.response
    assert not response.is_closed and next(opened)
    response.close()
    assert response.is_closed and opened.response.is_closed and list(opened) == []
    quiet.until_closed()
    opened = asked(client, stream=True)
    response = opened.response
    assert list(opened) and response.is_closed
