"""Python functions as tools: name, description and the JSON schema of the parameters, from the
signature and the docstring.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import re
import typing
from collections.abc import Callable
from typing import Any

from modelwire._schemas.formats import library
from modelwire._schemas.schema import is_strict, strict

_SENDABLE = re.compile(r"[A-Za-z0-9_-]{1,64}")
_MUTABLE = (list, dict, set)
_GOOGLE = re.compile(r"(Args|Arguments|Parameters|Params):\s*")
_SPHINX = re.compile(r":param\s+(?:[^:]*\s)?\*{0,2}(\w+):\s*(.*)")
_SECTION = re.compile(
    r"(Args|Arguments|Parameters|Params|Returns?|Yields?|Raises|Examples?|Notes?|See Also|"
    r"Attributes|Warnings?|References|Todo):?\s*"
)


class Function:
    """A function that a model may call."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        inner = function
        self._bound: set[str] = set()
        while isinstance(inner, functools.partial):
            self._bound |= set(inner.keywords)  # set by the program, not by the model
            inner = inner.func
        if not inspect.isroutine(inner) and not isinstance(inner, type):
            # A cached function, or another callable object.
            inner = getattr(inner, "__wrapped__", type(inner).__call__)
        self.name: str = getattr(function, "__name__", None) or _name(function)
        if not _SENDABLE.fullmatch(self.name):
            raise ValueError(
                f"a tool is named {self.name!r}: its name must be 1 to 64 letters A to Z, digits, "
                "_ or -. Define a function with def, or set its __name__"
            )
        self.is_async = inspect.iscoroutinefunction(inner)
        self.description, told = documented(inner)
        kind = self._kind(inner, told)
        described, self._read = library(kind)
        self.is_strict, self.parameters = _parameters(described, told)
        self._names = [field.name for field in dataclasses.fields(kind)]

    def read(self, text: str) -> dict[str, Any]:
        """The arguments of a call as values; a ValueError if they do not match."""
        found = self._read(text or "{}")
        return {name: getattr(found, name) for name in self._names}

    def _kind(self, inner: Any, told: dict[str, str]) -> Any:
        """A dataclass with the parameters as its fields. A string in an annotation describes a
        parameter, and takes precedence over the docstring."""
        try:
            hints = typing.get_type_hints(inner, include_extras=True)
        except NameError as cause:
            raise TypeError(f"an annotation of {self.name} cannot be read: {cause}") from cause
        fields: list[Any] = []
        for parameter in inspect.signature(self.function).parameters.values():
            name = parameter.name
            if name in self._bound:
                continue
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                raise TypeError(
                    f"{self.name} takes *{name}: a model can only pass arguments that have names"
                )
            if parameter.kind is parameter.POSITIONAL_ONLY:
                raise TypeError(f"{name} of {self.name} cannot be passed by name")
            given: dict[str, Any] = {}
            if parameter.default is not parameter.empty:
                given["default"] = parameter.default
                if isinstance(parameter.default, _MUTABLE):
                    given = {"default_factory": functools.partial(_same, parameter.default)}
            kind = hints.get(name, Any)
            for one in getattr(kind, "__metadata__", ()):
                if isinstance(text := getattr(one, "documentation", one), str):
                    told[name] = text
            fields.append((name, kind, dataclasses.field(**given)))
        return dataclasses.make_dataclass(self.name, fields, kw_only=True)


def _same(value: Any) -> Any:
    return value


def _name(function: Any) -> str:
    inner = getattr(function, "func", function)
    return str(getattr(inner, "__name__", type(inner).__name__))


def _parameters(described: dict[str, Any], told: dict[str, str]) -> tuple[bool, dict[str, Any]]:
    """Whether the parameters are strict, and their schema: strict if every parameter is required
    and constrained, otherwise as in the signature."""
    described = {name: one for name, one in described.items() if name not in _OF_A_CLASS}
    properties = described.setdefault("properties", {})
    for one in properties.values():
        one.pop("title", None)  # repeats the name
    for name, text in told.items():
        if name in properties:
            properties[name].setdefault("description", text)
    required = described.setdefault("required", [])
    tight = strict(described)
    if set(required) == set(properties) and is_strict(tight):
        return True, tight
    return False, {**described, "additionalProperties": False}


_OF_A_CLASS = ("title", "description")


def documented(function: Any) -> tuple[str | None, dict[str, str]]:
    """The description of a function and of its parameters from its docstring, in Google, numpy or
    Sphinx style."""
    # Not inspect.getdoc: what a base class says of itself does not describe a tool.
    doc = function.__doc__ or ""
    if isinstance(function, type) and doc.startswith(f"{function.__name__}("):
        doc = ""  # the generated docstring of a dataclass
    lines = inspect.cleandoc(doc).splitlines()
    said: dict[str, str] = {}
    begin = len(lines)
    for index, line in enumerate(lines):
        below = lines[index + 1] if index + 1 < len(lines) else ""
        is_underlined = bool(re.fullmatch(r"-{3,}\s*", below))
        if found := _SPHINX.fullmatch(line):
            begin = min(begin, index)
            said[found[1]] = " ".join([found[2], *_indented(lines[index + 1 :], 1)]).strip()
        elif line.startswith(":") or (_SECTION.fullmatch(line) and (is_underlined or ":" in line)):
            begin = min(begin, index)
            if _GOOGLE.fullmatch(line):
                said |= _google(lines[index + 1 :])
            elif is_underlined and line.strip() == "Parameters":
                said |= _numpy(lines[index + 2 :])
    summary = "\n".join(lines[:begin]).strip()
    return summary or None, {name: text for name, text in said.items() if text}


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _indented(lines: list[str], least: int) -> list[str]:
    """The lines up to the first one that is indented less, without their indentation."""
    found = []
    for line in lines:
        if line.strip() and _indent(line) < least:
            break
        found.append(line.strip())
    return [line for line in found if line]


def _google(lines: list[str]) -> dict[str, str]:
    said: dict[str, str] = {}
    depth = next((_indent(line) for line in lines if line.strip()), 0)
    for index, line in enumerate(lines):
        if line.strip() and _indent(line) == 0:
            break
        found = re.match(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)", line.strip())
        if found and _indent(line) == depth:
            said[found[1]] = " ".join([found[2], *_indented(lines[index + 1 :], depth + 1)]).strip()
    return said


def _numpy(lines: list[str]) -> dict[str, str]:
    said: dict[str, str] = {}
    for index, line in enumerate(lines):
        below = lines[index + 1] if index + 1 < len(lines) else ""
        if re.fullmatch(r"-{3,}\s*", below):
            break
        if line.strip() and _indent(line) == 0:
            text = " ".join(_indented(lines[index + 1 :], 1))
            for name in line.partition(":")[0].split(","):
                said[name.strip().lstrip("*")] = text
    return said
