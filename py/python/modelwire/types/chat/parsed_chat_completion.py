"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire._native import ChatCompletion, ChatCompletionMessage, Choice
from modelwire.types._parsed import (
    ParsedChatCompletion,
    ParsedChatCompletionMessage,
    ParsedChoice,
    ParsedFunctionToolCall,
)

__all__ = [
    "ChatCompletion",
    "ChatCompletionMessage",
    "Choice",
    "ParsedChatCompletion",
    "ParsedChatCompletionMessage",
    "ParsedChoice",
    "ParsedFunctionToolCall",
]
