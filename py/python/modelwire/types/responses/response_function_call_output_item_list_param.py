"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._params import (
    ResponseFunctionCallOutputItemListParam,
    ResponseFunctionCallOutputItemParam,
    ResponseInputFileContentParam,
    ResponseInputImageContentParam,
    ResponseInputTextContentParam,
)

__all__ = [
    "ResponseFunctionCallOutputItemListParam",
    "ResponseFunctionCallOutputItemParam",
    "ResponseInputFileContentParam",
    "ResponseInputImageContentParam",
    "ResponseInputTextContentParam",
]
