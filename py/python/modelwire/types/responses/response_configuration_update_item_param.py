"""Names that openai-python has here. Knows nothing of its own.

Written by py/stubs/write.py.
"""

from modelwire.types._literals import ReasoningEffort
from modelwire.types._parts import (
    ResponseConfigurationUpdateItemParam,
    ResponseConfigurationUpdateItemReasoning as Reasoning,
    ResponseConfigurationUpdateItemText as Text,
    ResponseConfigurationUpdateItemTextFormat as TextFormat,
    ResponseFormatText,
    ResponseFormatTextJSONSchemaConfig,
)

__all__ = [
    "Reasoning",
    "ReasoningEffort",
    "ResponseConfigurationUpdateItemParam",
    "ResponseFormatText",
    "ResponseFormatTextJSONSchemaConfig",
    "Text",
    "TextFormat",
]
