"""Names of types, which are looked up when they are asked for. Knows no type.

Written by py/stubs/write.py.
"""

from modelwire.types import _lazy

TYPE_CHECKING = False

if TYPE_CHECKING:
    from modelwire.types._literals import (
        AllModels as AllModels,
        ChatModel as ChatModel,
        FunctionParameters as FunctionParameters,
        Metadata as Metadata,
        ReasoningEffort as ReasoningEffort,
        ResponsesModel as ResponsesModel,
    )
    from modelwire.types._parts import (
        ComparisonFilter as ComparisonFilter,
        CompoundFilter as CompoundFilter,
        CustomToolInputFormat as CustomToolInputFormat,
        ErrorObject as ErrorObject,
        FunctionDefinition as FunctionDefinition,
        Reasoning as Reasoning,
        ResponseFormatJSONObject as ResponseFormatJSONObject,
        ResponseFormatJSONSchema as ResponseFormatJSONSchema,
        ResponseFormatText as ResponseFormatText,
    )
else:
    __getattr__, __dir__ = _lazy.names(
        __name__,
        {
            "modelwire.types._literals": """
                AllModels ChatModel FunctionParameters Metadata ReasoningEffort ResponsesModel
            """,
            "modelwire.types._parts": """
                ComparisonFilter CompoundFilter CustomToolInputFormat ErrorObject
                FunctionDefinition Reasoning ResponseFormatJSONObject ResponseFormatJSONSchema
                ResponseFormatText
            """,
        },
        (),
    )

__all__ = [
    "AllModels",
    "ChatModel",
    "ComparisonFilter",
    "CompoundFilter",
    "CustomToolInputFormat",
    "ErrorObject",
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
