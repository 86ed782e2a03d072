"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire._native import (
    ChatCompletionMessageCustomToolCall,
    ChatCompletionMessageToolCall,
    ChatCompletionMessageToolCall as ChatCompletionMessageFunctionToolCall,
    Function,
)
from modelwire.types._parts import ChatCompletionMessageToolCallUnion

__all__ = [
    "ChatCompletionMessageCustomToolCall",
    "ChatCompletionMessageFunctionToolCall",
    "ChatCompletionMessageToolCall",
    "ChatCompletionMessageToolCallUnion",
    "Function",
]
