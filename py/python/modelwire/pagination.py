"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire._resources import AsyncModelList as AsyncPage, ModelList as SyncPage

__all__ = [
    "AsyncPage",
    "SyncPage",
]
