//! Whatever chunks come, the gathered answer is JSON, wherever the stream is cut, within its bound;
//! and no piece of a text is lost. The first bytes choose how the rest makes chunks: as lines, as
//! bytes that build them, or as pieces of texts.
#![no_main]

use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use modelwire::limits::JSON_DEPTH_MAX;
use modelwire::parse::{chunks_of, document, gather};
use modelwire::{Endpoint, Kind, Value};
use modelwire_fuzz::{depth, is_json, steered};

const CHUNKS_MAX: usize = 48;

/// Of a long stream each n-th chunk is a place to cut it, another one for another length:
/// each cut gathers anew.
fn cuts(count: usize, sent: usize) -> impl Iterator<Item = usize> {
    let step = count / 8 + 1;
    (0..count).filter(move |at| at % step == sent % step).chain([count])
}

/// The gathered answer wherever the stream is cut.
fn check(endpoint: Endpoint, bytes_max: usize, chunks: &[String]) {
    let values: Vec<Value<'_>> =
        chunks.iter().filter_map(|text| Value::parse(text).ok()).take(CHUNKS_MAX).collect();
    let sent: usize = values.iter().map(|value| value.text().len()).sum();
    let mut full: Option<String> = None;
    for count in cuts(values.len(), sent) {
        let (json, fit) = gather(endpoint, bytes_max, values[..count].iter().copied());
        assert!(json.starts_with('{') && is_json(&json), "not JSON after {count} chunks: {json}");
        if depth(&json) <= JSON_DEPTH_MAX {
            assert!(document(&json).is_ok());
        }
        // Names may be escaped anew (six bytes for one); a choice has a frame of its own.
        let held = 8 * bytes_max + 6 * 1024;
        assert!(json.len() <= held, "{} bytes gathered, {bytes_max} allowed", json.len());
        assert!(fit || sent > bytes_max / 2, "{sent} bytes sent, {bytes_max} allowed");
        if let Some(full) = &full {
            assert!(!fit && *full == json, "something was added behind a gap");
        }
        full = (!fit).then_some(json);
    }
}

/// The chunks of a document are JSON, and gathered again they are an answer.
fn check_document(endpoint: Endpoint, text: &str) {
    let Ok(whole) = Value::parse(text) else { return };
    let chunks = chunks_of(endpoint, whole);
    let texts: Vec<String> = chunks.into_iter().map(|(_, json)| json).collect();
    for text in &texts {
        assert!(is_json(text), "not JSON: {text}");
    }
    check(endpoint, 1 << 20, &texts);
    if endpoint == Endpoint::Responses && whole.kind() == Kind::Object && depth(text) < 1000 {
        let values = texts.iter().map(|text| Value::parse(text).unwrap());
        assert_eq!(gather(endpoint, 1 << 20, values), (whole.text().to_owned(), true));
    }
}

#[rustfmt::skip]
const NAMES: [&str; 24] = [
    "index", "id", "type", "role", "name", "content", "text", "function", "arguments", "tool_calls",
    "delta", "message", "finish_reason", "logprobs", "usage", "refusal", "output", "summary",
    "item", "part", "object", "", "a\\u0062", "index",
];
const STRINGS: [&str; 10] =
    ["", "a", "b", "call_1", "call_2", "\\ud83d", "\\ude00", "\\\"", "output_text", "message"];
#[rustfmt::skip]
const SUBJECTS: [&str; 14] = [
    "output_item.added", "output_item.done", "content_part.added", "content_part.done",
    "output_text.delta", "output_text.done", "refusal.delta", "reasoning_summary_text.delta",
    "reasoning_summary_part.added", "function_call_arguments.delta",
    "function_call_arguments.done", "in_progress", "created", "completed",
];

fn string(u: &mut Unstructured<'_>) -> Result<String> {
    Ok(format!("\"{}\"", u.choose(&STRINGS)?))
}

fn value(u: &mut Unstructured<'_>, levels: u32) -> Result<String> {
    Ok(match u.int_in_range(0..=if levels == 0 { 5 } else { 9 })? {
        0 => "null".to_owned(),
        1 => u.int_in_range(-2i64..=3)?.to_string(),
        2 => ["true", "1e3", "-0", "9223372036854775808"][u.choose_index(4)?].to_owned(),
        3..=5 => string(u)?,
        6 | 7 => object(u, levels - 1)?,
        _ => {
            let mut items = Vec::new();
            for _ in 0..u.int_in_range(0..=3)? {
                items.push(value(u, levels - 1)?);
            }
            format!("[{}]", items.join(", "))
        }
    })
}

fn object(u: &mut Unstructured<'_>, levels: u32) -> Result<String> {
    let mut members = Vec::new();
    for _ in 0..u.int_in_range(0..=4)? {
        members.push(format!("\"{}\": {}", u.choose(&NAMES)?, value(u, levels)?));
    }
    // Beyond sixteen members an object is searched by map.
    if u.ratio(1, 16)? {
        members.extend((0..20).map(|number| format!("\"n{number}\":{number}")));
    }
    Ok(format!("{{{}}}", members.join(",")))
}

fn chat_chunk(u: &mut Unstructured<'_>) -> Result<String> {
    let mut choices = Vec::new();
    for _ in 0..u.int_in_range(1..=2)? {
        let mut choice = vec![format!("\"delta\":{}", value(u, 4)?)];
        if u.ratio(3, 4)? {
            choice.push(format!("\"index\":{}", u.int_in_range(0..=2)?));
        }
        if u.ratio(1, 2)? {
            choice.push(format!("\"{}\":{}", u.choose(&NAMES)?, value(u, 3)?));
        }
        choices.push(format!("{{{}}}", choice.join(",")));
    }
    let extra = if u.ratio(1, 4)? { format!(",\"usage\":{}", value(u, 2)?) } else { String::new() };
    Ok(format!("{{\"id\":\"c\",\"choices\":[{}]{extra}}}", choices.join(",")))
}

fn response_event(u: &mut Unstructured<'_>) -> Result<String> {
    let mut event = vec![format!("\"type\":\"response.{}\"", u.choose(&SUBJECTS)?)];
    for name in ["output_index", "content_index", "summary_index"] {
        if u.ratio(1, 2)? {
            event.push(format!("\"{name}\":{}", u.int_in_range(-1..=2)?));
        }
    }
    for name in ["item_id", "delta", "text"] {
        if u.ratio(1, 2)? {
            event.push(format!("\"{name}\":{}", string(u)?));
        }
    }
    for name in ["item", "part", "response"] {
        if u.ratio(1, 3)? {
            event.push(format!("\"{name}\":{}", value(u, 4)?));
        }
    }
    Ok(format!("{{{}}}", event.join(",")))
}

fn built_chunks(endpoint: Endpoint, data: &[u8]) -> Vec<String> {
    let mut u = Unstructured::new(data);
    let mut chunks = Vec::new();
    while !u.is_empty() && chunks.len() < CHUNKS_MAX {
        let chunk = match endpoint {
            Endpoint::Responses => response_event(&mut u),
            Endpoint::Chat | Endpoint::Models => chat_chunk(&mut u),
        };
        chunks.extend(chunk);
    }
    chunks
}

/// Texts that come in pieces, several at a time, are whole in the end.
fn check_pieces(endpoint: Endpoint, data: &[u8]) {
    let mut texts: [String; 3] = Default::default();
    let mut seen = [false; 3];
    let mut chunks = Vec::new();
    for byte in data {
        let (at, piece) = (usize::from(byte % 3), STRINGS[usize::from(byte / 3) % 10]);
        texts[at].push_str(piece);
        seen[at] = true;
        chunks.push(match endpoint {
            Endpoint::Responses => {
                let place = format!(r#""output_index":{at},"content_index":0"#);
                let kind = "response.output_text.delta";
                format!(r#"{{"type":"{kind}",{place},"delta":"{piece}"}}"#)
            }
            Endpoint::Chat | Endpoint::Models => {
                format!(r#"{{"choices":[{{"index":{at},"delta":{{"content":"{piece}"}}}}]}}"#)
            }
        });
    }
    let values = chunks.iter().map(|text| Value::parse(text).unwrap());
    let (json, fit) = gather(endpoint, 1 << 20, values);
    assert!(fit);
    let answer = Value::parse(&json).unwrap();
    let places = (0..3).filter(|at| seen[*at]);
    for (place, at) in places.enumerate() {
        let found = match endpoint {
            Endpoint::Responses => answer.pointer(&format!("/output/{place}/content/0/text")),
            Endpoint::Chat | Endpoint::Models => {
                answer.pointer(&format!("/choices/{place}/message/content"))
            }
        };
        let whole = format!("\"{}\"", texts[at]);
        assert_eq!(found.map(Value::text), Some(&whole[..]), "in {json}");
    }
}

fuzz_target!(|input: &[u8]| {
    let ([way, bound], data) = steered::<2>(input);
    let endpoint = if way & 1 == 0 { Endpoint::Chat } else { Endpoint::Responses };
    let bytes_max = if bound == 0 { 1 << 20 } else { usize::from(bound) * 8 };
    match way >> 1 & 3 {
        0 | 1 => {
            let text = String::from_utf8_lossy(data);
            let chunks: Vec<String> = text.lines().map(str::to_owned).collect();
            check(endpoint, bytes_max, &chunks);
            chunks.iter().take(4).for_each(|text| check_document(endpoint, text));
        }
        2 => check(endpoint, bytes_max, &built_chunks(endpoint, data)),
        _ => check_pieces(endpoint, data),
    }
});
