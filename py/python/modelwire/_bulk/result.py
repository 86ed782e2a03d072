"""The outcome of a row of `bulk`, and the status of a job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping

    from modelwire._errors import OpenAIError

_Row = TypeVar("_Row", covariant=True)


class Result(Generic[_Row]):
    """The outcome of a row: the answer or the error."""

    __slots__ = ("attempts", "custom_id", "elapsed", "error", "response", "row")

    row: _Row
    """The same object that was passed in."""
    custom_id: str | None
    """Its name, if it has one."""
    response: Any
    """The ChatCompletion or the Response, as from a client's `create`; None if the row was not
    answered. An answer that failed a check is here, too."""
    error: OpenAIError | None
    """The exception that the call would have raised, or a CheckError if the answer failed a check;
    otherwise None."""
    attempts: int
    """The number of times it was sent; 0 for a copy of another row's outcome."""
    elapsed: float
    """Seconds from its first start to its end, including waits."""

    def __init__(
        self,
        row: Any,
        custom_id: str | None,
        response: Any,
        error: OpenAIError | None,
        attempts: int,
        elapsed: float,
    ) -> None:
        self.row = row
        self.custom_id = custom_id
        self.response = response
        self.error = error
        self.attempts = attempts
        self.elapsed = elapsed

    @property
    def text(self) -> str | None:
        """The text of the answer; None if the row failed or has none."""
        response = self.response
        if response is None or self.error is not None:
            return None
        if hasattr(response, "output_text"):
            return str(response.output_text)
        choices = response.choices
        text = choices[0].message.content if choices else None
        return None if text is None else str(text)

    def raise_for_error(self) -> Any:
        """The answer; raises the exception if the row failed."""
        if self.error is not None:
            raise self.error
        return self.response

    def to_dict(self) -> dict[str, Any]:
        """The result as a line of a batch output file."""
        line: dict[str, Any] = {"id": None, "custom_id": self.custom_id}
        line["response"] = line["error"] = None
        if self.response is not None:
            line["id"] = self.response._request_id
            line["response"] = {
                "status_code": 200,
                "request_id": self.response._request_id,
                "body": self.response.to_dict(),
            }
        if self.error is not None:
            line["id"] = self.error.request_id
            line["error"] = error_fields(self.error)
            if self.error.status_code is not None:
                line["response"] = {
                    "status_code": self.error.status_code,
                    "request_id": self.error.request_id,
                    "body": _body(self.error),
                }
        return line

    def __repr__(self) -> str:
        what = f"error={self.error!r}" if self.error is not None else f"text={self.text!r}"
        return f"Result(custom_id={self.custom_id!r}, {what}, attempts={self.attempts})"


def error_fields(error: OpenAIError) -> dict[str, Any]:
    """An exception as plain values."""
    return {
        "code": error.code or error.kind,
        "message": error.message,
        "kind": error.kind,
        "status": error.status_code,
        "type": error.type,
        "param": error.param,
        "hint": error.hint,
        "retry_after": error.retry_after,
        "metered": error.metered,
    }


def _body(error: OpenAIError) -> Any:
    import json

    try:
        return json.loads(error.body_text or "null")
    except ValueError:
        return error.body_text


class Status:
    """The status of a bulk job."""

    __slots__ = (
        "asked_again",
        "concurrency_limit",
        "cost",
        "done",
        "elapsed",
        "equal",
        "failed",
        "in_flight",
        "outage",
        "paid_again",
        "rate_limited",
        "reused",
        "rows",
        "sent",
        "skipped",
        "starts_per_second",
        "tokens",
        "total",
        "waiting",
    )

    def __init__(self, total: int | None = None) -> None:
        self.total = total
        """The total number of rows, if known."""
        self.rows = 0
        """Rows that were pulled from their iterator."""
        self.done = 0
        """Rows that were answered."""
        self.failed = 0
        """Rows that failed."""
        self.skipped = 0
        """Rows that were done in an earlier run."""
        self.equal = 0
        """Rows that got a copy of the outcome of an equal row (`once`)."""
        self.reused = 0
        """Rows that got a copy of an answer of another job (`reuse`)."""
        self.tokens = 0
        """The tokens of all answers, input and output together; copies used none."""
        self.cost: float | None = None
        """The cost of these tokens, in the currency of the prices; None without prices."""
        self.elapsed = 0.0
        """Seconds since the beginning."""
        self.waiting = 0
        """Rows waiting to be sent or retried."""
        self.in_flight = 0
        """Requests in flight; a row that waits for its retry is not in flight."""
        self.concurrency_limit = 0
        """The concurrency limit."""
        self.starts_per_second: float | None = None
        """The limit of the rate of requests, if the service was found to have one."""
        self.sent = 0
        """Requests that were sent."""
        self.rate_limited = 0
        """Requests that were rate limited (429)."""
        self.paid_again = 0
        """Requests that were retried although they may be billed."""
        self.asked_again = 0
        """Answers that failed a check and whose rows were asked again."""
        self.outage: float | None = None
        """How long the service has been unreachable, or has failed every row, in seconds."""

    @property
    def rows_per_second(self) -> float:
        """Finished rows per second, since the beginning."""
        ended = self.done + self.failed
        return ended / self.elapsed if self.elapsed > 0 else 0.0

    def _copy(self) -> Status:
        copy = Status()
        for name in self.__slots__:
            setattr(copy, name, getattr(self, name))
        return copy

    def _update(self, of_engine: Mapping[str, Any], elapsed: float) -> None:
        self.elapsed = elapsed
        for name, value in of_engine.items():
            if name != "unknown":
                setattr(self, name, value)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in ("rows", "done", "failed"))
        return f"Status({shown})"
