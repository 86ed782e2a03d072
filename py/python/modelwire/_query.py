"""Writes query parameters as openai-python does: lists and mappings in brackets, None left out.
Knows no URL but its query."""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any


def with_query(url: str, parameters: Mapping[str, Any]) -> str:
    """The URL with these parameters behind those that it has."""
    from urllib.parse import urlencode

    pairs = [pair for name, value in parameters.items() for pair in _pairs(str(name), value)]
    if not pairs:
        return url
    return f"{url}{'&' if '?' in url else '?'}{urlencode(pairs)}"


def _pairs(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _pairs(f"{name}[{key}]", inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _pairs(f"{name}[]", inner)
    elif value is True or value is False:
        yield name, "true" if value else "false"
    elif value is not None:
        yield name, str(value)
