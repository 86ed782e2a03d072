//! A delta scan finds the same as a full scan, for every pair of texts: chunks in the forms that services
//! send, and texts that differ slightly from them.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]
use super::*;
use crate::protocol::choice::choices_of;
use crate::protocol::offsets::EventSpans;
use crate::protocol::reader::Reader;

const TEXTS: [&str; 35] = [
    r#"{"choices":[{"index":0,"delta":{"content":"hello"},"finish_reason":null}]}"#,
    r#"{"choices":[{"index":0,"delta":{"content":" world, how are you?"},"finish_reason":null}]}"#,
    r#"{"choices":[{"index":0,"delta":{"content":""},"finish_reason":null}]}"#,
    r#"{"choices":[{"index":0,"delta":{"content":"\n\"x\""},"finish_reason":null}]}"#,
    r#"{"choices":[{"index":0,"delta":{"content":"\u00e9"},"finish_reason":null}]}"#,
    r#"{"choices":[{"index":0,"delta":{"content":"é😀"},"finish_reason":null}]}"#,
    r#"{"choices":[{"index":1,"delta":{"content":"hello"},"finish_reason":null}]}"#,
    r#"{"choices":[{"index":0,"delta":{"content":null},"finish_reason":null}]}"#,
    r#"{"choices":[{"index":0,"delta":{"content":7},"finish_reason":null}]}"#,
    r#"{"choices":[{"index":0,"delta":{"content":"hello"},"finish_reason":"stop"}]}"#,
    r#"{"choices":[{"index":0,"delta":{"content":"hello"},"finish_reason":"length"}]}"#,
    r#"{"choices":[{"index":0,"delta":{"contents":"hello"},"finish_reason":null}]}"#,
    r#"{"choices":[{"index":0,"delta":{"content":"hello},"finish_reason":null}]}"#,
    r#"{"choices":[{"index":0,"delta":{"content":"hello"},"finish_reason":null}]"#,
    r#"{"choices":[{"index":0,"delta":{"content":"hello"},"finish_reason":null}]} "#,
    r#"{"choices":[{"index":0,"delta":{"content":"hello"},"finish_reason":null}],"usage":{"n":1}}"#,
    r#"{"choices":[{"index":0,"delta":{"content":"hello"},"finish_reason":null}],"usage":{"n":12}}"#,
    r#"{"choices":[{"index":0,"delta":{"content":"hello"},"finish_reason":null}],"usage":{"n":-1.5e3}}"#,
    r#"{"choices":[{"index":0,"delta":{"content":"hello"},"finish_reason":null}],"usage":{"n":01}}"#,
    r#"{"choices":[{"index":0,"delta":{"content":"hello"},"finish_reason":null}],"usage":null}"#,
    r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]}}]}"#,
    r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"g","arguments":"\"q\":1"}}]}}]}"#,
    r#"{"choices":[{"index":0,"delta":{"content":"a"}},{"index":1,"delta":{"content":"b"}}]}"#,
    r#"{"choices":[{"index":0,"delta":{"content":"aa"}},{"index":1,"delta":{"content":""}}]}"#,
    r#"{"type":"response.output_text.delta","sequence_number":9,"item_id":"m","delta":"x","obfuscation":"abc"}"#,
    r#"{"type":"response.output_text.delta","sequence_number":10,"item_id":"m","delta":"","obfuscation":"d"}"#,
    r#"{"type":"response.output_text.done","sequence_number":11,"item_id":"mm","delta":"xy","obfuscation":""}"#,
    r#"{"type":"response.output_text.delta","sequence_number":"9","item_id":"m","delta":"x","obfuscation":"abc"}"#,
    r#"{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"delta":"x"}"#,
    r#"{"a":9,"b":9,"c":9,"d":9,"e":9,"f":9,"g":9,"delta":"y"}"#,
    r#"{"delta":"a","delta":"b","type":"t"}"#,
    r#"{"delta":"aa","delta":"","type":"tt"}"#,
    r#"{"choices":[{"message":{"content":"m"},"delta":{"role":"assistant","content":"d"},"index":0}]}"#,
    r#"{"choices":[{"message":{"content":"m"},"delta":{"role":"assistant","content":""},"index":0}]}"#,
    r#"{"choices":[{"message":{"content":""},"delta":{"role":"assistant","content":"dd"},"index":0}]}"#,
];

/// All that was found, as it is read.
fn reading(reader: Reader<'_>, spans: &Spans) -> String {
    let EventSpans { id, kind, item_id, delta, usage, error, response } = spans.event;
    let strings = [id, kind, item_id, delta].map(|span| span.map(|span| reader.string(span)));
    let values = [usage, error, response].map(|span| span.map(|span| reader.value(span).text()));
    let choices: Vec<_> = choices_of(reader, spans)
        .map(|choice| {
            let calls: Vec<_> = choice
                .tool_calls()
                .map(|call| (call.index(), call.id(), call.name(), call.arguments()))
                .collect();
            let said = (choice.role(), choice.content(), choice.finish_reason(), calls);
            (choice.index(), choice.value().text(), said)
        })
        .collect();
    format!("{strings:?} {values:?} {choices:?}")
}

/// The results must be equal.
fn check(scan: &mut DeltaScan, text: &str) {
    let mut texts = "before".to_owned();
    let found = scan.scan(text.as_bytes(), &mut texts).map(|edits| {
        assert_eq!(texts, format!("before{text}"));
        let reader = Reader { text, edits: edits.get() };
        reading(reader, scan.spans())
    });
    let whole = Spans::scan(text);
    let expected = whole.map(|spans| reading(Reader { text, edits: &[] }, &spans));
    assert_eq!(found, expected, "{text}");
}

#[test]
fn every_three_read_as_a_full_scan() {
    for known in TEXTS {
        let mut scan = DeltaScan::default();
        for text in TEXTS {
            for next in TEXTS {
                check(&mut scan, known);
                check(&mut scan, text);
                check(&mut scan, next);
            }
        }
    }
}

#[test]
fn neighbours_that_differ_in_values_are_not_scanned() {
    let mut scan = DeltaScan::default();
    check(&mut scan, TEXTS[0]);
    for text in [TEXTS[1], TEXTS[2], TEXTS[3], TEXTS[5]] {
        assert_eq!(scan.edits(text).unwrap().get().len(), 1, "{text}");
    }
    for text in [TEXTS[6], TEXTS[7], TEXTS[8], TEXTS[11], TEXTS[12], TEXTS[14]] {
        assert!(scan.edits(text).is_none(), "{text}");
    }
    check(&mut scan, TEXTS[24]);
    assert_eq!(scan.edits(TEXTS[25]).unwrap().get().len(), 3);
    check(&mut scan, TEXTS[28]);
    assert!(scan.edits(TEXTS[29]).is_none(), "more than EDITS_MAX differences");
}

/// Only the values that differed last time are read then.
#[test]
fn values_that_differ_again_are_read_without_a_search() {
    for (known, second, third, count) in
        [(0, 1, 3, Some(1)), (22, 23, 22, Some(2)), (24, 25, 24, Some(3)), (24, 25, 26, None)]
    {
        let third = TEXTS[third];
        let mut scan = DeltaScan::default();
        check(&mut scan, TEXTS[known]);
        check(&mut scan, TEXTS[second]);
        let edits = scan.same_edits(third.as_bytes());
        assert_eq!(edits.map(|edits| edits.get().len()), count, "{third}");
        if let Some(edits) = edits {
            let mut texts = "before".to_owned();
            scan.append(third.as_bytes(), &edits, &mut texts).unwrap();
            assert_eq!(texts, format!("before{third}"));
        }
    }
}

/// Each text compared with itself with one byte changed, removed or doubled.
#[test]
fn the_delta_scan_accepts_nothing_that_a_full_scan_refuses() {
    for known in TEXTS {
        for at in 0..known.len() {
            let (before, after) = known.as_bytes().split_at(at);
            let changed = b"\"\\{}[],:0a-n \x01\xff"
                .iter()
                .map(|byte| [before, &[*byte], after.get(1..).unwrap_or_default()].concat());
            let others = [[before, &after[1..]].concat(), [before, &after[..1], after].concat()];
            for bytes in changed.chain(others) {
                let Ok(text) = String::from_utf8(bytes) else { continue };
                let mut scan = DeltaScan::default();
                check(&mut scan, known);
                check(&mut scan, &text);
            }
        }
    }
}

/// A comparison that failed half-way leaves nothing behind: a quote of the new text is not the end of a value.
#[test]
fn values_of_an_older_text_are_forgotten() {
    let mut scan = DeltaScan::default();
    check(&mut scan, r#"{"a":"x","b":1}"#);
    check(&mut scan, r#"{"a":"\"q","b":null}"#);
    check(&mut scan, r#"{"a":"zzz"q","b":null}"#);
}

/// Each byte of a text changed to one that is not UTF-8 there, between texts that are read by their differences.
#[test]
fn what_is_not_utf_8_reads_as_in_a_full_scan() {
    for (known, text) in [(TEXTS[0], TEXTS[1]), (TEXTS[1], TEXTS[5]), (TEXTS[24], TEXTS[25])] {
        let mut scan = DeltaScan::default();
        check(&mut scan, known);
        for at in 0..text.len() {
            check(&mut scan, text);
            let mut bytes = text.as_bytes().to_vec();
            bytes[at] = 0xff;
            let lossy = String::from_utf8_lossy(&bytes).into_owned();
            let mut texts = String::new();
            let found = scan.scan(&bytes, &mut texts);
            assert_eq!((found.is_ok(), &texts), (Spans::scan(&lossy).is_ok(), &lossy));
            check(&mut scan, &lossy);
        }
    }
}

#[test]
fn a_large_event_is_not_remembered() {
    let large = format!(r#"{{"delta":"{}"}}"#, "x".repeat(KNOWN_BYTES_MAX));
    let mut scan = DeltaScan::default();
    check(&mut scan, r#"{"delta":"a"}"#);
    check(&mut scan, &large); // a value may have any size
    assert_eq!(scan.known, r#"{"delta":"a"}"#);
    check(&mut scan, &format!("{large} "));
    assert!(scan.known.is_empty());
    check(&mut scan, r#"{"delta":"b"}"#);
    assert_eq!(scan.known, r#"{"delta":"b"}"#);
}
