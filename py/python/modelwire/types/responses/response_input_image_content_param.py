"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._literals import ImageDetail
from modelwire.types._params import (
    ChatCompletionContentPartImageParamPromptCacheBreakpoint as PromptCacheBreakpoint,
    ResponseInputImageContentParam,
)

__all__ = [
    "ImageDetail",
    "PromptCacheBreakpoint",
    "ResponseInputImageContentParam",
]
