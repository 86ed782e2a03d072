//! The log for programs that are not Rust: in queues, in sinks, at their ends. Each test runs in a
//! process of its own, which has one logger.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use modelwire::log::{self, Level, RECORDS_MAX, Record};
use modelwire::{Call, CompletionQueue, ErrorKind, Event, Next, Taken, shutdown};
use modelwire_service::{Script, Service};

use crate::processes::in_child_at;
use crate::support::{client, eventually, hello, silence};
use crate::system::{forked, is_readable};

const SOON: Option<Duration> = Some(Duration::from_secs(20));
const NOW: Option<Duration> = Some(Duration::ZERO);
const PATIENCE: Duration = Duration::from_secs(120);

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

#[test]
fn a_sink_gets_every_record_until_it_breaks() {
    in_child_at("logs::a_sink_gets_every_record_until_it_breaks", &[], || {
        let (tell, told) = mpsc::channel();
        let is_gone = Arc::new(AtomicBool::new(false));
        let guard = Gone(is_gone.clone());
        let begun = log::forward(Level::Info, NOW, move |record| {
            let _guard = &guard;
            let is_inside = log::forward_end_within(None).is_err();
            assert!(is_inside && log::forward(Level::Info, None, |_| panic!()).is_err());
            let is_last = record.message == "last";
            tell.send(record.message).unwrap();
            if is_last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert!(begun.unwrap());
        ["a", "b", "last", "never"].into_iter().for_each(|text| say(Level::Info, text));
        let told: Vec<String> = (0..3).map(|_| told.recv_timeout(PATIENCE).unwrap()).collect();
        assert_eq!(told, ["a", "b", "last"]);
        eventually("the sink is dropped", || is_gone.load(Ordering::SeqCst));
        eventually("nobody listens", || !::log::log_enabled!(::log::Level::Error));
        assert!(
            log::forward_end_within(Duration::ZERO).unwrap()
                || log::forward_end_within(PATIENCE).unwrap()
        );
    });
}

struct Gone(Arc<AtomicBool>);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// A sink that hangs holds nobody up for longer than they say: neither who sets another, nor who
/// ends the log, nor a shutdown. It gets what it was to get, and is dropped, once it goes on.
#[test]
fn a_sink_that_hangs_is_waited_for_no_longer_than_asked() {
    in_child_at("logs::a_sink_that_hangs_is_waited_for_no_longer_than_asked", &[], || {
        let (release, held) = mpsc::channel::<()>();
        let is_gone = Arc::new(AtomicBool::new(false));
        let (guard, count) = (Gone(is_gone.clone()), Arc::new(AtomicUsize::new(0)));
        let counts = count.clone();
        let begun = log::forward(Level::Info, PATIENCE, move |_| {
            let _guard = &guard;
            if counts.fetch_add(1, Ordering::SeqCst) == 0 {
                let _ = held.recv();
            }
            ControlFlow::Continue(())
        });
        assert!(begun.unwrap());
        say(Level::Info, "hangs");
        say(Level::Info, "waits behind it");
        eventually("it hangs", || count.load(Ordering::SeqCst) == 1);
        let start = Instant::now();
        let (tell, told) = mpsc::channel();
        let short = Duration::from_millis(50);
        let second = log::forward(Level::Info, short, move |record| {
            let _ = tell.send(record.message);
            ControlFlow::Continue(())
        });
        assert!(!second.unwrap(), "the first one is not over");
        say(Level::Info, "for the second");
        assert_eq!(told.recv_timeout(PATIENCE).unwrap(), "for the second");
        assert!(!log::forward_end_within(short).unwrap());
        assert!(!shutdown(short));
        // clock: beside PATIENCE of one that is waited for
        assert!(start.elapsed() < PATIENCE / 2, "{:?}", start.elapsed());
        assert!(!is_gone.load(Ordering::SeqCst));
        release.send(()).unwrap();
        assert!(shutdown(PATIENCE));
        assert!(is_gone.load(Ordering::SeqCst), "a shutdown that is true leaves no sink");
        assert_eq!(count.load(Ordering::SeqCst), 2, "what was logged before it ended, and no more");
        assert!(told.recv_timeout(PATIENCE).is_err(), "the second one is gone");
        // And afresh.
        let service = Service::start().unwrap();
        let client = client(service.script("s", Script::one(silence())));
        let (tell, told) = mpsc::channel();
        log::forward(Level::Debug, None, move |record| {
            let _ = tell.send(record.message);
            ControlFlow::Continue(())
        })
        .unwrap();
        let call = Call::new(&client, hello());
        call.start(false).unwrap();
        told.recv_timeout(PATIENCE).unwrap();
        assert!(log::forward_end_within(PATIENCE).unwrap());
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
