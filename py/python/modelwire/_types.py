"""Names of openai-python for annotations of arguments; imported on demand."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypedDict, TypeVar, overload

from modelwire._options import NOT_GIVEN, Limits, NotGiven, Omit, Timeout, not_given, omit

if TYPE_CHECKING:
    from typing import SupportsIndex

_T = TypeVar("_T")
_Member = TypeVar("_Member", covariant=True)

Body: TypeAlias = object
Query: TypeAlias = Mapping[str, object]
Headers: TypeAlias = Mapping[str, str | Omit]
AnyMapping: TypeAlias = Mapping[str, object]
Omittable: TypeAlias = _T | Omit
NoneType: type[None] = type(None)
DEFAULT_CONNECTION_LIMITS = Limits()
"""The limits of a client that sets none: the defaults of each."""
Transport: TypeAlias = object
"""A transport of httpx, for annotations: modelwire has its own."""
ProxiesTypes: TypeAlias = str | Mapping[str, str | None]


class RequestOptions(TypedDict, total=False):
    """The options of a call by path: `client.get` and `client.post`."""

    headers: Headers
    """Headers to send in addition; omit removes a default header."""
    params: Query
    """Query parameters to send in addition."""
    extra_json: AnyMapping
    """Fields of the request in addition to its body; they take precedence."""
    timeout: float | Timeout | None
    """Seconds, or a Timeout."""
    max_retries: int
    """The maximum number of retries."""
    security: Mapping[str, bool]
    """{"bearer_auth": True}, which holds for every call."""


def file_from_path(path: str | os.PathLike[str]) -> tuple[str, bytes]:
    """The name and the content of a file, in the form in which openai-python uploads it; the
    service takes no uploads."""
    return Path(path).name, Path(path).read_bytes()


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
    "DEFAULT_CONNECTION_LIMITS",
    "NOT_GIVEN",
    "AnyMapping",
    "Body",
    "Headers",
    "NoneType",
    "NotGiven",
    "Omit",
    "Omittable",
    "ProxiesTypes",
    "Query",
    "RequestOptions",
    "SequenceNotStr",
    "Timeout",
    "Transport",
    "file_from_path",
    "not_given",
    "omit",
]
