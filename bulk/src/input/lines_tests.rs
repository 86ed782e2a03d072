//! Lines at every buffer size, and their maximum length.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

use super::*;

/// Line number, whether the line is whole, and the text.
type Found = Vec<(u64, bool, String)>;

fn read(text: &[u8], read_bytes: usize, bytes_max: usize) -> Found {
    let mut lines = Lines::with_bounds(text, read_bytes, bytes_max);
    let mut found = Vec::new();
    while lines.advance().unwrap() {
        let line = lines.line();
        let (Line::Whole(bytes) | Line::TooLong(bytes) | Line::Bad(bytes, _)) = line;
        let text = String::from_utf8_lossy(bytes).into_owned();
        found.push((lines.number(), matches!(line, Line::Whole(_)), text));
    }
    found
}

#[test]
fn lines_are_the_same_at_every_size_of_the_buffer() {
    let check = |text: &[u8], expected: &[(u64, &str)]| {
        let expected: Found =
            expected.iter().map(|(number, line)| (*number, true, (*line).to_owned())).collect();
        for read_bytes in 1..=text.len() + 2 {
            assert_eq!(read(text, read_bytes, 100), expected, "{text:?} {read_bytes}");
        }
    };
    check(b"", &[]);
    check(b"\n\n \r\n\t", &[]);
    check(b"a", &[(1, "a")]);
    check(b"a\nb\n", &[(1, "a"), (2, "b")]);
    check(b"a\r\n\r\nb\r", &[(1, "a"), (3, "b")]);
    check(b"a\rb\n", &[(1, "a\rb")]);
    check(b"\xEF\xBB\xBFa\n\xEF\xBB\xBFb", &[(1, "a"), (2, "\u{feff}b")]);
    check(b"\xEF\xBB\xBF\n\xEF\xBB\xBFb", &[(2, "\u{feff}b")]);
    check(b" a \n\n\nb", &[(1, " a "), (4, "b")]);
    check("é\n\n漢".as_bytes(), &[(1, "é"), (3, "漢")]);
}

#[test]
fn a_line_beyond_the_bound_is_passed_over() {
    for read_bytes in 1..30 {
        let expected = |lines: &[(u64, bool, &str)]| -> Found {
            lines
                .iter()
                .map(|(number, whole, line)| (*number, *whole, (*line).to_owned()))
                .collect()
        };
        let found = read(b"12345\n123456\n12345\r\n123456\r\n\n1234567890\nx", read_bytes, 5);
        let is_cut = |(number, is_whole, line): (u64, bool, String)| {
            (number, is_whole, if is_whole { line } else { line.chars().take(6).collect() })
        };
        let found: Found = found.into_iter().map(is_cut).collect();
        let all = [
            (1, true, "12345"),
            (2, false, "123456"),
            (3, true, "12345"),
            (4, false, "123456"),
            (6, false, "123456"),
            (7, true, "x"),
        ];
        assert_eq!(found, expected(&all), "{read_bytes}");
        assert_eq!(read(b"123456789", read_bytes, 5).len(), 1);
    }
}

#[test]
fn a_partial_line_before_a_read_error_is_not_returned() {
    struct Fails;
    impl Read for Fails {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::ErrorKind::UnexpectedEof.into())
        }
    }
    let mut lines = Lines::new(b"a\nb\nc".chain(Fails));
    for expected in [b"a", b"b"] {
        assert!(lines.advance().unwrap());
        assert_eq!(lines.line(), Line::Whole(expected));
    }
    assert!(lines.advance().is_err());
    assert_eq!(lines.number(), 2);
}

#[test]
fn a_line_of_the_largest_size_is_whole() {
    for end in ["", "\n", "\r\n"] {
        for (bytes, is_whole) in [(100, true), (101, false), (200, false)] {
            let text = format!("{}{end}", "x".repeat(bytes));
            let found = read(text.as_bytes(), 64, 100);
            assert_eq!((found.len(), found[0].0, found[0].1), (1, 1, is_whole), "{bytes} {end:?}");
        }
    }
    let next = read(format!("{}\nb", "x".repeat(101)).as_bytes(), 64, 100);
    assert_eq!(next[1], (2, true, "b".to_owned()), "its own line end is not that of the next");
    // A line that is too long is read no further than it takes to know that.
    let mut lines = Lines::with_bounds(&[b'x'; 1_000][..], 64, 100);
    assert!(lines.advance().unwrap());
    assert_eq!(lines.line.len(), 102);
}
