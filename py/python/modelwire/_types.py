"""Names of openai-python for annotations of arguments; imported on demand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar, overload

from modelwire._options import NOT_GIVEN, NotGiven, Omit, Timeout, not_given, omit

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
    """A sequence, but not a string, which would be a sequence of its characters."""

    @overload
    def __getitem__(self, index: SupportsIndex, /) -> _Member: ...
    @overload
    def __getitem__(self, index: slice, /) -> SequenceNotStr[_Member]: ...
    def __contains__(self, value: object, /) -> bool:
        """A string accepts only strings here, so it does not match."""
        ...

    def __len__(self) -> int:
        """The number of members."""
        ...

    def __iter__(self) -> Iterator[_Member]:
        """Iterates over the members."""
        ...

    def index(self, value: Any, start: int = 0, stop: int = ..., /) -> int:
        """The position of this member."""
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
