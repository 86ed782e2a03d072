//! Timing of an attempt: when its connection, head and body arrived, and the number of bytes.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::system::sync::lock;

/// Connections that one attempt is known to have opened, at most: the last ones.
const OPENINGS_MAX: usize = 4;

tokio::task_local! {
    /// The attempt on whose behalf something is done.
    static SEEN: Arc<Seen>;
    /// The connection that is being opened.
    static OPENING: Arc<Opening>;
}

/// An attempt as it is seen; written on its way, and read by whoever ends its call, at any time.
pub(crate) struct Seen {
    /// The start of the call.
    origin: Instant,
    state: Mutex<State>,
    /// Of the body, as they came.
    bytes_in: AtomicU64,
    /// In nanoseconds from the origin, and never 0 once it came.
    first_byte: AtomicU64,
}

/// What is noted some times in each attempt.
#[derive(Clone, Default)]
pub(crate) struct State {
    pub(crate) head: Option<Duration>,
    pub(crate) status: Option<u16>,
    /// Of bodies that were sent.
    pub(crate) bytes_out: u64,
    /// A wait before it was sent: when it began, and how long it was.
    pub(crate) wait: Option<(Duration, Duration)>,
    /// What its answer came over: both ends.
    ends: Option<Ends>,
    openings: Vec<Arc<Opening>>,
}

/// The local and the remote address of a connection.
type Ends = (SocketAddr, SocketAddr);

/// What an attempt was connected to.
#[derive(Clone, Copy, Default)]
pub(crate) struct Connected {
    pub(crate) address: Option<SocketAddr>,
    pub(crate) reused: Option<bool>,
    pub(crate) dns: Option<Duration>,
    pub(crate) connect: Option<Duration>,
    pub(crate) tls: Option<Duration>,
}

impl Seen {
    pub(crate) fn new(origin: Instant) -> Seen {
        Seen {
            origin,
            state: Mutex::default(),
            bytes_in: AtomicU64::new(0),
            first_byte: AtomicU64::new(0),
        }
    }

    /// Does something on behalf of this attempt.
    pub(crate) async fn scope<F: Future>(self: Arc<Self>, work: F) -> F::Output {
        SEEN.scope(self, work).await
    }

    /// On whose behalf something is done.
    pub(crate) fn current() -> Option<Arc<Seen>> {
        SEEN.try_with(Arc::clone).ok()
    }

    /// A connection is being opened for it.
    pub(crate) fn opens(&self, opening: &Arc<Opening>) {
        let mut state = lock(&self.state);
        if state.openings.len() >= OPENINGS_MAX {
            state.openings.remove(0);
        }
        state.openings.push(opening.clone());
    }

    /// It waited before it was sent.
    pub(crate) fn waited(&self, length: Duration) {
        let start = self.origin.elapsed().saturating_sub(length);
        lock(&self.state).wait = Some((start, length));
    }

    /// A body of so many bytes goes out.
    pub(crate) fn sends(&self, bytes: usize) {
        lock(&self.state).bytes_out += bytes as u64;
    }

    /// It did not go out after all.
    pub(crate) fn sent_nothing(&self, bytes: usize) {
        let mut state = lock(&self.state);
        state.bytes_out = state.bytes_out.saturating_sub(bytes as u64);
    }

    /// A head is complete; that of a redirect is followed by another.
    pub(crate) fn answered(&self, status: u16, ends: Option<Ends>) {
        let mut state = lock(&self.state);
        state.head = Some(self.origin.elapsed());
        (state.status, state.ends) = (Some(status), ends);
    }

    /// So many bytes of a body came. One thread at a time reads a body.
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
    /// What it was connected to: a connection that it opened itself, or one that was there. It may have
    /// opened one and got another that was free sooner.
    pub(crate) fn connected(&self) -> Connected {
        let own = |opening: &&Arc<Opening>| opening.ends() == self.ends;
        match self.ends {
            Some((_, remote)) => match self.openings.iter().rev().find(own) {
                Some(opening) => opening.connected(),
                None => {
                    Connected { address: Some(remote), reused: Some(true), ..Connected::default() }
                }
            },
            // Of an attempt without an answer there is what is known of its own connection.
            None => self.openings.last().map(|opening| opening.connected()).unwrap_or_default(),
        }
    }
}

/// A connection that is being opened. Where an attempt opens several at once, each has its own.
pub(crate) struct Opening {
    began: Instant,
    /// How long names were looked up, and when the last handshake of TLS and the whole began and ended:
    /// all in nanoseconds, and 0 where it is not known.
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

    /// Does a part of it.
    pub(crate) async fn scope<F: Future>(self: Arc<Self>, work: F) -> F::Output {
        OPENING.scope(self, work).await
    }

    /// The one of which this is a part.
    pub(crate) fn current() -> Option<Arc<Opening>> {
        OPENING.try_with(Arc::clone).ok()
    }

    /// A name was looked up.
    pub(crate) fn looked_up(&self, length: Duration) {
        self.dns.fetch_add(nanoseconds(length), Ordering::Relaxed);
    }

    /// A handshake of TLS begins; that with a proxy is followed by another.
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

/// Never 0: that is what is not known.
fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).max(1)
}

fn time(nanoseconds: &AtomicU64) -> Option<Duration> {
    let passed = nanoseconds.load(Ordering::Relaxed);
    (passed > 0).then(|| Duration::from_nanos(passed))
}
