//! How each line of a stream is read: whole, byte by byte, and split at every position.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

use super::*;
use crate::options::config::Settings;
use crate::protocol::sse::Decoder;

impl Wanted {
    /// What a chat needs that passes its chunks on, for unit tests.
    pub(crate) fn for_tests(choices: usize, gathered: bool) -> Wanted {
        Wanted {
            settings: Arc::new(Settings::for_tests("sk-test")),
            redactor: Redactor::for_tests("sk-test", 100),
            endpoint: Endpoint::Chat,
            choices,
            chunks: true,
            gathered,
            content: true,
        }
    }
}

/// The chunks, and the name of the end or of the error kind.
type Read = (Vec<String>, String);

fn read(pieces: &[&[u8]], is_cut: bool) -> Read {
    let mut events = events_of(1, pieces, is_cut);
    let chunk = |event| match event {
        Event::Chunk(chunk) => Some(chunk.json().to_owned()),
        Event::Open(_) | Event::Done(_) => None,
    };
    let chunks = std::mem::take(events.batch()).into_iter().filter_map(chunk).collect();
    let end = match events.conclude() {
        Ok(response) => response.end().name(),
        Err(error) => error.kind().name(),
    };
    (chunks, end.to_owned())
}

/// The events of a stream, for a request with this number of choices.
fn events_of(choices: usize, pieces: &[&[u8]], is_cut: bool) -> StreamEvents {
    let wanted = Wanted::for_tests(choices, false);
    let mut decoder = Decoder::new(wanted.settings.limits.event_bytes_max);
    let mut events = StreamEvents::new(wanted, Arc::new(Head::default()));
    for piece in pieces {
        decoder.feed_to(piece, &mut events).unwrap();
    }
    let mut rest = EndOfBody::new(&mut events);
    decoder.finish_to(&mut rest).unwrap();
    let was_cut = rest.was_cut();
    if is_cut {
        events.fail(Error::new(ErrorKind::Disconnected, "cut"));
    }
    events.body_ended(was_cut);
    events
}

/// The vectors that are also replayed on real sockets, with any split.
#[test]
fn lines_are_the_same_however_they_are_split() {
    let vectors = include_str!("../../../tests/vectors/lines/lines.json");
    let vectors: Vec<serde_json::Value> = serde_json::from_str(vectors).unwrap();
    for vector in &vectors {
        let input = vector["input"].as_str().unwrap().as_bytes();
        let expected = &vector["expected"];
        let end = expected["end"].as_str().or(expected["kind"].as_str()).unwrap();
        let chunks = expected["chunks"].as_array().unwrap().iter();
        let chunks = chunks.map(|chunk| chunk.as_str().unwrap().to_owned()).collect();
        let expected: Read = (chunks, end.to_owned());
        let is_cut = vector["end"] == "cut";
        let bytes: Vec<&[u8]> = input.chunks(1).collect();
        assert_eq!(read(&bytes, is_cut), expected, "bytewise: {vector}");
        for at in 0..=input.len() {
            let (head, tail) = input.split_at(at);
            assert_eq!(read(&[head, tail], is_cut), expected, "split at {at}: {vector}");
        }
    }
}

/// Each of the first chunks may have a part of the names.
#[test]
fn the_model_of_a_chunk_without_an_id_is_kept() {
    let stream = b"data: {\"model\":\"m\",\"choices\":[]}\n\ndata: {\"choices\":[]}\n\n\
        data: {\"id\":\"i\",\"model\":\"later\",\"choices\":[]}\n\n";
    let answered = events_of(1, &[stream], false).answered;
    assert_eq!(answered.response_id.as_deref(), Some("i"));
    assert_eq!(answered.response_model.as_deref(), Some("m"));
}

#[test]
fn what_was_gathered_is_masked_and_json() {
    let mut wanted = Wanted::for_tests(1, true);
    wanted.redactor = Redactor::for_tests("sk-test-0123", 100);
    let mut events = StreamEvents::new(wanted, Arc::new(Head::default()));
    let chunk = b"data: {\"choices\":[{\"delta\":{\"content\":\"a sk-test-0123 b\"}}]}\n\n";
    Decoder::new(1000).feed_to(chunk, &mut events).unwrap();
    events.fail(Error::new(ErrorKind::Disconnected, "cut"));
    events.body_ended(true);
    let error = events.conclude().unwrap_err();
    let partial: serde_json::Value = serde_json::from_str(error.partial().unwrap()).unwrap();
    assert_eq!(partial["choices"][0]["message"]["content"], "a [key] b");
}

/// Bytes that are not UTF-8 do not change where an event ends.
#[test]
fn events_one_newline_apart_may_have_bytes_that_are_not_utf8() {
    let input = b"data: {\"x\":\"\xFF\"}\ndata: {\"choices\":[{}]}\ndata: [DONE]\n";
    let (chunks, end) = read(&[input], false);
    assert_eq!((chunks.len(), &*end), (2, "done_mark"));
}

/// Pieces of well-formed and malformed streams.
const FRAGMENTS: [&str; 28] = [
    "data: ",
    "data: ",
    "data:",
    "data",
    "event: e",
    "event: error",
    "event:",
    "id: 1",
    "retry: 1",
    ": c",
    "x-y: z",
    "DATA: 1",
    "{}",
    "{\"choices\":[{}]}",
    "{\"error\":1}",
    "[",
    "]",
    "1",
    "[DONE]",
    "[DONE]",
    "text",
    " ",
    "\u{feff}",
    "\n",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
];

/// Random streams, reproducible from a seed.
#[test]
fn no_split_changes_what_a_stream_says() {
    let wanted = std::env::var("TEST_SEED");
    let mut seed = wanted.map_or(0x2545_F491_4F6C_DD1D_u64, |seed| seed.parse().unwrap()).max(1);
    println!("TEST_SEED={seed}");
    let mut random = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed as usize % below
    };
    let mut ends = HashSet::new();
    for _ in 0..20_000 {
        let count = 1 + random(14);
        let text: String = (0..count).map(|_| FRAGMENTS[random(FRAGMENTS.len())]).collect();
        let whole = read(&[text.as_bytes()], false);
        let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
        assert_eq!(read(&bytes, false), whole, "bytewise: {text:?}");
        let (head, tail) = text.as_bytes().split_at(random(text.len() + 1));
        assert_eq!(read(&[head, tail], false), whole, "{head:?} and {tail:?} of {text:?}");
        ends.insert(whole.1);
    }
    assert_eq!(ends.len(), 4, "{ends:?}");
}

/// A line is scanned once, and checked for completeness once, however many follow it.
#[test]
fn lines_without_end_are_read_in_linear_time() {
    let time = |lines: usize| {
        // The first line is incomplete, so none of the others is checked.
        let text = format!("data: [\n{}data: 1]\n\n", "data: 1,\n".repeat(lines));
        let start = std::time::Instant::now();
        let (chunks, _) = read(&[text.as_bytes()], false);
        assert_eq!(chunks.len(), 1);
        start.elapsed()
    };
    // A stall of the machine spoils one measurement, and three are tried.
    let mut measured = Vec::new();
    let is_linear = (0..3).any(|_| {
        let (short, long) = (time(20_000), time(200_000));
        measured.push((short, long));
        long < short * 100
    });
    assert!(is_linear, "for 20,000 lines and for 200,000: {measured:?}");
}

fn finished(index: u32, reason: &str) -> String {
    format!(
        "data: {{\"choices\":[{{\"index\":{index},\"delta\":{{\"content\":\"a\"}},\"finish_reason\":\"{reason}\"}}]}}\n\n"
    )
}

/// The finish reason of an answer is its first choice's, whichever ends first.
#[test]
fn the_first_choice_gives_the_finish_reason() {
    let reason = |events: &[String]| {
        let pieces: Vec<&[u8]> = events.iter().map(|event| event.as_bytes()).collect();
        let events = events_of(2, &pieces, false);
        let reason = events.answered.finish_reason.clone();
        events.conclude().map(|_| reason)
    };
    let (stop, length) = (finished(0, "stop"), finished(1, "length"));
    let done = "data: [DONE]\n\n".to_owned();
    for events in
        [[length.clone(), stop.clone(), done.clone()], [stop.clone(), length.clone(), done.clone()]]
    {
        assert_eq!(reason(&events).unwrap().as_deref(), Some("stop"));
    }
    assert_eq!(reason(&[length.clone(), done]).unwrap().as_deref(), Some("length"));
    // Without an end mark all choices are awaited.
    assert!(reason(&[stop.clone(), length]).is_ok());
    assert_eq!(reason(&[stop]).unwrap_err().kind(), ErrorKind::Incomplete);
}

#[test]
fn an_error_quotes_the_first_line_that_is_not_known() {
    let lines = b"reason: full\nother: x\ndata: {\"choices\":[]}\n\n";
    let error = events_of(1, &[lines], false).conclude().unwrap_err();
    assert!(error.message().ends_with("reason: full"), "{error}");
}

/// The count of events has all that are not end marks, the bytes those that were gathered.
#[test]
fn what_arrived_is_counted() {
    let mut events = events_of(
        1,
        &[b"data: {\"choices\":[]}\n\ndata: {\"choices\":[{}]}\n\ndata: [DONE]\n\n"],
        false,
    );
    assert_eq!((events.count(), events.chunks(), events.gathered_bytes()), (2, 2, 0));
    assert!(events.has_chunks() && events.is_over() && events.is_whole());
    assert_eq!(events.waiting(), 2);
    events.batch().clear();
    assert_eq!(events.waiting(), 0);
    let failed = events_of(1, &[b"data: {\"error\":{\"message\":\"no\"}}\n\n"], false);
    assert!(failed.is_over() && !failed.is_whole() && !failed.has_chunks());
    assert_eq!((failed.count(), failed.waiting()), (1, 0));
}

/// An event may be of any size, and its error is bounded like one with a status.
#[test]
fn the_texts_of_an_error_event_are_bounded() {
    for (length, expected) in [(99, 99), (100, 100), (101, 100), (100_000, 100)] {
        let words = "x".repeat(length);
        let event =
            format!("data: {{\"error\":{{\"message\":\"{words}\",\"code\":\"busy\"}}}}\n\n");
        let error = events_of(1, &[event.as_bytes()], false).conclude().unwrap_err();
        assert_eq!((error.message(), error.code()), (&words[..expected], Some("busy")));
    }
}

#[test]
fn the_hint_says_what_is_wrong_with_a_line() {
    for (line, hint) in [
        (" data: {", INDENTED_HINT),
        ("\tdata: {", INDENTED_HINT),
        ("  {\"a\":", STRAY_HINT),
        ("{\"a\":", STRAY_HINT),
        ("Data: {", STRAY_HINT),
    ] {
        let text = format!("{line}\ndata: [DONE]\n\n");
        let error = events_of(1, &[text.as_bytes()], false).conclude().unwrap_err();
        assert_eq!(error.hint(), hint, "{line:?}");
    }
}

/// What came before the end of the body is judged as it is within one.
#[test]
fn the_last_line_of_a_body_begins_an_event_only_after_a_whole_one() {
    let chunk = "data: {\"choices\":[{}]}";
    let (chunks, end) = read(&[format!("{chunk}\n{chunk}").as_bytes()], false);
    assert_eq!((chunks.len(), &*end), (2, "incomplete"));
    let (chunks, end) = read(&[b"data: {\"choices\":\ndata: [{}]}"], false);
    assert_eq!((chunks, &*end), (vec!["{\"choices\":\n[{}]}".to_owned()], "incomplete"));
}

/// The first id counts, of a chunk that is not too late.
#[test]
fn an_answer_is_named_by_one_of_its_first_chunks() {
    let named = |before: u64, ids: &[&str]| {
        let chunk = |id: &str| format!("data: {{{id}\"choices\":[{{}}]}}\n\n");
        let own = ids.iter().map(|id| chunk(&format!("\"id\":\"{id}\",")));
        let text: String = (0..before).map(|_| chunk("")).chain(own).collect();
        events_of(1, &[text.as_bytes()], false).answered.response_id.clone()
    };
    assert_eq!(named(0, &["a", "b"]).as_deref(), Some("a"));
    assert_eq!(named(NAMED_WITHIN - 1, &["a"]).as_deref(), Some("a"));
    assert_eq!(named(NAMED_WITHIN, &["a"]), None);
}

/// An end mark that comes then is logged.
#[test]
fn a_chat_lacks_a_reason_until_a_choice_finishes_or_the_stream_ends() {
    let lacks = |endpoint, piece: &str| {
        let wanted = Wanted { endpoint, ..Wanted::for_tests(2, false) };
        let mut events = StreamEvents::new(wanted, Arc::new(Head::default()));
        Decoder::new(1 << 20).feed_to(piece.as_bytes(), &mut events).unwrap();
        events.seal();
        events.is_chat_without_reason()
    };
    let begun = "data: {\"choices\":[{}]}\n\n";
    assert!(lacks(Endpoint::Chat, begun));
    assert!(!lacks(Endpoint::Responses, begun));
    assert!(!lacks(Endpoint::Chat, &finished(0, "stop")));
    assert!(!lacks(Endpoint::Chat, &format!("{begun}data: [DONE]\n\n")));
}

#[test]
fn a_stream_that_broke_off_in_a_key_does_not_show_half_of_it() {
    for line in ["event: error\ndata: a key ", "a-key: ", "event: error\ndata: {\"message\":\""] {
        for half in ["sk-test-0123", "sk-test-0123456789"] {
            let mut wanted = Wanted::for_tests(1, false);
            wanted.redactor = Redactor::for_tests("sk-test-0123456789", 100);
            let mut decoder = Decoder::new(1000);
            let mut events = StreamEvents::new(wanted, Arc::new(Head::default()));
            decoder.feed_to(format!("{line}{half}").as_bytes(), &mut events).unwrap();
            let mut rest = EndOfBody::new(&mut events);
            decoder.finish_to(&mut rest).unwrap();
            events.body_ended(true);
            let error = events.conclude().unwrap_err();
            let shown = error.report();
            assert!(shown.contains("[key]") && !shown.contains("sk-t"), "{shown}");
        }
    }
}
