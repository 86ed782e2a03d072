"""Converts messages of requests and answers to OpenTelemetry's conventions for generative AI,
bounded and without the key. Used only if content is captured."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from modelwire._native import _redacted

CONTENT_MAX = 65_536
"""Characters of each attribute with content, before it is JSON; what is longer is cut."""
DEPTH_MAX = 64
"""How deep content may be nested; what is deeper is left out."""
CUT = "…"
"""Marks where content was cut."""

_ITEM = 2  # the cost of a list item, a member, a number


def redacted(text: str, keys: Sequence[str]) -> str:
    """The text without the keys, as valid UTF-8: if an exporter cannot encode one text, it loses
    the whole batch of spans."""
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode()
    return _redacted(text, keys)


def of_request(
    operation: str, fields: Mapping[str, Any], limit: int, keys: Sequence[str]
) -> dict[str, Any]:
    """The messages, instructions and tools of a request, by attribute."""
    found: dict[str, Any] = {
        "gen_ai.input.messages": _messages(
            fields.get("messages" if operation == "chat" else "input")
        ),
        "gen_ai.tool.definitions": map(_tool, _items(fields.get("tools"))),
    }
    instructions = fields.get("instructions")
    if operation == "responses" and isinstance(instructions, str):
        found["gen_ai.system_instructions"] = [_text(instructions)]
    bounded = {name: _Bounded(limit, keys).value(one) for name, one in found.items()}
    return {name: one for name, one in bounded.items() if one}


def of_answer(operation: str, answer: Any, limit: int, keys: Sequence[str]) -> dict[str, Any]:
    """The messages of an answer, one for each choice, by attribute."""
    reasons = finish_reasons(operation, answer)
    messages: Any
    if operation == "responses":
        parts = (part for item in _items(_of(answer, "output")) for part in _item(item))
        messages = [_Form(role="assistant", finish_reason=reasons[0], parts=parts)]
    else:
        messages = (
            _Form(_message(_of(choice, "message")), finish_reason=reason)
            for choice, reason in zip(_items(_of(answer, "choices")), reasons)
        )
    return {"gen_ai.output.messages": _Bounded(limit, keys).value(messages)}


def finish_reasons(operation: str, answer: Any) -> list[str]:
    """The finish reason of each choice."""
    if operation == "chat":
        choices = _items(_of(answer, "choices"))
        return [str(_of(choice, "finish_reason") or "error") for choice in choices]
    detail = _of(_of(answer, "incomplete_details"), "reason")
    if detail is not None:
        return ["length" if detail == "max_output_tokens" else str(detail)]
    return [finish_reason(operation, str(_of(answer, "status") or "completed"))]


def finish_reason(operation: str, reason: str) -> str:
    """A finish reason in the terms of chats; for a response, from its status."""
    if operation == "responses":
        return {"completed": "stop", "failed": "error", "cancelled": "error"}.get(reason, reason)
    return reason


class _Form(dict[str, Any]):
    """An object that the conventions define: all members are kept, even at the limit."""


class _Bounded:
    """Copies content as JSON values, up to a limit."""

    def __init__(self, limit: int, keys: Sequence[str]) -> None:
        self._left = limit
        self._keys = keys

    def value(self, value: Any, depth: int = 0) -> Any:
        """The copy of a value."""
        if isinstance(value, str):
            text = redacted(value, self._keys)
            if len(text) > self._left:
                text = text[: max(self._left, 0)] + CUT
            self._left -= len(text)
            return text
        self._left -= _ITEM
        if value is None or isinstance(value, (bool, int, float)):
            return value
        if depth >= DEPTH_MAX:
            return CUT
        if isinstance(value, _Form):
            return {name: self.value(one, depth + 1) for name, one in value.items()}
        value = _plain(value)
        if isinstance(value, Mapping):
            members = self._while_left(value.items())
            return {self.value(str(name)): self.value(one, depth + 1) for name, one in members}
        if isinstance(value, (list, tuple, Iterator)):
            return [self.value(one, depth + 1) for one in self._while_left(value)]
        return f"<{type(value).__name__}>"

    def _while_left(self, items: Any) -> Iterator[Any]:
        for one in items:
            if self._left <= 0:
                return
            yield one


def _plain(value: Any) -> Any:
    """Converts our answers and pydantic models to dicts."""
    for name in ("to_dict", "model_dump"):
        if not isinstance(value, (Mapping, list, tuple)) and callable(getattr(value, name, None)):
            return getattr(value, name)()
    return value


def _of(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _items(value: Any) -> Any:
    return value if isinstance(value, (list, tuple)) else ()


def _text(text: Any) -> _Form:
    return _Form(type="text", content=text)


def _messages(given: Any) -> Iterator[_Form]:
    """The input of a chat or of a response."""
    if isinstance(given, str):
        yield _Form(role="user", parts=[_text(given)])
    for one in _items(given):
        if _of(one, "role") or _of(one, "type") in (None, "message"):
            yield _message(one)
        else:
            role = "tool" if str(_of(one, "type")).endswith("_output") else "assistant"
            yield _Form(role=role, parts=_item(one))


def _message(message: Any) -> _Form:
    role = str(_of(message, "role") or "assistant")
    return _Form(role=role, parts=_parts(message, role))


def _parts(message: Any, role: str) -> Iterator[Any]:
    content, refusal = _of(message, "content"), _of(message, "refusal")
    reasoning = _of(message, "reasoning_content") or _of(message, "reasoning")
    if isinstance(reasoning, str) and reasoning:
        yield _Form(type="reasoning", content=reasoning)
    if role == "tool":
        yield _tool_result(_of(message, "tool_call_id"), content)
    elif isinstance(content, str):
        yield from [_text(content)] if content else []
    else:
        yield from map(_part, _items(content))
    if isinstance(refusal, str) and refusal:
        yield _text(refusal)
    for call in _items(_of(message, "tool_calls")):
        yield _tool_call(_of(call, "id"), _of(call, "function") or _of(call, "custom"))


def _item(item: Any) -> Iterator[Any]:
    """The parts of a response item, whether it is a message or not."""
    kind = str(_of(item, "type"))
    if kind == "message":
        yield from _parts(item, "assistant")
    elif kind in ("function_call", "custom_tool_call"):
        yield _tool_call(_of(item, "call_id"), item)
    elif kind in ("function_call_output", "custom_tool_call_output"):
        yield _tool_result(_of(item, "call_id"), _of(item, "output"))
    elif kind == "reasoning":
        for part in (*_items(_of(item, "summary")), *_items(_of(item, "content"))):
            yield _Form(type="reasoning", content=_of(part, "text"))
    else:
        yield _other(item)


def _part(part: Any) -> Any:
    """A part of a message's content."""
    if isinstance(part, str):
        return _text(part)
    for name in ("text", "refusal"):
        if isinstance(_of(part, name), str):
            return _text(_of(part, name))
    image, audio = _of(part, "image_url"), _of(part, "input_audio")
    url = image if isinstance(image, str) else _of(image, "url")
    if isinstance(url, str) and url.startswith("data:"):
        head, _, data = url.removeprefix("data:").partition(",")
        return _blob("image", head.partition(";")[0], data)
    if isinstance(url, str):
        return _Form(type="uri", modality="image", uri=url)
    if audio is not None:
        return _blob("audio", f"audio/{_of(audio, 'format')}", _of(audio, "data"))
    return _other(part)


def _blob(modality: str, mime_type: str, content: Any) -> _Form:
    return _Form(type="blob", modality=modality, mime_type=mime_type, content=content)


def _other(part: Any) -> Any:
    """A part that the conventions do not define, unchanged: they allow any part with a type."""
    part = _plain(part)
    return part if isinstance(part, Mapping) and "type" in part else _Form(type="unknown")


def _tool_call(call_id: Any, function: Any) -> _Form:
    arguments = _of(function, "arguments")
    arguments = _of(function, "input") if arguments is None else arguments
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            pass  # incomplete JSON, or the text of a custom tool
    name = str(_of(function, "name") or "")
    return _Form(type="tool_call", id=call_id, name=name, arguments=arguments)


def _tool_result(call_id: Any, response: Any) -> _Form:
    return _Form(type="tool_call_response", id=call_id, response=response)


def _tool(tool: Any) -> _Form:
    """A tool without its schema, which the conventions advise against including."""
    kind = str(_of(tool, "type") or "function")
    return _Form(type=kind, name=str(_of(tool, "name") or _of(_of(tool, kind), "name") or kind))
