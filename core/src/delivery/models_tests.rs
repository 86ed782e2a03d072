//! The wake protocols under every interleaving of a few threads (`make test-deep`, with loom): no lost event,
//! no forgotten sleeper, no missing byte.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Waker};

use loom::model;
use loom::thread;

use crate::call::queue::{Event, EventQueue, Pop};
use crate::delivery::many::tests::{chunk, done, source_of};
use crate::delivery::many::{Many, Next};
use crate::delivery::ready::Ready;
use crate::driver::wake_fd::{Slept, WireKind};

fn push(queue: &EventQueue, number: usize) {
    let mut batch = VecDeque::from([chunk(number)]);
    assert!(queue.poll_push(&mut batch, &Context::from_waker(Waker::noop())).is_ready());
}

#[test]
fn a_blocking_pop_misses_nothing() {
    model(|| {
        let queue = Arc::new(EventQueue::new(64, 1 << 20));
        let producer = {
            let queue = queue.clone();
            thread::spawn(move || {
                push(&queue, 1);
                drop(queue.finish(done()));
            })
        };
        assert!(matches!(queue.pop(None), Pop::Event(Event::Chunk(_))));
        assert!(matches!(queue.pop(None), Pop::Event(Event::Done(_))));
        assert!(matches!(queue.pop(None), Pop::End));
        producer.join().unwrap();
    });
}

#[test]
fn a_cancel_during_a_push_ends_the_call_once() {
    model(|| {
        let queue = Arc::new(EventQueue::new(64, 1 << 20));
        let producer = {
            let queue = queue.clone();
            thread::spawn(move || {
                let mut batch = VecDeque::from([chunk(1)]);
                let _ = queue.poll_push(&mut batch, &Context::from_waker(Waker::noop()));
                drop(queue.finish(done()));
            })
        };
        drop(queue.abandon(crate::Error::internal("cancelled")));
        let mut ends = 0;
        loop {
            match queue.pop(None) {
                Pop::Event(Event::Done(_)) => ends += 1,
                Pop::End => break,
                _ => {}
            }
        }
        assert_eq!(ends, 1);
        producer.join().unwrap();
    });
}

#[test]
fn every_notification_wakes_a_waiter() {
    model(|| {
        let ready = Ready::new();
        let producer = {
            let ready = ready.clone();
            thread::spawn(move || ready.note(1))
        };
        let consumers: Vec<_> = (0..1)
            .map(|_| {
                let ready = ready.clone();
                thread::spawn(move || {
                    // Ends only if it is woken.
                    while ready.take().is_none() {
                        assert!(ready.wait(None));
                    }
                })
            })
            .collect();
        ready.note(2);
        while ready.take().is_none() {
            assert!(ready.wait(None));
        }
        producer.join().unwrap();
        consumers.into_iter().for_each(|consumer| consumer.join().unwrap());
    });
}

#[test]
fn the_byte_is_there_whenever_something_waits() {
    model(|| {
        let ready = Ready::new();
        ready.fd().unwrap();
        let producer = {
            let ready = ready.clone();
            thread::spawn(move || {
                ready.note(1);
                ready.note(2);
            })
        };
        // An event loop: checks only when the byte is there.
        let mut taken = 0;
        while taken < 2 {
            if ready.bytes_waiting() > 0 {
                while ready.take().is_some() {
                    taken += 1;
                }
            } else {
                thread::yield_now();
            }
        }
        producer.join().unwrap();
        assert!(ready.take().is_none());
        assert_eq!(ready.bytes_waiting(), 0);
    });
}

/// The bell is rung without the lock of the notes: neither hides the other.
#[test]
fn a_wakeup_is_seen_and_hides_no_notification() {
    model(|| {
        let ready = Ready::interruptible(WireKind::Event).unwrap();
        let ringing = {
            let ready = ready.clone();
            thread::spawn(move || ready.bell().unwrap().ring())
        };
        let noting = {
            let ready = ready.clone();
            thread::spawn(move || ready.note(1))
        };
        let (mut was_told, mut taken) = (false, false);
        while !(was_told && taken) {
            if ready.bytes_waiting() == 0 {
                thread::yield_now();
                continue;
            }
            // Like a queue with a timeout of zero, from start to end of its check.
            taken |= ready.take().is_some();
            let at_once = Some(std::time::Duration::ZERO);
            was_told |= ready.wait_at(ready.bell().unwrap(), at_once) == Slept::Interrupted;
        }
        ringing.join().unwrap();
        noting.join().unwrap();
        assert!(ready.take().is_none());
        assert_eq!(ready.bytes_waiting(), 0);
    });
}

/// A resume or a cancel concurrent with an event for a paused member: the event is reported.
#[test]
fn a_pause_that_ends_hides_no_event() {
    model(|| {
        let many = Arc::new(Many::new());
        let source = Arc::new(EventQueue::new(8, 1 << 20));
        many.adopt(source.clone(), 7).unwrap();
        assert!(many.pause(7));
        let producer = thread::spawn(move || source.finish(done()).is_some());
        let resumer = {
            let many = many.clone();
            thread::spawn(move || many.resume(7))
        };
        assert!(matches!(many.next(None), Next::Event(7, Event::Done(_))));
        assert!(producer.join().unwrap());
        resumer.join().unwrap();
    });
}

#[test]
fn a_completion_queue_loses_no_event() {
    model(|| {
        let many = Arc::new(Many::new());
        let producer = {
            let many = many.clone();
            thread::spawn(move || {
                let source = source_of(&many, 7);
                push(&source, 1);
                drop(source.finish(done()));
            })
        };
        let mut told = Vec::new();
        while told.len() < 2 {
            match many.next(None) {
                Next::Event(7, Event::Chunk(_)) => told.push(1),
                Next::Event(7, Event::Done(_)) => told.push(2),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(told, [1, 2]);
        producer.join().unwrap();
    });
}

#[test]
fn two_consumers_both_see_the_end() {
    model(|| {
        let many = Arc::new(Many::new());
        let source = source_of(&many, 1);
        many.close_when_done();
        let consumer = {
            let many = many.clone();
            thread::spawn(move || {
                let mut count = 0;
                while let Next::Event(..) = many.next(None) {
                    count += 1;
                }
                count
            })
        };
        drop(source.finish(done()));
        let mut count = 0;
        while let Next::Event(..) = many.next(None) {
            count += 1;
        }
        assert_eq!(count + consumer.join().unwrap(), 1);
    });
}
