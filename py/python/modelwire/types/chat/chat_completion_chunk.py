"""Names that openai-python has here. Written by `make generate`."""

from modelwire._openai import paths as _openai_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from modelwire._native import (
        ChatCompletionChunk, ChoiceDelta, ChoiceDeltaToolCall, ChoiceDeltaToolCallFunction,
        ChoiceDeltaToolCallFunction as ChoiceDeltaFunctionCall, ChoiceLogprobs,
        ChunkChoice as Choice
    )
    from modelwire.types._parts import (
        ChatCompletionModeration as Moderation, ChatCompletionModerationInput as ModerationInput,
        ChatCompletionModerationOutput as ModerationOutput, ChoiceDeltaAudio, ModerationInputError,
        ModerationInputModerationResults, ModerationInputModerationResultsResult,
        ModerationOutputError, ModerationOutputModerationResults,
        ModerationOutputModerationResultsResult
    )
else:
    _openai_paths.fill(__name__, globals())

__all__ = [
    "ChatCompletionChunk", "Choice", "ChoiceDelta", "ChoiceDeltaAudio", "ChoiceDeltaFunctionCall",
    "ChoiceDeltaToolCall", "ChoiceDeltaToolCallFunction", "ChoiceLogprobs", "Moderation",
    "ModerationInput", "ModerationInputError", "ModerationInputModerationResults",
    "ModerationInputModerationResultsResult", "ModerationOutput", "ModerationOutputError",
    "ModerationOutputModerationResults", "ModerationOutputModerationResultsResult"
]
