//! The table of accessors: what the library reports about a chunk, a response and an error.
//! `accessors.rs`, the headers, the tests of each language and docs/accessors.md are generated from
//! these rows.
//!
//! ```text
//! /// What it is, as a sentence; in every document.
//! name: kind |response| how it is read, sent "{}" gives "null";
//! name: kind at "/its/path", sent "{}" gives "null";
//! ```
//!
//! The name is that of the JSON member. A kind is a function of `texts::Object`. Rows with only a path
//! get their Rust accessor here, too. `sent` is what a service sends, `{}` for anything; `gives` is the
//! JSON of the member then, `"*"` for anything but null. Every language is tested with these.

accessors! {
    /// What the library knows about the chunk, other than its text, as a JSON object, for programs in
    /// other languages.
    Chunk::info_json;

    /// The name of the server-sent event, "response.completed" for instance; empty if it had none, as
    /// in chat streams.
    name: word |chunk| chunk.event(), sent r#"{"choices":[{}]}"# gives "\"named\"";

    /// The reasoning text that the chunk adds, in its first choice or to an item of a response,
    /// whatever the service calls it; empty for other chunks.
    reasoning: word |chunk| &chunk.reasoning(),
        sent r#"{"choices":[{"delta":{"reasoning_content":"so"}}]}"# gives "\"so\"";

    /// Why the first choice stopped, "stop" for instance; absent until it stops.
    finish_reason: text |chunk| chunk.finish_reason(),
        sent r#"{"choices":[{"delta":{},"finish_reason":"length"}]}"# gives "\"length\"";

    /// The tokens that the chunk, or the response at the end, reports: "input_tokens", "output_tokens"
    /// and "total_tokens", and of these "cached_input_tokens", "cache_write_tokens",
    /// "reasoning_tokens", "audio_input_tokens" and "audio_output_tokens", 0 if the service does not
    /// report them.
    usage: usage |chunk| chunk.usage(),
        sent r#"{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}"#
        gives r#"{"input_tokens":3,"output_tokens":4,"total_tokens":7,"cached_input_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0,"audio_input_tokens":0,"audio_output_tokens":0}"#;

    /// The fragments of tool calls that the chunk adds in its first choice: "index" (which call), "id",
    /// "name" and "arguments" (fragments that together form JSON text).
    tool_calls: pieces |chunk| chunk.choices().next(),
        sent r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"a","function":{"name":"f","arguments":"{}"}}]}}]}"#
        gives r#"[{"index":1,"id":"a","name":"f","arguments":"{}"}]"#;
}

accessors! {
    /// What the library knows about the response, other than its document, as a JSON object, for
    /// programs in other languages: status, headers, how it ended, and commonly read fields.
    Response::info_json;

    /// The HTTP status, 200 for instance.
    http_status: number |response| u64::from(response.head().status()), sent r#"{"choices":[{}]}"# gives "200";

    /// The service's identifier of the request, which its support asks for.
    request_id: text |response| response.head().request_id(), sent r#"{"choices":[{}]}"# gives "\"req-1\"";

    /// "id" of the answer, the service's identifier for it.
    id: text at "/id", sent r#"{"choices":[{}],"id":"chat-1"}"# gives "\"chat-1\"";

    /// The model that answered, as the service names it.
    model: text at "/model", sent r#"{"choices":[{}],"model":"m-2"}"# gives "\"m-2\"";

    /// The number of attempts: more than 1 if the request was retried.
    attempts: number |response| u64::from(response.attempts()), sent r#"{"choices":[{}]}"# gives "1";

    /// The time from the start of the call's first wait or attempt to the end of the response.
    elapsed_ms: duration |response| response.elapsed(), sent r#"{"choices":[{}]}"# gives "*";

    /// How the response was known to be complete: "document", "done_mark", "final_event" or
    /// "finish_reasons".
    end: word |response| response.end().name(), sent r#"{"choices":[{}]}"# gives "\"document\"";

    /// Whether the JSON text was assembled from the chunks of a stream.
    is_gathered: flag |response| response.is_gathered(), sent r#"{"choices":[{}]}"# gives "false";

    /// The model's reasoning: that of a chat's first choice, whatever the service calls it, or of all
    /// reasoning items of a response, with their summaries where they have no text. Empty if there is
    /// none, and at the end of a stream that was not gathered.
    reasoning: word |response| &response.reasoning(),
        sent r#"{"choices":[{"message":{"content":"x","reasoning":"so"}}]}"# gives "\"so\"";

    /// Why the first choice of a chat stopped, "stop" for instance, or the status of a response. Absent
    /// at the end of a stream that was not gathered, where a chunk had it.
    finish_reason: text |response| response.finish_reason(),
        sent r#"{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}"# gives "\"stop\"";

    /// The tokens that the service reported, also for a stream: "input_tokens", "output_tokens" and
    /// "total_tokens", and of these "cached_input_tokens", "cache_write_tokens", "reasoning_tokens",
    /// "audio_input_tokens" and "audio_output_tokens", 0 if the service does not report them.
    usage: usage |response| response.usage(),
        sent r#"{"choices":[{}],"usage":{"input_tokens":30,"output_tokens":40,"total_tokens":80,"input_tokens_details":{"cached_tokens":1,"cache_write_tokens":2,"audio_tokens":4},"output_tokens_details":{"reasoning_tokens":3,"audio_tokens":5}}}"#
        gives r#"{"input_tokens":30,"output_tokens":40,"total_tokens":80,"cached_input_tokens":1,"cache_write_tokens":2,"reasoning_tokens":3,"audio_input_tokens":4,"audio_output_tokens":5}"#;

    /// The tool calls of a chat's first choice, or anywhere in a response: "id" (which a result must
    /// refer to), "name" and "arguments" (JSON text as the model wrote it). Absent at the end of a
    /// stream that was not gathered.
    tool_calls: tools |response| response.document().map(|_| response.tool_calls()),
        sent r#"{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]}}]}"#
        gives r#"[{"id":"a","name":"f","arguments":"{}"}]"#;

    /// The ids of a model list; none for other responses. Absent at the end of a stream that was not
    /// gathered.
    models: texts |response| response.document().map(|_| response.model_ids()),
        sent r#"{"data":[{"id":"m-1"},{"id":"m-2"}]}"# gives r#"["m-1","m-2"]"#;

    /// All headers in response order: "name", in lower case, and "value".
    headers: headers |response| response.head().headers(), sent r#"{"choices":[{}]}"# gives "*";

    /// The rate limits that the headers report: "requests" and "tokens", each with "limit", "remaining"
    /// and "reset_ms" (counted from the answer), "others" by name, and "retry_after_ms". Absent if the
    /// headers report none.
    rate_limits: rate_limits |response| response.rate_limits(), sent r#"{"choices":[{}]}"#
        gives r#"{"requests":{"limit":60,"remaining":59,"reset_ms":60000},"tokens":{"limit":null,"remaining":100,"reset_ms":null},"others":{"input_tokens":{"limit":7,"remaining":null,"reset_ms":20}},"retry_after_ms":2000}"#;

    /// The record of the call, an object with its attempts, waits, chunks and end, and their times.
    timing: record |response| response.record(), sent r#"{"choices":[{}]}"# gives "*";
}

accessors! {
    /// Everything that is known about the error as a JSON object, for programs in other languages: each
    /// accessor is a member, in fixed order, and absent values are null. Without the API key (R-AUTH4).
    Error::to_json;

    /// The name of its kind, "rate_limited" for instance; the same as the name of the status in C.
    kind: word |error| error.kind().name(), sent "{}" gives "\"rate_limited\"";

    /// The service's own message if it sent one, otherwise the library's message with the cause.
    message: word |error| error.message(),
        sent r#"{"error":{"message":"No."}}"# gives "\"No.\"";

    /// What to do about it; may be empty.
    hint: word |error| error.hint(), sent "{}" gives "*";

    /// Where the documentation explains errors of this kind.
    doc_url: word |error| &error.doc_url(), sent "{}"
        gives "\"docs/troubleshooting.md#kind-rate_limited\"";

    /// The HTTP status; absent if no response arrived.
    http_status: number |error| error.status().map(u64::from), sent "{}" gives "429";

    /// "type" of the service's error object.
    type: text |error| error.error_type(), sent r#"{"error":{"type":"t"}}"# gives "\"t\"";

    /// "code" of the service's error object as text.
    code: text |error| error.code(), sent r#"{"error":{"code":7}}"# gives "\"7\"";

    /// "param" of the service's error object.
    param: text |error| error.param(), sent r#"{"error":{"param":"p"}}"# gives "\"p\"";

    /// The service's identifier of the request, which its support asks for.
    request_id: text |error| error.request_id(), sent "{}" gives "\"req-1\"";

    /// The path of the request; empty if there was none.
    path: word |error| error.path(), sent "{}" gives "*";

    /// The requested model.
    model: text |error| error.model(), sent "{}" gives "\"m\"";

    /// The name of the timeout that expired, "idle_timeout" for instance (option idle_timeout_ms).
    timeout: text |error| error.timeout().map(|phase| phase.name()), sent "{}" gives "null";

    /// Whether the call may have been metered: "not_sent", "normally_not", "entered" or "unknown".
    metered: word |error| error.metered().name(), sent "{}" gives "\"unknown\"";

    /// The body of the failed response, truncated to its limit, 64 KiB by default.
    body: text |error| error.body(), sent r#"{"error":1}"# gives r#""{\"error\":1}""#;

    /// The part of the response gathered before the failure, as JSON text, if the call gathers.
    partial: text |error| error.partial(), sent "{}" gives "null";

    /// All headers of the response that failed: "name", in lower case, and "value".
    headers: headers |error| error.headers(), sent "{}" gives "*";

    /// When the first attempt started; absent if none did.
    request_time_unix_ms: unix_ms |error| error.request_time(), sent "{}" gives "*";

    /// The number of attempts.
    attempts: number |error| u64::from(error.attempts()), sent "{}" gives "1";

    /// The time from the start of the call's first wait or attempt to the failure.
    elapsed_ms: duration |error| error.elapsed(), sent "{}" gives "*";

    /// How long the service asked to wait.
    retry_after_ms: milliseconds |error| error.retry_after(), sent "{}" gives "2000";

    /// The rate limits that the headers report: "requests" and "tokens", each with "limit", "remaining"
    /// and "reset_ms" (counted from the answer), "others" by name, and "retry_after_ms". Absent if the
    /// headers report none.
    rate_limits: rate_limits |error| error.rate_limits(), sent "{}"
        gives r#"{"requests":{"limit":60,"remaining":59,"reset_ms":60000},"tokens":{"limit":null,"remaining":100,"reset_ms":null},"others":{"input_tokens":{"limit":7,"remaining":null,"reset_ms":20}},"retry_after_ms":2000}"#;

    /// The record of the call, an object with its attempts, waits, chunks and end, and their times.
    timing: record |error| error.record(), sent "{}" gives "*";
}
