"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire._parse import pydantic_function_tool
from modelwire.lib import _tools as _tools
from modelwire.lib import streaming as streaming

__all__ = [
    "pydantic_function_tool",
]
