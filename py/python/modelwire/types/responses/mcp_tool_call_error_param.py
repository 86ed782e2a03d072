"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._params import (
    McpToolCallErrorParam,
    McpToolCallErrorParamHTTPError as HTTPError,
    McpToolCallErrorParamMcpProtocolError as McpProtocolError,
    McpToolCallErrorParamMcpToolExecutionError as McpToolExecutionError,
)

__all__ = [
    "HTTPError",
    "McpProtocolError",
    "McpToolCallErrorParam",
    "McpToolExecutionError",
]
