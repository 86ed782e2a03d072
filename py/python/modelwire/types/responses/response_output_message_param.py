"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._params import (
    ResponseOutputMessageParam,
    ResponseOutputMessageParamContent as Content,
    ResponseOutputRefusalParam,
    ResponseOutputTextParam,
)

__all__ = [
    "Content",
    "ResponseOutputMessageParam",
    "ResponseOutputRefusalParam",
    "ResponseOutputTextParam",
]
