//! Model `echo`: the shapes of plain and streamed answers.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod asks;
mod client;

use std::collections::BTreeMap;

use asks::{CHAT, RESPONSES, chat, content, finish_reasons, metered, streamed, with};
use client::{End, post};
use modelwire_testing::{Options, Reported, Service};
use serde_json::{Value, json};

/// A plain chat: its text, finish reason, and words in and out.
fn check_plain(body: Value, text: &str, finish: &str, usage: (u64, u64)) {
    let service = Service::start().unwrap();
    let answer = post(service.address(), CHAT, &body);
    assert_eq!((answer.status, answer.end), (200, End::Length));
    assert!(answer.header("x-request-id").unwrap().starts_with("req-"));
    // The order of the fields is OpenAI's, not the alphabet's.
    assert!(answer.body.starts_with(br#"{"id":"chatcmpl-"#));
    let json = answer.json();
    assert_eq!(json["object"], "chat.completion");
    assert_eq!(json["choices"][0]["message"]["role"], "assistant");
    assert_eq!(json["choices"][0]["message"]["content"], text);
    assert_eq!(json["choices"][0]["finish_reason"], finish);
    assert_eq!(json["usage"]["prompt_tokens"], usage.0);
    assert_eq!(json["usage"]["completion_tokens"], usage.1);
    assert_eq!(json["usage"]["total_tokens"], usage.0 + usage.1);
    assert_eq!(service.metered()["echo"], metered(1, usage.0, usage.1));
}

#[test]
fn echo_repeats_the_last_message_of_the_user() {
    let text = " Grüße,\n \"Welt\" \u{0} ";
    check_plain(chat("echo", text), text, "stop", (3, 3));
    let parts = json!([
        {"type": "text", "text": "a "}, {"type": "image_url"}, {"type": "text", "text": "b"},
    ]);
    let conversation = json!([
        {"role": "system", "content": "be brief"}, {"role": "user", "content": "earlier"},
        {"role": "user", "content": parts}, {"role": "assistant", "content": null},
    ]);
    let body = json!({"model": "echo", "messages": conversation});
    check_plain(body, "a b", "stop", (5, 2));
    let nobody = json!({"model": "echo", "messages": [{"role": "system", "content": "a"}]});
    check_plain(nobody, "", "stop", (1, 0));
}

#[test]
fn echo_keeps_to_the_bounds() {
    let check = |bounds: Value, text: &str, finish: &str, words: u64| {
        check_plain(with(chat("echo", "a b c"), bounds), text, finish, (3, words));
    };
    check(json!({"max_tokens": 2}), "a b", "length", 2);
    check(json!({"max_completion_tokens": 1}), "a", "length", 1);
    check(json!({"max_tokens": 2, "max_completion_tokens": 1}), "a", "length", 1);
    check(json!({"max_tokens": 3}), "a b c", "stop", 3);
    check(json!({"max_tokens": null, "stream": null}), "a b c", "stop", 3);
}

#[test]
fn echo_gives_each_choice_asked_for() {
    let service = Service::start().unwrap();
    let body = with(chat("echo", "a b"), json!({"n": 3}));
    let plain = post(service.address(), CHAT, &body).json();
    let texts: Vec<&Value> = plain["choices"]
        .as_array()
        .unwrap()
        .iter()
        .map(|choice| &choice["message"]["content"])
        .collect();
    assert_eq!(texts, ["a b", "a b", "a b"]);
    assert_eq!(plain["choices"][2]["index"], 2);
    assert_eq!(plain["usage"]["completion_tokens"], 6);
    let events = post(service.address(), CHAT, &streamed(body)).events();
    let mut texts: BTreeMap<u64, String> = BTreeMap::new();
    for choice in events.iter().flat_map(|event| event["choices"].as_array().unwrap()) {
        let text = texts.entry(choice["index"].as_u64().unwrap()).or_default();
        text.push_str(choice["delta"]["content"].as_str().unwrap_or_default());
    }
    assert_eq!(texts.into_values().collect::<Vec<_>>(), ["a b", "a b", "a b"]);
    assert_eq!(finish_reasons(&events), ["stop", "stop", "stop"]);
}

/// In a streamed chat only to who asks, as real services do; or always, or never.
#[test]
fn usage_is_reported_as_the_options_say() {
    for (usage, in_stream, asked_for, elsewhere) in [
        (Reported::AsAsked, false, true, true),
        (Reported::Always, true, true, true),
        (Reported::Never, false, false, false),
    ] {
        let service = Service::start_with(Options { usage, ..Options::default() }).unwrap();
        let body = with(chat("echo", "a b"), json!({"n": 3}));
        let asked = with(body.clone(), json!({"stream_options": {"include_usage": true}}));
        let input = json!({"model": "echo", "input": "a b"});
        let reports = |path: &str, body: &Value| {
            let answer = post(service.address(), path, body);
            let events = if body["stream"] == true { answer.events() } else { vec![answer.json()] };
            let is_reported = |event: &&Value| {
                event["usage"].is_object() || event["response"]["usage"].is_object()
            };
            events.iter().filter(is_reported).count()
        };
        for (path, body, expected) in [
            (CHAT, &body, elsewhere),
            (CHAT, &streamed(body.clone()), in_stream),
            (CHAT, &streamed(asked), asked_for),
            (RESPONSES, &input, elsewhere),
            (RESPONSES, &streamed(input.clone()), elsewhere),
        ] {
            assert_eq!(reports(path, body), usize::from(expected), "{usage:?} {body}");
        }
    }
}

#[test]
fn echo_streams_word_by_word() {
    let service = Service::start().unwrap();
    let text = "Grüße,  \"Welt\" und\nmehr";
    let answer = post(service.address(), CHAT, &streamed(chat("echo", text)));
    assert_eq!(answer.header("content-type"), Some("text/event-stream"));
    assert_eq!((answer.status, answer.end), (200, End::LastChunk));
    assert_eq!(answer.data().last().unwrap(), "[DONE]");
    let events = answer.events();
    assert_eq!(events.len(), 1 + 4 + 1);
    assert_eq!(
        events[0]["choices"][0]["delta"],
        json!({"role": "assistant", "content": "", "refusal": null})
    );
    assert_eq!(events[1]["choices"][0]["delta"], json!({"content": "Grüße,  "}));
    assert_eq!(content(&events, "content"), text);
    assert!(events.iter().all(|event| event["object"] == "chat.completion.chunk"));
    assert!(events.iter().all(|event| event["id"] == events[0]["id"]));
    assert_eq!(finish_reasons(&events), ["stop"]);
    assert_eq!(events[5]["choices"][0]["delta"], json!({}));
    assert!(events.iter().all(|event| event.get("usage").is_none()));
    let short = streamed(with(chat("echo", text), json!({"max_tokens": 2})));
    let events = post(service.address(), CHAT, &short).events();
    assert_eq!(content(&events, "content"), "Grüße,  \"Welt\"");
    assert_eq!(finish_reasons(&events), ["length"]);
    assert_eq!(service.metered()["echo"], metered(2, 8, 6));
}

#[test]
fn requested_usage_arrives_in_a_separate_chunk() {
    let service = Service::start().unwrap();
    let asked = json!({"stream_options": {"include_usage": true}});
    let answer = post(service.address(), CHAT, &streamed(with(chat("echo", "a b"), asked)));
    let events = answer.events();
    let (last, before) = events.split_last().unwrap();
    assert_eq!(last["choices"], json!([]));
    assert_eq!(last["usage"]["completion_tokens"], 2);
    assert!(before.iter().all(|event| event["usage"].is_null() && event.get("usage").is_some()));
    assert_eq!(answer.data().last().unwrap(), "[DONE]");
}

#[test]
fn echo_responds_plainly() {
    let service = Service::start().unwrap();
    let check = |body: Value, text: &str, status: &str, usage: (u64, u64)| {
        let answer = post(service.address(), RESPONSES, &body);
        assert!(answer.body.starts_with(br#"{"id":"resp_"#));
        let json = answer.json();
        assert_eq!(json["object"], "response");
        assert_eq!(json["status"], status);
        assert_eq!(json["output"][0]["type"], "message");
        assert_eq!(json["output"][0]["content"][0]["type"], "output_text");
        assert_eq!(json["output"][0]["content"][0]["text"], text);
        assert_eq!(json["usage"]["input_tokens"], usage.0);
        assert_eq!(json["usage"]["output_tokens"], usage.1);
        assert_eq!(json["usage"]["total_tokens"], usage.0 + usage.1);
        json["incomplete_details"].clone()
    };
    let body = |input: Value| json!({"model": "echo", "input": input});
    assert_eq!(check(body(json!("a b c")), "a b c", "completed", (3, 3)), Value::Null);
    let items = json!([
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a b"}]},
        {"type": "function_call_output", "call_id": "x", "output": "y"},
        {"role": "assistant", "content": [{"type": "output_text", "text": "c"}]},
    ]);
    check(body(items), "a b", "completed", (3, 2));
    let short = with(body(json!("a b c")), json!({"max_output_tokens": 2}));
    let details = check(short, "a b", "incomplete", (3, 2));
    assert_eq!(details, json!({"reason": "max_output_tokens"}));
}

#[test]
fn echo_streams_responses_like_openai() {
    let service = Service::start().unwrap();
    let ask = json!({"model": "echo", "input": "a b c", "stream": true});
    let answer = post(service.address(), RESPONSES, &ask);
    assert_eq!(answer.end, End::LastChunk);
    let events = answer.events();
    let kinds: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    let delta = "response.output_text.delta";
    let expected = [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
        delta,
        delta,
        delta,
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ];
    assert_eq!(kinds, expected);
    for (index, event) in events.iter().enumerate() {
        assert_eq!(event["sequence_number"], index);
        assert!(answer.chunks[index].starts_with(&format!("event: {}\ndata: {{", kinds[index])));
    }
    assert!(!answer.data().contains(&"[DONE]".to_owned()));
    let text: String = events.iter().filter_map(|event| event["delta"].as_str()).collect();
    assert_eq!(text, "a b c");
    assert_eq!(events[7]["text"], "a b c");
    assert_eq!(events[4]["item_id"], events[2]["item"]["id"]);
    assert_eq!(events[0]["response"]["status"], "in_progress");
    let over = &events[10]["response"];
    assert_eq!((&over["status"], &over["usage"]["total_tokens"]), (&json!("completed"), &json!(6)));
    assert_eq!(over["output"][0], events[9]["item"]);
    let short = with(ask, json!({"max_output_tokens": 1}));
    let events = post(service.address(), RESPONSES, &short).events();
    let last = events.last().unwrap();
    assert_eq!(
        (&last["type"], &last["response"]["status"]),
        (&json!("response.incomplete"), &json!("incomplete"))
    );
    assert_eq!(last["response"]["incomplete_details"]["reason"], "max_output_tokens");
    assert_eq!(service.metered()["echo"], metered(2, 6, 4));
}
