"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire._native import ResponseFunctionToolCall
from modelwire.types._parts import (
    ResponseApplyPatchToolCallCaller as Caller,
    ResponseApplyPatchToolCallCallerDirect as CallerDirect,
    ResponseApplyPatchToolCallCallerProgram as CallerProgram,
)

__all__ = [
    "Caller",
    "CallerDirect",
    "CallerProgram",
    "ResponseFunctionToolCall",
]
