"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire._native import ResponseError
from modelwire.types._parts import Misalignment, MisalignmentSteer

__all__ = [
    "Misalignment",
    "MisalignmentSteer",
    "ResponseError",
]
