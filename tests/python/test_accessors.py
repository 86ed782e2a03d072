"""Every row of the core's table of accessors: what it is in Python, with the sample that stands in
the row."""

import json
from pathlib import Path

import pytest

import modelwire
from callers import asked
from wire import END, STREAM_HEAD, answer

ROOT = Path(__file__).parents[2]
ROWS = json.loads((ROOT / "include/modelwire.json").read_text())["accessors"]
HEADERS = {"x_request_id": "req-1", "retry_after": "2"}

# What gives it; of a chunk, of the answer to a chat, and of an error.
CHUNK = {
    "name": lambda chunk: chunk._event,
    "reasoning": lambda chunk: chunk.reasoning_text,
    "finish_reason": lambda chunk: chunk.choices[0].finish_reason,
}
RESPONSE = {
    "request_id": lambda response: response._request_id,
    "id": lambda response: response.id,
    "model": lambda response: response.model,
    "reasoning": lambda response: response.reasoning_text,
    "finish_reason": lambda response: response.choices[0].finish_reason,
}
ERROR = {
    "kind": lambda error: error.kind,
    "message": lambda error: error.message,
    "hint": lambda error: error.hint,
    "doc_url": lambda error: error.doc_url,
    "http_status": lambda error: error.status_code,
    "type": lambda error: error.type,
    "code": lambda error: error.code,
    "param": lambda error: error.param,
    "request_id": lambda error: error.request_id,
    "path": lambda error: error.path,
    "model": lambda error: error.model,
    "metered": lambda error: error.metered,
    "body": lambda error: error.body_text,
    "partial": lambda error: error.partial,
    "headers": lambda error: error.response.headers,
    "request_time_unix_ms": lambda error: error.request_time,
    "attempts": lambda error: error.attempts,
    "elapsed_ms": lambda error: error.elapsed,
    "retry_after_ms": lambda error: int(error.retry_after * 1000),
}
# Those that have another form in Python, and where that is tested.
ELSEWHERE = {
    ("chunk", "usage"): "test_usage.py",
    ("chunk", "tool_calls"): "test_objects.py",
    ("response", "http_status"): "test_raw.py",
    ("response", "attempts"): "test_raw.py",
    ("response", "elapsed_ms"): "test_raw.py",
    ("response", "end"): "test_streams.py",
    ("response", "is_gathered"): "test_streams.py",
    ("response", "usage"): "test_usage.py",
    ("response", "tool_calls"): "test_objects.py",
    ("response", "models"): "test_answers.py",
    ("response", "headers"): "test_raw.py",
    ("response", "rate_limits"): "test_rate_limits.py",
    ("response", "timing"): "test_calls.py",
    ("error", "timeout"): "test_timeouts.py",
    ("error", "rate_limits"): "test_rate_limits.py",
    ("error", "timing"): "test_calls.py",
}


def chunk_of(scripted, sent):
    event = f"event: named\ndata: {sent}\n\n"
    steps = [{"send": STREAM_HEAD}, {"send": f"{len(event.encode()):x}\r\n{event}\r\n"}, *END]
    return next(iter(asked(scripted({"steps": steps}), stream=True)))


def response_of(scripted, sent):
    return asked(scripted(answer(sent, **HEADERS)))


def error_of(scripted, sent):
    client = scripted(answer(sent, 429, **HEADERS), max_retries=0)
    with pytest.raises(modelwire.RateLimitError) as raised:
        asked(client)
    return raised.value


OF = {"chunk": (CHUNK, chunk_of), "response": (RESPONSE, response_of), "error": (ERROR, error_of)}


def test_every_accessor_row_has_a_python_form():
    """A row of the table that Python has no form of is named here."""
    known = {(of, name) for of, (forms, _) in OF.items() for name in forms}
    assert not known & set(ELSEWHERE)
    assert known | set(ELSEWHERE) == {(row["of"], row["name"]) for row in ROWS}


@pytest.mark.parametrize(
    "row",
    [row for row in ROWS if row["name"] in OF[row["of"]][0]],
    ids=lambda row: f"{row['of']}-{row['name']}",
)
def test_every_row_gives_its_sample(scripted, row):
    forms, made = OF[row["of"]]
    found = forms[row["name"]](made(scripted, row["example"]["sent"]))
    if row["example"]["gives"] == "*":
        assert found is not None
    else:
        assert found == json.loads(row["example"]["gives"])
