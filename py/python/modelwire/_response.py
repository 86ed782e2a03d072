"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire._raw import APIResponse, AsyncAPIResponse

__all__ = [
    "APIResponse",
    "AsyncAPIResponse",
]
