"""The language-neutral vectors through Python: every envelope of an error, every event of every
stream of the grammar, what chunks add up to, and which requests are sent."""

import base64
import json
import pathlib
import re

import pytest

import modelwire
from callers import asked
from conftest import SOON
from modelwire.types.chat import ChatCompletionMessageToolCall as ToolCall
from wire import ANSWER, HELLO, STALL, STREAM_HEAD, events

# Unicode's White_Space; Python's own idea of it has four control characters more.
WHITE_SPACE = "[\t\n\x0b\x0c\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+"
VECTORS = pathlib.Path(__file__).parent.parent / "vectors"


def load(name):
    return [
        pytest.param(vector, id=f"{path.stem}-{vector['name']}")
        for path in sorted(VECTORS.glob(name))
        for vector in json.loads(path.read_text())
    ]


def body_of(vector, name="body"):
    if f"{name}_base64" in vector:
        return base64.b64decode(vector[f"{name}_base64"])
    if f"{name}_parts" in vector:
        return b"".join(text.encode() * times for text, times in vector[f"{name}_parts"])
    return vector[name].encode() * vector.get("times", 1)


def exact(head, body):
    """An exchange of exactly these bytes, then the close of the connection."""
    whole = base64.b64encode(head.encode() + body).decode()
    return {"steps": [{"send_base64": whole}, {"close": True}]}


@pytest.mark.parametrize("vector", load("errors/envelopes.json"))
def test_envelopes(scripted, vector):
    """The best message there is, in every shape."""
    body = body_of(vector)
    kind = f"Content-Type: {vector['content_type']}\r\n" if vector["content_type"] else ""
    head = f"HTTP/1.1 {vector['status']} X\r\n{kind}Content-Length: {len(body)}\r\n\r\n"
    client = scripted(exact(head, body), max_retries=0)
    with pytest.raises(modelwire.APIStatusError) as raised:
        asked(client)
    error, expected = raised.value, vector["expected"]
    for field in ("kind", "type", "code", "param", "metered"):
        assert getattr(error, field) == expected[field], field
    assert error.message == expected["message"] if expected["message"] else error.message
    assert error.status_code == vector["status"] and error.hint


def answered(vector):
    """The exact answer of a vector of errors."""
    body = body_of(vector)
    kind = f"Content-Type: {vector['content_type']}\r\n" if vector["content_type"] else ""
    head = f"HTTP/1.1 {vector['status']} X\r\n{kind}Content-Length: {len(body)}\r\n\r\n"
    return exact(head, body)


def failed(client, vector, streams):
    """The error of the one call that a vector is about, and how many chunks came before it."""
    chunks = 0
    with pytest.raises(modelwire.APIError) as raised:
        found = asked(client, stream=streams)
        if streams:
            for _ in found:
                chunks += 1
    error, expected = raised.value, vector["expected"]
    for field in ("kind", "type", "code", "param", "metered"):
        if field in expected:
            assert getattr(error, field) == expected[field], field
    message = expected.get("message")
    assert error.message == message if message else error.message
    assert error.status_code == expected.get("status", vector.get("status"))
    return error, chunks


@pytest.mark.parametrize("vector", load("errors/in_stream.json") + load("errors/in_document.json"))
def test_errors_under_a_good_status(scripted, vector):
    """An error object under status 200 is the error it says, whatever came before it is delivered
    first."""
    for streams in (False, True):
        if vector.get("call", ("plain", "stream")[streams]) != ("plain", "stream")[streams]:
            continue
        error, chunks = failed(scripted(answered(vector), max_retries=0), vector, streams)
        assert chunks == vector["expected"].get("chunks", 0)
        if "body" in vector["expected"]:
            assert error.body_text == vector["expected"]["body"]


@pytest.mark.parametrize("vector", load("errors/heads.json"))
def test_malformed_heads(scripted, vector):
    """Exact bytes; one of openai-python's classes, and never a bare one."""
    end = {"close": [{"close": True}], "reset": [{"reset": True}], "open": [{"stall": True}]}
    sent = base64.b64encode(body_of(vector, "raw")).decode()
    steps = [{"send_base64": sent}, *end[vector["end"]]]
    for streams in (False, True):
        if vector.get("call", ("plain", "stream")[streams]) != ("plain", "stream")[streams]:
            continue
        client = scripted({"steps": steps}, max_retries=0, timeout=SOON)
        _, chunks = failed(client, vector, streams)
        assert chunks == vector["expected"].get("chunks", 0)


def test_every_kind_has_its_hint(scripted):
    """As the vectors say, wherever a status makes the kind."""
    hints = json.loads((VECTORS / "errors" / "hints.json").read_text())
    statuses = {400, 401, 403, 404, 408, 429, 500}
    met = set()
    for status in sorted(statuses):
        vector = {"status": status, "content_type": "application/json", "body": "{}"}
        vector["expected"] = {}
        error, _ = failed(scripted(answered(vector), max_retries=0), vector, False)
        assert hints[error.kind] in error.hint, error.hint
        met.add(error.kind)
    assert len(met) == len(statuses) == 7
    for raw, kind in ((b"HTTP/9.9 x\r\n\r\n", "protocol"), (b"", "disconnected")):
        sent = base64.b64encode(raw).decode()
        client = scripted({"steps": [{"send_base64": sent}, {"close": True}]}, max_retries=0)
        error, _ = failed(client, {"expected": {"kind": kind}}, False)
        assert hints[kind] in error.hint
    client = scripted(events('{"error":{"message":"m"}}'), max_retries=0)
    vector = {"status": 200, "expected": {"kind": "stream"}}
    assert hints["stream"] in failed(client, vector, True)[0].hint


def read(client):
    """The chunks of a streamed chat as they came, and its end: a name, or the error."""
    chunks = []
    try:
        stream = asked(client, stream=True)
        for chunk in stream:
            chunks.append(chunk.to_json(indent=None))
    except modelwire.APIError as error:
        return chunks, error
    return chunks, None


@pytest.mark.parametrize("vector", load("lines/lines.json"))
def test_lines_that_leave_the_grammar(scripted, vector):
    """None vanishes; the end mark is the end at once."""
    body = vector["input"]
    chunk = [{"send": f"{len(body.encode()):x}\r\n{body}\r\n"}] if body else []
    end = {"open": STALL, "cut": {"close": True}, None: {"send": "0\r\n\r\n"}}[vector.get("end")]
    client = scripted({"steps": [{"send": STREAM_HEAD}, *chunk, end]}, max_retries=0)
    chunks, error = read(client)
    expected = vector["expected"]
    assert [chunk.strip() for chunk in chunks] == [chunk.strip() for chunk in expected["chunks"]]
    assert (error and error.kind) == expected.get("kind")
    if error is not None:
        assert (expected["message"] or "") in error.message and error.hint
        assert error.metered == expected["metered"]


def first_said(vector):
    """The first event that says something, as the client sees it."""
    found = vector["events"] + [vector["unfinished"]] * bool(vector.get("unfinished"))
    saying = (
        event for event in found if event["data"].strip(" \t\r\n") or event["event"] == "error"
    )
    return next(saying, None)


@pytest.mark.parametrize(
    "vector", [given for given in load("sse/*.json") if "error" not in given.values[0]]
)
def test_streams_of_the_grammar(scripted, vector):
    """JSON is a chunk, the end mark an end, anything else is quoted."""
    body = body_of(vector, "input")
    head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
    client = scripted(exact(head, body))
    if "client" in vector:  # it leaves the grammar, and the lines of it must not vanish
        _, error = read(client)
        assert vector["client"] == (error.kind if error else "done_mark")
        return
    stream = asked(client, stream=True)
    event = first_said(vector)
    if event is None:
        with pytest.raises(modelwire.IncompleteStreamError):
            next(stream)
        return
    data = event["data"].strip(" \t\r\n")
    try:
        is_json = bool(json.loads(data)) or True
    except ValueError:
        is_json = False
    if data == "[DONE]":
        assert list(stream) == []
    elif event["event"] == "error":
        with pytest.raises(modelwire.APIError):
            next(stream)
    elif is_json:
        assert next(stream).to_json(indent=None) == event["data"]
    else:
        is_whole = event is not vector.get("unfinished")
        with pytest.raises(modelwire.APIResponseValidationError) as raised:
            next(stream)
        if is_whole:
            one_line = " ".join(re.split(WHITE_SPACE, data)).strip(" ")
            quoted = raised.value.body_text
            assert one_line.startswith(quoted.removesuffix(" ...").rstrip(" ")), quoted
            assert quoted == one_line or quoted.endswith(" ...")


def said(vector):
    """The events that reach a caller, up to the end mark or to what is no chunk."""
    for event in vector["events"]:
        data = event["data"].strip(" \t\r\n")
        try:
            is_chunk = event["event"] != "error" and (json.loads(data), True)[1]
        except ValueError:
            is_chunk = False
        if data and not is_chunk:
            return
        if data:
            yield event["data"]


@pytest.mark.parametrize(
    "vector",
    [given for given in load("sse/*.json") if not {"error", "client"} & set(given.values[0])],
)
def test_every_event_of_the_grammar(scripted, vector):
    """In its order, to the byte, whatever ends the stream."""
    head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
    client = scripted(exact(head, body_of(vector, "input")))
    expected, found = list(said(vector)) * vector.get("times", 1), []
    try:
        for chunk in asked(client, stream=True):
            found.append(chunk.to_json(indent=None))
    except modelwire.APIError:
        pass  # the vector has no end mark, or something that is no chunk
    if vector.get("unfinished"):
        found = found[: len(expected)]
    assert found == expected


GATHERED = [
    pytest.param(json.loads(path.read_text()), id=path.stem)
    for path in sorted((VECTORS / "gather").glob("*.json"))
]


def gathered(client, vector):
    """The stream of a vector, iterated to its end."""
    if vector["endpoint"] == "chat":
        make, fields = client.chat.completions.create, {"messages": HELLO}
    else:
        make, fields = client.responses.create, {"input": "x"}
    stream = make(model="m", stream=True, gather=True, **fields)
    try:
        chunks = list(stream)
    except modelwire.APIError as error:
        return None, error.partial
    return chunks, stream.answer.to_json(indent=None)


@pytest.mark.parametrize("vector", GATHERED)
def test_gathered_streams_match_the_vectors(scripted, vector):
    """The same bytes as in every other language."""
    client = scripted(events(*vector["chunks"]))
    chunks, text = gathered(client, vector)
    if not vector["chunks"]:  # an end mark after no event is no answer
        assert chunks is None and text is None
        return
    assert text == vector["expected"]
    if chunks is not None and vector["endpoint"] == "chat":
        assert [chunk.to_json(indent=None) for chunk in chunks] == [
            one.strip() for one in vector["chunks"]
        ]


def told_of(text, reason, usage, calls):
    """In the words of the vectors: what is absent is left out."""
    names = ("prompt_tokens", "completion_tokens", "total_tokens")
    if hasattr(usage, "input_tokens"):
        names = ("input_tokens", "output_tokens", "total_tokens")
    tokens = usage and [getattr(usage, name) for name in names]
    told = {"text": text, "finish_reason": reason, "usage": tokens, "calls": calls}
    return {name: value for name, value in told.items() if value}


def told_of_chat(chat, is_chunk):
    """Of a chunk or of a completion, by its attributes."""
    choice = chat.choices[0] if chat.choices else None
    said = choice and (choice.delta if is_chunk else choice.message)
    calls = []
    for call in (said and said.tool_calls) or []:
        texts = [call.id, getattr(call.function, "name", None)]
        texts += [getattr(call.function, "arguments", None)]
        if is_chunk:
            calls.append([call.index, texts[0] or None, texts[1] or None, texts[2]])
        else:
            calls.append([text or "" for text in texts])
    text = said and said.content
    if isinstance(text, list):  # of a message, as it came
        text = "".join(part.text for part in text if part.type == "text")
    return told_of(text, choice and choice.finish_reason, chat.usage, calls)


def told_of_event(event):
    """Of an event of a response."""
    text = event.delta if event.type == "response.output_text.delta" else None
    return told_of(text, None, event.response and event.response.usage, [])


def told_of_response(answer):
    made = [item for item in answer.output if item.type == "function_call"]
    calls = [[one.call_id or "", one.name or "", one.arguments or ""] for one in made]
    return told_of(answer.output_text, answer.status, answer.usage, calls)


@pytest.mark.parametrize("vector", [given for given in GATHERED if "told" in given.values[0]])
def test_attributes_of_odd_chunks_match_the_vectors(scripted, vector):
    """Of each chunk, and of what they add up to."""
    client = scripted(events(*vector["chunks"]))
    if vector["endpoint"] == "chat":
        make = client.chat.completions.create
        stream = make(model="m", messages=HELLO, stream=True, gather=True)
        told = [told_of_chat(chunk, is_chunk=True) for chunk in stream]
        answer = told_of_chat(stream.answer, is_chunk=False)
    else:
        stream = client.responses.create(model="m", input="x", stream=True, gather=True)
        told = [told_of_event(event) for event in stream]
        answer = told_of_response(stream.answer)
    assert [told, answer] == [vector["told"]["chunks"], vector["told"]["answer"]]
    used = client.usage()["m"]
    assert used["calls"] == 1
    assert used["total_tokens"] == vector["told"]["answer"].get("usage", [0, 0, 0])[2]


CHATS = [one for one in GATHERED if one.values[0]["endpoint"] == "chat" and one.values[0]["chunks"]]


def is_late(vector):
    """Whether a tool call goes on behind its end, which is told again."""
    return vector["about"].startswith(("an index as a text", "an empty object before"))


@pytest.mark.sync_alone("they add up by the same code")
@pytest.mark.parametrize("vector", CHATS)
def test_helper_streams_agree_with_gathered_streams(scripted, vector):
    """The last snapshot is the whole answer, and the arguments of each call are told."""
    client = scripted(events(*vector["chunks"]))
    with client.chat.completions.stream(model="m", messages=HELLO) as chat:
        told = list(chat)
        completion = chat.get_final_completion()
    assert (
        completion.to_json(indent=None)
        == chat.current_completion_snapshot.to_json(indent=None)
        == vector["expected"]
    )
    for choice in completion.choices:
        calls = choice.message.tool_calls
        if len(completion.choices) > 1 or not choice.finish_reason or not isinstance(calls, list):
            continue
        functions = [call.function for call in calls if isinstance(call, ToolCall)]
        made = [text for one in functions if (text := getattr(one, "arguments", None))]
        ends = [event for event in told if event.type.endswith("arguments.done")]
        done = {event.index: event.arguments for event in ends}
        assert len(done) == len(ends) or is_late(vector)
        assert sorted(filter(None, done.values())) == sorted(made)
    content, *_ = [one.message.content for one in completion.choices] or [None]
    said = [event.content for event in told if event.type == "content.done"]
    is_split = any("\ufffd" in text for text in said)  # a pair between chunks
    if isinstance(content, str) and len(completion.choices) == 1 and not is_split:
        assert said[-1:] == [content] * bool(content and completion.choices[0].finish_reason)


@pytest.mark.parametrize(
    "vector", [given for given in load("requests/*.json") if "body" in given.values[0]]
)
def test_requests(scripted, vector):
    """What passes is sent as it is, and of what is refused nothing."""
    client = scripted(ANSWER)
    fields = dict(vector["body"])
    if vector["endpoint"] == "chat":
        create, named = client.chat.completions.create, ("model", "messages")
    else:
        create, named = client.responses.create, ("model", "input")
    given = {name: fields.pop(name) for name in named}
    if "refused" not in vector:
        create(**given, extra_body=fields)
        assert [json.loads(one["body"]) for one in scripted.requests()] == [vector["body"]]
        return
    with pytest.raises(modelwire.RequestError) as raised:
        create(**given, extra_body=fields)
    assert vector["refused"] in str(raised.value), raised.value
    assert vector.get("hint", "") in raised.value.hint, raised.value.hint
    assert scripted.requests() == [] and raised.value.metered == "not_sent"
