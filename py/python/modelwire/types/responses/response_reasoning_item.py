"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire._native import ResponseReasoningItem
from modelwire.types._parts import (
    ResponseReasoningItemContent as Content,
    ResponseReasoningItemSummary as Summary,
)

__all__ = [
    "Content",
    "ResponseReasoningItem",
    "Summary",
]
