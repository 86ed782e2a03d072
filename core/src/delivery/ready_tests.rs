//! Notes, waits, the descriptor's byte, and many threads at once.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use super::*;
use crate::driver::wake_fd::INTERRUPTIBLE_MAX;

impl Ready {
    /// The program's end of the `wake_fd`. It must have been requested before, because a request makes it
    /// readable.
    pub(crate) fn bytes_waiting(&self) -> usize {
        lock(&self.shared.noted).wake_fd.as_mut().unwrap().bytes_waiting()
    }
}

fn is_readable(ready: &Ready) -> bool {
    ready.bytes_waiting() > 0
}

#[test]
fn numbers_come_out_in_order() {
    let ready = Ready::new();
    assert_eq!(ready.take(), None);
    for number in [3, 1, 2, 1] {
        ready.waker(number).wake();
    }
    assert_eq!([(); 5].map(|()| ready.take()), [Some(3), Some(1), Some(2), Some(1), None]);
}

/// One list per kind of descriptor.
fn every_kind() -> Vec<Ready> {
    let kinds = [WireKind::Event, WireKind::Socket];
    let plain = kinds.map(Ready::of);
    let interruptible = kinds.map(|kind| Ready::interruptible(kind).unwrap());
    plain.into_iter().chain(interruptible).collect()
}

#[test]
fn the_descriptor_is_readable_while_something_waits() {
    every_kind().into_iter().for_each(is_readable_while_something_waits);
}

fn is_readable_while_something_waits(ready: Ready) {
    ready.note(1); // before the descriptor exists
    ready.fd().unwrap();
    assert!(is_readable(&ready));
    ready.note(2);
    assert_eq!(ready.take(), Some(1));
    assert!(is_readable(&ready));
    assert_eq!(ready.take(), Some(2));
    assert_eq!(ready.take(), None);
    assert!(!is_readable(&ready));
    ready.interrupt();
    assert!(is_readable(&ready));
    assert_eq!(ready.first(), None);
    assert!(is_readable(&ready), "the interruption is kept");
    assert_eq!(ready.take(), None);
    assert!(!is_readable(&ready));
}

#[test]
fn a_program_may_read_the_byte_itself() {
    for ready in every_kind() {
        ready.fd().unwrap();
        for round in 0..3 {
            ready.note(round);
            assert_eq!(ready.bytes_waiting(), 1);
            lock(&ready.shared.noted).wake_fd.as_mut().unwrap().steal();
            assert_eq!(ready.take(), Some(round));
            assert_eq!(ready.take(), None);
        }
    }
}

#[test]
fn a_ring_stays_pending_until_one_wait_takes_it() {
    let ready = Ready::interruptible(WireKind::Event).unwrap();
    let bell = ready.bell().unwrap();
    bell.ring();
    bell.ring();
    assert!(is_readable(&ready));
    assert_eq!(ready.take(), None);
    assert!(is_readable(&ready), "a check without a wait leaves it for a waiter");
    assert_eq!(ready.wait_at(bell, None), Slept::Interrupted);
    assert!(!is_readable(&ready));
    assert_eq!(ready.wait_at(bell, Some(Duration::ZERO)), Slept::InVain);
    // A queued number comes first, and the ring remains.
    ready.note(4);
    bell.ring();
    assert_eq!(ready.wait_at(bell, None), Slept::Noted);
    assert_eq!(ready.take(), Some(4));
    assert_eq!(ready.wait_at(bell, None), Slept::Interrupted);
}

#[test]
fn an_interruptible_wait_ends_by_itself_now_and_then() {
    let ready = Ready::interruptible(WireKind::Socket).unwrap();
    let (bell, start) = (ready.bell().unwrap(), Instant::now());
    assert_eq!(ready.wait_at(bell, None), Slept::Interrupted);
    let waited = start.elapsed();
    assert!(waited >= INTERRUPTIBLE_MAX, "{waited:?}");
    // clock: bounds a hang
    assert!(waited < Duration::from_secs(60), "{waited:?}");
    let short = Duration::from_millis(20);
    assert_eq!(ready.wait_at(bell, Some(short)), Slept::InVain);
    let other = ready.clone();
    let noting = thread::spawn(move || {
        // clock: before or in the wait, both are to end the same
        thread::sleep(Duration::from_millis(10));
        other.note(3);
    });
    while ready.wait_at(bell, None) != Slept::Noted {}
    assert_eq!(ready.take(), Some(3));
    noting.join().unwrap();
}

#[test]
fn an_interruption_sticks_and_lets_one_waiter_go() {
    let ready = Ready::new();
    ready.interrupt();
    ready.interrupt();
    assert!(!ready.wait(None)); // returns
    let start = Instant::now();
    assert!(!ready.wait(Some(Duration::from_millis(20))));
    assert!(start.elapsed() >= Duration::from_millis(20));
    assert!(!ready.has_company());
    let other = ready.clone();
    let waiter = thread::spawn(move || other.wait(None).then(|| other.take()).flatten());
    while lock(&ready.shared.noted).sleepers == 0 {
        thread::yield_now();
    }
    assert!(ready.has_company());
    ready.note(7);
    assert_eq!(waiter.join().unwrap(), Some(7));
}

/// Who does not wait takes none from a thread that sleeps.
#[test]
fn an_interruption_belongs_to_a_sleeper() {
    for ready in every_kind() {
        lock(&ready.shared.noted).sleepers = 1;
        ready.interrupt();
        assert_eq!(ready.take(), None);
        assert!(!ready.wait(Some(Duration::ZERO)));
        if let Some(bell) = ready.bell() {
            assert_eq!(ready.wait_at(bell, Some(Duration::ZERO)), Slept::InVain);
        }
        assert!(lock(&ready.shared.noted).interrupted);
        ready.note(1);
        assert!(ready.wait(Some(Duration::ZERO)));
        assert_eq!(ready.take(), Some(1));
        lock(&ready.shared.noted).sleepers = 0;
        assert!(!ready.wait(None)); // returns
        assert!(!lock(&ready.shared.noted).interrupted);
        ready.interrupt();
        assert!(!ready.wait(Some(Duration::ZERO)));
        assert!(!lock(&ready.shared.noted).interrupted, "nobody else wants it");
        if let Some(bell) = ready.bell() {
            assert_eq!(ready.wait_at(bell, Some(Duration::from_millis(1))), Slept::InVain);
            assert_eq!(lock(&ready.shared.noted).sleepers, 0);
        }
    }
}

#[test]
fn many_threads_lose_no_note() {
    const PRODUCERS: u64 = 4;
    const CONSUMERS: u64 = 4;
    const NOTES: u64 = 20_000;
    let ready = Ready::new();
    ready.fd().unwrap();
    let sum = Arc::new(AtomicU64::new(0));
    let producers = (0..PRODUCERS).map(|_| {
        let ready = ready.clone();
        thread::spawn(move || (1..=NOTES).for_each(|number| ready.note(number)))
    });
    let producers: Vec<_> = producers.collect();
    let consumers = (0..CONSUMERS).map(|_| {
        let (ready, sum) = (ready.clone(), sum.clone());
        // 0 marks the end.
        thread::spawn(move || {
            loop {
                assert!(ready.wait(None));
                match ready.take() {
                    Some(0) => return,
                    Some(number) => {
                        sum.fetch_add(number, Ordering::Relaxed);
                    }
                    None => {} // another thread took it
                }
            }
        })
    });
    let consumers: Vec<_> = consumers.collect();
    for producer in producers {
        producer.join().unwrap();
    }
    (0..CONSUMERS).for_each(|_| ready.note(0));
    for consumer in consumers {
        consumer.join().unwrap();
    }
    assert_eq!(sum.load(Ordering::Relaxed), PRODUCERS * NOTES * (NOTES + 1) / 2);
    assert_eq!(ready.take(), None);
    assert!(!is_readable(&ready));
}
