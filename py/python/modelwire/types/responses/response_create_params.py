"""Names that openai-python has here. Written by `make generate`."""

from modelwire._openai import paths as _openai_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from modelwire.types._params import (
        CompletionCreateParamsModeration as Moderation, ContextManagement, ModerationPolicy,
        ModerationPolicyInput, ModerationPolicyOutput, ResponseCreateParams,
        ResponseCreateParamsAccessPrograms as AccessPrograms, ResponseCreateParamsBase,
        ResponseCreateParamsConversation as Conversation, ResponseCreateParamsImage as Image,
        ResponseCreateParamsNonStreaming,
        ResponseCreateParamsPromptCacheOptions as PromptCacheOptions, ResponseCreateParamsStreaming,
        ResponseCreateParamsToolChoice as ToolChoice,
        ResponseCreateParamsToolChoiceSpecificProgrammaticToolCallingParam as ToolChoiceSpecificProgrammaticToolCallingParam,
        StreamOptions
    )
else:
    _openai_paths.fill(__name__, globals())

__all__ = [
    "AccessPrograms", "ContextManagement", "Conversation", "Image", "Moderation",
    "ModerationPolicy", "ModerationPolicyInput", "ModerationPolicyOutput", "PromptCacheOptions",
    "ResponseCreateParams", "ResponseCreateParamsBase", "ResponseCreateParamsNonStreaming",
    "ResponseCreateParamsStreaming", "StreamOptions", "ToolChoice",
    "ToolChoiceSpecificProgrammaticToolCallingParam"
]
