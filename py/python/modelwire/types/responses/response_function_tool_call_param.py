"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._params import (
    ResponseCustomToolCallOutputParamCaller as Caller,
    ResponseCustomToolCallOutputParamCallerDirect as CallerDirect,
    ResponseCustomToolCallOutputParamCallerProgram as CallerProgram,
    ResponseFunctionToolCallParam,
)

__all__ = [
    "Caller",
    "CallerDirect",
    "CallerProgram",
    "ResponseFunctionToolCallParam",
]
