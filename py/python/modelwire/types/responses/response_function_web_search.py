"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._parts import (
    ResponseFunctionWebSearch,
    ResponseFunctionWebSearchAction as Action,
    ResponseFunctionWebSearchActionFind as ActionFind,
    ResponseFunctionWebSearchActionOpenPage as ActionOpenPage,
    ResponseFunctionWebSearchActionSearch as ActionSearch,
    ResponseFunctionWebSearchActionSearchSource as ActionSearchSource,
)

__all__ = [
    "Action",
    "ActionFind",
    "ActionOpenPage",
    "ActionSearch",
    "ActionSearchSource",
    "ResponseFunctionWebSearch",
]
