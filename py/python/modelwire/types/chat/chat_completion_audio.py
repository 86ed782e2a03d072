"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire._native import ChatCompletionAudio

__all__ = [
    "ChatCompletionAudio",
]
