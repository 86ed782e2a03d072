//! What waits for a listener is bounded, in number and in bytes. Knows no call.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::time::SystemTime;

use super::*;
use crate::answer::error_kind::Metered;
use crate::answer::head::Head;
use crate::answer::record::{Answered, CHUNK_TIMES_MAX, CallRecord, Recorded};
use crate::answer::response::Response;
use crate::protocol::document::Document;
use crate::protocol::endpoint::Endpoint;

fn told(chunk_times: usize, answer: Option<&Response>) -> Told {
    let record = CallRecord::new(Recorded {
        start: SystemTime::now(),
        operation: Endpoint::Chat,
        path: String::new(),
        model: None,
        streamed: false,
        attempts: Vec::new(),
        attempts_count: 0,
        waits: Vec::new(),
        waits_count: 0,
        first_chunk: None,
        last_chunk: None,
        chunks: 0,
        chunk_times: vec![Duration::ZERO; chunk_times],
        elapsed: Duration::ZERO,
        kind: None,
        status: None,
        request_id: None,
        answered: Answered::default(),
        metered: Metered::Entered,
        bytes_out: 0,
        bytes_in: 0,
        cancelled_by: None,
    });
    Told { tag: 0, record, response: answer.cloned(), dropped: 0 }
}

#[test]
fn an_answer_that_finds_no_room_is_left_out_and_a_record_is_counted() {
    let text = format!("{{\"x\":\"{}\"}}", "y".repeat(1 << 20));
    let document = Document::scan(&text).unwrap();
    let head = Arc::new(Head { status: 200, headers: Vec::new() });
    let answer = Response::whole(Endpoint::Chat, head, document);
    let collected = Collected::new(None);
    let fill = |count, chunk_times| {
        for _ in 0..count {
            lock(&collected.buffer).put(0, told(chunk_times, Some(&answer)));
        }
    };
    fill(100, 0);
    let taken = collected.take(usize::MAX, Some(Duration::ZERO)).unwrap();
    let with_answer = taken.iter().filter(|(_, told)| told.response.is_some()).count();
    assert_eq!((taken.len(), with_answer), (100, RECORDS_WAITING_BYTES_MAX / text.len()));
    let waiting = || lock(&collected.buffer).bytes;
    assert_eq!(waiting(), 0);
    assert_eq!(collected.dropped(), 0);
    // Times of chunks alone find no room.
    fill(400, CHUNK_TIMES_MAX);
    assert!(waiting() <= RECORDS_WAITING_BYTES_MAX);
    let first = collected.next().unwrap().1;
    assert_eq!(first.dropped, collected.dropped());
    assert!(first.dropped > 0 && first.response.is_some());
    while collected.next().is_some() {}
    assert_eq!(waiting(), 0);
}
