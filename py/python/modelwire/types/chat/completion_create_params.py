"""Names that openai-python has here. Written by `make generate`."""

from modelwire._openai import paths as _openai_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from modelwire.types._params import (
        CompletionCreateParams, CompletionCreateParamsBase,
        CompletionCreateParamsFunction as Function,
        CompletionCreateParamsFunctionCall as FunctionCall,
        CompletionCreateParamsModeration as Moderation, CompletionCreateParamsNonStreaming,
        CompletionCreateParamsPromptCacheOptions as PromptCacheOptions,
        CompletionCreateParamsStreaming, ModerationPolicy, ModerationPolicyInput,
        ModerationPolicyOutput, ResponseFormat, WebSearchOptions, WebSearchOptionsUserLocation,
        WebSearchOptionsUserLocationApproximate
    )
else:
    _openai_paths.fill(__name__, globals())

__all__ = [
    "CompletionCreateParams", "CompletionCreateParamsBase", "CompletionCreateParamsNonStreaming",
    "CompletionCreateParamsStreaming", "Function", "FunctionCall", "Moderation", "ModerationPolicy",
    "ModerationPolicyInput", "ModerationPolicyOutput", "PromptCacheOptions", "ResponseFormat",
    "WebSearchOptions", "WebSearchOptionsUserLocation", "WebSearchOptionsUserLocationApproximate"
]
