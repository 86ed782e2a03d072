"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._params import (
    ResponseFunctionShellCallOutputContentParam,
    ResponseFunctionShellCallOutputContentParamOutcome as Outcome,
    ResponseFunctionShellCallOutputContentParamOutcomeExit as OutcomeExit,
    ResponseFunctionShellCallOutputContentParamOutcomeTimeout as OutcomeTimeout,
)

__all__ = [
    "Outcome",
    "OutcomeExit",
    "OutcomeTimeout",
    "ResponseFunctionShellCallOutputContentParam",
]
