//! The bottleneck of records that were made up: each reason by itself, and which of several wins.

use super::*;
use crate::answer::record::{Recorded, WaitRecord};

fn ms(number: u64) -> Duration {
    Duration::from_millis(number)
}

/// An attempt of a second: 100 ms for the connection in all, its headers after 400.
fn attempt() -> AttemptRecord {
    AttemptRecord {
        start: ms(0),
        dns: Some(ms(20)),
        connect: Some(ms(50)),
        tls: Some(ms(30)),
        head: Some(ms(400)),
        first_byte: Some(ms(500)),
        end: ms(1000),
        ..AttemptRecord::default()
    }
}

fn of(edit: impl FnOnce(&mut Recorded)) -> Option<Bottleneck> {
    let mut it = Recorded::empty();
    edit(&mut it);
    CallRecord::new(it).bottleneck()
}

fn of_attempt(edit: impl FnOnce(&mut AttemptRecord)) -> Option<Bottleneck> {
    let mut one = attempt();
    edit(&mut one);
    of(|it| it.attempts.push(one))
}

#[test]
fn the_longest_part_of_an_attempt_is_named() {
    assert_eq!(of_attempt(|one| one.dns = Some(ms(600))), Some(Bottleneck::Dns));
    assert_eq!(of_attempt(|one| one.connect = Some(ms(600))), Some(Bottleneck::Connect));
    assert_eq!(of_attempt(|one| one.tls = Some(ms(600))), Some(Bottleneck::Tls));
    assert_eq!(of_attempt(|one| one.first_byte = Some(ms(600))), Some(Bottleneck::Service));
    assert_eq!(of_attempt(|one| one.first_byte = Some(ms(500))), Some(Bottleneck::Stream));
    // The time of a connection is not the service's: 450 ms for it, 400 for the stream.
    let fast = |one: &mut AttemptRecord| {
        one.start = ms(100);
        one.first_byte = Some(ms(600));
    };
    assert_eq!(of_attempt(fast), Some(Bottleneck::Stream));
    let proxied = |one: &mut AttemptRecord| {
        one.connect = Some(ms(600));
        one.is_proxied = true;
    };
    assert_eq!(of_attempt(proxied), Some(Bottleneck::Proxy));
    assert_eq!(of(|_| ()), None);
}

#[test]
fn an_attempt_without_headers_waited_for_the_service_or_the_connection() {
    let unanswered = |is_opening| {
        of_attempt(|one| {
            (one.head, one.first_byte, one.is_opening) = (None, None, is_opening);
            (one.dns, one.connect, one.tls) = (None, None, None);
        })
    };
    assert_eq!(unanswered(false), Some(Bottleneck::Service));
    assert_eq!(unanswered(true), Some(Bottleneck::Connect));
    // Without a body the rest is the service's.
    assert_eq!(of_attempt(|one| one.first_byte = None), Some(Bottleneck::Service));
}

#[test]
fn the_first_chunk_and_the_consumer_count_for_the_last_attempt() {
    // Two attempts: the first streams 500 ms, the last from its first chunk on.
    let two = |first_chunk: u64, consumer_wait: u64, length: u64| {
        of(|it| {
            let last = AttemptRecord {
                start: ms(1000),
                end: ms(1000 + length),
                head: Some(ms(1000)),
                first_byte: Some(ms(1000)),
                ..AttemptRecord::default()
            };
            it.attempts = vec![attempt(), last];
            it.first_chunk = Some(ms(first_chunk));
            it.consumer_wait = ms(consumer_wait);
        })
    };
    // Service: 400 of the first and the last up to its chunk; stream: 500 and the rest.
    assert_eq!(two(1300, 0, 300), Some(Bottleneck::Service));
    assert_eq!(two(1100, 0, 300), Some(Bottleneck::Stream));
    assert_eq!(two(1000, 1000, 2000), Some(Bottleneck::Stream));
    assert_eq!(two(1000, 1300, 2000), Some(Bottleneck::Consumer));
    // Only as much as the last stream took.
    assert_eq!(two(1000, 9000, 300), Some(Bottleneck::Stream));
}

#[test]
fn waits_are_counted_by_their_reason() {
    let waiting = |reasons: &[WaitReason]| {
        of(|it| {
            it.attempts.push(attempt()); // its stream takes 500 ms
            let wait =
                |reason: &WaitReason| WaitRecord { reason: *reason, start: ms(0), length: ms(300) };
            it.waits = reasons.iter().map(wait).collect();
        })
    };
    assert_eq!(waiting(&[WaitReason::Retry]), Some(Bottleneck::Stream));
    assert_eq!(waiting(&[WaitReason::Retry; 2]), Some(Bottleneck::Retry));
    assert_eq!(waiting(&[WaitReason::Turn, WaitReason::Connection]), Some(Bottleneck::Queue));
    assert_eq!(waiting(&[WaitReason::Reuse, WaitReason::Turn]), Some(Bottleneck::Queue));
    assert_eq!(waiting(&[WaitReason::Reuse, WaitReason::Retry]), Some(Bottleneck::Stream));
}

#[test]
fn a_failure_is_named_by_where_it_happened() {
    // Most of the time of all went to the name.
    let failed = |kind, status, has_head: bool| {
        of(|it| {
            let mut one = AttemptRecord { dns: Some(ms(900)), ..attempt() };
            one.head = one.head.filter(|_| has_head);
            it.attempts.push(one);
            (it.kind, it.status) = (Some(kind), status);
        })
    };
    for (kind, status, has_head, expected) in [
        (ErrorKind::Tls, None, false, Bottleneck::Tls),
        (ErrorKind::Connect, None, false, Bottleneck::Connect),
        (ErrorKind::Disconnected, None, false, Bottleneck::Service),
        (ErrorKind::Protocol, None, false, Bottleneck::Service),
        (ErrorKind::Disconnected, Some(200), true, Bottleneck::Stream),
        (ErrorKind::Protocol, Some(200), true, Bottleneck::Stream),
        (ErrorKind::Incomplete, Some(200), true, Bottleneck::Stream),
        (ErrorKind::Stream, Some(299), true, Bottleneck::Stream),
        (ErrorKind::Protocol, Some(300), true, Bottleneck::Service),
        (ErrorKind::RateLimited, Some(429), true, Bottleneck::Service),
        (ErrorKind::Timeout, None, false, Bottleneck::Dns),
        (ErrorKind::Timeout, Some(200), true, Bottleneck::Dns),
        (ErrorKind::Cancelled, Some(200), true, Bottleneck::Dns),
    ] {
        assert_eq!(
            failed(kind, status, has_head),
            Some(expected),
            "{kind:?} {status:?} {has_head}"
        );
    }
    // A status without an error, as after a retry, says nothing.
    let answered = of(|it| {
        it.attempts.push(attempt());
        it.status = Some(429);
    });
    assert_eq!(answered, Some(Bottleneck::Stream));
}
