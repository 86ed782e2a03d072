"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._params import (
    ResponseFunctionWebSearchParam,
    ResponseFunctionWebSearchParamAction as Action,
    ResponseFunctionWebSearchParamActionFind as ActionFind,
    ResponseFunctionWebSearchParamActionOpenPage as ActionOpenPage,
    ResponseFunctionWebSearchParamActionSearch as ActionSearch,
    ResponseFunctionWebSearchParamActionSearchSource as ActionSearchSource,
)

__all__ = [
    "Action",
    "ActionFind",
    "ActionOpenPage",
    "ActionSearch",
    "ActionSearchSource",
    "ResponseFunctionWebSearchParam",
]
