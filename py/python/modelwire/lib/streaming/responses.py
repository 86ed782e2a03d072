"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.streaming import (
    AsyncResponseStream,
    AsyncStreamManager as AsyncResponseStreamManager,
    ResponseStream,
    StreamManager as ResponseStreamManager,
)
from modelwire.types._parts import (
    ResponseFunctionCallArgumentsDeltaEvent,
    ResponseStreamEvent,
    ResponseTextDeltaEvent,
    ResponseTextDoneEvent,
)

__all__ = [
    "AsyncResponseStream",
    "AsyncResponseStreamManager",
    "ResponseFunctionCallArgumentsDeltaEvent",
    "ResponseStream",
    "ResponseStreamEvent",
    "ResponseStreamManager",
    "ResponseTextDeltaEvent",
    "ResponseTextDoneEvent",
]
