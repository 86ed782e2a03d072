"""What scripts put on the wire, as data for the service's control interface."""

import json

# After it a client's next call takes the connection of its first: the service has not closed it.
TRUST_TIME = 0.05
STALL = {"stall": True}
HELLO = [{"role": "user", "content": "Hello there, dear service"}]
WORDS = ["Hello ", "there, ", "dear ", "service"]
# What sums of usage have beside their tokens, where no service said anything of it.
NO_PARTS = {
    "cached_input_tokens": 0,
    "cache_write_tokens": 0,
    "reasoning_tokens": 0,
    "audio_input_tokens": 0,
    "audio_output_tokens": 0,
}
STREAM_HEAD = (
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
)


def answer(body, status=200, **headers):
    """A whole answer; a body that is no text is written as JSON."""
    text = body if isinstance(body, str) else json.dumps(body)
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    return {"json": {"status": status, "headers": headers, "body": text}}


def whole(body):
    """The same as text, for who sends it himself."""
    text = json.dumps(body)
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(text)}"
    return f"{head}\r\n\r\n{text}"


# Of a chat and of a response alike.
ANSWER = answer({"choices": [{}], "output": []})


def chat(message):
    """A whole chat answer with this message."""
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return answer({"id": "c", "object": "chat.completion", "choices": [choice]})


def piece(text, **fields):
    """The JSON text of a chat chunk that adds this text."""
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    return json.dumps({"id": "c", "object": "chat.completion.chunk", "choices": [choice], **fields})


def finish(reason="stop"):
    """The JSON text of the chat chunk that ends its choice."""
    return json.dumps({"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})


def events(*data, end="done"):
    """A stream of these events; `end` is done, eof, cut or reset."""
    return {"events": list(data), "end": end}


def sent(data):
    """A step that sends one event as an HTTP chunk of its own."""
    event = f"data: {data}\n\n"
    return {"send": f"{len(event.encode()):x}\r\n{event}\r\n"}


def stream(*steps):
    """A stream step by step: texts are events, dicts are steps as they are. What follows the head
    at once is sent with it: no timeout runs out between them."""
    written = [sent(step) if isinstance(step, str) else step for step in steps]
    first = STREAM_HEAD
    while written and written[0].keys() == {"send"}:
        first += written.pop(0)["send"]
    return {"steps": [{"send": first}, *written]}


def pause(seconds):
    return {"pause_ms": int(seconds * 1000)}


END = [sent("[DONE]"), {"send": "0\r\n\r\n"}]
SILENCE = {"steps": [STALL]}


def text(chunks):
    """The text that chunks of a chat add up to."""
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
