"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._parts import (
    McpToolCallError,
    McpToolCallErrorHTTPError as HTTPError,
    McpToolCallErrorMcpProtocolError as McpProtocolError,
    McpToolCallErrorMcpToolExecutionError as McpToolExecutionError,
)

__all__ = [
    "HTTPError",
    "McpProtocolError",
    "McpToolCallError",
    "McpToolExecutionError",
]
