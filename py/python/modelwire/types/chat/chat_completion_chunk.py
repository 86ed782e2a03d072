"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire._native import (
    ChatCompletionChunk,
    ChatCompletionTokenLogprob,
    ChoiceDelta,
    ChoiceDeltaToolCall,
    ChoiceDeltaToolCallFunction,
    ChoiceDeltaToolCallFunction as ChoiceDeltaFunctionCall,
    ChoiceLogprobs,
    ChunkChoice as Choice,
    CompletionUsage,
)
from modelwire.types._parts import (
    ChatCompletionModeration as Moderation,
    ChatCompletionModerationInput as ModerationInput,
    ChatCompletionModerationOutput as ModerationOutput,
    ChoiceDeltaAudio,
    ModerationInputError,
    ModerationInputModerationResults,
    ModerationInputModerationResultsResult,
    ModerationOutputError,
    ModerationOutputModerationResults,
    ModerationOutputModerationResultsResult,
)

__all__ = [
    "ChatCompletionChunk",
    "ChatCompletionTokenLogprob",
    "Choice",
    "ChoiceDelta",
    "ChoiceDeltaAudio",
    "ChoiceDeltaFunctionCall",
    "ChoiceDeltaToolCall",
    "ChoiceDeltaToolCallFunction",
    "ChoiceLogprobs",
    "CompletionUsage",
    "Moderation",
    "ModerationInput",
    "ModerationInputError",
    "ModerationInputModerationResults",
    "ModerationInputModerationResultsResult",
    "ModerationOutput",
    "ModerationOutputError",
    "ModerationOutputModerationResults",
    "ModerationOutputModerationResultsResult",
]
