"""Names of openai-python's classes for parsed answers: here they are the same classes as for any
answer, with `parsed`. For annotations and `isinstance`."""

from __future__ import annotations

from modelwire._native import (
    ChatCompletion,
    ChatCompletionMessage,
    ChatCompletionMessageToolCall,
    Choice,
    Function,
    Response,
    ResponseFunctionToolCall,
    ResponseOutputItem,
    ResponseOutputMessage,
    ResponseOutputRefusal,
    ResponseOutputText,
    ResponseReasoningItem,
    ResponseStreamEvent,
)

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, Generic, TypeAlias

    from typing_extensions import TypeVar

    from modelwire.types._parts import (
        OtherEvent,
        OtherItem,
        ResponseCompletedEvent,
        ResponseFunctionCallArgumentsDeltaEvent,
        ResponseReasoningSummaryTextDeltaEvent,
        ResponseReasoningTextDeltaEvent,
        ResponseTextDeltaEvent,
        ResponseTextDoneEvent,
    )

    T = TypeVar("T", default=Any)

    class ParsedFunction(Function):
        """A function that is called, with its arguments as a value."""

        parsed_arguments: Any

    class ParsedFunctionToolCall(ChatCompletionMessageToolCall):
        """A call of a function, with its arguments as a value."""

        function: ParsedFunction

    class ParsedChatCompletionMessage(ChatCompletionMessage, Generic[T]):
        """What the model said, with its value."""

        parsed: T | None
        tool_calls: list[ParsedFunctionToolCall] | None  # type: ignore[assignment]

    class ParsedChoice(Choice, Generic[T]):
        """One of the choices of a chat completion, parsed."""

        message: ParsedChatCompletionMessage[T]

    class ParsedChatCompletion(ChatCompletion, Generic[T]):
        """A chat completion, parsed."""

        choices: list[ParsedChoice[T]]  # type: ignore[assignment]

    class ParsedResponseOutputText(ResponseOutputText, Generic[T]):
        """Text of a message, with its value."""

        parsed: T | None

    class ParsedResponseOutputMessage(ResponseOutputMessage, Generic[T]):
        """A message of a response, parsed."""

        content: list[ParsedResponseOutputText[T] | ResponseOutputRefusal]  # type: ignore[assignment]

    class ParsedResponseFunctionToolCall(ResponseFunctionToolCall):
        """A function that the response calls, with its arguments as a value."""

        parsed_arguments: Any

    ParsedContent: TypeAlias = ParsedResponseOutputText[T] | ResponseOutputRefusal
    ParsedResponseOutputItem: TypeAlias = (
        ParsedResponseOutputMessage[T] | ParsedResponseFunctionToolCall | OtherItem
    )

    class ParsedResponse(Response, Generic[T]):
        """A response, parsed."""

        output: list[ParsedResponseOutputItem[T]]  # type: ignore[assignment]
        output_parsed: T | None

    class ParsedResponseTextDeltaEvent(ResponseTextDeltaEvent):
        """A fragment of a text, with the text up to it."""

        snapshot: str

    class ParsedResponseArgumentsDeltaEvent(ResponseFunctionCallArgumentsDeltaEvent):
        """A fragment of arguments, with the arguments up to it."""

        snapshot: str

    class ParsedResponseReasoningDeltaEvent(ResponseReasoningTextDeltaEvent):
        """A fragment of reasoning, with the reasoning up to it."""

        snapshot: str

    class ParsedResponseSummaryDeltaEvent(ResponseReasoningSummaryTextDeltaEvent):
        """A fragment of a summary of reasoning, with the summary up to it."""

        snapshot: str

    class ParsedResponseTextDoneEvent(ResponseTextDoneEvent, Generic[T]):
        """A whole text, with its value."""

        parsed: T | None

    class ParsedResponseCompletedEvent(ResponseCompletedEvent, Generic[T]):
        """The whole response, parsed."""

        response: ParsedResponse[T]

    ParsedResponseStreamEvent: TypeAlias = (
        ParsedResponseTextDeltaEvent
        | ParsedResponseArgumentsDeltaEvent
        | ParsedResponseReasoningDeltaEvent
        | ParsedResponseSummaryDeltaEvent
        | ParsedResponseTextDoneEvent[T]
        | ParsedResponseCompletedEvent[T]
        | OtherEvent
    )

else:

    class _Parsed(type):
        """The metaclass of these names."""

        def __instancecheck__(cls, instance):
            return isinstance(instance, cls._bases)

        def __getitem__(cls, _kind):
            return cls

        def __call__(cls, **fields):
            """Creates an object of the class behind this name."""
            return cls._bases[0](**fields)

        def __getattr__(cls, name):
            return getattr(cls._bases[0], name)

    def _named(name, *bases):
        says = f"A {bases[0].__name__} that was parsed."
        return _Parsed(name, (), {"_bases": bases, "__module__": __name__, "__doc__": says})

    ParsedFunction = _named("ParsedFunction", Function)
    ParsedFunctionToolCall = _named("ParsedFunctionToolCall", ChatCompletionMessageToolCall)
    ParsedChatCompletionMessage = _named("ParsedChatCompletionMessage", ChatCompletionMessage)
    ParsedChoice = _named("ParsedChoice", Choice)
    ParsedChatCompletion = _named("ParsedChatCompletion", ChatCompletion)
    ParsedResponseOutputText = _named("ParsedResponseOutputText", ResponseOutputText)
    ParsedResponseOutputMessage = _named("ParsedResponseOutputMessage", ResponseOutputMessage)
    ParsedResponseFunctionToolCall = _named(
        "ParsedResponseFunctionToolCall", ResponseFunctionToolCall
    )
    ParsedContent = _named("ParsedContent", ResponseOutputText, ResponseOutputRefusal)
    ParsedResponseOutputItem = _named(
        "ParsedResponseOutputItem",
        ResponseOutputMessage,
        ResponseFunctionToolCall,
        ResponseReasoningItem,
        ResponseOutputItem,
    )
    ParsedResponse = _named("ParsedResponse", Response)
    ParsedResponseStreamEvent = _named("ParsedResponseStreamEvent", ResponseStreamEvent)
