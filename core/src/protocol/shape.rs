//! Whether an object reports a failure (R-ERR6): one table for documents and for events of a stream.
//! [`Document::is_answer`] decides what is an answer of an operation.
//!
//! | an object has | it is an error |
//! |---|---|
//! | a non-empty `error`: not null, false, 0, "", [] | in an event always; in a document without a part of an answer |
//! | `object` or `type` "error"; `success` false; a non-empty `error_code`, `error_msg`, `error_message` or `errors` | without a part of an answer |
//! | a non-empty `message`, `msg` or `detail` | the same, if it has no other `type` and, in a stream, no event name |
//!
//! A part of an answer is a choice, `output`, `data`, or a `type` that starts with "response.". Together with
//! `usage`, an empty `choices` or a delta, a message alone is not an error either: services also send such
//! events (usage, filter results, pings).
//!
//! [`Document::is_answer`]: crate::protocol::document::Document

use crate::protocol::value::{Kind, Value};

/// What the members of an object say about a failure.
#[derive(Default)]
struct MessageFields {
    /// A member reports a failure by itself.
    failed: bool,
    /// Whether `object`, `type` and `success` report a failure; the last duplicate counts.
    object_failed: bool,
    type_failed: bool,
    success_failed: bool,
    /// It has a `type` that does not name an error.
    other_type: bool,
    /// It has a message, which need not be about an error.
    message: bool,
    /// It has a member that answers and their chunks have.
    other: bool,
}

/// Whether a value is not empty: not null, false, 0, an empty text or an empty list.
pub(crate) fn says_something(value: Value<'_>) -> bool {
    match value.kind() {
        Kind::Null => false,
        Kind::Bool => value.as_bool() == Some(true),
        Kind::Number => value.as_f64() != Some(0.0),
        Kind::String => value.as_str().is_some_and(|text| !text.trim().is_empty()),
        Kind::Array => value.count() > 0,
        Kind::Object => true,
    }
}

/// Whether a delta or a message has more than a role, null and empty texts.
pub(crate) fn adds_to_message(said: Value<'_>) -> bool {
    let mut adds = false;
    said.find_members(|name, value| {
        adds = name != "role" && !matches!(value.text(), "null" | "\"\"");
        adds
    });
    adds
}

/// Whether an object without a part of an answer is an error. `is_named`: it is the data of an event with a
/// name.
pub(crate) fn says_failed(object: Value<'_>, is_named: bool) -> bool {
    let mut said = MessageFields::default();
    object.each_member(|name, value| match name {
        "object" => said.object_failed = value.as_str().as_deref() == Some("error"),
        "type" => {
            let kind = value.as_str();
            said.type_failed = kind.as_deref() == Some("error");
            said.other_type = kind.is_some_and(|kind| !kind.ends_with("error"));
        }
        "success" => said.success_failed = value.as_bool() == Some(false),
        "error" | "error_code" | "error_msg" | "error_message" | "errors" => {
            said.failed |= says_something(value);
        }
        "message" | "msg" | "detail" => {
            // Some services answer with a message that is an object.
            said.message |=
                says_something(value) && (name == "detail" || value.kind() != Kind::Object);
        }
        "choices" | "delta" | "usage" | "output" | "response" => said.other |= !value.is_null(),
        _ => {}
    });
    let has_failed = said.failed || said.object_failed || said.type_failed || said.success_failed;
    has_failed || said.message && !said.other && !said.other_type && !is_named
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

    use super::*;

    /// Each row of the table, and similar objects in successful streams.
    #[test]
    fn an_object_that_says_it_failed_is_an_error() {
        let failed = [
            r#"{"text":"CUDA out of memory","error_code":50002}"#,
            r#"{"object":"error","message":"m","type":"t","code":404}"#,
            r#"{"type":"error"}"#,
            r#"{"type":"invalid_request_error","message":"m"}"#,
            r#"{"success":false}"#,
            r#"{"error_msg":"m"}"#,
            r#"{"error_message":"m"}"#,
            r#"{"errors":[{"message":"m"}]}"#,
            r#"{"error":{}}"#,
            r#"{"message":"m","choices":null}"#,
            r#"{"choices":[],"usage":{},"error_code":1}"#,
            r#"{"msg":"m"}"#,
            r#"{"detail":"overloaded"}"#,
            r#"{"detail":[{"loc":[],"msg":"m"}]}"#,
            r#"{"detail":{"error":{"message":""}}}"#,
            r#"{"type":"t","message":"m","type":"server_error"}"#,
        ];
        for text in failed {
            assert!(says_failed(Value::parse(text).unwrap(), false), "{text}");
        }
        let well = [
            "{}",
            r#"{"usage":{"total_tokens":1}}"#,
            r#"{"choices":[],"usage":{},"message":"m"}"#,
            r#"{"choices":[],"prompt_filter_results":[]}"#,
            r#"{"type":"ping"}"#,
            r#"{"type":"status","message":"queued"}"#,
            r#"{"type":null,"message":""}"#,
            r#"{"error":null,"errors":[],"error_code":0,"error_msg":"","success":true}"#,
            r#"{"error":false}"#,
            r#"{"message":{"role":"assistant","content":"m"},"done":true}"#,
            r#"{"detail":null}"#,
            r#"{"type":"error","success":false,"type":"ping","success":true}"#,
            "[]",
            "\"error\"",
        ];
        for text in well {
            assert!(!says_failed(Value::parse(text).unwrap(), false), "{text}");
        }
    }

    /// Services have named events that contain a message.
    #[test]
    fn a_message_of_a_named_event_is_not_an_error() {
        let is_error = |text| says_failed(Value::parse(text).unwrap(), true);
        assert!(!is_error(r#"{"message":"queued"}"#));
        assert!(is_error(r#"{"message":"m","error_code":1}"#));
    }
}
