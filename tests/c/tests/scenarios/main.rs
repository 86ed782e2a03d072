//! C programs against the loopback service, one scenario a test: the plainest here, the others in a file
//! for each subject. One test program, so that the C files are compiled once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod faults;
mod fields;
mod fuzz;
mod interrupt;
mod key;
mod options;
mod queue;
mod records;
mod replay;
mod started;
mod valgrind;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener};

use modelwire_testing::{Exchange, Script, Service};
use modelwire_tests_c::{chat_answer, chat_chunk, played, scenario, scripted, silent, stalling};

#[test]
fn models() {
    let service = played("models");
    let requests = service.recorded("");
    assert_eq!((requests[0].method.as_str(), requests[0].target.as_str()), ("GET", "/v1/models"));
    assert_eq!(requests[0].header("authorization"), Some("Bearer sk-test"));
    assert_eq!(requests[0].header("content-type"), None);
    assert!(requests[0].body.is_empty());
}

#[test]
fn chat() {
    let service = played("chat");
    let requests = service.recorded("");
    assert_eq!(requests[0].target, "/v1/chat/completions");
    assert_eq!(requests[0].header("authorization"), Some("Bearer sk-test"));
    assert_eq!(requests[0].header("content-type"), Some("application/json"));
    assert!(requests[1].body.starts_with(br#"{"max_tokens":2,"model":"echo","#));
}

#[test]
fn response() {
    let service = played("response");
    assert_eq!(service.recorded("")[0].target, "/v1/responses");
}

#[test]
fn response_fields_absent() {
    scripted(
        "response_fields_absent",
        Script::one(Exchange::json(200, r#"{"choices":[{}],"novel":[1.10,null]}"#)),
    );
}

#[test]
fn nul_bytes() {
    scripted("nul_bytes", Script::one(Exchange::json(200, chat_answer(r"a\u0000b"))));
}

#[test]
fn usage() {
    played("usage");
}

#[test]
fn usage_beyond_64_bits() {
    let tokens = i64::MAX;
    let usage = format!(r#"{{"prompt_tokens":{tokens},"total_tokens":{tokens}}}"#);
    let answer = format!(r#"{{"choices":[{{}}],"usage":{usage}}}"#);
    scripted("usage_beyond_64_bits", Script::one(Exchange::json(200, answer)));
}

#[test]
fn versions() {
    played("versions");
}

#[test]
fn stream() {
    let service = played("stream");
    let body = String::from_utf8(service.recorded("")[0].body.clone()).unwrap();
    assert_eq!(body.matches(r#""stream":true"#).count(), 1, "{body}");
    assert_eq!(body.matches("stream_options").count(), 1, "{body}");
}

#[test]
fn response_stream() {
    let service = Service::start().unwrap();
    let ended = scenario("response_stream").at(&service).run().succeeded();
    let names: Vec<&str> = ended.stdout.lines().collect();
    assert_eq!(
        names,
        [
            "response.created",
            "response.in_progress",
            "response.output_item.added",
            "response.content_part.added",
            "response.output_text.delta",
            "response.output_text.delta",
            "response.output_text.done",
            "response.content_part.done",
            "response.output_item.done",
            "response.completed",
        ]
    );
}

/// Events, then silence. The scenario ends the stream itself, and stays until the connection was
/// seen to close.
fn check_stopped(name: &str, events: &[&str]) {
    let service = Service::start().unwrap();
    let base_url = service.script("s", stalling(events));
    scenario(name)
        .at_url(&base_url)
        .run_with_cue(|| service.connections() == 1 && service.open_connections() == 0)
        .succeeded();
}

/// The callback has the first event although the service never sends another.
#[test]
fn stream_incremental() {
    check_stopped("stream_incremental", &["one "]);
}

#[test]
fn stream_stopped() {
    check_stopped("stream_stopped", &["one ", "two ", "three ", "four "]);
}

#[test]
fn stream_cut() {
    played("stream_cut");
}

#[test]
fn stream_error() {
    let service = played("stream_error");
    assert_eq!(service.recorded("").len(), 1);
}

#[test]
fn stream_flat_error() {
    played("stream_flat_error");
}

#[test]
fn stream_nul_bytes() {
    let events = [chat_chunk(r"a\u0000"), chat_chunk("bc"), "[DONE]".to_owned()];
    scripted("stream_nul_bytes", Script::one(Exchange::events(&events)));
}

#[test]
fn nested_call() {
    played("nested_call");
}

#[test]
fn wrong_key() {
    let service = Service::start().unwrap();
    scenario("wrong_key").at(&service).env("MODELWIRE_API_KEY", "sk-wrong").run().succeeded();
    assert_eq!(service.recorded("").len(), 1);
    assert!(service.metered().is_empty());
}

#[test]
fn no_key() {
    let service = Service::start().unwrap();
    scenario("no_key").env("MODELWIRE_BASE_URL", &service.base_url()).run().succeeded();
    assert_eq!(service.connections(), 0);
}

#[test]
fn plain_and_streamed_answers_swapped() {
    let finish = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#.to_owned();
    let streamed = [chat_chunk("one "), chat_chunk("two"), finish];
    scripted(
        "plain_and_streamed_answers_swapped",
        Script::sequence(vec![
            Exchange::events(&streamed),
            Exchange::json(200, chat_answer("whole")),
            Exchange::events_cut(&[chat_chunk("one ")]),
        ]),
    );
}

#[test]
fn plain_call_streams_internally() {
    played("plain_call_streams_internally");
}

/// A gathered message goes back by its JSON, as it came.
#[test]
fn gathered_message_sent_back() {
    let delta = |delta: &str| format!(r#"{{"choices":[{{"index":0,"delta":{delta}}}]}}"#);
    let call = r#""id":"x","type":"function","function":{"name":"f","arguments":"{}"},"extra":{"s" : 1.50}"#;
    let chunks = [
        delta(r#"{"role":"assistant","reasoning_content":"w\ud83d"}"#),
        delta(r#"{"reasoning_content":"\ude00\n","reasoning_details":[{"type":"t","text":"a"}]}"#),
        delta(&format!(r#"{{"content":"\u0061","tool_calls":[{{"index":0,{call}}}],"new":1e+2}}"#)),
        "[DONE]".to_owned(),
    ];
    let said = format!(
        r#"{{"role":"assistant","content":"\u0061","reasoning_content":"w\ud83d\ude00\n","reasoning_details":[{{"type":"t","text":"a"}}],"tool_calls":[{{{call}}}],"new":1e+2}}"#
    );
    let service = Service::start().unwrap();
    let base_url = service.script("s", Script::one(Exchange::events(&chunks)));
    scenario("gathered_message_sent_back").at_url(&base_url).run().succeeded();
    let sent = String::from_utf8(service.recorded("s")[1].body.clone()).unwrap();
    assert!(sent.contains(&format!(r#""messages":[{said},"#)), "{sent}");
}

/// The hint.
#[test]
fn stream_only() {
    played("stream_only");
}

#[test]
fn envelopes() {
    let bodies = [
        r#"{"message":"flat","type":"t"}"#,
        r#"{"error":"text"}"#,
        r#"{"detail":"detail"}"#,
        "plain",
        r#"[{"error":{"message":"in an array"}}]"#,
    ];
    let answers = bodies.map(|body| Exchange::json(500, body));
    scripted("envelopes", Script::sequence(answers.to_vec()));
}

#[test]
fn key_forms() {
    let service = played("key_forms");
    assert_eq!(service.recorded("").len(), 1);
    assert_eq!(service.recorded("")[0].header("authorization"), Some("Bearer sk-test"));
}

#[test]
fn unknown_model() {
    played("unknown_model");
}

#[test]
fn refused() {
    // Nothing listens on port 1, and no test will be given it.
    scenario("refused").at_url("http://127.0.0.1:1/v1").run().succeeded();
}

#[test]
fn recovers() {
    let service = played("recovers");
    let requests = service.recorded("");
    assert_eq!(requests.len(), 3);
    assert!(requests.iter().all(|request| request.body == requests[0].body));
}

#[test]
fn not_retried() {
    let service = played("not_retried");
    assert_eq!(service.recorded("").len(), 3);
}

#[test]
fn bad_json() {
    let service = played("bad_json");
    assert_eq!(service.connections(), 0);
}

#[test]
fn arguments_refused() {
    let service = played("arguments_refused");
    assert!(service.recorded("").is_empty());
    assert_eq!(service.connections(), 0);
}

#[test]
fn bad_text() {
    played("bad_text");
}

#[test]
fn timeout_first_byte() {
    scripted("timeout_first_byte", silent());
}

#[test]
fn run_twice() {
    played("run_twice");
}

#[test]
fn cancel_before() {
    let service = played("cancel_before");
    assert_eq!(service.connections(), 0);
}

/// The scenario is given its cue when the service has the request, and stalls for ever.
fn check_blocked(name: &str, script: Script) {
    let service = Service::start().unwrap();
    let base_url = service.script("s", script);
    scenario(name).at_url(&base_url).run_with_cue(|| service.recorded("s").len() == 1).succeeded();
}

#[test]
fn cancel_blocked() {
    check_blocked("cancel_blocked", silent());
}

/// While it waits to try again.
#[test]
fn cancel_waiting() {
    let refusal = Exchange::json_with_headers(429, &[("Retry-After", "50")], "{}");
    check_blocked("cancel_blocked", Script::one(refusal));
}

#[test]
fn cancel_stream() {
    scripted("cancel_stream", stalling(&["one "]));
}

#[test]
fn cancel_in_callback() {
    scripted("cancel_in_callback", stalling(&["one ", "two "]));
}

#[test]
fn cancel_done() {
    let service = played("cancel_done");
    // Each of ten calls was done when it was cancelled, so its connection was kept for the next one. On a
    // busy machine one or another begins before it is back.
    let connections = service.connections();
    assert!(connections < 10, "{connections} connections for ten calls: none was kept");
}

/// `make test-deep` has larger ones.
#[test]
fn cancel_storm_of_tags() {
    scripted("cancel_storm_of_tags", silent());
}

#[test]
fn cancel_storm_of_calls() {
    scripted("cancel_storm_of_calls", silent());
}

#[test]
fn threads() {
    let service = played("threads");
    assert_eq!(service.metered()["echo"].calls, 160);
}

#[test]
fn io_threads() {
    let service = played("io_threads");
    assert_eq!(service.recorded("").len(), 160);
}

#[test]
fn shutdown_then_call() {
    let service = played("shutdown_then_call");
    assert_eq!(service.recorded("").len(), 6);
}

/// Answers small requests on kept connections, and closes in the middle of large ones.
fn refuse_large_requests(listener: TcpListener) {
    for connection in listener.incoming() {
        std::thread::spawn(move || {
            let mut reader = BufReader::new(connection.unwrap());
            loop {
                let mut length = 0;
                loop {
                    let mut line = String::new();
                    if reader.read_line(&mut line).unwrap_or(0) == 0 {
                        return;
                    }
                    let line = line.to_ascii_lowercase();
                    if let Some(given) = line.strip_prefix("content-length:") {
                        length = given.trim().parse().unwrap();
                    }
                    if line == "\r\n" {
                        break;
                    }
                }
                if length > 1 << 20 {
                    // An end, and with much of the body unread a reset after it: what is written
                    // then raises SIGPIPE.
                    reader.get_ref().shutdown(Shutdown::Write).unwrap();
                    return;
                }
                reader.read_exact(&mut vec![0; length]).unwrap();
                let answer = chat_answer("x");
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", answer.len());
                reader.get_mut().write_all((head + &answer).as_bytes()).unwrap();
            }
        });
    }
}

/// A thread that waits alone does the I/O itself, in a program that does not ignore SIGPIPE.
#[test]
fn broken_pipe() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || refuse_large_requests(listener));
    scenario("broken_pipe").at_url(&base_url).run().succeeded();
}

#[test]
fn shutdown_blocked() {
    check_blocked("shutdown_blocked", silent());
}

#[test]
fn forked() {
    let service = played("forked");
    assert_eq!(service.recorded("").len(), 3);
}

#[test]
fn forked_in_stream() {
    let service = played("forked_in_stream");
    assert_eq!(service.recorded("").len(), 2);
}

#[test]
fn free_order() {
    let service = played("free_order");
    assert_eq!(service.recorded("")[0].header("x-example"), Some("yes"));
}

#[test]
fn handles_of_another_type() {
    assert_eq!(played("handles_of_another_type").recorded("").len(), 2);
}

#[test]
fn null_arguments() {
    let service = played("null_arguments");
    let streams = |body: &[u8]| String::from_utf8_lossy(body).contains(r#""stream":true"#);
    let requests = service.recorded("");
    assert!(requests.iter().filter(|request| streams(&request.body)).count() == 1);
    assert!(requests.len() <= 3, "what was refused was sent");
}
