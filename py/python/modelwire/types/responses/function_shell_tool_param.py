"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._params import (
    ContainerAutoParam,
    ContainerReferenceParam,
    FunctionShellToolParam,
    FunctionShellToolParamEnvironment as Environment,
    LocalEnvironmentParam,
)

__all__ = [
    "ContainerAutoParam",
    "ContainerReferenceParam",
    "Environment",
    "FunctionShellToolParam",
    "LocalEnvironmentParam",
]
