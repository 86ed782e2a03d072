"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._params import (
    ResponseCustomToolCallOutputParam,
    ResponseCustomToolCallOutputParamCaller as Caller,
    ResponseCustomToolCallOutputParamCallerDirect as CallerDirect,
    ResponseCustomToolCallOutputParamCallerProgram as CallerProgram,
    ResponseCustomToolCallOutputParamOutputOutputContentList as OutputOutputContentList,
    ResponseInputFileParam,
    ResponseInputImageParam,
    ResponseInputTextParam,
)

__all__ = [
    "Caller",
    "CallerDirect",
    "CallerProgram",
    "OutputOutputContentList",
    "ResponseCustomToolCallOutputParam",
    "ResponseInputFileParam",
    "ResponseInputImageParam",
    "ResponseInputTextParam",
]
