"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire._native import ResponseOutputMessage, ResponseOutputRefusal, ResponseOutputText
from modelwire.types._parts import ResponseOutputMessageContent as Content

__all__ = [
    "Content",
    "ResponseOutputMessage",
    "ResponseOutputRefusal",
    "ResponseOutputText",
]
