"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire._native import ResponseOutputRefusal, ResponseOutputText
from modelwire.types._parts import (
    PartReasoningText,
    ResponseContentPartAddedEventPart as Part,
    ResponseContentPartDoneEvent,
)

__all__ = [
    "Part",
    "PartReasoningText",
    "ResponseContentPartDoneEvent",
    "ResponseOutputRefusal",
    "ResponseOutputText",
]
