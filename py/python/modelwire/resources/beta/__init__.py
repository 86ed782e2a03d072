"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire._resources import AsyncBeta, AsyncChat, Beta, Chat
from modelwire.resources.beta import beta as beta
from modelwire.resources.beta import chat as chat

__all__ = [
    "AsyncBeta",
    "AsyncChat",
    "Beta",
    "Chat",
]
