"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._literals import ReasoningEffort
from modelwire.types._params import (
    ResponseConfigurationUpdateItemParamParam,
    ResponseConfigurationUpdateItemParamParamReasoning as Reasoning,
    ResponseConfigurationUpdateItemParamParamText as Text,
    ResponseConfigurationUpdateItemParamParamTextFormat as TextFormat,
    ResponseFormatTextJSONSchemaConfigParam,
    ResponseFormatTextParam as ResponseFormatText,
)

__all__ = [
    "Reasoning",
    "ReasoningEffort",
    "ResponseConfigurationUpdateItemParamParam",
    "ResponseFormatText",
    "ResponseFormatTextJSONSchemaConfigParam",
    "Text",
    "TextFormat",
]
