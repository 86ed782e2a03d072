"""The types that openai-python has in `types.chat`. Each is imported when it is asked for.

Written by `make generate`; `__all__` is written by py/stubs/from_openai.py, too.
"""

from modelwire.types import _lazy

TYPE_CHECKING = False

if TYPE_CHECKING:
    from modelwire._native import (
        Annotation, AnnotationURLCitation, ChatCompletion, ChatCompletionAudio, ChatCompletionChunk,
        ChatCompletionMessage, ChatCompletionMessageCustomToolCall, ChatCompletionMessageToolCall,
        ChatCompletionMessageToolCall as ChatCompletionMessageFunctionToolCall,
        ChatCompletionTokenLogprob, Choice, ChoiceDelta, ChoiceDeltaToolCall,
        ChoiceDeltaToolCallFunction, ChoiceLogprobs, ChunkChoice, Custom, Function, TopLogprob
    )
    from modelwire.types._literals import (
        ChatCompletionModality, ChatCompletionRole,
        ReasoningEffort as ChatCompletionReasoningEffort
    )
    from modelwire.types._params import (
        ChatCompletionAllowedToolChoiceParam, ChatCompletionAllowedToolsParam,
        ChatCompletionAssistantMessageParam, ChatCompletionAudioParam,
        ChatCompletionContentPartImageParam, ChatCompletionContentPartInputAudioParam,
        ChatCompletionContentPartParam, ChatCompletionContentPartRefusalParam,
        ChatCompletionContentPartTextParam, ChatCompletionCustomToolParam,
        ChatCompletionDeveloperMessageParam, ChatCompletionFunctionCallOptionParam,
        ChatCompletionFunctionMessageParam, ChatCompletionFunctionToolParam,
        ChatCompletionFunctionToolParam as ChatCompletionToolParam,
        ChatCompletionMessageCustomToolCallParam, ChatCompletionMessageFunctionToolCallParam,
        ChatCompletionMessageFunctionToolCallParam as ChatCompletionMessageToolCallParam,
        ChatCompletionMessageParam, ChatCompletionMessageToolCallUnionParam,
        ChatCompletionNamedToolChoiceCustomParam, ChatCompletionNamedToolChoiceParam,
        ChatCompletionPredictionContentParam, ChatCompletionStreamOptionsParam,
        ChatCompletionSystemMessageParam, ChatCompletionToolChoiceOptionParam,
        ChatCompletionToolMessageParam, ChatCompletionToolUnionParam,
        ChatCompletionUserMessageParam, CompletionCreateParams,
        CreateChatCompletionRequestMessageParam
    )
    from modelwire.types._parsed import (
        ParsedChatCompletion, ParsedChatCompletionMessage, ParsedChoice, ParsedFunction,
        ParsedFunctionToolCall
    )
    from modelwire.types._parts import (
        ChatCompletionContentPartImage, ChatCompletionContentPartText, ChatCompletionFunctionTool,
        ChatCompletionMessageToolCallUnion
    )
else:
    __getattr__, __dir__ = _lazy.package(__name__)

__all__ = [
    "Annotation", "AnnotationURLCitation", "ChatCompletion", "ChatCompletionAllowedToolChoiceParam",
    "ChatCompletionAllowedToolsParam", "ChatCompletionAssistantMessageParam", "ChatCompletionAudio",
    "ChatCompletionAudioParam", "ChatCompletionChunk", "ChatCompletionContentPartImage",
    "ChatCompletionContentPartImageParam", "ChatCompletionContentPartInputAudioParam",
    "ChatCompletionContentPartParam", "ChatCompletionContentPartRefusalParam",
    "ChatCompletionContentPartText", "ChatCompletionContentPartTextParam",
    "ChatCompletionCustomToolParam", "ChatCompletionDeveloperMessageParam",
    "ChatCompletionFunctionCallOptionParam", "ChatCompletionFunctionMessageParam",
    "ChatCompletionFunctionTool", "ChatCompletionFunctionToolParam", "ChatCompletionMessage",
    "ChatCompletionMessageCustomToolCall", "ChatCompletionMessageCustomToolCallParam",
    "ChatCompletionMessageFunctionToolCall", "ChatCompletionMessageFunctionToolCallParam",
    "ChatCompletionMessageParam", "ChatCompletionMessageToolCall",
    "ChatCompletionMessageToolCallParam", "ChatCompletionMessageToolCallUnion",
    "ChatCompletionMessageToolCallUnionParam", "ChatCompletionModality",
    "ChatCompletionNamedToolChoiceCustomParam", "ChatCompletionNamedToolChoiceParam",
    "ChatCompletionPredictionContentParam", "ChatCompletionReasoningEffort", "ChatCompletionRole",
    "ChatCompletionStreamOptionsParam", "ChatCompletionSystemMessageParam",
    "ChatCompletionTokenLogprob", "ChatCompletionToolChoiceOptionParam",
    "ChatCompletionToolMessageParam", "ChatCompletionToolParam", "ChatCompletionToolUnionParam",
    "ChatCompletionUserMessageParam", "Choice", "ChoiceDelta", "ChoiceDeltaToolCall",
    "ChoiceDeltaToolCallFunction", "ChoiceLogprobs", "ChunkChoice", "CompletionCreateParams",
    "CreateChatCompletionRequestMessageParam", "Custom", "Function", "ParsedChatCompletion",
    "ParsedChatCompletionMessage", "ParsedChoice", "ParsedFunction", "ParsedFunctionToolCall",
    "TopLogprob"
]
