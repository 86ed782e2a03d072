"""What was asked and answered, in the form that OpenTelemetry's conventions give messages; bounded,
and without the key. Used where the content was asked for. Knows no span."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

CONTENT_MAX = 65_536
"""Characters of each attribute with content, before it is JSON; what is longer is cut."""
DEPTH_MAX = 64
"""How deep content may be nested; what is deeper is left out."""
CUT = "…"
"""Stands where something was cut."""

_ITEM = 2  # what an item of a list, a member of an object, a number count


def masked(text: str, key: str) -> str:
    """A text without the key, and as every exporter can write it: one that cannot be UTF-8 would
    cost all spans that are exported with it."""
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode()
    return text.replace(key, "[key]") if key else text


class Told:
    """What may still be told of one attribute."""

    def __init__(self, limit: int, key: str) -> None:
        self._left = limit
        self._key = key

    def text(self, text: str) -> str:
        """A text without the key, cut where too much was told."""
        text = masked(text, self._key)
        if len(text) > self._left:
            text = text[: max(self._left, 0)] + CUT
        self._left -= len(text)
        return text

    def value(self, value: Any, depth: int = 0) -> Any:
        """Any value as JSON has it."""
        if value is None or isinstance(value, (bool, int, float)):
            self._left -= _ITEM
            return value
        if isinstance(value, str):
            return self.text(value)
        if depth >= DEPTH_MAX:
            return CUT
        plain = _plain(value)
        if isinstance(plain, Mapping):
            found = {}
            for name, one in plain.items():
                if self._left <= 0:
                    break
                self._left -= _ITEM
                found[self.text(str(name))] = self.value(one, depth + 1)
            return found
        if isinstance(plain, (list, tuple)):
            return [self.value(one, depth + 1) for one in self.items(plain)]
        return f"<{type(value).__name__}>"

    def items(self, items: Any) -> Any:
        """The items of a list, until too much was told."""
        for one in items if isinstance(items, (list, tuple)) else ():
            if self._left <= 0:
                return
            self._left -= _ITEM
            yield one


def _plain(value: Any) -> Any:
    """What takes the place of a dict, as our answers and pydantic's models do, as a dict."""
    for name in ("to_dict", "model_dump"):
        if not isinstance(value, (Mapping, list, tuple)) and callable(getattr(value, name, None)):
            return getattr(value, name)()
    return value


def _of(value: Any, name: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(name)
    return getattr(value, name, None)


def dumped(value: Any) -> str:
    """Content as JSON text, which is how a span has it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def asked(operation: str, fields: Mapping[str, Any], limit: int, key: str) -> dict[str, Any]:
    """The messages, instructions and tools of a request."""
    given = fields.get("messages") if operation == "chat" else fields.get("input")
    found = {
        "input_messages": _messages(operation, given, Told(limit, key)),
        "tools": _tools(fields.get("tools"), Told(limit, key)),
    }
    instructions = fields.get("instructions")
    if operation == "responses" and isinstance(instructions, str):
        found["instructions"] = [_text(instructions, Told(limit, key))]
    return {name: told for name, told in found.items() if told}


def answered(operation: str, answer: Any, with_reasons: bool, limit: int, key: str) -> list[Any]:
    """The messages of an answer: one for each choice."""
    told = Told(limit, key)
    if operation == "responses":
        parts = [part for item in told.items(_of(answer, "output")) for part in _item(item, told)]
        message: dict[str, Any] = {"role": "assistant", "parts": parts}
        if with_reasons:
            message["finish_reason"] = masked(_response_reason(answer), key)
        return [message] if parts else []
    found = []
    for choice in told.items(_of(answer, "choices")):
        message = _message(_of(choice, "message"), told)
        if with_reasons:
            message["finish_reason"] = masked(str(_of(choice, "finish_reason") or "error"), key)
        found.append(message)
    return found


def reasons(operation: str, answer: Any) -> list[str]:
    """Why each choice of an answer ended."""
    if operation == "responses":
        return [_response_reason(answer)]
    choices = _of(answer, "choices")
    choices = choices if isinstance(choices, (list, tuple)) else ()
    return [str(_of(choice, "finish_reason") or "error") for choice in choices]


def reason(operation: str, said: str) -> str:
    """Why an answer ended, in the words that chats have for it: a response says its status."""
    if operation == "responses":
        return {"completed": "stop", "failed": "error", "cancelled": "error"}.get(said, said)
    return said


def _response_reason(answer: Any) -> str:
    detail = _of(_of(answer, "incomplete_details"), "reason")
    if detail is not None:
        return {"max_output_tokens": "length"}.get(detail, str(detail))
    return reason("responses", str(_of(answer, "status") or "completed"))


def _text(text: str, told: Told) -> dict[str, Any]:
    return {"type": "text", "content": told.text(text)}


def _messages(operation: str, given: Any, told: Told) -> list[Any]:
    if isinstance(given, str):
        return [{"role": "user", "parts": [_text(given, told)]}]
    found: list[Any] = []
    for one in told.items(given):
        if operation == "chat" or _of(one, "type") in (None, "message"):
            found.append(_message(one, told))
        else:
            role = "tool" if str(_of(one, "type")).endswith("_output") else "assistant"
            found.append({"role": role, "parts": _item(one, told)})
    return found


def _message(message: Any, told: Told) -> dict[str, Any]:
    role = str(_of(message, "role") or "assistant")
    content = _of(message, "content")
    parts: list[Any] = []
    for name in ("reasoning_content", "reasoning"):
        reasoning = _of(message, name)
        if isinstance(reasoning, str) and reasoning:
            parts.append({"type": "reasoning", "content": told.text(reasoning)})
            break
    if role == "tool":
        parts.append(_result(_of(message, "tool_call_id"), content, told))
    elif isinstance(content, str):
        if content:
            parts.append(_text(content, told))
    else:
        parts += [_part(part, told) for part in told.items(content)]
    refusal = _of(message, "refusal")
    if isinstance(refusal, str) and refusal:
        parts.append(_text(refusal, told))
    for call in told.items(_of(message, "tool_calls")):
        function = _of(call, "function") or _of(call, "custom")
        arguments = _of(function, "arguments")
        arguments = _of(function, "input") if arguments is None else arguments
        parts.append(_call(_of(call, "id"), _of(function, "name"), arguments, told))
    return {"role": told.text(role), "parts": parts}


def _call(name: Any, function: Any, arguments: Any, told: Told) -> dict[str, Any]:
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            pass  # cut, or never JSON: told as it is
    return {
        "type": "tool_call",
        "id": told.value(name),
        "name": told.text(str(function or "")),
        "arguments": told.value(arguments),
    }


def _result(name: Any, content: Any, told: Told) -> dict[str, Any]:
    told_content = told.value(content)
    return {"type": "tool_call_response", "id": told.value(name), "response": told_content}


def _part(part: Any, told: Told) -> dict[str, Any]:
    """A part of a message's content, of a chat or of a response."""
    if isinstance(part, str):
        return _text(part, told)
    kind = str(_of(part, "type") or "")
    for name in ("text", "refusal"):
        text = _of(part, name)
        if isinstance(text, str):
            return _text(text, told)
    if "image" in kind:
        image = _of(part, "image_url")
        url = image if isinstance(image, str) else _of(image, "url")
        if isinstance(url, str):
            return _media("image", url, told)
    if kind == "input_audio":
        audio = _of(part, "input_audio")
        mime = f"audio/{_of(audio, 'format')}"
        data = told.text(str(_of(audio, "data") or ""))
        return {"type": "blob", "modality": "audio", "mime_type": mime, "content": data}
    return _other(part, told)


def _media(modality: str, url: str, told: Told) -> dict[str, Any]:
    if not url.startswith("data:"):
        return {"type": "uri", "modality": modality, "uri": told.text(url)}
    head, _, data = url.partition(",")
    mime = head.removeprefix("data:").partition(";")[0]
    content = told.text(data)
    return {"type": "blob", "modality": modality, "mime_type": told.text(mime), "content": content}


def _other(part: Any, told: Told) -> dict[str, Any]:
    """What the conventions have no form for, as it is: they allow it if it says its type."""
    found = told.value(part)
    return found if isinstance(found, dict) and "type" in found else {"type": "unknown"}


def _item(item: Any, told: Told) -> list[Any]:
    """An item of a response as the parts of a message."""
    kind = _of(item, "type")
    if kind == "message":
        content = _of(item, "content")
        if isinstance(content, str):
            return [_text(content, told)]
        return [_part(part, told) for part in told.items(content)]
    if kind in ("function_call", "custom_tool_call"):
        arguments = _of(item, "arguments" if kind == "function_call" else "input")
        return [_call(_of(item, "call_id"), _of(item, "name"), arguments, told)]
    if kind in ("function_call_output", "custom_tool_call_output"):
        return [_result(_of(item, "call_id"), _of(item, "output"), told)]
    if kind == "reasoning":
        texts = (
            _of(part, "text")
            for name in ("summary", "content")
            for part in told.items(_of(item, name))
        )
        return [
            {"type": "reasoning", "content": told.text(text)}
            for text in texts
            if isinstance(text, str)
        ]
    return [_other(item, told)]


def _tools(tools: Any, told: Told) -> list[Any]:
    """What tools there are: the conventions advise against telling their schemas."""
    found = []
    for tool in told.items(tools):
        kind = told.text(str(_of(tool, "type") or "function"))
        name = _of(tool, "name") or _of(_of(tool, str(_of(tool, "type"))), "name") or kind
        found.append({"type": kind, "name": told.text(str(name))})
    return found
