"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire._native import (
    ChatCompletionMessageToolCall as ChatCompletionMessageFunctionToolCall,
    Function,
)

__all__ = [
    "ChatCompletionMessageFunctionToolCall",
    "Function",
]
