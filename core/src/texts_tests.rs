//! What the library says of itself is JSON, whatever a service put into it, and has each member in
//! its place (R-ERR3). Knows no socket.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::*;
use crate::error::{Context, FailedAnswer};
use crate::error_kind::{ERROR_KINDS, Metered, TimeoutPhase};
use crate::head::Head;
use crate::protocol::document::Document;
use crate::protocol::endpoint::Endpoint;
use crate::protocol::value::Value;
use crate::response::End;

/// Read by the core and by another reader, which agree.
fn read(text: &str) -> Json {
    let found: Json = serde_json::from_str(text).unwrap();
    Value::parse(text).unwrap();
    found
}

/// The members in their order.
fn names(text: &str) -> Vec<String> {
    Value::parse(text).unwrap().members().into_iter().map(|(name, _)| name.into()).collect()
}

/// Texts that a writer of JSON may stumble over.
const ODD: [&str; 5] =
    ["", "nul \0 in it", "\"quoted\\\" \u{1}\u{1f}\n\r\t", "\u{fffd}é𝄞", "\u{2028}</x>"];

fn failed(text: &str) -> Error {
    let context = Context {
        request_time: Some(UNIX_EPOCH + Duration::from_millis(1_700_000_000_123)),
        path: "/v1/models".into(),
        model: Some(text.into()),
        attempts: 3,
        elapsed: Duration::from_millis(1500),
        metered: Metered::Unknown,
    };
    let object = json!({"error": {"message": text, "type": text, "code": text, "param": text}});
    let head = Head { status: 429, headers: vec![("x-odd".into(), text.into())] };
    Error::from_response(FailedAnswer {
        status: 429,
        body: &object.to_string(),
        request_id: None,
        retry_after: Some(Duration::from_secs(2)),
    })
    .with_answer(&head)
    .with_partial(json!({"odd": text}).to_string())
    .with_context(&context)
}

const MEMBERS: [&str; 19] = [
    "kind",
    "message",
    "hint",
    "http_status",
    "type",
    "code",
    "param",
    "request_id",
    "path",
    "model",
    "timeout",
    "metered",
    "body",
    "partial",
    "headers",
    "request_time_unix_ms",
    "attempts",
    "elapsed_ms",
    "retry_after_ms",
];

/// R-ERR2 R-ERR3: the JSON says what the accessors say.
#[test]
fn an_error_is_told_whole() {
    for odd in ODD {
        let error = failed(odd);
        let text = error.to_json();
        assert_eq!(names(&text), MEMBERS);
        let expected = json!({
            "kind": "rate_limited",
            "message": error.message(),
            "hint": error.hint(),
            "http_status": 429,
            "type": error.error_type(),
            "code": error.code(),
            "param": error.param(),
            "request_id": null,
            "path": "/v1/models",
            "model": odd,
            "timeout": null,
            "metered": "unknown",
            "body": error.body(),
            "partial": json!({"odd": odd}).to_string(),
            "headers": [{"name": "x-odd", "value": odd}],
            "request_time_unix_ms": 1_700_000_000_123_u64,
            "attempts": 3,
            "elapsed_ms": 1500,
            "retry_after_ms": 2000,
        });
        assert_eq!(read(&text), expected, "{odd:?}");
    }
}

#[test]
fn an_error_of_every_kind_is_told() {
    for kind in ERROR_KINDS {
        let text = Error::new(kind, "m").to_json();
        assert_eq!(names(&text), MEMBERS);
        let found = read(&text);
        assert_eq!((&found["kind"], &found["message"]), (&json!(kind.name()), &json!("m")));
        for absent in ["http_status", "type", "model", "body", "partial", "timeout"] {
            assert!(found[absent].is_null(), "{absent} of {kind:?}");
        }
        assert_eq!((&found["headers"], &found["path"]), (&json!([]), &json!("")));
        assert!(found["request_time_unix_ms"].is_null() && found["retry_after_ms"].is_null());
    }
    let late = Error::timed_out(TimeoutPhase::Idle, Duration::from_secs(1));
    assert_eq!(read(&late.to_json())["timeout"], "idle_timeout");
}

/// A number is what every language has an integer for, and a clock may stand anywhere.
#[test]
fn no_number_runs_over() {
    let context = Context {
        request_time: Some(UNIX_EPOCH - Duration::from_secs(1)),
        elapsed: Duration::MAX,
        ..Context::default()
    };
    let found = read(&Error::argument("m").with_context(&context).to_json());
    assert_eq!(found["elapsed_ms"].as_i64(), Some(i64::MAX));
    assert!(found["request_time_unix_ms"].is_null());
}

fn answer(endpoint: Endpoint, text: &str) -> Response {
    let headers = [("x-request-id", "req-1"), ("x-b", "é\"")];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let head = Arc::new(Head { status: 200, headers: headers.to_vec() });
    let document = Document::scan(text).unwrap();
    Response::whole(endpoint, head, document).after(2, Duration::from_millis(12))
}

#[test]
fn a_response_is_told() {
    let text = r#" {"choices":[{"message":{"content":"x","tool_calls":[{"id":"a\u0000","function":
        {"name":"f","arguments":"{\"x\":1}"}},{"id":"\ud800"}]},"finish_reason":"tool_calls"}],
        "usage":{"prompt_tokens":3,"completion_tokens":4}}"#;
    let info = answer(Endpoint::Chat, text).info_json();
    let expected = r#"{"http_status":200,"request_id":"req-1","attempts":2,"elapsed_ms":12,"end":"document","is_gathered":false,"finish_reason":"tool_calls","usage":{"input_tokens":3,"output_tokens":4,"total_tokens":7},"tool_calls":[{"id":"a\u0000","name":"f","arguments":"{\"x\":1}"},{"id":"�","name":"","arguments":""}],"models":[],"headers":[{"name":"x-request-id","value":"req-1"},{"name":"x-b","value":"é\""}]}"#;
    assert_eq!(info, expected);
    read(&info);
    let found =
        read(&answer(Endpoint::Models, r#"{"data":[{"id":"m"},{"id":"\"n"}]}"#).info_json());
    assert_eq!((&found["models"], &found["usage"]), (&json!(["m", "\"n"]), &Json::Null));
    assert_eq!(found["tool_calls"], json!([]));
    let found = read(&answer(Endpoint::Responses, r#"{"status":"completed"}"#).info_json());
    assert_eq!(found["finish_reason"], "completed");
}

/// Nothing of a stream that was not gathered is there, and that is told as null.
#[test]
fn the_end_of_a_stream_is_told() {
    let head = Arc::new(Head { status: 200, headers: Vec::new() });
    let end = Response::streamed(Endpoint::Chat, head, None, End::DoneMark, None);
    assert_eq!((end.json(), end.json_and_nul(), end.finish_reason()), ("", "\0", None));
    let expected = r#"{"http_status":200,"request_id":null,"attempts":0,"elapsed_ms":0,"end":"done_mark","is_gathered":false,"finish_reason":null,"usage":null,"tool_calls":null,"models":null,"headers":[]}"#;
    assert_eq!(end.info_json(), expected);
}

#[test]
fn the_text_of_a_response_has_a_nul_behind_it() {
    let text =
        r#"{"model":"é","choices":[{"message":{"content":"x"}}],"usage":{"total_tokens":1}}"#;
    for text in [text.to_owned(), format!("\n {text} \n"), "7".to_owned()] {
        let response = answer(Endpoint::Chat, &text);
        assert_eq!(response.json(), text);
        assert_eq!(response.json_and_nul(), format!("{text}\0"));
        // No copy is made for it.
        assert_eq!(response.json().as_ptr(), response.json_and_nul().as_ptr());
    }
    // What a service sends has no NUL of its own: that is no JSON.
    assert!(Document::scan("7\0").is_err());
}

#[test]
fn a_chunk_is_told() {
    let text = r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"a","function":{"name":"f","arguments":"{\""}},
        {"function":{"arguments":"\ud800\u0000"}}]}},{"delta":{"tool_calls":[{"index":9}]}}]}"#;
    let chunk = Chunk::scan("", text).unwrap();
    let expected = r#"{"name":"","finish_reason":null,"usage":null,"tool_calls":[{"index":1,"id":"a","name":"f","arguments":"{\""},{"index":null,"id":null,"name":null,"arguments":"�\u0000"}]}"#;
    assert_eq!(chunk.info_json(), expected);
    let text = r#"{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"total_tokens":5}}"#;
    let chunk = Chunk::scan("a\"name", text).unwrap();
    let expected = r#"{"name":"a\"name","finish_reason":"stop","usage":{"input_tokens":0,"output_tokens":0,"total_tokens":5},"tool_calls":[]}"#;
    assert_eq!(chunk.info_json(), expected);
}

/// R-MET1: the sums over all models do not run over either.
#[test]
fn usage_is_told_by_model_and_whole() {
    let mut sums = UsageSums::new();
    assert_eq!(
        usage_json(&sums),
        r#"{"calls":0,"calls_without_usage":0,"input_tokens":0,"output_tokens":0,"total_tokens":0,"models":{}}"#
    );
    let tokens = Usage { input_tokens: 1, output_tokens: 2, total_tokens: u64::MAX - 1 };
    let sum = UsageSum { calls: 2, calls_without_usage: 1, tokens };
    sums.insert("b\"".to_owned(), sum);
    sums.insert("a".to_owned(), sum);
    let found = read(&usage_json(&sums));
    assert_eq!((&found["calls"], &found["calls_without_usage"]), (&json!(4), &json!(2)));
    assert_eq!((&found["input_tokens"], &found["output_tokens"]), (&json!(2), &json!(4)));
    for total in [&found["total_tokens"], &found["models"]["a"]["total_tokens"]] {
        assert_eq!(total.as_i64(), Some(i64::MAX));
    }
    assert_eq!(names(&usage_json(&sums))[5], "models");
    assert_eq!(found["models"]["b\""]["calls"], 2);
}
