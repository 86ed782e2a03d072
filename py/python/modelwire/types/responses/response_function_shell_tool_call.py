"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._parts import (
    ResponseApplyPatchToolCallCaller as Caller,
    ResponseApplyPatchToolCallCallerDirect as CallerDirect,
    ResponseApplyPatchToolCallCallerProgram as CallerProgram,
    ResponseContainerReference,
    ResponseFunctionShellToolCall,
    ResponseFunctionShellToolCallAction as Action,
    ResponseFunctionShellToolCallEnvironment as Environment,
    ResponseLocalEnvironment,
)

__all__ = [
    "Action",
    "Caller",
    "CallerDirect",
    "CallerProgram",
    "Environment",
    "ResponseContainerReference",
    "ResponseFunctionShellToolCall",
    "ResponseLocalEnvironment",
]
