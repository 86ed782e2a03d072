"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._params import (
    ResponseFunctionCallOutputItemParam,
    ResponseInputFileContentParam,
    ResponseInputImageContentParam,
    ResponseInputTextContentParam,
)

__all__ = [
    "ResponseFunctionCallOutputItemParam",
    "ResponseInputFileContentParam",
    "ResponseInputImageContentParam",
    "ResponseInputTextContentParam",
]
