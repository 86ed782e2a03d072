//! What is checked before anything is sent, and what goes over the wire (R-OP2 to R-OP5, R-F1,
//! R-F2); knows no socket.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

use super::*;
use crate::error_kind::ErrorKind;

fn body(request: Request, stream: bool) -> String {
    String::from_utf8(request.prepare(stream, false).unwrap().body.unwrap().to_vec()).unwrap()
}

#[test]
fn a_built_request_is_the_json_one_would_write() {
    let chat =
        Request::chat("m").system("s").user("say \"hi\"\n").max_tokens(5).field("temperature", 0.5);
    assert_eq!(
        body(chat, false),
        r#"{"model":"m","max_tokens":5,"temperature":0.5,"messages":[{"role":"system","content":"s"},{"role":"user","content":"say \"hi\"\n"}]}"#
    );
    let response = Request::response("m").input("hi").max_output_tokens(9);
    assert_eq!(body(response, false), r#"{"model":"m","input":"hi","max_output_tokens":9}"#);
}

#[test]
fn any_serialize_value_is_a_request() {
    #[derive(serde::Serialize)]
    struct Chat {
        model: &'static str,
        messages: Vec<std::collections::BTreeMap<&'static str, &'static str>>,
    }
    let message = [("role", "user"), ("content", "hi")].into_iter().collect();
    let chat = Chat { model: "m", messages: vec![message] };
    assert_eq!(
        body(Request::chat_from(&chat), false),
        r#"{"model":"m","messages":[{"content":"hi","role":"user"}]}"#
    );
    let infinite = std::collections::BTreeMap::from([((1, 2), "not a string key")]);
    let error = Request::chat_from(&infinite).prepare(false, false).unwrap_err();
    assert!(error.message().contains("does not serialise"), "{error}");
}

#[test]
fn the_callers_bytes_are_untouched_but_for_stream() {
    let text = "{ \"model\" : \"m\", \"seed\": 123456789012345678901234567890.10,\n \"input\":\"\\u00e9\" }";
    assert_eq!(body(Request::response_json(text), false), text);
    assert_eq!(
        body(Request::response_json(text), true),
        text.replacen('{', "{\"stream\":true,", 1)
    );
}

#[test]
fn stream_agrees_with_the_way_of_calling() {
    let text = |stream: &str| format!(r#"{{"model":"m","input":"x","stream":{stream}}}"#);
    assert_eq!(body(Request::response_json(text("true")), true), text("true"));
    assert_eq!(body(Request::response_json(text("null")), true), text("true"));
    assert_eq!(body(Request::response_json(text("false")), false), text("false"));
    assert_eq!(body(Request::response_json(text("null")), false), text("null"));
    for (given, stream) in [("false", true), ("true", false)] {
        let error = Request::response_json(text(given)).prepare(stream, false).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Argument);
        assert!(error.message().contains("stream"), "{error}");
    }
}

#[test]
fn a_stream_only_call_streams_underneath_whatever_its_text_says() {
    let text = |stream: &str| format!(r#"{{"model":"m","input":"x"{stream}}}"#);
    for given in ["", r#","stream":false"#, r#","stream":true"#, r#","stream":null"#] {
        let prepared = Request::response_json(text(given)).stream_only(true).prepare(false, false);
        let prepared = prepared.unwrap();
        let sent = String::from_utf8(prepared.body.unwrap().to_vec()).unwrap();
        assert!(prepared.stream && sent.contains(r#""stream":true"#), "{sent}");
        assert_eq!(sent.matches("stream").count(), 1, "{sent}");
    }
    assert!(Request::response_json(text("")).prepare(false, true).unwrap().stream);
    let off = Request::response_json(text("")).stream_only(false).prepare(false, true).unwrap();
    assert!(!off.stream);
    assert!(!Request::models().prepare(false, true).unwrap().stream);
}

#[test]
fn options_of_a_call_are_checked() {
    for (request, said) in [
        (Request::models().idle_timeout(Some(Duration::ZERO)), "idle_timeout is zero"),
        (Request::models().header("a b", "x"), "not a header name"),
        (Request::models().retry(RetryPolicy::default().jitter(2.0)), "jitter"),
    ] {
        let error = request.prepare(false, false).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Argument);
        assert!(error.message().contains(said), "{error}");
    }
}

#[test]
fn what_is_wrong_is_named_before_anything_is_sent() {
    for (endpoint, text, said) in [
        (Endpoint::Chat, "", "not a JSON object: expected an object at byte 0"),
        (Endpoint::Chat, "[]", "expected an object at byte 0"),
        (Endpoint::Chat, r#"{"model":"m",}"#, "expected a string at byte 13"),
        (Endpoint::Chat, r#"{"model":"m"} x"#, "the end of the text at byte 14"),
        (Endpoint::Chat, r#"{"messages":[]}"#, "model is missing"),
        (Endpoint::Chat, r#"{"model":"","messages":[]}"#, "non-empty string"),
        (Endpoint::Chat, r#"{"model":5,"messages":[]}"#, "model must be a non-empty string, not 5"),
        (Endpoint::Chat, r#"{"model":"m"}"#, "messages is missing"),
        (Endpoint::Chat, r#"{"model":"m","messages":"hi"}"#, "messages must be an array"),
        (Endpoint::Chat, r#"{"model":"m","messages":["hi"]}"#, "messages[0] must be an object"),
        (
            Endpoint::Chat,
            r#"{"model":"m","messages":[{"role":"user"},{}]}"#,
            "messages[1].role is missing",
        ),
        (
            Endpoint::Chat,
            r#"{"model":"m","messages":[{"role":1}]}"#,
            "messages[0].role must be a string",
        ),
        (
            Endpoint::Chat,
            r#"{"model":"m","messages":[],"max_tokens":1.5}"#,
            "max_tokens must be an integer",
        ),
        (Endpoint::Responses, r#"{"model":"m"}"#, "input is missing"),
        (
            Endpoint::Responses,
            r#"{"model":"m","input":"x","stream":"yes"}"#,
            "stream must be a boolean",
        ),
        (
            Endpoint::Responses,
            r#"{"model":"m","input":"x","max_output_tokens":"9"}"#,
            "must be an integer",
        ),
    ] {
        let request = match endpoint {
            Endpoint::Chat => Request::chat_json(text),
            _ => Request::response_json(text),
        };
        let error = request.prepare(false, false).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Argument, "{text}");
        assert!(error.message().contains(said), "{text}: {error}");
    }
}

#[test]
fn content_is_left_to_the_service() {
    let text = r#"{"model":"m","messages":[{"role":"assistant","content":null},{"role":"user","content":[{"type":"text","text":"x"}]}]}"#;
    assert_eq!(body(Request::chat_json(text), false), text);
}

#[test]
fn the_model_list_has_no_body() {
    let prepared = Request::models().prepare(false, false).unwrap();
    assert!(prepared.body.is_none() && prepared.model.is_none());
    assert!(Request::models().prepare(true, false).is_err());
    assert!(
        Request::models()
            .user("hi")
            .prepare(false, false)
            .unwrap_err()
            .message()
            .contains("no body")
    );
    assert!(
        Request::chat_json("{}")
            .user("hi")
            .prepare(false, false)
            .unwrap_err()
            .message()
            .contains("whole JSON")
    );
}

#[test]
fn how_many_choices_are_awaited_is_read_from_n() {
    let choices = |n: &str| {
        let text = format!(r#"{{"model":"m","messages":[]{n}}}"#);
        Request::chat_json(text).prepare(true, false).unwrap().choices
    };
    assert_eq!((choices(""), choices(r#","n":3"#), choices(r#","n":null"#)), (1, 3, 1));
}

#[test]
fn a_field_that_is_set_again_is_replaced() {
    let request = Request::chat("m").user("a").field("seed", 1).field("n", 2).field("seed", 3);
    let prepared = request.prepare(false, false).unwrap();
    let text = String::from_utf8(prepared.body.unwrap().to_vec()).unwrap();
    assert_eq!(text, r#"{"model":"m","seed":3,"n":2,"messages":[{"role":"user","content":"a"}]}"#);
}
