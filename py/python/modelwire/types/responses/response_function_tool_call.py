"""Names that openai-python has here. Written by `make generate`."""

from modelwire._openai import paths as _openai_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from modelwire._native import ResponseFunctionToolCall
    from modelwire.types._parts import (
        ResponseApplyPatchToolCallCaller as Caller,
        ResponseApplyPatchToolCallCallerDirect as CallerDirect,
        ResponseApplyPatchToolCallCallerProgram as CallerProgram
    )
else:
    _openai_paths.fill(__name__, globals())

__all__ = ["Caller", "CallerDirect", "CallerProgram", "ResponseFunctionToolCall"]
