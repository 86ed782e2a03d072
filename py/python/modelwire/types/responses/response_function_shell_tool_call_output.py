"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._parts import (
    OutputOutcome,
    OutputOutcomeExit,
    OutputOutcomeTimeout,
    ResponseApplyPatchToolCallCaller as Caller,
    ResponseApplyPatchToolCallCallerDirect as CallerDirect,
    ResponseApplyPatchToolCallCallerProgram as CallerProgram,
    ResponseFunctionShellToolCallOutput,
    ResponseFunctionShellToolCallOutputOutput as Output,
)

__all__ = [
    "Caller",
    "CallerDirect",
    "CallerProgram",
    "Output",
    "OutputOutcome",
    "OutputOutcomeExit",
    "OutputOutcomeTimeout",
    "ResponseFunctionShellToolCallOutput",
]
