"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._params import (
    ResponseCodeInterpreterToolCallParam,
    ResponseCodeInterpreterToolCallParamOutput as Output,
    ResponseCodeInterpreterToolCallParamOutputImage as OutputImage,
    ResponseCodeInterpreterToolCallParamOutputLogs as OutputLogs,
)

__all__ = [
    "Output",
    "OutputImage",
    "OutputLogs",
    "ResponseCodeInterpreterToolCallParam",
]
