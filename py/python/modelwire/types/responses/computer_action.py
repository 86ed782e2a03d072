"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._parts import (
    ComputerAction,
    ComputerActionClick as Click,
    ComputerActionDoubleClick as DoubleClick,
    ComputerActionDrag as Drag,
    ComputerActionDragPath as DragPath,
    ComputerActionKeypress as Keypress,
    ComputerActionMove as Move,
    ComputerActionScreenshot as Screenshot,
    ComputerActionScroll as Scroll,
    ComputerActionType as Type,
    ComputerActionWait as Wait,
)

__all__ = [
    "Click",
    "ComputerAction",
    "DoubleClick",
    "Drag",
    "DragPath",
    "Keypress",
    "Move",
    "Screenshot",
    "Scroll",
    "Type",
    "Wait",
]
