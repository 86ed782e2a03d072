"""What real servers put on the wire, replayed through Python and compared with what was written
down beforehand."""

import base64
import json
import pathlib

import pytest

import modelwire

CAPTURES = pathlib.Path(__file__).parent.parent / "captures"
OPERATIONS = {("GET", "/models"), ("POST", "/chat/completions"), ("POST", "/responses")}
OURS = {"disconnected", "incomplete", "protocol"}  # kinds whose message is not the server's
SERVERS = sorted(path.stem for path in (CAPTURES / "expected").glob("*.json"))
VALID = {"messages": [{"role": "user", "content": "Say hello."}], "input": "Say hello."}


def operation(record):
    target = record["request"]["path"].removeprefix("/api").removeprefix("/v1")
    return record["request"]["method"], target


def exchange(record, in_pieces):
    """The recorded bytes, at once or as they were read, and then the recorded end."""
    response = record["response"]
    pieces = [base64.b64decode(piece["data_base64"]) for piece in response.get("raw", [])]
    if not in_pieces:
        pieces = [b"".join(pieces)]
    steps = [{"send_base64": base64.b64encode(piece).decode()} for piece in pieces if piece]
    if response["end"] == "reset":
        steps.append({"reset": True})
    elif response["end"] in ("eof", "client closed", "timeout"):
        steps.append({"close": True})
    elif response["connection_after"] == "closed":
        steps.append({"close": True})
    return {"steps": steps}


def asked_for(record, replaced):
    """The fields of the recorded request, or of a valid one; and whether it streams."""
    text = record["request"].get("body")
    body = json.loads(text) if text and not replaced else {}
    if not body or not is_sendable(body):
        body = {"model": "tiny-model"}
    try:
        stream = json.loads(text)["stream"] is True
    except (TypeError, ValueError, KeyError):
        stream = False
    body.pop("stream", None)
    return body, stream


def is_sendable(body):
    """A lone surrogate has no UTF-8: Python's own error says so, before anything is sent."""
    try:
        json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def call(client, record, replaced):
    """Makes the call; returns what it gives, and whether it is a stream."""
    _, target = operation(record)
    if target == "/models":
        return client.models.list(), False
    body, stream = asked_for(record, replaced)
    field = "messages" if "chat" in target else "input"
    create = client.chat.completions.create if field == "messages" else client.responses.create
    known = {name: body.pop(name, VALID[name]) for name in (field,)}
    known["model"] = body.pop("model")
    return create(**known, stream=stream, extra_body=body), stream


def failed(error, chunks):
    told = {name: getattr(error, name) for name in ("kind", "type", "code", "param")}
    message = None if error.kind in OURS else error.message
    return {"error": {**told, "status": error.status_code, "message": message, "chunks": chunks}}


def usage_of(usage):
    if usage is None:
        return None
    names = [("prompt_tokens", "input_tokens"), ("completion_tokens", "output_tokens")]
    plain = usage if isinstance(usage, dict) else usage.to_dict()
    found = [next((plain[n] for n in pair if plain.get(n) is not None), 0) for pair in names]
    total = plain.get("total_tokens")
    return [*found, sum(found) if total is None else total]


def with_choices(ok, choices):
    if 0 in choices:
        ok["text"], ok["finish_reason"] = choices[0]
    if len(choices) > 1:
        ok["choices"] = {str(index): told for index, told in choices.items()}
    return {"ok": ok}


def answered(found, record):
    if operation(record)[1] == "/models":
        ok = {"text": "", "finish_reason": None, "usage": None, "end": "document"}
        return {"ok": {**ok, "models": [model.id for model in found]}}
    ok = {"text": "", "finish_reason": None, "usage": usage_of(found.usage), "end": "document"}
    if operation(record)[1] == "/responses":
        return {"ok": {**ok, "text": found.output_text, "finish_reason": found.status}}
    choices = {
        at if choice.index is None else choice.index: [
            choice.message.content or "",
            choice.finish_reason,
        ]
        for at, choice in enumerate(found.choices)
    }
    return with_choices(ok, choices)


def streamed(stream):
    chunks, text, status, choices = 0, "", None, {}
    try:
        for chunk in stream:
            chunks += 1
            if getattr(chunk, "type", None) == "response.output_text.delta":
                text += chunk.delta
            if getattr(chunk, "response", None) is not None and chunk.response.status:
                status = chunk.response.status
            for choice in getattr(chunk, "choices", ()):
                told = choices.setdefault(choice.index, ["", None])
                told[0] += choice.delta.content or ""
                told[1] = choice.finish_reason or told[1]
    except modelwire.APIError as error:
        return failed(error, chunks)
    usage = usage_of(stream.usage)
    ok = {"text": text, "finish_reason": status, "usage": usage, "chunks": chunks}
    return with_choices({**ok, "end": stream.end}, choices)


@pytest.mark.parametrize("in_pieces", [False, True], ids=["whole", "pieces"])
@pytest.mark.parametrize("server", SERVERS)
def test_recordings(scripted, server, in_pieces):
    """Every exchange with every server is understood."""
    expectations = json.loads((CAPTURES / "expected" / f"{server}.json").read_text())
    wrong, seen = [], 0
    for path in sorted((CAPTURES / server).glob("*.json")):
        record = json.loads(path.read_text())
        if operation(record) not in OPERATIONS:
            assert path.stem in expectations["left_out"]
            continue
        expected = expectations["exchanges"][path.stem]
        client = scripted(exchange(record, in_pieces), max_retries=0)
        try:
            found, is_stream = call(client, record, "replaced" in expected)
            outcome = streamed(found) if is_stream else answered(found, record)
        except modelwire.APIError as error:
            outcome = failed(error, 0)
        client.close()
        seen += 1
        wanted = {key: expected[key] for key in ("ok", "error") if key in expected}
        if outcome != wanted:
            wrong.append(f"{path.stem}\n  expected {wanted}\n  found    {outcome}")
    assert seen == len(expectations["exchanges"]) and not wrong, "\n".join(wrong)


def helped(client, record, replaced):
    """The text that the events of a helper stream add, or the kind of the error."""
    body, _ = asked_for(record, replaced)
    given = {"input": body.pop("input", VALID["input"]), "model": body.pop("model")}
    try:
        with client.responses.stream(**given, extra_body=body) as stream:
            deltas = (one for one in stream if one.type == "response.output_text.delta")
            return "".join(one.delta for one in deltas)
    except modelwire.APIError as error:
        return f"error: {error.kind}"


@pytest.mark.parametrize("server", SERVERS)
def test_recorded_responses_through_the_helper(scripted, server):
    """It refuses no event that a real server sent: llama.cpp's, for one, have no output_index."""
    exchanges = json.loads((CAPTURES / "expected" / f"{server}.json").read_text())["exchanges"]
    wrong = []
    for name, expected in exchanges.items():
        record = json.loads((CAPTURES / server / f"{name}.json").read_text())
        replaced = "replaced" in expected
        if operation(record)[1] != "/responses" or not asked_for(record, replaced)[1]:
            continue
        ok, error = expected.get("ok"), expected.get("error")
        wanted = f"error: {error['kind']}" if error else ok["text"]
        with scripted(exchange(record, False), max_retries=0) as client:
            found = helped(client, record, replaced)
        if found != wanted:
            wrong.append(f"{name}: {found!r}, expected {wanted!r}")
    assert not wrong, "\n".join(wrong)
