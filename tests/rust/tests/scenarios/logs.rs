//! The log for programs in other languages, through queues. Each test runs in its
//! own process, which has one logger.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use modelwire::log::{Level, RECORDS_MAX, Record};
use modelwire::{Call, CompletionQueue, ErrorKind, Event, Next, Taken};
use modelwire_testing::Service;

use crate::processes::in_child_at;
use crate::support::{client, hello};
use crate::system::{forked, is_readable};

const SOON: Option<Duration> = Some(Duration::from_secs(20));
const NOW: Option<Duration> = Some(Duration::ZERO);

/// Says something of the library's own.
fn say(level: Level, what: &str) {
    match level {
        Level::Error => ::log::error!(target: "modelwire", "{what}"),
        Level::Warn => ::log::warn!(target: "modelwire", "{what}"),
        Level::Info => ::log::info!(target: "modelwire", "{what}"),
        Level::Debug => ::log::debug!(target: "modelwire", "{what}"),
        Level::Trace => ::log::trace!(target: "modelwire", "{what}"),
    }
}

/// What of it came out with this tag.
fn said(queue: &CompletionQueue, tag: u64) -> Vec<String> {
    let mut said = Vec::new();
    while let Next::Log(found, record) = queue.next(NOW).unwrap() {
        assert_eq!((found, record.target.as_str()), (tag, "modelwire"));
        said.push(record.message);
    }
    said
}

#[test]
fn a_queue_follows_the_log() {
    in_child_at("logs::a_queue_follows_the_log", &[], || {
        let (one, other) = (CompletionQueue::new(None), CompletionQueue::interruptible().unwrap());
        one.follow_log(Some(Level::Warn), 5).unwrap();
        other.follow_log(Some(Level::Debug), 6).unwrap();
        say(Level::Warn, "first");
        say(Level::Info, "second");
        assert_eq!(said(&one, 5), ["first"]);
        assert_eq!(said(&other, 6), ["first", "second"]);
        // Another level and another tag, and nothing of what waits is lost.
        say(Level::Error, "third");
        one.follow_log(Some(Level::Info), 7).unwrap();
        say(Level::Info, "fourth");
        assert_eq!(said(&one, 7), ["third", "fourth"]);
        // One that sleeps is woken, and one at the descriptor.
        let fd = one.fd().unwrap();
        let sleeper = {
            let one = one.clone();
            std::thread::spawn(move || said_next(&one))
        };
        // clock: before or in the wait, both are to end the same
        std::thread::sleep(Duration::from_millis(30));
        say(Level::Info, "fifth");
        assert_eq!(sleeper.join().unwrap(), "fifth");
        assert!(!is_readable(fd, Duration::ZERO) || said(&one, 7).is_empty());
        assert!(!is_readable(fd, Duration::ZERO));
        say(Level::Info, "sixth");
        assert!(is_readable(fd, Duration::ZERO));
        assert_eq!(said(&one, 7), ["sixth"]);
        assert!(!is_readable(fd, Duration::ZERO));
        one.follow_log(None, 0).unwrap();
        say(Level::Error, "seventh");
        assert_eq!(said(&one, 7), [""; 0]);
        one.follow_log(Some(Level::Info), 8).unwrap();
        say(Level::Error, "not seen");
        one.follow_log(None, 0).unwrap();
        one.follow_log(Some(Level::Info), 8).unwrap();
        say(Level::Error, "eighth");
        assert_eq!(said(&one, 8), ["eighth"]);
        one.follow_log(None, 0).unwrap();
        assert_eq!(said(&other, 6)[2..], ["fifth", "sixth", "seventh", "not seen", "eighth"]);
        other.close();
        assert!(matches!(other.next(None).unwrap(), Next::Closed));
        assert_eq!(other.follow_log(Some(Level::Info), 1).unwrap_err().kind(), ErrorKind::Closed);
        assert!(!::log::log_enabled!(::log::Level::Error), "nobody listens any more");
    });
}

fn said_next(queue: &CompletionQueue) -> String {
    match queue.next(SOON).unwrap() {
        Next::Log(_, record) => record.message,
        other => panic!("{other:?}"),
    }
}

/// What a call has to say comes out beside its events; a flood of records hides no event.
#[test]
fn records_and_events_come_out_of_one_queue() {
    in_child_at("logs::records_and_events_come_out_of_one_queue", &[], || {
        let service = Service::start().unwrap();
        let client = client(service.base_url());
        let queue = CompletionQueue::new(None);
        queue.follow_log(Some(Level::Debug), 99).unwrap();
        (0..RECORDS_MAX + 7).for_each(|number| say(Level::Info, &format!("{number}")));
        queue.submit_owned(Call::new(&client, hello()), true, 1).unwrap();
        let (mut records, mut before_the_end, mut dropped) = (0, None, None);
        let mut taken = Vec::new();
        while before_the_end.is_none() || dropped.is_none() {
            assert_eq!(queue.next_many(32, SOON, &mut taken).unwrap(), Taken::Something);
            for next in taken.drain(..) {
                match next {
                    Next::Log(99, record) => {
                        records += 1;
                        if record.message.contains("were dropped") {
                            dropped = Some(record);
                        }
                    }
                    Next::Event(1, Event::Done(outcome)) => {
                        outcome.unwrap();
                        before_the_end = Some(records);
                    }
                    Next::Event(1, _) => {}
                    other => panic!("{other:?}"),
                }
            }
        }
        assert!(records > RECORDS_MAX, "{records}");
        let dropped: Record = dropped.unwrap();
        assert_eq!(dropped.level, Level::Warn);
        // The records of the call itself may have been too many as well.
        let count = dropped.message.split(' ').next().unwrap().parse::<usize>().unwrap();
        assert!((7..200).contains(&count), "{}", dropped.message);
    });
}

/// Design: what belongs to the parent is leaked. Threads of the parent log at the moment of the fork.
#[test]
fn a_forked_child_drops_a_queue_that_follows_the_log() {
    in_child_at("logs::a_forked_child_drops_a_queue_that_follows_the_log", &[], || {
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while !is_over.load(Ordering::SeqCst) {
                        say(Level::Error, "again");
                    }
                });
            }
            let are_dropped = (0..200).all(|_| {
                let queue = CompletionQueue::new(None);
                queue.follow_log(Some(Level::Error), 1).unwrap();
                let mut inherited = Some(queue);
                forked(|| drop(inherited.take()))
            });
            is_over.store(true, Ordering::SeqCst);
            assert!(are_dropped);
        });
    });
}
