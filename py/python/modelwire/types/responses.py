"""The classes of responses and their events, and names for what is passed in: dicts. Knows no
call."""

from __future__ import annotations

from modelwire._native import (
    IncompleteDetails,
    InputTokensDetails,
    OutputTokensDetails,
    Response,
    ResponseContentPart,
    ResponseError,
    ResponseFunctionToolCall,
    ResponseOutputItem,
    ResponseOutputMessage,
    ResponseOutputRefusal,
    ResponseOutputText,
    ResponseReasoningItem,
    ResponseStreamEvent,
    ResponseUsage,
)

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, TypeAlias

    _Dict: TypeAlias = dict[str, Any]
else:
    _Dict = dict

# What openai-python has as typed dicts; any mapping, dataclass or pydantic model does as well.
EasyInputMessageParam = _Dict
FunctionToolParam = _Dict
ResponseInputItemParam = _Dict
ResponseTextConfigParam = _Dict
ToolParam = _Dict

__all__ = [
    "EasyInputMessageParam",
    "FunctionToolParam",
    "IncompleteDetails",
    "InputTokensDetails",
    "OutputTokensDetails",
    "Response",
    "ResponseContentPart",
    "ResponseError",
    "ResponseFunctionToolCall",
    "ResponseInputItemParam",
    "ResponseOutputItem",
    "ResponseOutputMessage",
    "ResponseOutputRefusal",
    "ResponseOutputText",
    "ResponseReasoningItem",
    "ResponseStreamEvent",
    "ResponseTextConfigParam",
    "ResponseUsage",
    "ToolParam",
]
