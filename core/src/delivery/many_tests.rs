//! The completion queue over bare event queues: order, fairness, close, wakes, many threads.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]
use std::collections::HashMap;
use std::collections::VecDeque;
use std::thread;

use super::*;
use crate::answer::record::{CallRecord, Recorded};
use crate::call::queue::EventQueue;
use crate::options::config::Settings;
use crate::protocol::chunk::Chunk;

/// An event queue whose producer is the test.
impl Source for Arc<EventQueue> {
    fn poll_pop(&self, cx: &Context<'_>) -> Poll<Pop> {
        EventQueue::poll_pop(self, cx)
    }

    fn watch(&self, waker: &Waker) -> bool {
        EventQueue::watch(self, waker)
    }

    fn cancel(&self, _: CancelledBy) {
        drop(self.abandon(Error::new(ErrorKind::Cancelled, "cancelled")));
    }
}

pub(crate) fn chunk(number: usize) -> Event {
    Event::Chunk(Chunk::scan("", &number.to_string()).unwrap())
}

pub(crate) fn done() -> Result<crate::Response> {
    Err(Error::internal("over"))
}

fn push(queue: &EventQueue, number: usize) -> bool {
    let mut batch = VecDeque::from([chunk(number)]);
    queue.poll_push(&mut batch, &Context::from_waker(Waker::noop())).is_ready()
}

/// Adds a source to this queue.
pub(crate) fn source_of(many: &Many<Arc<EventQueue>>, tag: u64) -> Arc<EventQueue> {
    let source = Arc::new(EventQueue::new(1 << 20, 1 << 30));
    let place = many.reserve().unwrap();
    many.insert(place, source.clone(), tag);
    source
}

/// Waits like a queue whose threads do no I/O.
impl Many<Arc<EventQueue>> {
    pub(crate) fn next(&self, timeout: Option<Duration>) -> Next {
        self.next_by(timeout, |_, left| Slept::of(self.ready.wait(left)))
    }

    pub(crate) fn new() -> Many<Arc<EventQueue>> {
        Many::over(Ready::new())
    }

    fn next_many(&self, max: usize, timeout: Option<Duration>, taken: &mut Vec<Next>) -> Taken {
        self.next_many_by(max, timeout, taken, |_, left| Slept::of(self.ready.wait(left)))
    }

    pub(crate) fn close_when_done(&self) {
        self.close(Closing::LetsFinish);
    }
}

fn many(count: u64) -> (Arc<Many<Arc<EventQueue>>>, Vec<Arc<EventQueue>>) {
    let many = Arc::new(Many::new());
    let sources = (0..count).map(|tag| source_of(&many, tag)).collect();
    (many, sources)
}

/// The tag, and the number of the chunk, or -1 for the end.
fn told(next: Next) -> (u64, i64) {
    match next {
        Next::Event(tag, Event::Chunk(chunk)) => (tag, chunk.json().parse().unwrap()),
        Next::Event(tag, Event::Done(_)) => (tag, -1),
        other => panic!("{other:?}"),
    }
}

const NOW: Option<Duration> = Some(Duration::ZERO);

#[test]
fn events_keep_their_calls_order_and_tag() {
    let (many, sources) = many(2);
    assert!(matches!(many.next(NOW), Next::Empty));
    let [a, b] = &*sources else { panic!() };
    (0..3).for_each(|number| assert!(push(a, number) && push(b, 10 + number)));
    drop(a.finish(done()));
    let taken: Vec<_> = (0..7).map(|_| told(many.next(NOW))).collect();
    let of = |tag| taken.iter().filter(move |(t, _)| *t == tag).map(|(_, n)| *n);
    assert!(of(0).eq([0, 1, 2, -1]), "{taken:?}");
    assert!(of(1).eq([10, 11, 12]), "{taken:?}");
    assert!(matches!(many.next(NOW), Next::Empty));
    assert_eq!(lock(&many.members).live, 1);
}

#[test]
fn events_pushed_before_the_insert_are_delivered() {
    let many = Many::new();
    let source = Arc::new(EventQueue::new(8, 1024));
    let place = many.reserve().unwrap();
    assert!(push(&source, 5));
    many.insert(place, source, 9);
    assert_eq!(told(many.next(NOW)), (9, 5));
}

#[test]
fn a_busy_call_does_not_starve_others() {
    let (many, sources) = many(2);
    let [busy, other] = &*sources else { panic!() };
    (0..10_000).for_each(|number| assert!(push(busy, number)));
    assert!(push(other, 0));
    let taken = (0..).map(|_| told(many.next(NOW))).position(|(tag, _)| tag == 1);
    assert_eq!(taken, Some(TURN_EVENTS_MAX as usize));
}

/// The tags of these events, each with the number of its consecutive ones.
fn turns(taken: Vec<Next>) -> Vec<(u64, u32)> {
    let mut turns: Vec<(u64, u32)> = Vec::new();
    for next in taken {
        let (Next::Event(tag, _) | Next::Call(tag, _)) = next else { panic!("{next:?}") };
        match turns.last_mut() {
            Some((last, count)) if *last == tag => *count += 1,
            _ => turns.push((tag, 1)),
        }
    }
    turns
}

#[test]
fn calls_take_turns_in_next_many() {
    let (many, sources) = many(2);
    (0..100).for_each(|number| assert!(sources.iter().all(|source| push(source, number))));
    let mut taken = Vec::new();
    assert_eq!(many.next_many(200, NOW, &mut taken), Taken::Something);
    assert_eq!(turns(taken), [(0, 64), (1, 64), (0, 36), (1, 36)]);
}

#[test]
fn ended_calls_take_turns_with_events() {
    for max in [1, 200] {
        let (many, sources) = many(1);
        let session = Session::new(Settings::for_tests("sk-test"));
        many.follow_calls(&session, Some(9)).unwrap();
        for number in 0..100 {
            let ended = || CallEnded::new(1, CallRecord::new(Recorded::empty()), None);
            session.call_ended(ended).into_iter().for_each(Waker::wake);
            assert!(push(&sources[0], number));
        }
        let mut taken = Vec::new();
        while many.next_many(max, NOW, &mut taken) == Taken::Something {}
        assert_eq!(turns(taken), [(9, 64), (0, 64), (9, 36), (0, 36)], "{max}");
    }
}

#[test]
fn a_call_noted_without_events_is_passed_over() {
    let (many, sources) = many(2);
    many.ready.note(0);
    assert!(push(&sources[1], 5));
    let mut taken = Vec::new();
    let count = lock(&many.members).pop(9, &many.ready, |next| taken.push(told(next)));
    assert_eq!((count, &*taken), (1, &[(1, 5)][..]));
}

#[test]
fn next_many_returns_up_to_the_given_number() {
    let (many, sources) = many(3);
    for source in &sources {
        (0..5).for_each(|number| assert!(push(source, number)));
    }
    let mut events = Vec::new();
    assert_eq!(many.next_many(7, NOW, &mut events), Taken::Something);
    assert_eq!(events.len(), 7);
    assert_eq!(many.next_many(100, None, &mut events), Taken::Something);
    assert_eq!(events.len(), 15);
    assert_eq!(many.next_many(100, NOW, &mut events), Taken::Nothing);
    assert_eq!(events.len(), 15);
}

/// Of several calls, too, and across the turns of one.
#[test]
fn next_many_never_returns_more() {
    const COUNT: usize = 100;
    for max in [1, 2, 63, 64, 65, 99, 100, 101, 199, 200] {
        let (many, sources) = many(2);
        (0..COUNT).for_each(|number| assert!(sources.iter().all(|source| push(source, number))));
        let (mut taken, mut before) = (Vec::new(), 0);
        while matches!(many.next_many(max, NOW, &mut taken), Taken::Something) {
            assert_eq!(taken.len(), (before + max).min(2 * COUNT), "{max}");
            before = taken.len();
        }
        let all: Vec<_> = taken.into_iter().map(told).collect();
        for tag in [0, 1] {
            let of = all.iter().filter(|(of, _)| *of == tag).map(|(_, number)| *number);
            assert!(of.eq(0..COUNT as i64), "{max}: {tag}");
        }
    }
}

#[test]
fn a_wakeup_sticks_until_one_wait_took_it() {
    let (many, _sources) = many(1);
    many.ready.interrupt();
    assert!(matches!(many.next(None), Next::Empty)); // returns
    let start = Instant::now();
    assert!(matches!(many.next(Some(Duration::from_millis(30))), Next::Empty));
    assert!(start.elapsed() >= Duration::from_millis(30));
}

#[test]
fn close_cancels_drains_and_wakes_every_waiter() {
    let (many, sources) = many(2);
    assert!(push(&sources[0], 1));
    many.close(Closing::Cancels);
    assert_eq!(many.reserve().err().unwrap().kind(), ErrorKind::Closed);
    // Cancelled: queued events are dropped, each end is delivered.
    let ends: Vec<_> = (0..2).map(|_| told(many.next(None)).1).collect();
    assert_eq!(ends, [-1, -1]);
    let waiters: Vec<_> = (0..4)
        .map(|_| {
            let many = many.clone();
            thread::spawn(move || matches!(many.next(None), Next::Closed))
        })
        .collect();
    assert!(waiters.into_iter().all(|waiter| waiter.join().unwrap()));
}

#[test]
fn taking_the_last_end_wakes_every_sleeper() {
    let (many, sources) = many(1);
    let waiters: Vec<_> = (0..3)
        .map(|_| {
            let many = many.clone();
            thread::spawn(move || matches!(many.next(None), Next::Closed | Next::Event(..)))
        })
        .collect();
    many.close_when_done();
    // clock: before or in the wait, both are to end the same
    thread::sleep(Duration::from_millis(20));
    drop(sources[0].finish(done()));
    assert!(waiters.into_iter().all(|waiter| waiter.join().unwrap()));
}

#[test]
fn dropping_the_queue_cancels_its_calls() {
    let (many, sources) = many(2);
    drop(many);
    assert!(sources.iter().all(|source| source.is_finished()));
    assert!(sources.iter().all(|source| Arc::strong_count(source) == 1));
}

#[test]
fn many_threads_lose_nothing() {
    const CALLS: usize = 64;
    const CHUNKS: usize = 500;
    const CONSUMERS: usize = 4;
    let many = Arc::new(Many::new());
    many.ready.fd().unwrap();
    let producers: Vec<_> = (0..4)
        .map(|part| {
            let many = many.clone();
            thread::spawn(move || {
                for tag in (0..CALLS).filter(|tag| tag % 4 == part) {
                    // Small, so that producers sometimes wait for room.
                    let source = Arc::new(EventQueue::new(16, 1 << 20));
                    let place = many.reserve().unwrap();
                    many.insert(place, source.clone(), tag as u64);
                    for number in 0..CHUNKS {
                        let mut batch = VecDeque::from([chunk(number)]);
                        let cx = Context::from_waker(Waker::noop());
                        while source.poll_push(&mut batch, &cx).is_pending() {
                            thread::yield_now();
                        }
                    }
                    drop(source.finish(done()));
                }
            })
        })
        .collect();
    let consumers: Vec<_> = (0..CONSUMERS)
        .map(|each| {
            let many = many.clone();
            thread::spawn(move || {
                let mut taken: Vec<(u64, i64)> = Vec::new();
                loop {
                    if each % 2 == 0 {
                        match many.next(None) {
                            Next::Closed => return taken,
                            next => taken.push(told(next)),
                        }
                    } else {
                        let mut events = Vec::new();
                        if many.next_many(32, None, &mut events) == Taken::Closed {
                            return taken;
                        }
                        taken.extend(events.into_iter().map(told));
                    }
                }
            })
        })
        .collect();
    producers.into_iter().for_each(|producer| producer.join().unwrap());
    many.close_when_done();
    let mut counts: HashMap<u64, (usize, usize)> = HashMap::new();
    for consumer in consumers {
        let taken = consumer.join().unwrap();
        let mut last: HashMap<u64, i64> = HashMap::new();
        for (tag, number) in taken {
            let count = counts.entry(tag).or_default();
            match number {
                -1 => count.1 += 1,
                number => {
                    count.0 += 1;
                    // Each thread gets a call's events in order.
                    assert!(last.insert(tag, number).is_none_or(|before| before < number));
                }
            }
        }
    }
    assert_eq!(counts.len(), CALLS);
    assert!(counts.values().all(|count| *count == (CHUNKS, 1)), "{counts:?}");
    assert_eq!(lock(&many.members).live, 0);
}

/// A source owned by the queue, not started yet.
fn owned(many: &Many<Arc<EventQueue>>, tag: u64) -> Arc<EventQueue> {
    let source = Arc::new(EventQueue::new(8, 1 << 20));
    many.adopt(source.clone(), tag).unwrap();
    source
}

#[test]
fn an_owned_tag_is_free_again_once_its_end_was_taken() {
    let many = Many::new();
    let first = owned(&many, 3);
    let refused = many.adopt(Arc::new(EventQueue::new(8, 1024)), 3).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Argument);
    drop(first.finish(done()));
    assert!(many.adopt(Arc::new(EventQueue::new(8, 1024)), 3).is_err(), "end not taken yet");
    assert_eq!(told(many.next(NOW)), (3, -1));
    assert!(!many.cancel(3), "it has ended");
    assert!(push(&owned(&many, 3), 1));
    assert_eq!(told(many.next(NOW)), (3, 1));
    assert_eq!(lock(&many.members).live, 1);
}

#[test]
fn unknown_tags_cannot_be_cancelled_paused_or_resumed() {
    let (many, _sources) = many(2);
    // Calls that the queue does not own may share tags, so tags do not reach them.
    assert!(!many.cancel(1) && !many.pause(1) && !many.resume(1));
}

#[test]
fn a_paused_call_gives_nothing_until_it_is_resumed() {
    let many = Many::new();
    let (paused, other) = (owned(&many, 1), owned(&many, 2));
    assert!(push(&paused, 0)); // noted before the pause
    assert!(many.pause(1));
    assert!(push(&other, 0));
    assert_eq!(told(many.next(NOW)), (2, 0));
    assert!(matches!(many.next(NOW), Next::Empty));
    assert!(push(&paused, 1));
    drop(paused.finish(done()));
    assert!(matches!(many.next(NOW), Next::Empty));
    assert!(many.resume(1));
    let taken: Vec<_> = (0..3).map(|_| told(many.next(NOW))).collect();
    assert_eq!(taken, [(1, 0), (1, 1), (1, -1)]);
    assert!(!many.resume(1), "it has ended");
}

/// A loop that checks whenever the descriptor is readable does not spin while only paused calls have
/// events.
#[test]
fn a_paused_call_makes_no_descriptor_readable_twice() {
    let many = Many::new();
    many.ready.fd().unwrap();
    let paused = owned(&many, 1);
    assert!(many.pause(1));
    assert!(push(&paused, 0)); // armed until now
    assert!(matches!(many.next(NOW), Next::Empty));
    for number in 1..4 {
        assert!(push(&paused, number));
        assert_eq!(many.ready.bytes_waiting(), 0);
    }
    assert!(many.resume(1));
    assert!(many.ready.bytes_waiting() > 0);
    assert_eq!(told(many.next(NOW)), (1, 0));
}

/// Pauses and resumes without any pop do not fill the list.
#[test]
fn repeated_pauses_and_resumes_fill_no_list() {
    let many = Many::new();
    let source = owned(&many, 1);
    assert!(push(&source, 0));
    for _ in 0..100 {
        assert!(many.pause(1) && many.pause(1) && many.resume(1) && many.resume(1));
    }
    assert_eq!(many.ready.take(), Some(0));
    assert_eq!(many.ready.take(), None);
}

#[test]
fn a_cancel_and_a_close_end_a_pause() {
    let many = Many::new();
    let (one, other) = (owned(&many, 1), owned(&many, 2));
    for (tag, source) in [(1, &one), (2, &other)] {
        assert!(many.pause(tag));
        assert!(push(source, 0));
    }
    assert!(matches!(many.next(NOW), Next::Empty));
    assert!(many.cancel(1));
    assert_eq!(told(many.next(NOW)), (1, -1), "at once, without the queued event");
    many.close(Closing::Cancels);
    assert!(many.pause(2), "it is unfinished");
    assert_eq!(told(many.next(NOW)), (2, -1), "a closed queue holds nothing back");
    assert!(matches!(many.next(None), Next::Closed));
}

/// A later pause by another thread does not hold back the end.
#[test]
fn a_cancelled_call_is_not_paused_any_more() {
    let many = Many::new();
    let source = owned(&many, 1);
    assert!(push(&source, 0));
    assert!(many.cancel(1));
    assert!(many.pause(1), "it is unfinished");
    assert!(many.resume(1) && many.pause(1));
    assert_eq!(told(many.next(NOW)), (1, -1));
}

#[test]
fn a_resume_wakes_a_sleeping_reader() {
    let many = Arc::new(Many::new());
    let source = owned(&many, 1);
    assert!(many.pause(1));
    assert!(push(&source, 7));
    let waiter = {
        let many = many.clone();
        thread::spawn(move || told(many.next(None)))
    };
    // clock: before or in the wait, both are to end the same
    thread::sleep(Duration::from_millis(20));
    assert!(!waiter.is_finished());
    assert!(many.resume(1));
    assert_eq!(waiter.join().unwrap(), (1, 7));
}
