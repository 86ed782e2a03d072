"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire._native import ResponseOutputRefusal, ResponseOutputText
from modelwire.types._parts import (
    PartReasoningText,
    ResponseContentPartAddedEvent,
    ResponseContentPartAddedEventPart as Part,
)

__all__ = [
    "Part",
    "PartReasoningText",
    "ResponseContentPartAddedEvent",
    "ResponseOutputRefusal",
    "ResponseOutputText",
]
