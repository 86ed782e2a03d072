//! Records of tables at every buffer size, and what is wrong with others.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use super::*;

/// The line of each record with its object, or with what is wrong with it; or what is wrong with the header.
type Found = Result<Vec<(u64, String)>, (u64, String)>;

fn read(text: &[u8], separator: u8, read_bytes: usize, bytes_max: usize) -> Found {
    let mut table = Table::with_bounds(text, separator, read_bytes, bytes_max).unwrap()?;
    let mut found = Vec::new();
    while table.advance().unwrap() {
        let line = match table.line() {
            Line::Whole(json) => String::from_utf8(json.to_vec()).unwrap(),
            Line::Bad(_, fault) => fault.reason.clone(),
            Line::TooLong(_) => panic!("a record has no such line"),
        };
        found.push((table.number(), line));
    }
    Ok(found)
}

/// At every size of the buffer.
fn check(text: &str, separator: u8, expected: &[(u64, &str)]) {
    let expected = expected.iter().map(|(number, line)| (*number, (*line).to_owned())).collect();
    let expected = Ok(expected);
    for read_bytes in 1..=text.len() + 3 {
        assert_eq!(read(text.as_bytes(), separator, read_bytes, 100), expected, "{text:?}");
    }
}

#[test]
fn records_are_objects_of_strings() {
    check("", b',', &[]);
    check("\n\r\n", b',', &[]);
    check("a,b\n", b',', &[]);
    check("a,b\n1,\n\"\",x y", b',', &[(2, r#"{"a":"1","b":""}"#), (3, r#"{"a":"","b":"x y"}"#)]);
    check("a\tb\n1,2\t\"3\t\"\n", b'\t', &[(2, r#"{"a":"1,2","b":"3\t"}"#)]);
    check("a \"b\"\r\nü\u{1}\r\n", b',', &[(2, "{\"a \\\"b\\\"\":\"ü\\u0001\"}")]);
    check("a\n5\" pipe\n6\" pipe", b',', &[(2, r#"{"a":"5\" pipe"}"#), (3, r#"{"a":"6\" pipe"}"#)]);
}

#[test]
fn a_record_has_the_number_of_its_first_line() {
    for end in ["\n", "\r\n"] {
        let text = "\u{feff}a,\"b\nc\"\n\n1,\"2\n\n3\"\n\n\n4,5\n";
        let text = text.replace('\n', end);
        let quoted = if end == "\n" { "\\n" } else { "\\r\\n" };
        let (first, second) = (
            format!("{{\"a\":\"1\",\"b{quoted}c\":\"2{quoted}{quoted}3\"}}"),
            format!("{{\"a\":\"4\",\"b{quoted}c\":\"5\"}}"),
        );
        check(&text, b',', &[(4, &first), (9, &second)]);
    }
}

#[test]
fn a_record_that_does_not_fit_the_header_is_a_fault() {
    let one = "the record has 1 field, but the header has 2".to_owned();
    let three = "the record has 3 fields, but the header has 2".to_owned();
    let good = r#"{"a":"1","b":"2"}"#;
    check("a,b\n1\n1,2\n1,2,3\n1,2", b',', &[(2, &one), (3, good), (4, &three), (5, good)]);
    let open = "a quote of the record is not closed";
    check("a,b\n1,2\n1,\"2\n1,2\n", b',', &[(2, good), (3, open)]);
    let found = read(b"a,b\n1,2\n1,\xE4\n1,2\n", b',', 9, 100).unwrap();
    let not_utf8 = "field \"b\" is not valid UTF-8 at column 1";
    assert_eq!(found, [(2, good.into()), (3, not_utf8.into()), (4, good.into())]);
}

#[test]
fn a_record_beyond_the_bound_is_passed_over() {
    let long = "x".repeat(3 * READ_BYTES);
    let text = format!("a,b\n1,2\n{long},\"{long}\n\"\n1,2\n");
    let found = read(text.as_bytes(), b',', 1000, READ_BYTES).unwrap();
    let good = r#"{"a":"1","b":"2"}"#;
    let too_long = format!("the record has more than ROW_BYTES_MAX = {READ_BYTES} bytes");
    assert_eq!(found, [(2, good.into()), (3, too_long), (5, good.into())]);
    let found = read(text.as_bytes(), b',', 1000, 7 * READ_BYTES).unwrap();
    assert_eq!(found.get(1).unwrap().1.len(), 6 * READ_BYTES + r#"{"a":"","b":"\n"}"#.len());
    let many = format!("a,b\n{}\n1,2\n", ",".repeat(3 * COLUMNS_MAX));
    let found = read(many.as_bytes(), b',', 1000, READ_BYTES).unwrap();
    let too_many = format!("the record has more than COLUMNS_MAX = {COLUMNS_MAX} fields");
    assert_eq!(found, [(2, too_many), (3, good.into())]);
}

#[test]
fn a_header_must_name_each_column_once() {
    for (text, line, fault) in [
        (&b"a,,b\n1,2,3\n"[..], 1, "column 2 of the header has no name; name it"),
        (b"\n,a\n0,1\n", 2, "column 1 of the header has no name; name it"),
        (b"a,b,a\n1,2,3\n", 1, "the header names \"a\" twice; rename one of them"),
        (b"a,\xFF\n1,2\n", 1, "the header is not valid UTF-8 at column 1; correct the line"),
        (b"\xFF\xFEa\0,\0b\0\n\0", 1, "the header is not valid UTF-8 at column 1; it seems"),
        (b"a,\"b\n1,2\n", 1, "a quote of the record is not closed; close it"),
    ] {
        let (found, said) = read(text, b',', 100, 100).unwrap_err();
        assert!(found == line && said.starts_with(fault), "{found} {said}");
    }
}

#[test]
fn a_partial_record_before_a_read_error_is_not_returned() {
    struct Fails;
    impl Read for Fails {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::ErrorKind::UnexpectedEof.into())
        }
    }
    let mut table = Table::open(b"a,b\r\n1,2\r\n1,\"2\r\n".chain(Fails), b',').unwrap().unwrap();
    assert!(table.advance().unwrap());
    assert_eq!((table.number(), table.whole_lines()), (2, 2));
    assert!(table.advance().is_err());
}

#[test]
fn a_record_of_the_largest_size_is_read() {
    for bytes_max in [1_000, READ_BYTES] {
        let of = |bytes: usize| {
            let text = format!("a\n{}\nnext\n", "x".repeat(bytes));
            read(text.as_bytes(), b',', 64, bytes_max).unwrap()
        };
        let next = (3, r#"{"a":"next"}"#.to_owned());
        let largest = (2, format!(r#"{{"a":"{}"}}"#, "x".repeat(bytes_max)));
        assert_eq!(of(bytes_max), [largest, next.clone()]);
        let reason = format!("the record has more than ROW_BYTES_MAX = {bytes_max} bytes");
        assert_eq!(of(8 * READ_BYTES), [(2, reason), next]);
    }
}

#[test]
fn a_record_of_the_most_fields_is_read() {
    let of = |count: usize| {
        let header: Vec<String> = (0..count).map(|number| format!("c{number}")).collect();
        let text = format!("{}\n{}\n", header.join(","), vec!["x"; count].join(","));
        read(text.as_bytes(), b',', 1 << 16, 1 << 24)
    };
    assert!(of(COLUMNS_MAX).unwrap()[0].1.ends_with(r#""c65535":"x"}"#));
    for more in [COLUMNS_MAX + 1, 5 * COLUMNS_MAX] {
        assert!(of(more).unwrap_err().1.contains("more than COLUMNS_MAX = 65536"));
    }
    // The fields beyond are counted, and not kept.
    let text = format!("a\n{}\n", vec!["x"; 5 * COLUMNS_MAX].join(","));
    let mut table = Table::with_bounds(text.as_bytes(), b',', 1 << 16, 1 << 24).unwrap().unwrap();
    assert!(table.advance().unwrap());
    assert_eq!(table.record.count, 5 * COLUMNS_MAX);
    assert!(table.record.ends.len() <= 2 * COLUMNS_MAX);
}

#[test]
fn a_record_keeps_its_bytes() {
    let mut table = Table::with_bounds(&b"a,b\nx,\"y\"\n"[..], b',', 64, 100).unwrap().unwrap();
    assert!(table.advance().unwrap());
    assert_eq!(table.record.all(), b"xy");
}

/// Each record is an object with the names of all columns, so that a long name would take minutes for records
/// of a byte each.
#[test]
fn the_name_of_a_column_is_bounded() {
    let records = |length: usize| "n".repeat(length) + "\n" + &"1\n".repeat(1 << 16);
    let longest = records(COLUMN_NAME_BYTES_MAX);
    let mut table = Table::open(longest.as_bytes(), b',').unwrap().unwrap();
    assert!(table.advance().unwrap() && table.columns()[0].len() == COLUMN_NAME_BYTES_MAX);
    for length in [COLUMN_NAME_BYTES_MAX + 1, 1 << 24] {
        let (line, fault) = Table::open(records(length).as_bytes(), b',').unwrap().err().unwrap();
        assert_eq!(line, 1);
        let begin =
            format!("the name of column 1 of the header has {length} bytes, more than COLUMN");
        assert!(fault.starts_with(&begin), "{fault}");
    }
}
