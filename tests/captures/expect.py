#!/usr/bin/env python3
"""Derives what a client must see of each recorded exchange, for a reader to check by hand.

Written from the rules of the service, without modelwire's code. `expect.py SERVER...` writes
expected/SERVER.json; a line that differs from what is committed is to be understood, not pasted.
"""

import base64
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
OPERATIONS = {("GET", "/models"), ("POST", "/chat/completions"), ("POST", "/responses")}
KINDS = {400: "invalid_request", 401: "authentication", 403: "permission", 404: "not_found",
         429: "rate_limited"}
FINAL = ("response.completed", "response.failed", "response.incomplete")
EXCERPT_BYTES = 200
SAY_NOTHING_WITHOUT_CONTENT = ("user", "system", "developer", "tool")


def body_of(response):
    if "chunks" in response:
        return b"".join(base64.b64decode(chunk["data_base64"]) for chunk in response["chunks"])
    return base64.b64decode(response.get("body_base64", ""))


def header(response, name):
    return next((v for k, v in response["headers"] if k.lower() == name), "")


def events(text):
    """(event, data) of each whole event; the servers recorded here end lines in LF alone. An error
    that ends the body counts without its blank line, too: LitServe sends none."""
    *blocks, last = text.lstrip("\ufeff").split("\n\n")
    if last.startswith('data: {"error"') and parse(last.removeprefix("data: ")) is not None:
        blocks.append(last)
    for block in blocks:
        name, data = "", []
        for line in block.split("\n"):
            field, _, value = line.partition(":")
            value = value[1:] if value.startswith(" ") else value
            if field == "event":
                name = value
            elif field == "data":
                data.append(value)
        if data:
            yield name, "\n".join(data)


def text_of(value):
    """A string, a number's digits, or nothing; a lone surrogate reads as U+FFFD."""
    if isinstance(value, str):
        return "".join("\ufffd" if 0xD800 <= ord(c) < 0xE000 else c for c in value)
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return str(value) if is_number else None


def excerpt(text):
    text = text.strip()
    shown = text.encode()[:EXCERPT_BYTES].decode(errors="ignore")
    line = " ".join(shown.split())
    return line if shown == text else line + " ..."


def parse(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


def error_object(value):
    """message, type, code and param, wherever they stand."""
    if isinstance(value, list):
        return error_object(value[0]) if value else {}
    if not isinstance(value, dict):
        return {"message": text_of(value)}
    inner = value.get("error")
    if isinstance(inner, dict):
        return error_object(inner)
    fields = {name: text_of(value.get(name)) for name in ("message", "type", "code", "param")}
    detail = value.get("detail")
    if isinstance(detail, dict) and isinstance(detail.get("error"), dict):
        return error_object(detail)
    if value.get("error_code"):
        fields["message"] = fields["message"] or text_of(value.get("text"))
        fields["code"] = text_of(value["error_code"])
    fields["message"] = fields["message"] or text_of(inner) or text_of(detail)
    if fields["message"] is None and detail is not None:
        fields["message"] = excerpt(json.dumps(detail, ensure_ascii=False, separators=(",", ":")))
    return fields


def failed(kind, status, found, otherwise, chunks=None):
    fields = {name: found.get(name) for name in ("message", "type", "code", "param")}
    fields["message"] = fields["message"] or otherwise
    return {"error": {"kind": kind, "status": status, **fields, "chunks": chunks or 0}}


def usage_of(value):
    usage = (value or {}).get("usage") if isinstance(value, dict) else None
    if not isinstance(usage, dict):
        return None
    pick = lambda *names: next((usage[n] for n in names if isinstance(usage.get(n), int)), None)
    into, out = pick("prompt_tokens", "input_tokens"), pick("completion_tokens", "output_tokens")
    total = pick("total_tokens")
    if into is None and out is None and total is None:
        return None
    into, out = into or 0, out or 0
    return [into, out, into + out if total is None else total]


def bad_status(status, text):
    value = parse(text)
    if value is None:
        values = (parse(data) for _, data in events(text + "\n\n"))
        value = next((v for v in values if v is not None), None)
    found = error_object(value) if value is not None else {}
    kind = KINDS.get(status, "server" if 500 <= status < 600 else "status")
    return failed(kind, status, found, excerpt(text))


def document(status, text):
    value = parse(text)
    if value is None:
        return failed("protocol", status, {}, None)
    has_answer = isinstance(value, dict) and {"choices", "output", "data"} & set(value)
    if isinstance(value, dict) and value.get("error") and not has_answer:
        return failed("stream", status, error_object(value), excerpt(text))
    ok = {"text": "", "finish_reason": None, "usage": usage_of(value), "end": "document"}
    if "choices" in value:
        choices = {c.get("index", at): (text_of(c["message"].get("content")) or "", c["finish_reason"])
                   for at, c in enumerate(value["choices"])}
        ok["text"], ok["finish_reason"] = choices[0]
        if len(choices) > 1:
            ok["choices"] = {str(k): list(v) for k, v in choices.items()}
    elif "output" in value:
        parts = [p for item in value["output"] for p in item.get("content") or []]
        ok["text"] = "".join(text_of(p["text"]) for p in parts if p.get("type") == "output_text")
        ok["finish_reason"] = value.get("status")
    else:
        ok["models"] = [model["id"] for model in value["data"]]
    return {"ok": ok}


class Told:
    """What the chunks of a stream add up to."""

    def __init__(self):
        self.chunks, self.usage, self.reason, self.text = 0, None, None, ""
        self.choices = {}

    def take(self, value):
        self.chunks += 1
        self.usage = usage_of(value) or usage_of(value.get("response")) or self.usage
        if value.get("type") == "response.output_text.delta":
            self.text += text_of(value["delta"])
        if isinstance(value.get("response"), dict):
            self.reason = value["response"].get("status", self.reason)
        for choice in value.get("choices", []):
            told = self.choices.setdefault(choice["index"], ["", None])
            told[0] += text_of(choice.get("delta", {}).get("content")) or ""
            told[1] = choice.get("finish_reason") or told[1]

    def ok(self, end):
        ok = {"text": self.text, "finish_reason": self.reason, "usage": self.usage,
              "chunks": self.chunks, "end": end}
        if self.choices:
            ok["text"], ok["finish_reason"] = self.choices[0]
        if len(self.choices) > 1:
            ok["choices"] = {str(index): told for index, told in self.choices.items()}
        return {"ok": ok}


def stream(response, text, wanted):
    status, told = response["status"], Told()
    for name, data in events(text):
        if data.strip() == "[DONE]":
            return told.ok("done_mark")
        value = parse(data)
        if value is None:
            return failed("protocol", status, {}, None, told.chunks)
        final = isinstance(value, dict) and value.get("type") in FINAL
        is_error = name == "error" or value.get("type") == "error"
        if is_error or value.get("error") and not final or value.get("error_code"):
            return failed("stream", status, error_object(value), excerpt(data), told.chunks)
        told.take(value)
        if final:
            return told.ok("final_event")
    was_cut = response["end"] != "last-chunk" and response["framing"] != "close"
    if was_cut:
        return failed("disconnected", status, {}, None, told.chunks)
    finished = sum(reason is not None for _, reason in told.choices.values())
    if finished >= wanted:
        return told.ok("finish_reasons")
    return failed("incomplete", status, {}, None, told.chunks)


def expect(record):
    request, response = record["request"], record["response"]
    status, text = response["status"], body_of(response).decode(errors="replace")
    body = parse(request.get("body") or "")
    body = body if isinstance(body, dict) else {}
    wants_stream = body.get("stream") is True
    is_stream = header(response, "content-type").startswith("text/event-stream")
    if status is None:
        return failed("disconnected", None, {}, None)
    if not 200 <= status < 300:
        return bad_status(status, text)
    if wants_stream != is_stream:  # R-STR5 comes with the next change
        return {**failed("protocol", status, {}, None), "today": True}
    if wants_stream:
        return stream(response, text, body.get("n", 1))
    return document(status, text)


def refused(record):
    """Why a client cannot send the recorded body: it is sent a valid one instead."""
    if record["request"]["method"] == "GET":
        return None
    body = parse(record["request"].get("body", ""))
    is_chat = "chat" in record["request"]["path"]
    content, bound, other = "messages", "max_tokens", "max_output_tokens"
    if not is_chat:
        content, bound, other = "input", other, bound
    if not isinstance(body, dict):
        return "the body is not a JSON object"
    for name in ("model", content):
        if name not in body:
            return f"{name} is missing"
    if is_chat and not isinstance(body["messages"], list):
        return "messages is not an array"
    if not is_chat and not isinstance(body["input"], (str, list)):
        return "input is neither a string nor an array"
    for index, message in enumerate(body["messages"] if is_chat else []):
        said = message.get("content")
        may_be_null = message.get("role") not in SAY_NOTHING_WITHOUT_CONTENT
        if not (isinstance(said, (str, list)) or said is None and may_be_null):
            return f"messages[{index}].content is not right for its role"
    if body.get(bound) is not None and body[bound] < 1:
        return f"{bound} is below 1"
    if body.get(other) is not None:
        return f"{other} is of the other operation"
    return None


def main():
    for server in sys.argv[1:]:
        left_out, exchanges = {}, {}
        for path in sorted((HERE / server).glob("*.json")):
            record = json.loads(path.read_text())
            method, target = record["request"]["method"], record["request"]["path"]
            if (method, target.removeprefix("/api").removeprefix("/v1")) in OPERATIONS:
                why = refused(record)
                replaced = {"replaced": why} if why else {}
                exchanges[path.stem] = {**expect(record), **replaced}
            else:
                left_out[path.stem] = f"{method} {target} is none of the three operations"
        found = {"left_out": left_out, "exchanges": exchanges}
        lines = json.dumps(found, indent=1, ensure_ascii=False)
        (HERE / "expected" / f"{server}.json").write_text(lines + "\n")


main()
