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
