//! One event of growing size and gathering of a growing number of deltas, without a network: CPU nanoseconds
//! per byte and per delta, which stay the same where the time is linear.
#![allow(clippy::unwrap_used, reason = "a benchmark that fails should stop with its reason")]

use modelwire::Endpoint;
use modelwire::parse::{Decoder, chunk, gather};
use modelwire_bench::measure::cpu_time;

fn main() {
    let mut rows = Vec::new();
    for piece in [1, 16 << 10] {
        for mebibytes in [1, 4, 16] {
            let ns = one_event(mebibytes << 20, piece);
            rows.push(format!(
                "[\"{mebibytes} MiB event, fed {piece} B at a time, ns/B\",{ns:.3}]"
            ));
        }
    }
    for deltas in [2_000, 8_000, 32_000] {
        let ns = gathered(deltas);
        rows.push(format!("[\"{deltas} deltas gathered, ns/delta\",{ns:.1}]"));
    }
    println!("[{}]", rows.join(","));
}

fn one_event(bytes: usize, piece: usize) -> f64 {
    let text = format!(
        "{{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{}\"}}}}]}}",
        "x".repeat(bytes - 64)
    );
    let wire = format!("data: {text}\n\n");
    let mut decoder = Decoder::new(wire.len());
    let (start, mut seen) = (cpu_time(), 0);
    for piece in wire.as_bytes().chunks(piece) {
        let mut found = |event: modelwire::parse::Event<'_>| {
            seen += chunk("", &event.data).unwrap().text().len()
        };
        decoder.feed(piece, &mut found).unwrap();
    }
    assert_eq!(seen, bytes - 64);
    (cpu_time() - start).as_secs_f64() * 1e9 / wire.len() as f64
}

fn gathered(deltas: usize) -> f64 {
    let text = "{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\
                \"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\" hello\"}}]}";
    let one = chunk("", text).unwrap();
    let start = cpu_time();
    let (json, fits) =
        gather(Endpoint::Chat, 256 << 20, std::iter::repeat_n(&one, deltas).map(|one| one.value()));
    assert!(fits && json.len() > deltas * 6);
    (cpu_time() - start).as_secs_f64() * 1e9 / deltas as f64
}
