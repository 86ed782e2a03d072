"""`modelwire.bulk`: many requests, as fast as the service allows, with their outcomes one by one.

The engine runs on its own thread and never touches Python. This side passes rows in, takes
outcomes out, and waits for them: on a thread, in a greenlet, or at a descriptor that an event loop
watches.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import (
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
)
from os import PathLike, fsdecode
from threading import Lock, get_ident
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from modelwire._bulk.arrow import read_parquet, write_parquet
from modelwire._bulk.batches import Rows as _Rows
from modelwire._bulk.budget import BudgetError as _BudgetError
from modelwire._bulk.budget import Estimate as _Estimate
from modelwire._bulk.budget import Pilot as _Pilot
from modelwire._bulk.budget import budget_of, pilot_of
from modelwire._bulk.checks import Check as _Check
from modelwire._bulk.checks import CheckError as _CheckError
from modelwire._bulk.checks import Checks
from modelwire._bulk.engine import CLOSE_SECONDS, TAKEN_MAX, begin, limits_of
from modelwire._bulk.plan import Plan, wrong
from modelwire._bulk.repair import Repaired as _Repaired
from modelwire._bulk.repair import repair
from modelwire._bulk.result import Result as _Result
from modelwire._bulk.result import Status as _Status
from modelwire._bulk.tables import rows_of
from modelwire._client import AsyncOpenAI, OpenAI
from modelwire._closing import Closing
from modelwire._errors import OpenAIError, RequestError
from modelwire._key import secret
from modelwire._options import NOT_GIVEN, as_list

if TYPE_CHECKING:
    import asyncio

    from typing_extensions import Self

    from modelwire._bulk.budget import Prices
    from modelwire._bulk.progress import Progress
    from modelwire._bulk.tables import Lazy
    from modelwire._native import NativeBulk
    from modelwire._options import NotGiven, Timeout

_Row = TypeVar("_Row")
_T = TypeVar("_T")

AHEAD_MIN, AHEAD_MAX = 256, 16_384
"""So many rows are pulled from their iterator before their outcomes were taken: twice as many as
may be on their way, within these bounds."""

PULL_SECONDS = 0.002
"""After so long the engine sees what was pulled; where outcomes wait they come first."""

_REFUSED = {
    "changed": (
        "{!r} was sent before with different content",
        "Give the row another custom_id, or write to another output.",
    ),
    "twice": ("custom_id {!r} was used before", "Give each row a different one."),
}


class bulk(Closing, Generic[_Row]):
    """Runs many requests as fast as the service allows; yields an outcome for each, as it arrives.

        for result in modelwire.bulk(["one", "two"], model="a-model"):
            print(result.row, result.error or result.text)

    Rows are requests as dicts, lines of a batch file as dicts (`custom_id`, `url`, `body`), pairs
    of a name and a request, or prompts as str; with `prompt`, a text with fields in braces, dicts
    of any fields. They come from any iterable, generator or, for `async for`, asynchronous
    iterable; a DataFrame or a table gives dicts, a Series its values. They are pulled as needed.
    `model` and `defaults` fill in what a row omits.

    A row that fails is an outcome, with its exception in `error`. A failure that stops all rows is
    raised once all requests in flight have finished: a rejected key (401, 403), a balance that is
    used up (402), all of the first rows being refused, an unreachable service, or an exception of
    the rows' iterator; `unfinished` then has the rows without an outcome.

    The engine adapts the number of requests in flight and their rate to the service. It waits
    after status 429 and retries, up to `attempts` attempts in all (20 by default). A request that
    may have been billed is sent again only if `may_pay_twice` is set, at most four times.

    With `output` the results are also written to that file, as lines of a batch output file, next
    to a journal of what was sent, as in the command `modelwire bulk`: an interrupted run resumes
    where it stopped. Rows that were done are `skipped`, as are failed ones, unless `retry_failed`
    is set; those with an unknown outcome are sent again, unless `unknown="skip"`. Rows are named
    by `custom_id`, otherwise by their content. `errors` is a file for the failed rows, written
    at the end of each run in the form of the error file of OpenAI's batches.

    With `once`, rows with the same operation and body are sent once, and the others get a copy of
    the outcome. `reuse` names results of other jobs: rows with the same operation and body as a
    successful one in them get a copy of its answer. Copies cost nothing; their `attempts` is 0.

    `max_cost` and `max_total_tokens` are the most that all rows may use; BudgetError is raised
    before the next row could use more. Prices are per million tokens: `price_in` and `price_out`,
    or `prices` by model. `pilot()` runs a sample first, and estimates what all rows will use.

    `check` names what is checked of each answer: "schema" (it matches the `response_format` of its
    row), "length" (it does not end at its token limit), "refusal"; or is a function that takes the
    Result and returns True or None if the answer is right, otherwise False or the reason; or a list
    of these. A row whose answer fails is asked again up to `ask_again` times, each billed; then its
    result has a CheckError, and the answer.

    Leaving the loop cancels requests in flight. `async for` works in the same way under asyncio
    and trio. Threads may share it.
    """

    BudgetError: TypeAlias = _BudgetError
    CheckError: TypeAlias = _CheckError
    Estimate: TypeAlias = _Estimate
    Pilot: TypeAlias = _Pilot
    Repaired: TypeAlias = _Repaired
    Rows: TypeAlias = _Rows
    Result: TypeAlias = _Result
    Status: TypeAlias = _Status
    read_parquet = staticmethod(read_parquet)
    repair = staticmethod(repair)
    write_parquet = staticmethod(write_parquet)

    def __init__(
        self,
        rows: Iterable[_Row] | AsyncIterable[_Row] | Lazy,
        *,
        client: OpenAI | AsyncOpenAI | None = None,
        model: str | None = None,
        operation: str = "chat",
        prompt: str | None = None,
        system: str | None = None,
        defaults: Mapping[str, object] | None = None,
        output: str | PathLike[str] | None = None,
        errors: str | PathLike[str] | None = None,
        retry_failed: bool = False,
        unknown: str = "send",
        ordered: bool = False,
        once: bool = False,
        reuse: str | PathLike[str] | Iterable[str | PathLike[str]] = (),
        max_concurrency: int | None = None,
        rpm: float | None = None,
        tpm: float | None = None,
        attempts: int | None = None,
        may_pay_twice: bool = False,
        max_cost: float | None = None,
        max_total_tokens: int | None = None,
        price_in: float | None = None,
        price_out: float | None = None,
        prices: Prices | None = None,
        patience: float | None = None,
        check: _Check | Iterable[_Check] | None = None,
        ask_again: int = 0,
        progress: Any = None,
        total: int | None = None,
        base_url: Any = None,
        api_key: Any = None,
        timeout: float | Timeout | None | NotGiven = NOT_GIVEN,
    ) -> None:
        self._rows: Any = rows_of(rows)
        is_read = any(hasattr(self._rows, f"__{way}__") for way in ("iter", "aiter", "getitem"))
        if isinstance(rows, (str, bytes, Mapping)) or not is_read:
            raise TypeError(
                f"rows is a {type(rows).__name__}, not an iterable of rows. For one row give "
                "[row]; for a Parquet file modelwire.bulk.read_parquet(path); for JSON lines "
                "map(json.loads, file), for CSV csv.DictReader(file)"
            )
        self._plan = Plan(model, operation, prompt, system, defaults)
        if client is None:
            client = OpenAI(base_url=base_url, api_key=api_key)
        elif not isinstance(client, (OpenAI, AsyncOpenAI)):
            raise TypeError(f"client is of type {type(client).__name__}, not a client of modelwire")
        elif base_url is not None or api_key is not None:
            raise TypeError("client already has base_url and api_key: give one or the other")
        if unknown not in ("send", "skip"):
            raise ValueError(f'unknown is {unknown!r}; it must be "send" or "skip"')
        self._skips_unknown = unknown == "skip"
        if errors is not None and output is None:
            raise ValueError("errors is made of the results in output: give both")
        errors = None if errors is None else fsdecode(errors)
        self._output = None if output is None else (fsdecode(output), ordered, retry_failed, errors)
        one = [reuse] if isinstance(reuse, (str, PathLike)) else None
        old: list[Any] = one or as_list("reuse", "paths", reuse)
        self._copied = (bool(once), [fsdecode(path) for path in old])
        self._client = client
        self._timeout = timeout
        self._limits = limits_of(max_concurrency, rpm, tpm, attempts, may_pay_twice, patience)
        self._checks = Checks(check, ask_again)
        self._limits |= self._checks.limits()
        self._budget = budget_of(max_cost, max_total_tokens, price_in, price_out, prices)
        if total is None and hasattr(rows, "__len__"):
            total = len(rows)  # type: ignore[arg-type]
        self._is_ordered = ordered
        self._counts = _Status(total=total)
        self._progress: Progress | None = None
        if progress is not None and progress is not False:
            from modelwire._bulk.progress import Progress

            self._progress = Progress(progress)
        self._lock = Lock()
        self._holder: int | None = None  # the thread that holds the lock
        self._native: NativeBulk | None = None
        self._source: Any = None  # the iterator of the rows; None at its end
        self._feeder: asyncio.Task[None] | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._room_made: asyncio.Event | None = None
        self._is_awaited = False
        self._open: dict[int, tuple[_Row, str | None]] = {}
        self._held: dict[int, _Result[_Row] | None] = {}
        self._next_number = 0  # of `ordered`
        self._pulled = 0
        self._sampled: set[int] = set()  # the numbers of the rows of a pilot
        self._piloted: dict[int, _Result[_Row] | None] = {}  # its results, if `ordered`
        self._ready: deque[_Result[_Row]] = deque()
        self._ahead = AHEAD_MIN
        self._failure: BaseException | None = None
        self._not_given: list[_Row] = []
        self._is_over = False
        self._began = 0.0

    # Public properties.

    def status(self) -> _Status:
        """The status of the job."""
        self._look()
        return self._counts._copy()

    @property
    def skipped(self) -> int:
        """The number of rows that were done in an earlier run with the same `output`, and are not
        returned again."""
        return self._counts.skipped

    @property
    def unknown(self) -> list[str]:
        """The names of rows that an earlier run with the same `output` sent, and whose outcome is
        unknown: they may have been metered. Available once the first outcome was requested."""
        return [] if self._native is None else self._native.unknown()

    @property
    def unfinished(self) -> list[_Row]:
        """The rows that were pulled and whose outcome was not returned: the remaining work of a
        stopped run, except rows that were not pulled yet."""
        return [*self._not_given, *(row for row, _ in self._open.values())]

    def close(self) -> None:
        """Cancels requests in flight. Rows without an outcome are `unfinished`."""
        self._end(CLOSE_SECONDS)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        self._end(0.0)

    def __iter__(self) -> Iterator[_Result[_Row]]:
        return _Iteration(self)

    def __aiter__(self) -> AsyncIterator[_Result[_Row]]:
        return _AsyncIteration(self)

    def pilot(self, rows: int = 20) -> _Pilot:
        """Runs a random sample of at most 1,000 rows, and estimates what all rows will use, cost
        and take. Call it before requesting the first result; the results of the sample then
        come first or, with `ordered`, in their places; the other rows are sent when more results
        are requested.

        The rows must be readable twice with the same content, for example a list, a DataFrame or
        `read_parquet`; an iterator raises a TypeError. Errors that stop all
        rows are raised as by the loop. Blocks this thread, and no other."""
        self._check_pilot(rows)
        return self._alone(lambda: self._pilot(rows))

    async def apilot(self, rows: int = 20) -> _Pilot:
        """The same in an event loop."""
        self._check_pilot(rows)
        return await self._alone_awaited(lambda: self._pilot_awaited(rows))

    def __next__(self) -> _Result[_Row]:
        found = self._alone(self._next)
        if found is None:
            raise StopIteration
        return found

    async def __anext__(self) -> _Result[_Row]:
        found = await self._alone_awaited(self._next_awaited)
        if found is None:
            raise StopAsyncIteration
        return found

    def _alone(self, work: Callable[[], _T]) -> _T:
        if self._holder == get_ident():
            raise RuntimeError(
                "the next outcome was requested from within this bulk job: by its rows, its "
                "progress or a signal handler"
            )
        with self._lock:
            self._holder = get_ident()
            try:
                return work()
            except BaseException:
                self._end(CLOSE_SECONDS)  # including after Ctrl-C
                raise
            finally:
                self._holder = None

    async def _alone_awaited(self, work: Callable[[], Awaitable[_T]]) -> _T:
        if self._is_awaited:
            raise RuntimeError("another task is already awaiting the next outcome of this bulk job")
        self._is_awaited = True
        try:
            return await work()
        except Exception:
            self._end(0.0)
            raise
        finally:
            self._is_awaited = False

    def __del__(self) -> None:
        if getattr(self, "_native", None) is not None and not self._is_over:
            self._end(0.0)

    def __repr__(self) -> str:
        counts = self._counts
        return f"<modelwire.bulk: {counts.done} done, {counts.failed} failed of {counts.rows} rows>"

    # Input of rows.

    def _begin(self, key: Any) -> NativeBulk:
        self._native = begin(
            self._client,
            key,
            self._limits,
            self._output,
            self._budget,
            self._copied,
            self._timeout,
        )
        self._began = time.monotonic()
        return self._native

    def _room(self) -> int:
        if self._is_ordered:
            return 2 * self._ahead - len(self._open) - len(self._held) - len(self._ready)
        return self._ahead - len(self._open) - len(self._ready)

    def _put(self, native: NativeBulk, row: _Row) -> None:
        """Passes a row in; one that is not a request has its outcome at once."""
        counts = self._counts
        number, name = self._pulled, None
        self._pulled += 1
        is_of_pilot = number in self._sampled
        if is_of_pilot:
            if number in self._piloted:
                self._in_order(number, self._piloted.pop(number))
            if self._output is None:
                return
        else:
            counts.rows += 1
        try:
            name, operation, fields = self._plan.request(row)
            known, given = native.put(number, name, operation, fields, self._skips_unknown)
        except RequestError as error:
            self._is_no_request(native, number, row, name, error)
        except OpenAIError:
            raise  # the job cannot be used here
        except Exception as cause:
            hint = "Its values must be JSON values."
            failed = wrong(f"a row cannot be sent: {cause}", hint)
            failed.__cause__ = cause
            self._is_no_request(native, number, row, name, failed)
        else:
            name = name or given
            if is_of_pilot and known in ("done", "failed"):
                return
            if known == "new":
                self._open[number] = row, name
            elif known in ("changed", "twice"):
                failed = wrong(*(text.format(name) for text in _REFUSED[known]))
                self._came(_Result(row, name, None, failed, 0, 0.0), number)
            else:
                counts.skipped += 1
                self._in_order(number, None)

    def _is_no_request(
        self, native: NativeBulk, number: int, row: _Row, name: str | None, error: RequestError
    ) -> None:
        """Records the immediate outcome of an invalid row, which is kept if there is an output."""
        known, given = native.put_unsent(name, str(error))
        if known == "failed":
            self._counts.skipped += 1
            self._in_order(number, None)
        else:
            self._came(_Result(row, name or given, None, error, 0, 0.0), number)

    def _rows_ended(self, failure: BaseException | None) -> None:
        self._source = None
        if failure is not None:
            self._failure = failure
        if self._native is not None:
            self._native.end()

    def _pull(self, native: NativeBulk, is_brief: bool = False) -> None:
        """Passes in as many rows as there is room for; stops early if outcomes wait, or if other
        tasks need their turn."""
        source = self._source
        if source is None or self._room() <= 0:
            return
        flush_at = time.monotonic() + PULL_SECONDS
        while self._room() > 0:  # a skipped row takes none
            try:
                row = next(source)
            except StopIteration:
                self._rows_ended(None)
                break
            except Exception as error:
                self._rows_ended(error)
                break
            if self._is_over:  # it was closed meanwhile, for instance by the iterator
                self._not_given.append(row)
                return
            self._put(native, row)
            if time.monotonic() >= flush_at:
                native.flush()
                if is_brief or self._ready or native.has_news():
                    return
                flush_at = time.monotonic() + PULL_SECONDS
        native.flush()

    def _waits_for_rows(self) -> bool:
        """Whether to pull more rows next, and not to wait for an answer: the engine may be free to
        send the next row."""
        return self._source is not None and self._room() > 0

    # Output of outcomes.

    def _came(self, result: _Result[_Row], number: int) -> None:
        counts = self._counts
        if result.error is None:
            counts.done += 1
        else:
            counts.failed += 1
        self._in_order(number, result)

    def _in_order(self, number: int, result: _Result[_Row] | None) -> None:
        """Returns an outcome in its turn; skips one that is None."""
        if not self._is_ordered:
            if result is not None:
                self._ready.append(result)
            return
        self._held[number] = result
        while self._next_number in self._held:
            following = self._held.pop(self._next_number)
            if following is not None:
                self._ready.append(following)
            self._next_number += 1

    def _collect(self, native: NativeBulk) -> bool:
        """Takes arrived outcomes, and judges answers; returns whether there were any."""
        has_judged = self._checks.judge(native, self._open.__getitem__)
        outcomes = native.take(TAKEN_MAX)
        for number, response, error, attempts, elapsed in outcomes:
            row, name = self._open.pop(number)
            self._came(_Result(row, name, response, error, attempts, elapsed), number)
        if outcomes:
            self._look()
            if self._progress is not None:
                self._progress.show(self._counts)
            if self._room_made is not None:
                self._room_made.set()
        return bool(outcomes) or has_judged

    def _look(self) -> None:
        native = self._native
        if native is None:
            return
        if not self._is_over:
            for notice in native.notices():
                import logging

                logging.getLogger("modelwire").warning("modelwire.bulk: %s", notice)
            self._counts._update(native.status(), time.monotonic() - self._began)
            self._ahead = min(max(AHEAD_MIN, 2 * self._counts.concurrency_limit), AHEAD_MAX)

    def _ended(self, native: NativeBulk) -> bool:
        """Whether there are no more outcomes; records why."""
        ending = native.ending()
        if ending is None or self._is_over:
            return self._is_over
        self._look()
        self._is_over = True
        word, stopped = ending
        if word == "budget":
            hint = "The rows without an outcome are in `unfinished`."
            stopped = _BudgetError(stopped, kind="budget", hint=hint)
        elif word == "argument":
            stopped = wrong(stopped, "The rows without an outcome are in `unfinished`.")
        if stopped is not None:
            stopped.__cause__ = self._failure
            self._failure = stopped
        elif word != "all" and self._failure is None:
            self._failure = OpenAIError(
                "the bulk job was ended before its rows were",
                kind="shutdown" if word == "drained" else "internal",
                hint="The rows without an outcome are in `unfinished`.",
            )
        self._held.update(self._piloted)
        self._piloted.clear()
        for number in sorted(self._held):
            held = self._held.pop(number)
            if held is not None:
                self._ready.append(held)
        self._stop_feeding()
        if self._progress is not None:
            self._progress.end(self._counts)
        return True

    def _last(self) -> None:
        """At the end: raises the pending exception, once."""
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def _end(self, seconds: float) -> None:
        if self._is_over:
            return
        self._is_over = True
        self._not_given += (result.row for result in self._ready)
        for kept in (self._held, self._piloted):
            self._not_given += (held.row for held in kept.values() if held is not None)
            kept.clear()
        self._ready.clear()
        self._stop_feeding()
        self._source = None
        if self._native is not None:
            self._native.abort(seconds)
        if self._progress is not None:
            self._progress.end(self._counts)

    def _next(self) -> _Result[_Row] | None:
        native = self._native
        if native is None:
            if self._is_over:
                return None
            native = self._begin(self._key())
            try:
                self._source = iter(self._rows)
            except TypeError:
                if hasattr(self._rows, "__aiter__"):
                    raise TypeError("the rows are asynchronous: use `async for`") from None
                raise
            self._rows = None
        while True:
            if self._ready:
                return self._ready.popleft()
            if self._is_over:
                self._last()
                return None
            self._pull(native)
            if self._collect(native) or self._ready or self._ended(native):
                continue
            if not self._waits_for_rows():
                native.wait()

    def _key(self) -> Any:
        key = self._client._key_of_each_call
        return None if key is None else secret(key())

    # A pilot.

    def _check_pilot(self, rows: int) -> None:
        if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
            raise ValueError(f"rows is {rows!r}; it must be a whole number above 0")
        if self._native is not None or self._is_over:
            raise RuntimeError("a pilot runs once, before the first result is requested")
        if hasattr(self._rows, "__next__") or not hasattr(self._rows, "__iter__"):
            raise TypeError(
                f"the rows are a {type(self._rows).__name__}, which can be read only once, so no "
                "random sample can be drawn from it: give a list, a DataFrame or another iterable "
                "that begins again"
            )

    def _pilot(self, size: int) -> _Pilot:
        native = self._begin(self._key())
        for waits in self._steps_of_pilot(native, size):
            if waits:
                native.wait()
        return self._piloted_by(native)

    def _steps_of_pilot(self, native: NativeBulk, size: int) -> Iterator[bool]:
        """Reads all rows, and runs the sample. Yields True where it waits for outcomes, and False
        now and then before."""
        native.survey(size, self._skips_unknown)
        sample: dict[int, tuple[int, _Row, str | None]] = {}
        number, turn_at = -1, time.monotonic() + PULL_SECONDS
        for number, row in enumerate(self._rows):
            try:
                name, operation, fields = self._plan.request(row)
                place, given = native.survey_row(number, name, operation, fields)
            except Exception:  # noqa: S112
                continue  # it is not a request: its outcome will say so
            if place is not None:
                sample[place] = number, row, name or given
            if time.monotonic() >= turn_at:
                yield False
                turn_at = time.monotonic() + PULL_SECONDS
        native.pilot()
        if self._counts.total is None:
            self._counts.total = number + 1
        self._counts.rows = len(sample)
        for number, row, name in sample.values():
            self._sampled.add(number)
            self._open[number] = row, name
        while self._open and not self._ended(native):
            if not self._collect(native):
                yield True
        self._piloted, self._held = self._held, {}

    def _piloted_by(self, native: NativeBulk) -> _Pilot:
        """The estimates. From now on the rows are read as without a pilot."""
        if self._is_over:
            self._last()
            raise OpenAIError("the bulk job was closed during its pilot", kind="shutdown")
        fields = native.projection()
        self._source, self._rows = iter(self._rows), None
        return pilot_of(fields or {})

    # The same for event loops.

    async def _next_awaited(self) -> _Result[_Row] | None:
        native = self._native
        if native is None:
            if self._is_over:
                return None
            native = await self._begin_awaited()
        while True:
            if self._ready:
                return self._ready.popleft()
            if self._is_over:
                self._last()
                return None
            await self._pull_awaited(native)
            if self._collect(native) or self._ready or self._ended(native):
                continue
            if not self._waits_for_rows():
                await self._arrival(native)

    async def _begin_awaited(self) -> NativeBulk:
        native = self._begin(await self._key_awaited())
        native.fd()  # from now on it signals arrivals
        if not hasattr(self._rows, "__aiter__"):
            self._source = iter(self._rows)
        elif _trio() is None:
            import asyncio

            self._room_made = asyncio.Event()
            self._feeder = asyncio.get_running_loop().create_task(self._feed(native))
        else:
            self._source = aiter(self._rows)
        self._rows = self._rows if self._feeder is not None else None
        return native

    async def _key_awaited(self) -> Any:
        key = self._client._key_of_each_call
        given = None if key is None else key()
        if given is not None and hasattr(given, "__await__"):
            given = await given
        return None if given is None else secret(given)

    async def _pilot_awaited(self, size: int) -> _Pilot:
        native = self._begin(await self._key_awaited())
        native.fd()  # from now on it signals arrivals
        for waits in self._steps_of_pilot(native, size):
            await (self._arrival(native) if waits else _turn())
        return self._piloted_by(native)

    async def _pull_awaited(self, native: NativeBulk) -> None:
        if self._source is None:
            return await _turn()
        if hasattr(self._source, "__next__"):
            self._pull(native, is_brief=True)
            return await _turn()
        while self._room() > 0:
            try:
                row = await anext(self._source)
            except StopAsyncIteration:
                return self._rows_ended(None)
            except Exception as error:
                return self._rows_ended(error)
            except BaseException as cause:  # a cancelled wait ends an asynchronous generator
                failed = OpenAIError(
                    "the wait for the next row was cancelled, which ends its iterator",
                    kind="shutdown",
                    hint="Set no deadline on the wait for an outcome while rows are awaited.",
                )
                failed.__cause__ = cause
                self._rows_ended(failed)
                raise
            if self._is_over:
                self._not_given.append(row)
                return
            self._put(native, row)
            native.flush()
            if self._ready or native.has_news():
                return

    async def _feed(self, native: NativeBulk) -> None:
        """The task that pulls asynchronous rows, so that one task awaits all of them."""
        assert self._room_made is not None
        from asyncio import CancelledError, get_running_loop

        loop, is_told = get_running_loop(), False

        def tell() -> None:
            nonlocal is_told
            is_told = False
            native.flush()
            if self._ready and self._waiter is not None and not self._waiter.done():
                self._waiter.set_result(None)

        failure = None
        try:
            async for row in self._rows:
                self._put(native, row)
                if not is_told:
                    is_told = True
                    loop.call_soon(tell)
                while self._room() <= 0:
                    self._room_made.clear()
                    await self._room_made.wait()
        except CancelledError:
            if self._is_over:
                return
            failure = None
            raise
        except Exception as error:
            failure = error
        finally:
            self._rows = None
            if not self._is_over:
                self._rows_ended(failure)

    def _stop_feeding(self) -> None:
        feeder, self._feeder = self._feeder, None
        if feeder is not None and not feeder.done():
            loop = feeder.get_loop()
            if not loop.is_closed():
                feeder.cancel()

    async def _arrival(self, native: NativeBulk) -> None:
        """Waits at the descriptor until something arrives."""
        trio = _trio()
        if trio is not None:
            await trio.lowlevel.wait_readable(native.fd())
            return
        import asyncio

        loop = asyncio.get_running_loop()
        waiter = self._waiter = loop.create_future()
        fd = native.fd()
        loop.add_reader(fd, _resolve, waiter)
        try:
            await waiter
        finally:
            loop.remove_reader(fd)
            self._waiter = None


class _Iteration(Generic[_Row]):
    """The iterator of a `for`; if it is freed before its end, the loop was left."""

    def __init__(self, run: bulk[_Row]) -> None:
        self._run = run

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> _Result[_Row]:
        return self._run.__next__()

    def __del__(self) -> None:
        run = self._run
        if not run._is_over and run._native is not None:
            run._end(CLOSE_SECONDS)


class _AsyncIteration(Generic[_Row]):
    """The same for an `async for`."""

    def __init__(self, run: bulk[_Row]) -> None:
        self._run = run

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> _Result[_Row]:
        return await self._run.__anext__()

    def __del__(self) -> None:
        run = self._run
        if not run._is_over and run._native is not None:
            run._end(0.0)


def _trio() -> Any:
    """trio, if it runs this code."""
    import sys

    trio = sys.modules.get("trio")
    if trio is not None and trio.lowlevel.in_trio_task():
        asyncio = sys.modules.get("asyncio")
        if asyncio is None or asyncio._get_running_loop() is None:
            return trio
    return None


async def _turn() -> None:
    """Yields to the event loop."""
    trio = _trio()
    if trio is not None:
        await trio.lowlevel.checkpoint()
    else:
        import asyncio

        await asyncio.sleep(0)


def _resolve(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)
