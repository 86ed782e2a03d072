//! Runs the language-neutral vectors of `tests/vectors`: the event-stream grammar without a socket,
//! what goes wrong, with and without a stream, over one, and which requests are sent.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod lines;
mod told;

use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use modelwire::limits::EVENT_BYTES_MAX;
use modelwire::parse::{self, Decoder};
use modelwire::{Client, Config, End, Error, ErrorKind, Request, RetryPolicy, Value as View};
use modelwire_testing::{Exchange, Script, Service, Step};
use serde_json::{Value, json};

/// Inputs up to this size are also split in three, everywhere.
const THREE_PIECES_BYTES_MAX: usize = 48;
/// Inputs up to this size are split in two everywhere, longer ones at about as many places as
/// `LONG_SPLITS`.
const EVERY_SPLIT_BYTES_MAX: usize = 4096;
const LONG_SPLITS: usize = 100;

fn folder(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "vectors", name].iter().collect()
}

fn read(name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(folder(name)).unwrap()).expect(name)
}

/// The vectors of one file, each with a name of its own.
fn vectors(file: &str) -> Vec<Value> {
    let Value::Array(mut vectors) = read(file) else { panic!("{file} is an array") };
    for vector in &mut vectors {
        vector["name"] = json!(format!("{file} {}", vector["name"].as_str().unwrap()));
    }
    vectors
}

fn name(vector: &Value) -> &str {
    vector["name"].as_str().unwrap()
}

/// Bytes that a vector holds as text, as Base64, or as `[[text, times]...]`.
fn bytes(vector: &Value, field: &str) -> Vec<u8> {
    if let Some(text) = vector[field].as_str() {
        return text.as_bytes().to_vec();
    }
    if let Some(text) = vector[format!("{field}_base64")].as_str() {
        return STANDARD.decode(text).unwrap();
    }
    let parts = vector[format!("{field}_parts")].as_array().unwrap();
    let part = |part: &Value| {
        part[0].as_str().unwrap().repeat(part[1].as_u64().unwrap() as usize).into_bytes()
    };
    parts.iter().flat_map(part).collect()
}

/// What the accessors of a chunk tell, in the words of the vectors.
fn told_of_chunk(chunk: &modelwire::Chunk) -> Value {
    let choice = chunk.choices().next();
    let calls = choice.iter().flat_map(modelwire::Choice::tool_calls);
    let call = |call: modelwire::ToolCall<'_>| {
        json!([call.index(), call.id(), call.name(), call.arguments()])
    };
    let told = told::Told {
        text: chunk.text().into_owned(),
        finish_reason: chunk.finish_reason().map(Into::into),
        usage: chunk.usage().map(tokens),
        calls: calls.map(call).collect(),
    };
    told.to_json()
}

fn tokens(usage: modelwire::Usage) -> [u64; 3] {
    [usage.input_tokens, usage.output_tokens, usage.total_tokens]
}

fn told_of_answer(answer: &modelwire::Response) -> Value {
    let call = |call: modelwire::CalledTool| json!([call.id, call.name, call.arguments]);
    let told = told::Told {
        text: answer.text().into_owned(),
        finish_reason: answer.finish_reason().map(Into::into),
        usage: answer.usage().map(tokens),
        calls: answer.tool_calls().into_iter().map(call).collect(),
    };
    told.to_json()
}

/// What accessors tell of odd and late fields, whole, byte by byte and at every split.
#[test]
fn accessors_of_odd_chunks_match_the_vectors_at_every_split() {
    let mut wrong = Vec::new();
    for vector in told::vectors() {
        let events = vector.chunks.iter().map(|chunk| format!("data: {chunk}\n\n"));
        let input = events.collect::<String>().into_bytes();
        let mut ways: Vec<Vec<&[u8]>> = vec![vec![&input], input.chunks(1).collect()];
        ways.extend((0..input.len()).map(|at| vec![&input[..at], &input[at..]]));
        for pieces in ways {
            let (mut decoder, mut told) = (Decoder::new(EVENT_BYTES_MAX), Vec::new());
            for piece in pieces {
                let mut event = |event: parse::Event<'_>| {
                    told.push(told_of_chunk(&parse::chunk(event.name, &event.data).unwrap()));
                };
                decoder.feed(piece, &mut event).unwrap();
            }
            if told != vector.told.0 {
                wrong.extend(vector.judge(&told, &vector.told.1));
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), told::COUNT, wrong.join("\n"));
}

/// The same of whole calls, whose usage is counted once.
#[test]
fn answers_and_usage_of_odd_chunks_match_the_vectors() {
    let service = Service::start().unwrap();
    let mut wrong = Vec::new();
    for vector in told::vectors() {
        let mut chunks: Vec<&str> = vector.chunks.iter().map(String::as_str).collect();
        chunks.push("[DONE]");
        let client = client(service.script("s", Script::one(Exchange::events(&chunks))));
        let request = match vector.endpoint {
            "chat" => hello(),
            _ => Request::responses("a-model").input("Say hello."),
        };
        let mut stream = client.blocking().stream(request.gather(true)).unwrap();
        let told: Vec<Value> =
            stream.by_ref().map(|chunk| told_of_chunk(&chunk.unwrap())).collect();
        let answer = stream.response().unwrap();
        assert_eq!(answer.json(), vector.expected, "{}", vector.name);
        wrong.extend(vector.judge(&told, &told_of_answer(answer)));
        let sum = client.usage()["a-model"];
        let counted = answer.usage().map(tokens).unwrap_or_default();
        assert_eq!((sum.calls, tokens(sum.tokens)), (1, counted), "{}", vector.name);
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), told::COUNT, wrong.join("\n"));
}

/// What a parser makes of a stream, in the words of the vectors.
fn decode(vector: &Value, pieces: &[&[u8]]) -> Value {
    let bytes_max = vector["bytes_max"].as_u64().map_or(EVENT_BYTES_MAX, |max| max as usize);
    let mut decoder = Decoder::new(bytes_max);
    let mut events = Vec::new();
    let told = |event: parse::Event<'_>| json!({"event": event.name, "data": event.data});
    for piece in pieces {
        if let Err(error) = decoder.feed(piece, &mut |event| events.push(told(event))) {
            assert_eq!(error.bytes_max, bytes_max);
            return json!({"events": events, "unfinished": null, "error": "too_large"});
        }
    }
    let mut unfinished = Value::Null;
    decoder.finish(&mut |event| unfinished = told(event)).unwrap();
    let mut found = json!({"events": events, "unfinished": unfinished});
    // What a vector leaves open is not compared.
    if vector.get("last_event_id").is_some() {
        found["last_event_id"] = json!(decoder.last_event_id());
    }
    if vector.get("retry_ms").is_some() {
        found["retry_ms"] = json!(decoder.retry_ms());
    }
    found
}

fn expected(vector: &Value, times: usize) -> Value {
    let mut expected = vector.as_object().unwrap().clone();
    expected.retain(|key, _| {
        ["events", "unfinished", "error", "last_event_id", "retry_ms"].contains(&key.as_str())
    });
    let events = expected["events"].as_array().unwrap();
    expected["events"] = std::iter::repeat_n(events, times).flatten().cloned().collect();
    Value::Object(expected)
}

/// The first way of cutting the input of a vector that gives something else than it expects.
fn wrong_way(vector: &Value) -> Option<String> {
    let times = vector["times"].as_u64().unwrap_or(1) as usize;
    let input = bytes(vector, "input").repeat(times);
    let expected = expected(vector, times);
    let check = |way: String, pieces: &[&[u8]]| {
        let found = decode(vector, pieces);
        let told = |value: &Value| value.to_string().chars().take(400).collect::<String>();
        (found != expected).then(|| {
            let name = name(vector);
            format!("{name}, {way}:\n  expected {}\n  found    {}", told(&expected), told(&found))
        })
    };
    let mut ways = check("whole".into(), &[&input]).into_iter().collect::<Vec<_>>();
    ways.extend(check("byte by byte".into(), &input.chunks(1).collect::<Vec<_>>()));
    // An odd step cuts events that are repeated at each of their bytes.
    let is_long = input.len() > EVERY_SPLIT_BYTES_MAX;
    let step = if is_long { (input.len() / LONG_SPLITS) | 1 } else { 1 };
    for at in (0..=input.len()).step_by(step) {
        let (head, tail) = input.split_at(at);
        ways.extend(check(format!("split at {at}"), &[head, tail]));
        if input.len() > THREE_PIECES_BYTES_MAX {
            continue;
        }
        for then in 0..=tail.len() {
            let (middle, end) = tail.split_at(then);
            ways.extend(check(format!("split at {at}, {}", at + then), &[head, middle, end]));
        }
    }
    let others = ways.len().saturating_sub(1);
    ways.into_iter().next().map(|first| format!("{first}\n  and {others} other ways"))
}

/// Every vector of these files; how many there are.
fn check_grammar(topics: &[&str]) -> usize {
    let files = topics.iter().map(|topic| format!("sse/{topic}.json"));
    let vectors: Vec<Value> = files.flat_map(|file| vectors(&file)).collect();
    let wrong: Vec<String> = vectors.iter().filter_map(wrong_way).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), vectors.len(), wrong.join("\n"));
    vectors.len()
}

#[test]
fn lines_fields_and_comments_are_read_as_the_standard_says() {
    let topics = ["line_ends", "byte_order_mark", "colon_and_space", "comments", "unknown_fields"];
    assert_eq!(check_grammar(&topics), 60);
}

/// At this level the end mark is data like any other.
#[test]
fn data_and_names_are_read_as_the_standard_says() {
    assert_eq!(check_grammar(&["data", "event", "done_mark"]), 42);
}

#[test]
fn ids_and_times_are_read_as_the_standard_says() {
    assert_eq!(check_grammar(&["id_and_retry"]), 23);
}

#[test]
fn characters_are_decoded_as_the_standard_says() {
    assert_eq!(check_grammar(&["characters", "invalid_utf8"]), 25);
}

/// What the end of the stream cuts is told apart from what is whole.
#[test]
fn an_unfinished_event_at_the_end_is_marked() {
    assert_eq!(check_grammar(&["end_of_stream"]), 11);
}

/// An event beyond the bound is refused alike wherever its bytes are split.
#[test]
fn the_bound_on_an_event_holds_at_every_split() {
    assert_eq!(check_grammar(&["bound"]), 26);
}

#[test]
fn every_file_of_vectors_is_run() {
    let run = include_str!("vectors.rs");
    for kind in ["sse", "errors", "requests"] {
        for entry in std::fs::read_dir(folder(kind)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "json") {
                let topic = path.file_stem().unwrap().to_str().unwrap();
                assert!(
                    run.contains(&format!("{topic}\"")) || run.contains(&format!("{topic}.json")),
                    "{topic}"
                );
            }
        }
    }
}

fn client(base_url: String) -> Client {
    // What is tested is one answer.
    let once = RetryPolicy::default().max_retries(0);
    Client::new(Config::new().base_url(base_url).api_key("sk-test").retry(once)).unwrap()
}

fn hello() -> Request {
    Request::chat("a-model").user("Say hello.")
}

/// The data of a stream over sockets: one value each, the second over two lines.
const VALUES: [&str; 4] = [
    r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"a\ud83d\ude00"}}]}"#,
    "{\"choices\":\n[]}",
    "{\"x\":\"\u{2028}\u{85} \u{feff}é日😀\"}",
    r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"b":"\ud83d"}"#,
];

/// How a service may write the same events: what stands before the stream, before each event,
/// between its field name and value, between its data and its blank line, and how it ends.
const DRESSES: [[&str; 5]; 10] = [
    ["", "", "data: ", "", "data: [DONE]\n\n"],
    ["\u{feff}", "", "data: ", "", "data: [DONE]\n\n"],
    ["", "", "data:", "", "data:[DONE]\n\n"],
    [": hi\n\n", ": ping\n", "data: ", ": ping\n", ": bye\n\ndata: [DONE]\n\n"],
    ["\n\n\n", ":\n\n: ping\n\n", "data: ", "", "\n\ndata: [DONE]\n\n"],
    ["retry: 10\n\n", "id: 1\nfoo: bar\n", "data: ", "id\nBaz-1: x\n", "data: [DONE]\n\n"],
    ["data\n\ndata:\n\n", "data: \n\n", "data: ", "", "data\n\ndata:  [DONE] \n\n"],
    ["", "", "data: ", "", "data: [DONE]\n\ndata: {\"late\":1}\n\nnot JSON\n\ndata: not JSON\n\n"],
    ["event: f\n\n", "event: e\n", "data: ", "", "event: done\ndata: [DONE]\n\n"],
    ["", "", "data: ", "", "data: [DONE]"],
];

fn dressed([start, before, colon, after, end]: [&str; 5], line_end: &str) -> Vec<u8> {
    let mut text = start.to_owned();
    for value in VALUES {
        text.push_str(before);
        value.split('\n').for_each(|line| text.push_str(&format!("{colon}{line}\n")));
        text.push_str(&format!("{after}\n"));
    }
    (text + end).replace('\n', line_end).into_bytes()
}

#[test]
fn the_same_chunks_come_from_every_way_to_write_a_stream() {
    let service = Service::start().unwrap();
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
    for (number, dress) in DRESSES.into_iter().enumerate() {
        for line_end in ["\n", "\r\n", "\r"] {
            let body = dressed(dress, line_end);
            let after_cr = (0..body.len()).filter(|at| *at > 0 && body[at - 1] == b'\r');
            let cuts = [vec![], (0..body.len()).step_by(41).collect(), after_cr.collect()];
            for at in cuts {
                let place = format!("dress {number}, {line_end:?}, cut at {at:?}");
                let split = Step::SendSplit { bytes: body.clone(), at };
                let steps = vec![Step::send(head), split, Step::Close];
                let script = Script::one(Exchange { steps });
                let client = client(service.script("s", script));
                let mut stream = client.blocking().stream(hello()).expect(&place);
                let chunks: Vec<_> = stream.by_ref().map(|chunk| chunk.expect(&place)).collect();
                let texts: Vec<&str> = chunks.iter().map(|chunk| chunk.json()).collect();
                assert_eq!(texts, VALUES, "{place}");
                let name = if dress[1].contains("event: e") { "e" } else { "" };
                assert!(chunks.iter().all(|chunk| chunk.event() == name), "{place}");
                assert_eq!(stream.response().expect(&place).end(), End::DoneMark, "{place}");
            }
        }
    }
}

/// The error of a call, and how many chunks came before it.
fn failure(client: &Client, streamed: bool) -> Result<(Error, usize), String> {
    if !streamed {
        let sent = client.blocking().send(hello());
        return sent.map_or_else(|error| Ok((error, 0)), |answer| Err(answer.json().to_owned()));
    }
    let stream = match client.blocking().stream(hello()) {
        Ok(stream) => stream,
        Err(error) => return Ok((error, 0)),
    };
    let mut chunks = Vec::new();
    for item in stream {
        match item {
            Ok(chunk) => chunks.push(chunk.json().to_owned()),
            Err(error) => return Ok((error, chunks.len())),
        }
    }
    Err(chunks.join("\n"))
}

/// What an error says, in the words of the vectors. A vector that names no message expects
/// this library's own words, which are not compared.
fn told(error: &Error, chunks: usize, expected: &Value) -> Value {
    let own_words = expected["message"].is_null();
    let mut told = json!({
        "kind": error.kind().name(),
        "message": (!own_words).then_some(error.message()),
        "type": error.error_type(),
        "code": error.code(),
        "param": error.param(),
        "metered": error.metered().name(),
        "chunks": chunks,
        "body": error.body(),
        "status": error.status(),
    });
    told.as_object_mut().unwrap().retain(|key, _| expected.get(key).is_some());
    told
}

/// What is wrong with the errors of one vector.
fn check_error(
    service: &Service,
    hints: &Value,
    vector: &Value,
    exchange: &Exchange,
) -> Vec<String> {
    let calls: &[bool] = match vector["call"].as_str() {
        None => &[false, true],
        Some("plain") => &[false],
        Some("stream") => &[true],
        Some(other) => panic!("{}: unknown call {other}", name(vector)),
    };
    let mut expected = vector["expected"].clone();
    if expected.get("status").is_none() {
        expected["status"] = vector["status"].clone();
    }
    let check = |streamed: &bool| {
        let script = service.script("s", Script::one(exchange.clone()));
        let place = format!("{}, streamed: {streamed}", name(vector));
        let (error, chunks) = match failure(&client(script), *streamed) {
            Ok(failed) => failed,
            Err(answer) => return Some(format!("{place}: no error, but {answer}")),
        };
        let found = told(&error, chunks, &expected);
        if found != expected {
            return Some(format!("{place}\n  expected {expected}\n  found    {found}\n  {error}"));
        }
        let hint = hints[error.kind().name()].as_str().unwrap();
        assert!(error.hint().contains(hint), "{place}: {hint:?} in {:?}", error.hint());
        assert!(!error.message().trim().is_empty(), "{place}");
        assert_eq!((error.attempts(), error.path()), (1, "/scripts/s/v1/chat/completions"));
        assert_eq!(error.model(), Some("a-model"), "{place}");
        assert!(error.request_time().is_some(), "{place}");
        None
    };
    calls.iter().filter_map(check).collect()
}

/// Runs every vector of a file against what `exchange` puts on the wire; how many there are.
fn check_errors(file: &str, exchange: impl Fn(&Value) -> Exchange) -> usize {
    let service = Service::start().unwrap();
    let hints = read("errors/hints.json");
    let vectors = vectors(file);
    let wrong: Vec<String> = vectors
        .iter()
        .flat_map(|vector| check_error(&service, &hints, vector, &exchange(vector)))
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), vectors.len(), wrong.join("\n"));
    vectors.len()
}

/// An answer of known length with the status, type and body of a vector.
fn answered(vector: &Value) -> Exchange {
    let body = bytes(vector, "body");
    let mut head = format!("HTTP/1.1 {} Whatever\r\n", vector["status"]);
    if let Some(content_type) = vector["content_type"].as_str() {
        head.push_str(&format!("Content-Type: {content_type}\r\n"));
    }
    head.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
    Exchange::raw([head.into_bytes(), body].concat())
}

#[test]
fn every_error_envelope_is_read_under_every_status() {
    assert_eq!(check_errors("errors/envelopes.json", answered), 124);
}

/// The body stays reachable, whatever it was.
#[test]
fn the_body_of_a_failed_answer_is_kept_within_its_bound() {
    let service = Service::start().unwrap();
    for vector in vectors("errors/envelopes.json") {
        let sent = bytes(&vector, "body");
        let sent = String::from_utf8_lossy(&sent);
        let script = Script::one(answered(&vector));
        let (error, _) = failure(&client(service.script("s", script)), false).unwrap();
        let kept = error.body().unwrap();
        assert!(kept.len() <= modelwire::limits::ERROR_BODY_BYTES_MAX, "{}", name(&vector));
        let is_whole = sent.len() <= modelwire::limits::ERROR_BODY_BYTES_MAX;
        assert!(if is_whole { kept == sent } else { sent.starts_with(kept) }, "{}", name(&vector));
    }
}

#[test]
fn every_error_in_a_stream_is_raised_after_the_chunks_before_it() {
    assert_eq!(check_errors("errors/in_stream.json", answered), 32);
}

#[test]
fn every_error_under_a_good_status_is_raised() {
    assert_eq!(check_errors("errors/in_document.json", answered), 17);
}

/// What is not HTTP is told apart from what broke off.
#[test]
fn every_malformed_head_is_classified() {
    let raw = |vector: &Value| {
        let mut steps = vec![Step::send(bytes(vector, "raw"))];
        match vector["end"].as_str().unwrap() {
            "close" => steps.push(Step::Close),
            "reset" => {
                steps.extend([Step::Pause(std::time::Duration::from_millis(20)), Step::Reset])
            }
            "open" => {}
            other => panic!("{}: unknown end {other}", name(vector)),
        }
        Exchange { steps }
    };
    assert_eq!(check_errors("errors/heads.json", raw), 44);
}

/// Every kind that a vector expects has its hint, and every hint is expected.
#[test]
fn the_vectors_name_every_kind_of_answer() {
    let hints = read("errors/hints.json");
    let files = ["envelopes", "in_stream", "in_document", "heads"];
    let all = files.iter().flat_map(|file| vectors(&format!("errors/{file}.json")));
    let mut kinds: Vec<String> =
        all.map(|vector| vector["expected"]["kind"].as_str().unwrap().to_owned()).collect();
    kinds.sort();
    kinds.dedup();
    let known: Vec<&String> = hints.as_object().unwrap().keys().collect();
    assert_eq!(kinds.iter().collect::<Vec<_>>(), known);
}

/// No line vanishes, and the end mark is the end at once.
#[test]
fn malformed_event_stream_lines_are_reported_or_understood() {
    let service = Service::start().unwrap();
    let vectors = vectors("lines/lines.json");
    let mut wrong = Vec::new();
    for vector in &vectors {
        let client = client(service.script("s", Script::one(lines::exchange(vector))));
        // Where the end is open, nothing but the end mark can end the call in time.
        let hello = hello().total_timeout(Some(std::time::Duration::from_secs(20)));
        let mut chunks = Vec::new();
        let outcome = client.blocking().stream(hello).and_then(|mut stream| {
            for chunk in stream.by_ref() {
                chunks.push(chunk?.json().to_owned());
            }
            Ok(stream.response().unwrap().end())
        });
        let told = |error: &'_ Error| {
            let (kind, metered) = (error.kind().name(), error.metered().name());
            [
                kind.to_owned(),
                error.message().to_owned(),
                error.hint().to_owned(),
                metered.to_owned(),
            ]
        };
        let failed = outcome.as_ref().err().map(told);
        let ended = match &failed {
            Some(told) => Err(told.each_ref().map(String::as_str)),
            None => Ok(outcome.as_ref().unwrap().name()),
        };
        wrong.extend(lines::judge(vector, &chunks, ended));
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), vectors.len(), wrong.join("\n"));
    assert_eq!(vectors.len(), lines::COUNT);
}

/// The vectors of one file of requests, each with the text of its body as it stands there: numbers
/// of any size, and every duplicate.
fn requests(file: &str) -> Vec<(Value, String)> {
    let whole = std::fs::read_to_string(folder(file)).unwrap();
    let items = View::parse(&whole).unwrap().items();
    let body = |item: &View<'_>| match item.get("text") {
        Some(text) => text.as_str().unwrap().into_owned(),
        None => item.get("body").unwrap().text().to_owned(),
    };
    vectors(file).into_iter().zip(items.iter().map(body)).collect()
}

/// Makes the call of a vector, and tells what differs from what it expects.
fn wrong_request(service: &Service, client: &Client, vector: &Value, text: &str) -> Option<String> {
    let request = match vector["endpoint"].as_str().unwrap() {
        "chat" => Request::chat_json(text),
        "responses" => Request::responses_json(text),
        other => panic!("no endpoint {other}"),
    };
    let before = service.recorded("s").len();
    let outcome = client.blocking().send(request).map(|answer| answer.json().to_owned());
    let sent = service.recorded("s").split_off(before);
    let differs = match (vector["refused"].as_str(), &outcome) {
        (None, Ok(_)) => sent.len() != 1 || sent[0].body != text.as_bytes(),
        (Some(place), Err(error)) => {
            error.kind() != ErrorKind::Argument
                || !error.message().contains(place)
                || vector["hint"].as_str().is_some_and(|hint| !error.hint().contains(hint))
                || !sent.is_empty()
        }
        (None, Err(_)) | (Some(_), Ok(_)) => true,
    };
    differs.then(|| format!("{}: {} sent, {outcome:?}", name(vector), sent.len()))
}

/// What passes is sent as it is, and of what is refused nothing.
#[test]
fn requests_are_sent_as_they_are_or_not_at_all() {
    let service = Service::start().unwrap();
    // An answer of either operation.
    let answer = Exchange::json(200, r#"{"choices":[{}],"output":[]}"#);
    let client = client(service.script("s", Script::one(answer)));
    for (file, count) in [
        ("requests/content.json", 79),
        ("requests/input.json", 13),
        ("requests/bounds.json", 36),
        ("requests/frameworks.json", 53),
    ] {
        let vectors = requests(file);
        assert_eq!(vectors.len(), count, "{file}");
        let wrong = vectors.iter().filter_map(|(vector, text)| {
            assert_ne!(vector["passes"] == true, vector["refused"].is_string(), "{vector}");
            wrong_request(&service, &client, vector, text)
        });
        assert_eq!(wrong.collect::<Vec<_>>(), Vec::<String>::new());
    }
}
