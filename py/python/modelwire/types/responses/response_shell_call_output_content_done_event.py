"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._parts import (
    OutputOutcome,
    OutputOutcomeExit,
    OutputOutcomeTimeout,
    ResponseFunctionShellToolCallOutputOutput as Output,
    ResponseShellCallOutputContentDoneEvent,
)

__all__ = [
    "Output",
    "OutputOutcome",
    "OutputOutcomeExit",
    "OutputOutcomeTimeout",
    "ResponseShellCallOutputContentDoneEvent",
]
