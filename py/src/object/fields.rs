//! The fields of every class, and what stands in them: a table. Written from py/fields.txt
//! by `make stubs`. Knows no class.

use crate::object::shape::Child::{Any, ByType, Of, Plain};
use crate::object::shape::Shape;

static OUTPUT_ITEM: [(&str, &Shape); 3] = [
    ("message", &RESPONSE_OUTPUT_MESSAGE), ("function_call", &RESPONSE_FUNCTION_TOOL_CALL),
    ("reasoning", &RESPONSE_REASONING_ITEM),
];

static TOOL_CALL: [(&str, &Shape); 1] = [
    ("custom", &CHAT_COMPLETION_MESSAGE_CUSTOM_TOOL_CALL),
];

static CONTENT_PART: [(&str, &Shape); 2] = [
    ("output_text", &RESPONSE_OUTPUT_TEXT), ("refusal", &RESPONSE_OUTPUT_REFUSAL),
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

pub(crate) static FUNCTION: Shape = Shape::new("Function", &[
    ("arguments", Any),
    ("name", Any),
]);

pub(crate) static CUSTOM: Shape = Shape::new("Custom", &[
    ("input", Any),
    ("name", Any),
]);

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
    ("moderation", Any),
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
    ("moderation", Any),
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
    ("misalignment", Any),
    ("param", Any),
    ("type", Any),
]);

pub(crate) static INCOMPLETE_DETAILS: Shape = Shape::new("IncompleteDetails", &[
    ("reason", Any),
]);

pub(crate) static INPUT_TOKENS_DETAILS: Shape = Shape::new("InputTokensDetails", &[
    ("cached_tokens", Any),
    ("cache_write_tokens", Any),
    ("cache_write_tokens_details", Any),
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
    ("annotations", Any),
    ("text", Any),
    ("type", Any),
    ("logprobs", Any),
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
    ("caller", Any),
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
    ("instructions", Any),
    ("metadata", Plain),
    ("model", Any),
    ("object", Any),
    ("output", ByType(&OUTPUT_ITEM, &RESPONSE_OUTPUT_ITEM)),
    ("parallel_tool_calls", Any),
    ("temperature", Any),
    ("tool_choice", Any),
    ("tools", Any),
    ("top_p", Any),
    ("background", Any),
    ("completed_at", Any),
    ("conversation", Any),
    ("max_output_tokens", Any),
    ("max_tool_calls", Any),
    ("previous_response_id", Any),
    ("prompt", Any),
    ("prompt_cache_key", Any),
    ("prompt_cache_retention", Any),
    ("reasoning", Any),
    ("safety_identifier", Any),
    ("service_tier", Any),
    ("status", Any),
    ("text", Any),
    ("top_logprobs", Any),
    ("truncation", Any),
    ("usage", Of(&RESPONSE_USAGE)),
    ("user", Any),
    ("access_programs", Any),
    ("image", Any),
    ("input_transformations", Any),
    ("moderation", Any),
    ("prompt_cache_diagnostics", Any),
    ("prompt_cache_options", Any),
    ("tool_usage", Any),
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

static ALL: [&Shape; 37] = [
    &MODEL_LIST, &MODEL, &COMPLETION_TOKENS_DETAILS, &PROMPT_TOKENS_DETAILS, &COMPLETION_USAGE,
    &TOP_LOGPROB, &CHAT_COMPLETION_TOKEN_LOGPROB, &CHOICE_LOGPROBS, &FUNCTION, &CUSTOM,
    &CHAT_COMPLETION_MESSAGE_TOOL_CALL, &CHAT_COMPLETION_MESSAGE_CUSTOM_TOOL_CALL,
    &ANNOTATION_URLCITATION, &ANNOTATION, &CHAT_COMPLETION_AUDIO, &CHAT_COMPLETION_MESSAGE, &CHOICE,
    &CHAT_COMPLETION, &CHOICE_DELTA_TOOL_CALL_FUNCTION, &CHOICE_DELTA_TOOL_CALL, &CHOICE_DELTA,
    &CHUNK_CHOICE, &CHAT_COMPLETION_CHUNK, &RESPONSE_ERROR, &INCOMPLETE_DETAILS,
    &INPUT_TOKENS_DETAILS, &OUTPUT_TOKENS_DETAILS, &RESPONSE_USAGE, &RESPONSE_OUTPUT_TEXT,
    &RESPONSE_OUTPUT_REFUSAL, &RESPONSE_CONTENT_PART, &RESPONSE_OUTPUT_MESSAGE,
    &RESPONSE_FUNCTION_TOOL_CALL, &RESPONSE_REASONING_ITEM, &RESPONSE_OUTPUT_ITEM, &RESPONSE,
    &RESPONSE_STREAM_EVENT,
];

/// The shape of the class of this name.
pub(crate) fn by_name(name: &str) -> Option<&'static Shape> {
    ALL.iter().find(|shape| shape.name == name).copied()
}
