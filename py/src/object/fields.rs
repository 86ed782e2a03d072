//! The fields of every class, and what stands in them: a table. Written from py/fields.txt
//! by `make stubs`. Knows no class.

use crate::object::shape::Child::{Any, ByType, Of, Plain};
use crate::object::shape::{OBJECT, Shape};

static OUTPUT_ITEM: [(&str, &Shape); 28] = [
    ("message", &RESPONSE_OUTPUT_MESSAGE), ("function_call", &RESPONSE_FUNCTION_TOOL_CALL),
    ("reasoning", &RESPONSE_REASONING_ITEM), ("file_search_call", &RESPONSE_FILE_SEARCH_TOOL_CALL),
    ("function_call_output", &RESPONSE_FUNCTION_TOOL_CALL_OUTPUT_ITEM), ("web_search_call",
    &RESPONSE_FUNCTION_WEB_SEARCH), ("computer_call", &RESPONSE_COMPUTER_TOOL_CALL),
    ("computer_call_output", &RESPONSE_COMPUTER_TOOL_CALL_OUTPUT_ITEM), ("program", &PROGRAM),
    ("program_output", &PROGRAM_OUTPUT), ("tool_search_call", &RESPONSE_TOOL_SEARCH_CALL),
    ("tool_search_output", &RESPONSE_TOOL_SEARCH_OUTPUT_ITEM), ("additional_tools",
    &ADDITIONAL_TOOLS), ("compaction", &RESPONSE_COMPACTION_ITEM), ("image_generation_call",
    &IMAGE_GENERATION_CALL), ("code_interpreter_call", &RESPONSE_CODE_INTERPRETER_TOOL_CALL),
    ("local_shell_call", &LOCAL_SHELL_CALL), ("local_shell_call_output", &LOCAL_SHELL_CALL_OUTPUT),
    ("shell_call", &RESPONSE_FUNCTION_SHELL_TOOL_CALL), ("shell_call_output",
    &RESPONSE_FUNCTION_SHELL_TOOL_CALL_OUTPUT), ("apply_patch_call",
    &RESPONSE_APPLY_PATCH_TOOL_CALL), ("apply_patch_call_output",
    &RESPONSE_APPLY_PATCH_TOOL_CALL_OUTPUT), ("mcp_call", &MCP_CALL), ("mcp_list_tools",
    &MCP_LIST_TOOLS), ("mcp_approval_request", &MCP_APPROVAL_REQUEST), ("mcp_approval_response",
    &MCP_APPROVAL_RESPONSE), ("custom_tool_call", &RESPONSE_CUSTOM_TOOL_CALL),
    ("custom_tool_call_output", &RESPONSE_CUSTOM_TOOL_CALL_OUTPUT_ITEM),
];

static TOOL_CALL: [(&str, &Shape); 1] = [
    ("custom", &CHAT_COMPLETION_MESSAGE_CUSTOM_TOOL_CALL),
];

static CONTENT_PART: [(&str, &Shape); 2] = [
    ("output_text", &RESPONSE_OUTPUT_TEXT), ("refusal", &RESPONSE_OUTPUT_REFUSAL),
];

static RESPONSE_FUNCTION_TOOL_CALL_OUTPUT_ITEM_OUTPUT: [(&str, &Shape); 3] = [
    ("input_text", &RESPONSE_INPUT_TEXT), ("input_image", &RESPONSE_INPUT_IMAGE), ("input_file",
    &RESPONSE_INPUT_FILE),
];

static RESPONSE_FUNCTION_TOOL_CALL_OUTPUT_ITEM_CALLER: [(&str, &Shape); 2] = [
    ("direct", &RESPONSE_APPLY_PATCH_TOOL_CALL_CALLER_DIRECT), ("program",
    &RESPONSE_APPLY_PATCH_TOOL_CALL_CALLER_PROGRAM),
];

static RESPONSE_FUNCTION_WEB_SEARCH_ACTION: [(&str, &Shape); 3] = [
    ("search", &RESPONSE_FUNCTION_WEB_SEARCH_ACTION_SEARCH), ("open_page",
    &RESPONSE_FUNCTION_WEB_SEARCH_ACTION_OPEN_PAGE), ("find_in_page",
    &RESPONSE_FUNCTION_WEB_SEARCH_ACTION_FIND),
];

static RESPONSE_COMPUTER_TOOL_CALL_ACTION: [(&str, &Shape); 9] = [
    ("click", &RESPONSE_COMPUTER_TOOL_CALL_ACTION_CLICK), ("double_click",
    &RESPONSE_COMPUTER_TOOL_CALL_ACTION_DOUBLE_CLICK), ("drag",
    &RESPONSE_COMPUTER_TOOL_CALL_ACTION_DRAG), ("keypress",
    &RESPONSE_COMPUTER_TOOL_CALL_ACTION_KEYPRESS), ("move",
    &RESPONSE_COMPUTER_TOOL_CALL_ACTION_MOVE), ("screenshot",
    &RESPONSE_COMPUTER_TOOL_CALL_ACTION_SCREENSHOT), ("scroll",
    &RESPONSE_COMPUTER_TOOL_CALL_ACTION_SCROLL), ("type", &RESPONSE_COMPUTER_TOOL_CALL_ACTION_TYPE),
    ("wait", &RESPONSE_COMPUTER_TOOL_CALL_ACTION_WAIT),
];

static RESPONSE_COMPUTER_TOOL_CALL_ACTIONS: [(&str, &Shape); 9] = [
    ("click", &COMPUTER_ACTION_CLICK), ("double_click", &COMPUTER_ACTION_DOUBLE_CLICK), ("drag",
    &COMPUTER_ACTION_DRAG), ("keypress", &COMPUTER_ACTION_KEYPRESS), ("move",
    &COMPUTER_ACTION_MOVE), ("screenshot", &COMPUTER_ACTION_SCREENSHOT), ("scroll",
    &COMPUTER_ACTION_SCROLL), ("type", &COMPUTER_ACTION_TYPE), ("wait", &COMPUTER_ACTION_WAIT),
];

static FILE_SEARCH_TOOL_FILTERS: [(&str, &Shape); 10] = [
    ("eq", &COMPARISON_FILTER), ("ne", &COMPARISON_FILTER), ("gt", &COMPARISON_FILTER), ("gte",
    &COMPARISON_FILTER), ("lt", &COMPARISON_FILTER), ("lte", &COMPARISON_FILTER), ("in",
    &COMPARISON_FILTER), ("nin", &COMPARISON_FILTER), ("and", &COMPOUND_FILTER), ("or",
    &COMPOUND_FILTER),
];

static TOOL_CODE_INTERPRETER_CONTAINER_CODE_INTERPRETER_TOOL_AUTO_NETWORK_POLICY: [(&str, &Shape); 2] = [
    ("disabled", &CONTAINER_NETWORK_POLICY_DISABLED), ("allowlist",
    &CONTAINER_NETWORK_POLICY_ALLOWLIST),
];

static CONTAINER_AUTO_SKILLS: [(&str, &Shape); 2] = [
    ("skill_reference", &SKILL_REFERENCE), ("inline", &INLINE_SKILL),
];

static FUNCTION_SHELL_TOOL_ENVIRONMENT: [(&str, &Shape); 3] = [
    ("container_auto", &CONTAINER_AUTO), ("local", &LOCAL_ENVIRONMENT), ("container_reference",
    &CONTAINER_REFERENCE),
];

static CUSTOM_TOOL_FORMAT: [(&str, &Shape); 2] = [
    ("text", &CUSTOM_TOOL_INPUT_FORMAT_TEXT), ("grammar", &CUSTOM_TOOL_INPUT_FORMAT_GRAMMAR),
];

static NAMESPACE_TOOL_TOOLS: [(&str, &Shape); 2] = [
    ("function", &NAMESPACE_TOOL_TOOL_FUNCTION), ("custom", &CUSTOM_TOOL),
];

static RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_TOOLS: [(&str, &Shape); 18] = [
    ("function", &FUNCTION_TOOL), ("file_search", &FILE_SEARCH_TOOL), ("computer", &COMPUTER_TOOL),
    ("computer_use_preview", &COMPUTER_USE_PREVIEW_TOOL), ("web_search", &WEB_SEARCH_TOOL),
    ("web_search_2025_08_26", &WEB_SEARCH_TOOL), ("mcp", &TOOL_MCP), ("code_interpreter",
    &TOOL_CODE_INTERPRETER), ("programmatic_tool_calling", &TOOL_PROGRAMMATIC_TOOL_CALLING),
    ("image_generation", &TOOL_IMAGE_GENERATION), ("local_shell", &TOOL_LOCAL_SHELL), ("shell",
    &FUNCTION_SHELL_TOOL), ("custom", &CUSTOM_TOOL), ("namespace", &NAMESPACE_TOOL), ("tool_search",
    &TOOL_SEARCH_TOOL), ("web_search_preview", &WEB_SEARCH_PREVIEW_TOOL),
    ("web_search_preview_2025_03_11", &WEB_SEARCH_PREVIEW_TOOL), ("apply_patch", &APPLY_PATCH_TOOL),
];

static RESPONSE_CODE_INTERPRETER_TOOL_CALL_OUTPUTS: [(&str, &Shape); 2] = [
    ("logs", &RESPONSE_CODE_INTERPRETER_TOOL_CALL_OUTPUT_LOGS), ("image",
    &RESPONSE_CODE_INTERPRETER_TOOL_CALL_OUTPUT_IMAGE),
];

static RESPONSE_FUNCTION_SHELL_TOOL_CALL_ENVIRONMENT: [(&str, &Shape); 2] = [
    ("local", &RESPONSE_LOCAL_ENVIRONMENT), ("container_reference", &RESPONSE_CONTAINER_REFERENCE),
];

static RESPONSE_FUNCTION_SHELL_TOOL_CALL_OUTPUT_OUTPUT_OUTCOME: [(&str, &Shape); 2] = [
    ("timeout", &OUTPUT_OUTCOME_TIMEOUT), ("exit", &OUTPUT_OUTCOME_EXIT),
];

static RESPONSE_APPLY_PATCH_TOOL_CALL_OPERATION: [(&str, &Shape); 3] = [
    ("create_file", &OPERATION_CREATE_FILE), ("delete_file", &OPERATION_DELETE_FILE),
    ("update_file", &OPERATION_UPDATE_FILE),
];

static MCP_CALL_ERROR: [(&str, &Shape); 3] = [
    ("mcp_protocol_error", &MCP_TOOL_CALL_ERROR_MCP_PROTOCOL_ERROR), ("mcp_tool_execution_error",
    &MCP_TOOL_CALL_ERROR_MCP_TOOL_EXECUTION_ERROR), ("http_error", &MCP_TOOL_CALL_ERROR_HTTPERROR),
];

static CHAT_COMPLETION_MODERATION_INPUT: [(&str, &Shape); 2] = [
    ("moderation_results", &MODERATION_INPUT_MODERATION_RESULTS), ("error",
    &MODERATION_INPUT_ERROR),
];

static CHAT_COMPLETION_MODERATION_OUTPUT: [(&str, &Shape); 2] = [
    ("moderation_results", &MODERATION_OUTPUT_MODERATION_RESULTS), ("error",
    &MODERATION_OUTPUT_ERROR),
];

static RESPONSE_OUTPUT_TEXT_ANNOTATIONS: [(&str, &Shape); 4] = [
    ("file_citation", &RESPONSE_OUTPUT_TEXT_ANNOTATION_FILE_CITATION), ("url_citation",
    &RESPONSE_OUTPUT_TEXT_ANNOTATION_URLCITATION), ("container_file_citation",
    &RESPONSE_OUTPUT_TEXT_ANNOTATION_CONTAINER_FILE_CITATION), ("file_path",
    &RESPONSE_OUTPUT_TEXT_ANNOTATION_FILE_PATH),
];

static RESPONSE_INPUT_ITEM_FUNCTION_CALL_OUTPUT_OUTPUT: [(&str, &Shape); 3] = [
    ("input_text", &RESPONSE_INPUT_TEXT_CONTENT), ("input_image", &RESPONSE_INPUT_IMAGE_CONTENT),
    ("input_file", &RESPONSE_INPUT_FILE_CONTENT),
];

static RESPONSE_INPUT_ITEM_FUNCTION_CALL_OUTPUT_CALLER: [(&str, &Shape); 2] = [
    ("direct", &RESPONSE_INPUT_ITEM_FUNCTION_CALL_OUTPUT_CALLER_DIRECT), ("program",
    &RESPONSE_INPUT_ITEM_FUNCTION_CALL_OUTPUT_CALLER_PROGRAM),
];

static RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOLS: [(&str, &Shape); 18] = [
    ("function", &FUNCTION_TOOL), ("file_search", &FILE_SEARCH_TOOL), ("computer", &COMPUTER_TOOL),
    ("computer_use_preview", &COMPUTER_USE_PREVIEW_TOOL), ("web_search", &WEB_SEARCH_TOOL),
    ("web_search_2025_08_26", &WEB_SEARCH_TOOL), ("mcp",
    &RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_MCP), ("code_interpreter",
    &RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_CODE_INTERPRETER), ("programmatic_tool_calling",
    &RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_PROGRAMMATIC_TOOL_CALLING), ("image_generation",
    &RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_IMAGE_GENERATION), ("local_shell",
    &RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_LOCAL_SHELL), ("shell", &FUNCTION_SHELL_TOOL),
    ("custom", &CUSTOM_TOOL), ("namespace", &TOOL_SEARCH_OUTPUT_NAMESPACE_TOOL), ("tool_search",
    &TOOL_SEARCH_TOOL), ("web_search_preview", &WEB_SEARCH_PREVIEW_TOOL),
    ("web_search_preview_2025_03_11", &WEB_SEARCH_PREVIEW_TOOL), ("apply_patch", &APPLY_PATCH_TOOL),
];

static RESPONSE_CONFIGURATION_UPDATE_ITEM_TEXT_FORMAT: [(&str, &Shape); 2] = [
    ("text", &RESPONSE_FORMAT_TEXT), ("json_schema", &RESPONSE_FORMAT_TEXT_JSONSCHEMA_CONFIG),
];

static RESPONSE_INPUT_ITEM_SHELL_CALL_CALLER: [(&str, &Shape); 2] = [
    ("direct", &RESPONSE_INPUT_ITEM_SHELL_CALL_CALLER_DIRECT), ("program",
    &RESPONSE_INPUT_ITEM_SHELL_CALL_CALLER_PROGRAM),
];

static RESPONSE_INPUT_ITEM_SHELL_CALL_ENVIRONMENT: [(&str, &Shape); 2] = [
    ("local", &LOCAL_ENVIRONMENT), ("container_reference", &CONTAINER_REFERENCE),
];

static RESPONSE_FUNCTION_SHELL_CALL_OUTPUT_CONTENT_OUTCOME: [(&str, &Shape); 2] = [
    ("timeout", &RESPONSE_FUNCTION_SHELL_CALL_OUTPUT_CONTENT_OUTCOME_TIMEOUT), ("exit",
    &RESPONSE_FUNCTION_SHELL_CALL_OUTPUT_CONTENT_OUTCOME_EXIT),
];

static RESPONSE_INPUT_ITEM_SHELL_CALL_OUTPUT_CALLER: [(&str, &Shape); 2] = [
    ("direct", &RESPONSE_INPUT_ITEM_SHELL_CALL_OUTPUT_CALLER_DIRECT), ("program",
    &RESPONSE_INPUT_ITEM_SHELL_CALL_OUTPUT_CALLER_PROGRAM),
];

static RESPONSE_INPUT_ITEM_APPLY_PATCH_CALL_OPERATION: [(&str, &Shape); 3] = [
    ("create_file", &RESPONSE_INPUT_ITEM_APPLY_PATCH_CALL_OPERATION_CREATE_FILE), ("delete_file",
    &RESPONSE_INPUT_ITEM_APPLY_PATCH_CALL_OPERATION_DELETE_FILE), ("update_file",
    &RESPONSE_INPUT_ITEM_APPLY_PATCH_CALL_OPERATION_UPDATE_FILE),
];

static RESPONSE_INPUT_ITEM_APPLY_PATCH_CALL_CALLER: [(&str, &Shape); 2] = [
    ("direct", &RESPONSE_INPUT_ITEM_APPLY_PATCH_CALL_CALLER_DIRECT), ("program",
    &RESPONSE_INPUT_ITEM_APPLY_PATCH_CALL_CALLER_PROGRAM),
];

static RESPONSE_INPUT_ITEM_APPLY_PATCH_CALL_OUTPUT_CALLER: [(&str, &Shape); 2] = [
    ("direct", &RESPONSE_INPUT_ITEM_APPLY_PATCH_CALL_OUTPUT_CALLER_DIRECT), ("program",
    &RESPONSE_INPUT_ITEM_APPLY_PATCH_CALL_OUTPUT_CALLER_PROGRAM),
];

static RESPONSE_INSTRUCTIONS: [(&str, &Shape); 33] = [
    ("message", &EASY_INPUT_MESSAGE), ("message", &RESPONSE_INPUT_ITEM_MESSAGE), ("message",
    &RESPONSE_OUTPUT_MESSAGE), ("file_search_call", &RESPONSE_FILE_SEARCH_TOOL_CALL),
    ("computer_call", &RESPONSE_COMPUTER_TOOL_CALL), ("computer_call_output",
    &RESPONSE_INPUT_ITEM_COMPUTER_CALL_OUTPUT), ("web_search_call", &RESPONSE_FUNCTION_WEB_SEARCH),
    ("function_call", &RESPONSE_FUNCTION_TOOL_CALL), ("function_call_output",
    &RESPONSE_INPUT_ITEM_FUNCTION_CALL_OUTPUT), ("tool_search_call",
    &RESPONSE_INPUT_ITEM_TOOL_SEARCH_CALL), ("tool_search_output",
    &RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM), ("additional_tools",
    &RESPONSE_INPUT_ITEM_ADDITIONAL_TOOLS), ("configuration_update",
    &RESPONSE_CONFIGURATION_UPDATE_ITEM_PARAM), ("reasoning", &RESPONSE_REASONING_ITEM),
    ("compaction", &RESPONSE_COMPACTION_ITEM_PARAM), ("image_generation_call",
    &IMAGE_GENERATION_CALL), ("code_interpreter_call", &RESPONSE_CODE_INTERPRETER_TOOL_CALL),
    ("local_shell_call", &LOCAL_SHELL_CALL), ("local_shell_call_output", &LOCAL_SHELL_CALL_OUTPUT),
    ("shell_call", &RESPONSE_INPUT_ITEM_SHELL_CALL), ("shell_call_output",
    &RESPONSE_INPUT_ITEM_SHELL_CALL_OUTPUT), ("apply_patch_call",
    &RESPONSE_INPUT_ITEM_APPLY_PATCH_CALL), ("apply_patch_call_output",
    &RESPONSE_INPUT_ITEM_APPLY_PATCH_CALL_OUTPUT), ("mcp_list_tools", &MCP_LIST_TOOLS),
    ("mcp_approval_request", &MCP_APPROVAL_REQUEST), ("mcp_approval_response",
    &RESPONSE_INPUT_ITEM_MCP_APPROVAL_RESPONSE), ("mcp_call", &MCP_CALL),
    ("custom_tool_call_output", &RESPONSE_CUSTOM_TOOL_CALL_OUTPUT), ("custom_tool_call",
    &RESPONSE_CUSTOM_TOOL_CALL), ("compaction_trigger", &RESPONSE_INPUT_ITEM_COMPACTION_TRIGGER),
    ("item_reference", &RESPONSE_INPUT_ITEM_ITEM_REFERENCE), ("program", &PROGRAM),
    ("program_output", &PROGRAM_OUTPUT),
];

static RESPONSE_TOOL_CHOICE: [(&str, &Shape); 15] = [
    ("allowed_tools", &TOOL_CHOICE_ALLOWED), ("file_search", &TOOL_CHOICE_TYPES),
    ("web_search_preview", &TOOL_CHOICE_TYPES), ("computer", &TOOL_CHOICE_TYPES),
    ("computer_use_preview", &TOOL_CHOICE_TYPES), ("computer_use", &TOOL_CHOICE_TYPES),
    ("web_search_preview_2025_03_11", &TOOL_CHOICE_TYPES), ("image_generation", &TOOL_CHOICE_TYPES),
    ("code_interpreter", &TOOL_CHOICE_TYPES), ("function", &TOOL_CHOICE_FUNCTION), ("mcp",
    &TOOL_CHOICE_MCP), ("custom", &TOOL_CHOICE_CUSTOM), ("programmatic_tool_calling",
    &RESPONSE_TOOL_CHOICE_SPECIFIC_PROGRAMMATIC_TOOL_CALLING_PARAM), ("apply_patch",
    &TOOL_CHOICE_APPLY_PATCH), ("shell", &TOOL_CHOICE_SHELL),
];

static RESPONSE_TEXT_CONFIG_FORMAT: [(&str, &Shape); 3] = [
    ("text", &RESPONSE_FORMAT_TEXT), ("json_schema", &RESPONSE_FORMAT_TEXT_JSONSCHEMA_CONFIG),
    ("json_object", &RESPONSE_FORMAT_JSONOBJECT),
];

static RESPONSE_MODERATION_INPUT: [(&str, &Shape); 2] = [
    ("moderation_result", &MODERATION_INPUT_MODERATION_RESULT), ("error", &MODERATION_INPUT_ERROR),
];

static RESPONSE_MODERATION_OUTPUT: [(&str, &Shape); 2] = [
    ("moderation_result", &MODERATION_OUTPUT_MODERATION_RESULT), ("error",
    &MODERATION_OUTPUT_ERROR),
];

static RESPONSE_PROMPT_CACHE_DIAGNOSTICS: [(&str, &Shape); 4] = [
    ("cache_miss", &PROMPT_CACHE_DIAGNOSTICS_CACHE_MISS), ("cache_hit",
    &PROMPT_CACHE_DIAGNOSTICS_CACHE_HIT), ("comparison_response_not_found",
    &PROMPT_CACHE_DIAGNOSTICS_COMPARISON_RESPONSE_NOT_FOUND), ("unavailable",
    &PROMPT_CACHE_DIAGNOSTICS_UNAVAILABLE),
];

pub(crate) static MODEL_LIST: Shape = Shape::new("ModelList", &[
    ("data", Of(&MODEL)),
    ("object", Any),
]);

pub(crate) static MODEL: Shape = Shape::new("Model", &[
    ("id", Any),
    ("created", Any),
    ("object", Any),
    ("owned_by", Any),
    ("shutdown_date", Any),
]);

pub(crate) static COMPLETION_TOKENS_DETAILS: Shape = Shape::new("CompletionTokensDetails", &[
    ("accepted_prediction_tokens", Any),
    ("audio_tokens", Any),
    ("reasoning_tokens", Any),
    ("rejected_prediction_tokens", Any),
    ("text_tokens", Any),
]);

pub(crate) static PROMPT_TOKENS_DETAILS: Shape = Shape::new("PromptTokensDetails", &[
    ("audio_tokens", Any),
    ("cached_tokens", Any),
    ("cache_write_tokens", Any),
    ("image_tokens", Any),
    ("text_tokens", Any),
]);

pub(crate) static COMPLETION_USAGE: Shape = Shape::new("CompletionUsage", &[
    ("completion_tokens", Any),
    ("prompt_tokens", Any),
    ("total_tokens", Any),
    ("completion_tokens_details", Of(&COMPLETION_TOKENS_DETAILS)),
    ("prompt_tokens_details", Of(&PROMPT_TOKENS_DETAILS)),
]);

pub(crate) static TOP_LOGPROB: Shape = Shape::new("TopLogprob", &[
    ("token", Any),
    ("bytes", Any),
    ("logprob", Any),
]);

pub(crate) static CHAT_COMPLETION_TOKEN_LOGPROB: Shape = Shape::new("ChatCompletionTokenLogprob", &[
    ("token", Any),
    ("bytes", Any),
    ("logprob", Any),
    ("top_logprobs", Of(&TOP_LOGPROB)),
]);

pub(crate) static CHOICE_LOGPROBS: Shape = Shape::new("ChoiceLogprobs", &[
    ("content", Of(&CHAT_COMPLETION_TOKEN_LOGPROB)),
    ("refusal", Of(&CHAT_COMPLETION_TOKEN_LOGPROB)),
]);

pub(crate) static FUNCTION: Shape = Shape::new("Function", &[("arguments", Any), ("name", Any)]);

pub(crate) static CUSTOM: Shape = Shape::new("Custom", &[("input", Any), ("name", Any)]);

pub(crate) static CHAT_COMPLETION_MESSAGE_TOOL_CALL: Shape = Shape::new("ChatCompletionMessageToolCall", &[
    ("id", Any),
    ("function", Of(&FUNCTION)),
    ("type", Any),
]);

pub(crate) static CHAT_COMPLETION_MESSAGE_CUSTOM_TOOL_CALL: Shape = Shape::new("ChatCompletionMessageCustomToolCall", &[
    ("id", Any),
    ("custom", Of(&CUSTOM)),
    ("type", Any),
]);

pub(crate) static ANNOTATION_URLCITATION: Shape = Shape::new("AnnotationURLCitation", &[
    ("end_index", Any),
    ("start_index", Any),
    ("title", Any),
    ("url", Any),
]);

pub(crate) static ANNOTATION: Shape = Shape::new("Annotation", &[
    ("type", Any),
    ("url_citation", Of(&ANNOTATION_URLCITATION)),
]);

pub(crate) static CHAT_COMPLETION_AUDIO: Shape = Shape::new("ChatCompletionAudio", &[
    ("id", Any),
    ("data", Any),
    ("expires_at", Any),
    ("transcript", Any),
]);

pub(crate) static CHAT_COMPLETION_MESSAGE: Shape = Shape::new("ChatCompletionMessage", &[
    ("content", Any),
    ("refusal", Any),
    ("role", Any),
    ("annotations", Of(&ANNOTATION)),
    ("audio", Of(&CHAT_COMPLETION_AUDIO)),
    ("function_call", Of(&FUNCTION)),
    ("tool_calls", ByType(&TOOL_CALL, &CHAT_COMPLETION_MESSAGE_TOOL_CALL)),
]);

pub(crate) static CHOICE: Shape = Shape::new("Choice", &[
    ("finish_reason", Any),
    ("index", Any),
    ("logprobs", Of(&CHOICE_LOGPROBS)),
    ("message", Of(&CHAT_COMPLETION_MESSAGE)),
]);

pub(crate) static CHAT_COMPLETION: Shape = Shape::new("ChatCompletion", &[
    ("id", Any),
    ("choices", Of(&CHOICE)),
    ("created", Any),
    ("metadata", Plain),
    ("moderation", Of(&CHAT_COMPLETION_MODERATION)),
    ("model", Any),
    ("object", Any),
    ("service_tier", Any),
    ("system_fingerprint", Any),
    ("usage", Of(&COMPLETION_USAGE)),
]);

pub(crate) static CHOICE_DELTA_TOOL_CALL_FUNCTION: Shape = Shape::new("ChoiceDeltaToolCallFunction", &[
    ("arguments", Any),
    ("name", Any),
]);

pub(crate) static CHOICE_DELTA_TOOL_CALL: Shape = Shape::new("ChoiceDeltaToolCall", &[
    ("index", Any),
    ("id", Any),
    ("function", Of(&CHOICE_DELTA_TOOL_CALL_FUNCTION)),
    ("type", Any),
]);

pub(crate) static CHOICE_DELTA: Shape = Shape::new("ChoiceDelta", &[
    ("audio", Of(&CHAT_COMPLETION_AUDIO)),
    ("content", Any),
    ("function_call", Of(&CHOICE_DELTA_TOOL_CALL_FUNCTION)),
    ("refusal", Any),
    ("role", Any),
    ("tool_calls", Of(&CHOICE_DELTA_TOOL_CALL)),
]);

pub(crate) static CHUNK_CHOICE: Shape = Shape::new("ChunkChoice", &[
    ("delta", Of(&CHOICE_DELTA)),
    ("finish_reason", Any),
    ("index", Any),
    ("logprobs", Of(&CHOICE_LOGPROBS)),
]);

pub(crate) static CHAT_COMPLETION_CHUNK: Shape = Shape::new("ChatCompletionChunk", &[
    ("id", Any),
    ("choices", Of(&CHUNK_CHOICE)),
    ("created", Any),
    ("moderation", Of(&CHAT_COMPLETION_MODERATION)),
    ("obfuscation", Any),
    ("model", Any),
    ("object", Any),
    ("service_tier", Any),
    ("system_fingerprint", Any),
    ("usage", Of(&COMPLETION_USAGE)),
]);

pub(crate) static RESPONSE_ERROR: Shape = Shape::new("ResponseError", &[
    ("code", Any),
    ("message", Any),
    ("misalignment", Of(&MISALIGNMENT)),
    ("param", Any),
    ("type", Any),
]);

pub(crate) static INCOMPLETE_DETAILS: Shape = Shape::new("IncompleteDetails", &[("reason", Any)]);

pub(crate) static INPUT_TOKENS_DETAILS: Shape = Shape::new("InputTokensDetails", &[
    ("cached_tokens", Any),
    ("cache_write_tokens", Any),
    ("cache_write_tokens_details", Of(&INPUT_TOKENS_DETAILS_CACHE_WRITE_TOKENS_DETAILS)),
]);

pub(crate) static OUTPUT_TOKENS_DETAILS: Shape = Shape::new("OutputTokensDetails", &[
    ("reasoning_tokens", Any),
]);

pub(crate) static RESPONSE_USAGE: Shape = Shape::new("ResponseUsage", &[
    ("input_tokens", Any),
    ("input_tokens_details", Of(&INPUT_TOKENS_DETAILS)),
    ("output_tokens", Any),
    ("output_tokens_details", Of(&OUTPUT_TOKENS_DETAILS)),
    ("total_tokens", Any),
]);

pub(crate) static RESPONSE_OUTPUT_TEXT: Shape = Shape::new("ResponseOutputText", &[
    ("annotations", ByType(&RESPONSE_OUTPUT_TEXT_ANNOTATIONS, &OBJECT)),
    ("text", Any),
    ("type", Any),
    ("logprobs", Of(&RESPONSE_OUTPUT_TEXT_LOGPROB)),
]);

pub(crate) static RESPONSE_OUTPUT_REFUSAL: Shape = Shape::new("ResponseOutputRefusal", &[
    ("refusal", Any),
    ("type", Any),
]);

pub(crate) static RESPONSE_CONTENT_PART: Shape = Shape::new("ResponseContentPart", &[
    ("type", Any),
    ("text", Any),
]);

pub(crate) static RESPONSE_OUTPUT_MESSAGE: Shape = Shape::new("ResponseOutputMessage", &[
    ("id", Any),
    ("content", ByType(&CONTENT_PART, &RESPONSE_CONTENT_PART)),
    ("role", Any),
    ("status", Any),
    ("phase", Any),
    ("type", Any),
]);

pub(crate) static RESPONSE_FUNCTION_TOOL_CALL: Shape = Shape::new("ResponseFunctionToolCall", &[
    ("arguments", Any),
    ("call_id", Any),
    ("name", Any),
    ("type", Any),
    ("id", Any),
    ("caller", ByType(&RESPONSE_FUNCTION_TOOL_CALL_OUTPUT_ITEM_CALLER, &OBJECT)),
    ("namespace", Any),
    ("status", Any),
]);

pub(crate) static RESPONSE_REASONING_ITEM: Shape = Shape::new("ResponseReasoningItem", &[
    ("id", Any),
    ("summary", Of(&RESPONSE_CONTENT_PART)),
    ("type", Any),
    ("content", Of(&RESPONSE_CONTENT_PART)),
    ("encrypted_content", Any),
    ("status", Any),
]);

pub(crate) static RESPONSE_OUTPUT_ITEM: Shape = Shape::new("ResponseOutputItem", &[
    ("id", Any),
    ("type", Any),
    ("status", Any),
]);

pub(crate) static RESPONSE: Shape = Shape::new("Response", &[
    ("id", Any),
    ("created_at", Any),
    ("error", Of(&RESPONSE_ERROR)),
    ("incomplete_details", Of(&INCOMPLETE_DETAILS)),
    ("instructions", ByType(&RESPONSE_INSTRUCTIONS, &OBJECT)),
    ("metadata", Plain),
    ("model", Any),
    ("object", Any),
    ("output", ByType(&OUTPUT_ITEM, &RESPONSE_OUTPUT_ITEM)),
    ("parallel_tool_calls", Any),
    ("temperature", Any),
    ("tool_choice", ByType(&RESPONSE_TOOL_CHOICE, &OBJECT)),
    ("tools", ByType(&RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_TOOLS, &OBJECT)),
    ("top_p", Any),
    ("background", Any),
    ("completed_at", Any),
    ("conversation", Of(&RESPONSE_CONVERSATION)),
    ("max_output_tokens", Any),
    ("max_tool_calls", Any),
    ("previous_response_id", Any),
    ("prompt", Of(&RESPONSE_PROMPT)),
    ("prompt_cache_key", Any),
    ("prompt_cache_retention", Any),
    ("reasoning", Of(&REASONING)),
    ("safety_identifier", Any),
    ("service_tier", Any),
    ("status", Any),
    ("text", Of(&RESPONSE_TEXT_CONFIG)),
    ("top_logprobs", Any),
    ("truncation", Any),
    ("usage", Of(&RESPONSE_USAGE)),
    ("user", Any),
    ("access_programs", Of(&RESPONSE_ACCESS_PROGRAMS)),
    ("image", Of(&RESPONSE_IMAGE)),
    ("input_transformations", Of(&INPUT_TRANSFORMATION)),
    ("moderation", Of(&RESPONSE_MODERATION)),
    ("prompt_cache_diagnostics", ByType(&RESPONSE_PROMPT_CACHE_DIAGNOSTICS, &OBJECT)),
    ("prompt_cache_options", Of(&RESPONSE_PROMPT_CACHE_OPTIONS)),
    ("tool_usage", Of(&TOOL_USAGE)),
]);

pub(crate) static RESPONSE_STREAM_EVENT: Shape = Shape::new("ResponseStreamEvent", &[
    ("type", Any),
    ("sequence_number", Any),
    ("response", Of(&RESPONSE)),
    ("item", ByType(&OUTPUT_ITEM, &RESPONSE_OUTPUT_ITEM)),
    ("part", ByType(&CONTENT_PART, &RESPONSE_CONTENT_PART)),
    ("delta", Any),
    ("text", Any),
    ("arguments", Any),
    ("refusal", Any),
    ("name", Any),
    ("annotation", Any),
    ("logprobs", Any),
    ("output_index", Any),
    ("content_index", Any),
    ("summary_index", Any),
    ("item_id", Any),
    ("code", Any),
    ("message", Any),
    ("param", Any),
]);

static RESPONSE_FILE_SEARCH_TOOL_CALL: Shape = Shape::new("ResponseFileSearchToolCall", &[
    ("id", Any),
    ("queries", Any),
    ("status", Any),
    ("type", Any),
    ("results", Of(&RESPONSE_FILE_SEARCH_TOOL_CALL_RESULT)),
]);

static RESPONSE_FILE_SEARCH_TOOL_CALL_RESULT: Shape = Shape::new("ResponseFileSearchToolCallResult", &[
    ("attributes", Plain),
    ("file_id", Any),
    ("filename", Any),
    ("score", Any),
    ("text", Any),
]);

static RESPONSE_FUNCTION_TOOL_CALL_OUTPUT_ITEM: Shape = Shape::new("ResponseFunctionToolCallOutputItem", &[
    ("id", Any),
    ("output", ByType(&RESPONSE_FUNCTION_TOOL_CALL_OUTPUT_ITEM_OUTPUT, &OBJECT)),
    ("status", Any),
    ("type", Any),
    ("call_id", Any),
    ("caller", ByType(&RESPONSE_FUNCTION_TOOL_CALL_OUTPUT_ITEM_CALLER, &OBJECT)),
    ("created_by", Any),
    ("name", Any),
    ("namespace", Any),
]);

static RESPONSE_INPUT_TEXT: Shape = Shape::new("ResponseInputText", &[
    ("text", Any),
    ("type", Any),
    ("prompt_cache_breakpoint", Of(&CHAT_COMPLETION_CONTENT_PART_IMAGE_PROMPT_CACHE_BREAKPOINT)),
]);

static CHAT_COMPLETION_CONTENT_PART_IMAGE_PROMPT_CACHE_BREAKPOINT: Shape = Shape::new("ChatCompletionContentPartImagePromptCacheBreakpoint", &[
    ("mode", Any),
    ("ttl", Any),
]);

static RESPONSE_INPUT_IMAGE: Shape = Shape::new("ResponseInputImage", &[
    ("detail", Any),
    ("type", Any),
    ("file_id", Any),
    ("image_url", Any),
    ("prompt_cache_breakpoint", Of(&CHAT_COMPLETION_CONTENT_PART_IMAGE_PROMPT_CACHE_BREAKPOINT)),
]);

static RESPONSE_INPUT_FILE: Shape = Shape::new("ResponseInputFile", &[
    ("type", Any),
    ("detail", Any),
    ("file_data", Any),
    ("file_id", Any),
    ("file_url", Any),
    ("filename", Any),
    ("prompt_cache_breakpoint", Of(&CHAT_COMPLETION_CONTENT_PART_IMAGE_PROMPT_CACHE_BREAKPOINT)),
]);

static RESPONSE_APPLY_PATCH_TOOL_CALL_CALLER_DIRECT: Shape = Shape::new("ResponseApplyPatchToolCallCallerDirect", &[
    ("type", Any),
]);

static RESPONSE_APPLY_PATCH_TOOL_CALL_CALLER_PROGRAM: Shape = Shape::new("ResponseApplyPatchToolCallCallerProgram", &[
    ("caller_id", Any),
    ("type", Any),
]);

static RESPONSE_FUNCTION_WEB_SEARCH: Shape = Shape::new("ResponseFunctionWebSearch", &[
    ("id", Any),
    ("action", ByType(&RESPONSE_FUNCTION_WEB_SEARCH_ACTION, &OBJECT)),
    ("status", Any),
    ("type", Any),
]);

static RESPONSE_FUNCTION_WEB_SEARCH_ACTION_SEARCH: Shape = Shape::new("ResponseFunctionWebSearchActionSearch", &[
    ("type", Any),
    ("queries", Any),
    ("query", Any),
    ("sources", Of(&RESPONSE_FUNCTION_WEB_SEARCH_ACTION_SEARCH_SOURCE)),
]);

static RESPONSE_FUNCTION_WEB_SEARCH_ACTION_SEARCH_SOURCE: Shape = Shape::new("ResponseFunctionWebSearchActionSearchSource", &[
    ("type", Any),
    ("url", Any),
]);

static RESPONSE_FUNCTION_WEB_SEARCH_ACTION_OPEN_PAGE: Shape = Shape::new("ResponseFunctionWebSearchActionOpenPage", &[
    ("type", Any),
    ("url", Any),
]);

static RESPONSE_FUNCTION_WEB_SEARCH_ACTION_FIND: Shape = Shape::new("ResponseFunctionWebSearchActionFind", &[
    ("pattern", Any),
    ("type", Any),
    ("url", Any),
]);

static RESPONSE_COMPUTER_TOOL_CALL: Shape = Shape::new("ResponseComputerToolCall", &[
    ("id", Any),
    ("call_id", Any),
    ("pending_safety_checks", Of(&RESPONSE_COMPUTER_TOOL_CALL_PENDING_SAFETY_CHECK)),
    ("status", Any),
    ("type", Any),
    ("action", ByType(&RESPONSE_COMPUTER_TOOL_CALL_ACTION, &OBJECT)),
    ("actions", ByType(&RESPONSE_COMPUTER_TOOL_CALL_ACTIONS, &OBJECT)),
]);

static RESPONSE_COMPUTER_TOOL_CALL_PENDING_SAFETY_CHECK: Shape = Shape::new("ResponseComputerToolCallPendingSafetyCheck", &[
    ("id", Any),
    ("code", Any),
    ("message", Any),
]);

static RESPONSE_COMPUTER_TOOL_CALL_ACTION_CLICK: Shape = Shape::new("ResponseComputerToolCallActionClick", &[
    ("button", Any),
    ("type", Any),
    ("x", Any),
    ("y", Any),
    ("keys", Any),
]);

static RESPONSE_COMPUTER_TOOL_CALL_ACTION_DOUBLE_CLICK: Shape = Shape::new("ResponseComputerToolCallActionDoubleClick", &[
    ("keys", Any),
    ("type", Any),
    ("x", Any),
    ("y", Any),
]);

static RESPONSE_COMPUTER_TOOL_CALL_ACTION_DRAG: Shape = Shape::new("ResponseComputerToolCallActionDrag", &[
    ("path", Of(&RESPONSE_COMPUTER_TOOL_CALL_ACTION_DRAG_PATH)),
    ("type", Any),
    ("keys", Any),
]);

static RESPONSE_COMPUTER_TOOL_CALL_ACTION_DRAG_PATH: Shape = Shape::new("ResponseComputerToolCallActionDragPath", &[
    ("x", Any),
    ("y", Any),
]);

static RESPONSE_COMPUTER_TOOL_CALL_ACTION_KEYPRESS: Shape = Shape::new("ResponseComputerToolCallActionKeypress", &[
    ("keys", Any),
    ("type", Any),
]);

static RESPONSE_COMPUTER_TOOL_CALL_ACTION_MOVE: Shape = Shape::new("ResponseComputerToolCallActionMove", &[
    ("type", Any),
    ("x", Any),
    ("y", Any),
    ("keys", Any),
]);

static RESPONSE_COMPUTER_TOOL_CALL_ACTION_SCREENSHOT: Shape = Shape::new("ResponseComputerToolCallActionScreenshot", &[
    ("type", Any),
]);

static RESPONSE_COMPUTER_TOOL_CALL_ACTION_SCROLL: Shape = Shape::new("ResponseComputerToolCallActionScroll", &[
    ("scroll_x", Any),
    ("scroll_y", Any),
    ("type", Any),
    ("x", Any),
    ("y", Any),
    ("keys", Any),
]);

static RESPONSE_COMPUTER_TOOL_CALL_ACTION_TYPE: Shape = Shape::new("ResponseComputerToolCallActionType", &[
    ("text", Any),
    ("type", Any),
]);

static RESPONSE_COMPUTER_TOOL_CALL_ACTION_WAIT: Shape = Shape::new("ResponseComputerToolCallActionWait", &[
    ("type", Any),
]);

static COMPUTER_ACTION_CLICK: Shape = Shape::new("ComputerActionClick", &[
    ("button", Any),
    ("type", Any),
    ("x", Any),
    ("y", Any),
    ("keys", Any),
]);

static COMPUTER_ACTION_DOUBLE_CLICK: Shape = Shape::new("ComputerActionDoubleClick", &[
    ("keys", Any),
    ("type", Any),
    ("x", Any),
    ("y", Any),
]);

static COMPUTER_ACTION_DRAG: Shape = Shape::new("ComputerActionDrag", &[
    ("path", Of(&COMPUTER_ACTION_DRAG_PATH)),
    ("type", Any),
    ("keys", Any),
]);

static COMPUTER_ACTION_DRAG_PATH: Shape = Shape::new("ComputerActionDragPath", &[
    ("x", Any),
    ("y", Any),
]);

static COMPUTER_ACTION_KEYPRESS: Shape = Shape::new("ComputerActionKeypress", &[
    ("keys", Any),
    ("type", Any),
]);

static COMPUTER_ACTION_MOVE: Shape = Shape::new("ComputerActionMove", &[
    ("type", Any),
    ("x", Any),
    ("y", Any),
    ("keys", Any),
]);

static COMPUTER_ACTION_SCREENSHOT: Shape = Shape::new("ComputerActionScreenshot", &[("type", Any)]);

static COMPUTER_ACTION_SCROLL: Shape = Shape::new("ComputerActionScroll", &[
    ("scroll_x", Any),
    ("scroll_y", Any),
    ("type", Any),
    ("x", Any),
    ("y", Any),
    ("keys", Any),
]);

static COMPUTER_ACTION_TYPE: Shape = Shape::new("ComputerActionType", &[
    ("text", Any),
    ("type", Any),
]);

static COMPUTER_ACTION_WAIT: Shape = Shape::new("ComputerActionWait", &[("type", Any)]);

static RESPONSE_COMPUTER_TOOL_CALL_OUTPUT_ITEM: Shape = Shape::new("ResponseComputerToolCallOutputItem", &[
    ("id", Any),
    ("call_id", Any),
    ("output", Of(&RESPONSE_COMPUTER_TOOL_CALL_OUTPUT_SCREENSHOT)),
    ("status", Any),
    ("type", Any),
    ("acknowledged_safety_checks", Of(&ACKNOWLEDGED_SAFETY_CHECK)),
    ("created_by", Any),
]);

static RESPONSE_COMPUTER_TOOL_CALL_OUTPUT_SCREENSHOT: Shape = Shape::new("ResponseComputerToolCallOutputScreenshot", &[
    ("type", Any),
    ("file_id", Any),
    ("image_url", Any),
]);

static ACKNOWLEDGED_SAFETY_CHECK: Shape = Shape::new("AcknowledgedSafetyCheck", &[
    ("id", Any),
    ("code", Any),
    ("message", Any),
]);

static PROGRAM: Shape = Shape::new("Program", &[
    ("id", Any),
    ("call_id", Any),
    ("code", Any),
    ("fingerprint", Any),
    ("type", Any),
]);

static PROGRAM_OUTPUT: Shape = Shape::new("ProgramOutput", &[
    ("id", Any),
    ("call_id", Any),
    ("result", Any),
    ("status", Any),
    ("type", Any),
]);

static RESPONSE_TOOL_SEARCH_CALL: Shape = Shape::new("ResponseToolSearchCall", &[
    ("id", Any),
    ("arguments", Any),
    ("call_id", Any),
    ("execution", Any),
    ("status", Any),
    ("type", Any),
    ("created_by", Any),
]);

static RESPONSE_TOOL_SEARCH_OUTPUT_ITEM: Shape = Shape::new("ResponseToolSearchOutputItem", &[
    ("id", Any),
    ("call_id", Any),
    ("execution", Any),
    ("status", Any),
    ("tools", ByType(&RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_TOOLS, &OBJECT)),
    ("type", Any),
    ("created_by", Any),
]);

static FUNCTION_TOOL: Shape = Shape::new("FunctionTool", &[
    ("name", Any),
    ("parameters", Plain),
    ("strict", Any),
    ("type", Any),
    ("allowed_callers", Any),
    ("async", Any),
    ("defer_loading", Any),
    ("description", Any),
    ("output_schema", Plain),
]);

static FILE_SEARCH_TOOL: Shape = Shape::new("FileSearchTool", &[
    ("type", Any),
    ("vector_store_ids", Any),
    ("filters", ByType(&FILE_SEARCH_TOOL_FILTERS, &OBJECT)),
    ("max_num_results", Any),
    ("ranking_options", Of(&FILE_SEARCH_TOOL_RANKING_OPTIONS)),
]);

static COMPARISON_FILTER: Shape = Shape::new("ComparisonFilter", &[
    ("key", Any),
    ("type", Any),
    ("value", Any),
]);

static COMPOUND_FILTER: Shape = Shape::new("CompoundFilter", &[
    ("filters", Of(&COMPARISON_FILTER)),
    ("type", Any),
]);

static FILE_SEARCH_TOOL_RANKING_OPTIONS: Shape = Shape::new("FileSearchToolRankingOptions", &[
    ("hybrid_search", Of(&FILE_SEARCH_TOOL_RANKING_OPTIONS_HYBRID_SEARCH)),
    ("ranker", Any),
    ("score_threshold", Any),
]);

static FILE_SEARCH_TOOL_RANKING_OPTIONS_HYBRID_SEARCH: Shape = Shape::new("FileSearchToolRankingOptionsHybridSearch", &[
    ("embedding_weight", Any),
    ("text_weight", Any),
]);

static COMPUTER_TOOL: Shape = Shape::new("ComputerTool", &[("type", Any)]);

static COMPUTER_USE_PREVIEW_TOOL: Shape = Shape::new("ComputerUsePreviewTool", &[
    ("display_height", Any),
    ("display_width", Any),
    ("environment", Any),
    ("type", Any),
]);

static WEB_SEARCH_TOOL: Shape = Shape::new("WebSearchTool", &[
    ("type", Any),
    ("external_web_access", Any),
    ("filters", Of(&WEB_SEARCH_TOOL_FILTERS)),
    ("search_context_size", Any),
    ("user_location", Of(&WEB_SEARCH_TOOL_USER_LOCATION)),
]);

static WEB_SEARCH_TOOL_FILTERS: Shape = Shape::new("WebSearchToolFilters", &[
    ("allowed_domains", Any),
]);

static WEB_SEARCH_TOOL_USER_LOCATION: Shape = Shape::new("WebSearchToolUserLocation", &[
    ("city", Any),
    ("country", Any),
    ("region", Any),
    ("timezone", Any),
    ("type", Any),
]);

static TOOL_MCP: Shape = Shape::new("ToolMcp", &[
    ("server_label", Any),
    ("type", Any),
    ("allowed_callers", Any),
    ("allowed_tools", Of(&TOOL_MCP_ALLOWED_TOOLS_MCP_TOOL_FILTER)),
    ("authorization", Any),
    ("connector_id", Any),
    ("defer_loading", Any),
    ("headers", Plain),
    ("require_approval", Of(&TOOL_MCP_REQUIRE_APPROVAL_MCP_TOOL_APPROVAL_FILTER)),
    ("server_description", Any),
    ("server_url", Any),
    ("tunnel_id", Any),
]);

static TOOL_MCP_ALLOWED_TOOLS_MCP_TOOL_FILTER: Shape = Shape::new("ToolMcpAllowedToolsMcpToolFilter", &[
    ("read_only", Any),
    ("tool_names", Any),
]);

static TOOL_MCP_REQUIRE_APPROVAL_MCP_TOOL_APPROVAL_FILTER: Shape = Shape::new("ToolMcpRequireApprovalMcpToolApprovalFilter", &[
    ("always", Of(&TOOL_MCP_REQUIRE_APPROVAL_MCP_TOOL_APPROVAL_FILTER_ALWAYS)),
    ("never", Of(&TOOL_MCP_REQUIRE_APPROVAL_MCP_TOOL_APPROVAL_FILTER_NEVER)),
]);

static TOOL_MCP_REQUIRE_APPROVAL_MCP_TOOL_APPROVAL_FILTER_ALWAYS: Shape = Shape::new("ToolMcpRequireApprovalMcpToolApprovalFilterAlways", &[
    ("read_only", Any),
    ("tool_names", Any),
]);

static TOOL_MCP_REQUIRE_APPROVAL_MCP_TOOL_APPROVAL_FILTER_NEVER: Shape = Shape::new("ToolMcpRequireApprovalMcpToolApprovalFilterNever", &[
    ("read_only", Any),
    ("tool_names", Any),
]);

static TOOL_CODE_INTERPRETER: Shape = Shape::new("ToolCodeInterpreter", &[
    ("container", Of(&TOOL_CODE_INTERPRETER_CONTAINER_CODE_INTERPRETER_TOOL_AUTO)),
    ("type", Any),
    ("allowed_callers", Any),
]);

static TOOL_CODE_INTERPRETER_CONTAINER_CODE_INTERPRETER_TOOL_AUTO: Shape = Shape::new("ToolCodeInterpreterContainerCodeInterpreterToolAuto", &[
    ("type", Any),
    ("file_ids", Any),
    ("memory_limit", Any),
    ("network_policy", ByType(&TOOL_CODE_INTERPRETER_CONTAINER_CODE_INTERPRETER_TOOL_AUTO_NETWORK_POLICY, &OBJECT)),
]);

static CONTAINER_NETWORK_POLICY_DISABLED: Shape = Shape::new("ContainerNetworkPolicyDisabled", &[
    ("type", Any),
]);

static CONTAINER_NETWORK_POLICY_ALLOWLIST: Shape = Shape::new("ContainerNetworkPolicyAllowlist", &[
    ("allowed_domains", Any),
    ("type", Any),
    ("domain_secrets", Of(&CONTAINER_NETWORK_POLICY_DOMAIN_SECRET)),
]);

static CONTAINER_NETWORK_POLICY_DOMAIN_SECRET: Shape = Shape::new("ContainerNetworkPolicyDomainSecret", &[
    ("domain", Any),
    ("name", Any),
    ("value", Any),
]);

static TOOL_PROGRAMMATIC_TOOL_CALLING: Shape = Shape::new("ToolProgrammaticToolCalling", &[
    ("type", Any),
]);

static TOOL_IMAGE_GENERATION: Shape = Shape::new("ToolImageGeneration", &[
    ("type", Any),
    ("action", Any),
    ("background", Any),
    ("complexity", Any),
    ("frame_count", Any),
    ("frame_duration_ms", Any),
    ("input_fidelity", Any),
    ("input_image_mask", Of(&TOOL_IMAGE_GENERATION_INPUT_IMAGE_MASK)),
    ("model", Any),
    ("moderation", Any),
    ("output_compression", Any),
    ("output_format", Any),
    ("partial_images", Any),
    ("quality", Any),
    ("size", Any),
    ("svg", Of(&TOOL_IMAGE_GENERATION_SVG)),
]);

static TOOL_IMAGE_GENERATION_INPUT_IMAGE_MASK: Shape = Shape::new("ToolImageGenerationInputImageMask", &[
    ("file_id", Any),
    ("image_url", Any),
]);

static TOOL_IMAGE_GENERATION_SVG: Shape = Shape::new("ToolImageGenerationSvg", &[
    ("model", Any),
    ("reasoning", Of(&TOOL_IMAGE_GENERATION_SVG_REASONING)),
]);

static TOOL_IMAGE_GENERATION_SVG_REASONING: Shape = Shape::new("ToolImageGenerationSvgReasoning", &[
    ("effort", Any),
]);

static TOOL_LOCAL_SHELL: Shape = Shape::new("ToolLocalShell", &[("type", Any)]);

static FUNCTION_SHELL_TOOL: Shape = Shape::new("FunctionShellTool", &[
    ("type", Any),
    ("allowed_callers", Any),
    ("environment", ByType(&FUNCTION_SHELL_TOOL_ENVIRONMENT, &OBJECT)),
]);

static CONTAINER_AUTO: Shape = Shape::new("ContainerAuto", &[
    ("type", Any),
    ("file_ids", Any),
    ("memory_limit", Any),
    ("network_policy", ByType(&TOOL_CODE_INTERPRETER_CONTAINER_CODE_INTERPRETER_TOOL_AUTO_NETWORK_POLICY, &OBJECT)),
    ("skills", ByType(&CONTAINER_AUTO_SKILLS, &OBJECT)),
]);

static SKILL_REFERENCE: Shape = Shape::new("SkillReference", &[
    ("skill_id", Any),
    ("type", Any),
    ("version", Any),
]);

static INLINE_SKILL: Shape = Shape::new("InlineSkill", &[
    ("description", Any),
    ("name", Any),
    ("source", Of(&INLINE_SKILL_SOURCE)),
    ("type", Any),
]);

static INLINE_SKILL_SOURCE: Shape = Shape::new("InlineSkillSource", &[
    ("data", Any),
    ("media_type", Any),
    ("type", Any),
]);

static LOCAL_ENVIRONMENT: Shape = Shape::new("LocalEnvironment", &[
    ("type", Any),
    ("skills", Of(&LOCAL_SKILL)),
]);

static LOCAL_SKILL: Shape = Shape::new("LocalSkill", &[
    ("description", Any),
    ("name", Any),
    ("path", Any),
]);

static CONTAINER_REFERENCE: Shape = Shape::new("ContainerReference", &[
    ("container_id", Any),
    ("type", Any),
]);

static CUSTOM_TOOL: Shape = Shape::new("CustomTool", &[
    ("name", Any),
    ("type", Any),
    ("allowed_callers", Any),
    ("async", Any),
    ("defer_loading", Any),
    ("description", Any),
    ("format", ByType(&CUSTOM_TOOL_FORMAT, &OBJECT)),
]);

static CUSTOM_TOOL_INPUT_FORMAT_TEXT: Shape = Shape::new("CustomToolInputFormatText", &[
    ("type", Any),
]);

static CUSTOM_TOOL_INPUT_FORMAT_GRAMMAR: Shape = Shape::new("CustomToolInputFormatGrammar", &[
    ("definition", Any),
    ("syntax", Any),
    ("type", Any),
]);

static NAMESPACE_TOOL: Shape = Shape::new("NamespaceTool", &[
    ("description", Any),
    ("name", Any),
    ("tools", ByType(&NAMESPACE_TOOL_TOOLS, &OBJECT)),
    ("type", Any),
]);

static NAMESPACE_TOOL_TOOL_FUNCTION: Shape = Shape::new("NamespaceToolToolFunction", &[
    ("name", Any),
    ("type", Any),
    ("allowed_callers", Any),
    ("async", Any),
    ("defer_loading", Any),
    ("description", Any),
    ("output_schema", Plain),
    ("parameters", Any),
    ("strict", Any),
]);

static TOOL_SEARCH_TOOL: Shape = Shape::new("ToolSearchTool", &[
    ("type", Any),
    ("description", Any),
    ("execution", Any),
    ("parameters", Any),
]);

static WEB_SEARCH_PREVIEW_TOOL: Shape = Shape::new("WebSearchPreviewTool", &[
    ("type", Any),
    ("search_content_types", Any),
    ("search_context_size", Any),
    ("user_location", Of(&WEB_SEARCH_PREVIEW_TOOL_USER_LOCATION)),
]);

static WEB_SEARCH_PREVIEW_TOOL_USER_LOCATION: Shape = Shape::new("WebSearchPreviewToolUserLocation", &[
    ("type", Any),
    ("city", Any),
    ("country", Any),
    ("region", Any),
    ("timezone", Any),
]);

static APPLY_PATCH_TOOL: Shape = Shape::new("ApplyPatchTool", &[
    ("type", Any),
    ("allowed_callers", Any),
]);

static ADDITIONAL_TOOLS: Shape = Shape::new("AdditionalTools", &[
    ("id", Any),
    ("role", Any),
    ("tools", ByType(&RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_TOOLS, &OBJECT)),
    ("type", Any),
]);

static RESPONSE_COMPACTION_ITEM: Shape = Shape::new("ResponseCompactionItem", &[
    ("id", Any),
    ("encrypted_content", Any),
    ("type", Any),
    ("created_by", Any),
]);

static IMAGE_GENERATION_CALL: Shape = Shape::new("ImageGenerationCall", &[
    ("id", Any),
    ("result", Any),
    ("status", Any),
    ("type", Any),
    ("action", Any),
    ("background", Any),
    ("error", Of(&IMAGE_GENERATION_CALL_ERROR)),
    ("output_format", Any),
    ("quality", Any),
    ("revised_prompt", Any),
    ("size", Any),
    ("svg_usage", Of(&IMAGE_GENERATION_CALL_SVG_USAGE)),
]);

static IMAGE_GENERATION_CALL_ERROR: Shape = Shape::new("ImageGenerationCallError", &[
    ("code", Any),
    ("message", Any),
    ("param", Any),
    ("type", Any),
    ("moderation_details", Of(&IMAGE_GENERATION_CALL_ERROR_MODERATION_DETAILS)),
]);

static IMAGE_GENERATION_CALL_ERROR_MODERATION_DETAILS: Shape = Shape::new("ImageGenerationCallErrorModerationDetails", &[
    ("categories", Any),
    ("moderation_stage", Any),
]);

static IMAGE_GENERATION_CALL_SVG_USAGE: Shape = Shape::new("ImageGenerationCallSvgUsage", &[
    ("input_tokens", Any),
    ("model", Any),
    ("output_tokens", Any),
    ("reasoning_tokens", Any),
    ("total_tokens", Any),
]);

static RESPONSE_CODE_INTERPRETER_TOOL_CALL: Shape = Shape::new("ResponseCodeInterpreterToolCall", &[
    ("id", Any),
    ("code", Any),
    ("container_id", Any),
    ("outputs", ByType(&RESPONSE_CODE_INTERPRETER_TOOL_CALL_OUTPUTS, &OBJECT)),
    ("status", Any),
    ("type", Any),
]);

static RESPONSE_CODE_INTERPRETER_TOOL_CALL_OUTPUT_LOGS: Shape = Shape::new("ResponseCodeInterpreterToolCallOutputLogs", &[
    ("logs", Any),
    ("type", Any),
]);

static RESPONSE_CODE_INTERPRETER_TOOL_CALL_OUTPUT_IMAGE: Shape = Shape::new("ResponseCodeInterpreterToolCallOutputImage", &[
    ("type", Any),
    ("url", Any),
]);

static LOCAL_SHELL_CALL: Shape = Shape::new("LocalShellCall", &[
    ("id", Any),
    ("action", Of(&LOCAL_SHELL_CALL_ACTION)),
    ("call_id", Any),
    ("status", Any),
    ("type", Any),
]);

static LOCAL_SHELL_CALL_ACTION: Shape = Shape::new("LocalShellCallAction", &[
    ("command", Any),
    ("env", Plain),
    ("type", Any),
    ("timeout_ms", Any),
    ("user", Any),
    ("working_directory", Any),
]);

static LOCAL_SHELL_CALL_OUTPUT: Shape = Shape::new("LocalShellCallOutput", &[
    ("id", Any),
    ("output", Any),
    ("type", Any),
    ("status", Any),
]);

static RESPONSE_FUNCTION_SHELL_TOOL_CALL: Shape = Shape::new("ResponseFunctionShellToolCall", &[
    ("id", Any),
    ("action", Of(&RESPONSE_FUNCTION_SHELL_TOOL_CALL_ACTION)),
    ("call_id", Any),
    ("environment", ByType(&RESPONSE_FUNCTION_SHELL_TOOL_CALL_ENVIRONMENT, &OBJECT)),
    ("status", Any),
    ("type", Any),
    ("caller", ByType(&RESPONSE_FUNCTION_TOOL_CALL_OUTPUT_ITEM_CALLER, &OBJECT)),
    ("created_by", Any),
]);

static RESPONSE_FUNCTION_SHELL_TOOL_CALL_ACTION: Shape = Shape::new("ResponseFunctionShellToolCallAction", &[
    ("commands", Any),
    ("max_output_length", Any),
    ("timeout_ms", Any),
]);

static RESPONSE_LOCAL_ENVIRONMENT: Shape = Shape::new("ResponseLocalEnvironment", &[("type", Any)]);

static RESPONSE_CONTAINER_REFERENCE: Shape = Shape::new("ResponseContainerReference", &[
    ("container_id", Any),
    ("type", Any),
]);

static RESPONSE_FUNCTION_SHELL_TOOL_CALL_OUTPUT: Shape = Shape::new("ResponseFunctionShellToolCallOutput", &[
    ("id", Any),
    ("call_id", Any),
    ("max_output_length", Any),
    ("output", Of(&RESPONSE_FUNCTION_SHELL_TOOL_CALL_OUTPUT_OUTPUT)),
    ("status", Any),
    ("type", Any),
    ("caller", ByType(&RESPONSE_FUNCTION_TOOL_CALL_OUTPUT_ITEM_CALLER, &OBJECT)),
    ("created_by", Any),
]);

static RESPONSE_FUNCTION_SHELL_TOOL_CALL_OUTPUT_OUTPUT: Shape = Shape::new("ResponseFunctionShellToolCallOutputOutput", &[
    ("outcome", ByType(&RESPONSE_FUNCTION_SHELL_TOOL_CALL_OUTPUT_OUTPUT_OUTCOME, &OBJECT)),
    ("stderr", Any),
    ("stdout", Any),
    ("created_by", Any),
]);

static OUTPUT_OUTCOME_TIMEOUT: Shape = Shape::new("OutputOutcomeTimeout", &[("type", Any)]);

static OUTPUT_OUTCOME_EXIT: Shape = Shape::new("OutputOutcomeExit", &[
    ("exit_code", Any),
    ("type", Any),
]);

static RESPONSE_APPLY_PATCH_TOOL_CALL: Shape = Shape::new("ResponseApplyPatchToolCall", &[
    ("id", Any),
    ("call_id", Any),
    ("operation", ByType(&RESPONSE_APPLY_PATCH_TOOL_CALL_OPERATION, &OBJECT)),
    ("status", Any),
    ("type", Any),
    ("caller", ByType(&RESPONSE_FUNCTION_TOOL_CALL_OUTPUT_ITEM_CALLER, &OBJECT)),
    ("created_by", Any),
]);

static OPERATION_CREATE_FILE: Shape = Shape::new("OperationCreateFile", &[
    ("diff", Any),
    ("path", Any),
    ("type", Any),
]);

static OPERATION_DELETE_FILE: Shape = Shape::new("OperationDeleteFile", &[
    ("path", Any),
    ("type", Any),
]);

static OPERATION_UPDATE_FILE: Shape = Shape::new("OperationUpdateFile", &[
    ("diff", Any),
    ("path", Any),
    ("type", Any),
]);

static RESPONSE_APPLY_PATCH_TOOL_CALL_OUTPUT: Shape = Shape::new("ResponseApplyPatchToolCallOutput", &[
    ("id", Any),
    ("call_id", Any),
    ("status", Any),
    ("type", Any),
    ("caller", ByType(&RESPONSE_FUNCTION_TOOL_CALL_OUTPUT_ITEM_CALLER, &OBJECT)),
    ("created_by", Any),
    ("output", Any),
]);

static MCP_CALL: Shape = Shape::new("McpCall", &[
    ("id", Any),
    ("arguments", Any),
    ("name", Any),
    ("server_label", Any),
    ("type", Any),
    ("approval_request_id", Any),
    ("error", ByType(&MCP_CALL_ERROR, &OBJECT)),
    ("output", Any),
    ("status", Any),
]);

static MCP_TOOL_CALL_ERROR_MCP_PROTOCOL_ERROR: Shape = Shape::new("McpToolCallErrorMcpProtocolError", &[
    ("code", Any),
    ("message", Any),
    ("type", Any),
]);

static MCP_TOOL_CALL_ERROR_MCP_TOOL_EXECUTION_ERROR: Shape = Shape::new("McpToolCallErrorMcpToolExecutionError", &[
    ("content", Any),
    ("type", Any),
]);

static MCP_TOOL_CALL_ERROR_HTTPERROR: Shape = Shape::new("McpToolCallErrorHTTPError", &[
    ("code", Any),
    ("message", Any),
    ("type", Any),
]);

static MCP_LIST_TOOLS: Shape = Shape::new("McpListTools", &[
    ("id", Any),
    ("server_label", Any),
    ("tools", Of(&MCP_LIST_TOOLS_TOOL)),
    ("type", Any),
    ("error", Any),
]);

static MCP_LIST_TOOLS_TOOL: Shape = Shape::new("McpListToolsTool", &[
    ("input_schema", Any),
    ("name", Any),
    ("annotations", Any),
    ("description", Any),
]);

static MCP_APPROVAL_REQUEST: Shape = Shape::new("McpApprovalRequest", &[
    ("id", Any),
    ("arguments", Any),
    ("name", Any),
    ("server_label", Any),
    ("type", Any),
]);

static MCP_APPROVAL_RESPONSE: Shape = Shape::new("McpApprovalResponse", &[
    ("id", Any),
    ("approval_request_id", Any),
    ("approve", Any),
    ("type", Any),
    ("reason", Any),
]);

static RESPONSE_CUSTOM_TOOL_CALL: Shape = Shape::new("ResponseCustomToolCall", &[
    ("call_id", Any),
    ("input", Any),
    ("name", Any),
    ("type", Any),
    ("id", Any),
    ("async", Any),
    ("caller", ByType(&RESPONSE_FUNCTION_TOOL_CALL_OUTPUT_ITEM_CALLER, &OBJECT)),
    ("namespace", Any),
]);

static RESPONSE_CUSTOM_TOOL_CALL_OUTPUT_ITEM: Shape = Shape::new("ResponseCustomToolCallOutputItem", &[
    ("call_id", Any),
    ("output", ByType(&RESPONSE_FUNCTION_TOOL_CALL_OUTPUT_ITEM_OUTPUT, &OBJECT)),
    ("type", Any),
    ("caller", ByType(&RESPONSE_FUNCTION_TOOL_CALL_OUTPUT_ITEM_CALLER, &OBJECT)),
    ("id", Any),
    ("status", Any),
    ("created_by", Any),
]);

static CHAT_COMPLETION_MODERATION: Shape = Shape::new("ChatCompletionModeration", &[
    ("input", ByType(&CHAT_COMPLETION_MODERATION_INPUT, &OBJECT)),
    ("output", ByType(&CHAT_COMPLETION_MODERATION_OUTPUT, &OBJECT)),
]);

static MODERATION_INPUT_MODERATION_RESULTS: Shape = Shape::new("ModerationInputModerationResults", &[
    ("model", Any),
    ("results", Of(&MODERATION_INPUT_MODERATION_RESULTS_RESULT)),
    ("type", Any),
]);

static MODERATION_INPUT_MODERATION_RESULTS_RESULT: Shape = Shape::new("ModerationInputModerationResultsResult", &[
    ("categories", Plain),
    ("category_applied_input_types", Plain),
    ("category_scores", Plain),
    ("flagged", Any),
    ("model", Any),
    ("type", Any),
]);

static MODERATION_INPUT_ERROR: Shape = Shape::new("ModerationInputError", &[
    ("code", Any),
    ("message", Any),
    ("type", Any),
]);

static MODERATION_OUTPUT_MODERATION_RESULTS: Shape = Shape::new("ModerationOutputModerationResults", &[
    ("model", Any),
    ("results", Of(&MODERATION_OUTPUT_MODERATION_RESULTS_RESULT)),
    ("type", Any),
]);

static MODERATION_OUTPUT_MODERATION_RESULTS_RESULT: Shape = Shape::new("ModerationOutputModerationResultsResult", &[
    ("categories", Plain),
    ("category_applied_input_types", Plain),
    ("category_scores", Plain),
    ("flagged", Any),
    ("model", Any),
    ("type", Any),
]);

static MODERATION_OUTPUT_ERROR: Shape = Shape::new("ModerationOutputError", &[
    ("code", Any),
    ("message", Any),
    ("type", Any),
]);

static MISALIGNMENT: Shape = Shape::new("Misalignment", &[
    ("detailed_explanation", Any),
    ("error_type", Any),
    ("review_target", Any),
    ("steer", Of(&MISALIGNMENT_STEER)),
]);

static MISALIGNMENT_STEER: Shape = Shape::new("MisalignmentSteer", &[("message", Any)]);

static INPUT_TOKENS_DETAILS_CACHE_WRITE_TOKENS_DETAILS: Shape = Shape::new("InputTokensDetailsCacheWriteTokensDetails", &[
    ("ttl_12h_tokens", Any),
    ("ttl_30m_tokens", Any),
]);

static RESPONSE_OUTPUT_TEXT_ANNOTATION_FILE_CITATION: Shape = Shape::new("ResponseOutputTextAnnotationFileCitation", &[
    ("file_id", Any),
    ("filename", Any),
    ("index", Any),
    ("type", Any),
]);

static RESPONSE_OUTPUT_TEXT_ANNOTATION_URLCITATION: Shape = Shape::new("ResponseOutputTextAnnotationURLCitation", &[
    ("end_index", Any),
    ("start_index", Any),
    ("title", Any),
    ("type", Any),
    ("url", Any),
]);

static RESPONSE_OUTPUT_TEXT_ANNOTATION_CONTAINER_FILE_CITATION: Shape = Shape::new("ResponseOutputTextAnnotationContainerFileCitation", &[
    ("container_id", Any),
    ("end_index", Any),
    ("file_id", Any),
    ("filename", Any),
    ("start_index", Any),
    ("type", Any),
]);

static RESPONSE_OUTPUT_TEXT_ANNOTATION_FILE_PATH: Shape = Shape::new("ResponseOutputTextAnnotationFilePath", &[
    ("file_id", Any),
    ("index", Any),
    ("type", Any),
]);

static RESPONSE_OUTPUT_TEXT_LOGPROB: Shape = Shape::new("ResponseOutputTextLogprob", &[
    ("token", Any),
    ("bytes", Any),
    ("logprob", Any),
    ("top_logprobs", Of(&RESPONSE_OUTPUT_TEXT_LOGPROB_TOP_LOGPROB)),
]);

static RESPONSE_OUTPUT_TEXT_LOGPROB_TOP_LOGPROB: Shape = Shape::new("ResponseOutputTextLogprobTopLogprob", &[
    ("token", Any),
    ("bytes", Any),
    ("logprob", Any),
]);

static EASY_INPUT_MESSAGE: Shape = Shape::new("EasyInputMessage", &[
    ("content", ByType(&RESPONSE_FUNCTION_TOOL_CALL_OUTPUT_ITEM_OUTPUT, &OBJECT)),
    ("role", Any),
    ("phase", Any),
    ("type", Any),
]);

static RESPONSE_INPUT_ITEM_MESSAGE: Shape = Shape::new("ResponseInputItemMessage", &[
    ("content", ByType(&RESPONSE_FUNCTION_TOOL_CALL_OUTPUT_ITEM_OUTPUT, &OBJECT)),
    ("role", Any),
    ("status", Any),
    ("type", Any),
]);

static RESPONSE_INPUT_ITEM_COMPUTER_CALL_OUTPUT: Shape = Shape::new("ResponseInputItemComputerCallOutput", &[
    ("call_id", Any),
    ("output", Of(&RESPONSE_COMPUTER_TOOL_CALL_OUTPUT_SCREENSHOT)),
    ("type", Any),
    ("id", Any),
    ("acknowledged_safety_checks", Of(&RESPONSE_INPUT_ITEM_COMPUTER_CALL_OUTPUT_ACKNOWLEDGED_SAFETY_CHECK)),
    ("status", Any),
]);

static RESPONSE_INPUT_ITEM_COMPUTER_CALL_OUTPUT_ACKNOWLEDGED_SAFETY_CHECK: Shape = Shape::new("ResponseInputItemComputerCallOutputAcknowledgedSafetyCheck", &[
    ("id", Any),
    ("code", Any),
    ("message", Any),
]);

static RESPONSE_INPUT_ITEM_FUNCTION_CALL_OUTPUT: Shape = Shape::new("ResponseInputItemFunctionCallOutput", &[
    ("output", ByType(&RESPONSE_INPUT_ITEM_FUNCTION_CALL_OUTPUT_OUTPUT, &OBJECT)),
    ("type", Any),
    ("id", Any),
    ("call_id", Any),
    ("caller", ByType(&RESPONSE_INPUT_ITEM_FUNCTION_CALL_OUTPUT_CALLER, &OBJECT)),
    ("name", Any),
    ("namespace", Any),
    ("status", Any),
]);

static RESPONSE_INPUT_TEXT_CONTENT: Shape = Shape::new("ResponseInputTextContent", &[
    ("text", Any),
    ("type", Any),
    ("prompt_cache_breakpoint", Of(&CHAT_COMPLETION_CONTENT_PART_IMAGE_PROMPT_CACHE_BREAKPOINT)),
]);

static RESPONSE_INPUT_IMAGE_CONTENT: Shape = Shape::new("ResponseInputImageContent", &[
    ("type", Any),
    ("detail", Any),
    ("file_id", Any),
    ("image_url", Any),
    ("prompt_cache_breakpoint", Of(&CHAT_COMPLETION_CONTENT_PART_IMAGE_PROMPT_CACHE_BREAKPOINT)),
]);

static RESPONSE_INPUT_FILE_CONTENT: Shape = Shape::new("ResponseInputFileContent", &[
    ("type", Any),
    ("detail", Any),
    ("file_data", Any),
    ("file_id", Any),
    ("file_url", Any),
    ("filename", Any),
    ("prompt_cache_breakpoint", Of(&CHAT_COMPLETION_CONTENT_PART_IMAGE_PROMPT_CACHE_BREAKPOINT)),
]);

static RESPONSE_INPUT_ITEM_FUNCTION_CALL_OUTPUT_CALLER_DIRECT: Shape = Shape::new("ResponseInputItemFunctionCallOutputCallerDirect", &[
    ("type", Any),
]);

static RESPONSE_INPUT_ITEM_FUNCTION_CALL_OUTPUT_CALLER_PROGRAM: Shape = Shape::new("ResponseInputItemFunctionCallOutputCallerProgram", &[
    ("caller_id", Any),
    ("type", Any),
]);

static RESPONSE_INPUT_ITEM_TOOL_SEARCH_CALL: Shape = Shape::new("ResponseInputItemToolSearchCall", &[
    ("arguments", Any),
    ("type", Any),
    ("id", Any),
    ("call_id", Any),
    ("execution", Any),
    ("status", Any),
]);

static RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM: Shape = Shape::new("ResponseToolSearchOutputItemParam", &[
    ("tools", ByType(&RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOLS, &OBJECT)),
    ("type", Any),
    ("id", Any),
    ("call_id", Any),
    ("execution", Any),
    ("status", Any),
]);

static RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_MCP: Shape = Shape::new("ResponseToolSearchOutputItemParamToolMcp", &[
    ("server_label", Any),
    ("type", Any),
    ("allowed_callers", Any),
    ("allowed_tools", Of(&RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_MCP_ALLOWED_TOOLS_MCP_TOOL_FILTER)),
    ("authorization", Any),
    ("connector_id", Any),
    ("defer_loading", Any),
    ("headers", Plain),
    ("require_approval", Of(&RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_MCP_REQUIRE_APPROVAL_MCP_TOOL_APPROVAL_FILTER)),
    ("server_description", Any),
    ("server_url", Any),
    ("tunnel_id", Any),
]);

static RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_MCP_ALLOWED_TOOLS_MCP_TOOL_FILTER: Shape = Shape::new("ResponseToolSearchOutputItemParamToolMcpAllowedToolsMcpToolFilter", &[
    ("read_only", Any),
    ("tool_names", Any),
]);

static RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_MCP_REQUIRE_APPROVAL_MCP_TOOL_APPROVAL_FILTER: Shape = Shape::new("ResponseToolSearchOutputItemParamToolMcpRequireApprovalMcpToolApprovalFilter", &[
    ("always", Of(&RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_MCP_REQUIRE_APPROVAL_MCP_TOOL_APPROVAL_FILTER_ALWAYS)),
    ("never", Of(&RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_MCP_REQUIRE_APPROVAL_MCP_TOOL_APPROVAL_FILTER_NEVER)),
]);

static RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_MCP_REQUIRE_APPROVAL_MCP_TOOL_APPROVAL_FILTER_ALWAYS: Shape = Shape::new("ResponseToolSearchOutputItemParamToolMcpRequireApprovalMcpToolApprovalFilterAlways", &[
    ("read_only", Any),
    ("tool_names", Any),
]);

static RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_MCP_REQUIRE_APPROVAL_MCP_TOOL_APPROVAL_FILTER_NEVER: Shape = Shape::new("ResponseToolSearchOutputItemParamToolMcpRequireApprovalMcpToolApprovalFilterNever", &[
    ("read_only", Any),
    ("tool_names", Any),
]);

static RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_CODE_INTERPRETER: Shape = Shape::new("ResponseToolSearchOutputItemParamToolCodeInterpreter", &[
    ("container", Of(&RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_CODE_INTERPRETER_CONTAINER_CODE_INTERPRETER_TOOL_AUTO)),
    ("type", Any),
    ("allowed_callers", Any),
]);

static RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_CODE_INTERPRETER_CONTAINER_CODE_INTERPRETER_TOOL_AUTO: Shape = Shape::new("ResponseToolSearchOutputItemParamToolCodeInterpreterContainerCodeInterpreterToolAuto", &[
    ("type", Any),
    ("file_ids", Any),
    ("memory_limit", Any),
    ("network_policy", ByType(&TOOL_CODE_INTERPRETER_CONTAINER_CODE_INTERPRETER_TOOL_AUTO_NETWORK_POLICY, &OBJECT)),
]);

static RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_PROGRAMMATIC_TOOL_CALLING: Shape = Shape::new("ResponseToolSearchOutputItemParamToolProgrammaticToolCalling", &[
    ("type", Any),
]);

static RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_IMAGE_GENERATION: Shape = Shape::new("ResponseToolSearchOutputItemParamToolImageGeneration", &[
    ("type", Any),
    ("action", Any),
    ("background", Any),
    ("complexity", Any),
    ("frame_count", Any),
    ("frame_duration_ms", Any),
    ("input_fidelity", Any),
    ("input_image_mask", Of(&RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_IMAGE_GENERATION_INPUT_IMAGE_MASK)),
    ("model", Any),
    ("moderation", Any),
    ("output_compression", Any),
    ("output_format", Any),
    ("partial_images", Any),
    ("quality", Any),
    ("size", Any),
    ("svg", Of(&RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_IMAGE_GENERATION_SVG)),
]);

static RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_IMAGE_GENERATION_INPUT_IMAGE_MASK: Shape = Shape::new("ResponseToolSearchOutputItemParamToolImageGenerationInputImageMask", &[
    ("file_id", Any),
    ("image_url", Any),
]);

static RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_IMAGE_GENERATION_SVG: Shape = Shape::new("ResponseToolSearchOutputItemParamToolImageGenerationSvg", &[
    ("model", Any),
    ("reasoning", Of(&RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_IMAGE_GENERATION_SVG_REASONING)),
]);

static RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_IMAGE_GENERATION_SVG_REASONING: Shape = Shape::new("ResponseToolSearchOutputItemParamToolImageGenerationSvgReasoning", &[
    ("effort", Any),
]);

static RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_LOCAL_SHELL: Shape = Shape::new("ResponseToolSearchOutputItemParamToolLocalShell", &[
    ("type", Any),
]);

static TOOL_SEARCH_OUTPUT_NAMESPACE_TOOL: Shape = Shape::new("ToolSearchOutputNamespaceTool", &[
    ("description", Any),
    ("name", Any),
    ("tools", ByType(&NAMESPACE_TOOL_TOOLS, &OBJECT)),
    ("type", Any),
]);

static RESPONSE_INPUT_ITEM_ADDITIONAL_TOOLS: Shape = Shape::new("ResponseInputItemAdditionalTools", &[
    ("role", Any),
    ("tools", ByType(&RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_TOOLS, &OBJECT)),
    ("type", Any),
    ("id", Any),
]);

static RESPONSE_CONFIGURATION_UPDATE_ITEM_PARAM: Shape = Shape::new("ResponseConfigurationUpdateItemParam", &[
    ("type", Any),
    ("id", Any),
    ("reasoning", Of(&RESPONSE_CONFIGURATION_UPDATE_ITEM_REASONING)),
    ("text", Of(&RESPONSE_CONFIGURATION_UPDATE_ITEM_TEXT)),
]);

static RESPONSE_CONFIGURATION_UPDATE_ITEM_REASONING: Shape = Shape::new("ResponseConfigurationUpdateItemReasoning", &[
    ("effort", Any),
]);

static RESPONSE_CONFIGURATION_UPDATE_ITEM_TEXT: Shape = Shape::new("ResponseConfigurationUpdateItemText", &[
    ("format", ByType(&RESPONSE_CONFIGURATION_UPDATE_ITEM_TEXT_FORMAT, &OBJECT)),
]);

static RESPONSE_FORMAT_TEXT: Shape = Shape::new("ResponseFormatText", &[("type", Any)]);

static RESPONSE_FORMAT_TEXT_JSONSCHEMA_CONFIG: Shape = Shape::new("ResponseFormatTextJSONSchemaConfig", &[
    ("name", Any),
    ("schema", Plain),
    ("type", Any),
    ("description", Any),
    ("strict", Any),
]);

static RESPONSE_COMPACTION_ITEM_PARAM: Shape = Shape::new("ResponseCompactionItemParam", &[
    ("encrypted_content", Any),
    ("type", Any),
    ("id", Any),
]);

static RESPONSE_INPUT_ITEM_SHELL_CALL: Shape = Shape::new("ResponseInputItemShellCall", &[
    ("action", Of(&RESPONSE_INPUT_ITEM_SHELL_CALL_ACTION)),
    ("call_id", Any),
    ("type", Any),
    ("id", Any),
    ("caller", ByType(&RESPONSE_INPUT_ITEM_SHELL_CALL_CALLER, &OBJECT)),
    ("environment", ByType(&RESPONSE_INPUT_ITEM_SHELL_CALL_ENVIRONMENT, &OBJECT)),
    ("status", Any),
]);

static RESPONSE_INPUT_ITEM_SHELL_CALL_ACTION: Shape = Shape::new("ResponseInputItemShellCallAction", &[
    ("commands", Any),
    ("max_output_length", Any),
    ("timeout_ms", Any),
]);

static RESPONSE_INPUT_ITEM_SHELL_CALL_CALLER_DIRECT: Shape = Shape::new("ResponseInputItemShellCallCallerDirect", &[
    ("type", Any),
]);

static RESPONSE_INPUT_ITEM_SHELL_CALL_CALLER_PROGRAM: Shape = Shape::new("ResponseInputItemShellCallCallerProgram", &[
    ("caller_id", Any),
    ("type", Any),
]);

static RESPONSE_INPUT_ITEM_SHELL_CALL_OUTPUT: Shape = Shape::new("ResponseInputItemShellCallOutput", &[
    ("call_id", Any),
    ("output", Of(&RESPONSE_FUNCTION_SHELL_CALL_OUTPUT_CONTENT)),
    ("type", Any),
    ("id", Any),
    ("caller", ByType(&RESPONSE_INPUT_ITEM_SHELL_CALL_OUTPUT_CALLER, &OBJECT)),
    ("max_output_length", Any),
    ("status", Any),
]);

static RESPONSE_FUNCTION_SHELL_CALL_OUTPUT_CONTENT: Shape = Shape::new("ResponseFunctionShellCallOutputContent", &[
    ("outcome", ByType(&RESPONSE_FUNCTION_SHELL_CALL_OUTPUT_CONTENT_OUTCOME, &OBJECT)),
    ("stderr", Any),
    ("stdout", Any),
]);

static RESPONSE_FUNCTION_SHELL_CALL_OUTPUT_CONTENT_OUTCOME_TIMEOUT: Shape = Shape::new("ResponseFunctionShellCallOutputContentOutcomeTimeout", &[
    ("type", Any),
]);

static RESPONSE_FUNCTION_SHELL_CALL_OUTPUT_CONTENT_OUTCOME_EXIT: Shape = Shape::new("ResponseFunctionShellCallOutputContentOutcomeExit", &[
    ("exit_code", Any),
    ("type", Any),
]);

static RESPONSE_INPUT_ITEM_SHELL_CALL_OUTPUT_CALLER_DIRECT: Shape = Shape::new("ResponseInputItemShellCallOutputCallerDirect", &[
    ("type", Any),
]);

static RESPONSE_INPUT_ITEM_SHELL_CALL_OUTPUT_CALLER_PROGRAM: Shape = Shape::new("ResponseInputItemShellCallOutputCallerProgram", &[
    ("caller_id", Any),
    ("type", Any),
]);

static RESPONSE_INPUT_ITEM_APPLY_PATCH_CALL: Shape = Shape::new("ResponseInputItemApplyPatchCall", &[
    ("call_id", Any),
    ("operation", ByType(&RESPONSE_INPUT_ITEM_APPLY_PATCH_CALL_OPERATION, &OBJECT)),
    ("status", Any),
    ("type", Any),
    ("id", Any),
    ("caller", ByType(&RESPONSE_INPUT_ITEM_APPLY_PATCH_CALL_CALLER, &OBJECT)),
]);

static RESPONSE_INPUT_ITEM_APPLY_PATCH_CALL_OPERATION_CREATE_FILE: Shape = Shape::new("ResponseInputItemApplyPatchCallOperationCreateFile", &[
    ("diff", Any),
    ("path", Any),
    ("type", Any),
]);

static RESPONSE_INPUT_ITEM_APPLY_PATCH_CALL_OPERATION_DELETE_FILE: Shape = Shape::new("ResponseInputItemApplyPatchCallOperationDeleteFile", &[
    ("path", Any),
    ("type", Any),
]);

static RESPONSE_INPUT_ITEM_APPLY_PATCH_CALL_OPERATION_UPDATE_FILE: Shape = Shape::new("ResponseInputItemApplyPatchCallOperationUpdateFile", &[
    ("diff", Any),
    ("path", Any),
    ("type", Any),
]);

static RESPONSE_INPUT_ITEM_APPLY_PATCH_CALL_CALLER_DIRECT: Shape = Shape::new("ResponseInputItemApplyPatchCallCallerDirect", &[
    ("type", Any),
]);

static RESPONSE_INPUT_ITEM_APPLY_PATCH_CALL_CALLER_PROGRAM: Shape = Shape::new("ResponseInputItemApplyPatchCallCallerProgram", &[
    ("caller_id", Any),
    ("type", Any),
]);

static RESPONSE_INPUT_ITEM_APPLY_PATCH_CALL_OUTPUT: Shape = Shape::new("ResponseInputItemApplyPatchCallOutput", &[
    ("call_id", Any),
    ("status", Any),
    ("type", Any),
    ("id", Any),
    ("caller", ByType(&RESPONSE_INPUT_ITEM_APPLY_PATCH_CALL_OUTPUT_CALLER, &OBJECT)),
    ("output", Any),
]);

static RESPONSE_INPUT_ITEM_APPLY_PATCH_CALL_OUTPUT_CALLER_DIRECT: Shape = Shape::new("ResponseInputItemApplyPatchCallOutputCallerDirect", &[
    ("type", Any),
]);

static RESPONSE_INPUT_ITEM_APPLY_PATCH_CALL_OUTPUT_CALLER_PROGRAM: Shape = Shape::new("ResponseInputItemApplyPatchCallOutputCallerProgram", &[
    ("caller_id", Any),
    ("type", Any),
]);

static RESPONSE_INPUT_ITEM_MCP_APPROVAL_RESPONSE: Shape = Shape::new("ResponseInputItemMcpApprovalResponse", &[
    ("approval_request_id", Any),
    ("approve", Any),
    ("type", Any),
    ("id", Any),
    ("reason", Any),
]);

static RESPONSE_CUSTOM_TOOL_CALL_OUTPUT: Shape = Shape::new("ResponseCustomToolCallOutput", &[
    ("call_id", Any),
    ("output", ByType(&RESPONSE_FUNCTION_TOOL_CALL_OUTPUT_ITEM_OUTPUT, &OBJECT)),
    ("type", Any),
    ("id", Any),
    ("caller", ByType(&RESPONSE_FUNCTION_TOOL_CALL_OUTPUT_ITEM_CALLER, &OBJECT)),
]);

static RESPONSE_INPUT_ITEM_COMPACTION_TRIGGER: Shape = Shape::new("ResponseInputItemCompactionTrigger", &[
    ("type", Any),
    ("id", Any),
]);

static RESPONSE_INPUT_ITEM_ITEM_REFERENCE: Shape = Shape::new("ResponseInputItemItemReference", &[
    ("id", Any),
    ("type", Any),
]);

static TOOL_CHOICE_ALLOWED: Shape = Shape::new("ToolChoiceAllowed", &[
    ("mode", Any),
    ("tools", Any),
    ("type", Any),
]);

static TOOL_CHOICE_TYPES: Shape = Shape::new("ToolChoiceTypes", &[("type", Any)]);

static TOOL_CHOICE_FUNCTION: Shape = Shape::new("ToolChoiceFunction", &[
    ("name", Any),
    ("type", Any),
]);

static TOOL_CHOICE_MCP: Shape = Shape::new("ToolChoiceMcp", &[
    ("server_label", Any),
    ("type", Any),
    ("name", Any),
]);

static TOOL_CHOICE_CUSTOM: Shape = Shape::new("ToolChoiceCustom", &[("name", Any), ("type", Any)]);

static RESPONSE_TOOL_CHOICE_SPECIFIC_PROGRAMMATIC_TOOL_CALLING_PARAM: Shape = Shape::new("ResponseToolChoiceSpecificProgrammaticToolCallingParam", &[
    ("type", Any),
]);

static TOOL_CHOICE_APPLY_PATCH: Shape = Shape::new("ToolChoiceApplyPatch", &[("type", Any)]);

static TOOL_CHOICE_SHELL: Shape = Shape::new("ToolChoiceShell", &[("type", Any)]);

static RESPONSE_CONVERSATION: Shape = Shape::new("ResponseConversation", &[("id", Any)]);

static RESPONSE_PROMPT: Shape = Shape::new("ResponsePrompt", &[
    ("id", Any),
    ("variables", Plain),
    ("version", Any),
]);

static REASONING: Shape = Shape::new("Reasoning", &[
    ("context", Any),
    ("effort", Any),
    ("generate_summary", Any),
    ("mode", Any),
    ("summary", Any),
]);

static RESPONSE_TEXT_CONFIG: Shape = Shape::new("ResponseTextConfig", &[
    ("format", ByType(&RESPONSE_TEXT_CONFIG_FORMAT, &OBJECT)),
    ("verbosity", Any),
]);

static RESPONSE_FORMAT_JSONOBJECT: Shape = Shape::new("ResponseFormatJSONObject", &[("type", Any)]);

static RESPONSE_ACCESS_PROGRAMS: Shape = Shape::new("ResponseAccessPrograms", &[("cyber", Any)]);

static RESPONSE_IMAGE: Shape = Shape::new("ResponseImage", &[("context_compression", Any)]);

static INPUT_TRANSFORMATION: Shape = Shape::new("InputTransformation", &[
    ("id", Any),
    ("action", Any),
    ("reason", Any),
    ("type", Any),
]);

static RESPONSE_MODERATION: Shape = Shape::new("ResponseModeration", &[
    ("input", ByType(&RESPONSE_MODERATION_INPUT, &OBJECT)),
    ("output", ByType(&RESPONSE_MODERATION_OUTPUT, &OBJECT)),
]);

static MODERATION_INPUT_MODERATION_RESULT: Shape = Shape::new("ModerationInputModerationResult", &[
    ("categories", Plain),
    ("category_applied_input_types", Plain),
    ("category_scores", Plain),
    ("flagged", Any),
    ("model", Any),
    ("type", Any),
]);

static MODERATION_OUTPUT_MODERATION_RESULT: Shape = Shape::new("ModerationOutputModerationResult", &[
    ("categories", Plain),
    ("category_applied_input_types", Plain),
    ("category_scores", Plain),
    ("flagged", Any),
    ("model", Any),
    ("type", Any),
]);

static PROMPT_CACHE_DIAGNOSTICS_CACHE_MISS: Shape = Shape::new("PromptCacheDiagnosticsCacheMiss", &[
    ("cache_missed_tokens", Any),
    ("reason", Any),
    ("type", Any),
    ("comparison_reusable_tokens", Any),
]);

static PROMPT_CACHE_DIAGNOSTICS_CACHE_HIT: Shape = Shape::new("PromptCacheDiagnosticsCacheHit", &[
    ("type", Any),
]);

static PROMPT_CACHE_DIAGNOSTICS_COMPARISON_RESPONSE_NOT_FOUND: Shape = Shape::new("PromptCacheDiagnosticsComparisonResponseNotFound", &[
    ("type", Any),
]);

static PROMPT_CACHE_DIAGNOSTICS_UNAVAILABLE: Shape = Shape::new("PromptCacheDiagnosticsUnavailable", &[
    ("type", Any),
]);

static RESPONSE_PROMPT_CACHE_OPTIONS: Shape = Shape::new("ResponsePromptCacheOptions", &[
    ("mode", Any),
    ("ttl", Any),
    ("comparison_response_id", Any),
]);

static TOOL_USAGE: Shape = Shape::new("ToolUsage", &[
    ("image_gen", Of(&TOOL_USAGE_IMAGE_GEN)),
    ("web_search", Of(&TOOL_USAGE_WEB_SEARCH)),
]);

static TOOL_USAGE_IMAGE_GEN: Shape = Shape::new("ToolUsageImageGen", &[
    ("input_tokens", Any),
    ("input_tokens_details", Of(&TOOL_USAGE_IMAGE_GEN_INPUT_TOKENS_DETAILS)),
    ("output_tokens", Any),
    ("total_tokens", Any),
    ("cached_tokens", Any),
    ("cached_tokens_details", Of(&TOOL_USAGE_IMAGE_GEN_CACHED_TOKENS_DETAILS)),
    ("output_tokens_details", Of(&TOOL_USAGE_IMAGE_GEN_OUTPUT_TOKENS_DETAILS)),
]);

static TOOL_USAGE_IMAGE_GEN_INPUT_TOKENS_DETAILS: Shape = Shape::new("ToolUsageImageGenInputTokensDetails", &[
    ("image_tokens", Any),
    ("text_tokens", Any),
]);

static TOOL_USAGE_IMAGE_GEN_CACHED_TOKENS_DETAILS: Shape = Shape::new("ToolUsageImageGenCachedTokensDetails", &[
    ("cached_image_tokens", Any),
    ("cached_text_tokens", Any),
]);

static TOOL_USAGE_IMAGE_GEN_OUTPUT_TOKENS_DETAILS: Shape = Shape::new("ToolUsageImageGenOutputTokensDetails", &[
    ("image_tokens", Any),
    ("text_tokens", Any),
]);

static TOOL_USAGE_WEB_SEARCH: Shape = Shape::new("ToolUsageWebSearch", &[("num_requests", Any)]);

static ALL: [&Shape; 261] = [
    &MODEL_LIST, &MODEL, &COMPLETION_TOKENS_DETAILS, &PROMPT_TOKENS_DETAILS, &COMPLETION_USAGE,
    &TOP_LOGPROB, &CHAT_COMPLETION_TOKEN_LOGPROB, &CHOICE_LOGPROBS, &FUNCTION, &CUSTOM,
    &CHAT_COMPLETION_MESSAGE_TOOL_CALL, &CHAT_COMPLETION_MESSAGE_CUSTOM_TOOL_CALL,
    &ANNOTATION_URLCITATION, &ANNOTATION, &CHAT_COMPLETION_AUDIO, &CHAT_COMPLETION_MESSAGE, &CHOICE,
    &CHAT_COMPLETION, &CHOICE_DELTA_TOOL_CALL_FUNCTION, &CHOICE_DELTA_TOOL_CALL, &CHOICE_DELTA,
    &CHUNK_CHOICE, &CHAT_COMPLETION_CHUNK, &RESPONSE_ERROR, &INCOMPLETE_DETAILS,
    &INPUT_TOKENS_DETAILS, &OUTPUT_TOKENS_DETAILS, &RESPONSE_USAGE, &RESPONSE_OUTPUT_TEXT,
    &RESPONSE_OUTPUT_REFUSAL, &RESPONSE_CONTENT_PART, &RESPONSE_OUTPUT_MESSAGE,
    &RESPONSE_FUNCTION_TOOL_CALL, &RESPONSE_REASONING_ITEM, &RESPONSE_OUTPUT_ITEM, &RESPONSE,
    &RESPONSE_STREAM_EVENT, &RESPONSE_FILE_SEARCH_TOOL_CALL, &RESPONSE_FILE_SEARCH_TOOL_CALL_RESULT,
    &RESPONSE_FUNCTION_TOOL_CALL_OUTPUT_ITEM, &RESPONSE_INPUT_TEXT,
    &CHAT_COMPLETION_CONTENT_PART_IMAGE_PROMPT_CACHE_BREAKPOINT, &RESPONSE_INPUT_IMAGE,
    &RESPONSE_INPUT_FILE, &RESPONSE_APPLY_PATCH_TOOL_CALL_CALLER_DIRECT,
    &RESPONSE_APPLY_PATCH_TOOL_CALL_CALLER_PROGRAM, &RESPONSE_FUNCTION_WEB_SEARCH,
    &RESPONSE_FUNCTION_WEB_SEARCH_ACTION_SEARCH, &RESPONSE_FUNCTION_WEB_SEARCH_ACTION_SEARCH_SOURCE,
    &RESPONSE_FUNCTION_WEB_SEARCH_ACTION_OPEN_PAGE, &RESPONSE_FUNCTION_WEB_SEARCH_ACTION_FIND,
    &RESPONSE_COMPUTER_TOOL_CALL, &RESPONSE_COMPUTER_TOOL_CALL_PENDING_SAFETY_CHECK,
    &RESPONSE_COMPUTER_TOOL_CALL_ACTION_CLICK, &RESPONSE_COMPUTER_TOOL_CALL_ACTION_DOUBLE_CLICK,
    &RESPONSE_COMPUTER_TOOL_CALL_ACTION_DRAG, &RESPONSE_COMPUTER_TOOL_CALL_ACTION_DRAG_PATH,
    &RESPONSE_COMPUTER_TOOL_CALL_ACTION_KEYPRESS, &RESPONSE_COMPUTER_TOOL_CALL_ACTION_MOVE,
    &RESPONSE_COMPUTER_TOOL_CALL_ACTION_SCREENSHOT, &RESPONSE_COMPUTER_TOOL_CALL_ACTION_SCROLL,
    &RESPONSE_COMPUTER_TOOL_CALL_ACTION_TYPE, &RESPONSE_COMPUTER_TOOL_CALL_ACTION_WAIT,
    &COMPUTER_ACTION_CLICK, &COMPUTER_ACTION_DOUBLE_CLICK, &COMPUTER_ACTION_DRAG,
    &COMPUTER_ACTION_DRAG_PATH, &COMPUTER_ACTION_KEYPRESS, &COMPUTER_ACTION_MOVE,
    &COMPUTER_ACTION_SCREENSHOT, &COMPUTER_ACTION_SCROLL, &COMPUTER_ACTION_TYPE,
    &COMPUTER_ACTION_WAIT, &RESPONSE_COMPUTER_TOOL_CALL_OUTPUT_ITEM,
    &RESPONSE_COMPUTER_TOOL_CALL_OUTPUT_SCREENSHOT, &ACKNOWLEDGED_SAFETY_CHECK, &PROGRAM,
    &PROGRAM_OUTPUT, &RESPONSE_TOOL_SEARCH_CALL, &RESPONSE_TOOL_SEARCH_OUTPUT_ITEM, &FUNCTION_TOOL,
    &FILE_SEARCH_TOOL, &COMPARISON_FILTER, &COMPOUND_FILTER, &FILE_SEARCH_TOOL_RANKING_OPTIONS,
    &FILE_SEARCH_TOOL_RANKING_OPTIONS_HYBRID_SEARCH, &COMPUTER_TOOL, &COMPUTER_USE_PREVIEW_TOOL,
    &WEB_SEARCH_TOOL, &WEB_SEARCH_TOOL_FILTERS, &WEB_SEARCH_TOOL_USER_LOCATION, &TOOL_MCP,
    &TOOL_MCP_ALLOWED_TOOLS_MCP_TOOL_FILTER, &TOOL_MCP_REQUIRE_APPROVAL_MCP_TOOL_APPROVAL_FILTER,
    &TOOL_MCP_REQUIRE_APPROVAL_MCP_TOOL_APPROVAL_FILTER_ALWAYS,
    &TOOL_MCP_REQUIRE_APPROVAL_MCP_TOOL_APPROVAL_FILTER_NEVER, &TOOL_CODE_INTERPRETER,
    &TOOL_CODE_INTERPRETER_CONTAINER_CODE_INTERPRETER_TOOL_AUTO, &CONTAINER_NETWORK_POLICY_DISABLED,
    &CONTAINER_NETWORK_POLICY_ALLOWLIST, &CONTAINER_NETWORK_POLICY_DOMAIN_SECRET,
    &TOOL_PROGRAMMATIC_TOOL_CALLING, &TOOL_IMAGE_GENERATION,
    &TOOL_IMAGE_GENERATION_INPUT_IMAGE_MASK, &TOOL_IMAGE_GENERATION_SVG,
    &TOOL_IMAGE_GENERATION_SVG_REASONING, &TOOL_LOCAL_SHELL, &FUNCTION_SHELL_TOOL, &CONTAINER_AUTO,
    &SKILL_REFERENCE, &INLINE_SKILL, &INLINE_SKILL_SOURCE, &LOCAL_ENVIRONMENT, &LOCAL_SKILL,
    &CONTAINER_REFERENCE, &CUSTOM_TOOL, &CUSTOM_TOOL_INPUT_FORMAT_TEXT,
    &CUSTOM_TOOL_INPUT_FORMAT_GRAMMAR, &NAMESPACE_TOOL, &NAMESPACE_TOOL_TOOL_FUNCTION,
    &TOOL_SEARCH_TOOL, &WEB_SEARCH_PREVIEW_TOOL, &WEB_SEARCH_PREVIEW_TOOL_USER_LOCATION,
    &APPLY_PATCH_TOOL, &ADDITIONAL_TOOLS, &RESPONSE_COMPACTION_ITEM, &IMAGE_GENERATION_CALL,
    &IMAGE_GENERATION_CALL_ERROR, &IMAGE_GENERATION_CALL_ERROR_MODERATION_DETAILS,
    &IMAGE_GENERATION_CALL_SVG_USAGE, &RESPONSE_CODE_INTERPRETER_TOOL_CALL,
    &RESPONSE_CODE_INTERPRETER_TOOL_CALL_OUTPUT_LOGS,
    &RESPONSE_CODE_INTERPRETER_TOOL_CALL_OUTPUT_IMAGE, &LOCAL_SHELL_CALL, &LOCAL_SHELL_CALL_ACTION,
    &LOCAL_SHELL_CALL_OUTPUT, &RESPONSE_FUNCTION_SHELL_TOOL_CALL,
    &RESPONSE_FUNCTION_SHELL_TOOL_CALL_ACTION, &RESPONSE_LOCAL_ENVIRONMENT,
    &RESPONSE_CONTAINER_REFERENCE, &RESPONSE_FUNCTION_SHELL_TOOL_CALL_OUTPUT,
    &RESPONSE_FUNCTION_SHELL_TOOL_CALL_OUTPUT_OUTPUT, &OUTPUT_OUTCOME_TIMEOUT, &OUTPUT_OUTCOME_EXIT,
    &RESPONSE_APPLY_PATCH_TOOL_CALL, &OPERATION_CREATE_FILE, &OPERATION_DELETE_FILE,
    &OPERATION_UPDATE_FILE, &RESPONSE_APPLY_PATCH_TOOL_CALL_OUTPUT, &MCP_CALL,
    &MCP_TOOL_CALL_ERROR_MCP_PROTOCOL_ERROR, &MCP_TOOL_CALL_ERROR_MCP_TOOL_EXECUTION_ERROR,
    &MCP_TOOL_CALL_ERROR_HTTPERROR, &MCP_LIST_TOOLS, &MCP_LIST_TOOLS_TOOL, &MCP_APPROVAL_REQUEST,
    &MCP_APPROVAL_RESPONSE, &RESPONSE_CUSTOM_TOOL_CALL, &RESPONSE_CUSTOM_TOOL_CALL_OUTPUT_ITEM,
    &CHAT_COMPLETION_MODERATION, &MODERATION_INPUT_MODERATION_RESULTS,
    &MODERATION_INPUT_MODERATION_RESULTS_RESULT, &MODERATION_INPUT_ERROR,
    &MODERATION_OUTPUT_MODERATION_RESULTS, &MODERATION_OUTPUT_MODERATION_RESULTS_RESULT,
    &MODERATION_OUTPUT_ERROR, &MISALIGNMENT, &MISALIGNMENT_STEER,
    &INPUT_TOKENS_DETAILS_CACHE_WRITE_TOKENS_DETAILS,
    &RESPONSE_OUTPUT_TEXT_ANNOTATION_FILE_CITATION, &RESPONSE_OUTPUT_TEXT_ANNOTATION_URLCITATION,
    &RESPONSE_OUTPUT_TEXT_ANNOTATION_CONTAINER_FILE_CITATION,
    &RESPONSE_OUTPUT_TEXT_ANNOTATION_FILE_PATH, &RESPONSE_OUTPUT_TEXT_LOGPROB,
    &RESPONSE_OUTPUT_TEXT_LOGPROB_TOP_LOGPROB, &EASY_INPUT_MESSAGE, &RESPONSE_INPUT_ITEM_MESSAGE,
    &RESPONSE_INPUT_ITEM_COMPUTER_CALL_OUTPUT,
    &RESPONSE_INPUT_ITEM_COMPUTER_CALL_OUTPUT_ACKNOWLEDGED_SAFETY_CHECK,
    &RESPONSE_INPUT_ITEM_FUNCTION_CALL_OUTPUT, &RESPONSE_INPUT_TEXT_CONTENT,
    &RESPONSE_INPUT_IMAGE_CONTENT, &RESPONSE_INPUT_FILE_CONTENT,
    &RESPONSE_INPUT_ITEM_FUNCTION_CALL_OUTPUT_CALLER_DIRECT,
    &RESPONSE_INPUT_ITEM_FUNCTION_CALL_OUTPUT_CALLER_PROGRAM, &RESPONSE_INPUT_ITEM_TOOL_SEARCH_CALL,
    &RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM, &RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_MCP,
    &RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_MCP_ALLOWED_TOOLS_MCP_TOOL_FILTER,
    &RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_MCP_REQUIRE_APPROVAL_MCP_TOOL_APPROVAL_FILTER,
    &RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_MCP_REQUIRE_APPROVAL_MCP_TOOL_APPROVAL_FILTER_ALWAYS,
    &RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_MCP_REQUIRE_APPROVAL_MCP_TOOL_APPROVAL_FILTER_NEVER,
    &RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_CODE_INTERPRETER,
    &RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_CODE_INTERPRETER_CONTAINER_CODE_INTERPRETER_TOOL_AUTO,
    &RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_PROGRAMMATIC_TOOL_CALLING,
    &RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_IMAGE_GENERATION,
    &RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_IMAGE_GENERATION_INPUT_IMAGE_MASK,
    &RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_IMAGE_GENERATION_SVG,
    &RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_IMAGE_GENERATION_SVG_REASONING,
    &RESPONSE_TOOL_SEARCH_OUTPUT_ITEM_PARAM_TOOL_LOCAL_SHELL, &TOOL_SEARCH_OUTPUT_NAMESPACE_TOOL,
    &RESPONSE_INPUT_ITEM_ADDITIONAL_TOOLS, &RESPONSE_CONFIGURATION_UPDATE_ITEM_PARAM,
    &RESPONSE_CONFIGURATION_UPDATE_ITEM_REASONING, &RESPONSE_CONFIGURATION_UPDATE_ITEM_TEXT,
    &RESPONSE_FORMAT_TEXT, &RESPONSE_FORMAT_TEXT_JSONSCHEMA_CONFIG, &RESPONSE_COMPACTION_ITEM_PARAM,
    &RESPONSE_INPUT_ITEM_SHELL_CALL, &RESPONSE_INPUT_ITEM_SHELL_CALL_ACTION,
    &RESPONSE_INPUT_ITEM_SHELL_CALL_CALLER_DIRECT, &RESPONSE_INPUT_ITEM_SHELL_CALL_CALLER_PROGRAM,
    &RESPONSE_INPUT_ITEM_SHELL_CALL_OUTPUT, &RESPONSE_FUNCTION_SHELL_CALL_OUTPUT_CONTENT,
    &RESPONSE_FUNCTION_SHELL_CALL_OUTPUT_CONTENT_OUTCOME_TIMEOUT,
    &RESPONSE_FUNCTION_SHELL_CALL_OUTPUT_CONTENT_OUTCOME_EXIT,
    &RESPONSE_INPUT_ITEM_SHELL_CALL_OUTPUT_CALLER_DIRECT,
    &RESPONSE_INPUT_ITEM_SHELL_CALL_OUTPUT_CALLER_PROGRAM, &RESPONSE_INPUT_ITEM_APPLY_PATCH_CALL,
    &RESPONSE_INPUT_ITEM_APPLY_PATCH_CALL_OPERATION_CREATE_FILE,
    &RESPONSE_INPUT_ITEM_APPLY_PATCH_CALL_OPERATION_DELETE_FILE,
    &RESPONSE_INPUT_ITEM_APPLY_PATCH_CALL_OPERATION_UPDATE_FILE,
    &RESPONSE_INPUT_ITEM_APPLY_PATCH_CALL_CALLER_DIRECT,
    &RESPONSE_INPUT_ITEM_APPLY_PATCH_CALL_CALLER_PROGRAM,
    &RESPONSE_INPUT_ITEM_APPLY_PATCH_CALL_OUTPUT,
    &RESPONSE_INPUT_ITEM_APPLY_PATCH_CALL_OUTPUT_CALLER_DIRECT,
    &RESPONSE_INPUT_ITEM_APPLY_PATCH_CALL_OUTPUT_CALLER_PROGRAM,
    &RESPONSE_INPUT_ITEM_MCP_APPROVAL_RESPONSE, &RESPONSE_CUSTOM_TOOL_CALL_OUTPUT,
    &RESPONSE_INPUT_ITEM_COMPACTION_TRIGGER, &RESPONSE_INPUT_ITEM_ITEM_REFERENCE,
    &TOOL_CHOICE_ALLOWED, &TOOL_CHOICE_TYPES, &TOOL_CHOICE_FUNCTION, &TOOL_CHOICE_MCP,
    &TOOL_CHOICE_CUSTOM, &RESPONSE_TOOL_CHOICE_SPECIFIC_PROGRAMMATIC_TOOL_CALLING_PARAM,
    &TOOL_CHOICE_APPLY_PATCH, &TOOL_CHOICE_SHELL, &RESPONSE_CONVERSATION, &RESPONSE_PROMPT,
    &REASONING, &RESPONSE_TEXT_CONFIG, &RESPONSE_FORMAT_JSONOBJECT, &RESPONSE_ACCESS_PROGRAMS,
    &RESPONSE_IMAGE, &INPUT_TRANSFORMATION, &RESPONSE_MODERATION,
    &MODERATION_INPUT_MODERATION_RESULT, &MODERATION_OUTPUT_MODERATION_RESULT,
    &PROMPT_CACHE_DIAGNOSTICS_CACHE_MISS, &PROMPT_CACHE_DIAGNOSTICS_CACHE_HIT,
    &PROMPT_CACHE_DIAGNOSTICS_COMPARISON_RESPONSE_NOT_FOUND, &PROMPT_CACHE_DIAGNOSTICS_UNAVAILABLE,
    &RESPONSE_PROMPT_CACHE_OPTIONS, &TOOL_USAGE, &TOOL_USAGE_IMAGE_GEN,
    &TOOL_USAGE_IMAGE_GEN_INPUT_TOKENS_DETAILS, &TOOL_USAGE_IMAGE_GEN_CACHED_TOKENS_DETAILS,
    &TOOL_USAGE_IMAGE_GEN_OUTPUT_TOKENS_DETAILS, &TOOL_USAGE_WEB_SEARCH,
];

/// Items of a response that have no class of their own.
pub(crate) static ITEMS: [&Shape; 25] = [
    &RESPONSE_FILE_SEARCH_TOOL_CALL, &RESPONSE_FUNCTION_TOOL_CALL_OUTPUT_ITEM,
    &RESPONSE_FUNCTION_WEB_SEARCH, &RESPONSE_COMPUTER_TOOL_CALL,
    &RESPONSE_COMPUTER_TOOL_CALL_OUTPUT_ITEM, &PROGRAM, &PROGRAM_OUTPUT, &RESPONSE_TOOL_SEARCH_CALL,
    &RESPONSE_TOOL_SEARCH_OUTPUT_ITEM, &ADDITIONAL_TOOLS, &RESPONSE_COMPACTION_ITEM,
    &IMAGE_GENERATION_CALL, &RESPONSE_CODE_INTERPRETER_TOOL_CALL, &LOCAL_SHELL_CALL,
    &LOCAL_SHELL_CALL_OUTPUT, &RESPONSE_FUNCTION_SHELL_TOOL_CALL,
    &RESPONSE_FUNCTION_SHELL_TOOL_CALL_OUTPUT, &RESPONSE_APPLY_PATCH_TOOL_CALL,
    &RESPONSE_APPLY_PATCH_TOOL_CALL_OUTPUT, &MCP_CALL, &MCP_LIST_TOOLS, &MCP_APPROVAL_REQUEST,
    &MCP_APPROVAL_RESPONSE, &RESPONSE_CUSTOM_TOOL_CALL, &RESPONSE_CUSTOM_TOOL_CALL_OUTPUT_ITEM,
];

/// The shape of the class of this name.
pub(crate) fn by_name(name: &str) -> Option<&'static Shape> {
    ALL.iter().find(|shape| shape.name == name).copied()
}
