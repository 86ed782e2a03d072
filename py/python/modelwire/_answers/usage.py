"""The usage of calls, as dicts for type checkers."""

from __future__ import annotations

from typing import TypedDict


class Usage(TypedDict):
    """The tokens that a service reported; 0 for counts that it did not report."""

    input_tokens: int
    """All input tokens."""
    output_tokens: int
    """All output tokens."""
    total_tokens: int
    """The total reported by the service, or the sum of both."""
    cached_input_tokens: int
    """Input tokens that the service read from its cache."""
    cache_write_tokens: int
    """Input tokens that the service wrote to its cache."""
    reasoning_tokens: int
    """Output tokens for reasoning."""
    audio_input_tokens: int
    """Audio input tokens."""
    audio_output_tokens: int
    """Audio output tokens."""


class UsageSum(Usage):
    """The same, for all answered calls of a model."""

    calls: int
    """The number of calls."""
    calls_without_usage: int
    """The number of calls whose answers reported no usage: the token counts do not include
    them."""
