"""Converts a row of `bulk`, in any of its forms, to the request that is sent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import copy

from modelwire._errors import RequestError
from modelwire._native import prompt_parts
from modelwire._options import as_dict, wrong_type

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

OPERATIONS = {"chat": "chat", "responses": "responses"}
URLS = {"chat/completions": "chat", "responses": "responses"}
"""What a line of a batch file says under `url`, after the version."""


def wrong(message: str, hint: str) -> RequestError:
    """The error of a row that is not a request."""
    return RequestError(message, kind="argument", hint=hint)


class Plan:
    """The common settings of a job's rows: the values to fill in, and the prompt."""

    __slots__ = ("defaults", "operation", "prompt", "system")

    def __init__(
        self,
        model: str | None,
        operation: str,
        prompt: str | None,
        system: str | None,
        defaults: Mapping[str, object] | None,
    ) -> None:
        if operation not in OPERATIONS:
            raise ValueError(f'operation is {operation!r}; it must be "chat" or "responses"')
        self.operation = operation
        self.prompt = None if prompt is None else prompt_parts(prompt)
        self.system = system
        for name, value in (("model", model), ("system", system)):
            if value is not None and not isinstance(value, str):
                raise wrong_type(name, "a str", value)
        self.defaults: dict[str, Any] = as_dict("defaults", defaults)
        if model is not None:
            self.defaults["model"] = model

    @property
    def prompt_fields(self) -> list[str]:
        """The names of the fields in the prompt."""
        return [] if self.prompt is None else self.prompt[1::2]

    def with_defaults(self, options: Mapping[str, object]) -> Plan:
        """The same plan with other defaults of these names."""
        plan = copy(self)
        plan.defaults = {**self.defaults, **options}
        return plan

    def request(self, row: Any) -> tuple[str | None, str, dict[str, Any]]:
        """The row's name, if it has one, its operation, and the fields of its body."""
        if isinstance(row, tuple) and len(row) == 2:
            name, row = row
            _, operation, fields = self.request(row)
            return _name(name), operation, fields
        if self.prompt is not None and isinstance(row, Mapping):
            return (
                _name(row.get("custom_id")),
                self.operation,
                self._asks(self._prompt_of(row, self.prompt)),
            )
        if self.prompt is not None:
            raise wrong(
                f"prompt needs rows with fields, and a row is a {type(row).__name__}",
                "Give dicts, or put the instruction into system.",
            )
        if isinstance(row, str):
            return None, self.operation, self._asks(row)
        if not isinstance(row, Mapping):
            raise wrong(
                f"a row is a {type(row).__name__}",
                "Give dicts, lines of a batch file as dicts, pairs of a name and a body, or "
                "prompts as str.",
            )
        name, operation = None, self.operation
        body = row
        if "body" in row and "messages" not in row and "input" not in row:
            name, body = _name(row.get("custom_id")), row["body"]
            if row.get("url") is not None:
                operation = _operation(row["url"])
            if not isinstance(body, Mapping):
                raise wrong(f"body is a {type(body).__name__}", "It must be the request, a dict.")
        fields = dict(body)
        for field, value in self.defaults.items():
            if field not in fields:
                fields[field] = value
        return name, operation, self._checked(fields)

    def _prompt_of(self, row: Mapping[str, Any], template: list[str]) -> str:
        """The prompt of a row: every second part of the template is a field."""
        parts = template.copy()
        for index in range(1, len(parts), 2):
            field = parts[index]
            if field not in row:
                raise wrong(
                    f"a row has no field {field!r}",
                    f"prompt names it; the fields are {', '.join(map(str, row))}.",
                )
            value = row[field]
            if not isinstance(value, (str, int, float)):
                raise wrong(
                    f"the field {field!r} of a row is a {type(value).__name__}",
                    "A field of the prompt must be a str or a number.",
                )
            parts[index] = value if isinstance(value, str) else json.dumps(value)
        return "".join(parts)

    def _asks(self, prompt: str) -> dict[str, Any]:
        if self.operation == "responses":
            fields: dict[str, Any] = {**self.defaults, "input": prompt}
            if self.system is not None:
                fields["instructions"] = self.system
            return self._checked(fields)
        messages = [{"role": "user", "content": prompt}]
        if self.system is not None:
            messages.insert(0, {"role": "system", "content": self.system})
        return self._checked({**self.defaults, "messages": messages})

    def _checked(self, fields: dict[str, Any]) -> dict[str, Any]:
        if not isinstance(fields.get("model"), str):
            raise wrong("a row names no model", "Set it in the row, or pass model=... for all.")
        return fields


def _name(name: Any) -> str | None:
    if name is None or isinstance(name, str):
        return name
    if isinstance(name, int) and not isinstance(name, bool):
        return str(name)
    raise wrong(f"the name of a row is a {type(name).__name__}", "custom_id must be a str.")


def _operation(url: Any) -> str:
    path = str(url).split("?")[0].rstrip("/")
    for end, operation in URLS.items():
        if path.endswith(end):
            return operation
    raise wrong(f"url is {url!r}", "It must be /v1/chat/completions or /v1/responses.")
