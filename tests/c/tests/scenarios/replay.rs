//! The language-neutral vectors and the recorded exchanges through C, from the same files as for
//! the core.

#[path = "../../../rust/tests/lines/mod.rs"]
mod lines;
#[path = "../../../rust/tests/recorded/mod.rs"]
mod recorded;
#[path = "../../../rust/tests/told/mod.rs"]
mod told;

use std::collections::BTreeMap;
use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use modelwire_testing::{Exchange, Script, Service, Step};
use modelwire_tests_c::{Case, Told, replay};
use recorded::{Cuts, Record, expected, records};
use serde_json::{Value, json};

const HELLO: &str = r#"{"model":"a-model","messages":[{"role":"user","content":"Say hello."}]}"#;
const RESPONSE: &str = r#"{"model":"a-model","input":"Say hello."}"#;

fn folder(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "vectors", name].iter().collect()
}

fn read(name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(folder(name)).unwrap()).expect(name)
}

/// The files of a folder, without their end.
fn topics(name: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder(name)).unwrap();
    let files = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut topics: Vec<String> =
        files.filter_map(|file| Some(file.strip_suffix(".json")?.to_owned())).collect();
    topics.sort();
    topics
}

/// Bytes that a vector holds as text, as Base64, or as `[[text, times]...]`.
fn bytes(vector: &Value, field: &str) -> Vec<u8> {
    let times = vector["times"].as_u64().unwrap_or(1) as usize;
    if let Some(text) = vector[field].as_str() {
        return text.as_bytes().repeat(times);
    }
    if let Some(text) = vector[format!("{field}_base64")].as_str() {
        return STANDARD.decode(text).unwrap().repeat(times);
    }
    let parts = vector[format!("{field}_parts")].as_array().unwrap();
    let part = |part: &Value| {
        part[0].as_str().unwrap().repeat(part[1].as_u64().unwrap() as usize).into_bytes()
    };
    parts.iter().flat_map(part).collect()
}

fn case(base_url: String, operation: &'static str, way: &'static str, body: &str) -> Case {
    Case { base_url, operation, way, event_bytes_max: 0, body: body.to_owned() }
}

/// What is wrong, all of it, or nothing.
fn check_all(wrong: Vec<String>, count: usize) {
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

/// The first event of a stream that says something, and whether its blank line came.
fn first_said(vector: &Value) -> Option<(String, String, bool)> {
    let events = vector["events"].as_array().unwrap().iter().map(|event| (event, true));
    let unfinished = vector.get("unfinished").filter(|event| event.is_object());
    let all = events.chain(unfinished.map(|event| (event, false)));
    let told = all.map(|(event, is_whole)| {
        let text = |name: &str| event[name].as_str().unwrap().to_owned();
        (text("event"), text("data"), is_whole)
    });
    let mut said = told.filter(|(event, data, _)| !trimmed(data).is_empty() || event == "error");
    said.next()
}

fn trimmed(data: &str) -> &str {
    data.trim_matches([' ', '\t', '\r', '\n'])
}

/// What is wrong with the call that met the stream of a vector.
fn judge_stream(vector: &Value, told: &Told) -> Option<String> {
    // A line vanishes by the grammar, and not by a client: the vectors of lines have the like of it.
    if let Some(kind) = vector["client"].as_str() {
        let found = told.get("kind").or(told.get("end"));
        return (found != Some(kind)).then(|| format!("expected {kind}, found {found:?}"));
    }
    let is_too_large = vector.get("error").is_some();
    let chunk = told.get("chunk");
    let kind = told.get("kind");
    let Some((event, data, is_whole)) = first_said(vector) else {
        let expected = if is_too_large { "protocol" } else { "incomplete" };
        let is_named = told.get("message").is_some_and(|text| text.contains("event_bytes_max"));
        let is_right = kind == Some(expected) && chunk.is_none() && is_named == is_too_large;
        return (!is_right).then(|| format!("expected {expected}, found {kind:?}, {chunk:?}"));
    };
    let said = trimmed(&data);
    if event == "error" {
        let is_right = chunk.is_none() && kind == Some("stream");
        return (!is_right).then(|| format!("expected a stream error, found {kind:?}"));
    }
    if said == "[DONE]" {
        let is_right = chunk.is_none() && told.get("end") == Some("done_mark");
        return (!is_right).then(|| format!("expected the end, found {kind:?}, {chunk:?}"));
    }
    // Half a surrogate pair is JSON, too: nothing is decoded here.
    if serde_json::from_str::<serde::de::IgnoredAny>(said).is_ok() {
        let is_right = chunk == Some(&data) && told.get("event") == Some(&event);
        return (!is_right).then(|| format!("expected {data:?} of {event:?}, found {chunk:?}"));
    }
    let is_cut = !is_whole && kind == Some("incomplete");
    if chunk.is_some() || !(is_cut || kind == Some("protocol")) {
        return Some(format!("expected a protocol error, found {kind:?}, {chunk:?}"));
    }
    // The quotation is on one line, and cut where it is long.
    let quoted = told.get("body").unwrap_or_default();
    let one_line = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let kept = quoted.strip_suffix("...").unwrap_or(quoted).trim();
    let is_right =
        !is_whole || one_line.starts_with(kept) && kept.is_empty() == one_line.is_empty();
    (!is_right).then(|| format!("expected a quotation of {one_line:?}, found {quoted:?}"))
}

/// JSON is a chunk, the end mark an end, anything else is quoted.
#[test]
fn streams_of_the_grammar() {
    let service = Service::start().unwrap();
    let (mut vectors, mut cases) = (Vec::new(), Vec::new());
    for topic in topics("sse") {
        for vector in read(&format!("sse/{topic}.json")).as_array().unwrap() {
            let head =
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
            let steps = vec![Step::send(head), Step::send(bytes(vector, "input")), Step::Close];
            let name = format!("{topic}-{}", vectors.len());
            let base_url = service.script(&name, Script::one(Exchange { steps }));
            let bytes_max = vector["bytes_max"].as_u64().unwrap_or(0);
            let stream = case(base_url, "chat", "stream", HELLO);
            cases.push(Case { event_bytes_max: bytes_max, ..stream });
            vectors.push((format!("{topic} {}", vector["name"]), vector.clone()));
        }
    }
    assert_eq!(cases.len(), 187);
    let judged = vectors.iter().zip(replay(&cases)).filter_map(|((name, vector), told)| {
        Some(format!("{name}: {}", judge_stream(vector, &told)?))
    });
    check_all(judged.collect(), vectors.len());
}

/// No line vanishes, and the end mark is the end at once.
#[test]
fn lines_that_leave_the_grammar() {
    let service = Service::start().unwrap();
    let file = read("lines/lines.json");
    let vectors = file.as_array().unwrap();
    let cases: Vec<Case> = vectors
        .iter()
        .enumerate()
        .map(|(number, vector)| {
            let script = Script::one(lines::exchange(vector));
            case(service.script(&format!("{number}"), script), "chat", "stream", HELLO)
        })
        .collect();
    assert_eq!(cases.len(), lines::COUNT);
    let judged = vectors.iter().zip(replay(&cases)).filter_map(|(vector, told)| {
        let chunks: Vec<&str> = told.all("chunk").collect();
        let text = |name| told.get(name).unwrap();
        let ended = match told.get("kind") {
            None => Ok(text("end")),
            Some(kind) => Err([kind, text("message"), text("hint"), text("metered")]),
        };
        lines::judge(vector, &chunks, ended)
    });
    check_all(judged.collect(), vectors.len());
}

/// A response of known length with the status, type and body of a vector.
fn answered(vector: &Value) -> Exchange {
    let body = bytes(vector, "body");
    let mut head = format!("HTTP/1.1 {} Whatever\r\n", vector["status"]);
    if let Some(content_type) = vector["content_type"].as_str() {
        head.push_str(&format!("Content-Type: {content_type}\r\n"));
    }
    head.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
    Exchange::raw([head.into_bytes(), body].concat())
}

/// What is no HTTP, byte by byte, and how the connection ends.
fn raw(vector: &Value) -> Exchange {
    let mut steps = vec![Step::send(bytes(vector, "raw"))];
    match vector["end"].as_str().unwrap() {
        "close" => steps.push(Step::Close),
        "reset" => {
            steps.extend([Step::Pause(std::time::Duration::from_millis(20)), Step::Reset]);
        }
        "open" => {}
        other => panic!("unknown end {other}"),
    }
    Exchange { steps }
}

/// What an error told, in the words of the vectors. One that names no message expects the
/// library's own words, which are not compared.
fn error_told(told: &Told, expected: &Value) -> Value {
    let own_words = expected["message"].is_null();
    let status = told.get("http_status").map(|status| status.parse::<u16>().unwrap());
    let mut found = json!({
        "kind": told.get("kind"),
        "message": told.get("message").filter(|_| !own_words),
        "type": told.get("type"),
        "code": told.get("code"),
        "param": told.get("param"),
        "metered": told.get("metered"),
        "chunks": told.all("chunk").count(),
        "body": told.get("body"),
        "status": status,
    });
    found.as_object_mut().unwrap().retain(|key, _| expected.get(key).is_some());
    found
}

fn judge_error(vector: &Value, hints: &Value, told: &Told) -> Option<String> {
    let Some(kind) = told.get("kind") else { return Some("no error".to_owned()) };
    let mut expected = vector["expected"].clone();
    if expected.get("status").is_none() {
        expected["status"] = vector["status"].clone();
    }
    let found = error_told(told, &expected);
    if found != expected {
        return Some(format!("expected {expected}\n  found    {found}"));
    }
    let hint = told.get("hint").unwrap();
    assert!(hint.contains(hints[kind].as_str().unwrap()), "{kind}: {hint:?}");
    assert!(!told.get("message").unwrap().trim().is_empty());
    assert_eq!((told.get("attempts"), told.get("model")), (Some("1"), Some("a-model")));
    assert!(told.get("path").unwrap().ends_with("/v1/chat/completions"));
    assert!(told.get("request_time").unwrap().parse::<i64>().unwrap() > 1_577_836_800_000);
    None
}

/// Every vector of a file, each as a plain call and as a stream where it does not say which.
fn check_errors(file: &str, count: usize, exchange: impl Fn(&Value) -> Exchange) {
    let service = Service::start().unwrap();
    let hints = read("errors/hints.json");
    let file = read(&format!("errors/{file}.json"));
    let (mut vectors, mut cases) = (Vec::new(), Vec::new());
    for (number, vector) in file.as_array().unwrap().iter().enumerate() {
        let ways: &[&'static str] = match vector["call"].as_str() {
            None => &["whole", "stream"],
            Some("plain") => &["whole"],
            Some("stream") => &["stream"],
            Some(other) => panic!("unknown call {other}"),
        };
        let script = Script::one(exchange(vector));
        let base_url = service.script(&format!("{number}"), script);
        for way in ways {
            cases.push(case(base_url.clone(), "chat", way, HELLO));
            vectors.push((format!("{} {way}", vector["name"]), vector));
        }
    }
    assert_eq!(file.as_array().unwrap().len(), count);
    let judged = vectors.iter().zip(replay(&cases)).filter_map(|((name, vector), told)| {
        Some(format!("{name}: {}", judge_error(vector, &hints, &told)?))
    });
    check_all(judged.collect(), vectors.len());
}

#[test]
fn every_envelope() {
    check_errors("envelopes", 124, answered);
}

#[test]
fn every_error_in_a_stream() {
    check_errors("in_stream", 32, answered);
}

#[test]
fn every_error_under_a_good_status() {
    check_errors("in_document", 17, answered);
}

#[test]
fn every_malformed_head() {
    check_errors("heads", 44, raw);
}

/// A gathered stream and a whole call that streams underneath give the same document, to the byte.
#[test]
fn every_gathered_stream() {
    let service = Service::start().unwrap();
    let (mut vectors, mut cases) = (Vec::new(), Vec::new());
    for topic in topics("gather") {
        let vector = read(&format!("gather/{topic}.json"));
        let chunks = vector["chunks"].as_array().unwrap().iter();
        let mut chunks: Vec<&str> = chunks.map(|chunk| chunk.as_str().unwrap()).collect();
        chunks.push("[DONE]");
        let base_url = service.script(&topic, Script::one(Exchange::events(&chunks)));
        let (operation, body) = match vector["endpoint"].as_str().unwrap() {
            "chat" => ("chat", HELLO),
            _ => ("responses", RESPONSE),
        };
        for way in ["gather", "underneath"] {
            cases.push(case(base_url.clone(), operation, way, body));
            vectors.push((format!("{topic} {way}"), vector["expected"].clone()));
        }
    }
    assert_eq!(cases.len(), 2 * 109);
    let judged = vectors.iter().zip(replay(&cases)).filter_map(|((name, expected), told)| {
        if name.contains("nothing") {
            // An end mark after no event is no answer.
            let is_right = told.get("kind") == Some("incomplete");
            return (!is_right).then(|| format!("{name}: an answer of nothing"));
        }
        let found = told.get("json");
        let is_right = found == expected.as_str() && told.get("gathered") == Some("1");
        (!is_right).then(|| {
            format!("{name}\n  expected {expected}\n  found    {found:?} {:?}", told.get("message"))
        })
    });
    check_all(judged.collect(), vectors.len());
}

/// What accessors tell of odd chunks and of what they add up to.
#[test]
fn accessors_of_odd_chunks_match_the_vectors() {
    let service = Service::start().unwrap();
    let vectors = told::vectors();
    let cases: Vec<Case> = vectors
        .iter()
        .map(|vector| {
            let mut chunks: Vec<&str> = vector.chunks.iter().map(String::as_str).collect();
            chunks.push("[DONE]");
            let base_url = service.script(&vector.name, Script::one(Exchange::events(&chunks)));
            let body = if vector.endpoint == "chat" { HELLO } else { RESPONSE };
            case(base_url, vector.endpoint, "gather", body)
        })
        .collect();
    let judged = vectors
        .iter()
        .zip(replay(&cases))
        .filter_map(|(vector, told)| vector.judge_fields(told.fields()));
    check_all(judged.collect(), vectors.len());
}

/// The operation that a recorded request called; none of the three for some.
fn operation(record: &Record) -> Option<&'static str> {
    match (record.method(), record.path()) {
        ("GET", "/models") => Some("models"),
        ("POST", "/chat/completions") => Some("chat"),
        ("POST", "/responses") => Some("responses"),
        _ => None,
    }
}

/// A failure in the words of the expectations; a message of our own is not compared.
fn failed(told: &Told) -> Value {
    let kind = told.get("kind").unwrap();
    let is_ours = ["disconnected", "incomplete", "protocol"].contains(&kind);
    let status = told.get("http_status").map(|status| status.parse::<u16>().unwrap());
    json!({"error": {
        "kind": kind,
        "status": status,
        "message": told.get("message").filter(|_| !is_ours),
        "type": told.get("type"),
        "code": told.get("code"),
        "param": told.get("param"),
        "chunks": told.all("chunk").count(),
    }})
}

/// What each choice of a chat said, and why it stopped.
fn choices(told: &Told) -> BTreeMap<u32, (String, Option<String>)> {
    let mut choices = BTreeMap::<u32, (String, Option<String>)>::new();
    let mut index = 0;
    for (name, text) in told.fields() {
        match name {
            "choice" => {
                index = text.parse().unwrap();
                choices.entry(index).or_default();
            }
            "choice_text" => choices.get_mut(&index).unwrap().0.push_str(text),
            "choice_reason" => choices.get_mut(&index).unwrap().1 = Some(text.to_owned()),
            _ => {}
        }
    }
    choices
}

fn outcome(told: &Told, record: &Record, operation: &str) -> Value {
    let chunks: Vec<&str> = told.all("chunk").collect();
    let is_stream = record.asks_for_stream();
    if is_stream {
        let sent = record.data_lines();
        assert_eq!(chunks, sent[..chunks.len()], "{}", record.case);
    }
    if told.get("kind").is_some() {
        return failed(told);
    }
    let usage = told.get("usage").map(|usage| serde_json::from_str::<Value>(usage).unwrap());
    let text = match is_stream {
        true => told.all("chunk_text").collect::<String>(),
        false => told.get("text").unwrap().to_owned(),
    };
    let reason = if is_stream { told.all("status").last() } else { told.get("finish_reason") };
    let mut ok = json!({
        "text": text,
        "finish_reason": reason,
        "usage": usage,
        "end": told.get("end"),
    });
    if is_stream {
        ok["chunks"] = json!(chunks.len());
    } else {
        assert_eq!(told.get("json").unwrap().as_bytes(), record.answer_body(), "{}", record.case);
    }
    let choices = choices(told);
    if let Some((text, reason)) = choices.get(&0) {
        (ok["text"], ok["finish_reason"]) = (json!(text), json!(reason));
    }
    if choices.len() > 1 {
        let named = choices.iter().map(|(index, told)| (index.to_string(), json!(told)));
        ok["choices"] = named.collect();
    }
    if operation == "models" {
        ok["models"] = told.all("model_id").collect();
    }
    json!({ "ok": ok })
}

/// Replays every exchange of a server: whole, and each stream in the recorded pieces, too.
fn check_server(server: &str) {
    let service = Service::start().unwrap();
    let expected = expected(server);
    let records = records(server);
    let (mut played, mut cases) = (Vec::new(), Vec::new());
    for record in &records {
        let Some(outcome) = expected["exchanges"].get(&record.case) else { continue };
        let operation = operation(record).unwrap();
        let replaced = outcome["replaced"].is_string();
        let otherwise = if operation == "responses" { RESPONSE } else { HELLO };
        let body = record.request_body().filter(|_| !replaced).unwrap_or(otherwise);
        let way = if record.asks_for_stream() { "stream" } else { "whole" };
        let mut all_cuts = vec![Cuts::Nowhere];
        if record.is_event_stream() {
            all_cuts.extend([Cuts::AtReads, Cuts::At(record.wire_bytes() / 2)]);
        }
        for cuts in all_cuts {
            let name = format!("{}.{}", record.case, cases.len());
            let base_url = service.script(&name, record.script(&cuts));
            if let Some(refused) = record.request_body().filter(|_| replaced) {
                cases.push(case(base_url.clone(), operation, way, refused));
                played.push((record, operation, None, name.clone()));
            }
            cases.push(case(base_url, operation, way, body));
            played.push((record, operation, Some(outcome), name));
        }
    }
    let mut wrong = Vec::new();
    for ((record, operation, expected, name), told) in played.iter().zip(replay(&cases)) {
        let Some(expected) = expected else {
            assert_eq!(told.get("kind"), Some("argument"), "{}", record.case);
            continue;
        };
        let found = outcome(&told, record, operation);
        let sent = service.recorded(name);
        assert_eq!(sent.len(), 1, "{}", record.case);
        if let Some(body) = record.request_body().filter(|_| expected["replaced"].is_null()) {
            assert_eq!(String::from_utf8_lossy(&sent[0].body), body, "{}", record.case);
        }
        let key = ["ok", "error"].into_iter().find(|key| expected.get(key).is_some()).unwrap();
        if found.get(key) != expected.get(key) {
            wrong.push(format!("{}\n  expected {expected}\n  found    {found}", record.case));
        }
    }
    assert!(cases.len() > 20, "{} cases of {server}", cases.len());
    check_all(wrong, cases.len());
}

#[test]
fn llama_server() {
    check_server("llama-server");
}

#[test]
fn litellm() {
    check_server("litellm");
}

#[test]
fn aimock() {
    check_server("aimock");
}

#[test]
fn llama_cpp_python() {
    check_server("llama-cpp-python");
}

#[test]
fn litellm_before_llama_server() {
    check_server("litellm-to-llama-server");
}

#[test]
fn fastchat() {
    check_server("fastchat");
}

#[test]
fn litserve() {
    check_server("litserve");
}

#[test]
fn mock_llm() {
    check_server("mock-llm");
}

#[test]
fn portkey() {
    check_server("portkey");
}
