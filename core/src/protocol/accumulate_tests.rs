//! Gathering, tested with the vectors in tests/vectors/gather and with recorded streams.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use super::*;
use crate::protocol::chunk::Chunk;
use crate::protocol::document::Document;
use crate::protocol::document_chunks::document_chunks;
use crate::protocol::offsets::ELEMENTS_MAX;
use crate::system::processor_time;

const BYTES_MAX: usize = 256 << 20;

fn tests_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests")
}

fn read(path: &Path) -> Json {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn endpoint(name: &str) -> Endpoint {
    match name {
        "chat" => Endpoint::Chat,
        "responses" => Endpoint::Responses,
        other => panic!("no endpoint {other}"),
    }
}

fn gather<T: AsRef<str>>(endpoint: Endpoint, chunks: &[T]) -> String {
    let mut gatherer = Gatherer::new(endpoint, BYTES_MAX);
    for chunk in chunks {
        gatherer.add(Value::parse(chunk.as_ref()).unwrap()).unwrap();
    }
    gatherer.json()
}

/// A cut after any chunk causes no error and gives JSON, and reading the partial answer changes nothing.
fn check_cuts<T: AsRef<str>>(name: &str, endpoint: Endpoint, chunks: &[T]) {
    let mut gatherer = Gatherer::new(endpoint, BYTES_MAX);
    for (at, chunk) in chunks.iter().enumerate() {
        gatherer.add(Value::parse(chunk.as_ref()).unwrap()).unwrap();
        let json = gatherer.json();
        let cut = gather(endpoint, &chunks[..=at]);
        assert_eq!(json, cut, "{name} cut after chunk {at}");
        Value::parse(&json).unwrap_or_else(|cause| panic!("{name} after {at}: {cause}: {json}"));
    }
}

/// With any limit, gathering either fits or fails, and leaves JSON that does not change afterwards.
fn check_bounds<T: AsRef<str>>(name: &str, endpoint: Endpoint, chunks: &[T]) {
    let total: usize = chunks.iter().map(|chunk| chunk.as_ref().len()).sum();
    let mut fitted = false;
    for bytes_max in (0..=total + 64).step_by(total / 200 + 1) {
        let mut gatherer = Gatherer::new(endpoint, bytes_max);
        let added =
            chunks.iter().map(|c| gatherer.add(Value::validated(c.as_ref()))).collect::<Vec<_>>();
        let first = added.iter().position(Result::is_err);
        assert!(!fitted || first.is_none(), "{name}: fitted before, not in {bytes_max}");
        fitted = first.is_none();
        assert!(first.is_none_or(|at| added[at..].iter().all(Result::is_err)), "{name}");
        Value::parse(&gatherer.json()).unwrap_or_else(|cause| panic!("{name}: {cause}"));
    }
    assert!(fitted, "{name}: it never fits, even with room for the input and more");
}

const VECTORS: usize = 109;

/// Passes each vector to `check`: name, endpoint, chunks, expected result.
fn each_vector(check: impl Fn(&str, Endpoint, &[&str], &str)) {
    let folder = tests_folder().join("vectors/gather");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    assert_eq!(paths.len(), VECTORS);
    for path in paths {
        let vector = read(&path);
        let name = path.file_stem().unwrap().to_string_lossy();
        let endpoint = endpoint(vector["endpoint"].as_str().unwrap());
        let chunks = vector["chunks"].as_array().unwrap();
        let chunks: Vec<&str> = chunks.iter().map(|chunk| chunk.as_str().unwrap()).collect();
        check(&name, endpoint, &chunks, vector["expected"].as_str().unwrap());
    }
}

#[test]
fn vectors_are_gathered_as_expected() {
    let wrong = RefCell::new(Vec::new());
    each_vector(|name, endpoint, chunks, expected| {
        let gathered = gather(endpoint, chunks);
        Value::parse(&gathered).unwrap();
        if gathered != expected {
            wrong
                .borrow_mut()
                .push(format!("{name}\n  expected {expected}\n  found    {gathered}"));
        }
    });
    let wrong = wrong.into_inner();
    assert!(wrong.is_empty(), "{} of {VECTORS}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn vectors_are_cut_at_each_chunk() {
    each_vector(|name, endpoint, chunks, _| check_cuts(name, endpoint, chunks));
}

#[test]
fn vectors_meet_every_bound() {
    each_vector(|name, endpoint, chunks, _| check_bounds(name, endpoint, chunks));
}

fn base64(text: &str) -> Vec<u8> {
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut out, mut bits, mut count) = (Vec::new(), 0u32, 0);
    for byte in text.bytes().filter(|byte| *byte != b'=') {
        bits = bits << 6 | digits.iter().position(|digit| *digit == byte).unwrap() as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    out
}

/// The events of a recorded stream that are chunks; `None` if the recording is not a stream.
fn recorded_chunks(recording: &Json) -> Option<Vec<String>> {
    let mut decoder = crate::protocol::sse::Decoder::new(1 << 20);
    let mut chunks = Vec::new();
    for piece in recording["response"]["chunks"].as_array()? {
        let bytes = base64(piece["data_base64"].as_str().unwrap());
        decoder
            .feed(&bytes, &mut |event| {
                let is_error = event.data.contains("{\"error\"");
                if Value::parse(&event.data).is_ok() && !is_error {
                    chunks.push(event.data.into_owned());
                }
            })
            .unwrap();
    }
    Some(chunks)
}

/// What two equivalent answers have in common: content, calls, finish reasons.
fn gist(answer: &Json) -> Json {
    let calls = |message: &Json| -> Vec<Json> {
        let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
        calls.into_iter().map(|call| call["function"].clone()).collect()
    };
    let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
    let choices = answer["choices"].as_array().cloned().unwrap_or_default();
    let of = |choice: &Json| {
        let message = &choice["message"];
        let said = [text(&message["content"]), text(&message["reasoning_content"])];
        serde_json::json!([choice["index"], said, calls(message), choice["finish_reason"]])
    };
    choices.iter().map(of).collect()
}

/// Recorded streams contain the same as their recorded plain answers.
#[test]
fn recorded_streams_add_up_to_their_recorded_plain_answers() {
    let mut pairs = Vec::new();
    let mut gathered_count = 0;
    for server in ["llama-server", "litellm"] {
        let folder = tests_folder().join("captures").join(server);
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths {
            let recording = read(&path);
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let Some(chunks) = recorded_chunks(&recording).filter(|c| !c.is_empty()) else {
                continue;
            };
            let is_response =
                recording["request"]["path"].as_str().unwrap().ends_with("/responses");
            let endpoint = if is_response { Endpoint::Responses } else { Endpoint::Chat };
            check_cuts(&name, endpoint, &chunks);
            let gathered: Json = serde_json::from_str(&gather(endpoint, &chunks)).unwrap();
            gathered_count += 1;
            if is_response {
                check_cut_response(&name, &chunks);
            }
            let plain = folder.join(name.replace("_stream", ""));
            if plain.file_name() == path.file_name() || !plain.exists() {
                continue;
            }
            let Some(body) = read(&plain)["response"]["body_base64"].as_str().map(base64) else {
                continue;
            };
            let Ok(whole) = serde_json::from_slice::<Json>(&body) else { continue };
            if endpoint == Endpoint::Chat && whole["choices"].is_array() {
                pairs.push((format!("{server}/{name}"), gist(&gathered), gist(&whole)));
            }
        }
    }
    assert!(gathered_count >= 40, "{gathered_count} streams");
    let differing: Vec<&str> = pairs
        .iter()
        .filter(|(_, stream, whole)| stream != whole)
        .inspect(|(name, stream, whole)| println!("{name}:\n{stream}\n{whole}"))
        .map(|(name, ..)| name.as_str())
        .collect();
    assert_eq!(differing, KNOWN_TO_DIFFER);
    assert!(pairs.len() >= 20, "{} pairs", pairs.len());
}

/// The reasoning of all chunks equals that of the gathered answer, for every service.
#[test]
fn recorded_reasoning_of_chunks_equals_that_of_the_answer() {
    let mut told = Vec::new();
    for server in
        ["llama-server", "litellm", "litellm-to-llama-server", "llama-cpp-python", "aimock"]
    {
        for (name, endpoint) in [("chat", Endpoint::Chat), ("responses", Endpoint::Responses)] {
            let folder = tests_folder().join("captures").join(server);
            let path = folder.join(format!("{name}_stream_reasoning.json"));
            if !path.exists() {
                continue;
            }
            let chunks = recorded_chunks(&read(&path)).unwrap();
            let pieces =
                chunks.iter().map(|text| Chunk::scan("", text).unwrap().reasoning().into_owned());
            let pieces: String = pieces.collect();
            let gathered = gather(endpoint, &chunks);
            let gathered = Document::scan(&gathered).unwrap();
            assert_eq!(pieces, gathered.reasoning(), "{server} {name}");
            if !pieces.is_empty() {
                told.push(format!("{server} {name}"));
            }
            let plain = read(&folder.join(format!("{name}_reasoning.json")));
            let body = base64(plain["response"]["body_base64"].as_str().unwrap());
            let whole = Document::scan(&String::from_utf8(body).unwrap()).unwrap();
            assert_eq!(pieces, whole.reasoning(), "{server} {name}");
        }
    }
    let telling = ["llama-server", "litellm-to-llama-server", "aimock"];
    let telling = telling.map(|server| [format!("{server} chat"), format!("{server} responses")]);
    assert_eq!(told, telling.concat());
}

/// Here the server itself answers differently when it streams: the first request asked for fewer
/// tokens, the second never finishes its second choice.
const KNOWN_TO_DIFFER: [&str; 2] =
    ["llama-server/chat_stream_n2.json", "litellm/chat_stream_n2.json"];

/// Without its last event, a response has the same output, built from the events.
fn check_cut_response(name: &str, chunks: &[String]) {
    let whole: Json = serde_json::from_str(&gather(Endpoint::Responses, chunks)).unwrap();
    if whole["status"] != "completed" {
        return;
    }
    let kept: Vec<&String> =
        chunks.iter().filter(|chunk| !chunk.contains("\"response.completed\"")).collect();
    let cut: Json = serde_json::from_str(&gather(Endpoint::Responses, &kept)).unwrap();
    assert_eq!(cut["status"], "in_progress", "{name}");
    assert_eq!(cut["output"], whole["output"], "{name}");
}

#[test]
fn an_oversized_answer_names_the_option_and_keeps_earlier_chunks() {
    let piece =
        |text: &str| format!(r#"{{"choices":[{{"index":0,"delta":{{"content":"{text}"}}}}]}}"#);
    let mut gatherer = Gatherer::new(Endpoint::Chat, 1000);
    assert!(gatherer.is_empty());
    gatherer.add(Value::validated(&piece("kept"))).unwrap();
    let too_large = gatherer.add(Value::validated(&piece(&"x".repeat(1000)))).unwrap_err();
    let said = too_large.to_string();
    assert_eq!(said, "the accumulated answer exceeds response_bytes_max = 1000 bytes");
    assert!(gatherer.add(Value::validated(&piece("!"))).is_err(), "a text must have no gap");
    assert!(!gatherer.is_empty());
    let json = gatherer.json();
    assert!(json.contains(r#""content":"kept""#), "{json}");
}

/// A document becomes chunks that gather to the same document.
/// What takes the place of something gives its room back: the bound is one of what is held.
#[test]
fn what_is_replaced_is_not_counted() {
    const LONG: &str = "a text of some length, which is sent again and again";
    for forms in [
        // An object and a number, a list and a number, a text and an object.
        [format!(r#"{{"name":"{LONG}","list":["{LONG}"]}}"#), "5".to_owned()],
        [format!(r#"[{{"index":0,"text":"{LONG}"}}]"#), "5".to_owned()],
        [format!(r#""{LONG}""#), r#"{"a":1}"#.to_owned()],
        [format!(r#"["{LONG}"]"#), "5".to_owned()],
    ] {
        let mut gatherer = Gatherer::new(Endpoint::Chat, 2000);
        for at in 0..200 {
            let chunk = format!(
                r#"{{"choices":[{{"index":0,"delta":{{"more":{}}}}}]}}"#,
                forms[at % forms.len()]
            );
            let added = gatherer.add(Value::parse(&chunk).unwrap());
            assert!(added.is_ok(), "{} after {at} chunks", forms[0]);
        }
    }
    // A whole message takes the place of the pieces.
    let mut gatherer = Gatherer::new(Endpoint::Chat, 2000);
    for _ in 0..100 {
        for chunk in [
            format!(
                r#"{{"choices":[{{"index":0,"delta":{{"content":"{LONG}","more":{{"a":"{LONG}"}}}}}}]}}"#
            ),
            r#"{"choices":[{"index":0,"message":{"content":"x"}}]}"#.to_owned(),
        ] {
            gatherer.add(Value::parse(&chunk).unwrap()).unwrap();
        }
    }
}

/// The bounds of what is gathered are inclusive.
#[test]
fn exactly_the_bound_fits() {
    let mut room = tree::Room::new(10);
    assert!(room.take(10).is_ok());
    assert!(room.take(1).is_err());
    assert!(room.swap(10, 10).is_ok());
    assert!(room.swap(10, 11).is_err());
    assert!(room.more_parts(ELEMENTS_MAX).is_ok());
    assert!(room.more_parts(0).is_ok());
    assert!(room.more_parts(1).is_err());
}

#[test]
fn a_document_becomes_chunks() {
    let chat = r#" {"id":"c", "object" : "chat.completion","created":1e3,"choices":[{"index":0,"message" : {"role":"assistant","content":"message","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}, { "index" : 7 },{},3]},"logprobs":null,"finish_reason":"stop"},{"finish_reason":"length","message":null,"index":1}],"message":{},"usage":{"total_tokens":1}} "#;
    let chunk = r#"{"id":"c", "object" : "chat.completion.chunk","created":1e3,"choices":[{"index":0,"delta" : {"role":"assistant","content":"message","tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}, { "index" : 7 },{"index":2},3]},"logprobs":null,"finish_reason":"stop"},{"finish_reason":"length","delta":null,"index":1}],"message":{},"usage":{"total_tokens":1}}"#;
    let made = document_chunks(Endpoint::Chat, Value::parse(chat).unwrap());
    assert_eq!(made, [(String::new(), chunk.to_owned())]);
    let escaped = r#"{"choices":[{"mess\u0061ge":{"content":"x"}}]}"#;
    let made = document_chunks(Endpoint::Chat, Value::parse(escaped).unwrap());
    assert_eq!(made[0].1, r#"{"choices":[{"delta":{"content":"x"}}]}"#);
    for other in ["[]", "1", "\"choices\"", "{}", r#"{"choices":[1,[],{}]}"#, r#"{"choices":{}}"#] {
        let made = document_chunks(Endpoint::Chat, Value::parse(other).unwrap());
        assert_eq!(made, [(String::new(), other.to_owned())]);
    }
    let response = r#"{"id":"r","status":"incomplete","output":[{"id":"rs","type":"reasoning","content":[{"type":"reasoning_text","text":"so"}],"summary":[{"type":"summary_text","text":"no"}]},{"type":"reasoning","summary":[{"type":"summary_text","text":"in short"}]},{"id":"m","content":[{"type":"output_text","text":"a\u00e9"},{"type":"refusal","refusal":"no"},{"type":"output_text","text":"b"}]},{"content":[{"type":"output_text","text":""}]}],"n":1.50}"#;
    let made = document_chunks(Endpoint::Responses, Value::parse(response).unwrap());
    let delta = "response.output_text.delta";
    let own = "response.reasoning_text.delta";
    let summary = "response.reasoning_summary_text.delta";
    let expected = [
        (own, r#"{"type":"response.reasoning_text.delta","item_id":"rs","output_index":0,"content_index":0,"delta":"so"}"#.to_owned()),
        (summary, r#"{"type":"response.reasoning_summary_text.delta","output_index":1,"summary_index":0,"delta":"in short"}"#.to_owned()),
        (delta, r#"{"type":"response.output_text.delta","item_id":"m","output_index":2,"content_index":0,"delta":"a\u00e9"}"#.to_owned()),
        (delta, r#"{"type":"response.output_text.delta","item_id":"m","output_index":2,"content_index":2,"delta":"b"}"#.to_owned()),
        (delta, r#"{"type":"response.output_text.delta","output_index":3,"content_index":0,"delta":""}"#.to_owned()),
        ("response.incomplete", format!(r#"{{"type":"response.incomplete","response":{response}}}"#)),
    ];
    let expected = expected.map(|(name, json)| (name.to_owned(), json));
    assert_eq!(made, expected);
    let texts: Vec<String> = made.into_iter().map(|(_, json)| json).collect();
    assert_eq!(gather(Endpoint::Responses, &texts), response);
    let pieces = texts.iter().map(|text| Chunk::scan("", text).unwrap().reasoning().into_owned());
    assert_eq!(pieces.collect::<String>(), Document::scan(response).unwrap().reasoning());
    for (status, name) in [("completed", "response.completed"), ("failed", "response.failed")] {
        let document = format!(r#"{{"status":"{status}"}}"#);
        let made = document_chunks(Endpoint::Responses, Value::parse(&document).unwrap());
        assert_eq!((made.len(), made[0].0.as_str()), (1, name));
    }
}

/// Recorded plain answers, converted to chunks and gathered, are the same value.
#[test]
fn recorded_documents_survive_the_round_trip() {
    let mut count = 0;
    for server in ["llama-server", "litellm"] {
        for entry in std::fs::read_dir(tests_folder().join("captures").join(server)).unwrap() {
            let path = entry.unwrap().path();
            let Some(body) = read(&path)["response"]["body_base64"].as_str().map(base64) else {
                continue;
            };
            let text = String::from_utf8_lossy(&body).into_owned();
            let Ok(document) = Value::parse(&text) else { continue };
            let endpoint = match document.get("object").and_then(Value::as_str).as_deref() {
                Some("chat.completion") => Endpoint::Chat,
                Some("response") => Endpoint::Responses,
                _ => continue,
            };
            let made = document_chunks(endpoint, document);
            let chunks: Vec<String> = made.into_iter().map(|(_, json)| json).collect();
            let again: Json = serde_json::from_str(&gather(endpoint, &chunks)).unwrap();
            assert_eq!(again, serde_json::from_str::<Json>(&text).unwrap(), "{}", path.display());
            count += 1;
        }
    }
    assert!(count >= 20, "{count}");
}

/// Gathers eight times as many of these chunks in at most 24 times the time: quadratic work takes 64 times as
/// long. Other load on the machine can spoil one measurement, but not five.
fn check_linear(name: &str, count: usize, chunk: &dyn Fn(usize) -> String) {
    let endpoint = if chunk(0).contains("response") { Endpoint::Responses } else { Endpoint::Chat };
    let timed = |count: usize| {
        let chunks: Vec<String> = (0..count).map(chunk).collect();
        let started = processor_time();
        let json = gather(endpoint, &chunks);
        assert!(json.len() > count, "{name}: {} bytes of {count} chunks", json.len());
        processor_time() - started
    };
    let mut measured = Vec::new();
    for _ in 0..5 {
        let (few, many) = (timed(count), timed(8 * count));
        if many <= 24 * few {
            return;
        }
        measured.push((few, many));
    }
    panic!("{name}: {count} chunks and eight times as many took {measured:?}");
}

/// For each kind, from `texts` to `8 * texts` pieces of text, and from `parts` to `8 * parts` pieces that
/// each add a new part: an answer has at most `ELEMENTS_MAX` of those.
fn check_all_linear(texts: usize, parts: usize) {
    let chunk = |choice: String| {
        format!(
            r#"{{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{choice}]}}"#
        )
    };
    check_linear("text", texts, &|_| {
        chunk(r#"{"index":0,"delta":{"content":"word "},"finish_reason":null}"#.into())
    });
    check_linear("logprobs", texts, &|_| {
        chunk(r#"{"index":0,"delta":{"content":"w"},"logprobs":{"content":[{"token":"w","logprob":-0.1,"bytes":[119],"top_logprobs":[]}]}}"#.into())
    });
    check_linear("calls", parts, &|i| {
        chunk(format!(
            r#"{{"index":0,"delta":{{"tool_calls":[{{"index":{i},"id":"call_{i}","function":{{"name":"f","arguments":"{{}}"}}}}]}}}}"#
        ))
    });
    check_linear("calls without index", parts, &|i| {
        chunk(format!(
            r#"{{"index":0,"delta":{{"tool_calls":[{{"id":"{i}","function":{{"name":"f","arguments":"{{}}"}}}}]}}}}"#
        ))
    });
    check_linear("choices", parts, &|i| {
        chunk(format!(r#"{{"index":{},"delta":{{"content":"x"}}}}"#, i % (3 * parts)))
    });
    check_linear("members", parts, &|i| {
        chunk(format!(r#"{{"index":0,"delta":{{"field_{i}":"x"}}}}"#))
    });
    check_linear("response deltas", parts, &|i| {
        let item = i % parts;
        format!(
            r#"{{"type":"response.output_text.delta","item_id":"m{item}","output_index":{item},"content_index":0,"delta":"word "}}"#
        )
    });
    check_linear("response text", texts, &|_| {
        r#"{"type":"response.output_text.delta","item_id":"m","delta":"word "}"#.to_owned()
    });
    let deep = format!("{}1{}", r#"{"a":"#.repeat(900), "}".repeat(900));
    check_linear("deep", texts / 100, &|_| {
        chunk(format!(r#"{{"index":0,"delta":{{"deep":{deep}}}}}"#))
    });
}

#[test]
fn work_is_linear_in_the_input() {
    check_all_linear(400, 400);
}

/// The same with large input.
#[test]
#[ignore = "make test-deep, in a release build: takes long in a debug build"]
fn work_is_linear_in_a_large_input() {
    check_all_linear(4_000, 1_000);
}

#[test]
fn ten_thousand_tool_calls_are_all_there() {
    let call = |i| {
        format!(
            r#"{{"choices":[{{"index":0,"delta":{{"tool_calls":[{{"index":{i},"id":"call_{i}","function":{{"name":"f","arguments":"{{}}"}}}}]}}}}]}}"#
        )
    };
    let calls: Vec<String> = (0..10_000).map(call).collect();
    assert_eq!(gather(Endpoint::Chat, &calls).matches("call_").count(), 10_000);
    let bare: Vec<String> =
        (0..10_000).map(|i| call(i).replacen(&format!("\"index\":{i},"), "", 1)).collect();
    let kept = gather(Endpoint::Chat, &bare).matches("\"call_").count();
    assert_eq!(kept, 10_000);
}

fn content_of(parts: [&str; 2]) -> String {
    let chunks = parts.map(|part| format!(r#"{{"choices":[{{"delta":{{"content":[{part}]}}}}]}}"#));
    let gathered: Json = serde_json::from_str(&gather(Endpoint::Chat, &chunks)).unwrap();
    gathered["choices"][0]["message"]["content"].to_string()
}

/// A part continues the one before it if only its text differs, wherever in the part the text is.
#[test]
fn a_part_continues_where_its_text_is() {
    let thinking =
        |inner: &str| format!(r#"{{"type":"thinking","thinking":[{inner}],"closed":true}}"#);
    let text = |text: &str| format!(r#"{{"type":"text","text":"{text}","x":[1]}}"#);
    for blank in ["", " ", "\n\t  "] {
        let parts = ["a", "b", "ab"].map(|word| thinking(&format!("{blank}{}{blank}", text(word))));
        let expected: Json = serde_json::from_str(&format!("[{}]", parts[2])).unwrap();
        assert_eq!(content_of([&parts[0], &parts[1]]), expected.to_string(), "{blank:?}");
    }
    // Lists in lists, as deep as the bound says, and one deeper.
    for depth in 0..=6 {
        let [first, second, both] =
            ["a", "b", "ab"].map(|word| (0..depth).fold(text(word), |inner, _| thinking(&inner)));
        let expected = if depth <= 4 { format!("[{both}]") } else { format!("[{first},{second}]") };
        let expected: Json = serde_json::from_str(&expected).unwrap();
        assert_eq!(content_of([&first, &second]), expected.to_string(), "{depth}");
    }
    // With two texts it is not known which one goes on.
    let two = thinking(&format!("{},{}", text("a"), text("b")));
    let expected: Json = serde_json::from_str(&format!("[{two},{two}]")).unwrap();
    assert_eq!(content_of([&two, &two]), expected.to_string());
}

/// Services that count nothing: each part that is added is a new one, and texts belong to the last.
#[test]
fn parts_of_a_response_without_an_index_come_in_order() {
    let added = r#"{"type":"response.content_part.added","part":{"type":"output_text","text":""}}"#;
    let delta = |text: &str| format!(r#"{{"type":"response.output_text.delta","delta":"{text}"}}"#);
    let events = [added.to_owned(), delta("a"), delta("b"), added.to_owned(), delta("c")];
    let gathered: Json = serde_json::from_str(&gather(Endpoint::Responses, &events)).unwrap();
    let texts: Vec<_> = gathered["output"][0]["content"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| &part["text"])
        .collect();
    assert_eq!(texts, ["ab", "c"]);
}

#[test]
fn what_is_gathered_has_its_size() {
    let mut gatherer = Gatherer::new(Endpoint::Chat, BYTES_MAX);
    assert_eq!(gatherer.bytes(), 0);
    let chunk = |text: &str| format!(r#"{{"choices":[{{"delta":{{"content":"{text}"}}}}]}}"#);
    gatherer.add(Value::validated(&chunk("a"))).unwrap();
    let begun = gatherer.bytes();
    gatherer.add(Value::validated(&chunk(&"b".repeat(1000)))).unwrap();
    assert_eq!(gatherer.bytes(), begun + 1000);
}

fn gathered_of_deltas(deltas: &[&str]) -> String {
    let chunk = |delta: &&str| format!(r#"{{"choices":[{{"delta":{delta}}}]}}"#);
    gather(Endpoint::Chat, &deltas.iter().map(chunk).collect::<Vec<_>>())
}

/// By how many bytes the size grows with the second delta.
fn growth(first: &str, second: &str) -> usize {
    let mut gatherer = Gatherer::new(Endpoint::Chat, BYTES_MAX);
    let [_, begun, ended] = ["{}", first, second].map(|delta| {
        let chunk = format!(r#"{{"choices":[{{"delta":{delta}}}]}}"#);
        gatherer.add(Value::parse(&chunk).unwrap()).unwrap();
        gatherer.bytes()
    });
    ended - begun
}

/// A text grows by its bytes, a list by those of an item and of a comma.
#[test]
fn what_is_added_has_its_size() {
    let part = r#"{"type":"other","x":1}"#;
    for (first, second, more) in [
        (r#"{"content":[PART]}"#, r#"{"content":[PART]}"#, part.len() + 1),
        (r#"{"more":[PART]}"#, r#"{"more":[PART]}"#, part.len() + 1),
        (r#"{"more":[{"index":0}]}"#, r#"{"more":[{"index":1,"x":PART}]}"#, part.len() + 17),
        (r#"{"more":"a"}"#, r#"{"more":"bcd"}"#, 3),
    ] {
        let [first, second] = [first, second].map(|delta| delta.replace("PART", part));
        assert_eq!(growth(&first, &second), more, "{second}");
    }
}

/// An object gives back the bytes of its names and its values.
#[test]
fn an_object_that_is_replaced_gives_its_size_back() {
    let mut gatherer = Gatherer::new(Endpoint::Chat, BYTES_MAX);
    let mut sizes = Vec::new();
    for delta in [r#"{"more":{"text":"abc"}}"#, r#"{"more":{"text":"de"}}"#, r#"{"more":7}"#] {
        let chunk = format!(r#"{{"choices":[{{"delta":{delta}}}]}}"#);
        gatherer.add(Value::parse(&chunk).unwrap()).unwrap();
        sizes.push(gatherer.bytes());
    }
    let [whole, joined, replaced] = sizes[..] else { unreachable!() };
    assert_eq!((joined - whole, joined - replaced), (2, "textabcde".len() - 1));
}

#[test]
fn null_replaces_nothing() {
    let choice = |reason: &str| format!(r#"{{"choices":[{{"finish_reason":{reason}}}]}}"#);
    for reason in [r#""""#, r#""stop""#] {
        let gathered = gather(Endpoint::Chat, &[choice(reason), choice("null")]);
        assert!(gathered.contains(&format!(r#""finish_reason":{reason}}}"#)), "{gathered}");
    }
}

/// Also after an empty one.
#[test]
fn what_is_sent_once_keeps_its_white_space() {
    let parts = r#"[ {"type" : "text","text":"a"} , {"type":"other"} ]"#;
    let gathered = gathered_of_deltas(&[r#"{"content":[]}"#, &format!(r#"{{"content":{parts}}}"#)]);
    assert!(
        gathered.contains(r#"[{"type" : "text","text":"a"} , {"type":"other"}]"#),
        "{gathered}"
    );
    let function = r#"{ "name" : "f" , "arguments" : "{}" }"#;
    let calls = format!(r#"{{"tool_calls":[{{"index":0,"function":{function}}}]}}"#);
    let gathered = gathered_of_deltas(&[&calls]);
    assert!(gathered.contains(function), "{gathered}");
}

#[test]
fn a_function_that_is_no_object_replaces_the_one_before() {
    let call =
        |function: &str| format!(r#"{{"tool_calls":[{{"index":0,"function":{function}}}]}}"#);
    let [object, text] = [call(r#"{"name":"f","arguments":""}"#), call(r#""g""#)];
    let gathered = gathered_of_deltas(&[&object, &text]);
    assert!(gathered.contains(r#"[{"function":"g"}]"#), "{gathered}");
}

#[test]
fn a_response_is_empty_until_a_part_of_it_arrives() {
    let mut gatherer = Gatherer::new(Endpoint::Responses, BYTES_MAX);
    assert!(gatherer.is_empty());
    gatherer.add(Value::validated(r#"{"type":"response.created"}"#)).unwrap();
    assert!(gatherer.is_empty());
    let delta = r#"{"type":"response.output_text.delta","delta":"a"}"#;
    gatherer.add(Value::validated(delta)).unwrap();
    assert!(!gatherer.is_empty());
}

/// Unless events tell of items, the output is that of the response, as it was sent.
#[test]
fn a_response_that_goes_on_keeps_the_output_it_has() {
    let response = r#"{"output":[ {"type":"message"} ],"status":"in_progress"}"#;
    let event = format!(r#"{{"type":"response.in_progress","response":{response}}}"#);
    assert_eq!(gather(Endpoint::Responses, &[event]), response);
}

/// The item came with parts: a text goes on in one of them, and a part of another type takes its place.
#[test]
fn parts_that_came_with_their_item_go_on() {
    let item = r#"{"type":"response.output_item.added","output_index":0,"item":{"id":"m","content":[{"type":"output_text","text":"a"},{"type":"output_text","text":"b"}]}}"#;
    let delta =
        r#"{"type":"response.output_text.delta","output_index":0,"content_index":1,"delta":"c"}"#;
    let part = |part: &str| {
        format!(
            r#"{{"type":"response.content_part.added","output_index":0,"content_index":0,"part":{part}}}"#
        )
    };
    let refusal = r#"{"type":"refusal","refusal":"no"}"#;
    let same = r#"{"type":"output_text","text":"","annotations":[]}"#;
    for (begun, first) in
        [(refusal, refusal), (same, r#"{"type":"output_text","text":"a","annotations":[]}"#)]
    {
        let events = [item, delta, &part(begun)];
        let gathered: Json = serde_json::from_str(&gather(Endpoint::Responses, &events)).unwrap();
        let expected = format!(r#"[{first},{{"type":"output_text","text":"bc"}}]"#);
        let expected: Json = serde_json::from_str(&expected).unwrap();
        assert_eq!(gathered["output"][0]["content"], expected);
    }
}

/// Those that a duplicate replaces count, too: they are held for a moment, in many times their text.
#[test]
fn an_object_has_as_many_members_as_the_bound_says() {
    for (count, fits) in [(ELEMENTS_MAX, true), (ELEMENTS_MAX + 1, false)] {
        let event = format!("{{{}}}", vec![r#""a":0"#; count].join(","));
        let mut gatherer = Gatherer::new(Endpoint::Chat, 1 << 20);
        let added = gatherer.add(Value::validated(&event)).map_err(|error| error.to_string());
        assert_eq!(added.is_ok(), fits, "{count}");
        assert!(added.err().is_none_or(|error| error.contains("ELEMENTS_MAX")));
    }
}

/// One event for each part up to the bound, and one more by which the caller sees that it is exceeded.
#[test]
fn a_response_of_too_many_parts_becomes_a_bounded_number_of_chunks() {
    let chunks = |parts: usize| {
        let parts = vec![r#"{"type":"output_text","text":"x"}"#; parts].join(",");
        let response = format!(r#"{{"output":[{{"content":[{parts}]}}]}}"#);
        document_chunks(Endpoint::Responses, Value::validated(&response)).len()
    };
    assert_eq!(chunks(ELEMENTS_MAX + 1), ELEMENTS_MAX + 2);
    assert_eq!(chunks(ELEMENTS_MAX + 9), ELEMENTS_MAX + 2);
}
