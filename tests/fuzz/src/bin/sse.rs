//! Any bytes are a stream: cut anywhere they give the same events, those that a plain reading of
//! the grammar gives, and no event is larger than the bound.
#![no_main]

use std::convert::Infallible;

use eventsource_stream::Eventsource;
use futures_util::{FutureExt, StreamExt, stream};
use libfuzzer_sys::fuzz_target;
use modelwire::parse::Decoder;
use modelwire_fuzz::steered;

#[derive(Debug, Default, PartialEq)]
struct Decoded {
    events: Vec<(String, String)>,
    unfinished: Vec<(String, String)>,
    is_too_large: bool,
    last_event_id: String,
    retry_ms: Option<u64>,
    substance: u64,
}

fn decode<'a>(bytes_max: usize, pieces: impl Iterator<Item = &'a [u8]>) -> Decoded {
    let mut decoder = Decoder::new(bytes_max);
    let mut decoded = Decoded::default();
    let take = |into: &mut Vec<(String, String)>, name: &str, data: &str| {
        // What is not UTF-8 grows to three bytes for one.
        assert!(data.len() <= 3 * bytes_max && name.len() <= 3 * bytes_max, "beyond the bound");
        into.push((name.to_owned(), data.to_owned()));
    };
    for piece in pieces {
        let events = &mut decoded.events;
        if decoder.feed(piece, &mut |event| take(events, event.name, &event.data)).is_err() {
            decoded.is_too_large = true;
            return decoded;
        }
    }
    decoded.substance = decoder.substance();
    let unfinished = &mut decoded.unfinished;
    let finished = decoder.finish(&mut |event| take(unfinished, event.name, &event.data));
    assert!(finished.is_ok(), "the end adds no bytes, so it breaks no bound");
    assert!(decoded.unfinished.len() <= 1);
    decoded.last_event_id = decoder.last_event_id().to_owned();
    decoded.retry_ms = decoder.retry_ms();
    decoded
}

/// The pieces of `bytes`, of these sizes in turn; all zero means byte by byte.
fn pieces(mut bytes: &[u8], sizes: [u8; 3]) -> impl Iterator<Item = &[u8]> {
    let mut turn = 0;
    std::iter::from_fn(move || {
        if bytes.is_empty() {
            return None;
        }
        let size = if sizes == [0; 3] { 1 } else { usize::from(sizes[turn % 3]) };
        turn += 1;
        let (piece, rest) = bytes.split_at(size.min(bytes.len()));
        bytes = rest;
        Some(piece)
    })
}

/// The grammar as it stands in the standard, without bound, haste or memory.
fn read_plainly(bytes: &[u8]) -> Decoded {
    let mut decoded = Decoded::default();
    let (mut data, mut name, mut id) = (Vec::new(), String::new(), String::new());
    let mut rest = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
        let line = &rest[..end];
        rest = &rest[end + if rest[end..].starts_with(b"\r\n") { 2 } else { 1 }..];
        read_line(line, &mut decoded, &mut data, &mut name, &mut id);
    }
    if !rest.is_empty() {
        read_line(rest, &mut decoded, &mut data, &mut name, &mut id);
    }
    if data.pop().is_some() {
        decoded.unfinished.push((name, String::from_utf8_lossy(&data).into_owned()));
    }
    decoded
}

fn read_line(
    line: &[u8],
    decoded: &mut Decoded,
    data: &mut Vec<u8>,
    name: &mut String,
    id: &mut String,
) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if line.is_empty() {
        decoded.last_event_id.clone_from(id);
        let name = std::mem::take(name);
        if data.pop().is_some() {
            decoded.events.push((name, text(&std::mem::take(data))));
        }
        return;
    }
    let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
    let value = line.get(colon + 1..).unwrap_or_default();
    let value = value.strip_prefix(b" ").unwrap_or(value);
    match &line[..colon] {
        b"data" => data.extend([value, b"\n"].concat()),
        b"event" => *name = text(value),
        b"id" if !value.contains(&0) => *id = text(value),
        b"retry" if value.iter().all(u8::is_ascii_digit) => {
            decoded.retry_ms = text(value).parse().ok().or(decoded.retry_ms);
        }
        _ => {}
    }
}

/// The events that another library reads, where it follows the standard: it takes UTF-8 alone, stumbles over
/// a byte order mark, and waits for what is behind a last CR.
fn read_by_other(bytes: &[u8]) -> Option<Vec<(String, String)>> {
    let text = std::str::from_utf8(bytes).ok()?;
    if text.starts_with('\u{feff}') || text.ends_with('\r') {
        return None;
    }
    let pieces = stream::iter([Ok::<_, Infallible>(text)]);
    let events = pieces.eventsource().map(|event| event.expect("an event"));
    let events = events.map(|event| (event.event, event.data)).collect().now_or_never();
    Some(events.expect("all pieces are there"))
}

fuzz_target!(|input: &[u8]| {
    let ([bound, sizes @ ..], bytes) = steered::<4>(input);
    // A byte order mark that is still incomplete counts: it needs a bound of two bytes at least.
    let bytes_max = if bound == 0 { 1 << 20 } else { usize::from(bound) + 1 };
    let whole = decode(bytes_max, std::iter::once(bytes));
    assert_eq!(whole, decode(bytes_max, pieces(bytes, sizes)), "split in {sizes:?}");
    assert_eq!(whole, decode(bytes_max, pieces(bytes, [0; 3])), "byte by byte");
    assert!(whole.substance <= bytes.len() as u64);
    let mut plain = read_plainly(bytes);
    if whole.is_too_large {
        assert!(plain.events.starts_with(&whole.events), "events before the bound broke");
        return;
    }
    plain.substance = whole.substance;
    assert_eq!(whole, plain);
    if let Some(expected) = read_by_other(bytes) {
        let named = |(name, data): (String, String)| match name.is_empty() {
            true => ("message".to_owned(), data),
            false => (name, data),
        };
        assert_eq!(whole.events.into_iter().map(named).collect::<Vec<_>>(), expected);
    }
});
