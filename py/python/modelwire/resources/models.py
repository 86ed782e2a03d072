"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire._resources import AsyncModels, Models

__all__ = [
    "AsyncModels",
    "Models",
]
