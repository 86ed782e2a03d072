"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._params import (
    ChatCompletionContentPartTextParam,
    ChatCompletionDeveloperMessageParam,
)

__all__ = [
    "ChatCompletionContentPartTextParam",
    "ChatCompletionDeveloperMessageParam",
]
