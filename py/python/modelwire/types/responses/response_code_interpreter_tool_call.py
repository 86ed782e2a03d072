"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._parts import (
    ResponseCodeInterpreterToolCall,
    ResponseCodeInterpreterToolCallOutput as Output,
    ResponseCodeInterpreterToolCallOutputImage as OutputImage,
    ResponseCodeInterpreterToolCallOutputLogs as OutputLogs,
)

__all__ = [
    "Output",
    "OutputImage",
    "OutputLogs",
    "ResponseCodeInterpreterToolCall",
]
