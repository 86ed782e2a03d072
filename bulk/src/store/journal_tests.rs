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
        Record::Ended { key: key("row-7"), outcome: Outcome::Done, check: 1, end: Some(END) },
        Record::Ended { key: key(""), outcome: Outcome::Failed, check: 1, end: None },
        Record::Rewritten { end: End::default() },
        Record::Replaced { end: End { at: 7, crc: 8 } },
        Record::Assembled { end: END },
    ]
}

const END: End = End { at: u64::MAX, crc: u32::MAX };

/// The records as lines of one journal.
fn lines() -> Vec<Vec<u8>> {
    let (mut records_text, mut journal) = (Vec::new(), Vec::new());
    records().iter().for_each(|record| record.write(&mut records_text));
    Seal::default().write(&records_text, &mut journal);
    journal.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}

#[test]
fn what_is_written_is_read() {
    let mut seal = Seal::default();
    for (line, record) in lines().iter().zip(records()) {
        let line = line.strip_suffix(b"\n").unwrap();
        serde_json::from_slice::<Value>(line).unwrap();
        for cut in 0..line.len() {
            assert!({ seal }.follow(&line[..cut]).is_err(), "{}", line[..cut].escape_ascii());
        }
        assert_eq!(seal.follow(line).unwrap(), record);
    }
    assert_eq!(seal.number, 10);
}

#[test]
fn a_line_in_another_place_is_damaged() {
    let lines = lines();
    let whole: Vec<&[u8]> = lines.iter().map(|line| line.trim_ascii_end()).collect();
    let fault = |lines: &[&[u8]]| {
        let mut seal = Seal::default();
        lines.iter().find_map(|line| seal.follow(line).err()).unwrap()
    };
    assert_eq!(fault(&[&whole[..3], &whole[4..]].concat()), "its number is 5, not 4");
    assert_eq!(fault(&[&whole[..3], &whole[2..]].concat()), "its number is 3, not 4");
    let edited = String::from_utf8(whole[3].to_vec()).unwrap().replace('b', "c");
    assert_eq!(
        fault(&[&whole[..3], &[edited.as_bytes()], &whole[4..]].concat()),
        "its checksum is wrong"
    );
    // The same line of another journal.
    let mut other = Vec::new();
    Seal { number: 4, sum: 1 }.write(b"{\"back\":\"row-7\",\"check\":3\n", &mut other);
    assert_eq!(fault(&[&whole[..4], &[other.trim_ascii_end()]].concat()), "its checksum is wrong");
}

#[test]
fn a_damaged_line_is_not_a_record() {
    for line in [
        "",
        "{",
        "[",
        "{\"sent\":\"a\"",
        "{\"sent\":\"a\",\"check\":-1",
        "{\"sent\":\"a\",\"check\":4294967296",
        "{\"sent\":7,\"check\":1",
        "{\"sent\":\"a\",\"check\":1,\"end\":1,\"crc\":1",
        "{\"done\":\"a\",\"check\":1,\"end\":1",
        "{\"done\":\"a\",\"check\":1,\"end\":1,\"crc\":1x",
        "{\"modelwire_journal\":1,\"results\":\"a\",\"settings\":{}",
        "\u{0}",
    ] {
        assert_eq!(Record::read(line), None, "{line}");
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
