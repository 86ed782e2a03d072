"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._params import (
    ResponseInputFileParam,
    ResponseInputImageParam,
    ResponseInputTextParam,
    ResponsePromptParam,
    ResponsePromptParamVariables as Variables,
)

__all__ = [
    "ResponseInputFileParam",
    "ResponseInputImageParam",
    "ResponseInputTextParam",
    "ResponsePromptParam",
    "Variables",
]
