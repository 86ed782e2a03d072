"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire._resources import AsyncCompletions, Completions
from modelwire.resources.chat.completions import completions as completions

__all__ = [
    "AsyncCompletions",
    "Completions",
]
