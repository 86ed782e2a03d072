//! The table of accessors: what the library tells of a chunk, a response and an error, each said once.
//! Knows neither how it is read nor any language: `accessors.rs`, the headers, the tests of each
//! language and docs/accessors.md are made from these rows.
//!
//! ```text
//! /// What it is, as a sentence; in every document.
//! name: kind |response| how it is read, sent "{}" gives "null";
//! name: kind at "/its/path", sent "{}" gives "null";
//! ```
//!
//! The name is that of the member in JSON. A kind is a function of `texts::Object`. What has only a
//! path gets its Rust accessor here, too. `sent` is what a service sends, `{}` for anything, and
//! `gives` the JSON of the member then, `"*"` where that is anything but null: every language is
//! tested with it.

accessors! {
    /// What the library knows of the chunk beside its text, as a JSON object, for programs that are
    /// not Rust.
    Chunk::info_json;

    /// The name of the server-sent event, "response.completed" for instance; empty where there was
    /// none, as in chat streams.
    name: word |chunk| chunk.event(), sent r#"{"choices":[{}]}"# gives "\"named\"";

    /// The piece of reasoning that the chunk adds, in its first choice or to an item of a response,
    /// under whatever name the service has for it; empty for every other chunk.
    reasoning: word |chunk| &chunk.reasoning(),
        sent r#"{"choices":[{"delta":{"reasoning_content":"so"}}]}"# gives "\"so\"";

    /// Why the first choice stopped, "stop" for instance; nothing while it has not.
    finish_reason: text |chunk| chunk.finish_reason(),
        sent r#"{"choices":[{"delta":{},"finish_reason":"length"}]}"# gives "\"length\"";

    /// The tokens that the chunk, or the response at the end, reports: "input_tokens",
    /// "output_tokens" and "total_tokens", and of these "cached_input_tokens",
    /// "cache_write_tokens", "reasoning_tokens", "audio_input_tokens" and "audio_output_tokens", 0
    /// where the service says nothing of them.
    usage: usage |chunk| chunk.usage(),
        sent r#"{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}"#
        gives r#"{"input_tokens":3,"output_tokens":4,"total_tokens":7,"cached_input_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0,"audio_input_tokens":0,"audio_output_tokens":0}"#;

    /// The pieces of tool calls that the chunk adds in its first choice: "index" (which call), "id",
    /// "name" and "arguments" (pieces, which together are JSON text).
    tool_calls: pieces |chunk| chunk.choices().next(),
        sent r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"a","function":{"name":"f","arguments":"{}"}}]}}]}"#
        gives r#"[{"index":1,"id":"a","name":"f","arguments":"{}"}]"#;
}

accessors! {
    /// What the library knows of the response beside its document, as a JSON object, for programs
    /// that are not Rust: status, headers, how it ended, and what is often read of it.
    Response::info_json;

    /// The HTTP status, 200 for instance.
    http_status: number |response| u64::from(response.head().status()), sent r#"{"choices":[{}]}"# gives "200";

    /// The service's name for the exchange, to give to its support.
    request_id: text |response| response.head().request_id(), sent r#"{"choices":[{}]}"# gives "\"req-1\"";

    /// "id" of the answer, the service's name for it.
    id: text at "/id", sent r#"{"choices":[{}],"id":"chat-1"}"# gives "\"chat-1\"";

    /// The model that answered, as it calls itself.
    model: text at "/model", sent r#"{"choices":[{}],"model":"m-2"}"# gives "\"m-2\"";

    /// How many times the request was attempted: more than 1 where the retry policy tried again.
    attempts: number |response| u64::from(response.attempts()), sent r#"{"choices":[{}]}"# gives "1";

    /// From the start of the first attempt to the end of the response, waits included.
    elapsed_ms: duration |response| response.elapsed(), sent r#"{"choices":[{}]}"# gives "*";

    /// How the response was known to be complete: "document", "done_mark", "final_event" or
    /// "finish_reasons".
    end: word |response| response.end().name(), sent r#"{"choices":[{}]}"# gives "\"document\"";

    /// Whether the JSON text was put together from the chunks of a stream.
    is_gathered: flag |response| response.is_gathered(), sent r#"{"choices":[{}]}"# gives "false";

    /// What the model thought before it spoke: that of a chat's first choice under whatever name the
    /// service has for it, or of all reasoning items of a response, their summaries where they have no
    /// text of their own. Empty where there is none, and at the end of a stream that was not gathered.
    reasoning: word |response| &response.reasoning(),
        sent r#"{"choices":[{"message":{"content":"x","reasoning":"so"}}]}"# gives "\"so\"";

    /// Why the first choice of a chat stopped, "stop" for instance, or the status of a response.
    /// Nothing at the end of a stream that was not gathered, whose chunks had it.
    finish_reason: text |response| response.finish_reason(),
        sent r#"{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}"# gives "\"stop\"";

    /// The tokens that the service reported, of a stream too: "input_tokens", "output_tokens" and
    /// "total_tokens", and of these "cached_input_tokens", "cache_write_tokens", "reasoning_tokens",
    /// "audio_input_tokens" and "audio_output_tokens", 0 where the service says nothing of them.
    usage: usage |response| response.usage(),
        sent r#"{"choices":[{}],"usage":{"input_tokens":30,"output_tokens":40,"total_tokens":80,"input_tokens_details":{"cached_tokens":1,"cache_write_tokens":2,"audio_tokens":4},"output_tokens_details":{"reasoning_tokens":3,"audio_tokens":5}}}"#
        gives r#"{"input_tokens":30,"output_tokens":40,"total_tokens":80,"cached_input_tokens":1,"cache_write_tokens":2,"reasoning_tokens":3,"audio_input_tokens":4,"audio_output_tokens":5}"#;

    /// The tool calls of a chat's first choice, or anywhere in a response: "id" (what a result has to
    /// name), "name" and "arguments" (JSON text as the model wrote it). Nothing at the end of a stream
    /// that was not gathered.
    tool_calls: tools |response| response.document().map(|_| response.tool_calls()),
        sent r#"{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]}}]}"#
        gives r#"[{"id":"a","name":"f","arguments":"{}"}]"#;

    /// The ids of a model list; none for every other response. Nothing at the end of a stream that was
    /// not gathered.
    models: texts |response| response.document().map(|_| response.model_ids()),
        sent r#"{"data":[{"id":"m-1"},{"id":"m-2"}]}"# gives r#"["m-1","m-2"]"#;

    /// All headers in the order of the response: "name", in lower case, and "value".
    headers: headers |response| response.head().headers(), sent r#"{"choices":[{}]}"# gives "*";

    /// What the headers say of the limits of the service: "requests" and "tokens", each with "limit",
    /// "remaining" and "reset_ms" (from the answer on), "others" by name, and "retry_after_ms". Nothing
    /// where they say nothing.
    rate_limits: rate_limits |response| response.rate_limits(), sent r#"{"choices":[{}]}"#
        gives r#"{"requests":{"limit":60,"remaining":59,"reset_ms":60000},"tokens":{"limit":null,"remaining":100,"reset_ms":null},"others":{"input_tokens":{"limit":7,"remaining":null,"reset_ms":20}},"retry_after_ms":2000}"#;

    /// The record of the call, an object: its attempts, waits, chunks and end, with their times.
    timing: record |response| response.record(), sent r#"{"choices":[{}]}"# gives "*";
}

accessors! {
    /// Everything that is known of the error as a JSON object, for programs that are not Rust: each
    /// accessor is a member, in one order, and what is absent is null. No key (R-AUTH4).
    Error::to_json;

    /// The name of its kind, which is that of the status in C, "rate_limited" for instance.
    kind: word |error| error.kind().name(), sent "{}" gives "\"rate_limited\"";

    /// The service's own message where it gave one, else the library's with the cause.
    message: word |error| error.message(),
        sent r#"{"error":{"message":"No."}}"# gives "\"No.\"";

    /// What to do about it; empty where there is nothing to say.
    hint: word |error| error.hint(), sent "{}" gives "*";

    /// The HTTP status; nothing where no response came.
    http_status: number |error| error.status().map(u64::from), sent "{}" gives "429";

    /// "type" of the service's error object.
    type: text |error| error.error_type(), sent r#"{"error":{"type":"t"}}"# gives "\"t\"";

    /// "code" of the service's error object as text.
    code: text |error| error.code(), sent r#"{"error":{"code":7}}"# gives "\"7\"";

    /// "param" of the service's error object.
    param: text |error| error.param(), sent r#"{"error":{"param":"p"}}"# gives "\"p\"";

    /// The service's name for the exchange, to give to its support.
    request_id: text |error| error.request_id(), sent "{}" gives "\"req-1\"";

    /// The path of the request; empty if there was none.
    path: word |error| error.path(), sent "{}" gives "*";

    /// The model that was asked for.
    model: text |error| error.model(), sent "{}" gives "\"m\"";

    /// The option of the timeout that ran out, "idle_timeout" for instance.
    timeout: text |error| error.timeout().map(|phase| phase.name()), sent "{}" gives "null";

    /// Whether the call may have been metered: "not_sent", "normally_not", "entered" or "unknown".
    metered: word |error| error.metered().name(), sent "{}" gives "\"unknown\"";

    /// The body of the failed response within its bound, 64 KiB by default.
    body: text |error| error.body(), sent r#"{"error":1}"# gives r#""{\"error\":1}""#;

    /// What was gathered of the response before it failed, as JSON text, where the call gathers.
    partial: text |error| error.partial(), sent "{}" gives "null";

    /// All headers of the response that failed: "name", in lower case, and "value".
    headers: headers |error| error.headers(), sent "{}" gives "*";

    /// When the first attempt started; nothing if none did.
    request_time_unix_ms: unix_ms |error| error.request_time(), sent "{}" gives "*";

    /// How many times the request was attempted.
    attempts: number |error| u64::from(error.attempts()), sent "{}" gives "1";

    /// From the start of the first attempt to the failure.
    elapsed_ms: duration |error| error.elapsed(), sent "{}" gives "*";

    /// How long the service asked to wait.
    retry_after_ms: milliseconds |error| error.retry_after(), sent "{}" gives "2000";

    /// What the headers say of the limits of the service: "requests" and "tokens", each with "limit",
    /// "remaining" and "reset_ms" (from the answer on), "others" by name, and "retry_after_ms". Nothing
    /// where they say nothing.
    rate_limits: rate_limits |error| error.rate_limits(), sent "{}"
        gives r#"{"requests":{"limit":60,"remaining":59,"reset_ms":60000},"tokens":{"limit":null,"remaining":100,"reset_ms":null},"others":{"input_tokens":{"limit":7,"remaining":null,"reset_ms":20}},"retry_after_ms":2000}"#;

    /// The record of the call, an object: its attempts, waits, chunks and end, with their times.
    timing: record |error| error.record(), sent "{}" gives "*";
}
