//! The program of all scenarios (scenarios/*.c), how a test runs one of them, and the scripts for
//! the loopback service that several tests share.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use modelwire_testing::{Exchange, Script, Service, Step};

use crate::{Library, Program, root};

/// Those that every system has.
const SOURCES: [&str; 25] = [
    "scenarios/main.c",
    "scenarios/check.c",
    "scenarios/answers.c",
    "scenarios/streams.c",
    "scenarios/errors.c",
    "scenarios/cancel.c",
    "scenarios/life.c",
    "scenarios/null.c",
    "scenarios/build.c",
    "scenarios/fields.c",
    "scenarios/texts.c",
    "scenarios/accessors.c",
    "scenarios/options.c",
    "scenarios/log.c",
    "scenarios/records.c",
    "scenarios/started.c",
    "scenarios/queue.c",
    "scenarios/crowd.c",
    "scenarios/exits.c",
    "scenarios/flow.c",
    "scenarios/close.c",
    "scenarios/orders.c",
    "scenarios/inside.c",
    "scenarios/fuzz.c",
    "scenarios/replay.c",
];
const UNIX: [&str; 5] = [
    "scenarios/unix.c",
    "scenarios/stolen.c",
    "scenarios/faults.c",
    "scenarios/interrupt.c",
    "scenarios/pthread_cancel.c",
];
const WINDOWS: [&str; 1] = ["scenarios/windows.c"];

/// The program of all scenarios, compiled the first time that a process asks.
pub fn scenarios() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let library = Library::built();
        let more = if library.is_for_windows() { &WINDOWS[..] } else { &UNIX };
        library.compile("scenarios", &[&SOURCES, more].concat())
    })
}

/// One scenario, ready to be run; under valgrind if `MODELWIRE_TESTS_VALGRIND` is set.
pub fn scenario(name: &str) -> Program {
    let program = match std::env::var_os("MODELWIRE_TESTS_VALGRIND") {
        Some(_) => Program::under_valgrind(scenarios()),
        None => Program::new(scenarios()),
    };
    program.arg(name)
}

/// Runs a scenario, which has to succeed, against the loopback service; gives the service, so that
/// the test can look at what it recorded.
pub fn played(name: &str) -> Service {
    let service = Service::start().unwrap();
    scenario(name).at(&service).run().succeeded();
    service
}

/// Runs a scenario, which has to succeed, against a script.
pub fn scripted(name: &str, script: Script) {
    let service = Service::start().unwrap();
    scenario(name).at_url(&service.script("s", script)).run().succeeded();
}

/// Plays a scenario of ten calls at once on two a second, with calls that adapt to that. Without the
/// option these are 28 requests in lockstep, and two of the calls are lost: the scenario fails, and says
/// so with `lost`. A service that is held up reads several requests at once, and refuses more than it
/// would: one of three tries has to hold.
pub fn check_adaptive(scenario: impl Fn() -> Program, lost: &str) {
    let play = || {
        let service = Service::start().unwrap();
        let ended = scenario().at(&service).run();
        if ended.status.code() == Some(1) && ended.stderr.contains(lost) {
            return Err(ended.stderr);
        }
        ended.succeeded();
        assert_eq!(service.metered()["limited"].calls, 10);
        let requests = service.recorded("").len();
        assert!(requests >= 10, "{requests} requests");
        if requests < 28 { Ok(()) } else { Err(format!("{requests} requests")) }
    };
    let failed: Vec<String> = (0..3).map_while(|_| play().err()).collect();
    assert!(failed.len() < 3, "{failed:#?}");
}

/// A chat chunk with this content, which is given as it stands in JSON.
pub fn chat_chunk(content: &str) -> String {
    format!(r#"{{"choices":[{{"index":0,"delta":{{"content":"{content}"}}}}]}}"#)
}

/// A chat response with this content, which is given as it stands in JSON.
pub fn chat_answer(content: &str) -> String {
    format!(r#"{{"choices":[{{"index":0,"message":{{"content":"{content}"}}}}]}}"#)
}

/// A stream of chat chunks with these contents that then stalls for ever.
pub fn stalling(contents: &[&str]) -> Script {
    let chunks: Vec<String> = contents.iter().map(|content| chat_chunk(content)).collect();
    let mut exchange = Exchange::events(&chunks);
    // Instead of the clean end.
    exchange.steps.pop();
    exchange.steps.push(Step::StallForever);
    Script::one(exchange)
}

/// The same in one write: whoever has read the head has the chunks, however short its timeout is.
pub fn stalling_at_once(contents: &[&str]) -> Script {
    let [Exchange { steps }] = stalling(contents).exchanges.try_into().unwrap();
    let sent = steps.into_iter().filter_map(|step| match step {
        Step::Send { bytes, .. } => Some(bytes),
        _ => None,
    });
    let sent = Step::send(sent.flatten().collect::<Vec<u8>>());
    Script::one(Exchange { steps: vec![sent, Step::StallForever] })
}

/// A script that never answers.
pub fn silent() -> Script {
    Script::one(Exchange { steps: vec![Step::StallForever] })
}

/// A response to each call of the scenarios `texts`, in C and in C++: a model list, a chat, a
/// stream, a refused call, a stream that breaks off, and a call that is never answered. Between
/// them they have each text that the library gives of a response, an event or an error.
pub fn text_samples() -> Script {
    let calls = r#""tool_calls":[{"index":0,"id":"call_1","function":{"name":"search","arguments":"{\"q\":1}"}}]"#;
    let id = [("x-request-id", "req_1")];
    let chat = format!(
        r#"{{"choices":[{{"index":0,"message":{{"content":"whole",{calls}}},"finish_reason":"stop"}}]}}"#
    );
    let chunk = format!(
        r#"{{"choices":[{{"index":0,"delta":{{"content":"piece",{calls}}},"finish_reason":"length"}}]}}"#
    );
    let stream = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n\
         event: named\ndata: {chunk}\n\ndata: [DONE]\n\n"
    );
    let refusal =
        r#"{"error":{"message":"No.","type":"a_type","code":"a_code","param":"a_param"}}"#;
    let close = |mut exchange: Exchange| {
        exchange.steps.push(Step::Close);
        exchange
    };
    Script::sequence(vec![
        Exchange::json(200, r#"{"object":"list","data":[{"id":"model-1"}]}"#),
        Exchange::json_with_headers(200, &id, chat),
        close(Exchange::raw(stream)),
        Exchange::json_with_headers(400, &id, refusal),
        Exchange::events_cut(&[chat_chunk("half")]),
        Exchange { steps: vec![Step::StallForever] },
    ])
}

/// An answer whose usage says of what its tokens were, for the scenarios `usage_taken`.
pub fn detailed_usage() -> Script {
    let answer = r#"{"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":5,"completion_tokens":7,
        "prompt_tokens_details":{"cached_tokens":1},"completion_tokens_details":{"reasoning_tokens":3}}}"#;
    Script::one(Exchange::json(200, answer))
}

/// The answers for the scenarios `accessors`, in C and in C++: what the table of accessors says that a
/// service sends, row by row, from include/modelwire.json. A chunk comes in a stream, a response as it
/// is, and an error with a status that refuses.
pub fn accessor_samples() -> Script {
    let text = std::fs::read_to_string(root().join("include/modelwire.json")).unwrap();
    let description: serde_json::Value = serde_json::from_str(&text).unwrap();
    let headers = [
        ("x-request-id", "req-1"),
        ("retry-after", "2"),
        ("x-ratelimit-limit-requests", "60"),
        ("x-ratelimit-remaining-requests", "59"),
        ("x-ratelimit-reset-requests", "1m0s"),
        ("x-ratelimit-remaining-tokens", "100"),
        ("vendor-ratelimit-input-tokens-limit", "7"),
        ("vendor-ratelimit-input-tokens-reset", "20ms"),
    ];
    let answer = |row: &serde_json::Value| {
        let sent = row["example"]["sent"].as_str().unwrap();
        match row["of"].as_str().unwrap() {
            "chunk" => {
                let mut exchange = Exchange::raw(format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n\
                     event: named\ndata: {sent}\n\ndata: {{\"choices\":[{{}}]}}\n\ndata: [DONE]\n\n"
                ));
                exchange.steps.push(Step::Close);
                exchange
            }
            // What is of no chat stands in one all the same: it needs a choice.
            "response" if !sent.contains("choices") => {
                let sent = sent.replacen('{', r#"{"choices":[{}],"#, 1);
                Exchange::json_with_headers(200, &headers, sent)
            }
            "response" => Exchange::json_with_headers(200, &headers, sent),
            _ => Exchange::json_with_headers(429, &headers, sent),
        }
    };
    Script::sequence(description["accessors"].as_array().unwrap().iter().map(answer).collect())
}
