"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire._parse import pydantic_function_tool

__all__ = [
    "pydantic_function_tool",
]
