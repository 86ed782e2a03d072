//! Events that differ in a few bytes are read by their differences: each as it reads alone. The input: how many
//! events follow the first, where each differs from the one before and how, and the first.
#![no_main]

use libfuzzer_sys::fuzz_target;
use modelwire::{Chunk, parse};
use modelwire_fuzz::steered;

/// More differences than one event may have without being read whole.
const CHANGES: usize = 4;

/// Removes, doubles or replaces a byte.
fn change(event: &mut Vec<u8>, at: u16, byte: u8) {
    if event.is_empty() {
        return;
    }
    let at = usize::from(at) % event.len();
    match byte {
        0xfe => drop(event.remove(at)),
        0xfd => event.insert(at, event[at]),
        0xfc => event.splice(at..at, *b"\\\"").for_each(drop),
        byte => event[at] = byte,
    }
}

/// Everything that is read of a chunk.
fn reading(chunk: &Chunk) -> String {
    let choices: Vec<_> = chunk
        .choices()
        .map(|choice| {
            let calls: Vec<_> = choice
                .tool_calls()
                .map(|call| (call.index(), call.id(), call.name(), call.arguments()))
                .collect();
            let texts = (choice.role(), choice.content(), choice.reasoning());
            let said = (choice.said().text(), choice.is_message());
            (choice.index(), choice.value().text(), said, texts, choice.finish_reason(), calls)
        })
        .collect();
    let names = (chunk.id(), chunk.item_id(), chunk.kind(), chunk.text(), chunk.reasoning());
    let response = chunk.response().map(|response| response.text());
    format!("{} {names:?} {choices:?} {response:?} {:?}", chunk.json(), chunk.usage())
}

fuzz_target!(|input: &[u8]| {
    let ([count], rest) = steered::<1>(input);
    let count = usize::from(count % 12);
    let (changes, first) = rest.split_at(rest.len().min(count * CHANGES * 3));
    let mut events = vec![first.to_vec()];
    for changed in changes.chunks(CHANGES * 3) {
        let mut event = events[events.len() - 1].clone();
        for change_of in changed.chunks_exact(3) {
            // A change of nothing: fewer differences.
            if change_of[2] != 0 {
                let at = u16::from_be_bytes([change_of[0], change_of[1]]);
                change(&mut event, at, change_of[2]);
            }
        }
        events.push(event);
    }
    let found = parse::chunks(events.iter().map(|event| &**event));
    assert_eq!(found.len(), events.len());
    for (found, event) in found.iter().zip(&events) {
        let alone = parse::chunk("", &String::from_utf8_lossy(event));
        let found = found.as_ref().map(reading);
        assert_eq!(found, alone.as_ref().map(reading), "{events:?}");
    }
});
