"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire._native import (
    ChatCompletion,
    ChatCompletionMessage,
    ChatCompletionTokenLogprob,
    Choice,
    ChoiceLogprobs,
    CompletionUsage,
)
from modelwire.types._literals import Metadata
from modelwire.types._parts import (
    ChatCompletionModeration as Moderation,
    ChatCompletionModerationInput as ModerationInput,
    ChatCompletionModerationOutput as ModerationOutput,
    ModerationInputError,
    ModerationInputModerationResults,
    ModerationInputModerationResultsResult,
    ModerationOutputError,
    ModerationOutputModerationResults,
    ModerationOutputModerationResultsResult,
)

__all__ = [
    "ChatCompletion",
    "ChatCompletionMessage",
    "ChatCompletionTokenLogprob",
    "Choice",
    "ChoiceLogprobs",
    "CompletionUsage",
    "Metadata",
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
