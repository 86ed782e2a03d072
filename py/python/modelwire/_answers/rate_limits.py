"""What a service says of its limits in the head of an answer, as Python objects. Knows no header:
the core reads them.

Times are seconds, from when the answer came. What was not said is None.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from modelwire._answers.record import _Record

_Read: TypeAlias = tuple[int | None, int | None, float | None]


@dataclass(frozen=True, repr=False)
class RateLimit(_Record):
    """One limit of a service."""

    limit: int | None = None
    """How many there are in all."""
    remaining: int | None = None
    """How many are left of them."""
    reset: float | None = None
    """In how many seconds they are all there again; 0.0 where that has passed."""


@dataclass(frozen=True, repr=False)
class RateLimits(_Record):
    """The limits that an answer told of."""

    requests: RateLimit = RateLimit()
    """That of requests, and where the service does not say of what."""
    tokens: RateLimit = RateLimit()
    """That of tokens."""
    others: Mapping[str, RateLimit] = field(default_factory=dict, hash=False)
    """Any other by its name, such as "input_tokens"."""
    retry_after: float | None = None
    """How many seconds to wait before the next call."""


def _made(
    requests: _Read,
    tokens: _Read,
    others: Iterable[tuple[str, _Read]],
    retry_after: float | None,
) -> RateLimits:
    """What the core read; called by the native part."""
    return RateLimits(
        RateLimit(*requests),
        RateLimit(*tokens),
        {name: RateLimit(*read) for name, read in others},
        retry_after,
    )
