"""What a program wants an answer to be, whichever library its type is of: the JSON schema that is
sent, and the reading of the text that comes. Knows no request and no answer.

pydantic and msgspec are never imported here: who hands over one of their types has done that.
"""

from __future__ import annotations

import json
import re
import sys
import typing
from collections.abc import Callable, Iterator
from typing import Any

from modelwire._schemas.schema import WRAPPED, strict, wrapped
from modelwire._schemas.standard import bare, fields, plain_name, read, record, schema

NAME_CHARS_MAX = 64
"""Longest name of a format that services take."""


class Format:
    """A type as what an answer is to be."""

    __slots__ = ("_read", "is_wrapped", "kind", "name", "schema")

    def __init__(self, kind: Any) -> None:
        self.kind = kind
        described, self._read = library(kind)
        self.name = (re.sub("[^A-Za-z0-9_-]+", "_", _name(kind)).strip("_") or "Answer")[
            :NAME_CHARS_MAX
        ]
        self.schema: dict[str, Any] = strict(described)
        outer = wrapped(self.schema)
        self.is_wrapped = outer is not None
        if outer is not None:
            self.schema = outer

    def read(self, text: str) -> Any:
        """The value that a text is; a ValueError where it is none."""
        if self.is_wrapped:
            value = json.loads(text)
            # A model that was not told of the wrapping answers without.
            if isinstance(value, dict) and list(value) == [WRAPPED]:
                text = json.dumps(value[WRAPPED])
        return self._read(text)


def is_type(value: Any) -> bool:
    """Whether a value says what an answer is to be, and is no JSON schema."""
    return (
        isinstance(value, type)
        or typing.get_origin(value) is not None
        or value is Any
        or _is_adapter(value)
        or hasattr(value, "__supertype__")
        or type(value).__name__ == "TypeAliasType"
    )


def _is_adapter(value: Any) -> bool:
    pydantic = sys.modules.get("pydantic")
    return isinstance(value, getattr(pydantic, "TypeAdapter", ()))


def _name(kind: Any) -> str:
    if _is_adapter(kind):
        kind = getattr(kind, "_type", None)
    return kind.__name__ if isinstance(kind, type) else plain_name(kind)


def _parts(kind: Any, seen: set[Any]) -> Iterator[Any]:
    """A type, and all that it is made of; with what is said about them."""
    kind, said = bare(kind)
    yield from said
    yield kind
    is_hashable = isinstance(kind, typing.Hashable)
    if is_hashable and kind in seen:
        return
    if is_hashable:
        seen.add(kind)
    if typing.get_origin(kind) is typing.Literal:
        return
    for argument in typing.get_args(kind):
        if argument is not Ellipsis:
            yield from _parts(argument, seen)
    if record(kind) is not None and not _is_of_pydantic(kind):
        for field in fields(kind):
            yield from _parts(field.kind, seen)


_OF_PYDANTIC = ("__pydantic_validator__", "__pydantic_config__", "__get_pydantic_core_schema__")
_MODULES_OF_PYDANTIC = ("pydantic", "pydantic_core", "annotated_types")


def _is_of_pydantic(part: Any) -> bool:
    if "pydantic" not in sys.modules:
        return False  # our own answers know what pydantic asks of a class, too
    if isinstance(part, type):
        return any(hasattr(part, name) for name in _OF_PYDANTIC)
    return type(part).__module__.partition(".")[0] in _MODULES_OF_PYDANTIC


def _is_of_msgspec(part: Any) -> bool:
    if isinstance(part, type):
        return hasattr(part, "__struct_fields__")
    return type(part).__module__.partition(".")[0] == "msgspec"


def library(kind: Any) -> tuple[dict[str, Any], Callable[[str], Any]]:
    """The JSON schema of a type, and what reads a text as one, by the library that it is of."""
    if _is_adapter(kind):
        return kind.json_schema(), kind.validate_json
    if isinstance(kind, type) and hasattr(kind, "model_validate_json") and _is_of_pydantic(kind):
        model: Any = kind
        return model.model_json_schema(), model.model_validate_json
    parts = list(_parts(kind, set()))
    if any(map(_is_of_pydantic, parts)):
        adapter = sys.modules["pydantic"].TypeAdapter(kind)
        return adapter.json_schema(), adapter.validate_json
    if any(map(_is_of_msgspec, parts)):
        return _with_msgspec(kind)
    return schema(kind), lambda text: read(kind, json.loads(text))


def _with_msgspec(kind: Any) -> tuple[dict[str, Any], Callable[[str], Any]]:
    msgspec: Any = sys.modules["msgspec"]
    decoder = msgspec.json.Decoder(kind)

    def decoded(text: str) -> Any:
        try:
            return decoder.decode(text)
        except msgspec.MsgspecError as cause:  # which is no ValueError
            raise ValueError(str(cause)) from cause

    return msgspec.json.schema(kind), decoded
