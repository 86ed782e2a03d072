//! The queue's invariants, one by one, with real threads.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Wake;
use std::thread;

use super::*;
use crate::answer::error_kind::ErrorKind;

#[derive(Default)]
struct Counter(AtomicUsize);

impl Wake for Counter {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Counter {
    fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

fn waker() -> (Arc<Counter>, Waker) {
    let counter = Arc::new(Counter::default());
    (counter.clone(), counter.into())
}

fn chunk(number: usize, padding: usize) -> Event {
    let text = format!("{{\"n\":{number},\"pad\":\"{}\"}}", "x".repeat(padding));
    Event::Chunk(Chunk::scan("", &text).unwrap())
}

fn chunks(range: std::ops::Range<usize>) -> VecDeque<Event> {
    range.map(|number| chunk(number, 0)).collect()
}

fn number(event: Event) -> usize {
    match event {
        Event::Chunk(chunk) => chunk.value().get("n").unwrap().as_i64().unwrap() as usize,
        other => panic!("not a chunk: {other:?}"),
    }
}

fn cancelled() -> Error {
    Error::new(ErrorKind::Cancelled, "cancelled")
}

#[test]
fn events_come_in_order_then_done_once_then_the_end() {
    let queue = EventQueue::new(10, 1 << 20);
    let (_, waker) = waker();
    let mut batch = chunks(0..3);
    assert!(queue.poll_push(&mut batch, &Context::from_waker(&waker)).is_ready());
    assert!(queue.finish(Err(cancelled())).is_some());
    assert!(queue.finish(Err(cancelled())).is_none(), "Done goes in once");
    let mut late = chunks(3..4);
    assert!(queue.poll_push(&mut late, &Context::from_waker(&waker)).is_ready());
    for expected in 0..3 {
        let Pop::Event(event) = queue.try_pop() else { panic!("an event waits") };
        assert_eq!(number(event), expected);
    }
    assert!(matches!(queue.pop(None), Pop::Event(Event::Done(Err(_)))));
    assert!(matches!(queue.pop(None), Pop::End));
    assert!(matches!(queue.try_pop(), Pop::End));
}

#[test]
fn the_bound_holds_and_the_producer_is_woken_when_its_inbox_is_taken() {
    let queue = EventQueue::new(8, 1 << 20);
    let (woken, waker) = waker();
    let cx = &Context::from_waker(&waker);
    let mut batch = chunks(0..14);
    assert!(queue.poll_push(&mut batch, cx).is_pending());
    assert_eq!((batch.len(), lock(&queue.inbox).events.len()), (10, 4));
    queue.try_pop();
    assert_eq!(woken.count(), 1);
    assert!(queue.poll_push(&mut batch, cx).is_pending());
    let held = lock(&queue.inbox).events.len() + lock(&queue.outbox).events.len();
    assert_eq!((batch.len(), held), (6, 7), "inbox and outbox together are within the bound");
    for _ in 0..3 {
        queue.try_pop();
    }
    assert_eq!(woken.count(), 1, "not for each event");
    queue.try_pop();
    assert_eq!(woken.count(), 2);
}

#[test]
fn bytes_are_bounded_and_one_larger_event_enters_an_empty_inbox() {
    let queue = EventQueue::new(100, 4000);
    let (_, waker) = waker();
    let cx = &Context::from_waker(&waker);
    let mut batch = VecDeque::from([chunk(0, 5000), chunk(1, 0)]);
    assert!(queue.poll_push(&mut batch, cx).is_pending());
    assert_eq!((batch.len(), lock(&queue.inbox).events.len()), (1, 1));
    queue.try_pop();
    assert!(queue.poll_push(&mut batch, cx).is_ready());
    assert!(lock(&queue.inbox).bytes <= 2000);
}

#[test]
fn many_events_cause_one_wakeup_and_only_if_a_reader_waits() {
    let queue = EventQueue::new(100, 1 << 20);
    let (woken, waker) = waker();
    let cx = &Context::from_waker(&waker);
    let push = |range| assert!(queue.poll_push(&mut chunks(range), cx).is_ready());
    push(0..2);
    assert_eq!(woken.count(), 0, "nobody waits");
    assert!(queue.poll_pop(cx).is_ready() && queue.poll_pop(cx).is_ready());
    assert!(queue.poll_pop(cx).is_pending());
    push(2..2);
    assert_eq!(woken.count(), 0, "nothing came");
    push(2..5);
    push(5..6);
    assert_eq!(woken.count(), 1);
    assert!(queue.poll_pop(cx).is_ready());
    drop(queue.finish(Err(cancelled())));
    assert_eq!(woken.count(), 1, "the consumer has not found the queue empty since");
}

#[test]
fn abandoning_drops_what_waits_but_not_what_is_complete() {
    let queue = EventQueue::new(100, 1 << 20);
    let (woken, waker) = waker();
    let cx = &Context::from_waker(&waker);
    assert!(queue.poll_push(&mut chunks(0..3), cx).is_ready());
    queue.try_pop();
    assert!(queue.poll_push(&mut chunks(3..5), cx).is_ready());
    assert!(queue.abandon(cancelled()).is_some());
    assert!(matches!(queue.try_pop(), Pop::Event(Event::Done(Err(_)))));
    assert!(matches!(queue.try_pop(), Pop::End));
    assert_eq!(woken.count(), 0);

    let queue = EventQueue::new(100, 1 << 20);
    assert!(queue.poll_push(&mut chunks(0..3), cx).is_ready());
    drop(queue.finish(Err(Error::new(ErrorKind::Incomplete, "cut"))));
    assert!(queue.abandon(cancelled()).is_none());
    assert_eq!(lock(&queue.inbox).events.len(), 4, "a complete call keeps its events");
}

#[test]
fn a_timed_out_pop_returns_empty() {
    let queue = EventQueue::new(4, 1 << 20);
    assert!(matches!(queue.pop(Some(Duration::from_millis(5))), Pop::Empty));
    assert!(matches!(queue.pop(Some(Duration::ZERO)), Pop::Empty));
}

#[test]
fn a_sleeping_thread_is_woken_by_a_push_by_done_and_by_abandoning() {
    let (_, waker) = waker();
    for way in 0..3 {
        let queue = Arc::new(EventQueue::new(4, 1 << 20));
        let sleeper = thread::spawn({
            let queue = queue.clone();
            move || queue.pop(None)
        });
        while !queue.has_sleepers() {
            thread::yield_now();
        }
        match way {
            0 => {
                assert!(queue.poll_push(&mut chunks(0..1), &Context::from_waker(&waker)).is_ready())
            }
            1 => assert!(queue.finish(Err(cancelled())).is_some()),
            _ => assert!(queue.abandon(cancelled()).is_some()),
        }
        assert!(matches!(sleeper.join().unwrap(), Pop::Event(_)));
        assert!(!queue.has_sleepers());
    }
}

/// A producer thread that parks when the queue is full, as the call's task does.
fn produce(queue: &EventQueue, total: usize) {
    struct Unpark(thread::Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let cx = &Context::from_waker(&waker);
    for start in (0..total).step_by(7) {
        let mut batch = chunks(start..(start + 7).min(total));
        while queue.poll_push(&mut batch, cx).is_pending() {
            thread::park();
        }
    }
    drop(queue.finish(Err(cancelled())));
}

#[test]
fn no_event_and_no_wake_is_lost_between_threads() {
    const TOTAL: usize = 20_000;
    for (events_max, timeout) in [(1, None), (3, None), (64, Some(Duration::from_micros(50)))] {
        let queue = EventQueue::new(events_max, 1 << 20);
        thread::scope(|scope| {
            scope.spawn(|| produce(&queue, TOTAL));
            let mut expected = 0;
            loop {
                match queue.pop(timeout) {
                    Pop::Event(Event::Chunk(chunk)) => {
                        assert_eq!(number(Event::Chunk(chunk)), expected);
                        expected += 1;
                    }
                    Pop::Event(_) => break,
                    Pop::Empty => {}
                    Pop::End => panic!("End before Done"),
                }
            }
            assert_eq!(expected, TOTAL);
        });
    }
}

#[test]
fn two_threads_share_a_stream_and_each_event_comes_once() {
    const TOTAL: usize = 5_000;
    let queue = EventQueue::new(16, 1 << 20);
    let seen = Mutex::new(Vec::new());
    thread::scope(|scope| {
        scope.spawn(|| produce(&queue, TOTAL));
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    match queue.pop(None) {
                        Pop::Event(event @ Event::Chunk(_)) => {
                            seen.lock().unwrap().push(number(event))
                        }
                        Pop::Event(_) | Pop::End => break,
                        Pop::Empty => panic!("it waits forever"),
                    }
                }
            });
        }
    });
    let mut seen = seen.into_inner().unwrap();
    seen.sort_unstable();
    assert_eq!(seen, (0..TOTAL).collect::<Vec<_>>());
}

#[test]
fn a_bound_can_only_be_tightened() {
    for (first, then, room) in [(8, 100, 4), (8, 4, 2), (8, 3, 2), (8, 1, 1), (8, 0, 1)] {
        let queue = EventQueue::new(first, 1 << 20);
        queue.limit_events(then);
        let (_, waker) = waker();
        let mut batch = chunks(0..14);
        assert!(queue.poll_push(&mut batch, &Context::from_waker(&waker)).is_pending());
        assert_eq!(14 - batch.len(), room, "{then}");
    }
}

/// Neither in the inbox nor, where it was taken, in the outbox, nor the end.
#[test]
fn a_watch_begins_only_where_nothing_is_there() {
    let queue = EventQueue::new(8, 1 << 20);
    let (woken, waker) = waker();
    let cx = &Context::from_waker(&waker);
    assert!(queue.watch(&waker));
    assert!(queue.poll_push(&mut chunks(0..2), cx).is_ready());
    assert_eq!(woken.count(), 1);
    assert!(!queue.watch(&waker), "two in the inbox");
    queue.try_pop();
    assert!(!queue.watch(&waker), "one in the outbox");
    queue.try_pop();
    assert!(queue.watch(&waker));
    drop(queue.finish(Err(cancelled())));
    assert!(!queue.watch(&waker), "its end");
    queue.try_pop();
    assert!(!queue.watch(&waker), "nothing follows");
}
