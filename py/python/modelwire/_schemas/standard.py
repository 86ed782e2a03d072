"""Types of the standard library as JSON schemas, and JSON as values of them: dataclasses, typed
dicts, enums, lists, unions. Knows no request, and neither pydantic nor msgspec.

Imported when a program hands over such a type.
"""

from __future__ import annotations

import collections.abc
import enum
import sys
import types
import typing
from collections.abc import Iterator
from typing import Any, NamedTuple

_MISSING = object()

_SIMPLE: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    None: {"type": "null"},
    type(None): {"type": "null"},
    Any: {},
    object: {},
}
# By their names: a program that has one of them has imported its module, and no other need be.
_TEXTS = {
    ("datetime", "datetime"): {"type": "string", "format": "date-time"},
    ("datetime", "date"): {"type": "string", "format": "date"},
    ("datetime", "time"): {"type": "string", "format": "time"},
    ("uuid", "UUID"): {"type": "string", "format": "uuid"},
    ("decimal", "Decimal"): {"type": "string"},
    ("pathlib", "Path"): {"type": "string", "format": "path"},
}
_LISTS: dict[Any, Any] = {
    list: list,
    tuple: tuple,
    set: set,
    frozenset: frozenset,
    collections.abc.Sequence: list,
    collections.abc.MutableSequence: list,
    collections.abc.Iterable: list,
    collections.abc.Collection: list,
    collections.abc.Set: set,
    collections.abc.MutableSet: set,
}
_DICTS = (dict, collections.abc.Mapping, collections.abc.MutableMapping)
_JSON_NAMES = {
    dict: "an object",
    list: "a list",
    str: "a string",
    int: "a whole number",
    float: "a number",
    bool: "a boolean",
    type(None): "null",
}


def _text_name(kind: Any) -> tuple[str, str]:
    """Under which name a class may stand in `_TEXTS`."""
    if not isinstance(kind, type):
        return "", ""
    return kind.__module__.partition(".")[0], kind.__qualname__


class Misfit(ValueError):
    """A value that is none of its type, and where it stands."""

    def __init__(self, path: str, what: str) -> None:
        super().__init__(f"{path}: {what}" if path else what)


class Field(NamedTuple):
    """A field of a dataclass or a typed dict."""

    name: str
    kind: Any
    description: str | None
    default: Any
    is_required: bool
    is_given: bool
    """Whether it is given when a value is made."""


def _marks() -> dict[Any, bool]:
    """Which marks say that a field of a typed dict is required, and which that it is not."""
    found = {}
    for module in (typing, sys.modules.get("typing_extensions")):
        for name, is_required in (("Required", True), ("NotRequired", False)):
            if hasattr(module, name):
                found[getattr(module, name)] = is_required
    return found


def bare(kind: Any) -> tuple[Any, list[Any]]:
    """A type without what is said about it, and that."""
    said: list[Any] = []
    while True:
        origin = typing.get_origin(kind)
        if origin is typing.Annotated:
            said += kind.__metadata__
            kind = kind.__origin__
        elif origin is typing.Final or getattr(origin, "_name", None) == "ReadOnly":
            kind = typing.get_args(kind)[0]
        elif origin in _marks():
            kind = typing.get_args(kind)[0]
        elif hasattr(kind, "__supertype__"):  # NewType
            kind = kind.__supertype__
        elif type(kind).__name__ == "TypeAliasType":
            kind = kind.__value__
        elif type(origin).__name__ == "TypeAliasType":
            kind = origin.__value__[typing.get_args(kind)]
        else:
            return kind, said


def description_in(said: list[Any]) -> str | None:
    """The first text among what is said about a type."""
    for one in said:
        text = getattr(one, "documentation", one)  # of typing_extensions.Doc
        if isinstance(text, str):
            return text
    return None


def is_union(kind: Any) -> bool:
    """Whether it is a union, in either of its two forms."""
    return typing.get_origin(kind) in (typing.Union, types.UnionType)


def is_typed_dict(kind: Any) -> bool:
    """Whether it is a class of dicts with named fields."""
    return isinstance(kind, type) and issubclass(kind, dict) and hasattr(kind, "__total__")


def record(kind: Any) -> Any:
    """The class of a dataclass or a typed dict, also of one with parameters; else None."""
    found = typing.get_origin(kind) or kind
    if isinstance(found, type) and (hasattr(found, "__dataclass_fields__") or is_typed_dict(found)):
        return found
    return None


def _hints(kind: Any, found: Any) -> dict[str, Any]:
    try:
        hints = typing.get_type_hints(found, include_extras=True)
    except NameError as cause:
        raise TypeError(
            f"an annotation of {found.__name__} cannot be read: {cause}. Names of annotations "
            "must be known in the module that the class is defined in"
        ) from cause
    filled = dict(zip(getattr(found, "__parameters__", ()), typing.get_args(kind), strict=False))

    def fill(hint: Any) -> Any:
        if isinstance(hint, typing.TypeVar):
            return filled.get(hint, Any)
        parameters = getattr(hint, "__parameters__", ())
        if not parameters or isinstance(hint, type):
            return hint
        return hint[tuple(filled.get(one, Any) for one in parameters)]

    return {name: fill(hint) for name, hint in hints.items()}


def fields(kind: Any) -> Iterator[Field]:
    """The fields of a dataclass or a typed dict."""
    found = record(kind)
    hints = _hints(kind, found)
    if is_typed_dict(found):
        marks = _marks()
        for name, hint in hints.items():
            is_required = name in found.__required_keys__
            inner = hint
            while typing.get_origin(inner) in (*marks, typing.Annotated):
                is_required = marks.get(typing.get_origin(inner), is_required)
                inner = typing.get_args(inner)[0]
            description = description_in(bare(hint)[1])
            yield Field(name, hint, description, _MISSING, is_required, True)
        return
    dataclasses = sys.modules["dataclasses"]
    for one in dataclasses.fields(found):
        default = one.default
        has_default = default is not dataclasses.MISSING
        is_required = not has_default and one.default_factory is dataclasses.MISSING
        description = one.metadata.get("description") or description_in(bare(hints[one.name])[1])
        yield Field(
            one.name,
            hints[one.name],
            description,
            default if has_default else _MISSING,
            is_required,
            one.init,
        )


def unsupported(kind: Any) -> TypeError:
    """What is raised of a type that has no JSON schema here."""
    name = kind.__name__ if isinstance(kind, type) else repr(kind)
    return TypeError(
        f"{name} is no type that an answer can be read as. Use a dataclass, a TypedDict, a model "
        "of pydantic, a Struct of msgspec, or lists, dicts and unions of them"
    )


def schema(kind: Any) -> dict[str, Any]:
    """The JSON schema of a type."""
    writer = _Writer()
    written = writer.of(kind)
    name = written.get("$ref", "").removeprefix("#/$defs/")
    if len(written) == 1 and name and name not in writer.used_again:
        written = writer.definitions.pop(name)
    if writer.definitions:
        written = {"$defs": writer.definitions, **written}
    return written


class _Writer:
    """Writes the schemas of a type and of all that it names."""

    def __init__(self) -> None:
        self.definitions: dict[str, dict[str, Any]] = {}
        self.used_again: set[str] = set()
        self._names: dict[Any, str] = {}

    def of(self, kind: Any) -> dict[str, Any]:
        kind, said = bare(kind)
        written = dict(self._of_bare(kind))
        description = description_in(said)
        if description is not None:
            written["description"] = description
        return written

    def _of_bare(self, kind: Any) -> dict[str, Any]:
        origin, arguments = typing.get_origin(kind), typing.get_args(kind)
        if isinstance(kind, typing.Hashable) and kind in _SIMPLE:
            return _SIMPLE[kind]
        if _text_name(kind) in _TEXTS:
            return _TEXTS[_text_name(kind)]
        if is_union(kind):
            return {"anyOf": [self.of(one) for one in arguments]}
        if origin is typing.Literal:
            return _choice(list(arguments))
        if record(kind) is not None or (isinstance(kind, type) and issubclass(kind, enum.Enum)):
            return self._defined(kind)
        base = origin or kind
        if base is tuple and arguments and arguments[-1] is not Ellipsis:
            return {
                "type": "array",
                "prefixItems": [self.of(one) for one in arguments],
                "minItems": len(arguments),
                "maxItems": len(arguments),
            }
        if base in _LISTS:
            items = self.of(arguments[0]) if arguments else {}
            written: dict[str, Any] = {"type": "array", "items": items}
            if _LISTS[base] in (set, frozenset):
                written["uniqueItems"] = True
            return written
        if base in _DICTS:
            value = self.of(arguments[1]) if arguments else {}
            return {"type": "object", "additionalProperties": value or True}
        raise unsupported(kind)

    def _defined(self, kind: Any) -> dict[str, Any]:
        """A reference to the definition of a class, which is written at its first one."""
        name = self._names.get(kind)
        if name is not None:
            self.used_again.add(name)
            return {"$ref": f"#/$defs/{name}"}
        name = plain_name(kind)
        while name in self.definitions:
            name += "_"  # another class of this name
        self._names[kind] = name
        self.definitions[name] = {}
        if isinstance(kind, type) and issubclass(kind, enum.Enum):
            written = _choice([one.value for one in kind])
        else:
            written = self._record(kind)
        description = _documented(record(kind) or kind)
        if description:
            written["description"] = description
        self.definitions[name] = written
        return {"$ref": f"#/$defs/{name}"}

    def _record(self, kind: Any) -> dict[str, Any]:
        properties, required = {}, []
        for field in fields(kind):
            if not field.is_given:
                continue
            written = self.of(field.kind)
            if field.description is not None:
                written["description"] = field.description
            if field.default is not _MISSING:
                default = _as_json(field.default)
                if default is not _MISSING:
                    written["default"] = default
            properties[field.name] = written
            if field.is_required:
                required.append(field.name)
        return {"type": "object", "properties": properties, "required": required}


def plain_name(kind: Any) -> str:
    """A type as a word."""
    kind = bare(kind)[0]
    arguments = [one for one in typing.get_args(kind) if one is not Ellipsis]
    if is_union(kind):
        return "_or_".join(map(plain_name, arguments))
    if typing.get_origin(kind) is typing.Literal:
        return "Literal"
    base = typing.get_origin(kind) or kind
    name = getattr(base, "__name__", None) or getattr(base, "_name", None) or "Answer"
    return "_".join([str(name), *map(plain_name, arguments)])


def _documented(kind: Any) -> str | None:
    """What a class says of itself; not what its makers say of it."""
    text = kind.__dict__.get("__doc__")
    if not text or text.startswith(f"{kind.__name__}(") or text == enum.Enum.__doc__:
        return None
    if issubclass(kind, enum.Enum) and text == "An enumeration.":
        return None
    import inspect

    return inspect.cleandoc(text)


def _choice(values: list[Any]) -> dict[str, Any]:
    plain = [one.value if isinstance(one, enum.Enum) else one for one in values]
    names = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
    kinds = {names.get(type(one)) for one in plain}
    if None in kinds:
        raise TypeError(f"only texts, numbers, booleans and None can be chosen from, not {plain}")
    written: dict[str, Any] = {"const": plain[0]} if len(plain) == 1 else {"enum": plain}
    if len(kinds) == 1:
        written["type"] = kinds.pop()
    return written


def _as_json(value: Any) -> Any:
    if isinstance(value, enum.Enum):
        value = value.value
    if value is None or isinstance(value, (str, int, float)):
        return value
    return _MISSING


def read(kind: Any, value: Any, path: str = "") -> Any:
    """JSON as a value of a type: lists and dicts, as `json.loads` makes them, become what it
    says."""
    kind = bare(kind)[0]
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any or kind is object:
        return value
    if isinstance(kind, typing.Hashable) and kind in _SIMPLE:
        return _simple(kind, value, path)
    if _text_name(kind) in _TEXTS:
        return _text(kind, value, path)
    if is_union(kind):
        return _one_of(arguments, value, path)
    if origin is typing.Literal:
        for one in arguments:
            plain = one.value if isinstance(one, enum.Enum) else one
            if plain == value and type(plain) is type(value):
                return one
        raise Misfit(path, f"{value!r} is none of {', '.join(map(repr, arguments))}")
    if record(kind) is not None:
        return _record(kind, value, path)
    base = origin or kind
    if isinstance(base, type) and issubclass(base, enum.Enum):
        try:
            return base(value)
        except ValueError:
            raise Misfit(path, f"{value!r} is none of {base.__name__}") from None
    if base in _LISTS:
        return _list(base, arguments, value, path)
    if base in _DICTS:
        _must_be(dict, value, path)
        of_keys, of_values = arguments or (str, Any)
        return {
            _key(of_keys, key, path): read(of_values, one, f"{path}[{key!r}]")
            for key, one in value.items()
        }
    raise unsupported(kind)


def _must_be(kind: type, value: Any, path: str) -> None:
    if type(value) is not kind:
        is_now = _JSON_NAMES.get(type(value), type(value).__name__)
        raise Misfit(path, f"{_JSON_NAMES[kind]} is needed, not {is_now}")


def _simple(kind: Any, value: Any, path: str) -> Any:
    if kind is float and type(value) is int:
        return float(value)
    if kind is int and type(value) is float and value.is_integer():
        return int(value)
    _must_be(type(None) if kind is None else kind, value, path)
    return value


def _text(kind: Any, value: Any, path: str) -> Any:
    """A value that stands in JSON as a text."""
    if kind.__name__ == "Decimal" and type(value) in (int, float):
        return kind(str(value))
    _must_be(str, value, path)
    try:
        if hasattr(kind, "fromisoformat"):
            if value[-1:] in ("Z", "z"):
                value = value[:-1] + "+00:00"  # Python 3.10 does not know it
            return kind.fromisoformat(value)
        return kind(value)
    except (ValueError, ArithmeticError):
        raise Misfit(path, f"{value!r} is no {kind.__name__}") from None


def _one_of(kinds: tuple[Any, ...], value: Any, path: str) -> Any:
    if type(value) in kinds:
        return value  # and not a number of another kind
    misfits = []
    for kind in kinds:
        try:
            return read(kind, value, path)
        except Misfit as misfit:
            misfits.append(str(misfit))
    raise Misfit(path, f"it fits none of {len(kinds)} types: " + "; ".join(misfits))


def _list(base: Any, arguments: tuple[Any, ...], value: Any, path: str) -> Any:
    _must_be(list, value, path)
    if base is tuple and arguments and arguments[-1] is not Ellipsis:
        if len(value) != len(arguments):
            raise Misfit(path, f"{len(arguments)} items are needed, not {len(value)}")
        kinds = list(arguments)
    else:
        kinds = [arguments[0] if arguments else Any] * len(value)
    items = (
        read(kind, one, f"{path}[{index}]")
        for index, (kind, one) in enumerate(zip(kinds, value, strict=True))
    )
    return _LISTS[base](items)


def _key(kind: Any, key: str, path: str) -> Any:
    kind = bare(kind)[0]
    if kind in (int, float):
        try:
            return kind(key)  # keys of JSON are texts
        except ValueError:
            raise Misfit(path, f"the key {key!r} is no number") from None
    return read(kind, key, path)


def _record(kind: Any, value: Any, path: str) -> Any:
    found = record(kind)
    _must_be(dict, value, path)
    given = {}
    for field in fields(kind):
        if not field.is_given:
            continue
        below = f"{path}.{field.name}" if path else field.name
        if field.name in value:
            given[field.name] = read(field.kind, value[field.name], below)
        elif field.is_required:
            raise Misfit(below, "it is missing")
    if is_typed_dict(found):
        return given
    try:
        return found(**given)
    except (ValueError, TypeError) as cause:  # of its own __post_init__
        raise Misfit(path, f"{found.__name__} refuses it: {cause}") from cause
