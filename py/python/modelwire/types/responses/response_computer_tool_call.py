"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._parts import (
    ComputerActionList,
    ResponseComputerToolCall,
    ResponseComputerToolCallAction as Action,
    ResponseComputerToolCallActionClick as ActionClick,
    ResponseComputerToolCallActionDoubleClick as ActionDoubleClick,
    ResponseComputerToolCallActionDrag as ActionDrag,
    ResponseComputerToolCallActionDragPath as ActionDragPath,
    ResponseComputerToolCallActionKeypress as ActionKeypress,
    ResponseComputerToolCallActionMove as ActionMove,
    ResponseComputerToolCallActionScreenshot as ActionScreenshot,
    ResponseComputerToolCallActionScroll as ActionScroll,
    ResponseComputerToolCallActionType as ActionType,
    ResponseComputerToolCallActionWait as ActionWait,
    ResponseComputerToolCallPendingSafetyCheck as PendingSafetyCheck,
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
    "ComputerActionList",
    "PendingSafetyCheck",
    "ResponseComputerToolCall",
]
