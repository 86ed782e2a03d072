//! The event-stream grammar: each case whole, byte by byte and split at every position.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

use super::*;

const BYTES_MAX: usize = 1 << 20;

/// Feeds the pieces; returns `name|data` of each event, with `~` before an event cut off by the end.
fn decode(pieces: &[&[u8]]) -> Vec<String> {
    let mut decoder = Decoder::new(BYTES_MAX);
    let mut events = Vec::new();
    for piece in pieces {
        decoder
            .feed(piece, &mut |event| events.push(format!("{}|{}", event.name, event.data)))
            .unwrap();
    }
    decoder.finish(&mut |event| events.push(format!("~{}|{}", event.name, event.data))).unwrap();
    events
}

fn check(input: &[u8], expected: &[&str]) {
    assert_eq!(decode(&[input]), expected, "whole: {:?}", String::from_utf8_lossy(input));
    let bytes: Vec<&[u8]> = input.chunks(1).collect();
    assert_eq!(decode(&bytes), expected, "bytewise: {:?}", String::from_utf8_lossy(input));
    for at in 0..=input.len() {
        let (head, tail) = input.split_at(at);
        assert_eq!(
            decode(&[head, tail]),
            expected,
            "split at {at}: {:?}",
            String::from_utf8_lossy(input)
        );
    }
}

#[test]
fn the_three_line_ends_and_their_mixtures() {
    check(b"data: a\n\ndata: b\n\n", &["|a", "|b"]);
    check(b"data: a\r\n\r\ndata: b\r\n\r\n", &["|a", "|b"]);
    check(b"data: a\r\rdata: b\r\r", &["|a", "|b"]);
    check(b"data: a\r\n\ndata: b\n\r\n", &["|a", "|b"]);
    check(b"data: a\r\n\rdata: b\n\r", &["|a", "|b"]);
}

#[test]
fn fields_and_their_spaces() {
    check(b"data:a\n\n", &["|a"]);
    check(b"data:  a\n\n", &["| a"]);
    check(b"data\n\n", &["|"]);
    check(b"data:\n\n", &["|"]);
    check(b"data: a:b\n\n", &["|a:b"]);
    check(b" data: a\n\n", &[]);
    check(b"Data: a\n\n", &[]);
    check(b"event: e\ndata: a\n\ndata: b\n\n", &["e|a", "|b"]);
    check(b"event: e\n\ndata: b\n\n", &["|b"]);
    check(b"event: e\nevent: f\ndata: b\n\n", &["f|b"]);
    check(b"foo: bar\ndata: a\nbaz\n\n", &["|a"]);
}

#[test]
fn several_data_lines_are_joined_by_lf() {
    check(b"data: a\ndata: b\ndata:\ndata: c\n\n", &["|a\nb\n\nc"]);
    check(b"data\ndata\n\n", &["|\n"]);
}

#[test]
fn comments_stand_anywhere() {
    check(b": hi\ndata: a\n: between\n\n:\n\n", &["|a"]);
    check(b":\n\n:\n\ndata: a\n\n", &["|a"]);
}

#[test]
fn a_byte_order_mark_is_dropped_once() {
    check(b"\xEF\xBB\xBFdata: a\n\n", &["|a"]);
    check(b"\xEF\xBB\xBF\xEF\xBB\xBFdata: a\n\ndata: b\n\n", &["|b"]);
}

#[test]
fn only_cr_and_lf_end_a_line() {
    check("data: a\u{2028}b\u{85}c\u{b}d\n\n".as_bytes(), &["|a\u{2028}b\u{85}c\u{b}d"]);
}

#[test]
fn what_is_not_utf8_reads_as_the_replacement_character() {
    check(b"data: a\xFFb\n\n", &["|a\u{fffd}b"]);
    check(b"data: \xF0\x9F\x98\x80\n\n", &["|😀"]);
    check(b"data: \xF0\x9F\ndata: \x98\x80\n\n", &["|\u{fffd}\n\u{fffd}\u{fffd}"]);
}

#[test]
fn an_event_cut_short_is_marked_as_such() {
    check(b"data: a\n\ndata: [DONE]", &["|a", "~|[DONE]"]);
    check(b"data: a\n\ndata: b\n", &["|a", "~|b"]);
    check(b"data: a\n\nevent: x\n", &["|a"]);
}

#[test]
fn id_and_retry_are_kept() {
    let mut decoder = Decoder::new(BYTES_MAX);
    let input = b"id: 1\nretry: 250\n\nid: a\0b\nretry: 2s\nretry: -1\n\ndata: x\n\n";
    let mut events = 0;
    decoder.feed(input, &mut |_| events += 1).unwrap();
    assert_eq!((decoder.last_event_id(), decoder.retry_ms(), events), ("1", Some(250), 1));
    decoder.feed(b"id: 2\n", &mut |_| events += 1).unwrap();
    assert_eq!(decoder.last_event_id(), "1", "the block has not ended");
    decoder.feed(b"id\n\n", &mut |_| events += 1).unwrap();
    assert_eq!((decoder.last_event_id(), events), ("", 1));
}

#[test]
fn an_event_at_the_bound_passes_and_one_over_it_names_the_bound() {
    let limit = 64;
    for step in [1, 7, 1000] {
        let feed = |data_bytes: usize, end: &str| {
            let input = format!("data: {}{end}", "x".repeat(data_bytes));
            let mut decoder = Decoder::new(limit);
            let mut sizes = Vec::new();
            for piece in input.as_bytes().chunks(step) {
                decoder.feed(piece, &mut |event| sizes.push(event.data.len()))?;
                assert!(decoder.line.capacity() <= 4 * (limit + step), "memory is bounded");
            }
            Ok(sizes)
        };
        assert_eq!(feed(limit - 6, "\n\n"), Ok(vec![limit - 6]));
        assert_eq!(feed(limit - 5, "\n\n"), Err(EventTooLarge { bytes_max: limit }));
        assert_eq!(feed(10_000, ""), Err(EventTooLarge { bytes_max: limit }), "an endless line");
    }
    let mut decoder = Decoder::new(limit);
    let many_lines = "data: 0123456789\n".repeat(10);
    assert!(decoder.feed(many_lines.as_bytes(), &mut |_| ()).is_err(), "many lines in one event");
}

/// After a byte order mark as elsewhere.
#[test]
fn data_bytes_count_as_content_before_their_line_ends() {
    for mark in ["", "\u{feff}"] {
        let mut decoder = Decoder::new(1000);
        let mut feed = |text: &str| {
            decoder.feed(text.as_bytes(), &mut |_| {}).unwrap();
            decoder.substance()
        };
        assert_eq!(feed(mark), 0);
        assert_eq!(
            [feed("dat"), feed("a: "), feed("ab"), feed("c"), feed("\n\n")],
            [0, 0, 2, 3, 3]
        );
        assert_eq!([feed(": ping\n\n"), feed("id: 5\n"), feed("data:\n\n")], [3; 3]);
    }
}

/// The held part of an event and the received part of its next line count together, with the LF between
/// them, even before the line is complete.
#[test]
fn the_bound_counts_all_lines_of_an_event() {
    let fed = |limit: usize, text: &str| {
        let mut decoder = Decoder::new(limit);
        decoder.feed(text.as_bytes(), &mut |_| {})
    };
    let two = format!("data: {}\ndata: {}\n", "x".repeat(10), "y".repeat(20));
    assert_eq!(fed(10 + 1 + "data: ".len() + 20, &two), Ok(()));
    assert!(fed(10 + "data: ".len() + 20, &two).is_err());
    let begun = format!("data: {}\ndata: {}", "x".repeat(60), "y".repeat(60));
    assert!(fed(100, &begun).is_err(), "the second line is incomplete, but already too long");
    assert_eq!(fed(200, &begun), Ok(()));
}

/// A lenient reader, as of calls: what is JSON is whole, `[DONE]` ends a stream.
#[derive(Default)]
struct Lenient(Vec<String>);

impl Sink for Lenient {
    const IS_LENIENT: bool = true;

    fn event(&mut self, name: &str, data: &[u8]) {
        self.0.push(format!("{name}|{}", String::from_utf8_lossy(data)));
    }

    fn is_whole(&self, data: &[u8]) -> bool {
        let text = String::from_utf8_lossy(data);
        serde_json::from_str::<serde_json::Value>(&text).is_ok()
    }

    fn is_end(&self, data: &[u8]) -> bool {
        data.starts_with(b"[DONE]")
    }

    fn stray(&mut self, name: &str, line: &[u8]) {
        self.0.push(format!("stray {name}|{}", String::from_utf8_lossy(line)));
    }

    fn unknown_field(&mut self, line: &[u8]) {
        self.0.push(format!("unknown {}", String::from_utf8_lossy(line)));
    }
}

fn check_lenient(input: &str, expected: &[&str]) {
    for at in 0..=input.len() {
        let (head, tail) = input.as_bytes().split_at(at);
        let mut decoder = Decoder::new(BYTES_MAX);
        let mut found = Lenient::default();
        for piece in [head, tail] {
            decoder.feed_to(piece, &mut found).unwrap();
        }
        decoder.finish_to(&mut found).unwrap();
        assert_eq!(found.0, expected, "split at {at}: {input:?}");
    }
}

#[test]
fn data_without_a_field_is_found() {
    check_lenient("{\"a\":1}\n\n", &["stray |{\"a\":1}"]);
    check_lenient("  [1]\n", &["stray |  [1]"]);
    check_lenient("\"a: b\"\n", &["stray |\"a: b\""]);
    check_lenient("event: e\n{\"a\":1}\ndata: {}\n\n", &["stray e|{\"a\":1}", "|{}"]);
    check_lenient("data: {}\n{\"a\":1}\n\n", &["|{}", "stray |{\"a\":1}"]);
    // The field is `data` but for case, white space or what is no letter.
    check_lenient("Data: 1\n", &["stray |Data: 1"]);
    check_lenient(" data: x\n", &["stray | data: x"]);
    check_lenient("da.ta: x\n", &["stray |da.ta: x"]);
    // Or the line is whole by itself.
    check_lenient("12\n", &["stray |12"]);
}

#[test]
fn other_lines_are_fields_that_are_not_known() {
    for line in ["datum: x", "da-ta: x", "da_ta: x", "data1: x", "x.y: z", "word", "dat a"] {
        check_lenient(&format!("{line}\n"), &[&format!("unknown {line}")]);
    }
    // Comments, blank lines and values that the grammar ignores are neither.
    check_lenient(": {\n   \nid: a\0b\nretry: +5\nretry: x\ndata: 1\n\n", &["|1"]);
}

#[test]
fn an_event_ends_where_the_next_one_begins() {
    check_lenient("data: {}\ndata: {}\n\n", &["|{}", "|{}"]);
    check_lenient("data: {\ndata: }\n\n", &["|{\n}"]);
    check_lenient("data: {}\ndata: \n\n", &["|{}\n"]);
    check_lenient("data: {}\ndata: [DONE]\ndata: {}\n\n", &["|{}", "|[DONE]", "|{}"]);
    // An end mark needs no line end, but that of the data before it.
    check_lenient("data: {}\n\ndata: [DONE]", &["|{}", "|[DONE]"]);
    check_lenient("data: {\ndata: [DONE]", &["|{", "|[DONE]"]);
}

#[test]
fn an_end_mark_is_an_event_before_its_line_end() {
    let mut decoder = Decoder::new(BYTES_MAX);
    let mut found = Lenient::default();
    decoder.feed_to(b"data: [DONE]", &mut found).unwrap();
    assert_eq!(found.0, ["|[DONE]"]);
    let mut strict = 0;
    let mut decoder = Decoder::new(BYTES_MAX);
    decoder.feed(b"data: [DONE]", &mut |_| strict += 1).unwrap();
    assert_eq!(strict, 0);
}

#[test]
fn what_may_be_data_counts_before_its_line_ends() {
    let substance = |text: &str| {
        let mut decoder = Decoder::new(BYTES_MAX);
        decoder.feed_to(text.as_bytes(), &mut Lenient::default()).unwrap();
        decoder.substance()
    };
    assert_eq!(substance("{\"a\""), 4);
    assert_eq!(substance("{\"a\":1}\n"), 7);
    assert_eq!(substance(": pin"), 0);
    assert_eq!(substance("event: x"), 0);
    assert_eq!(substance("data: ab"), 2);
}

#[test]
fn a_retry_is_digits_alone() {
    let mut decoder = Decoder::new(BYTES_MAX);
    decoder.feed(b"retry: +5\nretry: 5.0\n", &mut |_| ()).unwrap();
    assert_eq!(decoder.retry_ms(), None);
    decoder.feed(b"retry: 7\n", &mut |_| ()).unwrap();
    assert_eq!(decoder.retry_ms(), Some(7));
}

#[test]
fn what_is_incomplete_is_buffered() {
    let mut decoder = Decoder::new(BYTES_MAX);
    decoder.feed(b"data: ab\ndata: c", &mut |_| ()).unwrap();
    assert_eq!(decoder.buffered(), "ab\n".len() + "data: c".len());
    decoder.feed(b"\n\n", &mut |_| ()).unwrap();
    assert_eq!(decoder.buffered(), 0);
    let message = EventTooLarge { bytes_max: 77 }.to_string();
    assert!(message.contains("77"), "{message}");
}
