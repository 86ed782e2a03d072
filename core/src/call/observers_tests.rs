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

/// A buffer is in the list as often as it was registered, and each registration ends by itself.
#[test]
fn an_observer_is_there_until_it_is_dropped() {
    let observers: SharedObservers = Arc::new(PerProcess::new());
    let buffer = Arc::new(EndedCalls::new(None));
    let numbers = || {
        drop(observers.get().unwrap().put(&ended(0, None)));
        std::iter::from_fn(|| buffer.pop()).map(|(number, _)| number).collect::<Vec<_>>()
    };
    let first = Observed::new(&observers, &buffer, 1, None).unwrap();
    let second = Observed::new(&observers, &buffer, 2, None).unwrap();
    assert!(buffer.is_empty());
    assert_eq!(numbers(), [1, 2]);
    let third = Observed::new(&observers, &buffer, 3, Some(&first)).unwrap();
    assert_eq!(numbers(), [2, 3], "in place of the first");
    drop(first);
    assert_eq!(numbers(), [2, 3]);
    drop(second);
    assert_eq!(numbers(), [3]);
    assert!(observers.get().unwrap().are_there());
    assert!(third.is_on(&observers) && !third.is_on(&Arc::new(PerProcess::new())));
    drop(third);
    assert!(!observers.get().unwrap().are_there());
    assert!(buffer.is_empty());

    let last = Observed::new(&observers, &buffer, 4, None).unwrap();
    drop(observers.get().unwrap().put(&ended(0, None)));
    assert!(!buffer.is_empty());
    assert!(!last.is_orphaned());
    drop(observers);
    assert!(last.is_orphaned());
}

#[test]
fn what_finds_just_enough_room_is_kept() {
    let mut buffer = Buffer::default();
    let text = format!("\"{}\"", "y".repeat(1000 - 2));
    let head = Arc::new(Head::new::<&str, &str>(200, []));
    let answer = Response::whole(Endpoint::Chat, head, Document::scan(&text).unwrap());
    for (room, has_answer) in [(1000, true), (999, false)] {
        buffer.bytes = RECORDS_WAITING_BYTES_MAX - room;
        buffer.put(1, ended(0, Some(&answer)));
        let (_, taken) = buffer.calls.pop_front().unwrap();
        assert_eq!(taken.response.is_some(), has_answer, "{room}");
    }
    // The tags of dropped calls are bounded, and a call without one has none.
    (buffer.bytes, buffer.dropped_tags) =
        (RECORDS_WAITING_BYTES_MAX, vec![7; TAGS_DROPPED_MAX - 1]);
    buffer.put(1, CallEnded { tag: 0, ..ended(1, None) });
    assert_eq!((buffer.dropped, buffer.dropped_tags.len()), (1, TAGS_DROPPED_MAX - 1));
    buffer.put(1, ended(1, None));
    buffer.put(1, ended(1, None));
    assert_eq!((buffer.dropped, buffer.dropped_tags.len()), (3, TAGS_DROPPED_MAX));
}

/// It has the locks of another process, and what that one put into it.
#[test]
fn a_buffer_of_another_process_is_left_alone() {
    let generation = process::generation() + 1;
    let buffer = EndedCalls { generation, ..EndedCalls::new(None) };
    buffer.put(1, ended(0, None));
    assert!(!buffer.is_of_this_process() && buffer.wait().is_none());
    buffer.stop();
    assert!(!lock(&buffer.buffer).is_stopped);
    let own = EndedCalls::new(None);
    own.put(1, ended(0, None));
    assert!(own.is_of_this_process() && own.wait().is_some());
    own.stop();
    assert!(own.wait().is_none());
}
