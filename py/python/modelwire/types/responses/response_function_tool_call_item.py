"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire._native import ResponseFunctionToolCall
from modelwire.types._parts import ResponseFunctionToolCallItem

__all__ = [
    "ResponseFunctionToolCall",
    "ResponseFunctionToolCallItem",
]
