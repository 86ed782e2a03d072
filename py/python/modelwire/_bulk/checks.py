"""Checks of the answers of a bulk job: by name, in the engine, and by functions of the program."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

from modelwire._bulk.engine import COUNT_MAX
from modelwire._bulk.result import Result
from modelwire._errors import OpenAIError

if TYPE_CHECKING:
    from modelwire._native import NativeBulk

NAMES = ("schema", "length", "refusal")

Check: TypeAlias = str | Callable[[Result[Any]], "bool | str | None"]


class CheckError(OpenAIError):
    """The row was answered, and billed, but its answer failed a check: `kind` is "check_schema",
    "check_length", "check_refusal" or "check_function". The answer is the `response` of the
    result."""

    metered = "entered"


class Checks:
    """The checks of a job."""

    def __init__(self, check: Check | Iterable[Check] | None, ask_again: int) -> None:
        given: Any = [] if check is None else [check] if _is_one(check) else list(check)  # type: ignore[arg-type]
        self.names: list[str] = []
        self.functions: list[Callable[[Result[Any]], bool | str | None]] = []
        for one in given:
            if callable(one):
                self.functions.append(one)
            elif isinstance(one, str) and one in NAMES:
                self.names.append(one)
            else:
                raise ValueError(
                    f'check is {one!r}; it must be "schema", "length", "refusal", a function that '
                    "takes a Result, or a list of these"
                )
        if isinstance(ask_again, bool) or not isinstance(ask_again, int) or ask_again < 0:
            raise ValueError(f"ask_again is {ask_again!r}; it must be a whole number, 0 or more")
        if ask_again and not given:
            raise ValueError("ask_again needs check: without one, no answer is asked again")
        self.ask_again = min(ask_again, COUNT_MAX)

    def limits(self) -> dict[str, Any]:
        """The options of the engine."""
        return {
            "checks": self.names,
            "judges": bool(self.functions),
            "ask_again": self.ask_again,
        }

    def judge(self, native: NativeBulk, row_of: Callable[[int], tuple[Any, str | None]]) -> bool:
        """Judges the answers that wait for it; returns whether there were any."""
        if not self.functions:
            return False
        judged: list[tuple[int, str | None]] = []
        answers = native.to_judge()
        try:
            for number, response, attempts, elapsed in answers:
                row, name = row_of(number)
                result: Result[Any] = Result(row, name, response, None, attempts, elapsed)
                judged.append((number, self._fault(result)))
        finally:  # what was judged before an exception counts
            if judged:
                native.judge(judged)
        return bool(answers)

    def _fault(self, result: Result[Any]) -> str | None:
        for function in self.functions:
            found = function(result)
            if found is None or found is True:
                continue
            if found is False:
                return f"{getattr(function, '__name__', 'the check')} returned False"
            if isinstance(found, str):
                return found
            raise TypeError(
                f"check returned a {type(found).__name__}; it must return True or None for an "
                "answer that is right, otherwise False or the reason as a str"
            )
        return None


def _is_one(check: Check | Iterable[Check]) -> bool:
    return isinstance(check, str) or not hasattr(check, "__iter__") or callable(check)
