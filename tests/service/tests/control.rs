//! The control face, seen from a socket.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod client;

use client::{AUTH, Client, End, call, post};
use modelwire_testing::Service;
use serde_json::{Value, json};

fn put(service: &Service, script: &Value) -> client::Answer {
    call(service.address(), "PUT", "/_control/scripts/s", &[], &script.to_string())
}

/// What a script of one exchange, registered over HTTP, puts on the wire.
fn wire(exchange: Value) -> (String, End) {
    let service = Service::start().unwrap();
    let answer = put(&service, &json!({ "exchanges": [exchange] }));
    assert_eq!(answer.status, 200, "{:?}", answer);
    assert_eq!(answer.json()["base_url"], "http://test/scripts/s/v1");
    let mut client = Client::connect(service.address());
    client.send("POST", "/scripts/s/v1/responses", &[], "{}");
    let (bytes, end) = client.drain();
    (String::from_utf8(bytes).unwrap(), end)
}

#[test]
fn steps_do_what_they_say() {
    let check = |steps: Value, bytes: &str, end: End| {
        assert_eq!(wire(json!({ "steps": steps })), (bytes.to_owned(), end));
    };
    check(json!([{"send": "a\r\nü", "times": 2}, {"close": true}]), "a\r\nüa\r\nü", End::Eof);
    check(json!([{"send_base64": "w7w="}, {"pause_ms": 5}, {"reset": true}]), "ü", End::Reset);
    check(json!([{"split": "abcdef", "at": [1, 3]}, {"close": true}]), "abcdef", End::Eof);
    check(json!([{"split_base64": "YWJj", "at": [2]}, {"close": true}]), "abc", End::Eof);
}

#[test]
fn events_end_as_asked() {
    let check = |end: Option<&str>, last: &str, ended: End| {
        let mut exchange = json!({"events": ["1", "2"]});
        if let Some(end) = end {
            exchange["end"] = end.into();
        }
        let closed = json!({"exchanges": [exchange, {"steps": [{"close": true}]}]});
        let service = Service::start().unwrap();
        assert_eq!(put(&service, &closed).status, 200);
        let mut client = Client::connect(service.address());
        client.send("POST", "/scripts/s/v1/x", &[], "");
        client.send("POST", "/scripts/s/v1/x", &[], "");
        let (bytes, end) = client.drain();
        let text = String::from_utf8(bytes).unwrap();
        let (_, body) = text.split_once("\r\n\r\n").unwrap();
        assert_eq!(body, format!("9\r\ndata: 1\n\n\r\n9\r\ndata: 2\n\n\r\n{last}"));
        assert_eq!(end, ended);
    };
    let done = "e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n";
    check(None, done, End::Eof);
    check(Some("done"), done, End::Eof);
    check(Some("eof"), "0\r\n\r\n", End::Eof);
    check(Some("reset"), "", End::Reset);
}

#[test]
fn json_answers_have_their_headers() {
    let service = Service::start().unwrap();
    let json = json!({"json": {"status": 429, "headers": {"Retry-After": "0"}, "body": "{}"}});
    let cut = json!({"events": ["1"], "end": "cut"});
    assert_eq!(put(&service, &json!({"exchanges": [json, cut]})).status, 200);
    let answer = call(service.address(), "POST", "/scripts/s/v1/x", &[], "");
    assert_eq!((answer.status, answer.header("retry-after")), (429, Some("0")));
    assert_eq!(answer.json(), json!({}));
    let answer = call(service.address(), "POST", "/scripts/s/v1/x", &[], "");
    assert_eq!((answer.data(), answer.end), (vec!["1".to_owned()], End::Eof));
}

/// A body that is refused, and what the refusal says.
fn check_refused(body: &str, expected: &str) {
    let service = Service::start().unwrap();
    let answer = call(service.address(), "PUT", "/_control/scripts/s", &[], body);
    assert_eq!(answer.status, 400, "{body}");
    let message = answer.error("message");
    assert!(message.contains(expected), "{body}: {message}");
}

#[test]
fn malformed_scripts_are_refused_with_the_place() {
    check_refused("{", "not JSON");
    check_refused("[]", "the script must be an object");
    check_refused(r#"{"exchanges":[]}"#, "no exchanges");
    let check = |exchange: Value, expected: &str| {
        let script = json!({"exchanges": [{"events": []}, exchange]});
        check_refused(&script.to_string(), &format!("exchange 1{expected}"));
    };
    check(json!({}), " must have either");
    check(json!({"steps": [], "events": []}), " must have either");
    check(json!({"step": []}), ": unknown field step");
    check(json!({"events": [7]}), ": event 0");
    check(json!({"events": [], "end": "soon"}), ": end must be");
    check(json!({"json": {"body": ""}}), ", json: status");
    check(json!({"json": {"status": 200}}), ", json: body");
    let headers = json!({"status": 200, "body": "", "headers": {"a": 1}});
    check(json!({ "json": headers }), ", json: header a");
}

#[test]
fn malformed_steps_are_refused_with_the_place() {
    let check = |step: Value, expected: &str| {
        let script = json!({"exchanges": [{"events": []}, {"steps": [{"send": "a"}, step]}]});
        check_refused(&script.to_string(), &format!("exchange 1, step 1{expected}"));
    };
    check(json!(7), " must be an object");
    check(json!({}), " must do exactly one thing");
    check(json!({"send": "a", "close": true}), " must do exactly one thing");
    check(json!({"send": 7}), ": send must be a string");
    check(json!({"send": "a", "times": 0}), ": times must be at least 1");
    check(json!({"send": "a", "at": [1]}), ": at does not go with send");
    check(json!({"send_base64": "?"}), ": send_base64 is not base64");
    check(json!({"split": "abc"}), ": at must be an array");
    check(json!({"split": "abc", "at": [2, 1]}), ": at must be ascending");
    check(json!({"split": "abc", "at": [3]}), ": at must be ascending");
    check(json!({"pause_ms": -1}), ": pause_ms must be an integer");
    check(json!({"reset": false}), ": reset must be true");
    check(json!({"stall": 1}), ": stall must be true");
}

#[test]
fn names_of_scripts_are_plain() {
    let service = Service::start().unwrap();
    for name in ["", "a%20b", "a/b"] {
        let target = format!("/_control/scripts/{name}");
        let answer = call(service.address(), "PUT", &target, &[], "{}");
        assert_eq!(answer.status, 400);
        assert!(answer.error("message").contains("name of a script"), "{name}");
    }
}

/// A service that one scripted and one played request have reached.
fn used() -> Service {
    let service = Service::start().unwrap();
    let script = json!({"exchanges": [{"json": {"status": 200, "body": "1"}}]});
    assert_eq!(put(&service, &script).status, 200);
    let headers = [("X-A", "b")];
    call(service.address(), "POST", "/scripts/s/v1/x?q", &headers, "ü");
    let ask = json!({"model": "echo", "input": "a b"});
    post(service.address(), "/v1/responses", &ask);
    service
}

fn get(service: &Service, path: &str) -> Value {
    call(service.address(), "GET", path, &[], "").json()
}

#[test]
fn requests_can_be_read() {
    let service = used();
    let requests = get(&service, "/_control/requests/s");
    assert_eq!(requests.as_array().unwrap().len(), 1);
    let request = &requests[0];
    assert_eq!(request["method"], "POST");
    assert_eq!(request["target"], "/scripts/s/v1/x?q");
    assert_eq!(request["body"], "ü");
    assert_eq!(request["connection"], 2);
    assert!(request["at_ms"].is_u64());
    let header = json!(["X-A", "b"]);
    assert!(request["headers"].as_array().unwrap().contains(&header));
    let played = get(&service, "/_control/requests/");
    assert_eq!(played.as_array().unwrap().len(), 1);
    assert_eq!(played[0]["target"], "/v1/responses");
    let header = json!(["Authorization", AUTH[0].1]);
    assert!(played[0]["headers"].as_array().unwrap().contains(&header));
    assert_eq!(get(&service, "/_control/requests"), played);
    assert_eq!(get(&service, "/_control/requests/other"), json!([]));
}

#[test]
fn state_can_be_read_and_cleared() {
    let service = used();
    let state = get(&service, "/_control/state");
    let echo = json!({"calls": 1, "input_tokens": 2, "output_tokens": 2});
    assert_eq!(state["metered"], json!({ "echo": echo }));
    assert_eq!(state["connections"], service.connections());
    assert!(state["open_connections"].as_u64().unwrap() >= 1);
    let status = |method: &str, path: &str| call(service.address(), method, path, &[], "").status;
    assert_eq!(status("POST", "/_control/clear"), 200);
    assert_eq!(get(&service, "/_control/requests/s"), json!([]));
    assert_eq!(get(&service, "/_control/state")["metered"], json!({}));
    assert_eq!(status("POST", "/scripts/s/v1/x"), 200);
    assert_eq!(status("GET", "/_control/nothing"), 404);
    assert_eq!(status("GET", "/_control/clear"), 404);
}
