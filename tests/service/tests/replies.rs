//! Queued answers and their faults, seen from a socket: in what shape and order they come, and where they
//! break.
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

use asks::{CHAT, RESPONSES, chat, content, finish_reasons, metered, streamed};
use client::{Answer, Client, End};
use modelwire_testing::{Event, Fault, Finish, Point, Reply, Says, Service, Step, Text, ToolCall};
use serde_json::{Value, json};

const KEY: [(&str, &str); 1] = [("Authorization", "Bearer sk-test")];

fn reply(says: Says) -> Reply {
    Reply { says, faults: Vec::new() }
}

fn text(pieces: &[&str]) -> Text {
    let pieces = pieces.iter().map(|piece| (*piece).to_owned()).collect();
    Text { pieces, ..Text::default() }
}

fn call(service: &Service, target: &str, body: &Value) -> Answer {
    Client::connect(service.address()).call("POST", target, &KEY, &body.to_string())
}

/// What one request gets of one queued answer.
fn told(reply: Reply, target: &str, body: &Value) -> Answer {
    let service = Service::start().unwrap();
    service.queue(vec![reply]);
    call(&service, target, body)
}

fn response(model: &str, input: &str) -> Value {
    json!({"model": model, "input": input})
}

#[test]
fn text_takes_the_shape_that_the_request_asks_for() {
    let says = || reply(Says::Text(text(&["Hel", "lo you"])));
    let plain = told(says(), CHAT, &chat("any", "a b c")).json();
    assert_eq!(plain["choices"][0]["message"]["content"], "Hello you");
    assert_eq!(plain["model"], "any");
    assert_eq!(plain["usage"]["prompt_tokens"], 3);
    assert_eq!(plain["usage"]["completion_tokens"], 2);

    let stream = told(says(), CHAT, &streamed(chat("any", "a")));
    assert_eq!(stream.data().last().unwrap(), "[DONE]");
    let events = stream.events();
    let pieces = events.iter().filter_map(|event| event["choices"][0]["delta"]["content"].as_str());
    assert_eq!(pieces.collect::<Vec<_>>(), ["", "Hel", "lo you"]);
    assert_eq!(finish_reasons(&events), ["stop"]);

    let plain = told(says(), RESPONSES, &response("any", "a")).json();
    assert_eq!(plain["output"][0]["content"][0]["text"], "Hello you");
    assert_eq!(plain["model"], "any");

    let events = told(says(), RESPONSES, &streamed(response("any", "a"))).events();
    let pieces = events.iter().filter_map(|event| event["delta"].as_str());
    assert_eq!(pieces.collect::<Vec<_>>(), ["Hel", "lo you"]);
    let last = events.last().unwrap();
    assert_eq!(last["type"], "response.completed");
    assert_eq!(last["response"]["output"][0]["content"][0]["text"], "Hello you");
}

#[test]
fn tools_are_called_in_every_shape() {
    let tool = |name: &str, arguments: &str| ToolCall {
        name: name.to_owned(),
        arguments: arguments.to_owned(),
    };
    let calls = vec![tool("look", r#"{"at":"the sea"}"#), tool("rest", "{}")];
    for pieces in [&["Well. "][..], &[]] {
        let says = || {
            let text = Text { tool_calls: calls.clone(), ..text(pieces) };
            reply(Says::Text(text))
        };
        let expected = json!([["look", r#"{"at":"the sea"}"#], ["rest", "{}"]]);
        let pairs = |calls: &[Value]| -> Value {
            let pair = |call: &Value| json!([call["name"], call["arguments"]]);
            calls.iter().map(pair).collect()
        };

        let message = told(says(), CHAT, &chat("any", "x")).json()["choices"][0].take();
        assert_eq!(message["finish_reason"], "tool_calls");
        let found = message["message"]["tool_calls"].as_array().unwrap();
        let functions: Vec<Value> = found.iter().map(|call| call["function"].clone()).collect();
        assert_eq!(pairs(&functions), expected);
        assert_ne!(found[0]["id"], found[1]["id"]);

        let events = told(says(), CHAT, &streamed(chat("any", "x"))).events();
        assert_eq!(content(&events, "content"), pieces.concat());
        assert_eq!(finish_reasons(&events), ["tool_calls"]);
        let mut gathered = vec![json!({"name": "", "arguments": ""}); 2];
        for event in &events {
            for delta in event["choices"][0]["delta"]["tool_calls"].as_array().into_iter().flatten()
            {
                let call =
                    &mut gathered[usize::try_from(delta["index"].as_u64().unwrap()).unwrap()];
                for field in ["name", "arguments"] {
                    let more = delta["function"][field].as_str().unwrap_or_default();
                    call[field] = format!("{}{more}", call[field].as_str().unwrap()).into();
                }
            }
        }
        assert_eq!(pairs(&gathered), expected);

        let items = |output: &Value| {
            let output = output.as_array().unwrap().clone();
            assert_eq!(output.len(), pieces.len() + 2);
            pairs(&output[pieces.len()..])
        };
        let plain = told(says(), RESPONSES, &response("any", "x")).json();
        assert_eq!(items(&plain["output"]), expected);

        let events = told(says(), RESPONSES, &streamed(response("any", "x"))).events();
        assert_eq!(items(&events.last().unwrap()["response"]["output"]), expected);
        for (number, event) in events.iter().enumerate() {
            assert_eq!(event["sequence_number"], number);
        }
        for (at, (_, arguments)) in
            [("look", r#"{"at":"the sea"}"#), ("rest", "{}")].iter().enumerate()
        {
            let of_call = |event: &&Value| {
                event["type"] == "response.function_call_arguments.delta"
                    && event["output_index"] == at + pieces.len()
            };
            let deltas =
                events.iter().filter(of_call).map(|event| event["delta"].as_str().unwrap());
            assert_eq!(deltas.collect::<String>(), *arguments);
        }
    }
}

#[test]
fn an_answer_has_a_finish_reason_and_usage() {
    for (finish, chats, responses) in [
        (Finish::Stop, "stop", Value::Null),
        (Finish::Length, "length", json!({"reason": "max_output_tokens"})),
        (Finish::ContentFilter, "content_filter", json!({"reason": "content_filter"})),
    ] {
        let says = || {
            let text = Text { finish, usage: Some((7, 9)), ..text(&["a"]) };
            reply(Says::Text(text))
        };
        let answer = told(says(), CHAT, &chat("any", "x")).json();
        assert_eq!(answer["choices"][0]["finish_reason"], chats);
        assert_eq!(answer["usage"]["total_tokens"], 16);
        let answer = told(says(), RESPONSES, &response("any", "x")).json();
        assert_eq!(answer["incomplete_details"], responses);
        assert_eq!(answer["usage"]["output_tokens"], 9);
    }
}

#[test]
fn answers_are_taken_in_order_by_authorized_requests() {
    let service = Service::start().unwrap();
    let document = |body: &str| {
        let headers = vec![("X-Request-Id".to_owned(), "mine".to_owned())];
        reply(Says::Document { status: 200, headers, body: body.into() })
    };
    service.queue(vec![document("1"), reply(Says::Played), document("2")]);
    service.answer_otherwise(Some(document("3")));
    let ask = chat("echo", "x");

    let mut client = Client::connect(service.address());
    assert_eq!(client.call("POST", CHAT, &[], "{}").status, 401);
    assert_eq!(client.call("POST", "/chat/completions", &KEY, "{}").status, 404);
    assert_eq!(service.replies_waiting(), 3);

    let first = client.call("GET", "/v1/anything", &KEY, "");
    assert_eq!((first.body.as_slice(), first.header("x-request-id")), (&b"1"[..], Some("mine")));
    assert_eq!(call(&service, CHAT, &ask).json()["choices"][0]["message"]["content"], "x");
    assert_eq!(call(&service, CHAT, &ask).body, b"2");
    assert_eq!(service.replies_waiting(), 0);
    assert_eq!(call(&service, CHAT, &ask).body, b"3");
    assert_eq!(call(&service, CHAT, &ask).body, b"3");
    assert_eq!(service.recorded("").len(), 7);

    service.clear();
    assert_eq!(call(&service, CHAT, &ask).json()["object"], "chat.completion");
}

#[test]
fn text_refuses_what_it_does_not_fit() {
    let service = Service::start().unwrap();
    service.queue(vec![reply(Says::Text(text(&["a"]))); 2]);
    let models = Client::connect(service.address()).call("GET", "/v1/models", &KEY, "");
    assert_eq!((models.status, models.error("code").as_str()), (500, "script_does_not_fit"));
    let nothing = call(&service, CHAT, &json!({"model": "any"}));
    assert_eq!((nothing.status, nothing.error("param").as_str()), (400, "messages"));
    assert_eq!(service.metered().len(), 0);
}

#[test]
fn scripted_answers_are_metered() {
    let service = Service::start().unwrap();
    service.queue(vec![reply(Says::Text(text(&["a ", "b"])))]);
    call(&service, CHAT, &chat("any", "x"));
    assert_eq!(service.metered()["any"], metered(1, 1, 2));
}

#[test]
fn events_and_garbage_and_bytes_are_as_scripted() {
    let event = |name: Option<&str>, data: &str| Event {
        name: name.map(str::to_owned),
        data: data.to_owned(),
    };
    let events = vec![event(None, "{"), event(Some("e"), "[]")];
    let answer = told(reply(Says::Events(events)), CHAT, &chat("any", "x"));
    assert_eq!(answer.chunks, ["data: {\n\n", "event: e\ndata: []\n\n"]);

    let garbage = told(reply(Says::Garbage), CHAT, &chat("any", "x"));
    assert_eq!(garbage.status, 200);
    serde_json::from_slice::<Value>(&garbage.body).unwrap_err();
    let garbage = told(reply(Says::Garbage), CHAT, &streamed(chat("any", "x")));
    serde_json::from_str::<Value>(&garbage.data()[0]).unwrap_err();

    let service = Service::start().unwrap();
    service.queue(vec![reply(Says::Raw(b"\0\xff anything".to_vec()))]);
    let mut client = Client::connect(service.address());
    client.send("POST", CHAT, &KEY, "{}");
    assert_eq!(client.drain(), (b"\0\xff anything".to_vec(), End::Eof));
}

/// The body of an answer with one fault, without its HTTP chunks, and how it ended.
fn broken(says: Says, fault: Fault, stream: bool) -> (String, End) {
    let body = chat("echo", "a b c");
    let body = if stream { streamed(body) } else { body };
    let reply = Reply { says, faults: vec![fault] };
    let answer = told(reply, CHAT, &body);
    let body = if stream { answer.chunks.concat().into_bytes() } else { answer.body };
    (String::from_utf8(body).unwrap(), answer.end)
}

#[test]
fn a_stream_breaks_after_the_given_number_of_events() {
    let event = |data: &str| Event { name: None, data: data.to_owned() };
    let says = || Says::Events(["1", "2", "3"].map(event).to_vec());
    let all = ["data: 1\n\n", "data: 2\n\n", "data: 3\n\n"];
    for (count, sent) in [(0, 0), (1, 1), (2, 2), (3, 2), (100, 2)] {
        let cut = Fault::At(Point::Events(count), Step::Close);
        assert_eq!(broken(says(), cut, true), (all[..sent].concat(), End::Eof), "{count}");
    }
    let reset = Fault::At(Point::Events(1), Step::Reset);
    assert_eq!(broken(says(), reset, true).1, End::Reset);
}

#[test]
fn a_plain_answer_breaks_halfway_or_after_a_number_of_bytes() {
    let says = || Says::Document { status: 200, headers: Vec::new(), body: b"0123456789".to_vec() };
    for (point, sent) in [
        (Point::Events(7), "01234"),
        (Point::Bytes(0), ""),
        (Point::Bytes(3), "012"),
        (Point::Bytes(9), "012345678"),
    ] {
        let cut = Fault::At(point, Step::Close);
        assert_eq!(broken(says(), cut, false), (sent.to_owned(), End::Eof), "{point:?}");
    }
    let late = Fault::At(Point::Bytes(10), Step::Close);
    assert_eq!(broken(says(), late, false), ("0123456789".to_owned(), End::Length));
}

#[test]
fn a_stream_breaks_after_the_given_number_of_bytes() {
    let service = Service::start().unwrap();
    let event = Event { name: None, data: "1".to_owned() };
    let whole = "9\r\ndata: 1\n\n\r\n9\r\ndata: 1\n\n\r\n0\r\n\r\n";
    for bytes in 0..=whole.len() {
        let faults = vec![Fault::At(Point::Bytes(bytes), Step::Close)];
        service.queue(vec![Reply { says: Says::Events(vec![event.clone(); 2]), faults }]);
        let mut client = Client::connect(service.address());
        client.send("POST", CHAT, &KEY, "{}");
        let (sent, _) = client.drain();
        let sent = String::from_utf8(sent).unwrap();
        assert_eq!(sent.split_once("\r\n\r\n").unwrap().1, &whole[..bytes]);
    }
}

#[test]
fn an_answer_that_breaks_before_its_head_sends_nothing() {
    for (step, end) in [(Step::Close, End::Eof), (Step::Reset, End::Reset)] {
        let service = Service::start().unwrap();
        let faults = vec![Fault::At(Point::Start, step)];
        service.queue(vec![Reply { says: Says::Played, faults }]);
        let mut client = Client::connect(service.address());
        client.send("POST", CHAT, &KEY, "{}");
        assert_eq!(client.drain(), (Vec::new(), end));
    }
}

#[test]
fn waits_add_up_and_keep_the_answer_whole() {
    let wait = Duration::from_millis(60);
    let event = |data: &str| Event { name: None, data: data.to_owned() };
    let faults = vec![
        Fault::At(Point::Start, Step::Pause(wait)),
        Fault::Slow(wait),
        Fault::At(Point::Events(1), Step::Pause(wait)),
    ];
    let says = Says::Events(["1", "2", "3"].map(event).to_vec());
    let since = Instant::now();
    let answer = told(Reply { says, faults }, CHAT, &chat("any", "x"));
    assert!(since.elapsed() >= 4 * wait);
    assert_eq!((answer.data().concat().as_str(), answer.end), ("123", End::LastChunk));
}

#[test]
fn a_stopped_service_keeps_its_recordings() {
    let mut service = Service::start().unwrap();
    call(&service, CHAT, &chat("echo", "x"));
    service.stop();
    service.stop();
    assert_eq!(service.recorded("").len(), 1);
    std::net::TcpStream::connect(service.address()).unwrap_err();
}
