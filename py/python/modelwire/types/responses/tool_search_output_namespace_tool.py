"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._parts import (
    CustomTool,
    NamespaceToolTool as Tool,
    NamespaceToolToolFunction as ToolFunction,
    ToolSearchOutputNamespaceTool,
)

__all__ = [
    "CustomTool",
    "Tool",
    "ToolFunction",
    "ToolSearchOutputNamespaceTool",
]
