"""Names of types, which are looked up when they are asked for. Knows no type.

Written by py/stubs/write.py.
"""

from modelwire.types import _lazy

TYPE_CHECKING = False

if TYPE_CHECKING:
    from modelwire.types._literals import (
        ChatModel as ChatModel,
        FunctionParameters as FunctionParameters,
        Metadata as Metadata,
        ReasoningEffort as ReasoningEffort,
        ResponsesModel as ResponsesModel,
    )
    from modelwire.types._params import (
        ComparisonFilterParam as ComparisonFilter,
        CompoundFilterParam as CompoundFilter,
        CustomToolInputFormatParam as CustomToolInputFormat,
        FunctionDefinitionParam as FunctionDefinition,
        ReasoningParam as Reasoning,
        ResponseFormatJSONObjectParam as ResponseFormatJSONObject,
        ResponseFormatJSONSchemaParam as ResponseFormatJSONSchema,
        ResponseFormatTextParam as ResponseFormatText,
    )
else:
    __getattr__, __dir__ = _lazy.names(
        __name__,
        {
            "modelwire.types._literals": """
                ChatModel FunctionParameters Metadata ReasoningEffort ResponsesModel
            """,
            "modelwire.types._params": """
                ComparisonFilter=ComparisonFilterParam CompoundFilter=CompoundFilterParam
                CustomToolInputFormat=CustomToolInputFormatParam
                FunctionDefinition=FunctionDefinitionParam Reasoning=ReasoningParam
                ResponseFormatJSONObject=ResponseFormatJSONObjectParam
                ResponseFormatJSONSchema=ResponseFormatJSONSchemaParam
                ResponseFormatText=ResponseFormatTextParam
            """,
        },
        (),
    )

__all__ = [
    "ChatModel",
    "ComparisonFilter",
    "CompoundFilter",
    "CustomToolInputFormat",
    "FunctionDefinition",
    "FunctionParameters",
    "Metadata",
    "Reasoning",
    "ReasoningEffort",
    "ResponseFormatJSONObject",
    "ResponseFormatJSONSchema",
    "ResponseFormatText",
    "ResponsesModel",
]
