"""The classes of answers, for annotations and isinstance; `chat` and `responses` have the rest.
Knows no call. Imported when a program asks for it."""

from modelwire._native import (
    CompletionTokensDetails,
    CompletionUsage,
    Model,
    PromptTokensDetails,
)
from modelwire.types import chat, responses
from modelwire.types._object import Object

__all__ = [
    "CompletionTokensDetails",
    "CompletionUsage",
    "Model",
    "Object",
    "PromptTokensDetails",
    "chat",
    "responses",
]
