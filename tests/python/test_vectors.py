"""The language-neutral vectors through Python: every envelope of an error, and what the first
event of every stream of the grammar is. Knows no other test."""

import base64
import json
import pathlib
import re

import pytest

import modelwire
from wire import HELLO

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
    """R-ERR1, R-ERR2, R-ERR4, R-MET1: the best message there is, in every shape."""
    body = body_of(vector)
    kind = f"Content-Type: {vector['content_type']}\r\n" if vector["content_type"] else ""
    head = f"HTTP/1.1 {vector['status']} X\r\n{kind}Content-Length: {len(body)}\r\n\r\n"
    client = scripted(exact(head, body), max_retries=0)
    with pytest.raises(modelwire.APIStatusError) as raised:
        client.chat.completions.create(model="m", messages=HELLO)
    error, expected = raised.value, vector["expected"]
    for field in ("kind", "type", "code", "param", "metered"):
        assert getattr(error, field) == expected[field], field
    assert error.message == expected["message"] if expected["message"] else error.message
    assert error.status_code == vector["status"] and error.hint


def first_said(vector):
    """The first event that says something, as the client sees it."""
    events = vector["events"] + [vector["unfinished"]] * bool(vector.get("unfinished"))
    said = (
        event for event in events if event["data"].strip(" \t\r\n") or event["event"] == "error"
    )
    return next(said, None)


@pytest.mark.parametrize(
    "vector", [given for given in load("sse/*.json") if "error" not in given.values[0]]
)
def test_streams_of_the_grammar(scripted, vector):
    """R-STR2, R-STR4: JSON is a chunk, the end mark an end, anything else is quoted."""
    body = body_of(vector, "input")
    head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
    client = scripted(exact(head, body))
    stream = client.chat.completions.create(model="m", messages=HELLO, stream=True)
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
        assert next(stream).to_json() == event["data"]
    else:
        is_whole = event is not vector.get("unfinished")
        with pytest.raises(modelwire.APIResponseValidationError) as raised:
            next(stream)
        if is_whole:
            one_line = " ".join(re.split(WHITE_SPACE, data)).strip(" ")
            quoted = raised.value.body_text
            assert one_line.startswith(quoted.removesuffix(" ...").rstrip(" ")), quoted
            assert quoted == one_line or quoted.endswith(" ...")
