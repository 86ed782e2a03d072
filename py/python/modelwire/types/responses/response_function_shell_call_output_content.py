"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._parts import (
    ResponseFunctionShellCallOutputContent,
    ResponseFunctionShellCallOutputContentOutcome as Outcome,
    ResponseFunctionShellCallOutputContentOutcomeExit as OutcomeExit,
    ResponseFunctionShellCallOutputContentOutcomeTimeout as OutcomeTimeout,
)

__all__ = [
    "Outcome",
    "OutcomeExit",
    "OutcomeTimeout",
    "ResponseFunctionShellCallOutputContent",
]
