"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._literals import FunctionParameters
from modelwire.types._params import FunctionDefinitionParam as FunctionDefinition

__all__ = [
    "FunctionDefinition",
    "FunctionParameters",
]
