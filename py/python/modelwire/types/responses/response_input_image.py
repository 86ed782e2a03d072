"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._literals import ImageDetail
from modelwire.types._parts import (
    ChatCompletionContentPartImagePromptCacheBreakpoint as PromptCacheBreakpoint,
    ResponseInputImage,
)

__all__ = [
    "ImageDetail",
    "PromptCacheBreakpoint",
    "ResponseInputImage",
]
