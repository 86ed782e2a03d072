//! Tests of the records: what is written is read back, with any white space.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

use super::*;

fn records() -> Vec<Record<'static>> {
    let key = |key: &'static str| Cow::Borrowed(key);
    let settings =
        vec![("--ordered".to_owned(), "yes".to_owned()), ("--shard".to_owned(), "1/4".to_owned())];
    vec![
        Record::Header(Header { results: "out \"1\".jsonl".to_owned(), settings }),
        Record::Run { pid: 12, began: 1_790_000_000 },
        Record::Sent { key: key("row-7"), check: u32::MAX },
        Record::Sent { key: key("a \"b\" \\ \n ü"), check: 0 },
        Record::Back { key: key("row-7"), check: 3 },
        Record::Ended { key: key("row-7"), outcome: Outcome::Done, check: 1, end: Some(u64::MAX) },
        Record::Ended { key: key(""), outcome: Outcome::Failed, check: 1, end: None },
        Record::Rewritten { end: 0 },
        Record::Assembled { end: 17 },
    ]
}

#[test]
fn what_is_written_is_read() {
    for record in records() {
        let mut line = Vec::new();
        record.write(&mut line);
        assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
        let line = line.strip_suffix(b"\n").unwrap();
        assert_eq!(Record::read(line).as_ref(), Some(&record));
        let value: Value = serde_json::from_slice(line).unwrap();
        let spaced = serde_json::to_string_pretty(&value).unwrap().replace('\n', "");
        assert_eq!(Record::read(spaced.as_bytes()).as_ref(), Some(&record), "{spaced}");
        for cut in 0..line.len() {
            assert_eq!(Record::read(&line[..cut]), None, "{}", line[..cut].escape_ascii());
        }
    }
}

#[test]
fn a_damaged_line_is_not_a_record() {
    for line in [
        "",
        "{}",
        "[]",
        "{\"sent\":\"a\"}",
        "{\"sent\":\"a\",\"check\":-1}",
        "{\"sent\":\"a\",\"check\":4294967296}",
        "{\"sent\":7,\"check\":1}",
        "{\"done\":\"a\",\"check\":1,\"end\":1}x",
        "{\"modelwire_journal\":2,\"results\":\"a\",\"settings\":{}}",
        "\u{0}",
    ] {
        assert_eq!(Record::read(line.as_bytes()), None, "{line}");
    }
}

#[test]
fn numbers_are_decimal() {
    for number in [0, 9, 10, 123, u64::MAX] {
        let mut out = Vec::new();
        write_number(number, &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), number.to_string());
    }
}
