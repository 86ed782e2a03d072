"""Names that openai-python has here. Written by `make generate`."""

from modelwire._openai import paths as _openai_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from modelwire.resources.chat import chat, completions
    from modelwire._resources import AsyncChat, AsyncCompletions, Chat, Completions
else:
    _openai_paths.fill(__name__, globals())

__all__ = ["AsyncChat", "AsyncCompletions", "Chat", "Completions", "chat", "completions"]
