"""JSON schemas in the form that services accept for answers: strict, with an object at the top.

Strict means: an object has exactly the properties that it names; a `$ref` has no siblings;
alternatives use `anyOf`.
"""

from __future__ import annotations

from copy import deepcopy

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    _Schema = dict[str, Any]

WRAPPED = "value"
"""The property that an answer stands in which is no object: a list, a number, one of several."""


_SAYING = {"type", "enum", "const", "anyOf", "allOf", "$ref"}
"""What says something of a value; the rest of a schema describes it."""


def strict(schema: _Schema) -> _Schema:
    """The same schema as a strict one; the argument is not changed."""
    made: _Schema = _Strict(schema).of(deepcopy(schema), ())
    return made


def is_strict(schema: Any) -> bool:
    """Whether it is strict: every object names its properties and requires them."""
    if isinstance(schema, list):
        return all(map(is_strict, schema))
    if not isinstance(schema, dict):
        return True
    if not _SAYING & schema.keys():
        return False  # accepts anything
    if schema.get("type") == "object" and (
        schema.get("additionalProperties") is not False
        or list(schema.get("properties", ())) != schema.get("required", [])
    ):
        return False
    named = [one for name in ("properties", "$defs") for one in schema.get(name, {}).values()]
    others = [schema[name] for name in ("items", "anyOf", "allOf", "prefixItems") if name in schema]
    return all(map(is_strict, [*named, *others]))


def wrapped(schema: _Schema) -> _Schema | None:
    """A strict schema of an object with the value as its only property; None if the value is
    itself an object."""
    if schema.get("type") == "object":
        return None
    inner = dict(schema)
    definitions = inner.pop("$defs", None)
    made = {
        "type": "object",
        "properties": {WRAPPED: inner},
        "required": [WRAPPED],
        "additionalProperties": False,
    }
    if definitions is not None:
        made["$defs"] = definitions
    return made


def _is_free(schema: _Schema) -> bool:
    """Whether it is any dict: an object without further constraints."""
    told = ("properties", "additionalProperties", "patternProperties", "allOf", "anyOf", "$ref")
    return schema.get("type") == "object" and not any(name in schema for name in told)


class _Strict:
    def __init__(self, given: _Schema) -> None:
        self.given = given

    def of(self, schema: Any, inside: tuple[str, ...]) -> Any:
        """The schema, changed in place. `inside` are the references followed so far."""
        if not isinstance(schema, dict):
            return schema  # true and false are schemas, too
        for name in ("$defs", "definitions"):
            self._each(schema.get(name), inside)
        if "oneOf" in schema:
            # Services only accept anyOf; the alternatives themselves say which one applies.
            schema["anyOf"] = [*schema.get("anyOf", ()), *schema.pop("oneOf")]
        schema.pop("discriminator", None)
        if _is_free(schema):
            schema["additionalProperties"] = True
        elif schema.get("type") == "object":
            schema.setdefault("additionalProperties", False)
        if isinstance(schema.get("properties"), dict):
            schema["required"] = list(schema["properties"])
            self._each(schema["properties"], inside)
        if "items" in schema:
            schema["items"] = self.of(schema["items"], inside)
        for name in ("anyOf", "allOf"):
            if isinstance(schema.get(name), list):
                schema[name] = [self.of(one, inside) for one in schema[name]]
        if len(schema.get("allOf", ())) == 1:
            schema.update(schema.pop("allOf")[0])
        if schema.get("default", 0) is None:
            del schema["default"]
        if "$ref" in schema and len(schema) > 1:
            return self._in_place_of_ref(schema, inside)
        return schema

    def _each(self, named: Any, inside: tuple[str, ...]) -> None:
        if isinstance(named, dict):
            for name, one in named.items():
                named[name] = self.of(one, inside)

    def _in_place_of_ref(self, schema: _Schema, inside: tuple[str, ...]) -> _Schema:
        """Replaces a reference that has siblings by its target with these."""
        ref = schema.pop("$ref")
        if ref in inside:
            # It refers to itself endlessly; a nested reference may do that.
            schema["anyOf"] = [{"$ref": ref}]
            return schema
        for name, value in self._found(ref).items():
            if name not in schema:
                schema[name] = deepcopy(value)
        made: _Schema = self.of(schema, (*inside, ref))
        return made

    def _found(self, ref: Any) -> _Schema:
        found: Any = self.given
        for part in str(ref).removeprefix("#/").split("/"):
            part = part.replace("~1", "/").replace("~0", "~")
            found = found.get(part) if isinstance(found, dict) else None
        if not isinstance(found, dict) or not str(ref).startswith("#/"):
            raise ValueError(f"the JSON schema refers to {ref!r}, which is not in it")
        return found
