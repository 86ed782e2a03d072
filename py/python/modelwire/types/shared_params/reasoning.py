"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._literals import ReasoningEffort
from modelwire.types._params import ReasoningParam as Reasoning

__all__ = [
    "Reasoning",
    "ReasoningEffort",
]
