"""The helper streams: `chat.completions.stream()` and `responses.stream()`, with openai-python's
events, snapshots and final answers. Imported on demand.

Where openai-python raises, these streams return the available answer: one that was truncated by a
limit or a filter, or a response that is incomplete or failed. Only if the answer must be parsed
and cannot be, the stream raises at its end: all its events have arrived, and the error has the
whole answer. Snapshots are assembled, and parts of an answer parsed, on access, so that a stream
costs no more than its chunks.
"""

from __future__ import annotations

from _thread import RLock
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar

from modelwire._answers import lists
from modelwire._answers.http import Response as HttpResponse
from modelwire._answers.items import ResponseItems, of_type
from modelwire._closing import AsyncClosing, Closing
from modelwire._errors import OpenAIError, StreamContradictionError
from modelwire._native import (
    AsyncIteration,
    AsyncStream,
    ChatCompletion,
    ChatCompletionChunk,
    ChatCompletionTokenLogprob,
    ChoiceDeltaToolCall,
    ChunkChoice,
    Iteration,
    ResponseStreamEvent,
    Snapshots,
    Stream,
    _json,
)

if TYPE_CHECKING:
    from modelwire._answers.rate_limits import RateLimits
    from modelwire._answers.record import CallRecord
    from modelwire._answers.usage import Usage
    from modelwire._schemas.parse import ChatReading, ResponseReading
    from modelwire.types._parsed import (
        ParsedChatCompletion,
        ParsedResponse,
        ParsedResponseStreamEvent,  # noqa: F401  (used in string annotations below)
    )

_E = TypeVar("_E")
_T = TypeVar("_T")
_S = TypeVar("_S")


class _Text:
    """A text that grows piece by piece; its state at any point is available."""

    __slots__ = ("_has_some", "_known", "_pieces")

    def __init__(self, begun: Any = None) -> None:
        self._pieces: list[str] = [begun] if isinstance(begun, str) else []
        self._has_some = any(self._pieces)
        self._known = (0, "")

    def add(self, piece: str) -> int:
        self._pieces.append(piece)
        self._has_some = self._has_some or bool(piece)
        return len(self._pieces)

    def at(self, count: int) -> str:
        of, text = self._known
        if of > count:
            return "".join(self._pieces[:count])
        # Nothing else refers to it, so that it grows in place: a service decides how often.
        self._known = (0, "")
        text += "".join(self._pieces[of:count])
        self._known = (count, text)
        return text

    def whole(self) -> str:
        return self.at(len(self._pieces))

    def __bool__(self) -> bool:
        return self._has_some


def _plain(value: Any, options: dict[str, Any]) -> Any:
    """A field of an event as dicts and lists."""
    if isinstance(value, list):
        return [_plain(one, options) for one in value]
    return value.model_dump(**options) if hasattr(value, "model_dump") else value


def _unparsed(completion: Any) -> Any:
    """An unparsed chat completion: the parsed fields are None, and not missing."""
    for choice in _entries(completion.choices):
        message = getattr(choice, "message", None)
        if message is not None:
            message.parsed = None
            for call in _entries(message.tool_calls):
                if hasattr(getattr(call, "function", None), "arguments"):
                    call.function.parsed_arguments = None
    return completion


def _partly_read(completion: Any, reading: ChatReading | None) -> Any:
    """An incomplete chat completion, with what can be parsed of it so far."""
    completion = _unparsed(completion)
    return completion if reading is None else reading.partly_read(completion)


def _unparsed_response(response: Any) -> Any:
    """The same as `_unparsed` for a response."""
    for item in _entries(lists.of_a_response(response).output):
        kind = getattr(item, "type", None)
        if kind == "message":
            for part in _entries(item.content):
                if getattr(part, "type", None) == "output_text":
                    part.parsed = None
        elif kind == "function_call":
            item.parsed_arguments = None
    return response


def _entries(value: Any) -> list[Any]:
    """The entries of a list; none if the service sent something else."""
    return value if isinstance(value, list) else []


_OF_THE_PROGRAM = ("_parsed", "_reading", "_read")
"""The slots with what parses: as in an answer, a pickle has none of it."""


def _restored(kind: type[Any], slots: dict[str, Any]) -> Any:
    """An event of this class with these slots."""
    made = object.__new__(kind)
    for name, value in slots.items():
        setattr(made, name, value)
    return made


class _Serializable:
    """An event that can be copied, pickled and written as JSON."""

    __slots__: tuple[str, ...] = ()
    model_dump: Callable[..., dict[str, Any]]

    def model_dump_json(self, *, indent: int | None = None, **options: Any) -> str:
        """The result of `model_dump` as JSON text."""
        return _json(self.model_dump(**{"mode": "json", **options}), indent)

    def _slots(self) -> dict[str, Any]:
        names = (name for kind in type(self).__mro__ for name in getattr(kind, "__slots__", ()))
        return {name: getattr(self, name) for name in names}

    def __copy__(self: _S) -> _S:
        return _restored(type(self), self._slots())  # type: ignore[no-any-return,attr-defined]

    def __deepcopy__(self: _S, memo: object) -> _S:
        return self.__copy__()  # type: ignore[no-any-return,attr-defined]

    def __reduce__(self) -> Any:
        slots = self._slots().items()
        kept = {name: None if name in _OF_THE_PROGRAM else value for name, value in slots}
        return _restored, (type(self), kept)


class _Event(_Serializable):
    """The base of all events of a helper stream."""

    __slots__: tuple[str, ...] = ()
    _fields: tuple[str, ...] = ()

    def model_dump(self, **options: Any) -> dict[str, Any]:
        """All fields as dicts and lists, as in an answer. Includes the snapshot: dumping every
        event of a stream costs as much as all its snapshots."""
        fields = {name: getattr(self, name) for name in ("type", *self._fields)}
        return {name: _plain(value, options) for name, value in fields.items()}

    to_dict = model_dump

    def to_json(self, *, indent: int | None = 2, **options: Any) -> str:
        """The same, indented as that of an answer."""
        return self.model_dump_json(indent=indent, **options)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in type(self).__slots__)
        return f"{type(self).__name__}({shown})"


class ChunkEvent(_Event):
    """A chunk as the service sent it."""

    __slots__ = ("_at", "_reading", "_snapshots", "chunk")
    _fields = ("chunk", "snapshot")
    type: Literal["chunk"] = "chunk"

    def __init__(
        self,
        chunk: ChatCompletionChunk,
        snapshots: Snapshots,
        at: int,
        reading: ChatReading | None,
    ) -> None:
        self.chunk = chunk
        self._snapshots = snapshots
        self._at = at
        self._reading = reading

    @property
    def snapshot(self) -> ChatCompletion:
        """The completion formed by the chunks up to this one."""
        snapshot: ChatCompletion = _partly_read(self._snapshots.completion(self._at), self._reading)
        return snapshot

    def __repr__(self) -> str:
        return f"ChunkEvent(chunk={self.chunk!r})"


class _Growing(_Event):
    """A fragment of a text, and the text up to it."""

    __slots__ = ("_at", "_text", "delta")
    _fields: tuple[str, ...] = ("delta", "snapshot")

    def __init__(self, delta: str, text: _Text, at: int) -> None:
        self.delta = delta
        self._text = text
        self._at = at

    @property
    def snapshot(self) -> str:
        """The whole text up to this piece."""
        return self._text.at(self._at)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(delta={self.delta!r})"


class ContentDeltaEvent(_Growing):
    """A fragment of the content."""

    __slots__ = ("_reading",)
    _fields = ("delta", "snapshot", "parsed")
    type: Literal["content.delta"] = "content.delta"

    def __init__(self, delta: str, text: _Text, at: int, reading: ChatReading | None) -> None:
        super().__init__(delta, text, at)
        self._reading = reading

    @property
    def parsed(self) -> Any:
        """The value in the content up to this piece: dicts and lists, without incomplete parts.
        None if nothing is parsed."""
        return None if self._reading is None else self._reading.partial_content(self.snapshot)


class ContentDoneEvent(_Event, Generic[_T]):
    """The whole content."""

    __slots__ = ("_parsed", "content")
    _fields = ("content", "parsed")
    type: Literal["content.done"] = "content.done"

    def __init__(self, content: str, parsed: Callable[[], Any] | None) -> None:
        self.content = content
        self._parsed = parsed

    @property
    def parsed(self) -> _T | None:
        """The content as its requested type; None without one. An AnswerValidationError if it does
        not match."""
        return None if self._parsed is None else self._parsed()

    def __repr__(self) -> str:
        return f"ContentDoneEvent(content={self.content!r})"


class ReasoningDeltaEvent(_Growing):
    """A fragment of the model's reasoning."""

    __slots__ = ()
    type: Literal["reasoning.delta"] = "reasoning.delta"


class ReasoningDoneEvent(_Event):
    """The end of a phase of reasoning, with all reasoning so far. Further reasoning ends with
    another such event."""

    __slots__ = ("reasoning",)
    _fields = ("reasoning",)
    type: Literal["reasoning.done"] = "reasoning.done"

    def __init__(self, reasoning: str) -> None:
        self.reasoning = reasoning


class RefusalDeltaEvent(_Growing):
    """A fragment of a refusal."""

    __slots__ = ()
    type: Literal["refusal.delta"] = "refusal.delta"


class RefusalDoneEvent(_Event):
    """The whole refusal."""

    __slots__ = ("refusal",)
    _fields = ("refusal",)
    type: Literal["refusal.done"] = "refusal.done"

    def __init__(self, refusal: str) -> None:
        self.refusal = refusal


class FunctionToolCallArgumentsDeltaEvent(_Event):
    """A fragment of the arguments of a tool call."""

    __slots__ = ("_at", "_reading", "_text", "arguments_delta", "index", "name")
    _fields = ("name", "index", "arguments", "parsed_arguments", "arguments_delta")
    type: Literal["tool_calls.function.arguments.delta"] = "tool_calls.function.arguments.delta"

    def __init__(
        self,
        name: str,
        index: int,
        delta: str,
        text: _Text,
        at: int,
        reading: ChatReading | None,
    ) -> None:
        self._reading = reading
        self.name = name
        self.index = index
        self.arguments_delta = delta
        self._text = text
        self._at = at

    @property
    def arguments(self) -> str:
        """The arguments up to this piece."""
        return self._text.at(self._at)

    @property
    def parsed_arguments(self) -> Any:
        """The arguments so far as dicts and lists; None if they are not parsed."""
        if self._reading is None:
            return None
        return self._reading.partial_arguments(self.name, self.arguments)

    def __repr__(self) -> str:
        shown = f"name={self.name!r}, index={self.index}, arguments_delta={self.arguments_delta!r}"
        return f"{type(self).__name__}({shown})"


class FunctionToolCallArgumentsDoneEvent(_Event):
    """The whole arguments of a tool call."""

    __slots__ = ("_parsed", "arguments", "index", "name")
    _fields = ("name", "index", "arguments", "parsed_arguments")
    type: Literal["tool_calls.function.arguments.done"] = "tool_calls.function.arguments.done"

    def __init__(
        self, name: str, index: int, arguments: str, parsed: Callable[[], Any] | None
    ) -> None:
        self.name = name
        self.index = index
        self.arguments = arguments
        self._parsed = parsed

    @property
    def parsed_arguments(self) -> Any:
        """The arguments as their requested type; None if they are not parsed."""
        return None if self._parsed is None else self._parsed()

    def __repr__(self) -> str:
        shown = f"name={self.name!r}, index={self.index}, arguments={self.arguments!r}"
        return f"{type(self).__name__}({shown})"


class _Logprobs(_Event):
    """Probabilities of tokens, and of all tokens before them."""

    __slots__ = ("_all", "_at", "_delta")

    def __init__(
        self, delta: list[ChatCompletionTokenLogprob], all_: list[ChatCompletionTokenLogprob]
    ) -> None:
        self._delta = delta
        self._all = all_
        self._at = len(all_)

    @property
    def snapshot(self) -> list[ChatCompletionTokenLogprob]:
        """The probabilities of all tokens up to these."""
        return self._all[: self._at]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._delta!r})"


class LogprobsContentDeltaEvent(_Logprobs):
    """Probabilities of the next tokens of the content."""

    __slots__ = ()
    _fields = ("content", "snapshot")
    type: Literal["logprobs.content.delta"] = "logprobs.content.delta"

    @property
    def content(self) -> list[ChatCompletionTokenLogprob]:
        """The probabilities of the next tokens."""
        return self._delta


class LogprobsContentDoneEvent(_Logprobs):
    """Probabilities of all tokens of the content."""

    __slots__ = ()
    _fields = ("content",)
    type: Literal["logprobs.content.done"] = "logprobs.content.done"

    @property
    def content(self) -> list[ChatCompletionTokenLogprob]:
        """The probabilities of all tokens."""
        return self._delta


class LogprobsRefusalDeltaEvent(_Logprobs):
    """Probabilities of the next tokens of a refusal."""

    __slots__ = ()
    _fields = ("refusal", "snapshot")
    type: Literal["logprobs.refusal.delta"] = "logprobs.refusal.delta"

    @property
    def refusal(self) -> list[ChatCompletionTokenLogprob]:
        """The probabilities of the next tokens."""
        return self._delta


class LogprobsRefusalDoneEvent(_Logprobs):
    """Probabilities of all tokens of a refusal."""

    __slots__ = ()
    _fields = ("refusal",)
    type: Literal["logprobs.refusal.done"] = "logprobs.refusal.done"

    @property
    def refusal(self) -> list[ChatCompletionTokenLogprob]:
        """The probabilities of all tokens."""
        return self._delta


ChatCompletionStreamEvent: TypeAlias = (
    ChunkEvent
    | ContentDeltaEvent
    | ContentDoneEvent[_T]
    | ReasoningDeltaEvent
    | ReasoningDoneEvent
    | RefusalDeltaEvent
    | RefusalDoneEvent
    | FunctionToolCallArgumentsDeltaEvent
    | FunctionToolCallArgumentsDoneEvent
    | LogprobsContentDeltaEvent
    | LogprobsContentDoneEvent
    | LogprobsRefusalDeltaEvent
    | LogprobsRefusalDoneEvent
)


class _Parsing:
    """Parses the parts of a stream on access."""

    __slots__ = ("answer", "reading")

    def __init__(self, reading: ChatReading, answer: Callable[[], Any]) -> None:
        self.reading = reading
        self.answer = answer

    def content(self, text: str) -> Callable[[], Any] | None:
        """Parses a whole content."""
        if self.reading.format is None:
            return None
        return _once(lambda: self.reading.content(text, self.answer()))

    def arguments(self, name: str, text: str) -> Callable[[], Any]:
        """Parses whole arguments."""
        return _once(lambda: self.reading.arguments(name, text, self.answer()))


def _once(make: Callable[[], Any]) -> Callable[[], Any]:
    made: list[Any] = []

    def get() -> Any:
        if not made:
            made.append(make())
        return made[0]

    return get


class _ToolCall:
    """A tool call under construction."""

    __slots__ = (
        "arguments",
        "id",
        "index",
        "is_done",
        "is_function",
        "is_whole",
        "name",
        "parsing",
        "place",
        "was_left",
    )

    def __init__(self, index: int, place: int, parsing: _Parsing | None) -> None:
        self.index = index
        self.place = place  # among all calls
        self.parsing = parsing
        self.id = ""
        self.name = ""
        self.arguments = _Text()
        self.is_function = False
        self.is_whole = False
        self.is_done = False
        self.was_left = False

    def take(
        self, function: Any, reading: ChatReading | None
    ) -> Iterator[ChatCompletionStreamEvent[Any]]:
        """Adds a piece of the arguments; one of a custom tool has none, and no events. Arguments
        sent as a value and not as a text are complete: they replace pieces, as a text replaces
        them; empty ones replace nothing."""
        if function is None:
            return
        self.is_function = True
        piece, sent = getattr(function, "arguments", None), ""
        if isinstance(piece, str):
            sent = function["arguments"]
        else:
            piece = ""
        is_value = not isinstance(sent, str)
        if self.arguments and (is_value or self.is_whole):
            if sent in ("", {}):
                return
            self.arguments = _Text()
        self.is_whole = is_value
        if piece:
            self.is_done = False  # a late piece is followed by another done event
        at = self.arguments.add(piece)
        yield FunctionToolCallArgumentsDeltaEvent(
            self.name, self.index, piece, self.arguments, at, reading
        )

    def left(self) -> Iterator[ChatCompletionStreamEvent[Any]]:
        """Another call continues: this one is done if its arguments are already valid JSON. Pieces
        of calls may interleave; arguments that are incomplete here are done at the finish."""
        import json

        if self.was_left:
            return
        self.was_left = True
        try:
            json.loads(self.arguments.whole())
        except (ValueError, RecursionError):
            return
        yield from self.done()

    def done(self) -> Iterator[ChatCompletionStreamEvent[Any]]:
        if self.is_function and not self.is_done:
            self.is_done = True
            arguments = self.arguments.whole()
            parsed = None
            if self.parsing is not None:
                parsed = self.parsing.arguments(self.name, arguments)
            yield FunctionToolCallArgumentsDoneEvent(self.name, self.index, arguments, parsed)


class _ToolCalls:
    """The tool calls of a choice. A piece is assigned to its call as in the whole answer: by
    index, otherwise by id, otherwise by position if there are several, otherwise to the last one;
    another id, or without an id another name, is another call."""

    __slots__ = ("_by_id", "_by_index", "_next", "_open", "_parsing", "_taken", "count", "last")

    def __init__(self, parsing: _Parsing | None) -> None:
        self._parsing = parsing
        self.count = 0
        self.last: _ToolCall | None = None
        self._open: dict[int, _ToolCall] = {}  # by their places, those with pieces since a finish
        self._by_index: dict[int, _ToolCall] = {}
        self._by_id: dict[str, _ToolCall] = {}
        self._taken: set[int] = set()
        self._next = 0

    def meant(self, piece: ChoiceDeltaToolCall, place: int | None) -> _ToolCall:
        index, id_ = of_type(piece.index, int), of_type(piece.id, str) or ""
        name = of_type(getattr(piece.function, "name", None), str) or ""
        call = self._known(index, place, id_, name)
        if call is None:
            call = _ToolCall(self._free(index), self.count, self._parsing)
            self.count += 1
        self._open[call.place] = call
        call.id, call.name = call.id or id_, call.name or name
        if id_:
            self._by_id[id_] = call
        if index is not None or place is not None:
            self._by_index[(place or 0) if index is None else index] = call
        return call

    def rest(self) -> Iterator[ChatCompletionStreamEvent[Any]]:
        """The end events of those that have none: not of all, at each of many finish reasons."""
        for place in sorted(self._open):
            yield from self._open.pop(place).done()

    def _free(self, index: int | None) -> int:
        """An index that no other call has; the one that was sent, if it is free."""
        if index is None or index in self._taken:
            index = self._next
        self._taken.add(index)
        self._next = max(self._next, index + 1)
        return index

    def _known(self, index: int | None, place: int | None, id_: str, name: str) -> _ToolCall | None:
        of_id = self._by_id.get(id_)
        if index is not None:
            call = self._by_index.get(index)
        elif place is not None:
            call = of_id if id_ else self._by_index.get(place)
        else:
            call = of_id or self.last
        if call is None:
            return None
        if id_ and call.id and id_ != call.id:
            return of_id
        if not id_ and name and call.name and name != call.name:
            return None
        return call


class _Choice:
    """A choice under construction, and which of its end events were emitted."""

    __slots__ = (
        "content",
        "content_logprobs",
        "has_pieces",
        "is_content_done",
        "is_finished",
        "is_thinking",
        "parsing",
        "reading",
        "reasoning",
        "refusal",
        "refusal_logprobs",
        "tool_calls",
    )

    def __init__(self, parsing: _Parsing | None) -> None:
        self.parsing = parsing
        self.reading = None if parsing is None else parsing.reading
        self.content = _Text()
        self.reasoning = _Text()
        self.refusal = _Text()
        self.content_logprobs: list[ChatCompletionTokenLogprob] = []
        self.refusal_logprobs: list[ChatCompletionTokenLogprob] = []
        self.tool_calls = _ToolCalls(parsing)
        self.is_content_done = False
        self.is_thinking = False
        self.is_finished = False
        self.has_pieces = False

    def take(self, choice: ChunkChoice) -> Iterator[ChatCompletionStreamEvent[Any]]:
        delta = choice.delta
        content, refusal = delta.content, delta.refusal
        thought = delta.reasoning_text
        if thought:
            self.is_thinking = True
            at = self.reasoning.add(thought)
            yield ReasoningDeltaEvent(thought, self.reasoning, at)
        elif self.is_thinking and (content or refusal or delta.tool_calls):
            yield from self._reasoning_done()
        if delta._is_message:
            content = self._of_message(content, choice.finish_reason)
        elif content or refusal or delta.tool_calls:
            self.has_pieces = True
        if content or refusal:
            self.is_content_done = False  # a late piece is followed by another done event
        if content is not None:
            at = self.content.add(content)
            yield ContentDeltaEvent(content, self.content, at, self.reading)
        if refusal and isinstance(refusal, str):
            yield RefusalDeltaEvent(refusal, self.refusal, self.refusal.add(refusal))
        before = self.tool_calls.last
        if delta.tool_calls:
            yield from self._tool_calls(delta.tool_calls)
        yield from self._logprobs(choice)
        if self.tool_calls.last is not before:
            yield from self._content_done()
            if before is not None:
                yield from before.left()
        reason = choice.finish_reason
        if reason:
            yield from self._reasoning_done()
            self.is_finished = not (self.reading and self.reading.is_cut(reason))
            yield from self.rest()

    def _of_message(self, content: str | None, reason: Any) -> str | None:
        """The addition of a message sent in place of a delta: the message is the whole text so far
        if it follows pieces or begins with that text; otherwise it is a piece itself."""
        if not content:
            return content
        said = self.content.whole()
        goes_on = content.startswith(said)
        if not (self.has_pieces or goes_on and (reason or len(content) > len(said))):
            return content
        self.tool_calls = _ToolCalls(self.parsing)
        if goes_on:
            return content[len(said) :] or None
        self.content = _Text()
        return content

    def rest(self) -> Iterator[ChatCompletionStreamEvent[Any]]:
        """The remaining end events of a choice that has finished."""
        if self.is_finished:
            yield from self._content_done()
            yield from self.tool_calls.rest()

    def _tool_calls(self, pieces: Any) -> Iterator[ChatCompletionStreamEvent[Any]]:
        if not isinstance(pieces, list):
            return
        for place, piece in enumerate(pieces):
            if not isinstance(piece, ChoiceDeltaToolCall):
                continue
            call = self.tool_calls.meant(piece, place if len(pieces) > 1 else None)
            self.tool_calls.last = call
            yield from call.take(piece.function, self.reading)

    def _logprobs(self, choice: ChunkChoice) -> Iterator[ChatCompletionStreamEvent[Any]]:
        content = getattr(choice.logprobs, "content", None)
        if content and isinstance(content, list):
            self.content_logprobs += content
            yield LogprobsContentDeltaEvent(content, self.content_logprobs)
        refusal = getattr(choice.logprobs, "refusal", None)
        if refusal and isinstance(refusal, list):
            self.refusal_logprobs += refusal
            yield LogprobsRefusalDeltaEvent(refusal, self.refusal_logprobs)

    def _reasoning_done(self) -> Iterator[ChatCompletionStreamEvent[Any]]:
        if self.is_thinking:
            self.is_thinking = False
            yield ReasoningDoneEvent(self.reasoning.whole())

    def _content_done(self) -> Iterator[ChatCompletionStreamEvent[Any]]:
        if self.is_content_done:
            return
        self.is_content_done = True
        if self.content:
            content = self.content.whole()
            parsed = None
            if self.parsing is not None and not self.refusal:
                parsed = self.parsing.content(content)
            yield ContentDoneEvent(content, parsed)
        if self.refusal:
            yield RefusalDoneEvent(self.refusal.whole())
        if self.content_logprobs:
            yield LogprobsContentDoneEvent(self.content_logprobs, self.content_logprobs)
        if self.refusal_logprobs:
            yield LogprobsRefusalDoneEvent(self.refusal_logprobs, self.refusal_logprobs)


class ChatCompletionStreamState(Generic[_T]):
    """The events of chunks, and the completion that they form, for programs that have chunks from
    elsewhere. response_format and input_tools are those of the request, as for `parse`."""

    def __init__(
        self,
        *,
        input_tools: Any = None,
        response_format: Any = None,
        _reading: ChatReading | None = None,
    ) -> None:
        if _reading is None and (input_tools or response_format):
            from modelwire._schemas.parse import ChatReading

            given = {"tools": input_tools, "response_format": response_format}
            _reading = ChatReading(given, all_strict=False)
        self._reading = _reading if _reading is not None and _reading.reads else None
        self._snapshots = Snapshots()
        self._count = 0
        self._choices: dict[int, _Choice] = {}
        self._parsing: _Parsing | None = None
        if self._reading is not None:
            self._parsing = _Parsing(self._reading, lambda: self._snapshots.completion(self._count))
        self._whole: Any = None  # the parsed answer, once available

    def handle_chunk(self, chunk: ChatCompletionChunk) -> list[ChatCompletionStreamEvent[_T]]:
        """Adds the next chunk to the completion; returns its events."""
        self._count = self._snapshots.add(chunk)
        events: list[ChatCompletionStreamEvent[_T]] = [
            ChunkEvent(chunk, self._snapshots, self._count, self._reading)
        ]
        for choice in chunk.choices:
            known = self._choices.get(choice.index)
            if known is None:
                known = self._choices[choice.index] = _Choice(self._parsing)
            events += known.take(choice)
        return events

    _handle = handle_chunk

    def _rest(self) -> list[ChatCompletionStreamEvent[_T]]:
        """The remaining events at the end: those of data after a finish reason."""
        return [event for choice in self._choices.values() for event in choice.rest()]

    @property
    def current_completion_snapshot(self) -> ChatCompletion:
        """The completion formed by the chunks so far. An OpenAIError before the first chunk."""
        if self._whole is not None:
            whole: ChatCompletion = self._whole
            return whole
        snapshot: ChatCompletion = _partly_read(self._formed(), self._reading)
        return snapshot

    def get_final_completion(self) -> ParsedChatCompletion[_T]:
        """The completion formed by the chunks, parsed. An OpenAIError before the first chunk."""
        completion: ParsedChatCompletion[_T] = self._ended(self._formed())
        return completion

    def _formed(self) -> ChatCompletion:
        if not self._count:
            raise OpenAIError(
                "no chunk was handled yet",
                kind="incomplete",
                hint="Pass each chunk to handle_chunk, or iterate the stream.",
            )
        return self._snapshots.completion(self._count)

    def _ended(self, completion: Any) -> Any:
        """The whole completion, parsed; None if there is none."""
        if completion is None:
            return None
        if self._reading is None:
            return lists.of_a_chat(_unparsed(completion))
        if self._whole is None:
            self._whole = self._reading.read(completion)
        return self._whole


class _Beside(_Serializable):
    """An event of a response stream as the service sent it, with an addition."""

    __slots__ = ("_event",)
    _fields: tuple[str, ...] = ()

    def __init__(self, event: ResponseStreamEvent) -> None:
        self._event = event

    def model_dump(self, **options: Any) -> dict[str, Any]:
        """All fields as dicts and lists, with the additions."""
        more = {name: _plain(getattr(self, name), options) for name in self._fields}
        return {**self._event.model_dump(**options), **more}

    if not TYPE_CHECKING:
        # For `isinstance`: it is the event, with an addition.
        __class__ = property(lambda self: self._event.__class__)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._event, name)

    def __getitem__(self, name: str) -> Any:
        return self._event[name]

    def __contains__(self, name: str) -> bool:
        return name in self._event

    def __repr__(self) -> str:
        return repr(self._event)


class ResponseTextEvent(_Beside):
    """An event that adds to a text, with the text up to it."""

    __slots__ = ("_at", "_text")
    _fields = ("snapshot",)

    def __init__(self, event: ResponseStreamEvent, text: _Text, at: int) -> None:
        super().__init__(event)
        self._text = text
        self._at = at

    @property
    def snapshot(self) -> str:
        """The text, or the arguments, up to this piece."""
        return self._text.at(self._at)


class _WholeText(_Beside):
    """The event of a whole text, with its parsed value."""

    __slots__ = ("_parsed",)
    _fields = ("parsed",)

    def __init__(self, event: ResponseStreamEvent, parsed: Callable[[], Any] | None) -> None:
        super().__init__(event)
        self._parsed = parsed

    @property
    def parsed(self) -> Any:
        """The text as its requested type; None for commentary, and without a requested type."""
        return None if self._parsed is None else self._parsed()


class _Completed(_Beside):
    """The event of a whole response, parsed on access."""

    __slots__ = ("_read",)
    _fields = ("response",)

    def __init__(self, event: ResponseStreamEvent, read: Callable[[Any], Any]) -> None:
        super().__init__(event)
        self._read: Callable[[], Any] | None = _once(lambda: read(event.response))

    @property
    def response(self) -> Any:
        """The response, parsed."""
        return _unparsed_response(self._event.response) if self._read is None else self._read()


_GROWING = (
    "response.output_text.delta",
    "response.function_call_arguments.delta",
    "response.reasoning_text.delta",
    "response.reasoning_summary_text.delta",
)

# What openai-python refuses before its item.
_OF_AN_ITEM = (
    "response.content_part.added",
    "response.output_text.delta",
    "response.output_text.done",
    "response.function_call_arguments.delta",
)


_CUT = ("response.failed", "response.incomplete")
_OF_A_RESPONSE = (
    "response.created",
    "response.queued",
    "response.in_progress",
    "response.completed",
    *_CUT,
)


class ResponseStreamState(Generic[_T]):
    """The events of a response with what they add up to, for programs that have events from
    elsewhere. text_format and input_tools are those of the request, as for `parse`."""

    def __init__(
        self,
        *,
        input_tools: Any = None,
        text_format: Any = None,
        _reading: ResponseReading | None = None,
    ) -> None:
        if _reading is None and (input_tools or text_format):
            from modelwire._schemas.parse import ResponseReading

            _reading = ResponseReading({"tools": input_tools, "text_format": text_format})
        self._texts: dict[Any, _Text] = {}
        self._reading = _reading if _reading is not None and _reading.reads else None
        self._items = ResponseItems()
        self._parts: dict[Any, Any] = {}  # parts of messages by their item and index, as added
        self._last: Any = None
        self._lacks_output = False  # whether the completed response was sent without one
        self._whole: Any = None  # the parsed response, once available

    def handle_event(self, event: ResponseStreamEvent) -> list[ParsedResponseStreamEvent[_T]]:
        """Adds the next event; returns it with its snapshot or its parsed value. An event of an
        item that is null is left out."""
        kind = event.type
        if kind == "response.output_item.added":
            if event.item is None:
                return []
            self._items.add(of_type(event.output_index, int), event.item)
        return [self._handled(event, kind)]

    _handle = handle_event

    def _rest(self) -> list[ParsedResponseStreamEvent[_T]]:
        """No event remains at the end."""
        return []

    def _handled(self, event: ResponseStreamEvent, kind: str) -> Any:
        at, place = of_type(event.output_index, int), of_type(event.content_index, int)
        if kind in _GROWING:
            part = of_type(event.summary_index, int) if "summary" in kind else place
            key = (kind, at, part, of_type(event.item_id, str))
            text = self._texts.get(key)
            if text is None:
                if kind in _OF_AN_ITEM:
                    self._items.need(at, kind)
                text = self._texts[key] = _Text(self._begun_with(kind, at, place))
            delta = event.delta if isinstance(event.delta, str) else ""
            return ResponseTextEvent(event, text, text.add(delta))
        if kind in _OF_AN_ITEM:
            self._items.need(at, kind)
        if kind == "response.output_text.done":
            return _WholeText(event, self._parsed(event, at))
        if kind == "response.content_part.added":
            self._parts[at, place] = event.part
        elif kind == "response.output_item.done" and event.item is not None:
            self._items.finish(at, event.item)
        elif kind in _OF_A_RESPONSE and hasattr(event.response, "output"):
            return self._of_a_response(event)
        return event

    def _begun_with(self, kind: str, at: int | None, place: int | None) -> Any:
        """What came of a text with the event that added its part or its item."""
        if kind == "response.output_text.delta":
            return getattr(self._part(at, place), "text", None)
        if kind == "response.function_call_arguments.delta":
            return getattr(self._items.added.get(at), "arguments", None)
        return None

    def _part(self, at: int | None, place: int | None) -> Any:
        """A part of a message: one that was added, or that it began with."""
        if (at, place) in self._parts:
            return self._parts[at, place]
        begun = getattr(self._items.added.get(at), "content", None)
        if isinstance(begun, list) and place is not None and 0 <= place < len(begun):
            return begun[place]
        return None

    def _of_a_response(self, event: ResponseStreamEvent) -> Any:
        """An event with the whole response so far; its output is always a list."""
        self._items.follow(event.type, event.response)
        is_completed = event.type == "response.completed"
        items: dict[Any, Any] = {}
        if event.type in _CUT:
            texts, parts = _by(1, self._texts, 2), _by(0, self._parts, 1)
            items = {
                at: self._so_far(item, texts.get(at, {}), parts.get(at, {}))
                for at, item in self._items.added.items()
            }
        if event.type in _CUT or is_completed:
            items.update(self._items.done)
        ordered = (items[at] for at in sorted(items, key=_in_order))
        self._lacks_output = is_completed and event.response.output is None
        self._last = lists.of_a_response(event.response, ordered)
        if not is_completed:
            return event
        return _Completed(event, self._reading.read if self._reading else _unparsed_response)

    def _so_far(self, item: Any, texts: dict[Any, _Text], added: dict[Any, Any]) -> Any:
        """An item that was not done, with its texts up to here, and the parts that were added."""
        if not hasattr(item, "to_dict"):
            return item  # whatever the service sent in its place
        fields = item.to_dict()
        if item.type == "message":
            content = getattr(item, "content", None)
            parts = dict(enumerate(_entries(content))) | added
            fields["content"] = [
                _with_text(part, texts.get(place))
                for place, part in sorted(parts.items(), key=lambda entry: _in_order(entry[0]))
            ]
        elif item.type == "function_call" and texts:
            fields["arguments"] = "".join(text.whole() for text in texts.values())
        return type(item).model_validate(fields)

    def _parsed(self, event: ResponseStreamEvent, at: int | None) -> Callable[[], Any] | None:
        reading = self._reading
        text, answer = of_type(event.text, str), self._last
        if reading is None or reading.format is None or not text:
            return None
        item = self._items.added.get(at)
        if not reading.is_final(getattr(item, "phase", None)):
            return None
        return _once(lambda: reading.content(text, answer))

    def _ended(self, response: Any) -> Any:
        """The whole response, parsed; None if there is none."""
        if response is None:
            return None
        if self._lacks_output:
            response.output = self._last.output
        if self._reading is None:
            return _unparsed_response(response)
        if self._whole is None:
            self._whole = self._reading.read(response)
        return self._whole


def _with_text(part: Any, text: _Text | None) -> Any:
    """A part of a message, with the text that was added to it."""
    if not hasattr(part, "to_dict"):
        return part  # whatever the service sent in its place
    return part.to_dict() if text is None else {**part.to_dict(), "text": text.whole()}


def _in_order(index: int | None) -> tuple[bool, int]:
    """Sorts by index; what has none comes last."""
    return index is None, index or 0


def _by(at: int, found: dict[Any, _T], place: int) -> dict[Any, dict[Any, _T]]:
    """What was found, by this one of its places, and then by another."""
    groups: dict[Any, dict[Any, _T]] = {}
    for places, one in found.items():
        groups.setdefault(places[at], {})[places[place]] = one
    return groups


def _final(stream: Stream[Any] | AsyncStream[Any]) -> Any:
    if stream.answer is None:
        record = stream.timing
        raise OpenAIError(
            "the stream ended before its answer was complete",
            kind="incomplete",
            metered="unknown" if record is None else record.metered,
            hint="It was closed, or it failed, before its end.",
        )
    return stream.answer


class _Helper(Generic[_S, _E]):
    """The base of all helper streams."""

    _state_class: type[Any]

    def __init__(self, stream: _S, reading: Any = None) -> None:
        self._stream: Any = stream
        self._state: Any = self._state_class(_reading=reading)
        # The events of a chunk, the next one last: a wait that is cancelled or interrupted loses
        # none.
        self._waiting: list[_E] = []
        # What follows cannot be added to a contradiction: each later read raises it again.
        self._contradiction: StreamContradictionError | None = None

    def _handle(self, chunk: Any) -> None:
        self._check()
        try:
            self._waiting[:0] = reversed(self._state._handle(chunk))
        except StreamContradictionError as error:
            self._contradiction = error
            raise

    def _check(self) -> None:
        if self._contradiction is not None:
            raise self._contradiction.with_traceback(None)

    def _end(self) -> None:
        """The stream ended: a wrong answer raises, once there are no more events."""
        self._check()
        self._waiting[:0] = reversed(self._state._rest())
        if not self._waiting:
            self._state._ended(self._stream.answer)

    @property
    def response(self) -> HttpResponse:
        """Status and headers of the answer."""
        response: HttpResponse = self._stream.response
        return response

    @property
    def request_id(self) -> str | None:
        """The service's identifier of the request."""
        name: str | None = self._stream.request_id
        return name

    @property
    def rate_limits(self) -> RateLimits | None:
        """The rate limits that the service reported, available from the start; None if it reported
        none."""
        limits: RateLimits | None = self._stream.rate_limits
        return limits

    @property
    def usage(self) -> Usage | None:
        """The tokens that the service reported; None before the end."""
        usage: Usage | None = self._stream.usage
        return usage

    @property
    def timing(self) -> CallRecord | None:
        """The record of the call; None before its end."""
        timing: CallRecord | None = self._stream.timing
        return timing


class _SyncHelper(Closing, _Helper[Stream[Any], _E]):
    """A helper stream of a synchronous client: an iterator and a context manager."""

    def __init__(self, stream: Stream[Any], reading: Any = None) -> None:
        super().__init__(stream, reading)
        # Threads take turns. A signal handler, or another greenlet, may read while a wait holds it.
        self._lock = RLock()

    def __iter__(self) -> Iterator[_E]:
        return Iteration(self, getattr(self._stream, "_native", self._stream))

    def __next__(self) -> _E:
        with self._lock:
            while not self._waiting:
                try:
                    chunk = next(self._stream)
                except StopIteration:
                    self._end()
                    if not self._waiting:
                        raise
                else:
                    self._handle(chunk)
            return self._waiting.pop()

    def close(self) -> None:
        """Ends the stream and its call now."""
        self._stream.close()

    def until_done(self: _S) -> _S:
        """Reads the rest of the stream."""
        for _ in self:  # type: ignore[attr-defined]
            pass
        return self


class ChatCompletionStream(_SyncHelper[ChatCompletionStreamEvent[_T]], Generic[_T]):
    """The events of a chat completion as they arrive."""

    _state_class = ChatCompletionStreamState

    @property
    def current_completion_snapshot(self) -> ChatCompletion:
        """The completion formed by the chunks so far."""
        snapshot: ChatCompletion = self._state.current_completion_snapshot
        return snapshot

    def get_final_completion(self) -> ParsedChatCompletion[_T]:
        """Reads the rest of the stream; returns the whole completion, parsed."""
        self.until_done()
        completion: ParsedChatCompletion[_T] = self._state._ended(_final(self._stream))
        return completion


class ResponseStream(_SyncHelper["ParsedResponseStreamEvent[_T]"], Generic[_T]):
    """The events of a response as they arrive; those that add text have it as `snapshot`."""

    _state_class = ResponseStreamState

    def get_final_response(self) -> ParsedResponse[_T]:
        """Reads the rest of the stream; returns the whole response, parsed, even a failed one."""
        self.until_done()
        response: ParsedResponse[_T] = self._state._ended(_final(self._stream))
        return response


class _AsyncHelper(AsyncClosing, _Helper[AsyncStream[Any], _E]):
    """A helper stream of an asynchronous client: an asynchronous iterator and context manager."""

    def __aiter__(self) -> AsyncIterator[_E]:
        return AsyncIteration(self, getattr(self._stream, "_native", self._stream))

    async def __anext__(self) -> _E:
        while not self._waiting:
            try:
                chunk = await self._stream.__anext__()
            except StopAsyncIteration:
                self._end()
                if not self._waiting:
                    raise
            else:
                self._handle(chunk)
        return self._waiting.pop()

    async def close(self) -> None:
        """Ends the stream and its call now."""
        await self._stream.close()

    aclose = close

    async def until_done(self: _S) -> _S:
        """Reads the rest of the stream."""
        async for _ in self:  # type: ignore[attr-defined]
            pass
        return self


class AsyncChatCompletionStream(_AsyncHelper[ChatCompletionStreamEvent[_T]], Generic[_T]):
    """The events of a chat completion as they arrive."""

    _state_class = ChatCompletionStreamState

    @property
    def current_completion_snapshot(self) -> ChatCompletion:
        """The completion formed by the chunks so far."""
        snapshot: ChatCompletion = self._state.current_completion_snapshot
        return snapshot

    async def get_final_completion(self) -> ParsedChatCompletion[_T]:
        """Reads the rest of the stream; returns the whole completion, parsed."""
        await self.until_done()
        completion: ParsedChatCompletion[_T] = self._state._ended(_final(self._stream))
        return completion


class AsyncResponseStream(_AsyncHelper["ParsedResponseStreamEvent[_T]"], Generic[_T]):
    """The events of a response as they arrive; those that add text have it as `snapshot`."""

    _state_class = ResponseStreamState

    async def get_final_response(self) -> ParsedResponse[_T]:
        """Reads the rest of the stream; returns the whole response, parsed, even a failed one."""
        await self.until_done()
        response: ParsedResponse[_T] = self._state._ended(_final(self._stream))
        return response


class StreamManager(Generic[_S]):
    """The context manager of a synchronous client's `stream()`: entering it makes the call."""

    def __init__(self, call: Callable[[], Any], kind: Callable[[Any], _S]) -> None:
        self._call = call
        self._kind = kind
        self._made: Any = None

    def __enter__(self) -> _S:
        self._made = self._kind(self._call())
        made: _S = self._made
        return made

    def __exit__(self, *error: object) -> None:
        if self._made is not None:
            self._made.close()


class AsyncStreamManager(Generic[_S]):
    """The context manager of an asynchronous client's `stream()`: entering it makes the call."""

    def __init__(
        self, call: Callable[[], Coroutine[Any, Any, Any]], kind: Callable[[Any], _S]
    ) -> None:
        self._call = call
        self._kind = kind
        self._made: Any = None

    async def __aenter__(self) -> _S:
        self._made = self._kind(await self._call())
        made: _S = self._made
        return made

    async def __aexit__(self, *error: object) -> None:
        if self._made is not None:
            await self._made.close()
