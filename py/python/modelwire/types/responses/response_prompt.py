"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._parts import (
    ResponseInputFile,
    ResponseInputImage,
    ResponseInputText,
    ResponsePrompt,
    ResponsePromptVariables as Variables,
)

__all__ = [
    "ResponseInputFile",
    "ResponseInputImage",
    "ResponseInputText",
    "ResponsePrompt",
    "Variables",
]
