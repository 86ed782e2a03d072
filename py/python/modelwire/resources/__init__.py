"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire._resources import (
    AsyncBeta,
    AsyncChat,
    AsyncModels,
    AsyncResponses,
    Beta,
    Chat,
    Models,
    Responses,
)
from modelwire.resources import beta as beta
from modelwire.resources import chat as chat
from modelwire.resources import models as models
from modelwire.resources import responses as responses

__all__ = [
    "AsyncBeta",
    "AsyncChat",
    "AsyncModels",
    "AsyncResponses",
    "Beta",
    "Chat",
    "Models",
    "Responses",
]
