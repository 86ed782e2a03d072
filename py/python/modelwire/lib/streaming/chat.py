"""Names that openai-python has here. Written by `make generate`."""

from modelwire._openai import paths as _openai_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from modelwire.streaming import (
        AsyncChatCompletionStream, AsyncStreamManager as AsyncChatCompletionStreamManager,
        ChatCompletionStream, ChatCompletionStreamEvent, ChatCompletionStreamState, ChunkEvent,
        ContentDeltaEvent, ContentDoneEvent, FunctionToolCallArgumentsDeltaEvent,
        FunctionToolCallArgumentsDoneEvent, LogprobsContentDeltaEvent, LogprobsContentDoneEvent,
        LogprobsRefusalDeltaEvent, LogprobsRefusalDoneEvent, RefusalDeltaEvent, RefusalDoneEvent,
        StreamManager as ChatCompletionStreamManager
    )
else:
    _openai_paths.fill(__name__, globals())

__all__ = [
    "AsyncChatCompletionStream", "AsyncChatCompletionStreamManager", "ChatCompletionStream",
    "ChatCompletionStreamEvent", "ChatCompletionStreamManager", "ChatCompletionStreamState",
    "ChunkEvent", "ContentDeltaEvent", "ContentDoneEvent", "FunctionToolCallArgumentsDeltaEvent",
    "FunctionToolCallArgumentsDoneEvent", "LogprobsContentDeltaEvent", "LogprobsContentDoneEvent",
    "LogprobsRefusalDeltaEvent", "LogprobsRefusalDoneEvent", "RefusalDeltaEvent",
    "RefusalDoneEvent"
]
