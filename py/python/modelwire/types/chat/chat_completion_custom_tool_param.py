"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._params import (
    ChatCompletionCustomToolParam,
    ChatCompletionCustomToolParamCustom as Custom,
    CustomFormat,
    CustomFormatGrammar,
    CustomFormatGrammarGrammar,
    CustomFormatText,
)

__all__ = [
    "ChatCompletionCustomToolParam",
    "Custom",
    "CustomFormat",
    "CustomFormatGrammar",
    "CustomFormatGrammarGrammar",
    "CustomFormatText",
]
