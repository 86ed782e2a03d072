"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._params import (
    ResponseInputContentParam,
    ResponseInputFileParam,
    ResponseInputImageParam,
    ResponseInputTextParam,
)

__all__ = [
    "ResponseInputContentParam",
    "ResponseInputFileParam",
    "ResponseInputImageParam",
    "ResponseInputTextParam",
]
