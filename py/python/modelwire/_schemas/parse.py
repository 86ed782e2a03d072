"""Parsed answers: the expected type becomes a part of the request, and the texts of the answer
become values.

Imported when a program parses.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from modelwire._answers import lists
from modelwire._errors import (
    AnswerValidationError,
    ContentFilterFinishReasonError,
    LengthFinishReasonError,
    RequestError,
    _made,
)
from modelwire._options import is_given, wrong_type
from modelwire._schemas import partial as _partial
from modelwire._schemas.formats import Format, is_type

if TYPE_CHECKING:
    from modelwire.types._params import ChatCompletionFunctionToolParam, FunctionToolParam


class FunctionTool(dict[str, Any]):
    """The definition of a function with the type of its arguments."""

    def __init__(self, definition: dict[str, Any], format_: Format) -> None:
        super().__init__(definition)
        self.format = format_
        self.model = format_.kind


def pydantic_function_tool(
    model: Any, *, name: str | None = None, description: str | None = None
) -> ChatCompletionFunctionToolParam:
    """A chat tool whose arguments have a type: a pydantic model, a dataclass, a TypedDict, a
    msgspec Struct. Name and description come from the type unless given."""
    found = Format(model)
    if found.is_wrapped:
        raise TypeError(f"the arguments of a tool must have names; {found.name} has none")
    if description is None:
        description = getattr(model, "__doc__", None)
        if description and description.startswith(f"{found.name}("):
            description = None  # the generated docstring of a dataclass
    function = FunctionTool(
        {"name": name or found.name, "strict": True, "parameters": found.schema}, found
    )
    if description is not None:
        function["description"] = description
    return {"type": "function", "function": function}  # type: ignore[typeddict-item]


def pydantic_responses_function_tool(
    model: Any,
    *,
    name: str | None = None,
    description: str | None = None,
    defer_loading: Any = None,
) -> FunctionToolParam:
    """The same as a response tool."""
    tool: Any = pydantic_function_tool(model, name=name, description=description)
    function = tool["function"]
    tool = FunctionTool({"type": "function", **function}, function.format)
    if defer_loading is not None and is_given(defer_loading):
        tool["defer_loading"] = defer_loading
    return tool  # type: ignore[no-any-return]


def _format_of(asked: Any) -> Format | None:
    """The expected type of an answer; None without one, or for a JSON schema."""
    return Format(asked) if is_type(asked) else None


def _response_format(format_: Format) -> dict[str, Any]:
    described = {"schema": format_.schema, "name": format_.name, "strict": True}
    return {"type": "json_schema", "json_schema": described}


def _text_format(format_: Format) -> dict[str, Any]:
    return {"type": "json_schema", "strict": True, "name": format_.name, "schema": format_.schema}


def type_to_response_format_param(response_format: Any) -> Any:
    """The response_format of a chat that `parse` sends for a type; anything else as it is.
    openai-python has this function."""
    found = _format_of(response_format)
    return response_format if found is None else _response_format(found)


def type_to_text_format_param(type_: Any) -> Any:
    """The format in the text of a response that `parse` sends for a type."""
    found = _format_of(type_)
    return type_ if found is None else _text_format(found)


def _tools(given: dict[str, Any]) -> list[Any]:
    """The given tools, as a list to send and inspect."""
    tools = given.get("tools")
    if tools is None or not is_given(tools):
        return []
    given["tools"] = tools = list(tools)
    return tools


def _reader(definition: Any) -> Callable[[str], Any] | None:
    """The parser for the arguments of a function; None if they are not parsed."""
    found = getattr(definition, "format", None)
    if isinstance(found, Format):
        return found.read
    model = getattr(definition, "model", None)  # openai-python's own tools
    if model is not None and is_type(model):
        return Format(model).read
    return json.loads if definition.get("strict") else None


def _only_strict_functions(tools: Iterable[Any]) -> None:
    for tool in tools:
        kind = tool["type"]
        if kind != "function":
            raise RequestError(
                f"the arguments of tools of the type {kind!r} cannot be parsed",
                kind="argument",
                hint="parse takes only functions; use create.",
            )
        if tool["function"].get("strict") is not True:
            raise RequestError(
                f"`{tool['function'].get('name')}` is not strict. Only `strict` function tools can "
                "be auto-parsed",
                kind="argument",
                hint='Create it with pydantic_function_tool, or set "strict": True in it.',
            )


_FILTERED = "Could not parse response content as the request was rejected by the content filter"
"""openai-python's words, as those of other errors here: programs and people search for them."""


def read(reader: Callable[[str], Any], text: str, answer: Any, what: str) -> Any:
    """The value of a text of an answer; an AnswerValidationError if it does not match."""
    try:
        return reader(text)
    except (ValueError, RecursionError) as cause:
        raise _made(
            AnswerValidationError,
            f"the answer is not {what}: {cause}",
            completion=answer,
            text=text,
            hint="The whole answer arrived and was charged: it is the error's `completion`.",
        ) from cause


class _Reading:
    """Parses the texts of one answer, and reports errors in them."""

    def __init__(self, format_: Format | None) -> None:
        self.format = format_
        self.readers: dict[Any, Callable[[str], Any]] = {}

    @property
    def reads(self) -> bool:
        """Whether there is anything to parse."""
        return self.format is not None or bool(self.readers)

    def _reader(self, name: Any) -> Callable[[str], Any] | None:
        try:
            return self.readers.get(name)
        except TypeError:
            return None  # the service sent something else in place of a name

    def content(self, text: str, answer: Any) -> Any:
        """The text of an answer as a value."""
        assert self.format is not None
        return read(self.format.read, text, answer, self.format.name)

    def arguments(self, name: Any, text: str, answer: Any) -> Any:
        """The arguments of a call as a value; None if they are not parsed."""
        reader = self._reader(name)
        if reader is None:
            return None
        called = name if isinstance(name, str) else name[1]  # of responses: with a namespace
        return read(reader, text, answer, f"the arguments of {called}")

    def partial_content(self, text: str) -> Any:
        """The value in the text so far, as `json.loads` would return it."""
        if self.format is None:
            return None
        found = _partial.value(text)
        if self.format.is_wrapped:
            return found.get("value") if isinstance(found, dict) else found
        return found

    def partial_arguments(self, name: Any, text: str) -> Any:
        """The same for the arguments of a call."""
        return _partial.value(text) if self._reader(name) else None


class ChatReading(_Reading):
    """A chat whose answer is parsed. Takes the arguments of a method; `given` is what is sent."""

    def __init__(self, given: dict[str, Any], *, all_strict: bool) -> None:
        asked = given.get("response_format")
        super().__init__(_format_of(asked))
        is_schema = asked is None or not is_given(asked) or hasattr(asked, "keys")
        if self.format is None and not is_schema:
            raise wrong_type("response_format", "a type, a dict or None", asked)
        self.given = given = dict(given)
        if self.format is not None:
            given["response_format"] = _response_format(self.format)
        tools = _tools(given)
        if all_strict:
            _only_strict_functions(tools)
        for tool in tools:
            function: Any = tool.get("function") if isinstance(tool, dict) else None
            reader = None if function is None else _reader(function)
            if reader is not None:
                self.readers[function["name"]] = reader

    def read(self, completion: Any) -> Any:
        """The completion with `parsed` and `parsed_arguments` in its messages and calls."""
        for choice in completion.choices or ():
            self._refuse_cut(completion, choice.finish_reason)
        # All are parsed before any is assigned: an error contains the answer as received.
        messages = _messages(completion)
        found = [self._message(message, completion) for message in messages]
        for message, values in zip(messages, found, strict=True):
            _assign(message, values)
        return lists.of_a_chat(completion)

    def is_cut(self, reason: Any) -> bool:
        """Whether an answer with this end can no longer be parsed."""
        return self.reads and reason in ("length", "content_filter")

    def _refuse_cut(self, completion: Any, reason: Any) -> None:
        if reason == "length":
            raise _made(
                LengthFinishReasonError,
                "Could not parse response content as the length limit was reached",
                completion=completion,
                hint="Set a higher max_tokens, or ask for less.",
            )
        if reason == "content_filter":
            raise _made(
                ContentFilterFinishReasonError,
                _FILTERED,
                completion=completion,
            )

    def _message(self, message: Any, completion: Any) -> tuple[Any, list[Any]]:
        functions = [_function(call) for call in _calls(message)]
        arguments = [
            self.arguments(function.name, function.arguments or "", completion)
            if function is not None
            else None
            for function in functions
        ]
        return self._parsed(message, bool(functions), completion), arguments

    def _parsed(self, message: Any, has_calls: bool, completion: Any) -> Any:
        text = message.content
        if self.format is None or not isinstance(text, str) or not text or message.refusal:
            return None
        try:
            return self.content(text, completion)
        except AnswerValidationError:
            if has_calls:
                return None  # text next to calls is not the answer yet
            raise

    def partly_read(self, completion: Any) -> Any:
        """An incomplete completion, with the values in its texts so far; those of a choice that
        has finished have their types, if they match."""
        for choice in completion.choices or ():
            message = choice.message
            if message is None:
                continue
            if choice.finish_reason and not self.is_cut(choice.finish_reason):
                with suppress(AnswerValidationError):
                    _assign(message, self._message(message, completion))
                    continue
            if self.format is not None and isinstance(message.content, str):
                message.parsed = None
                if not message.refusal:
                    message.parsed = self.partial_content(message.content)
            for call in _calls(message):
                function = _function(call)
                if function is not None and self._reader(function.name):
                    function.parsed_arguments = _partial.value(function.arguments or "")
        return completion


def _assign(message: Any, values: tuple[Any, list[Any]]) -> None:
    """Sets what was parsed of a message and of its calls."""
    message.parsed, arguments = values
    for call, value in zip(_calls(message), arguments, strict=True):
        if (function := _function(call)) is not None:
            function.parsed_arguments = value


def _messages(completion: Any) -> list[Any]:
    messages = (choice.message for choice in completion.choices or ())
    return [message for message in messages if message is not None]


def _function(call: Any) -> Any:
    """The function of a tool call; none if the service sent something else."""
    function = getattr(call, "function", None)
    return function if hasattr(function, "arguments") else None


def _calls(message: Any) -> list[Any]:
    calls = message.tool_calls
    return calls if isinstance(calls, list) else []


FINAL_PHASES = (None, "final_answer")
"""Only what a model says in these phases is its answer; the rest is commentary."""


class ResponseReading(_Reading):
    """A response whose answer is parsed. Takes the arguments of a method; `given` is what is
    sent."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.given = given = dict(given)
        asked = given.pop("text_format", None)
        parse_as = given.pop("parse_as", _SAME)
        sent = _format_of(asked)
        super().__init__(sent)
        if asked is not None and is_given(asked) and sent is None:
            raise TypeError(f"text_format takes a type, not {type(asked).__name__}; pass a JSON "
                            "schema as text={'format': ...}")  # fmt: skip
        if sent is not None:
            text = given.get("text")
            text = dict(text) if text is not None and is_given(text) else {}
            if "format" in text:
                raise TypeError("text_format and text['format'] exclude each other")
            given["text"] = {**text, "format": _text_format(sent)}
        if parse_as is not _SAME and (parse_as is None or is_given(parse_as)):
            self.format = _format_of(parse_as)
        if _tools(given):
            given["tools"] = [_flat(tool) for tool in given["tools"]]
        for at, tool in enumerate(_tools(given)):
            if not isinstance(tool, dict):
                continue
            if tool.get("type") == "namespace":
                given["tools"][at] = tool = dict(tool)
                for one in _tools(tool):
                    self._reads_arguments(one, tool.get("name"))
            self._reads_arguments(tool, None)

    def _reads_arguments(self, tool: Any, namespace: str | None) -> None:
        if isinstance(tool, dict) and tool.get("type") == "function":
            reader = _reader(tool)
            if reader is not None:
                self.readers[namespace, tool.get("name")] = reader

    def read(self, response: Any) -> Any:
        """The response with `parsed`, `parsed_arguments` and `output_parsed` in it."""
        if self.reads:
            self._refuse_cut(response)
        found: list[tuple[Any, str, Any]] = []
        is_whole = response.status not in ("failed", "cancelled", "queued", "in_progress")
        for item in lists.of_a_response(response).output:
            kind = getattr(item, "type", None)
            if kind == "message":
                for part in item.content or ():
                    if getattr(part, "type", None) == "output_text":
                        value = self._part(part, item, response) if is_whole else None
                        found.append((part, "parsed", value))
            elif kind == "function_call":
                name = self._known(item.name, getattr(item, "namespace", None))
                value = self.arguments(name, item.arguments or "", response) if is_whole else None
                found.append((item, "parsed_arguments", value))
        for thing, name, value in found:
            setattr(thing, name, value)
        if self.format is not None:
            parsed = (value for _, name, value in found if name == "parsed" and value is not None)
            response.output_parsed = next(parsed, None)
        return response

    def _known(self, name: Any, namespace: Any) -> Any:
        if self._reader((namespace, name)) or (namespace is not None and namespace != name):
            return (namespace, name)
        return (None, name)

    def _part(self, part: Any, item: Any, response: Any) -> Any:
        if self.format is None or not self.is_final(item.phase) or not part.text:
            return None
        return self.content(part.text, response)

    @staticmethod
    def is_final(phase: Any) -> bool:
        """Whether the text of a phase is the answer."""
        return phase in FINAL_PHASES

    def _refuse_cut(self, response: Any) -> None:
        if response.status != "incomplete":
            return
        reason = getattr(response.incomplete_details, "reason", None)
        if reason == "content_filter":
            raise _made(
                ContentFilterFinishReasonError,
                _FILTERED,
                completion=response,
            )
        raise _made(
            LengthFinishReasonError,
            f"the response is incomplete ({reason or 'no reason was given'}), and cannot be parsed",
            completion=response,
            hint="Set a higher max_output_tokens, or ask for less.",
        )

    def partly_read(self, response: Any) -> Any:
        """An incomplete response: nothing of it is parsed yet."""
        return response


_SAME = object()


def _flat(tool: Any) -> Any:
    """A tool in the form of responses. pydantic_function_tool makes chat tools."""
    if not isinstance(tool, dict) or tool.get("type") != "function" or "function" not in tool:
        return tool
    function = tool["function"]
    if _reader(function) in (None, json.loads):
        raise RequestError(
            "a function of a response has its name next to its type, not in an object `function`",
            kind="argument",
            hint='Give {"type": "function", "name": ..., "parameters": ...}, or what '
            "pydantic_function_tool makes.",
        )
    first = {name: function.get(name) for name in ("name", "description", "parameters")}
    definition = {"type": "function", **first, "strict": function.get("strict") or False}
    found = getattr(function, "format", None)
    if not isinstance(found, Format):
        found = Format(function.model)
    return FunctionTool({**definition, **function}, found)
