"""The rate limits in the headers of an answer, as Python objects.

Times are seconds from the arrival of the answer. Values that were not reported are None.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from modelwire._answers.record import _Record

_Read: TypeAlias = tuple[int | None, int | None, float | None]


@dataclass(frozen=True, repr=False)
class RateLimit(_Record):
    """One rate limit of a service."""

    limit: int | None = None
    """The total."""
    remaining: int | None = None
    """The remainder."""
    reset: float | None = None
    """Seconds until the full reset; 0.0 if it has passed."""


@dataclass(frozen=True, repr=False)
class RateLimits(_Record):
    """The rate limits that an answer reported."""

    requests: RateLimit = RateLimit()
    """The limit of requests, or one that the service does not specify."""
    tokens: RateLimit = RateLimit()
    """The limit of tokens."""
    others: Mapping[str, RateLimit] = field(default_factory=dict, hash=False)
    """Other limits by name, such as "input_tokens"."""
    retry_after: float | None = None
    """Seconds to wait before the next call."""


def _made(
    requests: _Read,
    tokens: _Read,
    others: Iterable[tuple[str, _Read]],
    retry_after: float | None,
) -> RateLimits:
    """Converts what the core parsed; called by the native part."""
    return RateLimits(
        RateLimit(*requests),
        RateLimit(*tokens),
        {name: RateLimit(*read) for name, read in others},
        retry_after,
    )
