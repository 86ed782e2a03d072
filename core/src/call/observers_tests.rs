//! The queue of an observer is bounded, in number and in bytes.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

use std::time::Duration;

use super::*;
use crate::answer::head::Head;
use crate::answer::record::{CHUNK_TIMES_MAX, CallRecord, Recorded};
use crate::answer::response::Response;
use crate::protocol::document::Document;
use crate::protocol::endpoint::Endpoint;

fn ended(chunk_times: usize, answer: Option<&Response>) -> CallEnded {
    let chunk_times = vec![Duration::ZERO; chunk_times];
    let record = CallRecord::new(Recorded { chunk_times, ..Recorded::empty() });
    CallEnded::new(1, record, answer.cloned())
}

#[test]
fn answers_beyond_the_limit_are_left_out_and_records_counted() {
    let text = format!("{{\"x\":\"{}\"}}", "y".repeat(1 << 20));
    let document = Document::scan(&text).unwrap();
    let head = Arc::new(Head::new::<&str, &str>(200, []));
    let answer = Response::whole(Endpoint::Chat, head, document);
    let calls = EndedCalls::new(None);
    let fill = |count, chunk_times| {
        for _ in 0..count {
            calls.put(0, ended(chunk_times, Some(&answer)));
        }
    };
    let waiting = || lock(&calls.buffer).bytes;
    let all = || std::iter::from_fn(|| calls.next()).map(|(_, ended)| ended).collect::<Vec<_>>();
    fill(100, 0);
    let taken = all();
    let with_answer = taken.iter().filter(|ended| ended.response.is_some()).count();
    assert_eq!((taken.len(), with_answer), (100, RECORDS_WAITING_BYTES_MAX / text.len()));
    assert!(taken.iter().all(|ended| ended.dropped == 0));
    assert_eq!(waiting(), 0);
    // Chunk times alone find no room.
    fill(400, CHUNK_TIMES_MAX);
    assert!(waiting() <= RECORDS_WAITING_BYTES_MAX);
    let taken = all();
    assert!(taken[0].dropped > 0 && taken[0].response.is_some());
    assert_eq!(taken[0].dropped, 400 - taken.len() as u64);
    assert_eq!(taken[0].dropped_tags.len() as u64, taken[0].dropped);
    assert!(taken[1..].iter().all(|ended| ended.dropped == 0 && ended.dropped_tags.is_empty()));
    assert_eq!(waiting(), 0);
}
