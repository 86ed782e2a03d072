"""What calls used, as dicts for type checkers. Knows no call: the native part makes them."""

from __future__ import annotations

from typing import TypedDict


class Usage(TypedDict):
    """The tokens that a service reported; 0 of what it said nothing of."""

    input_tokens: int
    """All that were sent."""
    output_tokens: int
    """All that were generated."""
    total_tokens: int
    """As the service counts them, or the sum of both."""
    cached_input_tokens: int
    """Of those that were sent, those that the service had from an earlier call."""
    cache_write_tokens: int
    """Of those that were sent, those that it keeps for later calls."""
    reasoning_tokens: int
    """Of those that were generated, those before the answer began."""
    audio_input_tokens: int
    """Those that were sent as audio."""
    audio_output_tokens: int
    """Those that were generated as audio."""


class UsageSum(Usage):
    """The same, of all answered calls of a model."""

    calls: int
    """How many there were."""
    calls_without_usage: int
    """Those among them whose answers reported none: what they used is not in the tokens."""
