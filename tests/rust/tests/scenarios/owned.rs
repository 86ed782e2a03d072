//! Calls that a completion queue owns: reached by their tags, paused, ended with the queue.

use std::collections::HashMap;
use std::thread;
use std::time::{Duration, Instant};

use modelwire::{Call, Client, CompletionQueue, ErrorKind, Event, Limits, Next, Request};
use modelwire_testing::{Exchange, Script, Service};

use crate::support::{client, config, eventually, hello, piece, silence, stalled_after};
use crate::system::memory;

const SOON: Option<Duration> = Some(Duration::from_secs(20));
const NOW: Option<Duration> = Some(Duration::ZERO);

/// The end of the only call that ends.
fn end(queue: &CompletionQueue) -> (u64, Option<ErrorKind>) {
    loop {
        match queue.next(SOON).unwrap() {
            Next::Event(tag, Event::Done(outcome)) => {
                return (tag, outcome.err().map(|error| error.kind()));
            }
            Next::Event(..) => {}
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn every_error_of_an_owned_call_is_its_final_event() {
    let service = Service::start().unwrap();
    let good = client(service.base_url());
    let queue = CompletionQueue::new(None);
    queue.submit_owned(Call::new(&good, Request::chat_json("{")), false, 1).unwrap();
    assert_eq!(end(&queue), (1, Some(ErrorKind::Argument)));
    let cancelled = Call::new(&good, hello());
    cancelled.cancel();
    queue.submit_owned(cancelled, false, 2).unwrap();
    assert_eq!(end(&queue), (2, Some(ErrorKind::Cancelled)));
    let nowhere = client("http://127.0.0.1:1/v1");
    queue.submit_owned(Call::new(&nowhere, hello()), false, 3).unwrap();
    assert_eq!(end(&queue), (3, Some(ErrorKind::Connect)));
    queue.submit_owned(Call::new(&good, hello()), true, 3).unwrap();
    assert_eq!(end(&queue), (3, None));
    // Told at once, and no event comes.
    let started = Call::new(&good, hello());
    started.start(false).unwrap();
    let refused = queue.submit_owned(started, false, 4).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Argument);
    assert_eq!(queue.unfinished(), 0);
    queue.close();
    let refused = queue.submit_owned(Call::new(&good, hello()), false, 4).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Closed);
    assert!(matches!(queue.next(NOW).unwrap(), Next::Closed));
}

#[test]
fn an_owned_call_is_cancelled_by_its_tag() {
    let service = Service::start().unwrap();
    let client = client(service.script("s", Script::one(silence())));
    let queue = CompletionQueue::new(None);
    for tag in [u64::MAX, 0] {
        queue.submit_owned(Call::new(&client, hello()), false, tag).unwrap();
    }
    let twice = queue.submit_owned(Call::new(&client, hello()), false, 0).unwrap_err();
    assert_eq!(twice.kind(), ErrorKind::Argument);
    assert_eq!(queue.unfinished(), 2);
    assert!(!queue.cancel(1));
    assert!(queue.cancel(u64::MAX));
    assert_eq!(end(&queue), (u64::MAX, Some(ErrorKind::Cancelled)));
    assert!(!queue.cancel(u64::MAX), "its end was taken");
    assert_eq!(queue.unfinished(), 1);
    eventually("sent", || !service.recorded("s").is_empty());
    drop(queue); // the queue owns it
    eventually("closed", || service.open_connections() == 0);
}

/// A canceller outlives its call, and its drop ends nothing.
#[test]
fn a_canceller_cancels_and_owns_nothing() {
    let service = Service::start().unwrap();
    let client = client(service.script("s", Script::one(silence())));
    let queue = CompletionQueue::new(None);
    let call = Call::new(&client, hello());
    let canceller = call.canceller();
    queue.submit_owned(call, false, 1).unwrap();
    drop(canceller.clone());
    assert!(matches!(queue.next(Some(Duration::from_millis(20))).unwrap(), Next::Empty));
    canceller.cancel();
    assert_eq!(end(&queue), (1, Some(ErrorKind::Cancelled)));
    canceller.cancel();
}

const FAST: u64 = 99;
const PIECES: usize = 2000;
const PIECE_BYTES: usize = 16 << 10;

/// One stream whose reader is slow is held up by its service, and no other one is; what waits stays
/// within the client's bound, and nothing is lost.
#[test]
fn a_paused_stream_delays_no_other_stream() {
    let service = Service::start().unwrap();
    let large = piece(&"x".repeat(PIECE_BYTES));
    let flood = Exchange::pre_rendered_stream(&large, PIECES, 1);
    let limits = Limits::default().queue_events_max(16).queue_bytes_max(1 << 20);
    let url = service.script("flood", Script::one(flood));
    let flooded = Client::new(config(url).limits(limits)).unwrap();
    let fast = client(service.base_url());
    let queue = CompletionQueue::new(None);
    queue.submit_owned(Call::new(&flooded, hello()), true, 0).unwrap();
    let mut counts: HashMap<u64, usize> = HashMap::new();
    while counts.get(&0).is_none_or(|count| *count < 3) {
        if let Next::Event(tag, Event::Chunk(_)) = queue.next(SOON).unwrap() {
            *counts.entry(tag).or_default() += 1;
        }
    }
    assert!(queue.pause(0));
    let before = memory().0;
    for tag in 1..=FAST {
        queue.submit_owned(Call::new(&fast, hello()), true, tag).unwrap();
    }
    let mut texts: HashMap<u64, String> = HashMap::new();
    let mut ended = 0;
    while ended < FAST {
        match queue.next(SOON).unwrap() {
            Next::Event(0, _) => panic!("it is paused"),
            Next::Event(tag, Event::Chunk(chunk)) => {
                texts.entry(tag).or_default().push_str(&chunk.text());
            }
            Next::Event(_, Event::Done(outcome)) => {
                outcome.unwrap();
                ended += 1;
            }
            Next::Event(_, Event::Open(_)) => {}
            other => panic!("{other:?}"),
        }
    }
    assert!(texts.values().all(|text| text == "Hello from both sides."));
    // Who waits at the descriptor, level-triggered, is not called for what is paused.
    let start = Instant::now();
    assert!(matches!(queue.next(Some(Duration::from_millis(300))).unwrap(), Next::Empty));
    assert!(start.elapsed() >= Duration::from_millis(300));
    let grown = memory().0.saturating_sub(before);
    assert!(grown < 16 << 20, "{grown} bytes were taken of a stream of {} MiB", PIECES >> 6);
    assert!(queue.resume(0));
    let mut whole = counts[&0];
    loop {
        match queue.next(SOON).unwrap() {
            Next::Event(0, Event::Chunk(chunk)) => {
                whole += chunk.text().len() / PIECE_BYTES; // the last one has none
            }
            Next::Event(0, Event::Done(outcome)) => {
                outcome.unwrap();
                break;
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(whole, PIECES);
}

#[test]
fn a_paused_call_that_is_cancelled_ends_at_once() {
    let service = Service::start().unwrap();
    let client = client(service.script("s", Script::one(stalled_after(&[&piece("a")]))));
    let queue = CompletionQueue::new(None);
    queue.submit_owned(Call::new(&client, hello()), true, 5).unwrap();
    assert!(queue.pause(5));
    eventually("sent", || service.recorded("s").len() == 1);
    assert!(matches!(queue.next(Some(Duration::from_millis(100))).unwrap(), Next::Empty));
    let canceller = {
        let queue = queue.clone();
        thread::spawn(move || {
            // clock: before or in the wait, both are to end the same
            thread::sleep(Duration::from_millis(50));
            queue.cancel(5)
        })
    };
    let Next::Event(5, Event::Done(Err(error))) = queue.next(SOON).unwrap() else { panic!() };
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    assert!(canceller.join().unwrap());
    assert_eq!(queue.unfinished(), 0);
}

/// Threads that wait when the queue is closed are all told, whoever of them takes the ends.
#[test]
fn a_close_wakes_every_waiting_thread() {
    let service = Service::start().unwrap();
    let client = client(service.script("s", Script::one(silence())));
    for calls in [0, 1, 3] {
        let queue = CompletionQueue::new(None);
        for tag in 0..calls {
            queue.submit_owned(Call::new(&client, hello()), false, tag).unwrap();
        }
        let waiters: Vec<_> = (0..4)
            .map(|_| {
                let queue = queue.clone();
                thread::spawn(move || {
                    let mut ends = 0;
                    loop {
                        match queue.next(None).unwrap() {
                            Next::Event(..) => ends += 1,
                            Next::Closed => return ends,
                            other => panic!("{other:?}"),
                        }
                    }
                })
            })
            .collect();
        // clock: before or in the wait, both are to end the same
        thread::sleep(Duration::from_millis(50));
        queue.close();
        drop(queue);
        let ends: u64 = waiters.into_iter().map(|waiter| waiter.join().unwrap()).sum();
        assert_eq!(ends, calls);
    }
}
