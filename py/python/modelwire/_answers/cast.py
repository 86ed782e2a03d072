"""Answers as the type that a program asks for: `cast_to` of calls by path, and `parse(to=...)` of
raw responses."""

from __future__ import annotations

import json
from typing import Any, get_origin

from modelwire._native import AsyncStream, Object, Stream

_PLAIN = (object, Any, dict, list)


def check_stream(stream_cls: Any, is_async: bool, name: str = "stream_cls") -> None:
    """Refuses what is not the class of the streams of this client."""
    kind = get_origin(stream_cls) or stream_cls
    expected = (AsyncStream if is_async else Stream).__name__
    if getattr(kind, "__name__", "") != expected:
        raise TypeError(f"{name} takes {expected}, not {stream_cls!r}: chunks come as they are")


def cast(answer: Any, kind: Any) -> Any:
    """The answer of a call as this type."""
    if kind is type(None):
        return None
    text = answer.to_json(indent=None)
    if kind is str:
        return text
    if kind is bytes:
        return text.encode()
    origin = get_origin(kind) or kind
    if origin in _PLAIN:
        return json.loads(text)
    if isinstance(origin, type):
        if origin.__name__ == "Response" and not issubclass(origin, Object) and _is_http(origin):
            response = answer._response
            response.text = text
            return response
        if isinstance(answer, origin):
            return answer
        if issubclass(origin, Object):
            return origin.model_validate(json.loads(text))
    from modelwire._schemas.formats import library
    from modelwire._schemas.parse import read

    return read(library(kind)[1], text, answer, getattr(kind, "__name__", str(kind)))


def of_raw(result: Any, to: Any) -> Any:
    """The result of a raw answer as this type; a stream is returned as it is."""
    if isinstance(result, (Stream, AsyncStream)):
        check_stream(to, isinstance(result, AsyncStream), "to")
        return result
    kind = get_origin(to) or to
    if not hasattr(result, "_answer"):
        return cast(result, to)
    if kind not in _PLAIN and isinstance(kind, type) and isinstance(result, kind):
        return result  # a list of models
    return cast(result._answer, to)


def _is_http(kind: type) -> bool:
    """Whether this is a class of HTTP responses: httpx's or ours."""
    return kind.__module__.partition(".")[0] in ("httpx", "httpx2") or kind.__module__ == (
        "modelwire._answers.http"
    )
