"""Names that openai-python has here. Written by `make generate`."""

from modelwire._openai import paths as _openai_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from modelwire.resources import chat, models, responses
    from modelwire._resources import (
        AsyncBeta, AsyncChat, AsyncModels, AsyncResponses, Beta, Chat, Models, Responses
    )
else:
    _openai_paths.fill(__name__, globals())

__all__ = [
    "AsyncBeta", "AsyncChat", "AsyncModels", "AsyncResponses", "Beta", "Chat", "Models",
    "Responses", "chat", "models", "responses"
]
