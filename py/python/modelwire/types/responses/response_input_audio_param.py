"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._params import (
    ResponseInputAudioParam,
    ResponseInputAudioParamInputAudio as InputAudio,
)

__all__ = [
    "InputAudio",
    "ResponseInputAudioParam",
]
