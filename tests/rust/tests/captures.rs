//! Replays what real servers put on the wire through the core, over real sockets, and compares with
//! outcomes that were written down beforehand.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod recorded;

use std::collections::BTreeMap;

use modelwire::parse::{self, Decoder};
use modelwire::{
    BlockingStream, Choice, Chunk, Client, Config, Endpoint, Error, ErrorKind, Request, Response,
    RetryPolicy, Usage,
};
use modelwire_testing::Service;
use recorded::{Cuts, Record, expected, records};
use serde_json::{Value, json};

/// Over sockets, so many splits of each stream; without a socket, every one.
const SOCKET_SPLITS: usize = 5;

fn client(base_url: String) -> Client {
    // What is tested is the answer of one attempt.
    let once = RetryPolicy::default().max_retries(0);
    Client::new(Config::new().base_url(base_url).api_key("sk-test").retry(once)).unwrap()
}

fn endpoint(record: &Record) -> Option<Endpoint> {
    let all = [Endpoint::Models, Endpoint::Chat, Endpoint::Responses];
    let method = |endpoint| if endpoint == Endpoint::Models { "GET" } else { "POST" };
    let is_it = |endpoint: &Endpoint| {
        (record.method(), record.path()) == (method(*endpoint), endpoint.path())
    };
    all.into_iter().find(is_it)
}

/// The recorded request, or a valid one in place of what is refused before sending.
fn request(record: &Record, replaced: bool) -> Request {
    let body = record.request_body().filter(|_| !replaced);
    match (endpoint(record).unwrap(), body) {
        (Endpoint::Models, _) => Request::models(),
        (Endpoint::Chat, Some(body)) => Request::chat_json(body),
        (Endpoint::Chat, None) => Request::chat("tiny-model").user("Say hello."),
        (Endpoint::Responses, Some(body)) => Request::responses_json(body),
        (Endpoint::Responses, None) => Request::responses("tiny-model").input("Say hello."),
    }
}

fn usage(usage: Option<Usage>) -> Value {
    usage.map_or(Value::Null, |usage| {
        json!([usage.input_tokens, usage.output_tokens, usage.total_tokens])
    })
}

/// A failure in the words of the expectations; a message of our own is not compared.
fn failed(error: &Error, chunks: usize) -> Value {
    let is_ours = matches!(
        error.kind(),
        ErrorKind::Disconnected | ErrorKind::Incomplete | ErrorKind::Protocol
    );
    assert!(!error.message().is_empty());
    assert_eq!(error.attempts(), 1);
    json!({"error": {
        "kind": error.kind().name(),
        "status": error.status(),
        "message": (!is_ours).then_some(error.message()),
        "type": error.error_type(),
        "code": error.code(),
        "param": error.param(),
        "chunks": chunks,
    }})
}

/// What each choice of a chat said, and why it stopped.
type Choices = BTreeMap<u32, (String, Option<String>)>;

fn add_choices(ok: &mut Value, choices: &Choices) {
    if let Some((text, reason)) = choices.get(&0) {
        (ok["text"], ok["finish_reason"]) = (json!(text), json!(reason));
    }
    if choices.len() > 1 {
        let named = choices.iter().map(|(index, told)| (index.to_string(), json!(told)));
        ok["choices"] = named.collect();
    }
}

fn answered(answer: &Response, record: &Record) -> Value {
    assert_eq!(answer.json().as_bytes(), record.answer_body(), "{}: the raw text", record.case);
    let document = answer.document().unwrap();
    let mut ok = json!({
        "text": answer.text(),
        "finish_reason": document.finish_reason(),
        "usage": usage(answer.usage()),
        "end": answer.end().name(),
    });
    let choices = document.choices().map(|choice| {
        let text = choice.content().unwrap_or_default().into_owned();
        (choice.index(), (text, choice.finish_reason().map(Into::into)))
    });
    add_choices(&mut ok, &choices.collect());
    if answer.endpoint() == Endpoint::Models {
        ok["models"] = json!(answer.model_ids());
    }
    json!({ "ok": ok })
}

/// The chunks of a stream, added up.
#[derive(Default)]
struct Told {
    texts: String,
    choices: Choices,
    status: Option<String>,
    chunks: Vec<String>,
}

impl Told {
    fn take(&mut self, chunk: &Chunk) {
        self.chunks.push(chunk.json().to_owned());
        self.texts.push_str(&chunk.text());
        if let Some(status) = chunk.response().and_then(|response| response.get("status")) {
            self.status = status.as_str().map(Into::into);
        }
        for choice in chunk.choices() {
            let (text, reason) = self.choices.entry(choice.index()).or_default();
            text.push_str(&choice.content().unwrap_or_default());
            *reason = choice.finish_reason().map(Into::into).or(reason.take());
        }
    }

    fn ended(self, answer: &Response) -> Value {
        let mut ok = json!({
            "text": self.texts,
            "finish_reason": self.status,
            "usage": usage(answer.usage()),
            "chunks": self.chunks.len(),
            "end": answer.end().name(),
        });
        add_choices(&mut ok, &self.choices);
        json!({ "ok": ok })
    }
}

fn streamed(mut stream: BlockingStream, record: &Record) -> Value {
    let mut told = Told::default();
    for item in stream.by_ref() {
        match item {
            Ok(chunk) => told.take(&chunk),
            Err(error) => {
                assert!(stream.response().is_none());
                assert_eq!(told.chunks[..], record.data_lines()[..told.chunks.len()]);
                return failed(&error, told.chunks.len());
            }
        }
    }
    assert_eq!(told.chunks[..], record.data_lines()[..told.chunks.len()]);
    let answer = stream.response().expect("a stream that ended well has an answer");
    told.ended(answer)
}

fn outcome(client: &Client, request: Request, record: &Record) -> Value {
    if record.asks_for_stream() {
        match client.blocking().stream(request) {
            Ok(stream) => streamed(stream, record),
            Err(error) => failed(&error, 0),
        }
    } else {
        match client.blocking().send(request) {
            Ok(answer) => answered(&answer, record),
            Err(error) => failed(&error, 0),
        }
    }
}

/// What is wrong with the replay of one exchange, if anything.
fn check(service: &Service, record: &Record, expected: &Value, cuts: &Cuts) -> Option<String> {
    let name = format!("{}.{:?}", record.case, std::thread::current().id());
    let name: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    let client = client(service.script(&name, record.script(cuts)));
    let replaced = expected["replaced"].is_string();
    if replaced && record.request_body().is_some() {
        let refused = client.blocking().send(request(record, false)).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Argument, "{}: {refused}", record.case);
        assert!(service.recorded(&name).is_empty(), "{}", record.case);
    }
    let found = outcome(&client, request(record, replaced), record);
    let sent = service.recorded(&name);
    assert_eq!(sent.len(), 1, "{}", record.case);
    if let Some(body) = record.request_body().filter(|_| !replaced) {
        assert_eq!(String::from_utf8_lossy(&sent[0].body), body, "{}", record.case);
    }
    let wanted = ["ok", "error"].into_iter().find(|key| expected.get(key).is_some()).unwrap();
    if found.get(wanted) == expected.get(wanted) {
        return None;
    }
    Some(format!("{}\n  expected {}\n  found    {found}", record.case, expected))
}

/// Replays every exchange whole, each stream also in the recorded pieces and at some splits.
fn check_server(server: &str) {
    let service = Service::start().unwrap();
    let expected = expected(server);
    let mut wrong = Vec::new();
    let mut seen = 0;
    for record in records(server) {
        let left_out = expected["left_out"].get(&record.case);
        let outcome = expected["exchanges"].get(&record.case);
        assert_ne!(left_out.is_some(), outcome.is_some(), "{} is in one list", record.case);
        assert_eq!(endpoint(&record).is_none(), left_out.is_some(), "{}", record.case);
        seen += 1;
        let Some(outcome) = outcome else { continue };
        let mut cuts = vec![Cuts::Nowhere];
        if record.is_event_stream() {
            let bytes = record.wire_bytes();
            let at = |split| Cuts::At(bytes * split / (SOCKET_SPLITS + 1));
            cuts.push(Cuts::AtReads);
            cuts.extend((1..=SOCKET_SPLITS).map(at));
        }
        wrong.extend(cuts.iter().filter_map(|cuts| check(&service, &record, outcome, cuts)));
    }
    let listed = |list: &str| expected[list].as_object().unwrap().len();
    assert_eq!(seen, listed("left_out") + listed("exchanges"), "every expectation has its file");
    assert!(wrong.is_empty(), "{} of {server}:\n{}", wrong.len(), wrong.join("\n"));
}

const SERVERS: [&str; 9] = [
    "aimock",
    "fastchat",
    "litellm",
    "litellm-to-llama-server",
    "litserve",
    "llama-cpp-python",
    "llama-server",
    "mock-llm",
    "portkey",
];

/// What a real server took although the service rules it out, and why it is not sent.
const RULED_OUT: [(&str, &str, &str); 7] = [
    ("aimock", "err_invalid_utf8_body", "R-OP3: a body is JSON, and JSON is UTF-8"),
    ("aimock", "err_max_tokens_negative", "R-OP5: it bounds the output, so it is 1 or more"),
    ("litellm", "err_max_tokens_negative", "R-OP5: it bounds the output, so it is 1 or more"),
    ("llama-cpp-python", "err_max_tokens_negative", "R-OP5: it bounds the output, so 1 or more"),
    ("llama-cpp-python", "err_missing_messages", "R-OP3: a chat needs messages"),
    ("llama-cpp-python", "err_missing_model", "R-OP3: a chat needs a model"),
    ("llama-server", "err_missing_model", "R-OP3: a chat needs a model"),
];

fn was_taken(record: &Record) -> bool {
    record.json["response"]["status"].as_u64().is_some_and(|status| status / 100 == 2)
}

/// What a real server takes passes, but for what the service rules out.
#[test]
fn requests_accepted_by_real_servers_are_not_refused() {
    let mut taken = 0;
    let mut refused = Vec::new();
    for server in SERVERS {
        for record in records(server).iter().filter(|record| was_taken(record)) {
            if endpoint(record).is_none() {
                continue; // none of the three operations
            }
            taken += 1;
            let is_text = record.method() == "GET" || record.request_body().is_some();
            match request(record, false).check() {
                Ok(()) if is_text => {}
                _ => refused.push((server, record.case.clone())),
            }
        }
    }
    let ruled_out = RULED_OUT.map(|(server, case, _)| (server, case.to_owned()));
    assert_eq!(refused, ruled_out);
    assert!(taken > 100, "{taken}");
}

/// What the view finds in an event; nothing in one that is not JSON.
fn seen(name: &str, data: &str) -> Option<Value> {
    let chunk = parse::chunk(name, data).ok()?;
    let choice = |choice: Choice<'_>| {
        json!([choice.index(), choice.role(), choice.content(), choice.finish_reason()])
    };
    Some(json!({
        "event": chunk.event(),
        "data": chunk.json(),
        "text": chunk.text(),
        "kind": chunk.kind(),
        "usage": usage(chunk.usage()),
        "choices": chunk.choices().map(choice).collect::<Value>(),
    }))
}

/// The events that these pieces hold. An event without its blank line is none.
fn decode<'b>(pieces: impl IntoIterator<Item = &'b [u8]>) -> Vec<(String, String)> {
    let mut decoder = Decoder::new(modelwire::limits::EVENT_BYTES_MAX);
    let mut found = Vec::new();
    let mut sink = |event: parse::Event<'_>| {
        found.push((event.name.to_owned(), event.data.into_owned()));
    };
    for piece in pieces {
        decoder.feed(piece, &mut sink).unwrap();
    }
    found
}

fn view(events: &[(String, String)]) -> Vec<Option<Value>> {
    events.iter().map(|(name, data)| seen(name, data)).collect()
}

fn check_parsers(record: &Record) {
    let body = record.answer_body();
    let events = decode([&body[..]]);
    let data: Vec<&str> = events.iter().map(|(_, data)| data.as_str()).collect();
    assert_eq!(data, record.data_lines(), "{}", record.case);
    let views = view(&events);
    for (event, view) in events.iter().zip(&views) {
        assert_eq!(view.is_some(), event.1 != "[DONE]", "{}: {event:?}", record.case);
    }
    assert_eq!(view(&decode(body.chunks(1))), views, "{} byte by byte", record.case);
    for at in 0..=body.len() {
        let (head, tail) = body.split_at(at);
        // The view is a function of the event, so equal events have equal views.
        assert!(decode([head, tail]) == events, "{} split at {at}", record.case);
    }
    // No recorded server ends its lines in CR LF or begins with a byte order mark; others do.
    let text = String::from_utf8_lossy(&body);
    for line_end in ["\r\n", "\r"] {
        let other = format!("\u{feff}{}", text.replace('\n', line_end)).into_bytes();
        assert_eq!(decode([&other[..]]), events, "{} with {line_end:?}", record.case);
        assert_eq!(decode(other.chunks(1)), events, "{} with {line_end:?}", record.case);
    }
}

fn check_all_parsers(server: &str) {
    let streams: Vec<Record> =
        records(server).into_iter().filter(Record::is_event_stream).collect();
    assert!(!streams.is_empty());
    streams.iter().for_each(check_parsers);
}

#[test]
fn llama_server_is_understood() {
    check_server("llama-server");
}

#[test]
fn litellm_is_understood() {
    check_server("litellm");
}

#[test]
fn aimock_is_understood() {
    check_server("aimock");
}

#[test]
fn llama_cpp_python_is_understood() {
    check_server("llama-cpp-python");
}

#[test]
fn litellm_before_llama_server_is_understood() {
    check_server("litellm-to-llama-server");
}

#[test]
fn fastchat_is_understood() {
    check_server("fastchat");
}

#[test]
fn litserve_is_understood() {
    check_server("litserve");
}

#[test]
fn mock_llm_is_understood() {
    check_server("mock-llm");
}

#[test]
fn portkey_is_understood() {
    check_server("portkey");
}

#[test]
fn llama_server_streams_parse_alike_at_every_split() {
    check_all_parsers("llama-server");
}

#[test]
fn litellm_streams_parse_alike_at_every_split() {
    check_all_parsers("litellm");
}

#[test]
fn aimock_streams_parse_alike_at_every_split() {
    check_all_parsers("aimock");
}

#[test]
fn llama_cpp_python_streams_parse_alike_at_every_split() {
    check_all_parsers("llama-cpp-python");
}

#[test]
fn litellm_before_llama_server_streams_parse_alike_at_every_split() {
    check_all_parsers("litellm-to-llama-server");
}

#[test]
fn fastchat_streams_parse_alike_at_every_split() {
    check_all_parsers("fastchat");
}

#[test]
fn mock_llm_streams_parse_alike_at_every_split() {
    check_all_parsers("mock-llm");
}

#[test]
fn portkey_streams_parse_alike_at_every_split() {
    check_all_parsers("portkey");
}
