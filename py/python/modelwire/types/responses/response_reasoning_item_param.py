"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._params import (
    ResponseReasoningItemParam,
    ResponseReasoningItemParamContent as Content,
    ResponseReasoningItemParamSummary as Summary,
)

__all__ = [
    "Content",
    "ResponseReasoningItemParam",
    "Summary",
]
