//! The exact bytes of the request for given arguments.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use super::*;

fn body(endpoint: Endpoint, question: &Question) -> String {
    question.body(endpoint, "echo", &question.fields().unwrap(), "Say \"hi\".\n")
}

#[test]
fn a_question_makes_a_request() {
    let whole = Question { no_stream: true, ..Question::default() };
    let full = Question {
        system: Some("Be brief.".to_owned()),
        max_tokens: Some(9),
        temperature: Some(0.5),
        set: vec!["seed=7".to_owned(), "user=bob".to_owned(), "temperature=1.0".to_owned()],
        usage: true,
        ..Question::default()
    };
    for (endpoint, question, expected) in [
        (
            Endpoint::Chat,
            &Question::default(),
            r#"{"model":"echo","messages":[{"role":"user","content":"Say \"hi\".\n"}],"stream":true}"#,
        ),
        (
            Endpoint::Chat,
            &whole,
            r#"{"model":"echo","messages":[{"role":"user","content":"Say \"hi\".\n"}]}"#,
        ),
        (
            Endpoint::Chat,
            &full,
            r#"{"model":"echo","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Say \"hi\".\n"}],"max_tokens":9,"temperature":1.0,"stream":true,"stream_options":{"include_usage":true},"seed":7,"user":"bob"}"#,
        ),
        (Endpoint::Responses, &whole, r#"{"model":"echo","input":"Say \"hi\".\n"}"#),
        (
            Endpoint::Responses,
            &full,
            r#"{"model":"echo","instructions":"Be brief.","input":"Say \"hi\".\n","max_output_tokens":9,"temperature":1.0,"stream":true,"seed":7,"user":"bob"}"#,
        ),
    ] {
        assert_eq!(body(endpoint, question), expected);
        Request::of_json(endpoint, expected).check().unwrap();
    }
}

#[test]
fn a_field_is_json_or_text() {
    for (set, expected) in [
        ("stop=[\"a\", \"b\"]", Ok(("stop", "[\"a\", \"b\"]"))),
        ("n=2", Ok(("n", "2"))),
        ("big=123456789012345678901234567890", Ok(("big", "123456789012345678901234567890"))),
        ("user=bob", Ok(("user", "\"bob\""))),
        ("user=", Ok(("user", "\"\""))),
        ("user=a=b", Ok(("user", "\"a=b\""))),
        ("stop=[\"a\"", Err("--set stop: the value is not JSON")),
        ("n", Err("--set takes NAME=VALUE, not \"n\"")),
        ("stream=false", Err("--set stream: answers stream unless --no-stream is given")),
    ] {
        let question = Question { set: vec![set.to_owned()], ..Question::default() };
        match (question.fields(), expected) {
            (Ok(fields), Ok((name, value))) => assert_eq!(fields, [(name, value.to_owned())]),
            (Err(failure), Err(expected)) => {
                assert!(failure.message.starts_with(expected), "{}", failure.message);
            }
            (found, expected) => panic!("{set}: {found:?}, not {expected:?}"),
        }
    }
}
