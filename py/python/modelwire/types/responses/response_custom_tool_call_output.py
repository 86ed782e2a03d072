"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._parts import (
    ResponseApplyPatchToolCallCaller as Caller,
    ResponseApplyPatchToolCallCallerDirect as CallerDirect,
    ResponseApplyPatchToolCallCallerProgram as CallerProgram,
    ResponseCustomToolCallOutput,
    ResponseCustomToolCallOutputOutputOutputContentList as OutputOutputContentList,
    ResponseInputFile,
    ResponseInputImage,
    ResponseInputText,
)

__all__ = [
    "Caller",
    "CallerDirect",
    "CallerProgram",
    "OutputOutputContentList",
    "ResponseCustomToolCallOutput",
    "ResponseInputFile",
    "ResponseInputImage",
    "ResponseInputText",
]
