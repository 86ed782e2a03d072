"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire._resources import AsyncResponses, Responses
from modelwire.resources.responses import responses as responses

__all__ = [
    "AsyncResponses",
    "Responses",
]
