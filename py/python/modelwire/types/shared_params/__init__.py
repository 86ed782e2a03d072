"""The types that openai-python has in `types.shared_params`. Each is imported when it is asked for.

Written by `make generate`; `__all__` is written by py/stubs/from_openai.py, too.
"""

from modelwire.types import _lazy

TYPE_CHECKING = False

if TYPE_CHECKING:
    from modelwire.types._literals import (
        ChatModel, FunctionParameters, Metadata, ReasoningEffort, ResponsesModel
    )
    from modelwire.types._params import (
        ComparisonFilterParam as ComparisonFilter, CompoundFilterParam as CompoundFilter,
        CustomToolInputFormatParam as CustomToolInputFormat,
        FunctionDefinitionParam as FunctionDefinition, ReasoningParam as Reasoning,
        ResponseFormatJSONObjectParam as ResponseFormatJSONObject,
        ResponseFormatJSONSchemaParam as ResponseFormatJSONSchema,
        ResponseFormatTextParam as ResponseFormatText
    )
else:
    __getattr__, __dir__ = _lazy.package(__name__)

__all__ = [
    "ChatModel", "ComparisonFilter", "CompoundFilter", "CustomToolInputFormat",
    "FunctionDefinition", "FunctionParameters", "Metadata", "Reasoning", "ReasoningEffort",
    "ResponseFormatJSONObject", "ResponseFormatJSONSchema", "ResponseFormatText", "ResponsesModel"
]
