"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._params import (
    ComputerActionListParam,
    ResponseComputerToolCallParam,
    ResponseComputerToolCallParamAction as Action,
    ResponseComputerToolCallParamActionClick as ActionClick,
    ResponseComputerToolCallParamActionDoubleClick as ActionDoubleClick,
    ResponseComputerToolCallParamActionDrag as ActionDrag,
    ResponseComputerToolCallParamActionDragPath as ActionDragPath,
    ResponseComputerToolCallParamActionKeypress as ActionKeypress,
    ResponseComputerToolCallParamActionMove as ActionMove,
    ResponseComputerToolCallParamActionScreenshot as ActionScreenshot,
    ResponseComputerToolCallParamActionScroll as ActionScroll,
    ResponseComputerToolCallParamActionType as ActionType,
    ResponseComputerToolCallParamActionWait as ActionWait,
    ResponseComputerToolCallParamPendingSafetyCheck as PendingSafetyCheck,
)

__all__ = [
    "Action",
    "ActionClick",
    "ActionDoubleClick",
    "ActionDrag",
    "ActionDragPath",
    "ActionKeypress",
    "ActionMove",
    "ActionScreenshot",
    "ActionScroll",
    "ActionType",
    "ActionWait",
    "ComputerActionListParam",
    "PendingSafetyCheck",
    "ResponseComputerToolCallParam",
]
