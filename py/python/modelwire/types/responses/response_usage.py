"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire._native import InputTokensDetails, OutputTokensDetails, ResponseUsage
from modelwire.types._parts import InputTokensDetailsCacheWriteTokensDetails

__all__ = [
    "InputTokensDetails",
    "InputTokensDetailsCacheWriteTokensDetails",
    "OutputTokensDetails",
    "ResponseUsage",
]
