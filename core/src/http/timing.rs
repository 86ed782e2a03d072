//! Timing of an attempt: when its connection, head and body arrived, and the number of bytes.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::system::sync::lock;

/// The maximum number of connection openings kept per attempt: the last ones.
const OPENINGS_MAX: usize = 4;

tokio::task_local! {
    /// The attempt for which the current task works.
    static SEEN: Arc<AttemptTiming>;
    /// The connection that the current task opens.
    static OPENING: Arc<Opening>;
}

/// The timing of an attempt; written while it runs, read by whoever ends its call, at any time.
pub(crate) struct AttemptTiming {
    /// The start of the call.
    origin: Instant,
    state: Mutex<State>,
    /// Body bytes, before decompression.
    bytes_in: AtomicU64,
    /// In nanoseconds from `origin`; 0 until it arrived.
    first_byte: AtomicU64,
    /// Whether the last poll of the attempt ended in the opening of a connection.
    lacks_connection: AtomicBool,
}

/// Values written a few times per attempt.
#[derive(Clone, Default)]
pub(crate) struct State {
    pub(crate) head: Option<Duration>,
    pub(crate) status: Option<u16>,
    /// Bytes of request bodies.
    pub(crate) bytes_out: u64,
    /// A wait before sending: its start and length.
    wait: Option<(Duration, Duration)>,
    pub(crate) is_proxied: bool,
    /// The two ends of the connection that carried the answer.
    ends: Option<Ends>,
    openings: Vec<Arc<Opening>>,
}

/// The local and the remote address of a connection.
type Ends = (SocketAddr, SocketAddr);

/// The connection of an attempt.
#[derive(Clone, Copy, Default)]
pub(crate) struct Connected {
    pub(crate) address: Option<SocketAddr>,
    pub(crate) reused: Option<bool>,
    pub(crate) dns: Option<Duration>,
    pub(crate) connect: Option<Duration>,
    pub(crate) tls: Option<Duration>,
}

impl AttemptTiming {
    pub(crate) fn new(origin: Instant) -> AttemptTiming {
        AttemptTiming {
            origin,
            state: Mutex::default(),
            bytes_in: AtomicU64::new(0),
            first_byte: AtomicU64::new(0),
            lacks_connection: AtomicBool::new(false),
        }
    }

    /// Before each poll of the attempt.
    pub(crate) fn is_polled(&self) {
        self.lacks_connection.store(false, Ordering::Relaxed);
    }

    /// The attempt polls the opening of a connection, after it looked for a free one (hyper-util depends on this
    /// order). While that is pending, the attempt has none.
    pub(crate) fn polls_opening(&self, is_pending: bool) {
        self.lacks_connection.store(is_pending, Ordering::Relaxed);
    }

    /// Whether the attempt has sent nothing for certain, because it never had a connection. To ask right after
    /// a poll.
    pub(crate) fn is_unsent(&self) -> bool {
        self.lacks_connection.load(Ordering::Relaxed) && lock(&self.state).status.is_none()
    }

    /// Runs `work` on behalf of this attempt.
    pub(crate) async fn scope<F: Future>(self: Arc<Self>, work: F) -> F::Output {
        SEEN.scope(self, work).await
    }

    /// The attempt for which the current task works.
    pub(crate) fn current() -> Option<Arc<AttemptTiming>> {
        SEEN.try_with(Arc::clone).ok()
    }

    /// Adds a connection that is being opened for this attempt.
    pub(crate) fn opens(&self, opening: &Arc<Opening>) {
        let mut state = lock(&self.state);
        if state.openings.len() >= OPENINGS_MAX {
            state.openings.remove(0);
        }
        state.openings.push(opening.clone());
    }

    /// Records a wait before sending.
    pub(crate) fn waited(&self, length: Duration) {
        let start = self.origin.elapsed().saturating_sub(length);
        lock(&self.state).wait = Some((start, length));
    }

    pub(crate) fn goes_through_proxy(&self) {
        lock(&self.state).is_proxied = true;
    }

    /// Counts a request body of this size.
    pub(crate) fn sends(&self, bytes: usize) {
        lock(&self.state).bytes_out += bytes as u64;
    }

    /// Subtracts a request body that was not sent after all.
    pub(crate) fn sent_nothing(&self, bytes: usize) {
        let mut state = lock(&self.state);
        state.bytes_out = state.bytes_out.saturating_sub(bytes as u64);
    }

    /// Records a complete head; that of a redirect is followed by another.
    pub(crate) fn answered(&self, status: u16, ends: Option<Ends>) {
        let mut state = lock(&self.state);
        state.head = Some(self.origin.elapsed());
        (state.status, state.ends) = (Some(status), ends);
    }

    /// Counts received body bytes. Only one thread at a time reads a body.
    pub(crate) fn received(&self, bytes: usize) {
        if bytes == 0 {
            return;
        }
        if self.first_byte.load(Ordering::Relaxed) == 0 {
            self.first_byte.store(nanoseconds(self.origin.elapsed()), Ordering::Relaxed);
        }
        let before = self.bytes_in.load(Ordering::Relaxed);
        self.bytes_in.store(before + bytes as u64, Ordering::Relaxed);
    }

    /// The wait before sending.
    pub(crate) fn wait(&self) -> Option<(Duration, Duration)> {
        lock(&self.state).wait
    }

    pub(crate) fn state(&self) -> State {
        lock(&self.state).clone()
    }

    pub(crate) fn bytes_in(&self) -> u64 {
        self.bytes_in.load(Ordering::Relaxed)
    }

    pub(crate) fn bytes_out(&self) -> u64 {
        lock(&self.state).bytes_out
    }

    pub(crate) fn first_byte(&self) -> Option<Duration> {
        time(&self.first_byte)
    }
}

impl State {
    /// Whether the attempt has no answer, and the connection that it opens is not ready.
    pub(crate) fn is_opening(&self) -> bool {
        let last = self.openings.last();
        self.ends.is_none() && last.is_some_and(|last| time(&last.ended).is_none())
    }

    /// The connection of the attempt, opened by itself or reused. An attempt may open one and then use
    /// another that became free sooner.
    pub(crate) fn connected(&self) -> Connected {
        let own = |opening: &&Arc<Opening>| opening.ends() == self.ends;
        match self.ends {
            Some((_, remote)) => match self.openings.iter().rev().find(own) {
                Some(opening) => opening.connected(),
                None => {
                    Connected { address: Some(remote), reused: Some(true), ..Connected::default() }
                }
            },
            // Without an answer, the connection that the attempt itself opened is reported.
            None => self.openings.last().map(|opening| opening.connected()).unwrap_or_default(),
        }
    }
}

/// A connection that is being opened. If an attempt opens several at once, each has its own.
pub(crate) struct Opening {
    began: Instant,
    /// The duration of name lookups, the start of the last TLS handshake, and the end of the opening: in
    /// nanoseconds, 0 if unknown.
    dns: AtomicU64,
    tls_began: AtomicU64,
    ended: AtomicU64,
    ends: Mutex<Option<Ends>>,
}

impl Opening {
    pub(crate) fn begins() -> Opening {
        Opening {
            began: Instant::now(),
            dns: AtomicU64::new(0),
            tls_began: AtomicU64::new(0),
            ended: AtomicU64::new(0),
            ends: Mutex::new(None),
        }
    }

    /// Runs a part of the opening.
    pub(crate) async fn scope<F: Future>(self: Arc<Self>, work: F) -> F::Output {
        OPENING.scope(self, work).await
    }

    /// The opening to which the current task belongs.
    pub(crate) fn current() -> Option<Arc<Opening>> {
        OPENING.try_with(Arc::clone).ok()
    }

    /// Adds the duration of a name lookup.
    pub(crate) fn looked_up(&self, length: Duration) {
        self.dns.fetch_add(nanoseconds(length), Ordering::Relaxed);
    }

    /// Records the start of a TLS handshake; one with a proxy is followed by another.
    pub(crate) fn tls_begins(&self) {
        self.tls_began.store(nanoseconds(self.began.elapsed()), Ordering::Relaxed);
    }

    pub(crate) fn ended(&self, ends: Option<Ends>) {
        self.ended.store(nanoseconds(self.began.elapsed()), Ordering::Relaxed);
        *lock(&self.ends) = ends;
    }

    fn ends(&self) -> Option<Ends> {
        *lock(&self.ends)
    }

    fn connected(&self) -> Connected {
        let (dns, tls_began, ended) = (time(&self.dns), time(&self.tls_began), time(&self.ended));
        let connected = tls_began.or(ended);
        Connected {
            address: self.ends().map(|(_, remote)| remote),
            reused: ended.map(|_| false),
            dns,
            connect: connected.map(|at| at.saturating_sub(dns.unwrap_or_default())),
            tls: tls_began.zip(ended).map(|(began, ended)| ended.saturating_sub(began)),
        }
    }
}

/// Nanoseconds, never 0, which means unknown.
fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).max(1)
}

fn time(nanoseconds: &AtomicU64) -> Option<Duration> {
    let passed = nanoseconds.load(Ordering::Relaxed);
    (passed > 0).then(|| Duration::from_nanos(passed))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A poll that does not reach the opening may have sent the request on a free connection.
    #[test]
    fn an_attempt_is_unsent_while_its_polls_end_in_an_opening() {
        let timing = AttemptTiming::new(Instant::now());
        assert!(!timing.is_unsent());
        timing.polls_opening(true);
        assert!(timing.is_unsent());
        timing.is_polled();
        assert!(!timing.is_unsent(), "it has a free one");
        timing.polls_opening(true);
        timing.polls_opening(false);
        assert!(!timing.is_unsent(), "it is open");
        timing.polls_opening(true);
        timing.answered(307, None);
        assert!(!timing.is_unsent(), "it was sent before");
    }

    /// Until the head comes, an attempt waits for the connection that it opened last, if it opened one.
    #[test]
    fn an_attempt_opens_until_its_connection_is_ready() {
        let timing = AttemptTiming::new(Instant::now());
        assert!(!timing.state().is_opening(), "it may get one that is free");
        let (first, second) = (Arc::new(Opening::begins()), Arc::new(Opening::begins()));
        timing.opens(&first);
        assert!(timing.state().is_opening());
        timing.opens(&second);
        first.ended(None);
        assert!(timing.state().is_opening(), "the second");
        second.ended(None);
        assert!(!timing.state().is_opening());
        assert_eq!(timing.first_byte(), None);
        timing.received(0);
        assert_eq!((timing.first_byte(), timing.bytes_in()), (None, 0));
        timing.received(3);
        let first_byte = timing.first_byte();
        assert!(first_byte.is_some());
        timing.received(4);
        assert_eq!((timing.first_byte(), timing.bytes_in()), (first_byte, 7));
        assert_eq!(timing.wait(), None);
        timing.waited(Duration::ZERO);
        assert_eq!(timing.wait().map(|(_, length)| length), Some(Duration::ZERO));
    }

    /// The handshake of TLS begins once the connection is there.
    #[test]
    fn an_opening_has_its_parts() {
        let opening = Opening::begins();
        let parts = |opening: &Opening| {
            let Connected { dns, connect, tls, .. } = opening.connected();
            [dns, connect, tls].map(|part| part.is_some())
        };
        assert_eq!(parts(&opening), [false; 3]);
        opening.looked_up(Duration::from_nanos(1));
        assert_eq!(parts(&opening), [true, false, false]);
        opening.tls_begins();
        assert_eq!(parts(&opening), [true, true, false]);
        opening.ended(None);
        assert_eq!(parts(&opening), [true; 3]);
    }
}
