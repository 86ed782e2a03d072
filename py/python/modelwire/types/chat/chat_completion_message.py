"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire._native import (
    Annotation,
    AnnotationURLCitation,
    ChatCompletionAudio,
    ChatCompletionMessage,
    Function as FunctionCall,
)
from modelwire.types._parts import ChatCompletionMessageToolCallUnion

__all__ = [
    "Annotation",
    "AnnotationURLCitation",
    "ChatCompletionAudio",
    "ChatCompletionMessage",
    "ChatCompletionMessageToolCallUnion",
    "FunctionCall",
]
