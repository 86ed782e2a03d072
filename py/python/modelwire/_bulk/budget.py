"""What a bulk job may use, and what a pilot estimates that it will use."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fsdecode
from typing import Any, NamedTuple, TypeAlias

from modelwire._errors import OpenAIError
from modelwire._native import NativeBudget

Prices: TypeAlias = str | PathLike[str] | Mapping[str, Mapping[str, float]]

TOKENS_MAX = 2**63 - 1
"""A larger maximum is no other limit than this one."""


class BudgetError(OpenAIError):
    """The next row may exceed `max_cost` or `max_total_tokens`: no more rows are sent. All rows
    that were sent have their results."""


class Estimate(NamedTuple):
    """An estimate for all rows."""

    point: float
    """The best estimate."""
    low: float | None
    """The lower end of the 95 % interval; None for fewer than 20 rows in the pilot."""
    high: float | None
    """The upper end; also None if rows have no maximum."""
    most: float | None
    """The worst case: every row outside the pilot uses its maximum. None if that is unknown."""


class Pilot(NamedTuple):
    """The estimates of a pilot for all rows to do, including its own."""

    rows: int
    """All rows to do."""
    pilot_rows: int
    """Rows of the pilot."""
    failed: int
    """Rows of the pilot that failed."""
    without_usage: int
    """Rows of the pilot whose answers report no usage."""
    elapsed: float
    """The duration of the pilot, in seconds."""
    concurrency: int
    """The maximum number of rows in flight in the pilot."""
    time: float | None
    """Seconds for the remaining rows with that many in flight: a guess."""
    failed_share: Estimate | None
    """The share of rows that fail, from 0 to 1; None if no row was sent."""
    tokens_in: Estimate | None
    """Input tokens; None if no answer reports them."""
    tokens_out: Estimate | None
    """Output tokens; None if no answer reports them."""
    cost: Estimate | None
    """The cost, in the currency of the prices; None without prices."""


def pilot_of(fields: Mapping[str, Any]) -> Pilot:
    """A pilot from the fields of the engine."""
    made: dict[str, Any] = {
        name: Estimate(*value) if isinstance(value, tuple) else value
        for name, value in fields.items()
    }
    return Pilot(**made)


def budget_of(
    max_cost: float | None,
    max_total_tokens: int | None,
    price_in: float | None,
    price_out: float | None,
    prices: Prices | None,
) -> NativeBudget:
    """The budget of a job; ValueError if it is invalid."""
    if max_total_tokens is not None:
        if (
            isinstance(max_total_tokens, bool)
            or not isinstance(max_total_tokens, int)
            or max_total_tokens < 0
        ):
            raise ValueError(
                f"max_total_tokens is {max_total_tokens!r}; it must be a whole number, 0 or more"
            )
        max_total_tokens = min(max_total_tokens, TOKENS_MAX)
    path = text = None
    if isinstance(prices, Mapping):
        import json

        text = json.dumps(prices)
    elif prices is not None:
        path = fsdecode(prices)
    return NativeBudget(max_cost, max_total_tokens, price_in, price_out, path, text)
