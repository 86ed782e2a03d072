//! The JSON views are valid JSON, whatever a service sent, and have every member in its place.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value as Json, json};

use super::*;
use crate::answer::error::{Context, FailedAnswer};
use crate::answer::error_kind::{ERROR_KINDS, Metered, TimeoutPhase};
use crate::answer::head::Head;
use crate::answer::json_view::tests::{names, read};
use crate::answer::record::Answered;
use crate::answer::response::End;
use crate::protocol::document::Document;
use crate::protocol::endpoint::Endpoint;
use crate::protocol::value::Value;

/// Texts that need care in a JSON writer.
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
    let head = Head::new(429, [("x-odd", text)]);
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

/// Each row of the table gives its sample result, and has a unique name.
#[test]
fn every_accessor_gives_its_sample() {
    let check = |rows: &[(&str, &str, &str)], told: &dyn Fn(&str) -> String| {
        let all: Vec<String> = rows.iter().map(|(name, ..)| (*name).to_owned()).collect();
        for (name, sent, gives) in rows {
            let text = told(sent);
            assert_eq!(names(&text), all);
            let found = Value::parse(&text).unwrap().get(name).unwrap().text().to_owned();
            if *name == "timing" {
                continue; // only after a call
            }
            let is_right = if *gives == "*" { found != "null" } else { found == *gives };
            assert!(is_right, "{name} of {sent} is {found} and not {gives}");
        }
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
    };
    check(Chunk::ROWS, &|sent| Chunk::scan("named", sent).unwrap().info_json());
    check(Response::ROWS, &|sent| {
        let head = Arc::new(Head::new(200, owned(&HEADERS)));
        let document = Document::scan(sent).unwrap();
        Response::whole(Endpoint::Chat, head, document)
            .after(1, Duration::from_millis(12))
            .info_json()
    });
    check(Error::ROWS, &|sent| refused(sent).to_json());
}

/// The headers of every answer in the samples.
const HEADERS: [(&str, &str); 8] = [
    ("x-request-id", "req-1"),
    ("retry-after", "2"),
    ("x-ratelimit-limit-requests", "60"),
    ("x-ratelimit-remaining-requests", "59"),
    ("x-ratelimit-reset-requests", "1m0s"),
    ("x-ratelimit-remaining-tokens", "100"),
    ("vendor-ratelimit-input-tokens-limit", "7"),
    ("vendor-ratelimit-input-tokens-reset", "20ms"),
];

fn owned(headers: &[(&str, &str)]) -> Vec<(String, String)> {
    headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn refused(body: &str) -> Error {
    let context = Context {
        request_time: Some(UNIX_EPOCH + Duration::from_secs(1)),
        path: "/v1/chat/completions".into(),
        model: Some("m".into()),
        attempts: 1,
        metered: Metered::Unknown,
        ..Context::default()
    };
    let retry_after = Some(Duration::from_secs(2));
    let request_id = None;
    let head = Head::new(429, owned(&HEADERS));
    Error::from_response(FailedAnswer { status: 429, body, request_id, retry_after })
        .with_answer(&head)
        .with_context(&context)
}

/// Checks these members; another test checks that every row of the table is there, in order.
fn assert_told(text: &str, members: &Json) {
    let found = read(text);
    for (name, expected) in members.as_object().unwrap() {
        assert_eq!(&found[name], expected, "{name} of {text}");
    }
}

/// The JSON agrees with the accessors.
#[test]
fn the_json_of_an_error_has_every_field() {
    for odd in ODD {
        let error = failed(odd);
        let text = error.to_json();
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
            "timing": null,
        });
        assert_told(&text, &expected);
    }
}

#[test]
fn every_error_kind_can_be_written_as_json() {
    for kind in ERROR_KINDS {
        let text = Error::new(kind, "m").to_json();
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

/// A number fits into every language's integer, and a clock may be wrong.
#[test]
fn numbers_in_json_do_not_overflow() {
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
    let head = Arc::new(Head::new(200, headers.to_vec()));
    let document = Document::scan(text).unwrap();
    Response::whole(endpoint, head, document).after(2, Duration::from_millis(12))
}

#[test]
fn the_json_of_a_response_has_every_field() {
    let text = r#" {"choices":[{"message":{"content":"x","tool_calls":[{"id":"a\u0000","function":
        {"name":"f","arguments":"{\"x\":1}"}},{"id":"\ud800"}]},"finish_reason":"tool_calls"}],
        "usage":{"prompt_tokens":3,"completion_tokens":4}}"#;
    let info = answer(Endpoint::Chat, text).info_json();
    let expected = r#"{"http_status":200,"request_id":"req-1","id":null,"model":null,"attempts":2,"elapsed_ms":12,"end":"document","is_gathered":false,"finish_reason":"tool_calls","usage":{"input_tokens":3,"output_tokens":4,"total_tokens":7,"cached_input_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0,"audio_input_tokens":0,"audio_output_tokens":0},"tool_calls":[{"id":"a\u0000","name":"f","arguments":"{\"x\":1}"},{"id":"�","name":"","arguments":""}],"models":[],"headers":[{"name":"x-request-id","value":"req-1"},{"name":"x-b","value":"é\""}],"timing":null}"#;
    assert_told(&info, &read(expected));
    read(&info);
    let found =
        read(&answer(Endpoint::Models, r#"{"data":[{"id":"m"},{"id":"\"n"}]}"#).info_json());
    assert_eq!((&found["models"], &found["usage"]), (&json!(["m", "\"n"]), &Json::Null));
    assert_eq!(found["tool_calls"], json!([]));
    let found = read(&answer(Endpoint::Responses, r#"{"status":"completed"}"#).info_json());
    assert_eq!(found["finish_reason"], "completed");
}

/// A stream that was not gathered has none of these members, so they are null.
#[test]
fn the_json_of_a_stream_end_has_nulls() {
    let head = Arc::new(Head::new::<&str, &str>(200, []));
    let end = Response::streamed(Endpoint::Chat, head, Answered::default(), End::DoneMark, None);
    assert_eq!((end.json(), end.json_and_nul(), end.finish_reason()), ("", "\0", None));
    let expected = r#"{"http_status":200,"request_id":null,"id":null,"model":null,"attempts":0,"elapsed_ms":0,"end":"done_mark","is_gathered":false,"finish_reason":null,"usage":null,"tool_calls":null,"models":null,"headers":[],"timing":null}"#;
    assert_told(&end.info_json(), &read(expected));
}

#[test]
fn the_text_of_a_response_is_nul_terminated_without_a_copy() {
    let text =
        r#"{"model":"é","choices":[{"message":{"content":"x"}}],"usage":{"total_tokens":1}}"#;
    for text in [text.to_owned(), format!("\n {text} \n"), "7".to_owned()] {
        let response = answer(Endpoint::Chat, &text);
        assert_eq!(response.json(), text);
        assert_eq!(response.json_and_nul(), format!("{text}\0"));
        // It is not a copy.
        assert_eq!(response.json().as_ptr(), response.json_and_nul().as_ptr());
    }
    // A text from a service contains no NUL: that is not JSON.
    assert!(Document::scan("7\0").is_err());
}

#[test]
fn the_json_of_a_chunk_has_every_field() {
    let text = r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"a","function":{"name":"f","arguments":"{\""}},
        {"function":{"arguments":"\ud800\u0000"}}]}},{"delta":{"tool_calls":[{"index":9}]}}]}"#;
    let chunk = Chunk::scan("", text).unwrap();
    let expected = r#"{"name":"","finish_reason":null,"usage":null,"tool_calls":[{"index":1,"id":"a","name":"f","arguments":"{\""},{"index":null,"id":null,"name":null,"arguments":"�\u0000"}]}"#;
    assert_told(&chunk.info_json(), &read(expected));
    let text = r#"{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"total_tokens":5}}"#;
    let chunk = Chunk::scan("a\"name", text).unwrap();
    let expected = r#"{"name":"a\"name","finish_reason":"stop","usage":{"input_tokens":0,"output_tokens":0,"total_tokens":5,"cached_input_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0,"audio_input_tokens":0,"audio_output_tokens":0},"tool_calls":[]}"#;
    assert_told(&chunk.info_json(), &read(expected));
}
