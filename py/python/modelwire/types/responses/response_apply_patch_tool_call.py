"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._parts import (
    Operation,
    OperationCreateFile,
    OperationDeleteFile,
    OperationUpdateFile,
    ResponseApplyPatchToolCall,
    ResponseApplyPatchToolCallCaller as Caller,
    ResponseApplyPatchToolCallCallerDirect as CallerDirect,
    ResponseApplyPatchToolCallCallerProgram as CallerProgram,
)

__all__ = [
    "Caller",
    "CallerDirect",
    "CallerProgram",
    "Operation",
    "OperationCreateFile",
    "OperationDeleteFile",
    "OperationUpdateFile",
    "ResponseApplyPatchToolCall",
]
