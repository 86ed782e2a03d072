"""The types that openai-python has in `types.shared`. Each is imported when it is asked for.

Written by `make generate`; `__all__` is written by py/stubs/from_openai.py, too.
"""

from modelwire.types import _lazy

TYPE_CHECKING = False

if TYPE_CHECKING:
    from modelwire.types._literals import (
        AllModels, ChatModel, FunctionParameters, Metadata, ReasoningEffort, ResponsesModel
    )
    from modelwire.types._parts import (
        ComparisonFilter, CompoundFilter, CustomToolInputFormat, ErrorObject, FunctionDefinition,
        Reasoning, ResponseFormatJSONObject, ResponseFormatJSONSchema, ResponseFormatText
    )
else:
    __getattr__, __dir__ = _lazy.package(__name__)

__all__ = [
    "AllModels", "ChatModel", "ComparisonFilter", "CompoundFilter", "CustomToolInputFormat",
    "ErrorObject", "FunctionDefinition", "FunctionParameters", "Metadata", "Reasoning",
    "ReasoningEffort", "ResponseFormatJSONObject", "ResponseFormatJSONSchema", "ResponseFormatText",
    "ResponsesModel"
]
