"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._params import (
    ChatCompletionContentPartImageParamPromptCacheBreakpoint as PromptCacheBreakpoint,
    ChatCompletionContentPartInputAudioParam,
    ChatCompletionContentPartInputAudioParamInputAudio as InputAudio,
)

__all__ = [
    "ChatCompletionContentPartInputAudioParam",
    "InputAudio",
    "PromptCacheBreakpoint",
]
