"""Names of types, which are looked up when they are asked for. Knows no type.

Written by py/stubs/write.py.
"""

from modelwire.types import _lazy

TYPE_CHECKING = False

if TYPE_CHECKING:
    from modelwire._native import (
        Annotation as Annotation,
        AnnotationURLCitation as AnnotationURLCitation,
        ChatCompletion as ChatCompletion,
        ChatCompletionAudio as ChatCompletionAudio,
        ChatCompletionChunk as ChatCompletionChunk,
        ChatCompletionMessage as ChatCompletionMessage,
        ChatCompletionMessageCustomToolCall as ChatCompletionMessageCustomToolCall,
        ChatCompletionMessageToolCall as ChatCompletionMessageFunctionToolCall,
        ChatCompletionMessageToolCall as ChatCompletionMessageToolCall,
        ChatCompletionTokenLogprob as ChatCompletionTokenLogprob,
        Choice as Choice,
        ChoiceDelta as ChoiceDelta,
        ChoiceDeltaToolCall as ChoiceDeltaToolCall,
        ChoiceDeltaToolCallFunction as ChoiceDeltaToolCallFunction,
        ChoiceLogprobs as ChoiceLogprobs,
        ChunkChoice as ChunkChoice,
        Custom as Custom,
        Function as Function,
        TopLogprob as TopLogprob,
    )
    from modelwire.types._literals import (
        ChatCompletionModality as ChatCompletionModality,
        ChatCompletionRole as ChatCompletionRole,
        ReasoningEffort as ChatCompletionReasoningEffort,
    )
    from modelwire.types._params import (
        ChatCompletionAllowedToolChoiceParam as ChatCompletionAllowedToolChoiceParam,
        ChatCompletionAllowedToolsParam as ChatCompletionAllowedToolsParam,
        ChatCompletionAssistantMessageParam as ChatCompletionAssistantMessageParam,
        ChatCompletionAudioParam as ChatCompletionAudioParam,
        ChatCompletionContentPartImageParam as ChatCompletionContentPartImageParam,
        ChatCompletionContentPartInputAudioParam as ChatCompletionContentPartInputAudioParam,
        ChatCompletionContentPartParam as ChatCompletionContentPartParam,
        ChatCompletionContentPartRefusalParam as ChatCompletionContentPartRefusalParam,
        ChatCompletionContentPartTextParam as ChatCompletionContentPartTextParam,
        ChatCompletionCustomToolParam as ChatCompletionCustomToolParam,
        ChatCompletionDeveloperMessageParam as ChatCompletionDeveloperMessageParam,
        ChatCompletionFunctionCallOptionParam as ChatCompletionFunctionCallOptionParam,
        ChatCompletionFunctionMessageParam as ChatCompletionFunctionMessageParam,
        ChatCompletionFunctionToolParam as ChatCompletionFunctionToolParam,
        ChatCompletionFunctionToolParam as ChatCompletionToolParam,
        ChatCompletionMessageCustomToolCallParam as ChatCompletionMessageCustomToolCallParam,
        ChatCompletionMessageFunctionToolCallParam as ChatCompletionMessageFunctionToolCallParam,
        ChatCompletionMessageFunctionToolCallParam as ChatCompletionMessageToolCallParam,
        ChatCompletionMessageParam as ChatCompletionMessageParam,
        ChatCompletionMessageToolCallUnionParam as ChatCompletionMessageToolCallUnionParam,
        ChatCompletionNamedToolChoiceCustomParam as ChatCompletionNamedToolChoiceCustomParam,
        ChatCompletionNamedToolChoiceParam as ChatCompletionNamedToolChoiceParam,
        ChatCompletionPredictionContentParam as ChatCompletionPredictionContentParam,
        ChatCompletionStreamOptionsParam as ChatCompletionStreamOptionsParam,
        ChatCompletionSystemMessageParam as ChatCompletionSystemMessageParam,
        ChatCompletionToolChoiceOptionParam as ChatCompletionToolChoiceOptionParam,
        ChatCompletionToolMessageParam as ChatCompletionToolMessageParam,
        ChatCompletionToolUnionParam as ChatCompletionToolUnionParam,
        ChatCompletionUserMessageParam as ChatCompletionUserMessageParam,
        CompletionCreateParams as CompletionCreateParams,
        CreateChatCompletionRequestMessageParam as CreateChatCompletionRequestMessageParam,
    )
    from modelwire.types._parsed import (
        ParsedChatCompletion as ParsedChatCompletion,
        ParsedChatCompletionMessage as ParsedChatCompletionMessage,
        ParsedChoice as ParsedChoice,
        ParsedFunction as ParsedFunction,
        ParsedFunctionToolCall as ParsedFunctionToolCall,
    )
    from modelwire.types._parts import (
        ChatCompletionContentPartImage as ChatCompletionContentPartImage,
        ChatCompletionContentPartText as ChatCompletionContentPartText,
        ChatCompletionFunctionTool as ChatCompletionFunctionTool,
        ChatCompletionMessageToolCallUnion as ChatCompletionMessageToolCallUnion,
    )
else:
    __getattr__, __dir__ = _lazy.names(
        __name__,
        {
            "modelwire._native": """
                Annotation AnnotationURLCitation ChatCompletion ChatCompletionAudio
                ChatCompletionChunk ChatCompletionMessage ChatCompletionMessageCustomToolCall
                ChatCompletionMessageFunctionToolCall=ChatCompletionMessageToolCall
                ChatCompletionMessageToolCall ChatCompletionTokenLogprob Choice ChoiceDelta
                ChoiceDeltaToolCall ChoiceDeltaToolCallFunction ChoiceLogprobs ChunkChoice
                Custom Function TopLogprob
            """,
            "modelwire.types._literals": """
                ChatCompletionModality ChatCompletionReasoningEffort=ReasoningEffort
                ChatCompletionRole
            """,
            "modelwire.types._params": """
                ChatCompletionAllowedToolChoiceParam ChatCompletionAllowedToolsParam
                ChatCompletionAssistantMessageParam ChatCompletionAudioParam
                ChatCompletionContentPartImageParam ChatCompletionContentPartInputAudioParam
                ChatCompletionContentPartParam ChatCompletionContentPartRefusalParam
                ChatCompletionContentPartTextParam ChatCompletionCustomToolParam
                ChatCompletionDeveloperMessageParam ChatCompletionFunctionCallOptionParam
                ChatCompletionFunctionMessageParam ChatCompletionFunctionToolParam
                ChatCompletionMessageCustomToolCallParam
                ChatCompletionMessageFunctionToolCallParam ChatCompletionMessageParam
                ChatCompletionMessageToolCallParam=ChatCompletionMessageFunctionToolCallParam
                ChatCompletionMessageToolCallUnionParam ChatCompletionNamedToolChoiceCustomParam
                ChatCompletionNamedToolChoiceParam ChatCompletionPredictionContentParam
                ChatCompletionStreamOptionsParam ChatCompletionSystemMessageParam
                ChatCompletionToolChoiceOptionParam ChatCompletionToolMessageParam
                ChatCompletionToolParam=ChatCompletionFunctionToolParam
                ChatCompletionToolUnionParam ChatCompletionUserMessageParam
                CompletionCreateParams CreateChatCompletionRequestMessageParam
            """,
            "modelwire.types._parsed": """
                ParsedChatCompletion ParsedChatCompletionMessage ParsedChoice ParsedFunction
                ParsedFunctionToolCall
            """,
            "modelwire.types._parts": """
                ChatCompletionContentPartImage ChatCompletionContentPartText
                ChatCompletionFunctionTool ChatCompletionMessageToolCallUnion
            """,
        },
        (),
    )

__all__ = [
    "Annotation",
    "AnnotationURLCitation",
    "ChatCompletion",
    "ChatCompletionAllowedToolChoiceParam",
    "ChatCompletionAllowedToolsParam",
    "ChatCompletionAssistantMessageParam",
    "ChatCompletionAudio",
    "ChatCompletionAudioParam",
    "ChatCompletionChunk",
    "ChatCompletionContentPartImage",
    "ChatCompletionContentPartImageParam",
    "ChatCompletionContentPartInputAudioParam",
    "ChatCompletionContentPartParam",
    "ChatCompletionContentPartRefusalParam",
    "ChatCompletionContentPartText",
    "ChatCompletionContentPartTextParam",
    "ChatCompletionCustomToolParam",
    "ChatCompletionDeveloperMessageParam",
    "ChatCompletionFunctionCallOptionParam",
    "ChatCompletionFunctionMessageParam",
    "ChatCompletionFunctionTool",
    "ChatCompletionFunctionToolParam",
    "ChatCompletionMessage",
    "ChatCompletionMessageCustomToolCall",
    "ChatCompletionMessageCustomToolCallParam",
    "ChatCompletionMessageFunctionToolCall",
    "ChatCompletionMessageFunctionToolCallParam",
    "ChatCompletionMessageParam",
    "ChatCompletionMessageToolCall",
    "ChatCompletionMessageToolCallParam",
    "ChatCompletionMessageToolCallUnion",
    "ChatCompletionMessageToolCallUnionParam",
    "ChatCompletionModality",
    "ChatCompletionNamedToolChoiceCustomParam",
    "ChatCompletionNamedToolChoiceParam",
    "ChatCompletionPredictionContentParam",
    "ChatCompletionReasoningEffort",
    "ChatCompletionRole",
    "ChatCompletionStreamOptionsParam",
    "ChatCompletionSystemMessageParam",
    "ChatCompletionTokenLogprob",
    "ChatCompletionToolChoiceOptionParam",
    "ChatCompletionToolMessageParam",
    "ChatCompletionToolParam",
    "ChatCompletionToolUnionParam",
    "ChatCompletionUserMessageParam",
    "Choice",
    "ChoiceDelta",
    "ChoiceDeltaToolCall",
    "ChoiceDeltaToolCallFunction",
    "ChoiceLogprobs",
    "ChunkChoice",
    "CompletionCreateParams",
    "CreateChatCompletionRequestMessageParam",
    "Custom",
    "Function",
    "ParsedChatCompletion",
    "ParsedChatCompletionMessage",
    "ParsedChoice",
    "ParsedFunction",
    "ParsedFunctionToolCall",
    "TopLogprob",
]
