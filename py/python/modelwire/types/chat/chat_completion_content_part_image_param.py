"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._params import (
    ChatCompletionContentPartImageParam,
    ChatCompletionContentPartImageParamImageURL as ImageURL,
    ChatCompletionContentPartImageParamPromptCacheBreakpoint as PromptCacheBreakpoint,
)

__all__ = [
    "ChatCompletionContentPartImageParam",
    "ImageURL",
    "PromptCacheBreakpoint",
]
