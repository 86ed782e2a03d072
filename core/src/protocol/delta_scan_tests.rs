//! A delta scan finds the same as a full scan, for every pair of texts: chunks in the forms that services
//! send, and texts that differ slightly from them.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]
use super::*;

const TEXTS: [&str; 32] = [
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
];

/// The results must be equal, including the bytes behind each span.
fn check(scan: &mut DeltaScan, text: &str) {
    let (found, expected) = (scan.scan(text), Spans::scan(text));
    assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{text}");
}

#[test]
fn every_pair_reads_as_a_full_scan() {
    for known in TEXTS {
        for text in TEXTS {
            let mut scan = DeltaScan::default();
            check(&mut scan, known);
            check(&mut scan, text);
            check(&mut scan, known);
        }
    }
}

#[test]
fn neighbours_that_differ_in_values_are_not_scanned() {
    let mut scan = DeltaScan::default();
    check(&mut scan, TEXTS[0]);
    for text in [TEXTS[1], TEXTS[2], TEXTS[3], TEXTS[5]] {
        assert_eq!(scan.edits(text).unwrap().count, 1, "{text}");
    }
    for text in [TEXTS[6], TEXTS[7], TEXTS[8], TEXTS[11], TEXTS[12], TEXTS[14]] {
        assert!(scan.edits(text).is_none(), "{text}");
    }
    check(&mut scan, TEXTS[24]);
    assert_eq!(scan.edits(TEXTS[25]).unwrap().count, 3);
    check(&mut scan, TEXTS[28]);
    assert!(scan.edits(TEXTS[29]).is_none(), "more than EDITS_MAX differences");
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
