"""Keeps the parts of a dump that pydantic's include and exclude name. Imported on demand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_ALL = "__all__"


def kept(value: Any, include: Any, exclude: Any) -> Any:
    """The value with included parts only, and without excluded ones. Both name entries of dicts,
    or positions in lists, as a set or as a dict whose values name the parts of an entry: True or
    ... for all of it. "__all__" is every position of a list."""
    if isinstance(value, dict):
        return {
            name: part
            for name, entry in value.items()
            for part in _part(entry, (name,), include, exclude)
        }
    if isinstance(value, list):
        return [
            part
            for place, entry in enumerate(value)
            for part in _part(entry, (_ALL, place, place - len(value)), include, exclude)
        ]
    return value


def _part(entry: Any, names: tuple[Any, ...], include: Any, exclude: Any) -> Iterator[Any]:
    """The kept part of an entry with these names: nothing, or one value."""
    if include is not None:
        wanted = [said for name in names if (said := _said(include, name)) is not None]
        if not wanted:
            return
        if not any(_is_all(said) for said in wanted):
            entry = kept(entry, _together(wanted), None)
    for name in names:
        unwanted = _said(exclude, name)
        if _is_all(unwanted):
            return
        if unwanted is not None:
            entry = kept(entry, None, unwanted)
    yield entry


def _together(named: list[Any]) -> dict[Any, Any]:
    together: dict[Any, Any] = {}
    for parts in named:
        together.update(parts if hasattr(parts, "keys") else dict.fromkeys(parts, True))
    return together


def _said(parts: Any, name: Any) -> Any:
    """The specification of an entry; None if there is none."""
    if parts is None or name not in parts:
        return None
    return (parts[name] or None) if hasattr(parts, "keys") else True


def _is_all(said: Any) -> bool:
    return said is True or said is ...
