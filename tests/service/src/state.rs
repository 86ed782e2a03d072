//! The state of the service: scripts, requests, meters, counters.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::http::Request;
use crate::load::{Admission, Counts, Gate, Load};
use crate::reply::Reply;
use crate::script::{Exchange, Script};
use crate::service::Options;

/// Maximum requests recorded under one name; then the oldest are forgotten.
const RECORDED_REQUESTS_MAX: usize = 10_000;
/// Maximum bytes of their bodies; then the oldest are forgotten, too.
const RECORDED_BODY_BYTES_MAX: usize = 256 << 20;
/// One in this many requests to model `recovers` succeeds: the last of each group.
const RECOVERS_EVERY: u64 = 3;

/// A request that reached the service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The method as sent.
    pub method: String,
    /// The request target as sent, with its query.
    pub target: String,
    /// The headers as received, in order.
    pub headers: Vec<(String, String)>,
    /// The body, decoded from its transfer coding.
    pub body: Vec<u8>,
    /// The number of its connection, from 1.
    pub connection: u64,
    /// When it was read completely, since the start of the service.
    pub at: Duration,
}

impl Recorded {
    /// The value of the first header of this name, ignoring case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(found, _)| found.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }
}

/// The metered usage of one model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Metered {
    /// Calls that entered processing.
    pub calls: u64,
    /// Input words.
    pub input_tokens: u64,
    /// Output words.
    pub output_tokens: u64,
}

/// The state that all connections and the handle share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) options: Options,
    started: Instant,
    accepted: AtomicU64,
    open: AtomicU64,
    played: AtomicU64,
    /// Requests that may get a fault of the options.
    asked: AtomicU64,
    book: Mutex<Book>,
}

#[derive(Debug, Default)]
struct Book {
    scripts: BTreeMap<String, Registered>,
    recordings: BTreeMap<String, Recording>,
    replies: VecDeque<Reply>,
    otherwise: Option<Reply>,
    metered: BTreeMap<String, Metered>,
    allowed: VecDeque<Instant>,
    recovers: u64,
    gate: Gate,
}

#[derive(Debug)]
struct Registered {
    exchanges: Vec<Arc<Exchange>>,
    next: usize,
}

#[derive(Debug, Default)]
struct Recording {
    requests: VecDeque<Recorded>,
    body_bytes: usize,
}

impl Recording {
    fn push(&mut self, request: Recorded) {
        self.body_bytes += request.body.len();
        self.requests.push_back(request);
        while self.requests.len() > RECORDED_REQUESTS_MAX
            || self.body_bytes > RECORDED_BODY_BYTES_MAX
        {
            let Some(oldest) = self.requests.pop_front() else {
                break;
            };
            self.body_bytes -= oldest.body.len();
        }
    }
}

impl Shared {
    pub(crate) fn new(options: Options) -> Shared {
        let gate = Gate::new(options.load.clone());
        Shared {
            options,
            started: Instant::now(),
            accepted: AtomicU64::new(0),
            open: AtomicU64::new(0),
            played: AtomicU64::new(0),
            asked: AtomicU64::new(0),
            book: Mutex::new(Book { gate, ..Book::default() }),
        }
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        // Every change is a single insertion: a panic elsewhere cannot leave half of one.
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether this request gets the faults of the options.
    pub(crate) fn is_struck(&self) -> bool {
        let number = self.asked.fetch_add(1, Ordering::SeqCst) + 1;
        number.is_multiple_of(self.options.every)
    }

    pub(crate) fn connections(&self) -> u64 {
        self.accepted.load(Ordering::SeqCst)
    }

    pub(crate) fn open_connections(&self) -> u64 {
        self.open.load(Ordering::SeqCst)
    }

    /// The number of the next answer of the played service.
    pub(crate) fn next_answer(&self) -> u64 {
        self.played.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// Registers a script: it begins with its first exchange, and the recordings of an earlier script of
    /// this name are forgotten.
    pub(crate) fn register(&self, name: &str, script: Script) {
        let exchanges = script.exchanges.into_iter().map(Arc::new).collect();
        let mut book = self.book();
        book.recordings.remove(name);
        book.scripts.insert(name.to_owned(), Registered { exchanges, next: 0 });
    }

    /// The exchange for the next request to a script, if the script exists.
    pub(crate) fn next_exchange(&self, name: &str) -> Option<Arc<Exchange>> {
        let mut book = self.book();
        let script = book.scripts.get_mut(name)?;
        let exchange = script.exchanges.get(script.next).or(script.exchanges.last()).cloned();
        script.next = script.next.saturating_add(1);
        exchange
    }

    /// Queues scripted answers.
    pub(crate) fn queue(&self, replies: Vec<Reply>) {
        self.book().replies.extend(replies);
    }

    /// Sets the answer for an empty queue; `None` is the played service's.
    pub(crate) fn answer_otherwise(&self, reply: Option<Reply>) {
        self.book().otherwise = reply;
    }

    /// The number of scripted answers that no request has taken yet.
    pub(crate) fn replies_waiting(&self) -> usize {
        self.book().replies.len()
    }

    /// The scripted answer for the next request, if there is one.
    pub(crate) fn next_reply(&self) -> Option<Reply> {
        let mut book = self.book();
        book.replies.pop_front().or_else(|| book.otherwise.clone())
    }

    pub(crate) fn record(&self, name: &str, request: &Request, connection: u64) {
        let recorded = Recorded {
            method: request.method.clone(),
            target: request.target.clone(),
            headers: request.headers.clone(),
            body: request.body.clone(),
            connection,
            at: self.started.elapsed(),
        };
        self.book().recordings.entry(name.to_owned()).or_default().push(recorded);
    }

    pub(crate) fn recorded(&self, name: &str) -> Vec<Recorded> {
        let book = self.book();
        let requests = book.recordings.get(name).map(|recording| &recording.requests);
        requests.into_iter().flatten().cloned().collect()
    }

    pub(crate) fn meter(&self, model: &str, input_tokens: u64, output_tokens: u64) {
        let mut book = self.book();
        let metered = book.metered.entry(model.to_owned()).or_default();
        metered.calls += 1;
        metered.input_tokens += input_tokens;
        metered.output_tokens += output_tokens;
    }

    pub(crate) fn metered(&self) -> BTreeMap<String, Metered> {
        self.book().metered.clone()
    }

    /// Admits a call under the rate limit, or returns the time until the next one.
    pub(crate) fn pass_rate_limit(&self) -> Result<(), Duration> {
        let window = self.options.rate_limit_window;
        let now = Instant::now();
        let mut book = self.book();
        book.allowed.retain(|at| now.duration_since(*at) < window);
        if u64::try_from(book.allowed.len()).unwrap_or(u64::MAX)
            < u64::from(self.options.rate_limit_calls)
        {
            book.allowed.push_back(now);
            return Ok(());
        }
        let age = book.allowed.front().map_or(Duration::ZERO, |at| now.duration_since(*at));
        Err(window.saturating_sub(age))
    }

    /// A call with this many tokens arrives: its result, and the time until then.
    pub(crate) fn arrive(&self, tokens: u64) -> (Admission, Duration) {
        let mut book = self.book();
        // Under the lock, so that calls arrive in the order of time.
        let now = self.started.elapsed();
        let admission = book.gate.arrive(now, tokens);
        let wait = match admission {
            Admission::Answered(at) | Admission::Fails(at) => at.saturating_sub(now),
            Admission::Refused(_) => Duration::ZERO,
        };
        (admission, wait)
    }

    pub(crate) fn set_load(&self, load: Load) {
        self.book().gate.change(load);
    }

    pub(crate) fn load_counts(&self) -> Counts {
        self.book().gate.counts()
    }

    /// Counts a call to model `recovers`; returns whether it succeeds.
    pub(crate) fn has_recovered(&self) -> bool {
        let mut book = self.book();
        book.recovers += 1;
        book.recovers.is_multiple_of(RECOVERS_EVERY)
    }

    /// Forgets everything except the scripts, the load and the counts of connections.
    pub(crate) fn clear(&self) {
        let mut book = self.book();
        let scripts = std::mem::take(&mut book.scripts);
        let gate = Gate::new(book.gate.load().clone());
        *book = Book { scripts, gate, ..Book::default() };
    }
}

/// Counts a connection as open until it is dropped.
pub(crate) struct OpenConnection {
    shared: Arc<Shared>,
    pub(crate) number: u64,
}

impl OpenConnection {
    pub(crate) fn count(shared: Arc<Shared>) -> OpenConnection {
        shared.open.fetch_add(1, Ordering::SeqCst);
        let number = shared.accepted.fetch_add(1, Ordering::SeqCst) + 1;
        OpenConnection { shared, number }
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.shared.open.fetch_sub(1, Ordering::SeqCst);
    }
}
