"""Names that openai-python has a class for, where here one class serves many: what is an instance
of them is told by its `type`. Knows no call. Imported when a program asks for types."""

from __future__ import annotations

from typing import Any

from modelwire._native import (
    ChatCompletionChunk,
    ChoiceDelta,
    ChunkChoice,
    Object,
    ResponseOutputItem,
    ResponseStreamEvent,
)

EVENTS = {
    "ResponseAudioDeltaEvent": "response.audio.delta",
    "ResponseAudioDoneEvent": "response.audio.done",
    "ResponseAudioTranscriptDeltaEvent": "response.audio.transcript.delta",
    "ResponseAudioTranscriptDoneEvent": "response.audio.transcript.done",
    "ResponseCodeInterpreterCallCodeDeltaEvent": "response.code_interpreter_call_code.delta",
    "ResponseCodeInterpreterCallCodeDoneEvent": "response.code_interpreter_call_code.done",
    "ResponseCodeInterpreterCallCompletedEvent": "response.code_interpreter_call.completed",
    "ResponseCodeInterpreterCallInProgressEvent": "response.code_interpreter_call.in_progress",
    "ResponseCodeInterpreterCallInterpretingEvent": "response.code_interpreter_call.interpreting",
    "ResponseCompactionCompactingEvent": "response.compaction.compacting",
    "ResponseCompletedEvent": "response.completed",
    "ResponseContentPartAddedEvent": "response.content_part.added",
    "ResponseContentPartDoneEvent": "response.content_part.done",
    "ResponseCreatedEvent": "response.created",
    "ResponseCustomToolCallInputDeltaEvent": "response.custom_tool_call_input.delta",
    "ResponseCustomToolCallInputDoneEvent": "response.custom_tool_call_input.done",
    "ResponseErrorEvent": "error",
    "ResponseFailedEvent": "response.failed",
    "ResponseFileSearchCallCompletedEvent": "response.file_search_call.completed",
    "ResponseFileSearchCallInProgressEvent": "response.file_search_call.in_progress",
    "ResponseFileSearchCallSearchingEvent": "response.file_search_call.searching",
    "ResponseFunctionCallArgumentsDeltaEvent": "response.function_call_arguments.delta",
    "ResponseFunctionCallArgumentsDoneEvent": "response.function_call_arguments.done",
    "ResponseImageGenCallCompletedEvent": "response.image_generation_call.completed",
    "ResponseImageGenCallGeneratingEvent": "response.image_generation_call.generating",
    "ResponseImageGenCallInProgressEvent": "response.image_generation_call.in_progress",
    "ResponseImageGenCallPartialImageEvent": "response.image_generation_call.partial_image",
    "ResponseInProgressEvent": "response.in_progress",
    "ResponseIncompleteEvent": "response.incomplete",
    "ResponseMcpCallArgumentsDeltaEvent": "response.mcp_call_arguments.delta",
    "ResponseMcpCallArgumentsDoneEvent": "response.mcp_call_arguments.done",
    "ResponseMcpCallCompletedEvent": "response.mcp_call.completed",
    "ResponseMcpCallFailedEvent": "response.mcp_call.failed",
    "ResponseMcpCallInProgressEvent": "response.mcp_call.in_progress",
    "ResponseMcpListToolsCompletedEvent": "response.mcp_list_tools.completed",
    "ResponseMcpListToolsFailedEvent": "response.mcp_list_tools.failed",
    "ResponseMcpListToolsInProgressEvent": "response.mcp_list_tools.in_progress",
    "ResponseOutputItemAddedEvent": "response.output_item.added",
    "ResponseOutputItemDoneEvent": "response.output_item.done",
    "ResponseOutputTextAnnotationAddedEvent": "response.output_text.annotation.added",
    "ResponseQueuedEvent": "response.queued",
    "ResponseReasoningSummaryPartAddedEvent": "response.reasoning_summary_part.added",
    "ResponseReasoningSummaryPartDoneEvent": "response.reasoning_summary_part.done",
    "ResponseReasoningSummaryTextDeltaEvent": "response.reasoning_summary_text.delta",
    "ResponseReasoningSummaryTextDoneEvent": "response.reasoning_summary_text.done",
    "ResponseReasoningTextDeltaEvent": "response.reasoning_text.delta",
    "ResponseReasoningTextDoneEvent": "response.reasoning_text.done",
    "ResponseRefusalDeltaEvent": "response.refusal.delta",
    "ResponseRefusalDoneEvent": "response.refusal.done",
    "ResponseShellCallCommandAddedEvent": "response.shell_call_command.added",
    "ResponseShellCallCommandDeltaEvent": "response.shell_call_command.delta",
    "ResponseShellCallCommandDoneEvent": "response.shell_call_command.done",
    "ResponseShellCallOutputContentDeltaEvent": "response.shell_call_output_content.delta",
    "ResponseShellCallOutputContentDoneEvent": "response.shell_call_output_content.done",
    "ResponseTextDeltaEvent": "response.output_text.delta",
    "ResponseTextDoneEvent": "response.output_text.done",
    "ResponseWebSearchCallCompletedEvent": "response.web_search_call.completed",
    "ResponseWebSearchCallInProgressEvent": "response.web_search_call.in_progress",
    "ResponseWebSearchCallSearchingEvent": "response.web_search_call.searching",
}
"""Events of a response's stream, each of them a ResponseStreamEvent."""

ITEMS = {
    "ResponseFileSearchToolCall": "file_search_call",
    "ResponseFunctionWebSearch": "web_search_call",
    "ResponseComputerToolCall": "computer_call",
    "ResponseComputerToolCallOutputItem": "computer_call_output",
    "ResponseCodeInterpreterToolCall": "code_interpreter_call",
    "ResponseCustomToolCall": "custom_tool_call",
    "ResponseCustomToolCallOutputItem": "custom_tool_call_output",
    "ResponseFunctionToolCallOutputItem": "function_call_output",
    "ResponseFunctionShellToolCall": "shell_call",
    "ResponseFunctionShellToolCallOutput": "shell_call_output",
    "ResponseApplyPatchToolCall": "apply_patch_call",
    "ResponseApplyPatchToolCallOutput": "apply_patch_call_output",
    "ResponseToolSearchCall": "tool_search_call",
    "ResponseToolSearchOutputItem": "tool_search_output",
    "ResponseCompactionItem": "compaction",
    "ImageGenerationCall": "image_generation_call",
    "LocalShellCall": "local_shell_call",
    "LocalShellCallOutput": "local_shell_call_output",
    "McpCall": "mcp_call",
    "McpListTools": "mcp_list_tools",
    "McpApprovalRequest": "mcp_approval_request",
    "McpApprovalResponse": "mcp_approval_response",
}
"""Items of a response's output, each of them a ResponseOutputItem."""


class _OfType(type):
    """The class of classes whose instances are told by their `type`."""

    _type: str

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls.__base__ or ()) and (
            getattr(instance, "type", None) == cls._type
        )

    def __call__(cls, **fields: Any) -> Any:
        """An object of the class that this one is a special case of."""
        return cls.construct(**{"type": cls._type, **fields})  # type: ignore[attr-defined]


def kind(name: str, module: str) -> type | None:
    """The class of this name; None where there is no such name."""
    base: type
    if name in EVENTS:
        type_, base = EVENTS[name], ResponseStreamEvent
    elif name in ITEMS:
        type_, base = ITEMS[name], ResponseOutputItem
    else:
        return None
    says = f"A {base.__name__} of the type {type_!r}."
    return _OfType(name, (base,), {"_type": type_, "__module__": module, "__doc__": says})


class _Every(type):
    """The class of a class that all answers are instances of."""

    def __instancecheck__(cls, instance: object) -> bool:
        return issubclass(type(instance), cls)

    def __subclasscheck__(cls, other: type) -> bool:
        answers = (Object, ChatCompletionChunk, ChunkChoice, ChoiceDelta, ResponseStreamEvent)
        return other is cls or issubclass(other, answers)


class BaseModel(metaclass=_Every):
    """What every answer, every chunk and every part of them is an instance of. A name to ask
    `isinstance` for, not to be made: pydantic's class of this name is another one."""
