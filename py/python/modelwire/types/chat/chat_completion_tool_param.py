"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._params import (
    ChatCompletionFunctionToolParam,
    ChatCompletionFunctionToolParam as ChatCompletionToolParam,
    FunctionDefinitionParam as FunctionDefinition,
)

__all__ = [
    "ChatCompletionFunctionToolParam",
    "ChatCompletionToolParam",
    "FunctionDefinition",
]
