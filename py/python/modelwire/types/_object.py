"""Objects of unknown type in answers: dicts whose fields are also attributes. Imported when the
first one is read."""

from __future__ import annotations

from typing import Any

from modelwire._native import _json, _plain


class Object(dict):  # type: ignore[type-arg]
    """A part of an answer that this version knows no class for: a dict, as deep as it goes, whose
    fields can be read and assigned as attributes too. The methods of a dict win over fields of
    their names, which are items all the same."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"Object has no field {name!r}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __delattr__(self, name: str) -> None:
        try:
            del self[name]
        except KeyError:
            raise AttributeError(f"Object has no field {name!r}") from None

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *map(str, self)})

    def __reduce__(self) -> tuple[Any, ...]:
        return Object, (dict(self),)

    def __copy__(self) -> Object:
        return Object(self)

    def model_dump(self, **options: Any) -> dict[str, Any]:
        """The same as dicts and lists; as the known objects have it."""
        plain: dict[str, Any] = _plain(self)
        return plain

    to_dict = model_dump

    def model_dump_json(self, *, indent: int | None = None, **options: Any) -> str:
        """The same as JSON text."""
        return _json(self, indent)

    def to_json(self, *, indent: int | None = 2, **options: Any) -> str:
        """The same as JSON text, indented as the known objects are."""
        return _json(self, indent)

    @property
    def model_extra(self) -> dict[str, Any]:
        """All fields: none is known."""
        return self.model_dump()

    @property
    def model_fields_set(self) -> set[str]:
        """The names of all fields."""
        return set(self)
