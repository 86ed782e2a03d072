//! The played service, seen from a socket: doors, models, meters.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod asks;
mod client;

use std::time::{Duration, Instant};

use asks::{CHAT, RESPONSES, chat, content, finish_reasons, metered, streamed, with};
use client::{AUTH, Answer, End, call, post};
use modelwire_testing::{Options, Service};
use serde_json::{Value, json};

#[test]
fn only_the_exact_key_is_accepted() {
    let service =
        Service::start_with(Options { key: "sk-x".into(), ..Options::default() }).unwrap();
    let check = |value: Option<&str>, expected: Option<&str>| {
        let headers: Vec<(&str, &str)> =
            value.map(|value| ("authorization", value)).into_iter().collect();
        let answer = call(service.address(), "GET", "/v1/models", &headers, "");
        assert!(answer.header("x-request-id").unwrap().starts_with("req-"));
        let Some(expected) = expected else {
            assert_eq!(answer.status, 200, "{value:?}");
            return;
        };
        assert_eq!(answer.status, 401, "{value:?}");
        assert_eq!(answer.error("code"), "invalid_api_key");
        assert_eq!(answer.error("type"), "invalid_request_error");
        assert_eq!(answer.json()["error"]["param"], Value::Null);
        assert!(answer.error("message").contains(expected), "{}", answer.error("message"));
    };
    check(Some("Bearer sk-x"), None);
    check(None, Some("No API key"));
    check(Some("Bearer sk-test"), Some("Incorrect"));
    check(Some("Bearer  sk-x"), Some("whitespace"));
    check(Some("Bearer sk -x"), Some("whitespace"));
    check(Some("Bearer\tsk-x"), Some("malformed"));
    check(Some("Bearer"), Some("malformed"));
    check(Some("bearer sk-x"), Some("malformed"));
    check(Some("sk-x"), Some("malformed"));
    check(Some("Basic c2steA=="), Some("malformed"));
    assert!(service.metered().is_empty());
}

#[test]
fn unknown_paths_and_methods_are_distinguished() {
    let service = Service::start().unwrap();
    let address = service.address();
    let check = |method: &str, path: &str, status: u16| {
        let answer = call(address, method, path, AUTH, "");
        assert_eq!(answer.status, status, "{method} {path}");
        assert!(answer.error("message").contains(path), "{}", answer.error("message"));
        answer
    };
    check("GET", "/v1/nothing", 404);
    check("GET", "/v1/models/echo", 404);
    check("POST", "/v1", 404);
    check("POST", "/chat/completions", 404);
    assert_eq!(check("POST", "/v1/models", 405).header("allow"), Some("GET"));
    assert_eq!(check("GET", CHAT, 405).header("allow"), Some("POST"));
    assert_eq!(check("PUT", RESPONSES, 405).header("allow"), Some("POST"));
    // The key is asked for before the path is looked at.
    assert_eq!(call(address, "GET", "/v1/nothing", &[], "").status, 401);
    assert_eq!(call(address, "GET", "/v1/models?after=x", AUTH, "").status, 200);
}

#[test]
fn models_are_listed() {
    let service = Service::start().unwrap();
    let list = call(service.address(), "GET", "/v1/models", AUTH, "").json();
    assert_eq!(list["object"], "list");
    let data = list["data"].as_array().unwrap();
    let ids: Vec<&str> = data.iter().map(|model| model["id"].as_str().unwrap()).collect();
    let expected = "echo echo-stream-only echo-reasoning echo-tools limited recovers forbidden \
                    broken cut error-in-stream slow";
    assert_eq!(ids, expected.split_whitespace().collect::<Vec<_>>());
    assert!(data.iter().all(|model| model["object"] == "model" && model["created"].is_u64()));
    assert!(data.iter().all(|model| model["owned_by"].is_string()));
}

/// A body that is refused, and the field that the refusal names.
fn check_refused(path: &str, body: &str, param: &str) {
    let service = Service::start().unwrap();
    let answer = call(service.address(), "POST", path, AUTH, body);
    assert_eq!(answer.status, 400, "{body}");
    assert_eq!(answer.error("param"), param, "{body}");
    assert!(service.metered().is_empty());
}

#[test]
fn ill_typed_chats_name_the_field() {
    let check = |body: &str, param: &str| check_refused(CHAT, body, param);
    check("{", "");
    check("", "");
    check("[]", "");
    check(r#"{"messages":[{"role":"user","content":"a"}]}"#, "model");
    check(r#"{"model":7,"messages":[]}"#, "model");
    check(r#"{"model":""}"#, "model");
    check(r#"{"model":"echo"}"#, "messages");
    check(r#"{"model":"echo","messages":"a"}"#, "messages");
    check(r#"{"model":"echo","messages":[]}"#, "messages");
    let message = |message: Value| json!({"model": "echo", "messages": [message]}).to_string();
    check(&message(json!("a")), "messages[0]");
    check(&message(json!({"content": "a"})), "messages[0].role");
    let content = |content: Value| message(json!({"role": "user", "content": content}));
    check(&content(json!(7)), "messages[0].content");
    check(&content(json!([{"text": "a"}])), "messages[0].content[0].type");
    check(&content(json!([{"type": "text"}])), "messages[0].content[0].text");
}

#[test]
fn ill_typed_options_name_the_field() {
    let check = |name: &str, value: Value| {
        let body = with(chat("echo", "a"), json!({ name: value }));
        check_refused(CHAT, &body.to_string(), name);
    };
    check("stream", json!("yes"));
    check("max_tokens", json!(0));
    check("max_tokens", json!(-1));
    check("max_completion_tokens", json!(1.5));
    check("n", json!(9));
    check("n", json!("1"));
    check("stream_options", json!([]));
}

#[test]
fn ill_typed_responses_name_the_field() {
    let check = |body: Value, param: &str| check_refused(RESPONSES, &body.to_string(), param);
    check(json!({"input": "a"}), "model");
    check(json!({"model": "echo"}), "input");
    check(json!({"model": "echo", "input": 7}), "input");
    check(json!({"model": "echo", "input": [7]}), "input[0]");
    let bound = json!({"model": "echo", "input": "a", "max_output_tokens": "7"});
    check(bound, "max_output_tokens");
}

#[test]
fn unknown_models_are_not_found() {
    let service = Service::start().unwrap();
    let ask = json!({"model": "gpt-9", "input": "a"});
    for unknown in [
        post(service.address(), CHAT, &chat("gpt-9", "a")),
        post(service.address(), RESPONSES, &ask),
    ] {
        assert_eq!(unknown.status, 404);
        assert_eq!(unknown.error("code"), "model_not_found");
        assert!(unknown.error("message").contains("\"gpt-9\""));
    }
    assert!(service.metered().is_empty());
}

#[test]
fn a_model_that_only_streams_refuses_plain_calls() {
    let service = Service::start().unwrap();
    let plain = post(service.address(), CHAT, &chat("echo-stream-only", "a b"));
    assert_eq!((plain.status, plain.error("param").as_str()), (400, "stream"));
    assert!(plain.error("message").contains("only supports streaming"));
    let ask = json!({"model": "echo-stream-only", "input": "a b"});
    assert_eq!(post(service.address(), RESPONSES, &ask).status, 400);
    assert!(service.metered().is_empty());
    let events = post(service.address(), CHAT, &streamed(chat("echo-stream-only", "a b"))).events();
    assert_eq!(content(&events, "content"), "a b");
}

#[test]
fn reasoning_comes_before_the_text() {
    let service = Service::start().unwrap();
    let plain = post(service.address(), CHAT, &chat("echo-reasoning", "a b")).json();
    let message = &plain["choices"][0]["message"];
    let reasoning = message["reasoning_content"].as_str().unwrap();
    assert_eq!((message["content"].as_str(), reasoning.is_empty()), (Some("a b"), false));
    assert_eq!(plain["usage"]["completion_tokens_details"]["reasoning_tokens"], 6);
    assert_eq!(plain["usage"]["completion_tokens"], 8);
    let events = post(service.address(), CHAT, &streamed(chat("echo-reasoning", "a b"))).events();
    assert_eq!(content(&events, "reasoning_content"), reasoning);
    assert_eq!(content(&events, "content"), "a b");
    let delta = |event: &Value, field: &str| event["choices"][0]["delta"][field].is_string();
    let last_thought = events.iter().rposition(|event| delta(event, "reasoning_content"));
    let first_word = events[1..].iter().position(|event| delta(event, "content"));
    assert!(last_thought.unwrap() < first_word.unwrap() + 1);
}

#[test]
fn tools_are_called_in_pieces() {
    let service = Service::start().unwrap();
    let text = "say \"hi\"\nnow";
    let plain = post(service.address(), CHAT, &chat("echo-tools", text)).json();
    assert_eq!(plain["choices"][0]["finish_reason"], "tool_calls");
    let message = &plain["choices"][0]["message"];
    assert_eq!(message["content"], Value::Null);
    let function = &message["tool_calls"][0]["function"];
    assert_eq!(function["name"], "echo");
    let arguments = function["arguments"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(arguments).unwrap(), json!({ "text": text }));
    let events = post(service.address(), CHAT, &streamed(chat("echo-tools", text))).events();
    let calls: Vec<&Value> =
        events.iter().map(|event| &event["choices"][0]["delta"]["tool_calls"][0]).collect();
    assert_eq!(
        (&calls[0]["type"], &calls[0]["function"]["name"]),
        (&json!("function"), &json!("echo"))
    );
    let pieces: Vec<&str> =
        calls[1..].iter().filter_map(|call| call["function"]["arguments"].as_str()).collect();
    assert!(pieces.len() >= 2, "{pieces:?}");
    assert_eq!(pieces.concat(), arguments);
    assert_eq!(finish_reasons(&events), ["tool_calls"]);
}

#[test]
fn declared_tools_are_called_once_and_their_results_answered() {
    let service = Service::start().unwrap();
    let function = |name: &str, properties: Value| json!({"type": "function", "function": {"name": name, "parameters": {"properties": properties}}});
    let weather =
        function("weather", json!({"city": {"type": "string"}, "days": {"type": "integer"}}));
    let tools =
        json!([weather, {"type": "function", "function": {"name": "clock"}}, {"type": "other"}]);
    let user = json!({"role": "user", "content": "Rome"});
    let ask = |messages: Value| {
        let body = json!({"model": "echo-tools", "messages": messages, "tools": tools});
        post(service.address(), CHAT, &body).json()["choices"][0].clone()
    };
    let choice = ask(json!([user]));
    assert_eq!(choice["finish_reason"], "tool_calls");
    let called: Vec<_> = choice["message"]["tool_calls"].as_array().unwrap().iter().collect();
    let arguments = [("weather", r#"{"city":"Rome"}"#), ("clock", "{}")];
    for (call, (name, text)) in called.iter().zip(arguments) {
        assert_eq!(call["function"], json!({"name": name, "arguments": text}));
    }
    let result = |at: usize, text: &str| json!({"role": "tool", "tool_call_id": called[at]["id"], "content": text});
    let answered = json!([user, choice["message"], result(0, "sunny"), result(1, "14:05")]);
    let choice = ask(answered.clone());
    assert_eq!(
        (&choice["finish_reason"], &choice["message"]["content"]),
        (&json!("stop"), &json!("sunny\n14:05"))
    );
    // A new question is a new turn.
    let mut again = answered;
    again.as_array_mut().unwrap().push(user.clone());
    assert_eq!(ask(again)["finish_reason"], "tool_calls");
}

#[test]
fn the_rate_limit_slides() {
    let start = |window: Duration| {
        let options = Options { rate_limit_window: window, ..Options::default() };
        Service::start_with(options).unwrap()
    };
    let ask = |service: &Service| post(service.address(), CHAT, &chat("limited", "a"));
    let strict = start(Duration::from_secs(60));
    let three = || (ask(&strict).status, ask(&strict).status, ask(&strict));
    let (first, second, refused) = three();
    assert_eq!((first, second, refused.status), (200, 200, 429));
    assert_eq!(refused.error("code"), "rate_limit_exceeded");
    let seconds: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((50..=60).contains(&seconds), "{seconds}");
    assert_eq!(strict.metered()["limited"].calls, 2);
    strict.clear();
    let (first, second, refused) = three();
    assert_eq!((first, second, refused.status), (200, 200, 429));
    // And with a window that passes.
    let window = Duration::from_millis(900);
    let sliding = start(window);
    let begun = Instant::now();
    (0..3).for_each(|_| client::eventually("admitted", || ask(&sliding).status == 200));
    assert!(begun.elapsed() >= window);
    assert_eq!(sliding.metered()["limited"].calls, 3);
}

#[test]
fn the_third_request_recovers() {
    let service = Service::start().unwrap();
    let ask = || post(service.address(), CHAT, &chat("recovers", "a"));
    let answers: Vec<Answer> = (0..6).map(|_| ask()).collect();
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses, [429, 429, 200, 429, 429, 200]);
    assert_eq!(answers[0].header("retry-after"), None);
    assert_eq!(service.metered()["recovers"], metered(2, 2, 2));
}

#[test]
fn refusals_are_not_metered() {
    let service = Service::start().unwrap();
    let check = |model: &str, status: u16, kind: &str, code: &str| {
        let answer = post(service.address(), CHAT, &chat(model, "a b c d"));
        assert_eq!(answer.status, status, "{model}");
        assert_eq!((answer.error("type"), answer.error("code")), (kind.into(), code.into()));
    };
    check("forbidden", 403, "permission_error", "insufficient_balance");
    check("broken", 500, "server_error", "internal_error");
    check("error-in-stream", 502, "server_error", "upstream_failed");
    assert!(service.metered().is_empty());
}

#[test]
fn streams_that_fail_give_three_words() {
    let service = Service::start().unwrap();
    let cut = post(service.address(), CHAT, &streamed(chat("cut", "a b c d")));
    assert_eq!((cut.status, cut.end), (200, End::Eof));
    assert_eq!(content(&cut.events(), "content"), "a b c ");
    assert!(finish_reasons(&cut.events()).is_empty());
    let failed = post(service.address(), CHAT, &streamed(chat("error-in-stream", "a b c d")));
    assert_eq!((failed.status, failed.end), (200, End::LastChunk));
    let events = failed.events();
    let (error, before) = events.split_last().unwrap();
    assert_eq!(content(before, "content"), "a b c ");
    assert_eq!(error["error"]["type"], "server_error");
    assert_eq!(error["error"]["code"], "upstream_failed");
    assert!(!failed.data().contains(&"[DONE]".to_owned()));
    let ask = json!({"model": "error-in-stream", "input": "a b c d", "stream": true});
    let failed = post(service.address(), RESPONSES, &ask);
    assert!(failed.chunks.last().unwrap().starts_with("event: error\n"));
    assert_eq!(failed.events().last().unwrap()["code"], "upstream_failed");
    let plain = post(service.address(), CHAT, &chat("cut", "a b c d"));
    let promised: usize = plain.header("content-length").unwrap().parse().unwrap();
    assert_eq!((plain.status, plain.end), (200, End::Eof));
    assert_eq!(plain.body.len(), promised / 2);
    assert_eq!(service.metered()["cut"].calls, 2);
    assert_eq!(service.metered()["error-in-stream"], metered(2, 8, 6));
}

#[test]
fn faults_of_real_servers_are_played() {
    let service = Service::start().unwrap();
    let stream = |model| post(service.address(), CHAT, &streamed(chat(model, "a b c d")));
    let flat = stream("flat-error");
    let (error, before) = flat.events().split_last().map(|(e, b)| (e.clone(), b.to_vec())).unwrap();
    assert_eq!(
        (content(&before, "content").as_str(), &error["error_code"]),
        ("a b c ", &json!(50_002))
    );
    assert_eq!(flat.data().last().unwrap(), "[DONE]");
    let plain = post(service.address(), CHAT, &chat("flat-error", "a b c d"));
    let body: Value = serde_json::from_slice(&plain.body).unwrap();
    assert_eq!(
        (plain.status, &body["object"], &body["code"]),
        (200, &json!("error"), &json!(50_002))
    );
    let last = stream("unended-error").chunks.pop().unwrap();
    assert!(last.contains("upstream_failed") && !last.ends_with("\n\n"), "{last:?}");
    for (model, last_is_done) in [("no-mark", false), ("no-reason", true), ("late-end", true)] {
        let answer = stream(model);
        assert_eq!((answer.status, answer.end), (200, End::LastChunk), "{model}");
        assert_eq!(answer.data().last().unwrap() == "[DONE]", last_is_done, "{model}");
        let reasons = finish_reasons(&answer.events());
        assert_eq!(reasons.is_empty(), model != "late-end", "{model}: {reasons:?}");
    }
}

#[test]
fn words_are_paced() {
    let options = Options { word_pause: Duration::from_millis(30), ..Options::default() };
    let service = Service::start_with(options).unwrap();
    let check = |body: Value, at_least: u64| {
        let start = Instant::now();
        let answer = post(service.address(), CHAT, &body);
        assert_eq!(answer.status, 200);
        assert!(start.elapsed() >= Duration::from_millis(at_least), "{body}");
    };
    check(streamed(chat("echo", "a b c")), 60);
    check(streamed(chat("slow", "a b c")), 400);
    check(chat("slow", "a b"), 200);
}
