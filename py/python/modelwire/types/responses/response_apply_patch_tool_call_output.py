"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._parts import (
    ResponseApplyPatchToolCallCaller as Caller,
    ResponseApplyPatchToolCallCallerDirect as CallerDirect,
    ResponseApplyPatchToolCallCallerProgram as CallerProgram,
    ResponseApplyPatchToolCallOutput,
)

__all__ = [
    "Caller",
    "CallerDirect",
    "CallerProgram",
    "ResponseApplyPatchToolCallOutput",
]
