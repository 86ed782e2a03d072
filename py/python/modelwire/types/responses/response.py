"""Names that openai-python has here. Written by `make generate`."""

from modelwire._openai import paths as _openai_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from modelwire._native import IncompleteDetails, Response
    from modelwire.types._parts import (
        InputTransformation, ModerationInputError, ModerationInputModerationResult,
        ModerationOutputError, ModerationOutputModerationResult, PromptCacheDiagnostics,
        PromptCacheDiagnosticsCacheHit, PromptCacheDiagnosticsCacheMiss,
        PromptCacheDiagnosticsComparisonResponseNotFound, PromptCacheDiagnosticsUnavailable,
        ResponseAccessPrograms as AccessPrograms, ResponseConversation as Conversation,
        ResponseImage as Image, ResponseModeration as Moderation,
        ResponseModerationInput as ModerationInput, ResponseModerationOutput as ModerationOutput,
        ResponsePromptCacheOptions as PromptCacheOptions, ResponseToolChoice as ToolChoice,
        ResponseToolChoiceSpecificProgrammaticToolCallingParam as ToolChoiceSpecificProgrammaticToolCallingParam,
        ToolUsage, ToolUsageImageGen, ToolUsageImageGenCachedTokensDetails,
        ToolUsageImageGenInputTokensDetails, ToolUsageImageGenOutputTokensDetails,
        ToolUsageWebSearch
    )
else:
    _openai_paths.fill(__name__, globals())

__all__ = [
    "AccessPrograms", "Conversation", "Image", "IncompleteDetails", "InputTransformation",
    "Moderation", "ModerationInput", "ModerationInputError", "ModerationInputModerationResult",
    "ModerationOutput", "ModerationOutputError", "ModerationOutputModerationResult",
    "PromptCacheDiagnostics", "PromptCacheDiagnosticsCacheHit", "PromptCacheDiagnosticsCacheMiss",
    "PromptCacheDiagnosticsComparisonResponseNotFound", "PromptCacheDiagnosticsUnavailable",
    "PromptCacheOptions", "Response", "ToolChoice",
    "ToolChoiceSpecificProgrammaticToolCallingParam", "ToolUsage", "ToolUsageImageGen",
    "ToolUsageImageGenCachedTokensDetails", "ToolUsageImageGenInputTokensDetails",
    "ToolUsageImageGenOutputTokensDetails", "ToolUsageWebSearch"
]
