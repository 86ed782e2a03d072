//! Tests of the lines of results: they are read with serde_json.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

use std::sync::Arc;
use std::time::Duration;

use modelwire::{Client, Config, Endpoint, Error, Request};
use modelwire_testing::{Reply, Says, Service};
use serde_json::{Value as Json, json};

use super::*;
use crate::row::Row;

fn hash() -> BodyHash {
    BodyHash::of(Endpoint::Chat, "{}")
}

fn failed(key: &str, error: Error) -> Finished {
    let row = Row {
        key: Key::new(key, hash().check()),
        number: 1,
        hash: hash(),
        endpoint: Endpoint::Chat,
        body: Arc::from("{}"),
        model: Arc::from("echo"),
    };
    Finished { row, outcome: Err(error), rejected: None, attempts: 1, elapsed: Duration::ZERO }
}

fn result(finished: &Finished) -> (String, Json) {
    let mut line = Vec::new();
    write_line(finished, &mut line);
    let line = String::from_utf8(line).unwrap();
    let value = serde_json::from_str(&line).unwrap();
    (line, value)
}

#[test]
fn a_failure_has_the_whole_error() {
    for key in ["row-7", "quotes \" and \\ and \u{1} and\nends", "ünïcödé \u{2028}"] {
        let (line, value) = result(&failed(key, Error::argument("no such thing")));
        assert_eq!(line.matches('\n').count(), 1, "{line}");
        assert_eq!(value["custom_id"], key);
        assert_eq!(value["response"], Json::Null);
        assert_eq!(value["error"]["message"], "no such thing");
        assert_eq!(value["error"]["kind"], "argument");
        assert!(value["error"].as_object().unwrap().contains_key("code"));
        let read = read_line(line.trim_end().as_bytes());
        assert_eq!(read, Some((Key::new(key, hash().check()), Outcome::Failed)));
        assert_eq!(name_in(line.as_bytes()), Some(name_of(key)));
    }
}

#[test]
fn a_batch_has_the_code_and_the_message_of_a_failure() {
    let check = |line: &str, expected: &str| {
        let mut out = Vec::new();
        write_batch_error(line.as_bytes(), &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), format!("{expected}\n"));
    };
    let line = |code: &str| {
        format!(
            r#"{{"id":"m-1","custom_id":"ü \"7\"","response":{{"status_code":400,"request_id":null,"body":{{"error":{{"message":"too \n long"}}}}}},"error":{{"kind":"invalid_request","message":"too \n long","code":{code},"more":1}}}}"#
        )
    };
    let begin = line("null");
    let begin = begin.split(r#","error":{"kind""#).next().unwrap();
    let expected =
        |code: &str| format!(r#"{begin},"error":{{"code":"{code}","message":"too \n long"}}}}"#);
    check(&line("null"), &expected("invalid_request"));
    check(&line("\"context_length\""), &expected("context_length"));
    check(&line("1301"), &expected("1301"));
    // A broken answer is no HTTP error.
    let broken = line("null").replace("\"status_code\":400", "\"status_code\":200");
    let no_response = r#"{"id":"m-1","custom_id":"ü \"7\"","response":null"#;
    check(&broken, &expected("invalid_request").replace(begin, no_response));
    let (whole, _) = result(&failed("row-7", Error::argument("no")));
    let begin = whole.split(r#","error""#).next().unwrap();
    check(&whole, &format!(r#"{begin},"error":{{"code":"argument","message":"no"}}}}"#));
    assert_eq!(write_batch_error(b"{}", &mut Vec::new()), None);
}

#[test]
fn a_row_keeps_its_id() {
    let (_, value) = result(&failed("row-7", Error::argument("no")));
    assert_eq!(value["id"], "modelwire-5259b5ef73c10169da9be417-89e73d64f559e9bd92f59e3ca37f93d1");
    let (_, other) = result(&failed("row-8", Error::argument("no")));
    assert_ne!(value["id"], other["id"]);
}

#[test]
fn a_line_that_is_not_a_result_is_not_read() {
    let (line, _) = result(&failed("row-7", Error::argument("no")));
    let line = line.trim_end().as_bytes();
    for cut in 0..line.len() {
        assert_eq!(read_line(&line[..cut]), None, "{cut}");
    }
    for other in ["", "{}", "{\"custom_id\":\"row-7\"}", "text"] {
        assert_eq!(read_line(other.as_bytes()), None, "{other}");
    }
}

#[test]
fn json_comes_on_one_line() {
    let mut out = Vec::new();
    write_on_one_line("{\r\n \"a\": \"b\\n\"\n}", &mut out);
    assert_eq!(out, b"{   \"a\": \"b\\n\" }");
}

#[test]
fn a_string_is_read_with_what_follows() {
    for (text, read) in [
        ("\"a\",1", Some(("a", ",1"))),
        ("\"\"", Some(("", ""))),
        ("\"a\\\"b\" x", Some(("a\"b", " x"))),
        ("\"\\u00fc\"}", Some(("ü", "}"))),
        ("\"open", None),
        ("\"open\\", None),
        ("1", None),
    ] {
        let found = read_text(text);
        assert_eq!(found.as_ref().map(|(text, rest)| (&**text, *rest)), read, "{text}");
    }
}

#[test]
fn a_text_is_escaped_where_json_asks_for_it() {
    for (text, expected) in [
        ("", r#""""#),
        ("a é ~", r#""a é ~""#),
        ("\u{1}", r#""\u0001""#),
        ("\u{1f}", r#""\u001f""#),
        ("\"", r#""\"""#),
        ("\\", r#""\\""#),
    ] {
        let mut out = Vec::new();
        write_text(text, &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}

#[test]
fn the_body_of_a_refusal_is_json_or_a_text() {
    let service = Service::start().unwrap();
    let config = Config::new().base_url(service.base_url()).api_key("sk-test");
    let client = Client::new(config).unwrap();
    for (body, expected) in [("<p>No</p>", json!("<p>No</p>")), ("{\n\"a\":1}", json!({"a": 1}))] {
        let (headers, body) = (Vec::new(), body.as_bytes().to_vec());
        let says = Says::Document { status: 404, headers, body };
        service.queue(vec![Reply { says, faults: Vec::new() }]);
        let error = client.blocking().send(Request::chat("echo").user("Hello")).unwrap_err();
        let (_, value) = result(&failed("row-7", error));
        assert_eq!(value["response"]["body"], expected, "{value}");
        assert_eq!(value["response"]["status_code"], 404);
    }
}
