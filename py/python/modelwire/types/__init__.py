"""Names of types, which are looked up when they are asked for. Knows no type.

Written by py/stubs/write.py.
"""

from modelwire.types import _lazy

TYPE_CHECKING = False

if TYPE_CHECKING:
    from modelwire.types import (
        chat as chat,
        responses as responses,
        shared as shared,
        shared_params as shared_params,
    )
    from modelwire._native import (
        CompletionTokensDetails as CompletionTokensDetails,
        CompletionUsage as CompletionUsage,
        Model as Model,
        PromptTokensDetails as PromptTokensDetails,
    )
    from modelwire.types._literals import (
        AllModels as AllModels,
        ChatModel as ChatModel,
        FunctionParameters as FunctionParameters,
        Metadata as Metadata,
        ReasoningEffort as ReasoningEffort,
        ResponsesModel as ResponsesModel,
    )
    from modelwire.types._object import Object as Object
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
            "modelwire._native": """
                CompletionTokensDetails CompletionUsage Model PromptTokensDetails
            """,
            "modelwire.types._literals": """
                AllModels ChatModel FunctionParameters Metadata ReasoningEffort ResponsesModel
            """,
            "modelwire.types._object": """
                Object
            """,
            "modelwire.types._parts": """
                ComparisonFilter CompoundFilter CustomToolInputFormat ErrorObject
                FunctionDefinition Reasoning ResponseFormatJSONObject ResponseFormatJSONSchema
                ResponseFormatText
            """,
        },
        ('chat', 'responses', 'shared', 'shared_params'),
    )

__all__ = [
    "AllModels",
    "ChatModel",
    "ComparisonFilter",
    "CompletionTokensDetails",
    "CompletionUsage",
    "CompoundFilter",
    "CustomToolInputFormat",
    "ErrorObject",
    "FunctionDefinition",
    "FunctionParameters",
    "Metadata",
    "Model",
    "Object",
    "PromptTokensDetails",
    "Reasoning",
    "ReasoningEffort",
    "ResponseFormatJSONObject",
    "ResponseFormatJSONSchema",
    "ResponseFormatText",
    "ResponsesModel",
    "chat",
    "responses",
    "shared",
    "shared_params",
]
