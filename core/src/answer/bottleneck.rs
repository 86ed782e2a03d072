//! Where the time of a call went, or where it failed, in one word.

use std::time::Duration;

use crate::answer::error_kind::ErrorKind;
use crate::answer::record::{AttemptRecord, CallRecord, WaitReason};

/// Where most of the time of a call went, or where it failed.
///
/// ```
/// # let config = modelwire::Config::new().base_url("http://127.0.0.1:9/v1").api_key("sk-test");
/// # let client = modelwire::Client::new(config)?;
/// use modelwire::Bottleneck;
///
/// let error = client.blocking().models().unwrap_err(); // nothing listens there
/// let record = error.record().ok_or("the call was not started")?;
/// assert_eq!(record.bottleneck(), Some(Bottleneck::Connect));
/// assert_eq!(Bottleneck::Connect.name(), "connect");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bottleneck {
    /// The client itself: other calls had the connections, or their turn came first.
    Queue,
    /// The delays between attempts.
    Retry,
    /// The DNS lookup.
    Dns,
    /// The opening of a connection to the service.
    Connect,
    /// The proxy: the opening of a connection to it, and through it.
    Proxy,
    /// The TLS handshake.
    Tls,
    /// The service, before it began to answer; also its error statuses.
    Service,
    /// The answer, from its first byte or chunk to its end.
    Stream,
    /// The program: the queue of the call was full, or it was not read.
    Consumer,
}

impl Bottleneck {
    /// A stable name in snake case.
    pub fn name(self) -> &'static str {
        match self {
            Bottleneck::Queue => "queue",
            Bottleneck::Retry => "retry",
            Bottleneck::Dns => "dns",
            Bottleneck::Connect => "connect",
            Bottleneck::Proxy => "proxy",
            Bottleneck::Tls => "tls",
            Bottleneck::Service => "service",
            Bottleneck::Stream => "stream",
            Bottleneck::Consumer => "consumer",
        }
    }
}

/// Where the time of an opening went.
fn opened(attempt: &AttemptRecord) -> Bottleneck {
    if attempt.is_proxied { Bottleneck::Proxy } else { Bottleneck::Connect }
}

/// The parts of an attempt, and their lengths.
fn parts(attempt: &AttemptRecord, first_chunk: Option<Duration>) -> [(Bottleneck, Duration); 5] {
    let known = Option::unwrap_or_default;
    let (dns, connect, tls) = (known(attempt.dns), known(attempt.connect), known(attempt.tls));
    let rest = attempt.end.saturating_sub(attempt.start + dns + connect + tls);
    let (opening, service, stream) = match (attempt.head, attempt.first_byte) {
        (Some(_), first_byte) => {
            let began = first_chunk.or(first_byte).unwrap_or(attempt.end).min(attempt.end);
            let stream = attempt.end.saturating_sub(began).min(rest);
            (Duration::ZERO, rest - stream, stream)
        }
        (None, _) if attempt.is_opening => (rest, Duration::ZERO, Duration::ZERO),
        (None, _) => (Duration::ZERO, rest, Duration::ZERO),
    };
    [
        (Bottleneck::Dns, dns),
        (opened(attempt), connect + opening),
        (Bottleneck::Tls, tls),
        (Bottleneck::Service, service),
        (Bottleneck::Stream, stream),
    ]
}

impl CallRecord {
    /// Where most of the time of the call went; for a call that failed for another reason than a timeout or
    /// a cancel, where it failed. `None` if it failed before it took any time.
    pub fn bottleneck(&self) -> Option<Bottleneck> {
        let last = self.attempts().last();
        let has_head = last.is_some_and(|last| last.head.is_some());
        let is_refused = self.status().is_some_and(|status| !(200..300).contains(&status));
        match self.kind() {
            Some(_) if is_refused => Some(Bottleneck::Service),
            Some(ErrorKind::Tls) => Some(Bottleneck::Tls),
            Some(ErrorKind::Connect) => Some(last.map_or(Bottleneck::Connect, opened)),
            Some(
                ErrorKind::Protocol
                | ErrorKind::Incomplete
                | ErrorKind::Stream
                | ErrorKind::Disconnected,
            ) if has_head => Some(Bottleneck::Stream),
            Some(ErrorKind::Protocol | ErrorKind::Disconnected) => Some(Bottleneck::Service),
            _ => self.slowest(),
        }
    }

    fn slowest(&self) -> Option<Bottleneck> {
        let mut sums: Vec<(Bottleneck, Duration)> = Vec::new();
        let mut add = |part: Bottleneck, length: Duration| match sums
            .iter_mut()
            .find(|(known, _)| *known == part)
        {
            Some((_, sum)) => *sum += length,
            None => sums.push((part, length)),
        };
        let count = self.attempts().len();
        for (number, attempt) in self.attempts().iter().enumerate() {
            let first_chunk = self.first_chunk().filter(|_| number + 1 == count);
            parts(attempt, first_chunk).into_iter().for_each(|(part, length)| match part {
                // The consumer's time is part of the last attempt's stream.
                Bottleneck::Stream if number + 1 == count => {
                    let consumer = self.consumer_wait().min(length);
                    add(Bottleneck::Consumer, consumer);
                    add(part, length - consumer);
                }
                part => add(part, length),
            });
        }
        for wait in self.waits() {
            let part = match wait.reason {
                WaitReason::Retry => Bottleneck::Retry,
                WaitReason::Connection | WaitReason::Turn | WaitReason::Reuse => Bottleneck::Queue,
            };
            add(part, wait.length);
        }
        let longest = sums.into_iter().max_by_key(|(_, length)| *length);
        longest.filter(|(_, length)| !length.is_zero()).map(|(part, _)| part)
    }
}

#[cfg(test)]
#[path = "bottleneck_tests.rs"]
mod tests;
