"""Names that openai-python has here. Written by `make generate`."""

from modelwire._openai import paths as _openai_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from modelwire.types._params import (
        ChatCompletionContentPartImageParam,
        ChatCompletionContentPartImageParamImageURL as ImageURL,
        ChatCompletionContentPartImageParamPromptCacheBreakpoint as PromptCacheBreakpoint
    )
else:
    _openai_paths.fill(__name__, globals())

__all__ = ["ChatCompletionContentPartImageParam", "ImageURL", "PromptCacheBreakpoint"]
