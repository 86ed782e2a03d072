"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._params import (
    Audio,
    ChatCompletionAssistantMessageParam,
    ChatCompletionAssistantMessageParamFunctionCall as FunctionCall,
    ChatCompletionContentPartRefusalParam,
    ChatCompletionContentPartTextParam,
    ChatCompletionMessageToolCallUnionParam,
    ContentArrayOfContentPart,
)

__all__ = [
    "Audio",
    "ChatCompletionAssistantMessageParam",
    "ChatCompletionContentPartRefusalParam",
    "ChatCompletionContentPartTextParam",
    "ChatCompletionMessageToolCallUnionParam",
    "ContentArrayOfContentPart",
    "FunctionCall",
]
