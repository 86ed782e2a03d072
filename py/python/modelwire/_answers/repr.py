"""The display of answers: in tracebacks and consoles, with `print`, in notebooks. Imported when
something is displayed."""

from __future__ import annotations

from typing import Any

from modelwire._native import _View

REPR_CHARS_MAX = 400
"""The longest `repr` of an answer, in characters; `str` and `print` show all of it."""


def _text(value: Any, inside: tuple[int, ...]) -> str:
    """A repr like Python's, with the fields of our objects; dots for recursive objects."""
    if id(value) in inside:
        return "..."
    if isinstance(value, list):
        inside += (id(value),)
        return f"[{', '.join(_text(item, inside) for item in value)}]"
    if isinstance(value, _View):
        return _object(value, type(value).__name__, inside)
    return repr(value)


def _object(view: Any, name: str, inside: tuple[int, ...] = ()) -> str:
    inside += (id(view),)
    fields = (f"{field}={_text(value, inside)}" for field, value in _sent(view))
    return f"{name}({', '.join(fields)})"


def _sent(view: Any) -> list[tuple[str, Any]]:
    """The fields that the service sent, known ones first."""
    names = view.model_fields_set
    return [(name, value) for name, value in view if name in names]


def short(view: Any, name: str) -> str:
    """One line of a bounded length."""
    text = whole(view, name)
    return text if len(text) <= REPR_CHARS_MAX else f"{text[:REPR_CHARS_MAX]}...)"


def whole(view: Any, name: str) -> str:
    """One line with everything that the service sent."""
    return _object(view, name)


def pretty(view: Any, name: str, printer: Any) -> None:
    """Several lines, as broken by IPython's printer."""
    with printer.group(4, f"{name}(", ")"):
        for index, (field, value) in enumerate(_sent(view)):
            if index:
                printer.text(",")
                printer.breakable()
            else:
                printer.breakable("")
            printer.text(f"{field}=")
            printer.pretty(value)


def rich(view: Any, name: str) -> list[tuple[str, Any]]:
    """The fields, in the form for rich."""
    return _sent(view)


def html(view: Any, name: str) -> str:
    """The text if there is one, and the whole answer as expandable JSON."""
    from html import escape

    text = _said(view)
    said = f"<p style='white-space: pre-wrap'>{escape(text)}</p>" if text else ""
    json = escape(view.to_json(indent=2))
    return f"{said}<details><summary>{escape(name)}</summary><pre>{json}</pre></details>"


def _said(view: Any) -> str:
    text = getattr(view, "output_text", None)
    for choice in getattr(view, "choices", None) or []:
        text = text or getattr(getattr(choice, "message", None), "content", None)
    return text if isinstance(text, str) else ""
