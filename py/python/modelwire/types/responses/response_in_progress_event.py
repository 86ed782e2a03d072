"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire._native import Response
from modelwire.types._parts import ResponseInProgressEvent

__all__ = [
    "Response",
    "ResponseInProgressEvent",
]
