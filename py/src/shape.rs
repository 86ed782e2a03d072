//! The names of the objects that Python programs expect, their fields, and what stands in those
//! fields. A table, read by `object`; knows no JSON. A field of the table that the service did not
//! send reads as `None`; one that is not in the table is reachable all the same.

/// What an object is called, and the fields that are always there.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    /// Name, and the shape of the object or of the list's objects that stands there.
    pub(crate) fields: &'static [(&'static str, Option<&'static Shape>)],
}

impl Shape {
    /// The shape of a field, where the field is known.
    pub(crate) fn field(&self, name: &str) -> Option<Option<&'static Shape>> {
        let found = self.fields.iter().find(|(field, _)| *field == name);
        found.map(|(_, shape)| *shape)
    }
}

/// An object that nobody here knows.
pub(crate) static OBJECT: Shape = Shape { name: "Object", fields: &[] };

macro_rules! shapes {
    ($($shape:ident = $name:literal { $($field:ident $(: $child:ident)?),* $(,)? })*) => {
        $(pub(crate) static $shape: Shape = Shape {
            name: $name,
            fields: &[$((stringify!($field), shapes!(@child $($child)?))),*],
        };)*
    };
    (@child) => { None };
    (@child $child:ident) => { Some(&$child) };
}

shapes! {
    MODEL = "Model" { id, created, object, owned_by }
    MODEL_LIST = "ModelList" { data: MODEL, object }

    FUNCTION = "Function" { name, arguments }
    TOOL_CALL = "ToolCall" { id, index, r#type, function: FUNCTION }
    MESSAGE = "ChatCompletionMessage" {
        role, content, refusal, tool_calls: TOOL_CALL, function_call: FUNCTION, audio, annotations,
    }
    LOGPROBS = "Logprobs" { content, refusal }
    CHOICE = "Choice" { index, finish_reason, message: MESSAGE, logprobs: LOGPROBS }
    USAGE = "CompletionUsage" {
        prompt_tokens, completion_tokens, total_tokens, prompt_tokens_details,
        completion_tokens_details,
    }
    CHAT_COMPLETION = "ChatCompletion" {
        id, object, created, model, choices: CHOICE, usage: USAGE, system_fingerprint,
        service_tier,
    }

    DELTA = "ChoiceDelta" { role, content, refusal, tool_calls: TOOL_CALL, function_call: FUNCTION }
    CHUNK_CHOICE = "Choice" { index, finish_reason, delta: DELTA, logprobs: LOGPROBS }
    CHUNK = "ChatCompletionChunk" {
        id, object, created, model, choices: CHUNK_CHOICE, usage: USAGE, system_fingerprint,
        service_tier,
    }

    CONTENT_PART = "ResponseContentPart" { r#type, text, refusal, annotations, logprobs }
    OUTPUT_ITEM = "ResponseOutputItem" {
        id, r#type, role, status, content: CONTENT_PART, summary, name, arguments, call_id,
    }
    RESPONSE_USAGE = "ResponseUsage" {
        input_tokens, output_tokens, total_tokens, input_tokens_details, output_tokens_details,
    }
    RESPONSE_ERROR = "ResponseError" { code, message }
    INCOMPLETE_DETAILS = "IncompleteDetails" { reason }
    RESPONSE = "Response" {
        id, object, created_at, status, model, output: OUTPUT_ITEM, usage: RESPONSE_USAGE,
        error: RESPONSE_ERROR, incomplete_details: INCOMPLETE_DETAILS, instructions, metadata,
        max_output_tokens, previous_response_id, parallel_tool_calls, temperature, top_p, tools,
        tool_choice, truncation, reasoning, text, user, service_tier, background,
    }
    RESPONSE_EVENT = "ResponseStreamEvent" {
        r#type, sequence_number, response: RESPONSE, item: OUTPUT_ITEM, part: CONTENT_PART, delta,
        output_index, content_index, item_id,
    }
}
