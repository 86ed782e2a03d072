"""Names that openai-python has for annotations of arguments. Knows no call. Imported when a program
asks for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar, overload

from modelwire._given import NOT_GIVEN, NotGiven, Omit, Timeout, not_given, omit

if TYPE_CHECKING:
    from typing import SupportsIndex

_T = TypeVar("_T")
_Member = TypeVar("_Member", covariant=True)

Body: TypeAlias = object
Query: TypeAlias = Mapping[str, object]
Headers: TypeAlias = Mapping[str, str | Omit]
AnyMapping: TypeAlias = Mapping[str, object]
Omittable: TypeAlias = _T | Omit


class SequenceNotStr(Protocol[_Member]):
    """A sequence, but not a text: that would be one of its characters."""

    @overload
    def __getitem__(self, index: SupportsIndex, /) -> _Member: ...
    @overload
    def __getitem__(self, index: slice, /) -> SequenceNotStr[_Member]: ...
    def __contains__(self, value: object, /) -> bool:
        """A text takes texts alone here, and so is none of these."""
        ...

    def __len__(self) -> int:
        """How many members it has."""
        ...

    def __iter__(self) -> Iterator[_Member]:
        """One member after the other."""
        ...

    def index(self, value: Any, start: int = 0, stop: int = ..., /) -> int:
        """Where it has this member."""
        ...


__all__ = [
    "NOT_GIVEN",
    "AnyMapping",
    "Body",
    "Headers",
    "NotGiven",
    "Omit",
    "Omittable",
    "Query",
    "SequenceNotStr",
    "Timeout",
    "not_given",
    "omit",
]
