"""`modelwire.bulk.Rows`: a bulk job over batches of columns, as Ray Data and others provide them.

Every process that calls one has its own engine, made at the first batch and kept.
"""

from __future__ import annotations

import os
from threading import Lock
from typing import TYPE_CHECKING, Any

from modelwire._bulk.checks import Checks
from modelwire._bulk.engine import TAKEN_MAX, begin, limits_of
from modelwire._bulk.plan import Plan, wrong
from modelwire._bulk.result import Result
from modelwire._client import OpenAI
from modelwire._errors import OpenAIError, RequestError
from modelwire._key import secret
from modelwire._options import NOT_GIVEN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from modelwire._bulk.checks import Check
    from modelwire._native import NativeBulk
    from modelwire._options import NotGiven, Timeout


class Rows:
    """Answers a batch of rows: takes a dict of arrays, a DataFrame of pandas or polars or an Arrow
    table, and returns the same with the additional columns `answer`, `error` and `total_tokens`.

        ds.map_batches(
            modelwire.bulk.Rows,
            fn_constructor_kwargs={"prompt": "{text}", "model": "a-model"},
            concurrency=4,
        )

    An instance, `ds.map_batches(modelwire.bulk.Rows(prompt="{text}", model="a-model"))`, works as
    well. `prompt` is the text that is sent, with columns in braces; `body` names a column with
    whole requests, as JSON text or as structs; `options` one of fields, in the same forms, that
    override `defaults` and `model` for their row; a field that is null or missing there is not
    overridden.

    A row that fails has its error in the column `error`, and null as its answer: it does not stop
    the batch. With `errors="raise"` the first error is raised, and the rows of the batch that are
    in flight are cancelled. A rejected key (401, 403) and an unreachable service always raise.
    `check` and `ask_again` are as in `modelwire.bulk`; the `row` of a Result is the request.

    Each process has its own engine, which learns how much the service accepts, and keeps this from
    batch to batch. Base URL and key come from the environment of the worker if they are not given:
    a given key travels with the function, so `runtime_env` is the better place for it.
    """

    def __init__(
        self,
        *,
        prompt: str | None = None,
        body: str | None = None,
        options: str | None = None,
        model: str | None = None,
        operation: str = "chat",
        system: str | None = None,
        defaults: Mapping[str, object] | None = None,
        answer: str = "answer",
        error: str = "error",
        total_tokens: str = "total_tokens",
        errors: str = "column",
        max_concurrency: int | None = None,
        rpm: float | None = None,
        tpm: float | None = None,
        attempts: int | None = None,
        may_pay_twice: bool = False,
        check: Check | Iterable[Check] | None = None,
        ask_again: int = 0,
        base_url: str | None = None,
        api_key: str | Callable[[], str] | None = None,
        timeout: float | Timeout | None | NotGiven = NOT_GIVEN,
    ) -> None:
        if (prompt is None) == (body is None):
            raise TypeError(
                "give prompt, a text with columns in braces, or body, the column of whole requests"
            )
        if errors not in ("column", "raise"):
            raise ValueError(f'errors is {errors!r}; it must be "column" or "raise"')
        self._raises = errors == "raise"
        self._prompt, self._body, self._options = prompt, body, options
        self._plan = Plan(model, operation, prompt, system, defaults)
        self._names = answer, error, total_tokens
        self._checks = Checks(check, ask_again)
        self._limits = limits_of(max_concurrency, rpm, tpm, attempts, may_pay_twice)
        self._limits |= self._checks.limits()
        self._client_arguments = {"base_url": base_url, "api_key": api_key, "timeout": timeout}
        self._engine: _Engine | None = None

    def __call__(self, batch: Any) -> Any:
        """The batch with its answers."""
        columns = _Columns.of(batch)
        if self._body is not None:
            values = columns.get(self._body)
        else:
            fields = {name: columns.get(name) for name in self._plan.prompt_fields}
            values = [dict(zip(fields, row)) for row in zip(*fields.values())]
        options = None if self._options is None else columns.get(self._options)
        results = self._answers(values, options)
        answer, error, total_tokens = self._names
        return columns.with_these(
            {
                answer: [result.text for result in results],
                error: [None if one.error is None else str(one.error) for one in results],
                total_tokens: [_tokens(result) for result in results],
            }
        )

    def _answers(self, values: list[Any], options: list[Any] | None) -> list[Result[Any]]:
        engine = self._engine
        if engine is None or engine.is_of_another_process():
            engine = self._engine = _Engine(self._client_arguments, self._limits)
        found: list[Result[Any] | None] = [None] * len(values)
        requests = []
        for place, value in enumerate(values):
            try:
                own = None if options is None else options[place]
                requests.append((place, self._request(value, own)))
            except (RequestError, TypeError, ValueError) as failed:
                found[place] = _failed(value, failed)
                self._raise(found[place])
        try:
            engine.run(requests, found, self._raise, self._checks)
        except BaseException:
            self._engine = None  # the next batch creates a new one
            raise
        return [result for result in found if result is not None]

    def _raise(self, result: Result[Any] | None) -> None:
        """Raises the error of a row, if errors are to be raised."""
        if self._raises and result is not None:
            result.raise_for_error()

    def _request(self, value: Any, options: Any) -> tuple[str, dict[str, Any]]:
        for column, one in (value if self._body is None else {self._body: value}).items():
            if _is_missing(one):
                raise wrong(f"the column {column!r} has no value here", "Leave such rows out.")
        if self._body is not None and isinstance(value, str):
            value = _object("body", value)
        plan = self._plan
        if not _is_missing(options):
            fields = _object("options", options)
            # A column of structs has all fields in each row.
            plan = plan.with_defaults(
                {name: one for name, one in fields.items() if one is not None}
            )
        _, operation, fields = plan.request(value)
        return operation, fields

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_engine": None}

    def __repr__(self) -> str:
        given = f"prompt={self._prompt!r}" if self._body is None else f"body={self._body!r}"
        return f"modelwire.bulk.Rows({given})"


def _is_missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value)  # NaN
    except TypeError:  # pandas.NA
        return True


def _object(name: str, value: Any) -> dict[str, Any]:
    """A dict, also from JSON text."""
    if isinstance(value, str):
        import json

        value = json.loads(value)
    if not isinstance(value, dict):
        raise wrong(f"{name} is a {type(value).__name__}", "It must be a JSON object.")
    return value


def _tokens(result: Result[Any]) -> int | None:
    usage = getattr(result.response, "usage", None)
    return None if usage is None else usage.total_tokens


def _failed(row: Any, failed: Exception) -> Result[Any]:
    if not isinstance(failed, OpenAIError):
        failed = wrong(f"a row cannot be sent: {failed}", "Its values must be JSON values.")
    return Result(row, None, None, failed, 0, 0.0)


class _Engine:
    """The engine of this process. One batch at a time."""

    def __init__(self, client: dict[str, Any], limits: dict[str, Any]) -> None:
        self._process = os.getpid()
        self._lock = Lock()
        self._client = OpenAI(**client)
        key = self._client._key_of_each_call
        self._native = begin(self._client, None if key is None else secret(key()), limits)
        self._begun = 0

    def is_of_another_process(self) -> bool:
        return self._process != os.getpid()

    def run(
        self,
        requests: list[tuple[int, tuple[str, dict[str, Any]]]],
        found: list[Result[Any] | None],
        look: Callable[[Result[Any] | None], None],
        checks: Checks,
    ) -> None:
        """Stores the outcomes of these requests, each at its position. `look` may raise: then what
        is in flight is cancelled, and nothing more is sent."""
        with self._lock:
            native, open_ = self._native, dict[int, int]()
            bodies = {place: fields for place, (_, fields) in requests}
            try:
                for place, (operation, fields) in requests:
                    number, self._begun = self._begun, self._begun + 1
                    try:
                        native.put(number, None, operation, fields, False)
                        open_[number] = place
                    except (TypeError, ValueError) as failed:
                        found[place] = _failed(fields, failed)
                        look(found[place])
                native.flush()
                while open_:
                    has_judged = checks.judge(native, lambda number: (bodies[open_[number]], None))
                    if not self._take(native, open_, found, look) and not has_judged:
                        native.wait()
            except BaseException:
                native.abort(1.0)
                raise

    @staticmethod
    def _take(
        native: NativeBulk,
        open_: dict[int, int],
        found: list[Result[Any] | None],
        look: Callable[[Result[Any] | None], None],
    ) -> bool:
        outcomes = native.take(TAKEN_MAX)
        for number, response, error, attempts, elapsed in outcomes:
            place = open_.pop(number)
            found[place] = Result(None, None, response, error, attempts, elapsed)
            look(found[place])
        ending = None if outcomes else native.ending()
        if ending is not None:
            raise ending[1] or OpenAIError("the engine was shut down", kind="shutdown")
        return bool(outcomes)


class _Columns:
    """A batch, with columns of any kind."""

    def __init__(self, batch: Any) -> None:
        self._batch = batch

    @staticmethod
    def of(batch: Any) -> _Columns:
        """The matching kind of batch."""
        if hasattr(batch, "column_names") and hasattr(batch, "append_column"):
            return _Arrow(batch)
        if hasattr(batch, "assign") and hasattr(batch, "columns"):
            return _Frame(batch)
        if hasattr(batch, "with_columns") and hasattr(batch, "iter_rows"):
            return _Polars(batch)
        if isinstance(batch, dict) or hasattr(batch, "keys"):
            return _Columns(batch)
        raise TypeError(
            f"a batch is a {type(batch).__name__}; it must be a dict of columns, a DataFrame or an "
            "Arrow table"
        )

    def names(self) -> list[str]:
        """The names of the columns."""
        return list(self._batch)

    def values(self, name: str) -> list[Any]:
        """The values of a column, as Python values."""
        column = self._batch[name]
        return column.tolist() if hasattr(column, "tolist") else list(column)

    def get(self, name: str) -> list[Any]:
        """The same; an error lists the columns if there is none with this name."""
        if name not in self.names():
            raise KeyError(
                f"unknown column {name!r} in a batch with {', '.join(map(str, self.names()))}"
            )
        return self.values(name)

    def with_these(self, added: dict[str, list[Any]]) -> Any:
        """The batch with these columns."""
        import sys

        numpy = sys.modules.get("numpy")
        some = next(iter(self._batch.values()), None)
        if numpy is not None and isinstance(some, numpy.ndarray):
            made = {name: numpy.array(values, dtype=object) for name, values in added.items()}
            return {**self._batch, **made}
        return {**self._batch, **added}


class _Frame(_Columns):
    """A DataFrame of pandas."""

    def names(self) -> list[str]:
        return list(self._batch.columns)

    def with_these(self, added: dict[str, list[Any]]) -> Any:
        series = type(self._batch[self.names()[0]])
        index = self._batch.index
        made = {name: series(values, index=index, dtype=object) for name, values in added.items()}
        return self._batch.assign(**made)


class _Polars(_Columns):
    """A DataFrame of polars."""

    def names(self) -> list[str]:
        return list(self._batch.columns)

    def values(self, name: str) -> list[Any]:
        return list(self._batch[name].to_list())

    def with_these(self, added: dict[str, list[Any]]) -> Any:
        from importlib import import_module

        polars = import_module("polars")
        kinds = dict.fromkeys(added, polars.String) | {list(added)[-1]: polars.Int64}
        return self._batch.with_columns(
            polars.Series(name, values, kinds[name]) for name, values in added.items()
        )


class _Arrow(_Columns):
    """A table of pyarrow."""

    def names(self) -> list[str]:
        return list(self._batch.column_names)

    def values(self, name: str) -> list[Any]:
        return list(self._batch.column(name).to_pylist())

    def with_these(self, added: dict[str, list[Any]]) -> Any:
        from importlib import import_module

        batch, pyarrow = self._batch, import_module("pyarrow")
        for name, values in added.items():
            kind = pyarrow.int64() if name == list(added)[-1] else pyarrow.string()
            column = pyarrow.array(values, type=kind)
            if name in batch.column_names:
                batch = batch.set_column(batch.column_names.index(name), name, column)
            else:
                batch = batch.append_column(name, column)
        return batch
