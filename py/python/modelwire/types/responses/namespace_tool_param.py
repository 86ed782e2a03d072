"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._params import (
    CustomToolParam,
    NamespaceToolParam,
    NamespaceToolParamTool as Tool,
    NamespaceToolParamToolFunction as ToolFunction,
)

__all__ = [
    "CustomToolParam",
    "NamespaceToolParam",
    "Tool",
    "ToolFunction",
]
