"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._params import (
    ComputerActionListParamClick as Click,
    ComputerActionListParamDoubleClick as DoubleClick,
    ComputerActionListParamDrag as Drag,
    ComputerActionListParamDragPath as DragPath,
    ComputerActionListParamKeypress as Keypress,
    ComputerActionListParamMove as Move,
    ComputerActionListParamScreenshot as Screenshot,
    ComputerActionListParamScroll as Scroll,
    ComputerActionListParamType as Type,
    ComputerActionListParamWait as Wait,
    ComputerActionParam,
)

__all__ = [
    "Click",
    "ComputerActionParam",
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
