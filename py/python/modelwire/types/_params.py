"""The dicts that the operations take, as types.

Written by py/stubs/from_openai.py.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, TypeAlias

from modelwire._types import SequenceNotStr
from modelwire.types._literals import (
    ChatModel, FunctionParameters, ImageDetail, Metadata, ReasoningEffort, ResponseIncludable,
    ResponsesModel, ServiceTier, ToolChoiceOptions
)

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from typing import TypedDict
else:
    try:  # pydantic takes no other one there
        from typing_extensions import TypedDict
    except ImportError:
        from typing import TypedDict

class ChatCompletionAllowedToolChoiceParam(TypedDict):
    allowed_tools: ChatCompletionAllowedToolsParam; type: Literal["allowed_tools"]
class ChatCompletionAllowedToolsParam(TypedDict):
    mode: Literal["auto", "required"]; tools: Iterable[dict[str, object]]
class Audio(TypedDict):
    id: str
class ChatCompletionAssistantMessageParamFunctionCall(TypedDict):
    arguments: str; name: str
class _ChatCompletionAssistantMessageParam(TypedDict):
    role: Literal["assistant"]
class ChatCompletionAssistantMessageParam(_ChatCompletionAssistantMessageParam, total=False):
    audio: Audio | None; content: str | Iterable[ContentArrayOfContentPart] | None
    function_call: ChatCompletionAssistantMessageParamFunctionCall | None; name: str
    refusal: str | None; tool_calls: Iterable[ChatCompletionMessageToolCallUnionParam]
class VoiceID(TypedDict):
    id: str
class ChatCompletionAudioParam(TypedDict):
    format: Literal["wav", "aac", "mp3", "flac", "opus", "pcm16"]; voice: Voice
class _ChatCompletionContentPartImageParamImageURL(TypedDict):
    url: str
class ChatCompletionContentPartImageParamImageURL(_ChatCompletionContentPartImageParamImageURL, total=False):
    detail: Literal["auto", "low", "high", "original"]
class _ChatCompletionContentPartImageParamPromptCacheBreakpoint(TypedDict):
    mode: Literal["explicit"]
class ChatCompletionContentPartImageParamPromptCacheBreakpoint(_ChatCompletionContentPartImageParamPromptCacheBreakpoint, total=False):
    ttl: Literal["30m", "12h"]
class _ChatCompletionContentPartImageParam(TypedDict):
    image_url: ChatCompletionContentPartImageParamImageURL; type: Literal["image_url"]
class ChatCompletionContentPartImageParam(_ChatCompletionContentPartImageParam, total=False):
    prompt_cache_breakpoint: ChatCompletionContentPartImageParamPromptCacheBreakpoint
class ChatCompletionContentPartInputAudioParamInputAudio(TypedDict):
    data: str; format: Literal["wav", "mp3"]
class _ChatCompletionContentPartInputAudioParam(TypedDict):
    input_audio: ChatCompletionContentPartInputAudioParamInputAudio; type: Literal["input_audio"]
class ChatCompletionContentPartInputAudioParam(_ChatCompletionContentPartInputAudioParam, total=False):
    prompt_cache_breakpoint: ChatCompletionContentPartImageParamPromptCacheBreakpoint
class FileFile(TypedDict, total=False):
    file_data: str; file_id: str; filename: str
class _FilePromptCacheBreakpoint(TypedDict):
    mode: Literal["explicit"]
class FilePromptCacheBreakpoint(_FilePromptCacheBreakpoint, total=False):
    ttl: Literal["30m", "12h"]
class _File(TypedDict):
    file: FileFile; type: Literal["file"]
class File(_File, total=False):
    prompt_cache_breakpoint: FilePromptCacheBreakpoint
class ChatCompletionContentPartRefusalParam(TypedDict):
    refusal: str; type: Literal["refusal"]
class _ChatCompletionContentPartTextParam(TypedDict):
    text: str; type: Literal["text"]
class ChatCompletionContentPartTextParam(_ChatCompletionContentPartTextParam, total=False):
    prompt_cache_breakpoint: ChatCompletionContentPartImageParamPromptCacheBreakpoint
class CustomFormatText(TypedDict):
    type: Literal["text"]
class CustomFormatGrammarGrammar(TypedDict):
    definition: str; syntax: Literal["lark", "regex"]
class CustomFormatGrammar(TypedDict):
    grammar: CustomFormatGrammarGrammar; type: Literal["grammar"]
class _ChatCompletionCustomToolParamCustom(TypedDict):
    name: str
class ChatCompletionCustomToolParamCustom(_ChatCompletionCustomToolParamCustom, total=False):
    description: str; format: CustomFormat
class ChatCompletionCustomToolParam(TypedDict):
    custom: ChatCompletionCustomToolParamCustom; type: Literal["custom"]
class _ChatCompletionDeveloperMessageParam(TypedDict):
    content: str | Iterable[ChatCompletionContentPartTextParam]; role: Literal["developer"]
class ChatCompletionDeveloperMessageParam(_ChatCompletionDeveloperMessageParam, total=False):
    name: str
class ChatCompletionFunctionCallOptionParam(TypedDict):
    name: str
class ChatCompletionFunctionMessageParam(TypedDict):
    content: str | None; name: str; role: Literal["function"]
class ChatCompletionFunctionToolParam(TypedDict):
    function: FunctionDefinitionParam; type: Literal["function"]
class ChatCompletionMessageCustomToolCallParamCustom(TypedDict):
    input: str; name: str
class ChatCompletionMessageCustomToolCallParam(TypedDict):
    id: str; custom: ChatCompletionMessageCustomToolCallParamCustom; type: Literal["custom"]
class ChatCompletionMessageFunctionToolCallParamFunction(TypedDict):
    arguments: str; name: str
class ChatCompletionMessageFunctionToolCallParam(TypedDict):
    id: str; function: ChatCompletionMessageFunctionToolCallParamFunction; type: Literal["function"]
class ChatCompletionNamedToolChoiceCustomParamCustom(TypedDict):
    name: str
class ChatCompletionNamedToolChoiceCustomParam(TypedDict):
    custom: ChatCompletionNamedToolChoiceCustomParamCustom; type: Literal["custom"]
class ChatCompletionNamedToolChoiceParamFunction(TypedDict):
    name: str
class ChatCompletionNamedToolChoiceParam(TypedDict):
    function: ChatCompletionNamedToolChoiceParamFunction; type: Literal["function"]
class ChatCompletionPredictionContentParam(TypedDict):
    content: str | Iterable[ChatCompletionContentPartTextParam]; type: Literal["content"]
class ChatCompletionStreamOptionsParam(TypedDict, total=False):
    include_obfuscation: bool; include_usage: bool
class _ChatCompletionSystemMessageParam(TypedDict):
    content: str | Iterable[ChatCompletionContentPartTextParam]; role: Literal["system"]
class ChatCompletionSystemMessageParam(_ChatCompletionSystemMessageParam, total=False):
    name: str
class ChatCompletionToolMessageParam(TypedDict):
    content: str | Iterable[ChatCompletionContentPartTextParam]; role: Literal["tool"]
    tool_call_id: str
class _ChatCompletionUserMessageParam(TypedDict):
    content: str | Iterable[ChatCompletionContentPartParam]; role: Literal["user"]
class ChatCompletionUserMessageParam(_ChatCompletionUserMessageParam, total=False):
    name: str
class _CompletionCreateParamsBase(TypedDict):
    messages: Iterable[ChatCompletionMessageParam]; model: str | ChatModel
class CompletionCreateParamsBase(_CompletionCreateParamsBase, total=False):
    audio: ChatCompletionAudioParam | None; frequency_penalty: float | None
    function_call: CompletionCreateParamsFunctionCall
    functions: Iterable[CompletionCreateParamsFunction]; logit_bias: dict[str, int] | None
    logprobs: bool | None; max_completion_tokens: int | None; max_tokens: int | None
    metadata: Metadata | None; modalities: list[Literal["text", "audio"]] | None
    moderation: CompletionCreateParamsModeration | None; n: int | None; parallel_tool_calls: bool
    prediction: ChatCompletionPredictionContentParam | None; presence_penalty: float | None
    prompt_cache_key: str | None; prompt_cache_options: CompletionCreateParamsPromptCacheOptions
    prompt_cache_retention: Literal["in_memory", "24h"] | None
    reasoning_effort: ReasoningEffort | None; response_format: ResponseFormat
    safety_identifier: str | None; seed: int | None
    service_tier: Literal["auto", "default", "flex", "scale", "priority", "fast"] | None
    stop: str | SequenceNotStr[str] | None; store: bool | None
    stream_options: ChatCompletionStreamOptionsParam | None; temperature: float | None
    tool_choice: ChatCompletionToolChoiceOptionParam; tools: Iterable[ChatCompletionToolUnionParam]
    top_logprobs: int | None; top_p: float | None; user: str
    verbosity: Literal["low", "medium", "high"] | None; web_search_options: WebSearchOptions
class _CompletionCreateParamsFunction(TypedDict):
    name: str
class CompletionCreateParamsFunction(_CompletionCreateParamsFunction, total=False):
    description: str; parameters: FunctionParameters
class ModerationPolicyInput(TypedDict):
    mode: Literal["score", "block"]
class ModerationPolicyOutput(TypedDict):
    mode: Literal["score", "block"]
class ModerationPolicy(TypedDict, total=False):
    input: ModerationPolicyInput | None; output: ModerationPolicyOutput | None
class _CompletionCreateParamsModeration(TypedDict):
    model: str
class CompletionCreateParamsModeration(_CompletionCreateParamsModeration, total=False):
    policy: ModerationPolicy | None
class CompletionCreateParamsPromptCacheOptions(TypedDict, total=False):
    mode: Literal["implicit", "explicit"]; ttl: Literal["30m"]
class WebSearchOptionsUserLocationApproximate(TypedDict, total=False):
    city: str; country: str; region: str; timezone: str
class WebSearchOptionsUserLocation(TypedDict):
    approximate: WebSearchOptionsUserLocationApproximate; type: Literal["approximate"]
class WebSearchOptions(TypedDict, total=False):
    search_context_size: Literal["low", "medium", "high"]
    user_location: WebSearchOptionsUserLocation | None
class CompletionCreateParamsNonStreaming(CompletionCreateParamsBase, total=False):
    stream: Literal[False] | None
class CompletionCreateParamsStreaming(CompletionCreateParamsBase):
    stream: Literal[True]
class _ApplyPatchToolParam(TypedDict):
    type: Literal["apply_patch"]
class ApplyPatchToolParam(_ApplyPatchToolParam, total=False):
    allowed_callers: list[Literal["direct", "programmatic"]] | None
class _ComputerActionListParamClick(TypedDict):
    button: Literal["left", "right", "wheel", "back", "forward"]; type: Literal["click"]; x: int
    y: int
class ComputerActionListParamClick(_ComputerActionListParamClick, total=False):
    keys: SequenceNotStr[str] | None
class ComputerActionListParamDoubleClick(TypedDict):
    keys: SequenceNotStr[str] | None; type: Literal["double_click"]; x: int; y: int
class ComputerActionListParamDragPath(TypedDict):
    x: int; y: int
class _ComputerActionListParamDrag(TypedDict):
    path: Iterable[ComputerActionListParamDragPath]; type: Literal["drag"]
class ComputerActionListParamDrag(_ComputerActionListParamDrag, total=False):
    keys: SequenceNotStr[str] | None
class ComputerActionListParamKeypress(TypedDict):
    keys: SequenceNotStr[str]; type: Literal["keypress"]
class _ComputerActionListParamMove(TypedDict):
    type: Literal["move"]; x: int; y: int
class ComputerActionListParamMove(_ComputerActionListParamMove, total=False):
    keys: SequenceNotStr[str] | None
class ComputerActionListParamScreenshot(TypedDict):
    type: Literal["screenshot"]
class _ComputerActionListParamScroll(TypedDict):
    scroll_x: int; scroll_y: int; type: Literal["scroll"]; x: int; y: int
class ComputerActionListParamScroll(_ComputerActionListParamScroll, total=False):
    keys: SequenceNotStr[str] | None
class ComputerActionListParamType(TypedDict):
    text: str; type: Literal["type"]
class ComputerActionListParamWait(TypedDict):
    type: Literal["wait"]
class ComputerToolParam(TypedDict):
    type: Literal["computer"]
class ComputerUsePreviewToolParam(TypedDict):
    display_height: int; display_width: int
    environment: Literal["windows", "mac", "linux", "ubuntu", "browser"]
    type: Literal["computer_use_preview"]
class _ContainerAutoParam(TypedDict):
    type: Literal["container_auto"]
class ContainerAutoParam(_ContainerAutoParam, total=False):
    file_ids: SequenceNotStr[str]; memory_limit: Literal["1g", "4g", "16g", "64g"] | None
    network_policy: ContainerAutoParamNetworkPolicy; skills: Iterable[ContainerAutoParamSkill]
class _ContainerNetworkPolicyAllowlistParam(TypedDict):
    allowed_domains: SequenceNotStr[str]; type: Literal["allowlist"]
class ContainerNetworkPolicyAllowlistParam(_ContainerNetworkPolicyAllowlistParam, total=False):
    domain_secrets: Iterable[ContainerNetworkPolicyDomainSecretParam]
class ContainerNetworkPolicyDisabledParam(TypedDict):
    type: Literal["disabled"]
class ContainerNetworkPolicyDomainSecretParam(TypedDict):
    domain: str; name: str; value: str
class ContainerReferenceParam(TypedDict):
    container_id: str; type: Literal["container_reference"]
_CustomToolParamKeywords = TypedDict("_CustomToolParamKeywords", {"async": bool}, total=False)
class _CustomToolParam(TypedDict):
    name: str; type: Literal["custom"]
class CustomToolParam(_CustomToolParam, _CustomToolParamKeywords, total=False):
    allowed_callers: list[Literal["direct", "programmatic"]] | None; defer_loading: bool
    description: str; format: CustomToolInputFormatParam
class _EasyInputMessageParam(TypedDict):
    content: str | ResponseInputMessageContentListParam
    role: Literal["user", "assistant", "system", "developer"]
class EasyInputMessageParam(_EasyInputMessageParam, total=False):
    phase: Literal["commentary", "final_answer"] | None; type: Literal["message"]
class FileSearchToolParamRankingOptionsHybridSearch(TypedDict):
    embedding_weight: float; text_weight: float
class FileSearchToolParamRankingOptions(TypedDict, total=False):
    hybrid_search: FileSearchToolParamRankingOptionsHybridSearch
    ranker: Literal["auto", "default-2024-11-15"]; score_threshold: float
class _FileSearchToolParam(TypedDict):
    type: Literal["file_search"]; vector_store_ids: SequenceNotStr[str]
class FileSearchToolParam(_FileSearchToolParam, total=False):
    filters: FileSearchToolParamFilters | None; max_num_results: int
    ranking_options: FileSearchToolParamRankingOptions
class _FunctionShellToolParam(TypedDict):
    type: Literal["shell"]
class FunctionShellToolParam(_FunctionShellToolParam, total=False):
    allowed_callers: list[Literal["direct", "programmatic"]] | None
    environment: FunctionShellToolParamEnvironment | None
_FunctionToolParamKeywords = TypedDict("_FunctionToolParamKeywords", {"async": bool}, total=False)
class _FunctionToolParam(TypedDict):
    name: str; parameters: dict[str, object] | None; strict: bool | None; type: Literal["function"]
class FunctionToolParam(_FunctionToolParam, _FunctionToolParamKeywords, total=False):
    allowed_callers: list[Literal["direct", "programmatic"]] | None; defer_loading: bool
    description: str | None; output_schema: dict[str, object] | None
class InlineSkillParam(TypedDict):
    description: str; name: str; source: InlineSkillSourceParam; type: Literal["inline"]
class InlineSkillSourceParam(TypedDict):
    data: str; media_type: Literal["application/zip"]; type: Literal["base64"]
class _LocalEnvironmentParam(TypedDict):
    type: Literal["local"]
class LocalEnvironmentParam(_LocalEnvironmentParam, total=False):
    skills: Iterable[LocalSkillParam]
class LocalSkillParam(TypedDict):
    description: str; name: str; path: str
class McpToolCallErrorParamMcpProtocolError(TypedDict):
    code: int; message: str; type: Literal["mcp_protocol_error"]
class McpToolCallErrorParamMcpToolExecutionError(TypedDict):
    content: object; type: Literal["mcp_tool_execution_error"]
class McpToolCallErrorParamHTTPError(TypedDict):
    code: int; message: str; type: Literal["http_error"]
_NamespaceToolParamToolFunctionKeywords = TypedDict("_NamespaceToolParamToolFunctionKeywords", {"async": bool}, total=False)
class _NamespaceToolParamToolFunction(TypedDict):
    name: str; type: Literal["function"]
class NamespaceToolParamToolFunction(_NamespaceToolParamToolFunction, _NamespaceToolParamToolFunctionKeywords, total=False):
    allowed_callers: list[Literal["direct", "programmatic"]] | None; defer_loading: bool
    description: str | None; output_schema: dict[str, object] | None; parameters: object | None
    strict: bool | None
class NamespaceToolParam(TypedDict):
    description: str; name: str; tools: Iterable[NamespaceToolParamTool]; type: Literal["namespace"]
class ResponseCodeInterpreterToolCallParamOutputLogs(TypedDict):
    logs: str; type: Literal["logs"]
class ResponseCodeInterpreterToolCallParamOutputImage(TypedDict):
    type: Literal["image"]; url: str
class ResponseCodeInterpreterToolCallParam(TypedDict):
    id: str; code: str | None; container_id: str
    outputs: Iterable[ResponseCodeInterpreterToolCallParamOutput] | None
    status: Literal["in_progress", "completed", "incomplete", "interpreting", "failed"]
    type: Literal["code_interpreter_call"]
class _ResponseCompactionItemParamParam(TypedDict):
    encrypted_content: str; type: Literal["compaction"]
class ResponseCompactionItemParamParam(_ResponseCompactionItemParamParam, total=False):
    id: str | None
class _ResponseComputerToolCallOutputScreenshotParam(TypedDict):
    type: Literal["computer_screenshot"]
class ResponseComputerToolCallOutputScreenshotParam(_ResponseComputerToolCallOutputScreenshotParam, total=False):
    file_id: str; image_url: str
class _ResponseComputerToolCallParamPendingSafetyCheck(TypedDict):
    id: str
class ResponseComputerToolCallParamPendingSafetyCheck(_ResponseComputerToolCallParamPendingSafetyCheck, total=False):
    code: str | None; message: str | None
class _ResponseComputerToolCallParamActionClick(TypedDict):
    button: Literal["left", "right", "wheel", "back", "forward"]; type: Literal["click"]; x: int
    y: int
class ResponseComputerToolCallParamActionClick(_ResponseComputerToolCallParamActionClick, total=False):
    keys: SequenceNotStr[str] | None
class ResponseComputerToolCallParamActionDoubleClick(TypedDict):
    keys: SequenceNotStr[str] | None; type: Literal["double_click"]; x: int; y: int
class ResponseComputerToolCallParamActionDragPath(TypedDict):
    x: int; y: int
class _ResponseComputerToolCallParamActionDrag(TypedDict):
    path: Iterable[ResponseComputerToolCallParamActionDragPath]; type: Literal["drag"]
class ResponseComputerToolCallParamActionDrag(_ResponseComputerToolCallParamActionDrag, total=False):
    keys: SequenceNotStr[str] | None
class ResponseComputerToolCallParamActionKeypress(TypedDict):
    keys: SequenceNotStr[str]; type: Literal["keypress"]
class _ResponseComputerToolCallParamActionMove(TypedDict):
    type: Literal["move"]; x: int; y: int
class ResponseComputerToolCallParamActionMove(_ResponseComputerToolCallParamActionMove, total=False):
    keys: SequenceNotStr[str] | None
class ResponseComputerToolCallParamActionScreenshot(TypedDict):
    type: Literal["screenshot"]
class _ResponseComputerToolCallParamActionScroll(TypedDict):
    scroll_x: int; scroll_y: int; type: Literal["scroll"]; x: int; y: int
class ResponseComputerToolCallParamActionScroll(_ResponseComputerToolCallParamActionScroll, total=False):
    keys: SequenceNotStr[str] | None
class ResponseComputerToolCallParamActionType(TypedDict):
    text: str; type: Literal["type"]
class ResponseComputerToolCallParamActionWait(TypedDict):
    type: Literal["wait"]
class _ResponseComputerToolCallParam(TypedDict):
    id: str; call_id: str
    pending_safety_checks: Iterable[ResponseComputerToolCallParamPendingSafetyCheck]
    status: Literal["in_progress", "completed", "incomplete"]; type: Literal["computer_call"]
class ResponseComputerToolCallParam(_ResponseComputerToolCallParam, total=False):
    action: ResponseComputerToolCallParamAction; actions: ComputerActionListParam
class ResponseConfigurationUpdateItemParamParamReasoning(TypedDict, total=False):
    effort: ReasoningEffort | None
class ResponseConfigurationUpdateItemParamParamText(TypedDict):
    format: ResponseConfigurationUpdateItemParamParamTextFormat
class _ResponseConfigurationUpdateItemParamParam(TypedDict):
    type: Literal["configuration_update"]
class ResponseConfigurationUpdateItemParamParam(_ResponseConfigurationUpdateItemParamParam, total=False):
    id: str | None; reasoning: ResponseConfigurationUpdateItemParamParamReasoning
    text: ResponseConfigurationUpdateItemParamParamText
class ResponseConversationParamParam(TypedDict):
    id: str
class ResponseCreateParamsBase(TypedDict, total=False):
    access_programs: ResponseCreateParamsAccessPrograms; background: bool | None
    background_options: ResponseCreateParamsBackgroundOptions
    context_management: Iterable[ContextManagement] | None
    conversation: ResponseCreateParamsConversation | None; image: ResponseCreateParamsImage
    include: list[ResponseIncludable] | None; input: str | ResponseInputParam
    instructions: str | None; max_output_tokens: int | None; max_tool_calls: int | None
    metadata: Metadata | None; model: ResponsesModel
    moderation: CompletionCreateParamsModeration | None; parallel_tool_calls: bool | None
    previous_response_id: str | None; prompt: ResponsePromptParam | None
    prompt_cache_key: str | None; prompt_cache_options: ResponseCreateParamsPromptCacheOptions
    prompt_cache_retention: Literal["in_memory", "24h"] | None; reasoning: ReasoningParam | None
    safety_identifier: str | None; service_tier: ServiceTier | None; store: bool | None
    stream_options: StreamOptions | None; temperature: float | None; text: ResponseTextConfigParam
    tool_choice: ResponseCreateParamsToolChoice; tools: Iterable[ToolParam]
    top_logprobs: int | None; top_p: float | None; truncation: Literal["auto", "disabled"] | None
    user: str
class ResponseCreateParamsAccessPrograms(TypedDict, total=False):
    cyber: Literal["standard", "daybreak_blue", "daybreak_red"]
class ResponseCreateParamsBackgroundOptions(TypedDict, total=False):
    completion_window: Literal["soonest", "2h", "8h"]; continuation_id: str
class _ContextManagement(TypedDict):
    type: str
class ContextManagement(_ContextManagement, total=False):
    compact_threshold: int | None
class ResponseCreateParamsImage(TypedDict, total=False):
    context_compression: Literal["auto", "enabled", "disabled"]
class ResponseCreateParamsPromptCacheOptions(TypedDict, total=False):
    comparison_response_id: str | None; mode: Literal["implicit", "explicit"]; prewarm: bool
    ttl: Literal["30m", "12h"]
class StreamOptions(TypedDict, total=False):
    include_obfuscation: bool
class ResponseCreateParamsToolChoiceSpecificProgrammaticToolCallingParam(TypedDict):
    type: Literal["programmatic_tool_calling"]
class ResponseCreateParamsNonStreaming(ResponseCreateParamsBase, total=False):
    stream: Literal[False] | None
class ResponseCreateParamsStreaming(ResponseCreateParamsBase):
    stream: Literal[True]
class ResponseCustomToolCallOutputParamCallerDirect(TypedDict):
    type: Literal["direct"]
class ResponseCustomToolCallOutputParamCallerProgram(TypedDict):
    caller_id: str; type: Literal["program"]
class _ResponseCustomToolCallOutputParam(TypedDict):
    call_id: str; output: str | Iterable[ResponseCustomToolCallOutputParamOutputOutputContentList]
    type: Literal["custom_tool_call_output"]
class ResponseCustomToolCallOutputParam(_ResponseCustomToolCallOutputParam, total=False):
    id: str; caller: ResponseCustomToolCallOutputParamCaller | None
_ResponseCustomToolCallParamKeywords = TypedDict("_ResponseCustomToolCallParamKeywords", {"async": bool}, total=False)
class _ResponseCustomToolCallParam(TypedDict):
    call_id: str; input: str; name: str; type: Literal["custom_tool_call"]
class ResponseCustomToolCallParam(_ResponseCustomToolCallParam, _ResponseCustomToolCallParamKeywords, total=False):
    id: str; caller: ResponseCustomToolCallOutputParamCaller | None; namespace: str
class ResponseFileSearchToolCallParamResult(TypedDict, total=False):
    attributes: dict[str, str | float | bool] | None; file_id: str; filename: str; score: float
    text: str
class _ResponseFileSearchToolCallParam(TypedDict):
    id: str; queries: SequenceNotStr[str]
    status: Literal["in_progress", "searching", "completed", "incomplete", "failed"]
    type: Literal["file_search_call"]
class ResponseFileSearchToolCallParam(_ResponseFileSearchToolCallParam, total=False):
    results: Iterable[ResponseFileSearchToolCallParamResult] | None
class _ResponseFormatTextJSONSchemaConfigParam(TypedDict):
    name: str; schema: dict[str, object]; type: Literal["json_schema"]
class ResponseFormatTextJSONSchemaConfigParam(_ResponseFormatTextJSONSchemaConfigParam, total=False):
    description: str; strict: bool | None
class ResponseFunctionShellCallOutputContentParamOutcomeTimeout(TypedDict):
    type: Literal["timeout"]
class ResponseFunctionShellCallOutputContentParamOutcomeExit(TypedDict):
    exit_code: int; type: Literal["exit"]
class ResponseFunctionShellCallOutputContentParam(TypedDict):
    outcome: ResponseFunctionShellCallOutputContentParamOutcome; stderr: str; stdout: str
_ResponseFunctionToolCallParamKeywords = TypedDict("_ResponseFunctionToolCallParamKeywords", {"async": bool}, total=False)
class _ResponseFunctionToolCallParam(TypedDict):
    arguments: str; call_id: str; name: str; type: Literal["function_call"]
class ResponseFunctionToolCallParam(_ResponseFunctionToolCallParam, _ResponseFunctionToolCallParamKeywords, total=False):
    id: str; caller: ResponseCustomToolCallOutputParamCaller | None; namespace: str
    status: Literal["in_progress", "completed", "incomplete"]
class ResponseFunctionWebSearchParamActionSearchSource(TypedDict):
    type: Literal["url"]; url: str
class _ResponseFunctionWebSearchParamActionSearch(TypedDict):
    type: Literal["search"]
class ResponseFunctionWebSearchParamActionSearch(_ResponseFunctionWebSearchParamActionSearch, total=False):
    queries: SequenceNotStr[str]; query: str
    sources: Iterable[ResponseFunctionWebSearchParamActionSearchSource]
class _ResponseFunctionWebSearchParamActionOpenPage(TypedDict):
    type: Literal["open_page"]
class ResponseFunctionWebSearchParamActionOpenPage(_ResponseFunctionWebSearchParamActionOpenPage, total=False):
    url: str | None
class ResponseFunctionWebSearchParamActionFind(TypedDict):
    pattern: str; type: Literal["find_in_page"]; url: str
class ResponseFunctionWebSearchParam(TypedDict):
    id: str; action: ResponseFunctionWebSearchParamAction
    status: Literal["in_progress", "searching", "completed", "failed", "incomplete"]
    type: Literal["web_search_call"]
class ResponseInputAudioParamInputAudio(TypedDict):
    data: str; format: Literal["mp3", "wav"]
class ResponseInputAudioParam(TypedDict):
    input_audio: ResponseInputAudioParamInputAudio; type: Literal["input_audio"]
class _ResponseInputFileContentParam(TypedDict):
    type: Literal["input_file"]
class ResponseInputFileContentParam(_ResponseInputFileContentParam, total=False):
    detail: Literal["auto", "low", "high"]; file_data: str | None; file_id: str | None
    file_url: str | None; filename: str | None
    prompt_cache_breakpoint: ChatCompletionContentPartImageParamPromptCacheBreakpoint | None
class _ResponseInputFileParam(TypedDict):
    type: Literal["input_file"]
class ResponseInputFileParam(_ResponseInputFileParam, total=False):
    detail: Literal["auto", "low", "high"]; file_data: str; file_id: str | None; file_url: str
    filename: str; prompt_cache_breakpoint: ChatCompletionContentPartImageParamPromptCacheBreakpoint
class _ResponseInputImageContentParam(TypedDict):
    type: Literal["input_image"]
class ResponseInputImageContentParam(_ResponseInputImageContentParam, total=False):
    detail: ImageDetail | None; file_id: str | None; image_url: str | None
    prompt_cache_breakpoint: ChatCompletionContentPartImageParamPromptCacheBreakpoint | None
class _ResponseInputImageParam(TypedDict):
    detail: ImageDetail; type: Literal["input_image"]
class ResponseInputImageParam(_ResponseInputImageParam, total=False):
    file_id: str | None; image_url: str | None
    prompt_cache_breakpoint: ChatCompletionContentPartImageParamPromptCacheBreakpoint
class _ResponseInputItemParamMessage(TypedDict):
    content: ResponseInputMessageContentListParam; role: Literal["user", "system", "developer"]
class ResponseInputItemParamMessage(_ResponseInputItemParamMessage, total=False):
    status: Literal["in_progress", "completed", "incomplete"]; type: Literal["message"]
class _ResponseInputItemParamComputerCallOutputAcknowledgedSafetyCheck(TypedDict):
    id: str
class ResponseInputItemParamComputerCallOutputAcknowledgedSafetyCheck(_ResponseInputItemParamComputerCallOutputAcknowledgedSafetyCheck, total=False):
    code: str | None; message: str | None
class _ResponseInputItemParamComputerCallOutput(TypedDict):
    call_id: str; output: ResponseComputerToolCallOutputScreenshotParam
    type: Literal["computer_call_output"]
class ResponseInputItemParamComputerCallOutput(_ResponseInputItemParamComputerCallOutput, total=False):
    id: str | None
    acknowledged_safety_checks: (Iterable[ResponseInputItemParamComputerCallOutputAcknowledgedSafetyCheck]
        | None); status: Literal["in_progress", "completed", "incomplete"] | None
class ResponseInputItemParamFunctionCallOutputCallerDirect(TypedDict):
    type: Literal["direct"]
class ResponseInputItemParamFunctionCallOutputCallerProgram(TypedDict):
    caller_id: str; type: Literal["program"]
class _ResponseInputItemParamFunctionCallOutput(TypedDict):
    output: str | ResponseFunctionCallOutputItemListParam; type: Literal["function_call_output"]
class ResponseInputItemParamFunctionCallOutput(_ResponseInputItemParamFunctionCallOutput, total=False):
    id: str | None; call_id: str | None
    caller: ResponseInputItemParamFunctionCallOutputCaller | None; name: str | None
    namespace: str | None; status: Literal["in_progress", "completed", "incomplete"] | None
class _ResponseInputItemParamToolSearchCall(TypedDict):
    arguments: object; type: Literal["tool_search_call"]
class ResponseInputItemParamToolSearchCall(_ResponseInputItemParamToolSearchCall, total=False):
    id: str | None; call_id: str | None; execution: Literal["server", "client"]
    status: Literal["in_progress", "completed", "incomplete"] | None
class _ResponseInputItemParamAdditionalTools(TypedDict):
    role: Literal["developer"]; tools: Iterable[ToolParam]; type: Literal["additional_tools"]
class ResponseInputItemParamAdditionalTools(_ResponseInputItemParamAdditionalTools, total=False):
    id: str | None
class ResponseInputItemParamImageGenerationCallErrorModerationDetails(TypedDict):
    categories: SequenceNotStr[str]; moderation_stage: Literal["input", "output", "unknown"]
class _ResponseInputItemParamImageGenerationCallError(TypedDict):
    code: str | None; message: str; param: str | None; type: str
class ResponseInputItemParamImageGenerationCallError(_ResponseInputItemParamImageGenerationCallError, total=False):
    moderation_details: ResponseInputItemParamImageGenerationCallErrorModerationDetails
class ResponseInputItemParamImageGenerationCallSvgUsage(TypedDict):
    input_tokens: int; model: str; output_tokens: int; reasoning_tokens: int; total_tokens: int
class _ResponseInputItemParamImageGenerationCall(TypedDict):
    id: str; result: str | None; status: Literal["in_progress", "completed", "generating", "failed"]
    type: Literal["image_generation_call"]
class ResponseInputItemParamImageGenerationCall(_ResponseInputItemParamImageGenerationCall, total=False):
    action: Literal["generate", "edit", "auto"] | None
    background: Literal["transparent", "opaque", "auto"] | None
    error: ResponseInputItemParamImageGenerationCallError
    output_format: Literal["png", "webp", "jpeg", "gif", "svg"] | None
    quality: Literal["low", "medium", "high", "xhigh", "max", "auto"] | None
    revised_prompt: str | None; size: str | Literal["1024x1024", "1024x1536", "1536x1024"] | None
    svg_usage: ResponseInputItemParamImageGenerationCallSvgUsage
class _ResponseInputItemParamLocalShellCallAction(TypedDict):
    command: SequenceNotStr[str]; env: dict[str, str]; type: Literal["exec"]
class ResponseInputItemParamLocalShellCallAction(_ResponseInputItemParamLocalShellCallAction, total=False):
    timeout_ms: int | None; user: str | None; working_directory: str | None
class ResponseInputItemParamLocalShellCall(TypedDict):
    id: str; action: ResponseInputItemParamLocalShellCallAction; call_id: str
    status: Literal["in_progress", "completed", "incomplete"]; type: Literal["local_shell_call"]
class _ResponseInputItemParamLocalShellCallOutput(TypedDict):
    id: str; output: str; type: Literal["local_shell_call_output"]
class ResponseInputItemParamLocalShellCallOutput(_ResponseInputItemParamLocalShellCallOutput, total=False):
    status: Literal["in_progress", "completed", "incomplete"] | None
class _ResponseInputItemParamShellCallAction(TypedDict):
    commands: SequenceNotStr[str]
class ResponseInputItemParamShellCallAction(_ResponseInputItemParamShellCallAction, total=False):
    max_output_length: int | None; timeout_ms: int | None
class ResponseInputItemParamShellCallCallerDirect(TypedDict):
    type: Literal["direct"]
class ResponseInputItemParamShellCallCallerProgram(TypedDict):
    caller_id: str; type: Literal["program"]
class _ResponseInputItemParamShellCall(TypedDict):
    action: ResponseInputItemParamShellCallAction; call_id: str; type: Literal["shell_call"]
class ResponseInputItemParamShellCall(_ResponseInputItemParamShellCall, total=False):
    id: str | None; caller: ResponseInputItemParamShellCallCaller | None
    environment: ResponseInputItemParamShellCallEnvironment | None
    status: Literal["in_progress", "completed", "incomplete"] | None
class ResponseInputItemParamShellCallOutputCallerDirect(TypedDict):
    type: Literal["direct"]
class ResponseInputItemParamShellCallOutputCallerProgram(TypedDict):
    caller_id: str; type: Literal["program"]
class _ResponseInputItemParamShellCallOutput(TypedDict):
    call_id: str; output: Iterable[ResponseFunctionShellCallOutputContentParam]
    type: Literal["shell_call_output"]
class ResponseInputItemParamShellCallOutput(_ResponseInputItemParamShellCallOutput, total=False):
    id: str | None; caller: ResponseInputItemParamShellCallOutputCaller | None
    max_output_length: int | None; status: Literal["in_progress", "completed", "incomplete"] | None
class ResponseInputItemParamApplyPatchCallOperationCreateFile(TypedDict):
    diff: str; path: str; type: Literal["create_file"]
class ResponseInputItemParamApplyPatchCallOperationDeleteFile(TypedDict):
    path: str; type: Literal["delete_file"]
class ResponseInputItemParamApplyPatchCallOperationUpdateFile(TypedDict):
    diff: str; path: str; type: Literal["update_file"]
class ResponseInputItemParamApplyPatchCallCallerDirect(TypedDict):
    type: Literal["direct"]
class ResponseInputItemParamApplyPatchCallCallerProgram(TypedDict):
    caller_id: str; type: Literal["program"]
class _ResponseInputItemParamApplyPatchCall(TypedDict):
    call_id: str; operation: ResponseInputItemParamApplyPatchCallOperation
    status: Literal["in_progress", "completed"]; type: Literal["apply_patch_call"]
class ResponseInputItemParamApplyPatchCall(_ResponseInputItemParamApplyPatchCall, total=False):
    id: str | None; caller: ResponseInputItemParamApplyPatchCallCaller | None
class ResponseInputItemParamApplyPatchCallOutputCallerDirect(TypedDict):
    type: Literal["direct"]
class ResponseInputItemParamApplyPatchCallOutputCallerProgram(TypedDict):
    caller_id: str; type: Literal["program"]
class _ResponseInputItemParamApplyPatchCallOutput(TypedDict):
    call_id: str; status: Literal["completed", "failed"]; type: Literal["apply_patch_call_output"]
class ResponseInputItemParamApplyPatchCallOutput(_ResponseInputItemParamApplyPatchCallOutput, total=False):
    id: str | None; caller: ResponseInputItemParamApplyPatchCallOutputCaller | None
    output: str | None
class _ResponseInputItemParamMcpListToolsTool(TypedDict):
    input_schema: object; name: str
class ResponseInputItemParamMcpListToolsTool(_ResponseInputItemParamMcpListToolsTool, total=False):
    annotations: object | None; description: str | None
class _ResponseInputItemParamMcpListTools(TypedDict):
    id: str; server_label: str; tools: Iterable[ResponseInputItemParamMcpListToolsTool]
    type: Literal["mcp_list_tools"]
class ResponseInputItemParamMcpListTools(_ResponseInputItemParamMcpListTools, total=False):
    error: str | None
class ResponseInputItemParamMcpApprovalRequest(TypedDict):
    id: str; arguments: str; name: str; server_label: str; type: Literal["mcp_approval_request"]
class _ResponseInputItemParamMcpApprovalResponse(TypedDict):
    approval_request_id: str; approve: bool; type: Literal["mcp_approval_response"]
class ResponseInputItemParamMcpApprovalResponse(_ResponseInputItemParamMcpApprovalResponse, total=False):
    id: str | None; reason: str | None
class _ResponseInputItemParamMcpCall(TypedDict):
    id: str; arguments: str; name: str; server_label: str; type: Literal["mcp_call"]
class ResponseInputItemParamMcpCall(_ResponseInputItemParamMcpCall, total=False):
    approval_request_id: str | None; error: McpToolCallErrorParam | None; output: str | None
    status: Literal["in_progress", "completed", "incomplete", "calling", "failed"]
class _ResponseInputItemParamCompactionTrigger(TypedDict):
    type: Literal["compaction_trigger"]
class ResponseInputItemParamCompactionTrigger(_ResponseInputItemParamCompactionTrigger, total=False):
    id: str | None
class _ResponseInputItemParamItemReference(TypedDict):
    id: str
class ResponseInputItemParamItemReference(_ResponseInputItemParamItemReference, total=False):
    type: Literal["item_reference"] | None
class ResponseInputItemParamProgram(TypedDict):
    id: str; call_id: str; code: str; fingerprint: str; type: Literal["program"]
class ResponseInputItemParamProgramOutput(TypedDict):
    id: str; call_id: str; result: str; status: Literal["completed", "incomplete"]
    type: Literal["program_output"]
class _ResponseInputTextContentParam(TypedDict):
    text: str; type: Literal["input_text"]
class ResponseInputTextContentParam(_ResponseInputTextContentParam, total=False):
    prompt_cache_breakpoint: ChatCompletionContentPartImageParamPromptCacheBreakpoint | None
class _ResponseInputTextParam(TypedDict):
    text: str; type: Literal["input_text"]
class ResponseInputTextParam(_ResponseInputTextParam, total=False):
    prompt_cache_breakpoint: ChatCompletionContentPartImageParamPromptCacheBreakpoint
class _ResponseOutputMessageParam(TypedDict):
    id: str; content: Iterable[ResponseOutputMessageParamContent]; role: Literal["assistant"]
    status: Literal["in_progress", "completed", "incomplete"]; type: Literal["message"]
class ResponseOutputMessageParam(_ResponseOutputMessageParam, total=False):
    phase: Literal["commentary", "final_answer"] | None
class ResponseOutputRefusalParam(TypedDict):
    refusal: str; type: Literal["refusal"]
class ResponseOutputTextParamAnnotationFileCitation(TypedDict):
    file_id: str; filename: str; index: int; type: Literal["file_citation"]
class ResponseOutputTextParamAnnotationURLCitation(TypedDict):
    end_index: int; start_index: int; title: str; type: Literal["url_citation"]; url: str
class ResponseOutputTextParamAnnotationContainerFileCitation(TypedDict):
    container_id: str; end_index: int; file_id: str; filename: str; start_index: int
    type: Literal["container_file_citation"]
class ResponseOutputTextParamAnnotationFilePath(TypedDict):
    file_id: str; index: int; type: Literal["file_path"]
class ResponseOutputTextParamLogprobTopLogprob(TypedDict):
    token: str; bytes: Iterable[int]; logprob: float
class ResponseOutputTextParamLogprob(TypedDict):
    token: str; bytes: Iterable[int]; logprob: float
    top_logprobs: Iterable[ResponseOutputTextParamLogprobTopLogprob]
class _ResponseOutputTextParam(TypedDict):
    annotations: Iterable[ResponseOutputTextParamAnnotation]; text: str
    type: Literal["output_text"]
class ResponseOutputTextParam(_ResponseOutputTextParam, total=False):
    logprobs: Iterable[ResponseOutputTextParamLogprob]
class _ResponsePromptParam(TypedDict):
    id: str
class ResponsePromptParam(_ResponsePromptParam, total=False):
    variables: dict[str, ResponsePromptParamVariables] | None; version: str | None
class ResponseReasoningItemParamSummary(TypedDict):
    text: str; type: Literal["summary_text"]
class ResponseReasoningItemParamContent(TypedDict):
    text: str; type: Literal["reasoning_text"]
class _ResponseReasoningItemParam(TypedDict):
    id: str; summary: Iterable[ResponseReasoningItemParamSummary]; type: Literal["reasoning"]
class ResponseReasoningItemParam(_ResponseReasoningItemParam, total=False):
    content: Iterable[ResponseReasoningItemParamContent]; encrypted_content: str | None
    status: Literal["in_progress", "completed", "incomplete"]
class ResponseTextConfigParam(TypedDict, total=False):
    format: ResponseFormatTextConfigParam; verbosity: Literal["low", "medium", "high"] | None
class ResponseToolSearchOutputItemParamParamToolMcpAllowedToolsMcpToolFilter(TypedDict, total=False):
    read_only: bool; tool_names: SequenceNotStr[str]
class ResponseToolSearchOutputItemParamParamToolMcpRequireApprovalMcpToolApprovalFilterAlways(TypedDict, total=False):
    read_only: bool; tool_names: SequenceNotStr[str]
class ResponseToolSearchOutputItemParamParamToolMcpRequireApprovalMcpToolApprovalFilterNever(TypedDict, total=False):
    read_only: bool; tool_names: SequenceNotStr[str]
class ResponseToolSearchOutputItemParamParamToolMcpRequireApprovalMcpToolApprovalFilter(TypedDict, total=False):
    always: ResponseToolSearchOutputItemParamParamToolMcpRequireApprovalMcpToolApprovalFilterAlways
    never: ResponseToolSearchOutputItemParamParamToolMcpRequireApprovalMcpToolApprovalFilterNever
class _ResponseToolSearchOutputItemParamParamToolMcp(TypedDict):
    server_label: str; type: Literal["mcp"]
class ResponseToolSearchOutputItemParamParamToolMcp(_ResponseToolSearchOutputItemParamParamToolMcp, total=False):
    allowed_callers: list[Literal["direct", "programmatic"]] | None
    allowed_tools: ResponseToolSearchOutputItemParamParamToolMcpAllowedTools | None
    authorization: str
    connector_id: Literal["connector_dropbox", "connector_gmail", "connector_googlecalendar",
        "connector_googledrive", "connector_microsoftteams", "connector_outlookcalendar",
        "connector_outlookemail", "connector_sharepoint"]; defer_loading: bool
    headers: dict[str, str] | None
    require_approval: ResponseToolSearchOutputItemParamParamToolMcpRequireApproval | None
    server_description: str; server_url: str; tunnel_id: str
class _ResponseToolSearchOutputItemParamParamToolCodeInterpreterContainerCodeInterpreterToolAuto(TypedDict):
    type: Literal["auto"]
class ResponseToolSearchOutputItemParamParamToolCodeInterpreterContainerCodeInterpreterToolAuto(_ResponseToolSearchOutputItemParamParamToolCodeInterpreterContainerCodeInterpreterToolAuto, total=False):
    file_ids: SequenceNotStr[str]; memory_limit: Literal["1g", "4g", "16g", "64g"] | None
    network_policy: ResponseToolSearchOutputItemParamParamToolCodeInterpreterContainerCodeInterpreterToolAutoNetworkPolicy
class _ResponseToolSearchOutputItemParamParamToolCodeInterpreter(TypedDict):
    container: ResponseToolSearchOutputItemParamParamToolCodeInterpreterContainer
    type: Literal["code_interpreter"]
class ResponseToolSearchOutputItemParamParamToolCodeInterpreter(_ResponseToolSearchOutputItemParamParamToolCodeInterpreter, total=False):
    allowed_callers: list[Literal["direct", "programmatic"]] | None
class ResponseToolSearchOutputItemParamParamToolProgrammaticToolCalling(TypedDict):
    type: Literal["programmatic_tool_calling"]
class ResponseToolSearchOutputItemParamParamToolImageGenerationInputImageMask(TypedDict, total=False):
    file_id: str; image_url: str
class ResponseToolSearchOutputItemParamParamToolImageGenerationSvgReasoning(TypedDict, total=False):
    effort: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
class ResponseToolSearchOutputItemParamParamToolImageGenerationSvg(TypedDict, total=False):
    model: str
    reasoning: ResponseToolSearchOutputItemParamParamToolImageGenerationSvgReasoning | None
class _ResponseToolSearchOutputItemParamParamToolImageGeneration(TypedDict):
    type: Literal["image_generation"]
class ResponseToolSearchOutputItemParamParamToolImageGeneration(_ResponseToolSearchOutputItemParamParamToolImageGeneration, total=False):
    action: Literal["generate", "edit", "auto"]
    background: Literal["transparent", "opaque", "auto"]
    complexity: Literal["low", "medium", "high"]; frame_count: int; frame_duration_ms: int
    input_fidelity: Literal["high", "low"] | None
    input_image_mask: ResponseToolSearchOutputItemParamParamToolImageGenerationInputImageMask
    model: str; moderation: Literal["auto", "low"]; output_compression: int
    output_format: Literal["png", "webp", "jpeg", "gif", "svg"]; partial_images: int
    quality: Literal["low", "medium", "high", "xhigh", "max", "auto"]
    size: str | Literal["1024x1024", "1024x1536", "1536x1024", "auto"]
    svg: ResponseToolSearchOutputItemParamParamToolImageGenerationSvg
class ResponseToolSearchOutputItemParamParamToolLocalShell(TypedDict):
    type: Literal["local_shell"]
class _ResponseToolSearchOutputItemParamParam(TypedDict):
    tools: Iterable[ResponseToolSearchOutputItemParamParamTool]; type: Literal["tool_search_output"]
class ResponseToolSearchOutputItemParamParam(_ResponseToolSearchOutputItemParamParam, total=False):
    id: str | None; call_id: str | None; execution: Literal["server", "client"]
    status: Literal["in_progress", "completed", "incomplete"] | None
class _SkillReferenceParam(TypedDict):
    skill_id: str; type: Literal["skill_reference"]
class SkillReferenceParam(_SkillReferenceParam, total=False):
    version: str
class ToolChoiceAllowedParam(TypedDict):
    mode: Literal["auto", "required"]; tools: Iterable[dict[str, object]]
    type: Literal["allowed_tools"]
class ToolChoiceApplyPatchParam(TypedDict):
    type: Literal["apply_patch"]
class ToolChoiceCustomParam(TypedDict):
    name: str; type: Literal["custom"]
class ToolChoiceFunctionParam(TypedDict):
    name: str; type: Literal["function"]
class _ToolChoiceMcpParam(TypedDict):
    server_label: str; type: Literal["mcp"]
class ToolChoiceMcpParam(_ToolChoiceMcpParam, total=False):
    name: str | None
class ToolChoiceShellParam(TypedDict):
    type: Literal["shell"]
class ToolChoiceTypesParam(TypedDict):
    type: Literal["file_search", "web_search_preview", "computer", "computer_use_preview",
        "computer_use", "web_search_preview_2025_03_11", "image_generation", "code_interpreter"]
class ToolParamMcpAllowedToolsMcpToolFilter(TypedDict, total=False):
    read_only: bool; tool_names: SequenceNotStr[str]
class ToolParamMcpRequireApprovalMcpToolApprovalFilterAlways(TypedDict, total=False):
    read_only: bool; tool_names: SequenceNotStr[str]
class ToolParamMcpRequireApprovalMcpToolApprovalFilterNever(TypedDict, total=False):
    read_only: bool; tool_names: SequenceNotStr[str]
class ToolParamMcpRequireApprovalMcpToolApprovalFilter(TypedDict, total=False):
    always: ToolParamMcpRequireApprovalMcpToolApprovalFilterAlways
    never: ToolParamMcpRequireApprovalMcpToolApprovalFilterNever
class _ToolParamMcp(TypedDict):
    server_label: str; type: Literal["mcp"]
class ToolParamMcp(_ToolParamMcp, total=False):
    allowed_callers: list[Literal["direct", "programmatic"]] | None
    allowed_tools: ToolParamMcpAllowedTools | None; authorization: str
    connector_id: Literal["connector_dropbox", "connector_gmail", "connector_googlecalendar",
        "connector_googledrive", "connector_microsoftteams", "connector_outlookcalendar",
        "connector_outlookemail", "connector_sharepoint"]; defer_loading: bool
    headers: dict[str, str] | None; require_approval: ToolParamMcpRequireApproval | None
    server_description: str; server_url: str; tunnel_id: str
class _ToolParamCodeInterpreterContainerCodeInterpreterToolAuto(TypedDict):
    type: Literal["auto"]
class ToolParamCodeInterpreterContainerCodeInterpreterToolAuto(_ToolParamCodeInterpreterContainerCodeInterpreterToolAuto, total=False):
    file_ids: SequenceNotStr[str]; memory_limit: Literal["1g", "4g", "16g", "64g"] | None
    network_policy: ToolParamCodeInterpreterContainerCodeInterpreterToolAutoNetworkPolicy
class _ToolParamCodeInterpreter(TypedDict):
    container: ToolParamCodeInterpreterContainer; type: Literal["code_interpreter"]
class ToolParamCodeInterpreter(_ToolParamCodeInterpreter, total=False):
    allowed_callers: list[Literal["direct", "programmatic"]] | None
class ToolParamProgrammaticToolCalling(TypedDict):
    type: Literal["programmatic_tool_calling"]
class ToolParamImageGenerationInputImageMask(TypedDict, total=False):
    file_id: str; image_url: str
class ToolParamImageGenerationSvgReasoning(TypedDict, total=False):
    effort: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
class ToolParamImageGenerationSvg(TypedDict, total=False):
    model: str; reasoning: ToolParamImageGenerationSvgReasoning | None
class _ToolParamImageGeneration(TypedDict):
    type: Literal["image_generation"]
class ToolParamImageGeneration(_ToolParamImageGeneration, total=False):
    action: Literal["generate", "edit", "auto"]
    background: Literal["transparent", "opaque", "auto"]
    complexity: Literal["low", "medium", "high"]; frame_count: int; frame_duration_ms: int
    input_fidelity: Literal["high", "low"] | None
    input_image_mask: ToolParamImageGenerationInputImageMask; model: str
    moderation: Literal["auto", "low"]; output_compression: int
    output_format: Literal["png", "webp", "jpeg", "gif", "svg"]; partial_images: int
    quality: Literal["low", "medium", "high", "xhigh", "max", "auto"]
    size: str | Literal["1024x1024", "1024x1536", "1536x1024", "auto"]
    svg: ToolParamImageGenerationSvg
class ToolParamLocalShell(TypedDict):
    type: Literal["local_shell"]
class ToolSearchOutputNamespaceToolParam(TypedDict):
    description: str; name: str; tools: Iterable[NamespaceToolParamTool]; type: Literal["namespace"]
class _ToolSearchToolParam(TypedDict):
    type: Literal["tool_search"]
class ToolSearchToolParam(_ToolSearchToolParam, total=False):
    description: str | None; execution: Literal["server", "client"]; parameters: object | None
class _WebSearchPreviewToolParamUserLocation(TypedDict):
    type: Literal["approximate"]
class WebSearchPreviewToolParamUserLocation(_WebSearchPreviewToolParamUserLocation, total=False):
    city: str | None; country: str | None; region: str | None; timezone: str | None
class _WebSearchPreviewToolParam(TypedDict):
    type: Literal["web_search_preview", "web_search_preview_2025_03_11"]
class WebSearchPreviewToolParam(_WebSearchPreviewToolParam, total=False):
    search_content_types: list[Literal["text", "image"]]
    search_context_size: Literal["low", "medium", "high"]
    user_location: WebSearchPreviewToolParamUserLocation | None
class WebSearchToolParamFilters(TypedDict, total=False):
    allowed_domains: SequenceNotStr[str] | None
class WebSearchToolParamUserLocation(TypedDict, total=False):
    city: str | None; country: str | None; region: str | None; timezone: str | None
    type: Literal["approximate"]
class _WebSearchToolParam(TypedDict):
    type: Literal["web_search", "web_search_2025_08_26"]
class WebSearchToolParam(_WebSearchToolParam, total=False):
    external_web_access: bool; filters: WebSearchToolParamFilters | None
    search_context_size: Literal["low", "medium", "high"]
    user_location: WebSearchToolParamUserLocation | None
class ComparisonFilterParam(TypedDict):
    key: str; type: Literal["eq", "ne", "gt", "gte", "lt", "lte", "in", "nin"]
    value: str | float | bool | SequenceNotStr[str | float]
class CompoundFilterParam(TypedDict):
    filters: Iterable[FilterParam]; type: Literal["and", "or"]
class TextParam(TypedDict):
    type: Literal["text"]
class GrammarParam(TypedDict):
    definition: str; syntax: Literal["lark", "regex"]; type: Literal["grammar"]
class _FunctionDefinitionParam(TypedDict):
    name: str
class FunctionDefinitionParam(_FunctionDefinitionParam, total=False):
    description: str; parameters: FunctionParameters; strict: bool | None
class ReasoningParam(TypedDict, total=False):
    context: Literal["auto", "current_turn", "all_turns"] | None; effort: ReasoningEffort | None
    generate_summary: Literal["auto", "concise", "detailed"] | None
    mode: str | Literal["standard", "pro"]; summary: Literal["auto", "concise", "detailed"] | None
class ResponseFormatJSONObjectParam(TypedDict):
    type: Literal["json_object"]
class _JSONSchemaParam(TypedDict):
    name: str
class JSONSchemaParam(_JSONSchemaParam, total=False):
    description: str; schema: dict[str, object]; strict: bool | None
class ResponseFormatJSONSchemaParam(TypedDict):
    json_schema: JSONSchemaParam; type: Literal["json_schema"]
class ResponseFormatTextParam(TypedDict):
    type: Literal["text"]
ContentArrayOfContentPart: TypeAlias = (ChatCompletionContentPartTextParam |
    ChatCompletionContentPartRefusalParam)
Voice: TypeAlias = (str | Literal["alloy", "ash", "ballad", "coral", "echo", "sage", "shimmer",
    "verse", "marin", "cedar"] | VoiceID)
ChatCompletionContentPartParam: TypeAlias = (ChatCompletionContentPartTextParam |
    ChatCompletionContentPartImageParam | ChatCompletionContentPartInputAudioParam | File)
CustomFormat: TypeAlias = CustomFormatText | CustomFormatGrammar
ChatCompletionMessageParam: TypeAlias = (ChatCompletionDeveloperMessageParam |
    ChatCompletionSystemMessageParam | ChatCompletionUserMessageParam |
    ChatCompletionAssistantMessageParam | ChatCompletionToolMessageParam |
    ChatCompletionFunctionMessageParam)
ChatCompletionMessageToolCallUnionParam: TypeAlias = (ChatCompletionMessageFunctionToolCallParam |
    ChatCompletionMessageCustomToolCallParam)
ChatCompletionToolChoiceOptionParam: TypeAlias = (Literal["none", "auto", "required"] |
    ChatCompletionAllowedToolChoiceParam | ChatCompletionNamedToolChoiceParam |
    ChatCompletionNamedToolChoiceCustomParam)
ChatCompletionToolUnionParam: TypeAlias = (ChatCompletionFunctionToolParam |
    ChatCompletionCustomToolParam)
CompletionCreateParamsFunctionCall: TypeAlias = (Literal["none", "auto"] |
    ChatCompletionFunctionCallOptionParam)
ResponseFormat: TypeAlias = (ResponseFormatTextParam | ResponseFormatJSONSchemaParam |
    ResponseFormatJSONObjectParam)
CompletionCreateParams: TypeAlias = (CompletionCreateParamsNonStreaming |
    CompletionCreateParamsStreaming)
CreateChatCompletionRequestMessageParam: TypeAlias = (ChatCompletionDeveloperMessageParam |
    ChatCompletionSystemMessageParam | ChatCompletionUserMessageParam |
    ChatCompletionAssistantMessageParam | ChatCompletionToolMessageParam |
    ChatCompletionFunctionMessageParam)
ComputerActionParam: TypeAlias = (ComputerActionListParamClick | ComputerActionListParamDoubleClick
    | ComputerActionListParamDrag | ComputerActionListParamKeypress | ComputerActionListParamMove |
    ComputerActionListParamScreenshot | ComputerActionListParamScroll | ComputerActionListParamType
    | ComputerActionListParamWait)
ComputerActionListParam: TypeAlias = list[ComputerActionParam]
ContainerAutoParamNetworkPolicy: TypeAlias = (ContainerNetworkPolicyDisabledParam |
    ContainerNetworkPolicyAllowlistParam)
ContainerAutoParamSkill: TypeAlias = SkillReferenceParam | InlineSkillParam
FileSearchToolParamFilters: TypeAlias = ComparisonFilterParam | CompoundFilterParam
FunctionShellToolParamEnvironment: TypeAlias = (ContainerAutoParam | LocalEnvironmentParam |
    ContainerReferenceParam)
McpToolCallErrorParam: TypeAlias = (McpToolCallErrorParamMcpProtocolError |
    McpToolCallErrorParamMcpToolExecutionError | McpToolCallErrorParamHTTPError)
NamespaceToolParamTool: TypeAlias = NamespaceToolParamToolFunction | CustomToolParam
ResponseCodeInterpreterToolCallParamOutput: TypeAlias = (ResponseCodeInterpreterToolCallParamOutputLogs
    | ResponseCodeInterpreterToolCallParamOutputImage)
ResponseComputerToolCallParamAction: TypeAlias = (ResponseComputerToolCallParamActionClick |
    ResponseComputerToolCallParamActionDoubleClick | ResponseComputerToolCallParamActionDrag |
    ResponseComputerToolCallParamActionKeypress | ResponseComputerToolCallParamActionMove |
    ResponseComputerToolCallParamActionScreenshot | ResponseComputerToolCallParamActionScroll |
    ResponseComputerToolCallParamActionType | ResponseComputerToolCallParamActionWait)
ResponseConfigurationUpdateItemParamParamTextFormat: TypeAlias = (ResponseFormatTextParam |
    ResponseFormatTextJSONSchemaConfigParam)
ResponseCreateParamsConversation: TypeAlias = str | ResponseConversationParamParam
ResponseCreateParamsToolChoice: TypeAlias = (ToolChoiceOptions | ToolChoiceAllowedParam |
    ToolChoiceTypesParam | ToolChoiceFunctionParam | ToolChoiceMcpParam | ToolChoiceCustomParam |
    ResponseCreateParamsToolChoiceSpecificProgrammaticToolCallingParam | ToolChoiceApplyPatchParam |
    ToolChoiceShellParam)
ResponseCreateParams: TypeAlias = ResponseCreateParamsNonStreaming | ResponseCreateParamsStreaming
ResponseCustomToolCallOutputParamOutputOutputContentList: TypeAlias = (ResponseInputTextParam |
    ResponseInputImageParam | ResponseInputFileParam)
ResponseCustomToolCallOutputParamCaller: TypeAlias = (ResponseCustomToolCallOutputParamCallerDirect
    | ResponseCustomToolCallOutputParamCallerProgram)
ResponseFormatTextConfigParam: TypeAlias = (ResponseFormatTextParam |
    ResponseFormatTextJSONSchemaConfigParam | ResponseFormatJSONObjectParam)
ResponseFunctionCallOutputItemParam: TypeAlias = (ResponseInputTextContentParam |
    ResponseInputImageContentParam | ResponseInputFileContentParam)
ResponseFunctionCallOutputItemListParam: TypeAlias = list[ResponseFunctionCallOutputItemParam]
ResponseFunctionShellCallOutputContentParamOutcome: TypeAlias = (ResponseFunctionShellCallOutputContentParamOutcomeTimeout
    | ResponseFunctionShellCallOutputContentParamOutcomeExit)
ResponseFunctionWebSearchParamAction: TypeAlias = (ResponseFunctionWebSearchParamActionSearch |
    ResponseFunctionWebSearchParamActionOpenPage | ResponseFunctionWebSearchParamActionFind)
ResponseInputContentParam: TypeAlias = (ResponseInputTextParam | ResponseInputImageParam |
    ResponseInputFileParam)
ResponseInputItemParamFunctionCallOutputCaller: TypeAlias = (ResponseInputItemParamFunctionCallOutputCallerDirect
    | ResponseInputItemParamFunctionCallOutputCallerProgram)
ResponseInputItemParamShellCallCaller: TypeAlias = (ResponseInputItemParamShellCallCallerDirect |
    ResponseInputItemParamShellCallCallerProgram)
ResponseInputItemParamShellCallEnvironment: TypeAlias = (LocalEnvironmentParam |
    ContainerReferenceParam)
ResponseInputItemParamShellCallOutputCaller: TypeAlias = (ResponseInputItemParamShellCallOutputCallerDirect
    | ResponseInputItemParamShellCallOutputCallerProgram)
ResponseInputItemParamApplyPatchCallOperation: TypeAlias = (ResponseInputItemParamApplyPatchCallOperationCreateFile
    | ResponseInputItemParamApplyPatchCallOperationDeleteFile |
    ResponseInputItemParamApplyPatchCallOperationUpdateFile)
ResponseInputItemParamApplyPatchCallCaller: TypeAlias = (ResponseInputItemParamApplyPatchCallCallerDirect
    | ResponseInputItemParamApplyPatchCallCallerProgram)
ResponseInputItemParamApplyPatchCallOutputCaller: TypeAlias = (ResponseInputItemParamApplyPatchCallOutputCallerDirect
    | ResponseInputItemParamApplyPatchCallOutputCallerProgram)
ResponseInputItemParam: TypeAlias = (EasyInputMessageParam | ResponseInputItemParamMessage |
    ResponseOutputMessageParam | ResponseFileSearchToolCallParam | ResponseComputerToolCallParam |
    ResponseInputItemParamComputerCallOutput | ResponseFunctionWebSearchParam |
    ResponseFunctionToolCallParam | ResponseInputItemParamFunctionCallOutput |
    ResponseInputItemParamToolSearchCall | ResponseToolSearchOutputItemParamParam |
    ResponseInputItemParamAdditionalTools | ResponseConfigurationUpdateItemParamParam |
    ResponseReasoningItemParam | ResponseCompactionItemParamParam |
    ResponseInputItemParamImageGenerationCall | ResponseCodeInterpreterToolCallParam |
    ResponseInputItemParamLocalShellCall | ResponseInputItemParamLocalShellCallOutput |
    ResponseInputItemParamShellCall | ResponseInputItemParamShellCallOutput |
    ResponseInputItemParamApplyPatchCall | ResponseInputItemParamApplyPatchCallOutput |
    ResponseInputItemParamMcpListTools | ResponseInputItemParamMcpApprovalRequest |
    ResponseInputItemParamMcpApprovalResponse | ResponseInputItemParamMcpCall |
    ResponseCustomToolCallOutputParam | ResponseCustomToolCallParam |
    ResponseInputItemParamCompactionTrigger | ResponseInputItemParamItemReference |
    ResponseInputItemParamProgram | ResponseInputItemParamProgramOutput)
ResponseInputMessageContentListParam: TypeAlias = list[ResponseInputContentParam]
ResponseInputParam: TypeAlias = list[ResponseInputItemParam]
ResponseOutputMessageParamContent: TypeAlias = ResponseOutputTextParam | ResponseOutputRefusalParam
ResponseOutputTextParamAnnotation: TypeAlias = (ResponseOutputTextParamAnnotationFileCitation |
    ResponseOutputTextParamAnnotationURLCitation |
    ResponseOutputTextParamAnnotationContainerFileCitation |
    ResponseOutputTextParamAnnotationFilePath)
ResponsePromptParamVariables: TypeAlias = (str | ResponseInputTextParam | ResponseInputImageParam |
    ResponseInputFileParam)
ResponseToolSearchOutputItemParamParamToolMcpAllowedTools: TypeAlias = (SequenceNotStr[str] |
    ResponseToolSearchOutputItemParamParamToolMcpAllowedToolsMcpToolFilter)
ResponseToolSearchOutputItemParamParamToolMcpRequireApproval: TypeAlias = (ResponseToolSearchOutputItemParamParamToolMcpRequireApprovalMcpToolApprovalFilter
    | Literal["always", "never"])
ResponseToolSearchOutputItemParamParamToolCodeInterpreterContainerCodeInterpreterToolAutoNetworkPolicy: TypeAlias = (ContainerNetworkPolicyDisabledParam
    | ContainerNetworkPolicyAllowlistParam)
ResponseToolSearchOutputItemParamParamToolCodeInterpreterContainer: TypeAlias = (str |
    ResponseToolSearchOutputItemParamParamToolCodeInterpreterContainerCodeInterpreterToolAuto)
ResponseToolSearchOutputItemParamParamTool: TypeAlias = (FunctionToolParam | FileSearchToolParam |
    ComputerToolParam | ComputerUsePreviewToolParam | WebSearchToolParam |
    ResponseToolSearchOutputItemParamParamToolMcp |
    ResponseToolSearchOutputItemParamParamToolCodeInterpreter |
    ResponseToolSearchOutputItemParamParamToolProgrammaticToolCalling |
    ResponseToolSearchOutputItemParamParamToolImageGeneration |
    ResponseToolSearchOutputItemParamParamToolLocalShell | FunctionShellToolParam | CustomToolParam
    | ToolSearchOutputNamespaceToolParam | ToolSearchToolParam | WebSearchPreviewToolParam |
    ApplyPatchToolParam)
ToolParamMcpAllowedTools: TypeAlias = SequenceNotStr[str] | ToolParamMcpAllowedToolsMcpToolFilter
ToolParamMcpRequireApproval: TypeAlias = (ToolParamMcpRequireApprovalMcpToolApprovalFilter |
    Literal["always", "never"])
ToolParamCodeInterpreterContainerCodeInterpreterToolAutoNetworkPolicy: TypeAlias = (ContainerNetworkPolicyDisabledParam
    | ContainerNetworkPolicyAllowlistParam)
ToolParamCodeInterpreterContainer: TypeAlias = (str |
    ToolParamCodeInterpreterContainerCodeInterpreterToolAuto)
ToolParam: TypeAlias = (FunctionToolParam | FileSearchToolParam | ComputerToolParam |
    ComputerUsePreviewToolParam | WebSearchToolParam | ToolParamMcp | ToolParamCodeInterpreter |
    ToolParamProgrammaticToolCalling | ToolParamImageGeneration | ToolParamLocalShell |
    FunctionShellToolParam | CustomToolParam | NamespaceToolParam | ToolSearchToolParam |
    WebSearchPreviewToolParam | ApplyPatchToolParam)
ParseableToolParam: TypeAlias = ToolParam | ChatCompletionFunctionToolParam
FilterParam: TypeAlias = ComparisonFilterParam | object
CustomToolInputFormatParam: TypeAlias = TextParam | GrammarParam
