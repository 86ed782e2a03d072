//! The fields of response stream events by type, as in openai-python's classes, except `type` and
//! `sequence_number`, which all have. A test compares them.

/// Fields, and the types of the events that have them.
type Row = (&'static [&'static str], &'static [&'static str]);

/// The fields of an event of this type; none if it is unknown.
pub(crate) fn fields_of(kind: &str) -> Option<&'static [&'static str]> {
    EVENTS.iter().find(|(_, kinds)| kinds.contains(&kind)).map(|(fields, _)| *fields)
}

static EVENTS: &[Row] = &[
    (&["code", "message", "param"], &["error"]),
    (&["delta"], &["response.audio.delta", "response.audio.transcript.delta"]),
    (&[], &["response.audio.done", "response.audio.transcript.done"]),
    (
        &["item_id", "output_index"],
        &[
            "response.code_interpreter_call.completed",
            "response.code_interpreter_call.in_progress",
            "response.code_interpreter_call.interpreting",
            "response.compaction.compacting",
            "response.file_search_call.completed",
            "response.file_search_call.in_progress",
            "response.file_search_call.searching",
            "response.image_generation_call.completed",
            "response.image_generation_call.generating",
            "response.image_generation_call.in_progress",
            "response.mcp_call.completed",
            "response.mcp_call.failed",
            "response.mcp_call.in_progress",
            "response.mcp_list_tools.completed",
            "response.mcp_list_tools.failed",
            "response.mcp_list_tools.in_progress",
            "response.web_search_call.completed",
            "response.web_search_call.in_progress",
            "response.web_search_call.searching",
        ],
    ),
    (
        &["delta", "item_id", "output_index"],
        &[
            "response.code_interpreter_call_code.delta",
            "response.custom_tool_call_input.delta",
            "response.function_call_arguments.delta",
            "response.mcp_call_arguments.delta",
        ],
    ),
    (&["code", "item_id", "output_index"], &["response.code_interpreter_call_code.done"]),
    (
        &["response"],
        &[
            "response.completed",
            "response.created",
            "response.failed",
            "response.in_progress",
            "response.incomplete",
            "response.queued",
        ],
    ),
    (
        &["content_index", "item_id", "output_index", "part"],
        &["response.content_part.added", "response.content_part.done"],
    ),
    (&["input", "item_id", "output_index"], &["response.custom_tool_call_input.done"]),
    (
        &["arguments", "item_id", "output_index"],
        &["response.function_call_arguments.done", "response.mcp_call_arguments.done"],
    ),
    (
        &[
            "item_id",
            "output_index",
            "partial_image_b64",
            "partial_image_index",
            "background",
            "output_format",
            "quality",
            "size",
        ],
        &["response.image_generation_call.partial_image"],
    ),
    (&["item", "output_index"], &["response.output_item.added", "response.output_item.done"]),
    (
        &["annotation", "annotation_index", "content_index", "item_id", "output_index"],
        &["response.output_text.annotation.added"],
    ),
    (
        &["content_index", "delta", "item_id", "logprobs", "output_index"],
        &["response.output_text.delta"],
    ),
    (
        &["content_index", "item_id", "logprobs", "output_index", "text"],
        &["response.output_text.done"],
    ),
    (
        &["item_id", "output_index", "part", "summary_index"],
        &["response.reasoning_summary_part.added"],
    ),
    (
        &["item_id", "output_index", "part", "summary_index", "status"],
        &["response.reasoning_summary_part.done"],
    ),
    (
        &["delta", "item_id", "output_index", "summary_index"],
        &["response.reasoning_summary_text.delta"],
    ),
    (
        &["item_id", "output_index", "summary_index", "text"],
        &["response.reasoning_summary_text.done"],
    ),
    (
        &["content_index", "delta", "item_id", "output_index"],
        &["response.reasoning_text.delta", "response.refusal.delta"],
    ),
    (&["content_index", "item_id", "output_index", "text"], &["response.reasoning_text.done"]),
    (&["content_index", "item_id", "output_index", "refusal"], &["response.refusal.done"]),
    (
        &["command", "command_index", "output_index"],
        &["response.shell_call_command.added", "response.shell_call_command.done"],
    ),
    (
        &["command_index", "delta", "output_index", "obfuscation"],
        &["response.shell_call_command.delta"],
    ),
    (
        &["command_index", "delta", "item_id", "output_index"],
        &["response.shell_call_output_content.delta"],
    ),
    (
        &["command_index", "item_id", "output", "output_index"],
        &["response.shell_call_output_content.done"],
    ),
];
