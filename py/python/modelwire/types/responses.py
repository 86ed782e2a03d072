"""The classes of responses and their events, and names for what is passed in: dicts. Knows no
call.

The types of this module stand in `responses.pyi`.
"""

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
from modelwire.types._kinds import EVENTS, ITEMS, kind
from modelwire.types._parsed import (
    ParsedContent,
    ParsedResponse,
    ParsedResponseFunctionToolCall,
    ParsedResponseOutputItem,
    ParsedResponseOutputMessage,
    ParsedResponseOutputText,
)

# What openai-python has as typed dicts; any mapping, dataclass or pydantic model does as well.
EasyInputMessageParam = dict
FunctionToolParam = dict
ResponseInputItemParam = dict
ResponseTextConfigParam = dict
ToolParam = dict


def __getattr__(name):
    """The classes of single types of events and of items, made when they are asked for."""
    found = kind(name, __name__)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found


__all__ = [
    "EasyInputMessageParam",
    "FunctionToolParam",
    "IncompleteDetails",
    "InputTokensDetails",
    "OutputTokensDetails",
    "ParsedContent",
    "ParsedResponse",
    "ParsedResponseFunctionToolCall",
    "ParsedResponseOutputItem",
    "ParsedResponseOutputMessage",
    "ParsedResponseOutputText",
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
    *EVENTS,
    *ITEMS,
]
