"""The parts of answers that have no class in the native module, to annotate with and to ask
`isinstance` for, which looks at `type`, or at the fields where there is none. A field whose
name is a keyword is in a comment.

Written by py/stubs/from_openai.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from modelwire._native import (
    ChatCompletionMessageCustomToolCall, ChatCompletionMessageToolCall, Response,
    ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputRefusal, ResponseOutputText,
    ResponseReasoningItem
)
from modelwire.types._literals import (
    FunctionParameters, ImageDetail, ReasoningEffort, ToolChoiceOptions
)
from modelwire.types._unions import Event, Item, Part, types_of

class ModerationInputModerationResultsResult(Part):
    categories: dict[str, bool]
    category_applied_input_types: dict[str, list[Literal["text", "image"]]]
    category_scores: dict[str, float]; flagged: bool; model: str; type: Literal["moderation_result"]
class ModerationInputModerationResults(Part):
    model: str; results: list[ModerationInputModerationResultsResult]
    type: Literal["moderation_results"]
class ModerationInputError(Part):
    code: str; message: str; type: Literal["error"]
class ModerationOutputModerationResultsResult(Part):
    categories: dict[str, bool]
    category_applied_input_types: dict[str, list[Literal["text", "image"]]]
    category_scores: dict[str, float]; flagged: bool; model: str; type: Literal["moderation_result"]
class ModerationOutputModerationResults(Part):
    model: str; results: list[ModerationOutputModerationResultsResult]
    type: Literal["moderation_results"]
class ModerationOutputError(Part):
    code: str; message: str; type: Literal["error"]
class ChatCompletionModeration(Part):
    input: ChatCompletionModerationInput; output: ChatCompletionModerationOutput
class ChoiceDeltaAudio(Part):
    id: str | None; data: str | None; expires_at: int | None; transcript: str | None
class ChatCompletionContentPartImageImageURL(Part):
    url: str; detail: Literal["auto", "low", "high", "original"] | None
class ChatCompletionContentPartImagePromptCacheBreakpoint(Part):
    mode: Literal["explicit"]; ttl: Literal["30m", "12h"] | None
class ChatCompletionContentPartImage(Part):
    image_url: ChatCompletionContentPartImageImageURL; type: Literal["image_url"]
    prompt_cache_breakpoint: ChatCompletionContentPartImagePromptCacheBreakpoint | None
class ChatCompletionContentPartText(Part):
    text: str; type: Literal["text"]
    prompt_cache_breakpoint: ChatCompletionContentPartImagePromptCacheBreakpoint | None
class ChatCompletionFunctionTool(Part):
    function: FunctionDefinition; type: Literal["function"]
class ApplyPatchTool(Part):
    type: Literal["apply_patch"]; allowed_callers: list[Literal["direct", "programmatic"]] | None
class ComputerActionClick(Part):
    button: Literal["left", "right", "wheel", "back", "forward"]; type: Literal["click"]; x: int
    y: int; keys: list[str] | None
class ComputerActionDoubleClick(Part):
    keys: list[str] | None; type: Literal["double_click"]; x: int; y: int
class ComputerActionDragPath(Part):
    x: int; y: int
class ComputerActionDrag(Part):
    path: list[ComputerActionDragPath]; type: Literal["drag"]; keys: list[str] | None
class ComputerActionKeypress(Part):
    keys: list[str]; type: Literal["keypress"]
class ComputerActionMove(Part):
    type: Literal["move"]; x: int; y: int; keys: list[str] | None
class ComputerActionScreenshot(Part):
    type: Literal["screenshot"]
class ComputerActionScroll(Part):
    scroll_x: int; scroll_y: int; type: Literal["scroll"]; x: int; y: int; keys: list[str] | None
class ComputerActionType(Part):
    text: str; type: Literal["type"]
class ComputerActionWait(Part):
    type: Literal["wait"]
class ComputerTool(Part):
    type: Literal["computer"]
class ComputerUsePreviewTool(Part):
    display_height: int; display_width: int
    environment: Literal["windows", "mac", "linux", "ubuntu", "browser"]
    type: Literal["computer_use_preview"]
class ContainerAuto(Part):
    type: Literal["container_auto"]; file_ids: list[str] | None
    memory_limit: Literal["1g", "4g", "16g", "64g"] | None
    network_policy: ContainerAutoNetworkPolicy | None; skills: list[ContainerAutoSkill] | None
class ContainerNetworkPolicyAllowlist(Part):
    allowed_domains: list[str]; type: Literal["allowlist"]
    domain_secrets: list[ContainerNetworkPolicyDomainSecret] | None
class ContainerNetworkPolicyDisabled(Part):
    type: Literal["disabled"]
class ContainerNetworkPolicyDomainSecret(Part):
    domain: str; name: str; value: str
class ContainerReference(Part):
    container_id: str; type: Literal["container_reference"]
class CustomTool(Part):  # async: bool | None
    name: str; type: Literal["custom"]
    allowed_callers: list[Literal["direct", "programmatic"]] | None; defer_loading: bool | None
    description: str | None; format: CustomToolInputFormat | None
class EasyInputMessage(Part):
    content: str | ResponseInputMessageContentList
    role: Literal["user", "assistant", "system", "developer"]
    phase: Literal["commentary", "final_answer"] | None; type: Literal["message"] | None
class FileSearchToolRankingOptionsHybridSearch(Part):
    embedding_weight: float; text_weight: float
class FileSearchToolRankingOptions(Part):
    hybrid_search: FileSearchToolRankingOptionsHybridSearch | None
    ranker: Literal["auto", "default-2024-11-15"] | None; score_threshold: float | None
class FileSearchTool(Part):
    type: Literal["file_search"]; vector_store_ids: list[str]; filters: FileSearchToolFilters | None
    max_num_results: int | None; ranking_options: FileSearchToolRankingOptions | None
class FunctionShellTool(Part):
    type: Literal["shell"]; allowed_callers: list[Literal["direct", "programmatic"]] | None
    environment: FunctionShellToolEnvironment | None
class FunctionTool(Part):  # async: bool | None
    name: str; parameters: dict[str, object] | None; strict: bool | None; type: Literal["function"]
    allowed_callers: list[Literal["direct", "programmatic"]] | None; defer_loading: bool | None
    description: str | None; output_schema: dict[str, object] | None
class InlineSkill(Part):
    description: str; name: str; source: InlineSkillSource; type: Literal["inline"]
class InlineSkillSource(Part):
    data: str; media_type: Literal["application/zip"]; type: Literal["base64"]
class LocalEnvironment(Part):
    type: Literal["local"]; skills: list[LocalSkill] | None
class LocalSkill(Part):
    description: str; name: str; path: str
class McpToolCallErrorMcpProtocolError(Part):
    code: int; message: str; type: Literal["mcp_protocol_error"]
class McpToolCallErrorMcpToolExecutionError(Part):
    content: object; type: Literal["mcp_tool_execution_error"]
class McpToolCallErrorHTTPError(Part):
    code: int; message: str; type: Literal["http_error"]
class NamespaceToolToolFunction(Part):  # async: bool | None
    name: str; type: Literal["function"]
    allowed_callers: list[Literal["direct", "programmatic"]] | None; defer_loading: bool | None
    description: str | None; output_schema: dict[str, object] | None; parameters: object | None
    strict: bool | None
class NamespaceTool(Part):
    description: str; name: str; tools: list[NamespaceToolTool]; type: Literal["namespace"]
class ResponseAccessPrograms(Part):
    cyber: Literal["standard", "daybreak_blue", "daybreak_red"]
class ResponseToolChoiceSpecificProgrammaticToolCallingParam(Part):
    type: Literal["programmatic_tool_calling"]
class ResponseConversation(Part):
    id: str
class ResponseImage(Part):
    context_compression: Literal["enabled", "disabled"]
class InputTransformation(Part):
    id: str; action: Literal["removed"]
    reason: Literal["organization_mismatch", "end_user_mismatch", "model_mismatch",
        "prefix_mismatch", "turn_boundary"]; type: Literal["reasoning"]
class ModerationInputModerationResult(Part):
    categories: dict[str, bool]
    category_applied_input_types: dict[str, list[Literal["text", "image"]]]
    category_scores: dict[str, float]; flagged: bool; model: str; type: Literal["moderation_result"]
class ModerationOutputModerationResult(Part):
    categories: dict[str, bool]
    category_applied_input_types: dict[str, list[Literal["text", "image"]]]
    category_scores: dict[str, float]; flagged: bool; model: str; type: Literal["moderation_result"]
class ResponseModeration(Part):
    input: ResponseModerationInput; output: ResponseModerationOutput
class PromptCacheDiagnosticsCacheMiss(Part):
    cache_missed_tokens: int
    reason: Literal["model_changed", "prompt_cache_key_changed", "tools_changed",
        "text_format_changed", "reasoning_effort_changed", "verbosity_changed", "context_compacted",
        "input_changed", "service_tier_changed"]; type: Literal["cache_miss"]
    comparison_reusable_tokens: int | None
class PromptCacheDiagnosticsCacheHit(Part):
    type: Literal["cache_hit"]
class PromptCacheDiagnosticsComparisonResponseNotFound(Part):
    type: Literal["comparison_response_not_found"]
class PromptCacheDiagnosticsUnavailable(Part):
    type: Literal["unavailable"]
class ResponsePromptCacheOptions(Part):
    mode: Literal["implicit", "explicit"]; ttl: Literal["30m", "12h"]
    comparison_response_id: str | None
class ToolUsageImageGenInputTokensDetails(Part):
    image_tokens: int; text_tokens: int
class ToolUsageImageGenCachedTokensDetails(Part):
    cached_image_tokens: int; cached_text_tokens: int
class ToolUsageImageGenOutputTokensDetails(Part):
    image_tokens: int; text_tokens: int
class ToolUsageImageGen(Part):
    input_tokens: int; input_tokens_details: ToolUsageImageGenInputTokensDetails; output_tokens: int
    total_tokens: int; cached_tokens: int | None
    cached_tokens_details: ToolUsageImageGenCachedTokensDetails | None
    output_tokens_details: ToolUsageImageGenOutputTokensDetails | None
class ToolUsageWebSearch(Part):
    num_requests: int
class ToolUsage(Part):
    image_gen: ToolUsageImageGen; web_search: ToolUsageWebSearch
class OperationCreateFile(Part):
    diff: str; path: str; type: Literal["create_file"]
class OperationDeleteFile(Part):
    path: str; type: Literal["delete_file"]
class OperationUpdateFile(Part):
    diff: str; path: str; type: Literal["update_file"]
class ResponseApplyPatchToolCallCallerDirect(Part):
    type: Literal["direct"]
class ResponseApplyPatchToolCallCallerProgram(Part):
    caller_id: str; type: Literal["program"]
class ResponseApplyPatchToolCall(Item):
    id: str; call_id: str; operation: Operation; status: Literal["in_progress", "completed"]
    type: Literal["apply_patch_call"]; caller: ResponseApplyPatchToolCallCaller | None
    created_by: str | None
class ResponseApplyPatchToolCallOutput(Item):
    id: str; call_id: str; status: Literal["completed", "failed"]
    type: Literal["apply_patch_call_output"]; caller: ResponseApplyPatchToolCallCaller | None
    created_by: str | None; output: str | None
class ResponseAudioDeltaEvent(Event):
    delta: str; sequence_number: int; type: Literal["response.audio.delta"]
class ResponseAudioDoneEvent(Event):
    sequence_number: int; type: Literal["response.audio.done"]
class ResponseAudioTranscriptDeltaEvent(Event):
    delta: str; sequence_number: int; type: Literal["response.audio.transcript.delta"]
class ResponseAudioTranscriptDoneEvent(Event):
    sequence_number: int; type: Literal["response.audio.transcript.done"]
class ResponseCodeInterpreterCallCodeDeltaEvent(Event):
    delta: str; item_id: str; output_index: int; sequence_number: int
    type: Literal["response.code_interpreter_call_code.delta"]
class ResponseCodeInterpreterCallCodeDoneEvent(Event):
    code: str; item_id: str; output_index: int; sequence_number: int
    type: Literal["response.code_interpreter_call_code.done"]
class ResponseCodeInterpreterCallCompletedEvent(Event):
    item_id: str; output_index: int; sequence_number: int
    type: Literal["response.code_interpreter_call.completed"]
class ResponseCodeInterpreterCallInProgressEvent(Event):
    item_id: str; output_index: int; sequence_number: int
    type: Literal["response.code_interpreter_call.in_progress"]
class ResponseCodeInterpreterCallInterpretingEvent(Event):
    item_id: str; output_index: int; sequence_number: int
    type: Literal["response.code_interpreter_call.interpreting"]
class ResponseCodeInterpreterToolCallOutputLogs(Part):
    logs: str; type: Literal["logs"]
class ResponseCodeInterpreterToolCallOutputImage(Part):
    type: Literal["image"]; url: str
class ResponseCodeInterpreterToolCall(Item):
    id: str; code: str | None; container_id: str
    outputs: list[ResponseCodeInterpreterToolCallOutput] | None
    status: Literal["in_progress", "completed", "incomplete", "interpreting", "failed"]
    type: Literal["code_interpreter_call"]
class ResponseCompactionCompactingEvent(Event):
    item_id: str; output_index: int; sequence_number: int
    type: Literal["response.compaction.compacting"]
class ResponseCompactionItem(Item):
    id: str; encrypted_content: str; type: Literal["compaction"]; created_by: str | None
class ResponseCompactionItemParam(Part):
    encrypted_content: str; type: Literal["compaction"]; id: str | None
class ResponseCompletedEvent(Event):
    response: Response; sequence_number: int; type: Literal["response.completed"]
class ResponseComputerToolCallPendingSafetyCheck(Part):
    id: str; code: str | None; message: str | None
class ResponseComputerToolCallActionClick(Part):
    button: Literal["left", "right", "wheel", "back", "forward"]; type: Literal["click"]; x: int
    y: int; keys: list[str] | None
class ResponseComputerToolCallActionDoubleClick(Part):
    keys: list[str] | None; type: Literal["double_click"]; x: int; y: int
class ResponseComputerToolCallActionDragPath(Part):
    x: int; y: int
class ResponseComputerToolCallActionDrag(Part):
    path: list[ResponseComputerToolCallActionDragPath]; type: Literal["drag"]
    keys: list[str] | None
class ResponseComputerToolCallActionKeypress(Part):
    keys: list[str]; type: Literal["keypress"]
class ResponseComputerToolCallActionMove(Part):
    type: Literal["move"]; x: int; y: int; keys: list[str] | None
class ResponseComputerToolCallActionScreenshot(Part):
    type: Literal["screenshot"]
class ResponseComputerToolCallActionScroll(Part):
    scroll_x: int; scroll_y: int; type: Literal["scroll"]; x: int; y: int; keys: list[str] | None
class ResponseComputerToolCallActionType(Part):
    text: str; type: Literal["type"]
class ResponseComputerToolCallActionWait(Part):
    type: Literal["wait"]
class ResponseComputerToolCall(Item):
    id: str; call_id: str; pending_safety_checks: list[ResponseComputerToolCallPendingSafetyCheck]
    status: Literal["in_progress", "completed", "incomplete"]; type: Literal["computer_call"]
    action: ResponseComputerToolCallAction | None; actions: ComputerActionList | None
class AcknowledgedSafetyCheck(Part):
    id: str; code: str | None; message: str | None
class ResponseComputerToolCallOutputItem(Item):
    id: str; call_id: str; output: ResponseComputerToolCallOutputScreenshot
    status: Literal["completed", "incomplete", "failed", "in_progress"]
    type: Literal["computer_call_output"]
    acknowledged_safety_checks: list[AcknowledgedSafetyCheck] | None; created_by: str | None
class ResponseComputerToolCallOutputScreenshot(Part):
    type: Literal["computer_screenshot"]; file_id: str | None; image_url: str | None
class ResponseConfigurationUpdateItemReasoning(Part):
    effort: ReasoningEffort | None
class ResponseConfigurationUpdateItemText(Part):
    format: ResponseConfigurationUpdateItemTextFormat
class ResponseConfigurationUpdateItem(Part):
    id: str; type: Literal["configuration_update"]
    reasoning: ResponseConfigurationUpdateItemReasoning | None
    text: ResponseConfigurationUpdateItemText | None
class ResponseConfigurationUpdateItemParam(Part):
    type: Literal["configuration_update"]; id: str | None
    reasoning: ResponseConfigurationUpdateItemReasoning | None
    text: ResponseConfigurationUpdateItemText | None
class ResponseContainerReference(Part):
    container_id: str; type: Literal["container_reference"]
class PartReasoningText(Part):
    text: str; type: Literal["reasoning_text"]
class ResponseContentPartAddedEvent(Event):
    content_index: int; item_id: str; output_index: int; part: ResponseContentPartAddedEventPart
    sequence_number: int; type: Literal["response.content_part.added"]
class ResponseContentPartDoneEvent(Event):
    content_index: int; item_id: str; output_index: int; part: ResponseContentPartAddedEventPart
    sequence_number: int; type: Literal["response.content_part.done"]
class ResponseConversationParam(Part):
    id: str
class ResponseCreatedEvent(Event):
    response: Response; sequence_number: int; type: Literal["response.created"]
class ResponseCustomToolCall(Item):  # async: bool | None
    call_id: str; input: str; name: str; type: Literal["custom_tool_call"]; id: str | None
    caller: ResponseApplyPatchToolCallCaller | None; namespace: str | None
class ResponseCustomToolCallInputDeltaEvent(Event):
    delta: str; item_id: str; output_index: int; sequence_number: int
    type: Literal["response.custom_tool_call_input.delta"]
class ResponseCustomToolCallInputDoneEvent(Event):
    input: str; item_id: str; output_index: int; sequence_number: int
    type: Literal["response.custom_tool_call_input.done"]
class ResponseCustomToolCallItem(Part):  # async: bool | None
    call_id: str; input: str; name: str; type: Literal["custom_tool_call"]
    caller: ResponseApplyPatchToolCallCaller | None; namespace: str | None; id: str
    status: Literal["in_progress", "completed", "incomplete"]; created_by: str | None
class ResponseCustomToolCallOutput(Part):
    call_id: str; output: str | list[ResponseCustomToolCallOutputOutputOutputContentList]
    type: Literal["custom_tool_call_output"]; id: str | None
    caller: ResponseApplyPatchToolCallCaller | None
class ResponseCustomToolCallOutputItem(Item):
    call_id: str; output: str | list[ResponseCustomToolCallOutputOutputOutputContentList]
    type: Literal["custom_tool_call_output"]; caller: ResponseApplyPatchToolCallCaller | None
    id: str; status: Literal["in_progress", "completed", "incomplete"]; created_by: str | None
class MisalignmentSteer(Part):
    message: str
class Misalignment(Part):
    detailed_explanation: str | None
    error_type: (str | Literal["potentially_unintended_data_transfer",
        "potentially_unintended_data_access", "potentially_unintended_destructive_activity",
        "other"] | None); review_target: str | None; steer: MisalignmentSteer | None
class ResponseErrorEvent(Event):
    code: str | None; message: str; param: str | None; sequence_number: int; type: Literal["error"]
class ResponseFailedEvent(Event):
    response: Response; sequence_number: int; type: Literal["response.failed"]
class ResponseFileSearchCallCompletedEvent(Event):
    item_id: str; output_index: int; sequence_number: int
    type: Literal["response.file_search_call.completed"]
class ResponseFileSearchCallInProgressEvent(Event):
    item_id: str; output_index: int; sequence_number: int
    type: Literal["response.file_search_call.in_progress"]
class ResponseFileSearchCallSearchingEvent(Event):
    item_id: str; output_index: int; sequence_number: int
    type: Literal["response.file_search_call.searching"]
class ResponseFileSearchToolCallResult(Part):
    attributes: dict[str, str | float | bool] | None; file_id: str | None; filename: str | None
    score: float | None; text: str | None
class ResponseFileSearchToolCall(Item):
    id: str; queries: list[str]
    status: Literal["in_progress", "searching", "completed", "incomplete", "failed"]
    type: Literal["file_search_call"]; results: list[ResponseFileSearchToolCallResult] | None
class ResponseFormatTextJSONSchemaConfig(Part):
    name: str; schema: dict[str, object]; type: Literal["json_schema"]; description: str | None
    strict: bool | None
class ResponseFunctionCallArgumentsDeltaEvent(Event):
    delta: str; item_id: str; output_index: int; sequence_number: int
    type: Literal["response.function_call_arguments.delta"]
class ResponseFunctionCallArgumentsDoneEvent(Event):
    arguments: str; item_id: str; output_index: int; sequence_number: int
    type: Literal["response.function_call_arguments.done"]
class ResponseFunctionShellCallOutputContentOutcomeTimeout(Part):
    type: Literal["timeout"]
class ResponseFunctionShellCallOutputContentOutcomeExit(Part):
    exit_code: int; type: Literal["exit"]
class ResponseFunctionShellCallOutputContent(Part):
    outcome: ResponseFunctionShellCallOutputContentOutcome; stderr: str; stdout: str
class ResponseFunctionShellToolCallAction(Part):
    commands: list[str]; max_output_length: int | None; timeout_ms: int | None
class ResponseFunctionShellToolCall(Item):
    id: str; action: ResponseFunctionShellToolCallAction; call_id: str
    environment: ResponseFunctionShellToolCallEnvironment | None
    status: Literal["in_progress", "completed", "incomplete"]; type: Literal["shell_call"]
    caller: ResponseApplyPatchToolCallCaller | None; created_by: str | None
class OutputOutcomeTimeout(Part):
    type: Literal["timeout"]
class OutputOutcomeExit(Part):
    exit_code: int; type: Literal["exit"]
class ResponseFunctionShellToolCallOutputOutput(Part):
    outcome: OutputOutcome; stderr: str; stdout: str; created_by: str | None
class ResponseFunctionShellToolCallOutput(Item):
    id: str; call_id: str; max_output_length: int | None
    output: list[ResponseFunctionShellToolCallOutputOutput]
    status: Literal["in_progress", "completed", "incomplete"]; type: Literal["shell_call_output"]
    caller: ResponseApplyPatchToolCallCaller | None; created_by: str | None
class ResponseFunctionToolCallItem(Part):  # async: bool | None
    arguments: str; call_id: str; name: str; type: Literal["function_call"]
    caller: ResponseApplyPatchToolCallCaller | None; namespace: str | None; id: str
    status: Literal["in_progress", "completed", "incomplete"]; created_by: str | None
class ResponseFunctionToolCallOutputItem(Item):
    id: str; output: str | list[ResponseCustomToolCallOutputOutputOutputContentList]
    status: Literal["in_progress", "completed", "incomplete"]; type: Literal["function_call_output"]
    call_id: str | None; caller: ResponseApplyPatchToolCallCaller | None; created_by: str | None
    name: str | None; namespace: str | None
class ResponseFunctionWebSearchActionSearchSource(Part):
    type: Literal["url"]; url: str
class ResponseFunctionWebSearchActionSearch(Part):
    type: Literal["search"]; queries: list[str] | None; query: str | None
    sources: list[ResponseFunctionWebSearchActionSearchSource] | None
class ResponseFunctionWebSearchActionOpenPage(Part):
    type: Literal["open_page"]; url: str | None
class ResponseFunctionWebSearchActionFind(Part):
    pattern: str; type: Literal["find_in_page"]; url: str
class ResponseFunctionWebSearch(Item):
    id: str; action: ResponseFunctionWebSearchAction
    status: Literal["in_progress", "searching", "completed", "failed", "incomplete"]
    type: Literal["web_search_call"]
class ResponseImageGenCallCompletedEvent(Event):
    item_id: str; output_index: int; sequence_number: int
    type: Literal["response.image_generation_call.completed"]
class ResponseImageGenCallGeneratingEvent(Event):
    item_id: str; output_index: int; sequence_number: int
    type: Literal["response.image_generation_call.generating"]
class ResponseImageGenCallInProgressEvent(Event):
    item_id: str; output_index: int; sequence_number: int
    type: Literal["response.image_generation_call.in_progress"]
class ResponseImageGenCallPartialImageEvent(Event):
    item_id: str; output_index: int; partial_image_b64: str; partial_image_index: int
    sequence_number: int; type: Literal["response.image_generation_call.partial_image"]
    background: str | None; output_format: str | None; quality: str | None; size: str | None
class ResponseInProgressEvent(Event):
    response: Response; sequence_number: int; type: Literal["response.in_progress"]
class ResponseIncompleteEvent(Event):
    response: Response; sequence_number: int; type: Literal["response.incomplete"]
class ResponseInputAudioInputAudio(Part):
    data: str; format: Literal["mp3", "wav"]
class ResponseInputAudio(Part):
    input_audio: ResponseInputAudioInputAudio; type: Literal["input_audio"]
class ResponseInputFile(Part):
    type: Literal["input_file"]; detail: Literal["auto", "low", "high"] | None
    file_data: str | None; file_id: str | None; file_url: str | None; filename: str | None
    prompt_cache_breakpoint: ChatCompletionContentPartImagePromptCacheBreakpoint | None
class ResponseInputFileContent(Part):
    type: Literal["input_file"]; detail: Literal["auto", "low", "high"] | None
    file_data: str | None; file_id: str | None; file_url: str | None; filename: str | None
    prompt_cache_breakpoint: ChatCompletionContentPartImagePromptCacheBreakpoint | None
class ResponseInputImage(Part):
    detail: ImageDetail; type: Literal["input_image"]; file_id: str | None; image_url: str | None
    prompt_cache_breakpoint: ChatCompletionContentPartImagePromptCacheBreakpoint | None
class ResponseInputImageContent(Part):
    type: Literal["input_image"]; detail: ImageDetail | None; file_id: str | None
    image_url: str | None
    prompt_cache_breakpoint: ChatCompletionContentPartImagePromptCacheBreakpoint | None
class ResponseInputItemMessage(Part):
    content: ResponseInputMessageContentList; role: Literal["user", "system", "developer"]
    status: Literal["in_progress", "completed", "incomplete"] | None
    type: Literal["message"] | None
class ResponseInputItemComputerCallOutputAcknowledgedSafetyCheck(Part):
    id: str; code: str | None; message: str | None
class ResponseInputItemComputerCallOutput(Part):
    call_id: str; output: ResponseComputerToolCallOutputScreenshot
    type: Literal["computer_call_output"]; id: str | None
    acknowledged_safety_checks: (list[ResponseInputItemComputerCallOutputAcknowledgedSafetyCheck] |
        None); status: Literal["in_progress", "completed", "incomplete"] | None
class ResponseInputItemFunctionCallOutputCallerDirect(Part):
    type: Literal["direct"]
class ResponseInputItemFunctionCallOutputCallerProgram(Part):
    caller_id: str; type: Literal["program"]
class ResponseInputItemFunctionCallOutput(Part):
    output: str | ResponseFunctionCallOutputItemList; type: Literal["function_call_output"]
    id: str | None; call_id: str | None; caller: ResponseInputItemFunctionCallOutputCaller | None
    name: str | None; namespace: str | None
    status: Literal["in_progress", "completed", "incomplete"] | None
class ResponseInputItemToolSearchCall(Part):
    arguments: object; type: Literal["tool_search_call"]; id: str | None; call_id: str | None
    execution: Literal["server", "client"] | None
    status: Literal["in_progress", "completed", "incomplete"] | None
class ResponseInputItemAdditionalTools(Part):
    role: Literal["developer"]; tools: list[Tool]; type: Literal["additional_tools"]; id: str | None
class ImageGenerationCallErrorModerationDetails(Part):
    categories: list[str]; moderation_stage: Literal["input", "output", "unknown"]
class ImageGenerationCallError(Part):
    code: str | None; message: str; param: str | None; type: str
    moderation_details: ImageGenerationCallErrorModerationDetails | None
class ImageGenerationCallSvgUsage(Part):
    input_tokens: int; model: str; output_tokens: int; reasoning_tokens: int; total_tokens: int
class ImageGenerationCall(Item):
    id: str; result: str | None; status: Literal["in_progress", "completed", "generating", "failed"]
    type: Literal["image_generation_call"]; action: Literal["generate", "edit", "auto"] | None
    background: Literal["transparent", "opaque", "auto"] | None
    error: ImageGenerationCallError | None
    output_format: Literal["png", "webp", "jpeg", "gif", "svg"] | None
    quality: Literal["low", "medium", "high", "xhigh", "max", "auto"] | None
    revised_prompt: str | None; size: str | Literal["1024x1024", "1024x1536", "1536x1024"] | None
    svg_usage: ImageGenerationCallSvgUsage | None
class LocalShellCallAction(Part):
    command: list[str]; env: dict[str, str]; type: Literal["exec"]; timeout_ms: int | None
    user: str | None; working_directory: str | None
class LocalShellCall(Item):
    id: str; action: LocalShellCallAction; call_id: str
    status: Literal["in_progress", "completed", "incomplete"]; type: Literal["local_shell_call"]
class LocalShellCallOutput(Item):
    id: str; output: str; type: Literal["local_shell_call_output"]
    status: Literal["in_progress", "completed", "incomplete"] | None
class ResponseInputItemShellCallAction(Part):
    commands: list[str]; max_output_length: int | None; timeout_ms: int | None
class ResponseInputItemShellCallCallerDirect(Part):
    type: Literal["direct"]
class ResponseInputItemShellCallCallerProgram(Part):
    caller_id: str; type: Literal["program"]
class ResponseInputItemShellCall(Part):
    action: ResponseInputItemShellCallAction; call_id: str; type: Literal["shell_call"]
    id: str | None; caller: ResponseInputItemShellCallCaller | None
    environment: ResponseInputItemShellCallEnvironment | None
    status: Literal["in_progress", "completed", "incomplete"] | None
class ResponseInputItemShellCallOutputCallerDirect(Part):
    type: Literal["direct"]
class ResponseInputItemShellCallOutputCallerProgram(Part):
    caller_id: str; type: Literal["program"]
class ResponseInputItemShellCallOutput(Part):
    call_id: str; output: list[ResponseFunctionShellCallOutputContent]
    type: Literal["shell_call_output"]; id: str | None
    caller: ResponseInputItemShellCallOutputCaller | None; max_output_length: int | None
    status: Literal["in_progress", "completed", "incomplete"] | None
class ResponseInputItemApplyPatchCallOperationCreateFile(Part):
    diff: str; path: str; type: Literal["create_file"]
class ResponseInputItemApplyPatchCallOperationDeleteFile(Part):
    path: str; type: Literal["delete_file"]
class ResponseInputItemApplyPatchCallOperationUpdateFile(Part):
    diff: str; path: str; type: Literal["update_file"]
class ResponseInputItemApplyPatchCallCallerDirect(Part):
    type: Literal["direct"]
class ResponseInputItemApplyPatchCallCallerProgram(Part):
    caller_id: str; type: Literal["program"]
class ResponseInputItemApplyPatchCall(Part):
    call_id: str; operation: ResponseInputItemApplyPatchCallOperation
    status: Literal["in_progress", "completed"]; type: Literal["apply_patch_call"]; id: str | None
    caller: ResponseInputItemApplyPatchCallCaller | None
class ResponseInputItemApplyPatchCallOutputCallerDirect(Part):
    type: Literal["direct"]
class ResponseInputItemApplyPatchCallOutputCallerProgram(Part):
    caller_id: str; type: Literal["program"]
class ResponseInputItemApplyPatchCallOutput(Part):
    call_id: str; status: Literal["completed", "failed"]; type: Literal["apply_patch_call_output"]
    id: str | None; caller: ResponseInputItemApplyPatchCallOutputCaller | None; output: str | None
class McpListToolsTool(Part):
    input_schema: object; name: str; annotations: object | None; description: str | None
class McpListTools(Item):
    id: str; server_label: str; tools: list[McpListToolsTool]; type: Literal["mcp_list_tools"]
    error: str | None
class McpApprovalRequest(Item):
    id: str; arguments: str; name: str; server_label: str; type: Literal["mcp_approval_request"]
class ResponseInputItemMcpApprovalResponse(Part):
    approval_request_id: str; approve: bool; type: Literal["mcp_approval_response"]; id: str | None
    reason: str | None
class McpCall(Item):
    id: str; arguments: str; name: str; server_label: str; type: Literal["mcp_call"]
    approval_request_id: str | None; error: McpToolCallError | None; output: str | None
    status: Literal["in_progress", "completed", "incomplete", "calling", "failed"] | None
class ResponseInputItemCompactionTrigger(Part):
    type: Literal["compaction_trigger"]; id: str | None
class ResponseInputItemItemReference(Part):
    id: str; type: Literal["item_reference"] | None
class Program(Item):
    id: str; call_id: str; code: str; fingerprint: str; type: Literal["program"]
class ProgramOutput(Item):
    id: str; call_id: str; result: str; status: Literal["completed", "incomplete"]
    type: Literal["program_output"]
class ResponseInputText(Part):
    text: str; type: Literal["input_text"]
    prompt_cache_breakpoint: ChatCompletionContentPartImagePromptCacheBreakpoint | None
class ResponseInputTextContent(Part):
    text: str; type: Literal["input_text"]
    prompt_cache_breakpoint: ChatCompletionContentPartImagePromptCacheBreakpoint | None
class ResponseLocalEnvironment(Part):
    type: Literal["local"]
class ResponseMcpCallArgumentsDeltaEvent(Event):
    delta: str; item_id: str; output_index: int; sequence_number: int
    type: Literal["response.mcp_call_arguments.delta"]
class ResponseMcpCallArgumentsDoneEvent(Event):
    arguments: str; item_id: str; output_index: int; sequence_number: int
    type: Literal["response.mcp_call_arguments.done"]
class ResponseMcpCallCompletedEvent(Event):
    item_id: str; output_index: int; sequence_number: int
    type: Literal["response.mcp_call.completed"]
class ResponseMcpCallFailedEvent(Event):
    item_id: str; output_index: int; sequence_number: int; type: Literal["response.mcp_call.failed"]
class ResponseMcpCallInProgressEvent(Event):
    item_id: str; output_index: int; sequence_number: int
    type: Literal["response.mcp_call.in_progress"]
class ResponseMcpListToolsCompletedEvent(Event):
    item_id: str; output_index: int; sequence_number: int
    type: Literal["response.mcp_list_tools.completed"]
class ResponseMcpListToolsFailedEvent(Event):
    item_id: str; output_index: int; sequence_number: int
    type: Literal["response.mcp_list_tools.failed"]
class ResponseMcpListToolsInProgressEvent(Event):
    item_id: str; output_index: int; sequence_number: int
    type: Literal["response.mcp_list_tools.in_progress"]
class AdditionalTools(Item):
    id: str
    role: Literal["unknown", "user", "assistant", "system", "critic", "discriminator", "developer",
        "tool"]; tools: list[Tool]; type: Literal["additional_tools"]
class McpApprovalResponse(Item):
    id: str; approval_request_id: str; approve: bool; type: Literal["mcp_approval_response"]
    reason: str | None
class ResponseOutputItemAddedEvent(Event):
    item: ResponseOutputItem; output_index: int; sequence_number: int
    type: Literal["response.output_item.added"]
class ResponseOutputItemDoneEvent(Event):
    item: ResponseOutputItem; output_index: int; sequence_number: int
    type: Literal["response.output_item.done"]
class ResponseOutputTextAnnotationFileCitation(Part):
    file_id: str; filename: str; index: int; type: Literal["file_citation"]
class ResponseOutputTextAnnotationURLCitation(Part):
    end_index: int; start_index: int; title: str; type: Literal["url_citation"]; url: str
class ResponseOutputTextAnnotationContainerFileCitation(Part):
    container_id: str; end_index: int; file_id: str; filename: str; start_index: int
    type: Literal["container_file_citation"]
class ResponseOutputTextAnnotationFilePath(Part):
    file_id: str; index: int; type: Literal["file_path"]
class ResponseOutputTextLogprobTopLogprob(Part):
    token: str; bytes: list[int]; logprob: float
class ResponseOutputTextLogprob(Part):
    token: str; bytes: list[int]; logprob: float
    top_logprobs: list[ResponseOutputTextLogprobTopLogprob]
class ResponseOutputTextAnnotationAddedEvent(Event):
    annotation: ResponseOutputTextAnnotationAddedEventAnnotation | None; annotation_index: int
    content_index: int; item_id: str; output_index: int; sequence_number: int
    type: Literal["response.output_text.annotation.added"]
class ResponsePrompt(Part):
    id: str; variables: dict[str, ResponsePromptVariables] | None; version: str | None
class ResponseQueuedEvent(Event):
    response: Response; sequence_number: int; type: Literal["response.queued"]
class ResponseReasoningItemSummary(Part):
    text: str; type: Literal["summary_text"]
class ResponseReasoningItemContent(Part):
    text: str; type: Literal["reasoning_text"]
class ResponseReasoningSummaryPartAddedEventPart(Part):
    text: str; type: Literal["summary_text"]
class ResponseReasoningSummaryPartAddedEvent(Event):
    item_id: str; output_index: int; part: ResponseReasoningSummaryPartAddedEventPart
    sequence_number: int; summary_index: int; type: Literal["response.reasoning_summary_part.added"]
class ResponseReasoningSummaryPartDoneEvent(Event):
    item_id: str; output_index: int; part: ResponseReasoningSummaryPartAddedEventPart
    sequence_number: int; summary_index: int; type: Literal["response.reasoning_summary_part.done"]
    status: Literal["incomplete"] | None
class ResponseReasoningSummaryTextDeltaEvent(Event):
    delta: str; item_id: str; output_index: int; sequence_number: int; summary_index: int
    type: Literal["response.reasoning_summary_text.delta"]
class ResponseReasoningSummaryTextDoneEvent(Event):
    item_id: str; output_index: int; sequence_number: int; summary_index: int; text: str
    type: Literal["response.reasoning_summary_text.done"]
class ResponseReasoningTextDeltaEvent(Event):
    content_index: int; delta: str; item_id: str; output_index: int; sequence_number: int
    type: Literal["response.reasoning_text.delta"]
class ResponseReasoningTextDoneEvent(Event):
    content_index: int; item_id: str; output_index: int; sequence_number: int; text: str
    type: Literal["response.reasoning_text.done"]
class ResponseRefusalDeltaEvent(Event):
    content_index: int; delta: str; item_id: str; output_index: int; sequence_number: int
    type: Literal["response.refusal.delta"]
class ResponseRefusalDoneEvent(Event):
    content_index: int; item_id: str; output_index: int; refusal: str; sequence_number: int
    type: Literal["response.refusal.done"]
class ResponseShellCallCommandAddedEvent(Event):
    command: str; command_index: int; output_index: int; sequence_number: int
    type: Literal["response.shell_call_command.added"]
class ResponseShellCallCommandDeltaEvent(Event):
    command_index: int; delta: str; output_index: int; sequence_number: int
    type: Literal["response.shell_call_command.delta"]; obfuscation: str | None
class ResponseShellCallCommandDoneEvent(Event):
    command: str; command_index: int; output_index: int; sequence_number: int
    type: Literal["response.shell_call_command.done"]
class Delta(Part):
    stderr: str | None; stdout: str | None
class ResponseShellCallOutputContentDeltaEvent(Event):
    command_index: int; delta: Delta; item_id: str; output_index: int; sequence_number: int
    type: Literal["response.shell_call_output_content.delta"]
class ResponseShellCallOutputContentDoneEvent(Event):
    command_index: int; item_id: str; output: list[ResponseFunctionShellToolCallOutputOutput]
    output_index: int; sequence_number: int
    type: Literal["response.shell_call_output_content.done"]
class ResponseTextConfig(Part):
    format: ResponseFormatTextConfig | None; verbosity: Literal["low", "medium", "high"] | None
class ResponseTextDeltaEventLogprobTopLogprob(Part):
    token: str | None; logprob: float | None
class ResponseTextDeltaEventLogprob(Part):
    token: str; logprob: float; top_logprobs: list[ResponseTextDeltaEventLogprobTopLogprob] | None
class ResponseTextDeltaEvent(Event):
    content_index: int; delta: str; item_id: str; logprobs: list[ResponseTextDeltaEventLogprob]
    output_index: int; sequence_number: int; type: Literal["response.output_text.delta"]
class ResponseTextDoneEvent(Event):
    content_index: int; item_id: str; logprobs: list[ResponseTextDeltaEventLogprob]
    output_index: int; sequence_number: int; text: str; type: Literal["response.output_text.done"]
class ResponseToolSearchCall(Item):
    id: str; arguments: object; call_id: str | None; execution: Literal["server", "client"]
    status: Literal["in_progress", "completed", "incomplete"]; type: Literal["tool_search_call"]
    created_by: str | None
class ResponseToolSearchOutputItem(Item):
    id: str; call_id: str | None; execution: Literal["server", "client"]
    status: Literal["in_progress", "completed", "incomplete"]; tools: list[Tool]
    type: Literal["tool_search_output"]; created_by: str | None
class ResponseToolSearchOutputItemParamToolMcpAllowedToolsMcpToolFilter(Part):
    read_only: bool | None; tool_names: list[str] | None
class ResponseToolSearchOutputItemParamToolMcpRequireApprovalMcpToolApprovalFilterAlways(Part):
    read_only: bool | None; tool_names: list[str] | None
class ResponseToolSearchOutputItemParamToolMcpRequireApprovalMcpToolApprovalFilterNever(Part):
    read_only: bool | None; tool_names: list[str] | None
class ResponseToolSearchOutputItemParamToolMcpRequireApprovalMcpToolApprovalFilter(Part):
    always: (ResponseToolSearchOutputItemParamToolMcpRequireApprovalMcpToolApprovalFilterAlways |
        None)
    never: ResponseToolSearchOutputItemParamToolMcpRequireApprovalMcpToolApprovalFilterNever | None
class ResponseToolSearchOutputItemParamToolMcp(Part):
    server_label: str; type: Literal["mcp"]
    allowed_callers: list[Literal["direct", "programmatic"]] | None
    allowed_tools: ResponseToolSearchOutputItemParamToolMcpAllowedTools | None
    authorization: str | None
    connector_id: (Literal["connector_dropbox", "connector_gmail", "connector_googlecalendar",
        "connector_googledrive", "connector_microsoftteams", "connector_outlookcalendar",
        "connector_outlookemail", "connector_sharepoint"] | None); defer_loading: bool | None
    headers: dict[str, str] | None
    require_approval: ResponseToolSearchOutputItemParamToolMcpRequireApproval | None
    server_description: str | None; server_url: str | None; tunnel_id: str | None
class ResponseToolSearchOutputItemParamToolCodeInterpreterContainerCodeInterpreterToolAuto(Part):
    type: Literal["auto"]; file_ids: list[str] | None
    memory_limit: Literal["1g", "4g", "16g", "64g"] | None
    network_policy: (ResponseToolSearchOutputItemParamToolCodeInterpreterContainerCodeInterpreterToolAutoNetworkPolicy
        | None)
class ResponseToolSearchOutputItemParamToolCodeInterpreter(Part):
    container: ResponseToolSearchOutputItemParamToolCodeInterpreterContainer
    type: Literal["code_interpreter"]
    allowed_callers: list[Literal["direct", "programmatic"]] | None
class ResponseToolSearchOutputItemParamToolProgrammaticToolCalling(Part):
    type: Literal["programmatic_tool_calling"]
class ResponseToolSearchOutputItemParamToolImageGenerationInputImageMask(Part):
    file_id: str | None; image_url: str | None
class ResponseToolSearchOutputItemParamToolImageGenerationSvgReasoning(Part):
    effort: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None
class ResponseToolSearchOutputItemParamToolImageGenerationSvg(Part):
    model: str | None
    reasoning: ResponseToolSearchOutputItemParamToolImageGenerationSvgReasoning | None
class ResponseToolSearchOutputItemParamToolImageGeneration(Part):
    type: Literal["image_generation"]; action: Literal["generate", "edit", "auto"] | None
    background: Literal["transparent", "opaque", "auto"] | None
    complexity: Literal["low", "medium", "high"] | None; frame_count: int | None
    frame_duration_ms: int | None; input_fidelity: Literal["high", "low"] | None
    input_image_mask: ResponseToolSearchOutputItemParamToolImageGenerationInputImageMask | None
    model: str | None; moderation: Literal["auto", "low"] | None; output_compression: int | None
    output_format: Literal["png", "webp", "jpeg", "gif", "svg"] | None; partial_images: int | None
    quality: Literal["low", "medium", "high", "xhigh", "max", "auto"] | None
    size: str | Literal["1024x1024", "1024x1536", "1536x1024", "auto"] | None
    svg: ResponseToolSearchOutputItemParamToolImageGenerationSvg | None
class ResponseToolSearchOutputItemParamToolLocalShell(Part):
    type: Literal["local_shell"]
class ResponseToolSearchOutputItemParam(Part):
    tools: list[ResponseToolSearchOutputItemParamTool]; type: Literal["tool_search_output"]
    id: str | None; call_id: str | None; execution: Literal["server", "client"] | None
    status: Literal["in_progress", "completed", "incomplete"] | None
class InputTokensDetailsCacheWriteTokensDetails(Part):
    ttl_12h_tokens: int; ttl_30m_tokens: int
class ResponseWebSearchCallCompletedEvent(Event):
    item_id: str; output_index: int; sequence_number: int
    type: Literal["response.web_search_call.completed"]
class ResponseWebSearchCallInProgressEvent(Event):
    item_id: str; output_index: int; sequence_number: int
    type: Literal["response.web_search_call.in_progress"]
class ResponseWebSearchCallSearchingEvent(Event):
    item_id: str; output_index: int; sequence_number: int
    type: Literal["response.web_search_call.searching"]
class SkillReference(Part):
    skill_id: str; type: Literal["skill_reference"]; version: str | None
class ToolMcpAllowedToolsMcpToolFilter(Part):
    read_only: bool | None; tool_names: list[str] | None
class ToolMcpRequireApprovalMcpToolApprovalFilterAlways(Part):
    read_only: bool | None; tool_names: list[str] | None
class ToolMcpRequireApprovalMcpToolApprovalFilterNever(Part):
    read_only: bool | None; tool_names: list[str] | None
class ToolMcpRequireApprovalMcpToolApprovalFilter(Part):
    always: ToolMcpRequireApprovalMcpToolApprovalFilterAlways | None
    never: ToolMcpRequireApprovalMcpToolApprovalFilterNever | None
class ToolMcp(Part):
    server_label: str; type: Literal["mcp"]
    allowed_callers: list[Literal["direct", "programmatic"]] | None
    allowed_tools: ToolMcpAllowedTools | None; authorization: str | None
    connector_id: (Literal["connector_dropbox", "connector_gmail", "connector_googlecalendar",
        "connector_googledrive", "connector_microsoftteams", "connector_outlookcalendar",
        "connector_outlookemail", "connector_sharepoint"] | None); defer_loading: bool | None
    headers: dict[str, str] | None; require_approval: ToolMcpRequireApproval | None
    server_description: str | None; server_url: str | None; tunnel_id: str | None
class ToolCodeInterpreterContainerCodeInterpreterToolAuto(Part):
    type: Literal["auto"]; file_ids: list[str] | None
    memory_limit: Literal["1g", "4g", "16g", "64g"] | None
    network_policy: ToolCodeInterpreterContainerCodeInterpreterToolAutoNetworkPolicy | None
class ToolCodeInterpreter(Part):
    container: ToolCodeInterpreterContainer; type: Literal["code_interpreter"]
    allowed_callers: list[Literal["direct", "programmatic"]] | None
class ToolProgrammaticToolCalling(Part):
    type: Literal["programmatic_tool_calling"]
class ToolImageGenerationInputImageMask(Part):
    file_id: str | None; image_url: str | None
class ToolImageGenerationSvgReasoning(Part):
    effort: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None
class ToolImageGenerationSvg(Part):
    model: str | None; reasoning: ToolImageGenerationSvgReasoning | None
class ToolImageGeneration(Part):
    type: Literal["image_generation"]; action: Literal["generate", "edit", "auto"] | None
    background: Literal["transparent", "opaque", "auto"] | None
    complexity: Literal["low", "medium", "high"] | None; frame_count: int | None
    frame_duration_ms: int | None; input_fidelity: Literal["high", "low"] | None
    input_image_mask: ToolImageGenerationInputImageMask | None; model: str | None
    moderation: Literal["auto", "low"] | None; output_compression: int | None
    output_format: Literal["png", "webp", "jpeg", "gif", "svg"] | None; partial_images: int | None
    quality: Literal["low", "medium", "high", "xhigh", "max", "auto"] | None
    size: str | Literal["1024x1024", "1024x1536", "1536x1024", "auto"] | None
    svg: ToolImageGenerationSvg | None
class ToolLocalShell(Part):
    type: Literal["local_shell"]
class ToolChoiceAllowed(Part):
    mode: Literal["auto", "required"]; tools: list[dict[str, object]]
    type: Literal["allowed_tools"]
class ToolChoiceApplyPatch(Part):
    type: Literal["apply_patch"]
class ToolChoiceCustom(Part):
    name: str; type: Literal["custom"]
class ToolChoiceFunction(Part):
    name: str; type: Literal["function"]
class ToolChoiceMcp(Part):
    server_label: str; type: Literal["mcp"]; name: str | None
class ToolChoiceShell(Part):
    type: Literal["shell"]
class ToolChoiceTypes(Part):
    type: Literal["file_search", "web_search_preview", "computer", "computer_use_preview",
        "computer_use", "web_search_preview_2025_03_11", "image_generation", "code_interpreter"]
class ToolSearchOutputNamespaceTool(Part):
    description: str; name: str; tools: list[NamespaceToolTool]; type: Literal["namespace"]
class ToolSearchTool(Part):
    type: Literal["tool_search"]; description: str | None
    execution: Literal["server", "client"] | None; parameters: object | None
class WebSearchPreviewToolUserLocation(Part):
    type: Literal["approximate"]; city: str | None; country: str | None; region: str | None
    timezone: str | None
class WebSearchPreviewTool(Part):
    type: Literal["web_search_preview", "web_search_preview_2025_03_11"]
    search_content_types: list[Literal["text", "image"]] | None
    search_context_size: Literal["low", "medium", "high"] | None
    user_location: WebSearchPreviewToolUserLocation | None
class WebSearchToolFilters(Part):
    allowed_domains: list[str] | None
class WebSearchToolUserLocation(Part):
    city: str | None; country: str | None; region: str | None; timezone: str | None
    type: Literal["approximate"] | None
class WebSearchTool(Part):
    type: Literal["web_search", "web_search_2025_08_26"]; external_web_access: bool | None
    filters: WebSearchToolFilters | None
    search_context_size: Literal["low", "medium", "high"] | None
    user_location: WebSearchToolUserLocation | None
class ComparisonFilter(Part):
    key: str; type: Literal["eq", "ne", "gt", "gte", "lt", "lte", "in", "nin"]
    value: str | float | bool | list[str | float]
class CompoundFilter(Part):
    filters: list[CompoundFilterFilter]; type: Literal["and", "or"]
class CustomToolInputFormatText(Part):
    type: Literal["text"]
class CustomToolInputFormatGrammar(Part):
    definition: str; syntax: Literal["lark", "regex"]; type: Literal["grammar"]
class ErrorObject(Part):
    code: str | None; message: str; param: str | None; type: str; misalignment: Misalignment | None
class FunctionDefinition(Part):
    name: str; description: str | None; parameters: FunctionParameters | None; strict: bool | None
class Reasoning(Part):
    context: Literal["auto", "current_turn", "all_turns"] | None; effort: ReasoningEffort | None
    generate_summary: Literal["auto", "concise", "detailed"] | None
    mode: str | Literal["standard", "pro"] | None
    summary: Literal["auto", "concise", "detailed"] | None
class ResponseFormatJSONObject(Part):
    type: Literal["json_object"]
class ResponseFormatJSONSchemaJSONSchema(Part):
    name: str; description: str | None; schema: dict[str, object] | None; strict: bool | None
class ResponseFormatJSONSchema(Part):
    json_schema: ResponseFormatJSONSchemaJSONSchema; type: Literal["json_schema"]
class ResponseFormatText(Part):
    type: Literal["text"]
ChatCompletionModerationInput: TypeAlias = ModerationInputModerationResults | ModerationInputError
ChatCompletionModerationOutput: TypeAlias = (ModerationOutputModerationResults |
    ModerationOutputError)
ChatCompletionMessageToolCallUnion: TypeAlias = (ChatCompletionMessageToolCall |
    ChatCompletionMessageCustomToolCall)
ComputerAction: TypeAlias = (ComputerActionClick | ComputerActionDoubleClick | ComputerActionDrag |
    ComputerActionKeypress | ComputerActionMove | ComputerActionScreenshot | ComputerActionScroll |
    ComputerActionType | ComputerActionWait)
ComputerActionList: TypeAlias = list[ComputerAction]
ContainerAutoNetworkPolicy: TypeAlias = (ContainerNetworkPolicyDisabled |
    ContainerNetworkPolicyAllowlist)
ContainerAutoSkill: TypeAlias = SkillReference | InlineSkill
FileSearchToolFilters: TypeAlias = ComparisonFilter | CompoundFilter | None
FunctionShellToolEnvironment: TypeAlias = (ContainerAuto | LocalEnvironment | ContainerReference |
    None)
McpToolCallError: TypeAlias = (McpToolCallErrorMcpProtocolError |
    McpToolCallErrorMcpToolExecutionError | McpToolCallErrorHTTPError)
NamespaceToolTool: TypeAlias = NamespaceToolToolFunction | CustomTool
ResponseToolChoice: TypeAlias = (ToolChoiceOptions | ToolChoiceAllowed | ToolChoiceTypes |
    ToolChoiceFunction | ToolChoiceMcp | ToolChoiceCustom |
    ResponseToolChoiceSpecificProgrammaticToolCallingParam | ToolChoiceApplyPatch | ToolChoiceShell)
ResponseModerationInput: TypeAlias = ModerationInputModerationResult | ModerationInputError
ResponseModerationOutput: TypeAlias = ModerationOutputModerationResult | ModerationOutputError
PromptCacheDiagnostics: TypeAlias = (PromptCacheDiagnosticsCacheMiss |
    PromptCacheDiagnosticsCacheHit | PromptCacheDiagnosticsComparisonResponseNotFound |
    PromptCacheDiagnosticsUnavailable)
Operation: TypeAlias = OperationCreateFile | OperationDeleteFile | OperationUpdateFile
ResponseApplyPatchToolCallCaller: TypeAlias = (ResponseApplyPatchToolCallCallerDirect |
    ResponseApplyPatchToolCallCallerProgram | None)
ResponseCodeInterpreterToolCallOutput: TypeAlias = (ResponseCodeInterpreterToolCallOutputLogs |
    ResponseCodeInterpreterToolCallOutputImage)
ResponseComputerToolCallAction: TypeAlias = (ResponseComputerToolCallActionClick |
    ResponseComputerToolCallActionDoubleClick | ResponseComputerToolCallActionDrag |
    ResponseComputerToolCallActionKeypress | ResponseComputerToolCallActionMove |
    ResponseComputerToolCallActionScreenshot | ResponseComputerToolCallActionScroll |
    ResponseComputerToolCallActionType | ResponseComputerToolCallActionWait)
ResponseConfigurationUpdateItemTextFormat: TypeAlias = (ResponseFormatText |
    ResponseFormatTextJSONSchemaConfig)
ResponseContentPartAddedEventPart: TypeAlias = (ResponseOutputText | ResponseOutputRefusal |
    PartReasoningText)
ResponseCustomToolCallOutputOutputOutputContentList: TypeAlias = (ResponseInputText |
    ResponseInputImage | ResponseInputFile)
ResponseFormatTextConfig: TypeAlias = (ResponseFormatText | ResponseFormatTextJSONSchemaConfig |
    ResponseFormatJSONObject)
ResponseFunctionCallOutputItem: TypeAlias = (ResponseInputTextContent | ResponseInputImageContent |
    ResponseInputFileContent)
ResponseFunctionCallOutputItemList: TypeAlias = list[ResponseFunctionCallOutputItem]
ResponseFunctionShellCallOutputContentOutcome: TypeAlias = (ResponseFunctionShellCallOutputContentOutcomeTimeout
    | ResponseFunctionShellCallOutputContentOutcomeExit)
ResponseFunctionShellToolCallEnvironment: TypeAlias = (ResponseLocalEnvironment |
    ResponseContainerReference | None)
OutputOutcome: TypeAlias = OutputOutcomeTimeout | OutputOutcomeExit
ResponseFunctionWebSearchAction: TypeAlias = (ResponseFunctionWebSearchActionSearch |
    ResponseFunctionWebSearchActionOpenPage | ResponseFunctionWebSearchActionFind)
ResponseInputItem: TypeAlias = (EasyInputMessage | ResponseInputItemMessage | ResponseOutputMessage
    | ResponseFileSearchToolCall | ResponseComputerToolCall | ResponseInputItemComputerCallOutput |
    ResponseFunctionWebSearch | ResponseFunctionToolCall | ResponseInputItemFunctionCallOutput |
    ResponseInputItemToolSearchCall | ResponseToolSearchOutputItemParam |
    ResponseInputItemAdditionalTools | ResponseConfigurationUpdateItemParam | ResponseReasoningItem
    | ResponseCompactionItemParam | ImageGenerationCall | ResponseCodeInterpreterToolCall |
    LocalShellCall | LocalShellCallOutput | ResponseInputItemShellCall |
    ResponseInputItemShellCallOutput | ResponseInputItemApplyPatchCall |
    ResponseInputItemApplyPatchCallOutput | McpListTools | McpApprovalRequest |
    ResponseInputItemMcpApprovalResponse | McpCall | ResponseCustomToolCallOutput |
    ResponseCustomToolCall | ResponseInputItemCompactionTrigger | ResponseInputItemItemReference |
    Program | ProgramOutput)
ResponseInput: TypeAlias = list[ResponseInputItem]
ResponseInputContent: TypeAlias = ResponseInputText | ResponseInputImage | ResponseInputFile
ResponseInputItemFunctionCallOutputCaller: TypeAlias = (ResponseInputItemFunctionCallOutputCallerDirect
    | ResponseInputItemFunctionCallOutputCallerProgram | None)
ResponseInputItemShellCallCaller: TypeAlias = (ResponseInputItemShellCallCallerDirect |
    ResponseInputItemShellCallCallerProgram | None)
ResponseInputItemShellCallEnvironment: TypeAlias = LocalEnvironment | ContainerReference | None
ResponseInputItemShellCallOutputCaller: TypeAlias = (ResponseInputItemShellCallOutputCallerDirect |
    ResponseInputItemShellCallOutputCallerProgram | None)
ResponseInputItemApplyPatchCallOperation: TypeAlias = (ResponseInputItemApplyPatchCallOperationCreateFile
    | ResponseInputItemApplyPatchCallOperationDeleteFile |
    ResponseInputItemApplyPatchCallOperationUpdateFile)
ResponseInputItemApplyPatchCallCaller: TypeAlias = (ResponseInputItemApplyPatchCallCallerDirect |
    ResponseInputItemApplyPatchCallCallerProgram | None)
ResponseInputItemApplyPatchCallOutputCaller: TypeAlias = (ResponseInputItemApplyPatchCallOutputCallerDirect
    | ResponseInputItemApplyPatchCallOutputCallerProgram | None)
ResponseInputMessageContentList: TypeAlias = list[ResponseInputContent]
if TYPE_CHECKING:
    ResponseOutputItem: TypeAlias = (ResponseOutputMessage | ResponseFileSearchToolCall |
        ResponseFunctionToolCall | ResponseFunctionToolCallOutputItem | ResponseFunctionWebSearch |
        ResponseComputerToolCall | ResponseComputerToolCallOutputItem | ResponseReasoningItem |
        Program | ProgramOutput | ResponseToolSearchCall | ResponseToolSearchOutputItem |
        AdditionalTools | ResponseCompactionItem | ImageGenerationCall |
        ResponseCodeInterpreterToolCall | LocalShellCall | LocalShellCallOutput |
        ResponseFunctionShellToolCall | ResponseFunctionShellToolCallOutput |
        ResponseApplyPatchToolCall | ResponseApplyPatchToolCallOutput | McpCall | McpListTools |
        McpApprovalRequest | McpApprovalResponse | ResponseCustomToolCall |
        ResponseCustomToolCallOutputItem)
else:
    from modelwire._native import ResponseOutputItem
ResponseOutputMessageContent: TypeAlias = ResponseOutputText | ResponseOutputRefusal
ResponseOutputTextAnnotation: TypeAlias = (ResponseOutputTextAnnotationFileCitation |
    ResponseOutputTextAnnotationURLCitation | ResponseOutputTextAnnotationContainerFileCitation |
    ResponseOutputTextAnnotationFilePath)
ResponseOutputTextAnnotationAddedEventAnnotation: TypeAlias = (ResponseOutputTextAnnotationFileCitation
    | ResponseOutputTextAnnotationURLCitation | ResponseOutputTextAnnotationContainerFileCitation |
    ResponseOutputTextAnnotationFilePath | None)
ResponsePromptVariables: TypeAlias = (str | ResponseInputText | ResponseInputImage |
    ResponseInputFile)
if TYPE_CHECKING:
    ResponseStreamEvent: TypeAlias = (ResponseAudioDeltaEvent | ResponseAudioDoneEvent |
        ResponseAudioTranscriptDeltaEvent | ResponseAudioTranscriptDoneEvent |
        ResponseCodeInterpreterCallCodeDeltaEvent | ResponseCodeInterpreterCallCodeDoneEvent |
        ResponseCodeInterpreterCallCompletedEvent | ResponseCodeInterpreterCallInProgressEvent |
        ResponseCodeInterpreterCallInterpretingEvent | ResponseCompactionCompactingEvent |
        ResponseCompletedEvent | ResponseContentPartAddedEvent | ResponseContentPartDoneEvent |
        ResponseCreatedEvent | ResponseErrorEvent | ResponseFileSearchCallCompletedEvent |
        ResponseFileSearchCallInProgressEvent | ResponseFileSearchCallSearchingEvent |
        ResponseFunctionCallArgumentsDeltaEvent | ResponseFunctionCallArgumentsDoneEvent |
        ResponseShellCallCommandAddedEvent | ResponseShellCallCommandDeltaEvent |
        ResponseShellCallCommandDoneEvent | ResponseShellCallOutputContentDeltaEvent |
        ResponseShellCallOutputContentDoneEvent | ResponseInProgressEvent | ResponseFailedEvent |
        ResponseIncompleteEvent | ResponseOutputItemAddedEvent | ResponseOutputItemDoneEvent |
        ResponseReasoningSummaryPartAddedEvent | ResponseReasoningSummaryPartDoneEvent |
        ResponseReasoningSummaryTextDeltaEvent | ResponseReasoningSummaryTextDoneEvent |
        ResponseReasoningTextDeltaEvent | ResponseReasoningTextDoneEvent | ResponseRefusalDeltaEvent
        | ResponseRefusalDoneEvent | ResponseTextDeltaEvent | ResponseTextDoneEvent |
        ResponseWebSearchCallCompletedEvent | ResponseWebSearchCallInProgressEvent |
        ResponseWebSearchCallSearchingEvent | ResponseImageGenCallCompletedEvent |
        ResponseImageGenCallGeneratingEvent | ResponseImageGenCallInProgressEvent |
        ResponseImageGenCallPartialImageEvent | ResponseMcpCallArgumentsDeltaEvent |
        ResponseMcpCallArgumentsDoneEvent | ResponseMcpCallCompletedEvent |
        ResponseMcpCallFailedEvent | ResponseMcpCallInProgressEvent |
        ResponseMcpListToolsCompletedEvent | ResponseMcpListToolsFailedEvent |
        ResponseMcpListToolsInProgressEvent | ResponseOutputTextAnnotationAddedEvent |
        ResponseQueuedEvent | ResponseCustomToolCallInputDeltaEvent |
        ResponseCustomToolCallInputDoneEvent)
else:
    from modelwire._native import ResponseStreamEvent
ResponseToolSearchOutputItemParamToolMcpAllowedTools: TypeAlias = (list[str] |
    ResponseToolSearchOutputItemParamToolMcpAllowedToolsMcpToolFilter | None)
ResponseToolSearchOutputItemParamToolMcpRequireApproval: TypeAlias = (ResponseToolSearchOutputItemParamToolMcpRequireApprovalMcpToolApprovalFilter
    | Literal["always", "never"] | None)
ResponseToolSearchOutputItemParamToolCodeInterpreterContainerCodeInterpreterToolAutoNetworkPolicy: TypeAlias = (ContainerNetworkPolicyDisabled
    | ContainerNetworkPolicyAllowlist)
ResponseToolSearchOutputItemParamToolCodeInterpreterContainer: TypeAlias = (str |
    ResponseToolSearchOutputItemParamToolCodeInterpreterContainerCodeInterpreterToolAuto)
ResponseToolSearchOutputItemParamTool: TypeAlias = (FunctionTool | FileSearchTool | ComputerTool |
    ComputerUsePreviewTool | WebSearchTool | ResponseToolSearchOutputItemParamToolMcp |
    ResponseToolSearchOutputItemParamToolCodeInterpreter |
    ResponseToolSearchOutputItemParamToolProgrammaticToolCalling |
    ResponseToolSearchOutputItemParamToolImageGeneration |
    ResponseToolSearchOutputItemParamToolLocalShell | FunctionShellTool | CustomTool |
    ToolSearchOutputNamespaceTool | ToolSearchTool | WebSearchPreviewTool | ApplyPatchTool)
ToolMcpAllowedTools: TypeAlias = list[str] | ToolMcpAllowedToolsMcpToolFilter | None
ToolMcpRequireApproval: TypeAlias = (ToolMcpRequireApprovalMcpToolApprovalFilter | Literal["always",
    "never"] | None)
ToolCodeInterpreterContainerCodeInterpreterToolAutoNetworkPolicy: TypeAlias = (ContainerNetworkPolicyDisabled
    | ContainerNetworkPolicyAllowlist)
ToolCodeInterpreterContainer: TypeAlias = str | ToolCodeInterpreterContainerCodeInterpreterToolAuto
Tool: TypeAlias = (FunctionTool | FileSearchTool | ComputerTool | ComputerUsePreviewTool |
    WebSearchTool | ToolMcp | ToolCodeInterpreter | ToolProgrammaticToolCalling |
    ToolImageGeneration | ToolLocalShell | FunctionShellTool | CustomTool | NamespaceTool |
    ToolSearchTool | WebSearchPreviewTool | ApplyPatchTool)
CompoundFilterFilter: TypeAlias = ComparisonFilter | object
CustomToolInputFormat: TypeAlias = CustomToolInputFormatText | CustomToolInputFormatGrammar
OtherEvent: TypeAlias = (ResponseAudioDeltaEvent | ResponseAudioDoneEvent |
    ResponseAudioTranscriptDeltaEvent | ResponseAudioTranscriptDoneEvent |
    ResponseCodeInterpreterCallCodeDeltaEvent | ResponseCodeInterpreterCallCodeDoneEvent |
    ResponseCodeInterpreterCallCompletedEvent | ResponseCodeInterpreterCallInProgressEvent |
    ResponseCodeInterpreterCallInterpretingEvent | ResponseCompactionCompactingEvent |
    ResponseContentPartAddedEvent | ResponseContentPartDoneEvent | ResponseCreatedEvent |
    ResponseErrorEvent | ResponseFileSearchCallCompletedEvent |
    ResponseFileSearchCallInProgressEvent | ResponseFileSearchCallSearchingEvent |
    ResponseFunctionCallArgumentsDoneEvent | ResponseShellCallCommandAddedEvent |
    ResponseShellCallCommandDeltaEvent | ResponseShellCallCommandDoneEvent |
    ResponseShellCallOutputContentDeltaEvent | ResponseShellCallOutputContentDoneEvent |
    ResponseInProgressEvent | ResponseFailedEvent | ResponseIncompleteEvent |
    ResponseOutputItemAddedEvent | ResponseOutputItemDoneEvent |
    ResponseReasoningSummaryPartAddedEvent | ResponseReasoningSummaryPartDoneEvent |
    ResponseReasoningSummaryTextDoneEvent | ResponseReasoningTextDoneEvent |
    ResponseRefusalDeltaEvent | ResponseRefusalDoneEvent | ResponseWebSearchCallCompletedEvent |
    ResponseWebSearchCallInProgressEvent | ResponseWebSearchCallSearchingEvent |
    ResponseImageGenCallCompletedEvent | ResponseImageGenCallGeneratingEvent |
    ResponseImageGenCallInProgressEvent | ResponseImageGenCallPartialImageEvent |
    ResponseMcpCallArgumentsDeltaEvent | ResponseMcpCallArgumentsDoneEvent |
    ResponseMcpCallCompletedEvent | ResponseMcpCallFailedEvent | ResponseMcpCallInProgressEvent |
    ResponseMcpListToolsCompletedEvent | ResponseMcpListToolsFailedEvent |
    ResponseMcpListToolsInProgressEvent | ResponseOutputTextAnnotationAddedEvent |
    ResponseQueuedEvent | ResponseCustomToolCallInputDeltaEvent |
    ResponseCustomToolCallInputDoneEvent)
"""An event that is the same where it was parsed."""
OtherItem: TypeAlias = (ResponseFileSearchToolCall | ResponseFunctionToolCallOutputItem |
    ResponseFunctionWebSearch | ResponseComputerToolCall | ResponseComputerToolCallOutputItem |
    ResponseReasoningItem | Program | ProgramOutput | ResponseToolSearchCall |
    ResponseToolSearchOutputItem | AdditionalTools | ResponseCompactionItem | ImageGenerationCall |
    ResponseCodeInterpreterToolCall | LocalShellCall | LocalShellCallOutput |
    ResponseFunctionShellToolCall | ResponseFunctionShellToolCallOutput | ResponseApplyPatchToolCall
    | ResponseApplyPatchToolCallOutput | McpCall | McpListTools | McpApprovalRequest |
    McpApprovalResponse | ResponseCustomToolCall | ResponseCustomToolCallOutputItem)
"""An item that is the same where it was parsed."""

EVENTS = types_of(Event)
"""The events of a response's stream, each with its type."""
ITEMS = types_of(Item)
"""The items of a response's output, each with its type."""
