"""The tool loop that `run_tools` returns. It sends the request, runs the functions that the model
calls, and sends their results, until the model answers.

Imported when a program runs tools.
"""

from __future__ import annotations

import json
import re
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Generator,
    Iterator,
)
from typing import Any, Generic, NoReturn, TypeVar

from modelwire._answers.usage import Usage
from modelwire._errors import MaxTurnsError, OpenAIError, _made
from modelwire._options import as_list, is_given
from modelwire._schemas.signature import Function

_A = TypeVar("_A")

HALF = re.compile(
    r"(?<!\\)(?:\\\\)*(?:"
    r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    r"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F])"
)
"""Half of a surrogate pair in JSON text."""

MAX_TURNS = 10
"""The default of `max_turns`."""


class Call:
    """A call that the model requested, and its outcome."""

    __slots__ = ("arguments", "error", "id", "name", "output", "result", "text")

    def __init__(self, id_: str, name: str, text: str) -> None:
        # As received from the model, which may send anything.
        self.id = id_
        """Its id among the calls."""
        self.name = name
        """The name of the function."""
        self.text = text
        """The arguments as received."""
        self.arguments: dict[str, Any] | None = None
        """The arguments as values; None if they could not be parsed."""
        self.result: Any = None
        """The result of the function."""
        self.error: Exception | None = None
        """Why there is no result."""
        self.output = ""
        """The text that is sent to the model."""

    def __repr__(self) -> str:
        return f"Call({self.name}({self.text}) -> {self.output!r})"


class Turn:
    """One request to the model, and the calls that were run for it."""

    __slots__ = ("answer", "calls", "messages", "number")
    type = "turn"

    def __init__(self, number: int, answer: Any, calls: list[Call], messages: list[Any]) -> None:
        self.number = number
        """Its number, from 1."""
        self.answer = answer
        """The model's answer: a chat completion or a response."""
        self.calls = calls
        """Its calls, with the results; empty if it answered."""
        self.messages = messages
        """The messages of this turn, from the model and from the tools."""

    @property
    def completion(self) -> Any:
        """The answer of a chat."""
        return self.answer

    @property
    def response(self) -> Any:
        """The answer of a response."""
        return self.answer

    def __repr__(self) -> str:
        return f"Turn(number={self.number}, calls={self.calls!r})"


class ChatForm:
    """The names of the parts of chats."""

    final = "get_final_completion"
    said = "messages"

    @staticmethod
    def tool(function: Function) -> dict[str, Any]:
        return {"type": "function", "function": _definition(function)}

    @staticmethod
    def calls(completion: Any) -> list[Call]:
        made = []
        for choice in _objects(completion.choices)[:1]:
            for call in _objects(getattr(choice.message, "tool_calls", None)):
                function = getattr(call, "function", None) or getattr(call, "custom", None)
                text = _or_none_given(getattr(function, "arguments", None))
                made.append(Call(call.id, getattr(function, "name", ""), text))
        return made

    @staticmethod
    def answered(completion: Any) -> list[Any]:
        return [_sent_back(choice.message) for choice in _objects(completion.choices)[:1]]

    @staticmethod
    def told(call: Call) -> dict[str, Any]:
        # If a service omits the ids of calls, it takes results in order.
        return {"role": "tool", "tool_call_id": call.id or "", "content": call.output}


class ResponseForm:
    """The names of the parts of responses."""

    final = "get_final_response"
    said = "input"

    @staticmethod
    def tool(function: Function) -> dict[str, Any]:
        return {"type": "function", **_definition(function)}

    @staticmethod
    def calls(response: Any) -> list[Call]:
        found = (item for item in _objects(response.output) if item.type == "function_call")
        return [Call(item.call_id, item.name, _or_none_given(item.arguments)) for item in found]

    @staticmethod
    def answered(response: Any) -> list[Any]:
        return [_sent_back(item) for item in _objects(response.output)]

    @staticmethod
    def told(call: Call) -> dict[str, Any]:
        return {"type": "function_call_output", "call_id": call.id or "", "output": call.output}


def _definition(function: Function) -> dict[str, Any]:
    described = {"description": function.description} if function.description else {}
    return {
        "name": function.name,
        **described,
        "parameters": function.parameters,
        "strict": function.is_strict,
    }


def _objects(found: Any) -> list[Any]:
    """The objects of a list; a model may have produced anything else instead."""
    return [one for one in found if hasattr(one, "to_dict")] if isinstance(found, list) else []


def _sent_back(said: Any) -> Any:
    """A model's output in a form that can be sent: without lone surrogates."""
    text = said.to_json(indent=None)
    if not HALF.search(text):
        return said
    return type(said).model_validate_json(said.to_json())


def _or_none_given(arguments: Any) -> Any:
    return "" if arguments is None else arguments


class _Run(Generic[_A]):
    """The base of both kinds of run: the conversation so far, and the functions."""

    def __init__(
        self,
        ask: Callable[[dict[str, Any]], Any],
        open_: Callable[[dict[str, Any]], Any],
        form: type[ChatForm] | type[ResponseForm],
        reading: Any,
        options: dict[str, Any],
    ) -> None:
        self._ask = ask
        self._open = open_
        self._is_begun = False
        self._form = form
        self._reading = reading
        self._given = given = dict(reading.given)
        self._max_turns: int = options["max_turns"]
        self._raise_errors: bool = options["raise_errors"]
        if not isinstance(self._max_turns, int) or self._max_turns < 1:
            raise ValueError(f"max_turns must be a number from 1 on, not {self._max_turns!r}")
        self._functions: dict[str, Function] = {}
        given["tools"] = [
            self._offered(tool)
            for tool in as_list("tools", "a list of functions", options["tools"])
        ]
        said = given.get(form.said)
        if isinstance(said, str):
            said = [{"role": "user", "content": said}]
        self.messages: list[Any] = list(said) if said is not None and is_given(said) else []
        """The conversation so far: the given messages, the model's answers, the results of
        tools."""
        self.final: _A | None = None
        """The answer that calls no more tools, once it is there; parsed if requested."""
        self.usage = Usage.fromkeys(Usage.__annotations__, 0)
        """The tokens of all turns so far, as far as they were reported, in the form of streams."""

    is_async = False
    _each, _wait = "for turn", ""

    def __repr__(self) -> str:
        begun = "started" if self._is_begun else "not started yet"
        how = f"`{self._each} in run`, or `{self._wait}run.until_done()`"
        return f"<{type(self).__name__}, {begun}, {len(self.messages)} messages: {how}>"

    def __await__(self) -> NoReturn:
        raise TypeError(
            f"a run cannot be awaited: `{self._each} in run`, or `{self._wait}run.until_done()`"
        )

    def _offered(self, tool: Any) -> Any:
        if isinstance(tool, dict):
            if tool.get("type") != "function":
                return tool  # run by the service
            raise TypeError("run_tools runs functions: pass the function itself, not its schema")
        if not callable(tool):
            raise TypeError(f"a tool must be a function, not {tool!r}")
        function = Function(tool)
        if function.is_async and not self.is_async:
            raise TypeError(f"{function.name} is asynchronous: run it with AsyncOpenAI")
        if function.name in self._functions:
            raise ValueError(f"two tools are named {function.name}")
        self._functions[function.name] = function
        return self._form.tool(function)

    def _begin(self) -> None:
        if self._is_begun:
            raise OpenAIError(
                "the run has already started",
                kind="argument",
                hint="Continue the way you started it; call run_tools for another run.",
            )
        self._is_begun = True

    def _request(self) -> dict[str, Any]:
        return {**self._given, self._form.said: list(self.messages)}

    def _begun(self, number: int, answer: Any) -> Turn:
        sums: Any = self.usage
        for name, count in (answer._usage or {}).items():
            sums[name] += count
        return Turn(number, answer, self._form.calls(answer), self._form.answered(answer))

    def _prepared(self, call: Call) -> Callable[[], Any] | None:
        """The function that runs a call; None if it cannot be run, which the call records."""
        function = self._functions.get(call.name) if isinstance(call.name, str) else None
        if function is None:
            known = ", ".join(self._functions) or "none"
            self._failed(call, LookupError(f"unknown tool {call.name!r}; the tools are: {known}"))
            return None
        try:
            if not isinstance(call.text, str):
                raise ValueError(f"they must be a string of JSON, not {type(call.text).__name__}")
            call.arguments = arguments = function.read(call.text)
        except (ValueError, RecursionError) as error:
            self._failed(call, ValueError(f"the arguments do not fit: {error}"))
            return None
        return lambda: function.function(**arguments)

    def _failed(self, call: Call, error: Exception) -> None:
        if self._raise_errors:
            raise error
        call.error = error
        call.output = _sendable(f"Error: {type(error).__name__}{_said(error)}")

    def _returned(self, call: Call, result: Any) -> None:
        call.result = result
        call.output = written(result)

    def _ended(self, turn: Turn) -> bool:
        """Records the messages of a turn; returns whether it was the last."""
        turn.messages += [self._form.told(call) for call in turn.calls]
        self.messages += turn.messages
        if turn.calls:
            return False
        self.final = self._reading.read(turn.answer) if self._reading.reads else turn.answer
        return True

    def _final(self) -> _A:
        if self.final is None:
            raise OpenAIError(
                "the run ended before the model answered",
                kind="incomplete",
                metered="entered" if any(self.usage.values()) else "unknown",
                hint="It was closed, interrupted or failed; `messages` is the conversation so far.",
            )
        return self.final

    def _too_many(self, turn: Turn) -> Exception:
        return _made(
            MaxTurnsError,
            f"the model still calls tools after {self._max_turns} turns",
            completion=turn.answer,
            usage=dict(self.usage),
            messages=list(self.messages),
            hint="Set a higher max_turns, or continue from the error's `messages`.",
        )


class _Turns(Iterator[Any]):
    """The turns of a run. An exception ends the generator of them; an answer that is missing then
    is an error, so that an interrupted run never looks finished."""

    def __init__(self, run: Run[Any], made: Generator[Any]) -> None:
        self._run = run
        self._made = made
        self.close = made.close

    def __next__(self) -> Any:
        for turn in self._made:
            return turn
        self._run._final()
        raise StopIteration


class _AsyncTurns(AsyncIterator[Any]):
    """The same for an asynchronous client."""

    def __init__(self, run: AsyncRun[Any], made: AsyncGenerator[Any]) -> None:
        self._run = run
        self._made = made
        self.aclose = made.aclose

    async def __anext__(self) -> Any:
        async for turn in self._made:
            return turn
        self._run._final()
        raise StopAsyncIteration


class Run(_Run[_A]):
    """A tool loop: iterate its turns, or request its final answer."""

    _turns: Iterator[Turn] | None = None

    def __iter__(self) -> Iterator[Turn]:
        if self._turns is None:
            self._begin()
            self._turns = _Turns(self, self._made(False))
        return self._turns

    def events(self) -> Iterator[Any]:
        """The same, streamed: the events of each answer as in `stream()`, and after them each
        turn, with the type "turn"."""
        self._begin()
        return _Turns(self, self._made(True))

    def _made(self, is_streamed: bool) -> Generator[Any]:
        for number in range(1, self._max_turns + 1):
            if is_streamed:
                with self._open(self._request()) as stream:
                    yield from stream
                    answer = getattr(stream, self._form.final)()
            else:
                answer = self._ask(self._request())
            turn = self._begun(number, answer)
            for call in turn.calls:
                run = self._prepared(call)
                if run is None:
                    continue
                try:
                    self._returned(call, run())
                except Exception as error:
                    self._failed(call, error)
            is_over = self._ended(turn)
            yield turn
            if is_over:
                return
        raise self._too_many(turn)

    def until_done(self) -> _A:
        """Runs the rest of the turns; returns the final answer."""
        if self.final is None:
            for _ in self:
                pass
        return self._final()

    get_final_completion = until_done
    get_final_response = until_done


class AsyncRun(_Run[_A]):
    """The same for an asynchronous client; its functions may be asynchronous, too."""

    is_async = True
    _each, _wait = "async for turn", "await "
    _turns: AsyncIterator[Turn] | None = None

    def __aiter__(self) -> AsyncIterator[Turn]:
        if self._turns is None:
            self._begin()
            self._turns = _AsyncTurns(self, self._made(False))
        return self._turns

    def events(self) -> AsyncIterator[Any]:
        """The same, streamed: the events of each answer as in `stream()`, and after them each
        turn, with the type "turn"."""
        self._begin()
        return _AsyncTurns(self, self._made(True))

    async def _made(self, is_streamed: bool) -> AsyncGenerator[Any]:
        for number in range(1, self._max_turns + 1):
            if is_streamed:
                async with self._open(self._request()) as stream:
                    async for event in stream:
                        yield event
                    answer = await getattr(stream, self._form.final)()
            else:
                answer = await self._ask(self._request())
            turn = self._begun(number, answer)
            for call in turn.calls:
                run = self._prepared(call)
                if run is None:
                    continue
                try:
                    result = run()
                    self._returned(call, await result if isinstance(result, Awaitable) else result)
                except Exception as error:
                    self._failed(call, error)
            is_over = self._ended(turn)
            yield turn
            if is_over:
                return
        raise self._too_many(turn)

    async def until_done(self) -> _A:
        """Runs the rest of the turns; returns the final answer."""
        if self.final is None:
            async for _ in self:
                pass
        return self._final()

    get_final_completion = until_done
    get_final_response = until_done


def written(result: Any) -> str:
    """A result in the form sent to a model: a string unchanged, anything else as JSON."""
    text = result
    if not isinstance(result, str):
        text = json.dumps(result, ensure_ascii=False, default=_plain)
    return _sendable(text)


def _sendable(text: str) -> str:
    """A text that UTF-8 can encode: a model may have produced a lone surrogate."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _said(error: Exception) -> str:
    try:
        return f": {error}"
    except Exception:  # the program's own code created the text, and failed
        return ""


def _plain(value: Any) -> Any:
    """Converts an object without a JSON form to one with a JSON form."""
    if hasattr(value, "model_dump") and not isinstance(value, type):
        return value.model_dump(mode="json")
    if hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
        return {name: getattr(value, name) for name in value.__dataclass_fields__}
    if hasattr(value, "__struct_fields__"):
        return {name: getattr(value, name) for name in value.__struct_fields__}
    if isinstance(value, (set, frozenset, tuple)) or hasattr(value, "__next__"):
        return list(value)
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return str(getattr(value, "value", value))
