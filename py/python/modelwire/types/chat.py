"""The classes of chat completions and their chunks, and names for what is passed in: dicts.
Knows no call."""

from __future__ import annotations

from modelwire._native import (
    Annotation,
    AnnotationURLCitation,
    ChatCompletion,
    ChatCompletionAudio,
    ChatCompletionChunk,
    ChatCompletionMessage,
    ChatCompletionMessageCustomToolCall,
    ChatCompletionMessageToolCall,
    ChatCompletionTokenLogprob,
    Choice,
    ChoiceDelta,
    ChoiceDeltaToolCall,
    ChoiceDeltaToolCallFunction,
    ChoiceLogprobs,
    ChunkChoice,
    Custom,
    Function,
    TopLogprob,
)
from modelwire.types._parsed import (
    ParsedChatCompletion,
    ParsedChatCompletionMessage,
    ParsedChoice,
    ParsedFunction,
    ParsedFunctionToolCall,
)

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, TypeAlias

    _Dict: TypeAlias = dict[str, Any]
else:
    _Dict = dict

ChatCompletionMessageFunctionToolCall = ChatCompletionMessageToolCall

# What openai-python has as typed dicts; any mapping, dataclass or pydantic model does as well.
ChatCompletionMessageParam = _Dict
ChatCompletionDeveloperMessageParam = _Dict
ChatCompletionSystemMessageParam = _Dict
ChatCompletionUserMessageParam = _Dict
ChatCompletionAssistantMessageParam = _Dict
ChatCompletionToolMessageParam = _Dict
ChatCompletionContentPartParam = _Dict
ChatCompletionToolParam = _Dict
ChatCompletionFunctionToolParam = _Dict
ChatCompletionMessageToolCallParam = _Dict
ChatCompletionNamedToolChoiceParam = _Dict
ChatCompletionStreamOptionsParam = _Dict

__all__ = [
    "Annotation",
    "AnnotationURLCitation",
    "ChatCompletion",
    "ChatCompletionAssistantMessageParam",
    "ChatCompletionAudio",
    "ChatCompletionChunk",
    "ChatCompletionContentPartParam",
    "ChatCompletionDeveloperMessageParam",
    "ChatCompletionFunctionToolParam",
    "ChatCompletionMessage",
    "ChatCompletionMessageCustomToolCall",
    "ChatCompletionMessageFunctionToolCall",
    "ChatCompletionMessageParam",
    "ChatCompletionMessageToolCall",
    "ChatCompletionMessageToolCallParam",
    "ChatCompletionNamedToolChoiceParam",
    "ChatCompletionStreamOptionsParam",
    "ChatCompletionSystemMessageParam",
    "ChatCompletionTokenLogprob",
    "ChatCompletionToolMessageParam",
    "ChatCompletionToolParam",
    "ChatCompletionUserMessageParam",
    "Choice",
    "ChoiceDelta",
    "ChoiceDeltaToolCall",
    "ChoiceDeltaToolCallFunction",
    "ChoiceLogprobs",
    "ChunkChoice",
    "Custom",
    "Function",
    "ParsedChatCompletion",
    "ParsedChatCompletionMessage",
    "ParsedChoice",
    "ParsedFunction",
    "ParsedFunctionToolCall",
    "TopLogprob",
]
