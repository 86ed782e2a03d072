"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._parts import (
    CustomTool,
    NamespaceTool,
    NamespaceToolTool as Tool,
    NamespaceToolToolFunction as ToolFunction,
)

__all__ = [
    "CustomTool",
    "NamespaceTool",
    "Tool",
    "ToolFunction",
]
