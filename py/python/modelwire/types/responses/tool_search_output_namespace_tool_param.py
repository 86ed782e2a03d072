"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._params import (
    CustomToolParam,
    NamespaceToolParamTool as Tool,
    NamespaceToolParamToolFunction as ToolFunction,
    ToolSearchOutputNamespaceToolParam,
)

__all__ = [
    "CustomToolParam",
    "Tool",
    "ToolFunction",
    "ToolSearchOutputNamespaceToolParam",
]
