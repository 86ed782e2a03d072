"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._parts import (
    ContainerAuto,
    ContainerReference,
    FunctionShellTool,
    FunctionShellToolEnvironment as Environment,
    LocalEnvironment,
)

__all__ = [
    "ContainerAuto",
    "ContainerReference",
    "Environment",
    "FunctionShellTool",
    "LocalEnvironment",
]
