"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire._resources import AsyncChat, AsyncCompletions, Chat, Completions
from modelwire.resources.beta.chat import chat as chat
from modelwire.resources.beta.chat import completions as completions

__all__ = [
    "AsyncChat",
    "AsyncCompletions",
    "Chat",
    "Completions",
]
