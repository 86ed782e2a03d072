"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire._native import (
    ChatCompletionMessageToolCall as ChatCompletionMessageFunctionToolCall,
    Function,
)
from modelwire.types._parsed import ParsedFunction, ParsedFunctionToolCall

__all__ = [
    "ChatCompletionMessageFunctionToolCall",
    "Function",
    "ParsedFunction",
    "ParsedFunctionToolCall",
]
