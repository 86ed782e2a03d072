//! The hot path of a stream without a network: bytes to events to chunks to text, COUNT times. What
//! callgrind counts.
#![allow(clippy::unwrap_used, reason = "a benchmark that fails should stop with its reason")]

use modelwire::parse::{Decoder, Event, chunk};
use modelwire_bench::render::{Rendered, Route};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (kind, count) = (arguments.next().unwrap(), arguments.next().unwrap());
    let count: usize = count.parse().unwrap();
    let wire = events(&kind);
    let mut decoder = Decoder::new(16 << 20);
    let (mut seen, mut text_bytes) = (0, 0);
    let mut sink = |event: Event<'_>| {
        seen += 1;
        text_bytes += chunk(event.name, &event.data).unwrap().text().len();
    };
    for _ in 0..count {
        decoder.feed(&wire, &mut sink).unwrap();
    }
    assert_eq!(seen, count);
    assert!(text_bytes >= count);
}

/// One event as it stands in a body of the benchmark, without HTTP's framing.
fn events(kind: &str) -> Vec<u8> {
    let route = Route::parse(&format!("/{kind}/1/1/230/0")).unwrap();
    let (bytes, _) = Rendered::new(&route).blocks.swap_remove(1);
    let text = String::from_utf8(bytes).unwrap();
    let event = text.split_once("\r\n").unwrap().1;
    event.strip_suffix("\r\n").unwrap().as_bytes().to_vec()
}
