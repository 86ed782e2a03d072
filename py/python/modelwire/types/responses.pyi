"""The classes of responses and their events, and names for what is passed in: dicts. Knows no
call.

Written by py/stubs/write.py.
"""

from typing import Any, Literal, TypeAlias

from modelwire._native import (
    IncompleteDetails as IncompleteDetails,
    InputTokensDetails as InputTokensDetails,
    OutputTokensDetails as OutputTokensDetails,
    Response as Response,
    ResponseContentPart as ResponseContentPart,
    ResponseError as ResponseError,
    ResponseFunctionToolCall as ResponseFunctionToolCall,
    ResponseOutputItem as ResponseOutputItem,
    ResponseOutputMessage as ResponseOutputMessage,
    ResponseOutputRefusal as ResponseOutputRefusal,
    ResponseOutputText as ResponseOutputText,
    ResponseReasoningItem as ResponseReasoningItem,
    ResponseStreamEvent as ResponseStreamEvent,
    ResponseUsage as ResponseUsage,
)
from modelwire.types._kinds import _OfType
from modelwire.types._parsed import (
    ParsedContent as ParsedContent,
    ParsedResponse as ParsedResponse,
    ParsedResponseFunctionToolCall as ParsedResponseFunctionToolCall,
    ParsedResponseOutputItem as ParsedResponseOutputItem,
    ParsedResponseOutputMessage as ParsedResponseOutputMessage,
    ParsedResponseOutputText as ParsedResponseOutputText,
)

EasyInputMessageParam: TypeAlias = dict[str, Any]
FunctionToolParam: TypeAlias = dict[str, Any]
ResponseInputItemParam: TypeAlias = dict[str, Any]
ResponseTextConfigParam: TypeAlias = dict[str, Any]
ToolParam: TypeAlias = dict[str, Any]

class ResponseAudioDeltaEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.audio.delta"]

class ResponseAudioDoneEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.audio.done"]

class ResponseAudioTranscriptDeltaEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.audio.transcript.delta"]

class ResponseAudioTranscriptDoneEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.audio.transcript.done"]

class ResponseCodeInterpreterCallCodeDeltaEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.code_interpreter_call_code.delta"]

class ResponseCodeInterpreterCallCodeDoneEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.code_interpreter_call_code.done"]

class ResponseCodeInterpreterCallCompletedEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.code_interpreter_call.completed"]

class ResponseCodeInterpreterCallInProgressEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.code_interpreter_call.in_progress"]

class ResponseCodeInterpreterCallInterpretingEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.code_interpreter_call.interpreting"]

class ResponseCompactionCompactingEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.compaction.compacting"]

class ResponseCompletedEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.completed"]

class ResponseContentPartAddedEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.content_part.added"]

class ResponseContentPartDoneEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.content_part.done"]

class ResponseCreatedEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.created"]

class ResponseCustomToolCallInputDeltaEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.custom_tool_call_input.delta"]

class ResponseCustomToolCallInputDoneEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.custom_tool_call_input.done"]

class ResponseErrorEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["error"]

class ResponseFailedEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.failed"]

class ResponseFileSearchCallCompletedEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.file_search_call.completed"]

class ResponseFileSearchCallInProgressEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.file_search_call.in_progress"]

class ResponseFileSearchCallSearchingEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.file_search_call.searching"]

class ResponseFunctionCallArgumentsDeltaEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.function_call_arguments.delta"]

class ResponseFunctionCallArgumentsDoneEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.function_call_arguments.done"]

class ResponseImageGenCallCompletedEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.image_generation_call.completed"]

class ResponseImageGenCallGeneratingEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.image_generation_call.generating"]

class ResponseImageGenCallInProgressEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.image_generation_call.in_progress"]

class ResponseImageGenCallPartialImageEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.image_generation_call.partial_image"]

class ResponseInProgressEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.in_progress"]

class ResponseIncompleteEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.incomplete"]

class ResponseMcpCallArgumentsDeltaEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.mcp_call_arguments.delta"]

class ResponseMcpCallArgumentsDoneEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.mcp_call_arguments.done"]

class ResponseMcpCallCompletedEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.mcp_call.completed"]

class ResponseMcpCallFailedEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.mcp_call.failed"]

class ResponseMcpCallInProgressEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.mcp_call.in_progress"]

class ResponseMcpListToolsCompletedEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.mcp_list_tools.completed"]

class ResponseMcpListToolsFailedEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.mcp_list_tools.failed"]

class ResponseMcpListToolsInProgressEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.mcp_list_tools.in_progress"]

class ResponseOutputItemAddedEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.output_item.added"]

class ResponseOutputItemDoneEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.output_item.done"]

class ResponseOutputTextAnnotationAddedEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.output_text.annotation.added"]

class ResponseQueuedEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.queued"]

class ResponseReasoningSummaryPartAddedEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.reasoning_summary_part.added"]

class ResponseReasoningSummaryPartDoneEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.reasoning_summary_part.done"]

class ResponseReasoningSummaryTextDeltaEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.reasoning_summary_text.delta"]

class ResponseReasoningSummaryTextDoneEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.reasoning_summary_text.done"]

class ResponseReasoningTextDeltaEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.reasoning_text.delta"]

class ResponseReasoningTextDoneEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.reasoning_text.done"]

class ResponseRefusalDeltaEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.refusal.delta"]

class ResponseRefusalDoneEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.refusal.done"]

class ResponseShellCallCommandAddedEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.shell_call_command.added"]

class ResponseShellCallCommandDeltaEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.shell_call_command.delta"]

class ResponseShellCallCommandDoneEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.shell_call_command.done"]

class ResponseShellCallOutputContentDeltaEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.shell_call_output_content.delta"]

class ResponseShellCallOutputContentDoneEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.shell_call_output_content.done"]

class ResponseTextDeltaEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.output_text.delta"]

class ResponseTextDoneEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.output_text.done"]

class ResponseWebSearchCallCompletedEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.web_search_call.completed"]

class ResponseWebSearchCallInProgressEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.web_search_call.in_progress"]

class ResponseWebSearchCallSearchingEvent(ResponseStreamEvent, metaclass=_OfType):
    type: Literal["response.web_search_call.searching"]

class ResponseFileSearchToolCall(ResponseOutputItem, metaclass=_OfType):
    type: Literal["file_search_call"]  # type: ignore[assignment, unused-ignore]

class ResponseFunctionWebSearch(ResponseOutputItem, metaclass=_OfType):
    type: Literal["web_search_call"]  # type: ignore[assignment, unused-ignore]

class ResponseComputerToolCall(ResponseOutputItem, metaclass=_OfType):
    type: Literal["computer_call"]  # type: ignore[assignment, unused-ignore]

class ResponseComputerToolCallOutputItem(ResponseOutputItem, metaclass=_OfType):
    type: Literal["computer_call_output"]  # type: ignore[assignment, unused-ignore]

class ResponseCodeInterpreterToolCall(ResponseOutputItem, metaclass=_OfType):
    type: Literal["code_interpreter_call"]  # type: ignore[assignment, unused-ignore]

class ResponseCustomToolCall(ResponseOutputItem, metaclass=_OfType):
    type: Literal["custom_tool_call"]  # type: ignore[assignment, unused-ignore]

class ResponseCustomToolCallOutputItem(ResponseOutputItem, metaclass=_OfType):
    type: Literal["custom_tool_call_output"]  # type: ignore[assignment, unused-ignore]

class ResponseFunctionToolCallOutputItem(ResponseOutputItem, metaclass=_OfType):
    type: Literal["function_call_output"]  # type: ignore[assignment, unused-ignore]

class ResponseFunctionShellToolCall(ResponseOutputItem, metaclass=_OfType):
    type: Literal["shell_call"]  # type: ignore[assignment, unused-ignore]

class ResponseFunctionShellToolCallOutput(ResponseOutputItem, metaclass=_OfType):
    type: Literal["shell_call_output"]  # type: ignore[assignment, unused-ignore]

class ResponseApplyPatchToolCall(ResponseOutputItem, metaclass=_OfType):
    type: Literal["apply_patch_call"]  # type: ignore[assignment, unused-ignore]

class ResponseApplyPatchToolCallOutput(ResponseOutputItem, metaclass=_OfType):
    type: Literal["apply_patch_call_output"]  # type: ignore[assignment, unused-ignore]

class ResponseToolSearchCall(ResponseOutputItem, metaclass=_OfType):
    type: Literal["tool_search_call"]  # type: ignore[assignment, unused-ignore]

class ResponseToolSearchOutputItem(ResponseOutputItem, metaclass=_OfType):
    type: Literal["tool_search_output"]  # type: ignore[assignment, unused-ignore]

class ResponseCompactionItem(ResponseOutputItem, metaclass=_OfType):
    type: Literal["compaction"]  # type: ignore[assignment, unused-ignore]

class ImageGenerationCall(ResponseOutputItem, metaclass=_OfType):
    type: Literal["image_generation_call"]  # type: ignore[assignment, unused-ignore]

class LocalShellCall(ResponseOutputItem, metaclass=_OfType):
    type: Literal["local_shell_call"]  # type: ignore[assignment, unused-ignore]

class LocalShellCallOutput(ResponseOutputItem, metaclass=_OfType):
    type: Literal["local_shell_call_output"]  # type: ignore[assignment, unused-ignore]

class McpCall(ResponseOutputItem, metaclass=_OfType):
    type: Literal["mcp_call"]  # type: ignore[assignment, unused-ignore]

class McpListTools(ResponseOutputItem, metaclass=_OfType):
    type: Literal["mcp_list_tools"]  # type: ignore[assignment, unused-ignore]

class McpApprovalRequest(ResponseOutputItem, metaclass=_OfType):
    type: Literal["mcp_approval_request"]  # type: ignore[assignment, unused-ignore]

class McpApprovalResponse(ResponseOutputItem, metaclass=_OfType):
    type: Literal["mcp_approval_response"]  # type: ignore[assignment, unused-ignore]

__all__ = [
    "IncompleteDetails",
    "InputTokensDetails",
    "OutputTokensDetails",
    "Response",
    "ResponseContentPart",
    "ResponseError",
    "ResponseFunctionToolCall",
    "ResponseOutputItem",
    "ResponseOutputMessage",
    "ResponseOutputRefusal",
    "ResponseOutputText",
    "ResponseReasoningItem",
    "ResponseStreamEvent",
    "ResponseUsage",
    "ParsedContent",
    "ParsedResponse",
    "ParsedResponseFunctionToolCall",
    "ParsedResponseOutputItem",
    "ParsedResponseOutputMessage",
    "ParsedResponseOutputText",
    "EasyInputMessageParam",
    "FunctionToolParam",
    "ResponseInputItemParam",
    "ResponseTextConfigParam",
    "ToolParam",
    "ResponseAudioDeltaEvent",
    "ResponseAudioDoneEvent",
    "ResponseAudioTranscriptDeltaEvent",
    "ResponseAudioTranscriptDoneEvent",
    "ResponseCodeInterpreterCallCodeDeltaEvent",
    "ResponseCodeInterpreterCallCodeDoneEvent",
    "ResponseCodeInterpreterCallCompletedEvent",
    "ResponseCodeInterpreterCallInProgressEvent",
    "ResponseCodeInterpreterCallInterpretingEvent",
    "ResponseCompactionCompactingEvent",
    "ResponseCompletedEvent",
    "ResponseContentPartAddedEvent",
    "ResponseContentPartDoneEvent",
    "ResponseCreatedEvent",
    "ResponseCustomToolCallInputDeltaEvent",
    "ResponseCustomToolCallInputDoneEvent",
    "ResponseErrorEvent",
    "ResponseFailedEvent",
    "ResponseFileSearchCallCompletedEvent",
    "ResponseFileSearchCallInProgressEvent",
    "ResponseFileSearchCallSearchingEvent",
    "ResponseFunctionCallArgumentsDeltaEvent",
    "ResponseFunctionCallArgumentsDoneEvent",
    "ResponseImageGenCallCompletedEvent",
    "ResponseImageGenCallGeneratingEvent",
    "ResponseImageGenCallInProgressEvent",
    "ResponseImageGenCallPartialImageEvent",
    "ResponseInProgressEvent",
    "ResponseIncompleteEvent",
    "ResponseMcpCallArgumentsDeltaEvent",
    "ResponseMcpCallArgumentsDoneEvent",
    "ResponseMcpCallCompletedEvent",
    "ResponseMcpCallFailedEvent",
    "ResponseMcpCallInProgressEvent",
    "ResponseMcpListToolsCompletedEvent",
    "ResponseMcpListToolsFailedEvent",
    "ResponseMcpListToolsInProgressEvent",
    "ResponseOutputItemAddedEvent",
    "ResponseOutputItemDoneEvent",
    "ResponseOutputTextAnnotationAddedEvent",
    "ResponseQueuedEvent",
    "ResponseReasoningSummaryPartAddedEvent",
    "ResponseReasoningSummaryPartDoneEvent",
    "ResponseReasoningSummaryTextDeltaEvent",
    "ResponseReasoningSummaryTextDoneEvent",
    "ResponseReasoningTextDeltaEvent",
    "ResponseReasoningTextDoneEvent",
    "ResponseRefusalDeltaEvent",
    "ResponseRefusalDoneEvent",
    "ResponseShellCallCommandAddedEvent",
    "ResponseShellCallCommandDeltaEvent",
    "ResponseShellCallCommandDoneEvent",
    "ResponseShellCallOutputContentDeltaEvent",
    "ResponseShellCallOutputContentDoneEvent",
    "ResponseTextDeltaEvent",
    "ResponseTextDoneEvent",
    "ResponseWebSearchCallCompletedEvent",
    "ResponseWebSearchCallInProgressEvent",
    "ResponseWebSearchCallSearchingEvent",
    "ResponseFileSearchToolCall",
    "ResponseFunctionWebSearch",
    "ResponseComputerToolCall",
    "ResponseComputerToolCallOutputItem",
    "ResponseCodeInterpreterToolCall",
    "ResponseCustomToolCall",
    "ResponseCustomToolCallOutputItem",
    "ResponseFunctionToolCallOutputItem",
    "ResponseFunctionShellToolCall",
    "ResponseFunctionShellToolCallOutput",
    "ResponseApplyPatchToolCall",
    "ResponseApplyPatchToolCallOutput",
    "ResponseToolSearchCall",
    "ResponseToolSearchOutputItem",
    "ResponseCompactionItem",
    "ImageGenerationCall",
    "LocalShellCall",
    "LocalShellCallOutput",
    "McpCall",
    "McpListTools",
    "McpApprovalRequest",
    "McpApprovalResponse",
]
