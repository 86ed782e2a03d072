"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire._native import AsyncStream, Stream

__all__ = [
    "AsyncStream",
    "Stream",
]
