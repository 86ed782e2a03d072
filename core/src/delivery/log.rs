//! The log for programs in other languages: records are collected in bounded buffers until a thread of
//! a binding or a queue takes them, each from its own buffer. Rust programs use `tracing` or `log`
//! directly.
//!
//! ```
//! # let config = modelwire::Config::new().base_url("http://127.0.0.1:9/v1").api_key("sk-test");
//! # let client = modelwire::Client::new(config)?;
//! use std::time::Duration;
//! use modelwire::log;
//!
//! log::start(log::Level::Debug)?;
//! let _ = client.blocking().models(); // nothing listens there, which the log reports
//! assert!(log::has_records());
//! log::stop();
//! while let Some(records) = log::take(100, Duration::ZERO) {
//!     for record in records {
//!         println!("{} {}: {}", record.level.name(), record.target, record.message);
//!     }
//! }
//! # Ok::<(), modelwire::Error>(())
//! ```
//!
//! The I/O thread makes no callbacks: it only puts a record into the buffer. Trace records of the
//! underlying libraries are omitted: they may contain whole request heads.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::task::Waker;
use std::time::{Duration, SystemTime};

use crate::answer::error::{Error, Result};
use crate::answer::json_view::Object;
use crate::protocol::text::cut;
use crate::system::process::{self, PerProcess};
use crate::system::sync::{lock, unpoisoned};

/// The maximum number of queued records; further ones are counted and dropped.
pub const RECORDS_MAX: usize = 4096;

/// The maximum bytes of one record's text.
pub const RECORD_BYTES_MAX: usize = 8 << 10;

/// The level of a record.
///
/// ```
/// use modelwire::log::Level;
///
/// assert_eq!(Level::Warn.name(), "warn");
/// assert!(Level::Error < Level::Warn); // more important levels are smaller
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// A failure that is not reported otherwise.
    Error = 1,
    /// Something that needs attention.
    Warn = 2,
    /// Something worth knowing.
    Info = 3,
    /// What the library does: attempts, waits, call ends, connections.
    Debug = 4,
    /// Every detail.
    Trace = 5,
}

impl Level {
    /// A stable name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warn => "warn",
            Level::Info => "info",
            Level::Debug => "debug",
            Level::Trace => "trace",
        }
    }
}

/// One line of the log.
///
/// ```
/// use modelwire::log::{Level, Record};
///
/// let (target, message) = ("modelwire".to_owned(), "a message".to_owned());
/// let record = Record { level: Level::Info, target, message, time: std::time::UNIX_EPOCH };
/// let json = record.to_json();
/// assert_eq!(json, r#"{"level":"info","target":"modelwire","message":"a message","unix_ms":0}"#);
/// ```
#[derive(Clone, Debug)]
pub struct Record {
    /// Its level.
    pub level: Level,
    /// Its source: `modelwire`, or a library that it uses.
    pub target: String,
    /// Its text. It contains no key: the library writes none, and marks it as secret for underlying
    /// libraries.
    pub message: String,
    /// Its time.
    pub time: SystemTime,
}

impl Record {
    /// The record as a JSON object, for programs in other languages.
    pub fn to_json(&self) -> String {
        Object::new()
            .text("level", self.level.name())
            .text("target", &*self.target)
            .text("message", &*self.message)
            .unix_ms("unix_ms", Some(self.time))
            .finish()
    }
}

/// A buffer of records for one consumer.
pub(crate) struct Collected {
    /// The process that created it: another one must not touch its lock.
    generation: u64,
    buffer: Mutex<Buffer>,
    changed: Condvar,
    /// Called when a record arrives for a consumer that found none.
    waker: Option<Waker>,
}

#[derive(Default)]
struct Buffer {
    records: VecDeque<Record>,
    dropped: usize,
    is_stopped: bool,
    is_looked_for: bool,
}

impl Collected {
    pub(crate) fn new(waker: Option<Waker>) -> Collected {
        let (buffer, changed) = (Mutex::default(), Condvar::new());
        Collected { generation: process::generation(), buffer, changed, waker }
    }

    fn put(&self, record: Record) {
        let mut buffer = lock(&self.buffer);
        // The logging thread read the level or the listeners before the stop.
        if buffer.is_stopped {
            return;
        }
        if buffer.records.len() < RECORDS_MAX {
            buffer.records.push_back(record);
        } else {
            buffer.dropped += 1;
        }
        let is_looked_for = std::mem::take(&mut buffer.is_looked_for);
        drop(buffer);
        self.changed.notify_one();
        if let Some(waker) = self.waker.as_ref().filter(|_| is_looked_for) {
            waker.wake_by_ref();
        }
    }

    fn stop(&self) {
        lock(&self.buffer).is_stopped = true;
        self.changed.notify_all();
    }

    /// The next record. If there is none, the waker is called when one arrives.
    pub(crate) fn next(&self) -> Option<Record> {
        let mut buffer = lock(&self.buffer);
        let found = buffer.records.pop_front().or_else(|| buffer.dropped_ones());
        buffer.is_looked_for = found.is_none();
        found
    }

    /// At most `max` records; waits for the first one. `None` once stopped and drained.
    fn take(&self, max: usize, timeout: Duration) -> Option<Vec<Record>> {
        let is_idle = |buffer: &mut Buffer| buffer.records.is_empty() && !buffer.is_stopped;
        let waited = self.changed.wait_timeout_while(lock(&self.buffer), timeout, is_idle);
        let mut buffer = unpoisoned(waited).0;
        if buffer.records.is_empty() && buffer.is_stopped {
            return None;
        }
        let count = buffer.records.len().min(max);
        let mut records: Vec<Record> = buffer.records.drain(..count).collect();
        records.extend(buffer.dropped_ones());
        Some(records)
    }
}

impl Buffer {
    /// A record that reports the dropped ones.
    fn dropped_ones(&mut self) -> Option<Record> {
        let dropped = std::mem::take(&mut self.dropped);
        let message = format!(
            "{dropped} records were dropped: the queue was full (RECORDS_MAX = {RECORDS_MAX})"
        );
        let (level, target, time) = (Level::Warn, "modelwire".to_owned(), SystemTime::now());
        (dropped > 0).then_some(Record { level, target, message, time })
    }
}

/// The buffer of [`take`].
static PLAIN: PerProcess<Collected> = PerProcess::new();
/// Its level, as a number; 0 collects nothing. Not per process: a child collects as well.
static PLAIN_LEVEL: AtomicUsize = AtomicUsize::new(0);

fn plain() -> Result<&'static Collected> {
    PLAIN.get_or_try_init(|| Ok(Collected::new(None)))
}

/// The other listeners, each with its level.
type Listeners = Vec<(Level, Arc<Collected>)>;

static LISTENERS: PerProcess<Mutex<Listeners>> = PerProcess::new();

/// Changes the listeners, and the level of the logger.
fn change(change: impl FnOnce(&mut Listeners)) -> Result<()> {
    let mut listeners = lock(LISTENERS.get_or_try_init(|| Ok(Mutex::default()))?);
    change(&mut listeners);
    let levels = listeners.iter().map(|(level, _)| *level as usize);
    let most = levels.max().unwrap_or(0).max(PLAIN_LEVEL.load(Ordering::SeqCst));
    // The levels have the same numbers there.
    log::set_max_level(log::LevelFilter::iter().nth(most).unwrap_or(log::LevelFilter::Trace));
    Ok(())
}

/// Makes this buffer receive only the records of a level and above from now on.
pub(crate) fn listen(level: Level, collected: &Arc<Collected>) -> Result<()> {
    install()?;
    lock(&collected.buffer).is_stopped = false;
    change(|listeners| {
        listeners.retain(|(_, other)| !Arc::ptr_eq(other, collected));
        listeners.push((level, collected.clone()));
    })
}

/// It receives no more records, and loses those it has, until it listens again.
pub(crate) fn ignore(collected: &Arc<Collected>) {
    let _ = change(|listeners| listeners.retain(|(_, other)| !Arc::ptr_eq(other, collected)));
    let mut buffer = lock(&collected.buffer);
    (buffer.records, buffer.dropped) = Default::default();
    buffer.is_stopped = true;
}

/// It receives no more records; those it has can still be taken. In another process it received none.
pub(crate) fn end(collected: &Arc<Collected>) {
    if process::generation() != collected.generation {
        return;
    }
    let _ = change(|listeners| listeners.retain(|(_, other)| !Arc::ptr_eq(other, collected)));
    collected.stop();
}

/// Not of size zero, so that it has its own address.
struct Collector(#[expect(dead_code, reason = "gives it a size")] u8);

static COLLECTOR: Collector = Collector(0);

impl log::Log for Collector {
    fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
        let is_ours = metadata.target().split("::").next() == Some("modelwire");
        is_ours || metadata.level() <= log::Level::Debug
    }

    fn log(&self, record: &log::Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let mut message = record.args().to_string();
        if message.len() > RECORD_BYTES_MAX {
            message = cut(&message, RECORD_BYTES_MAX).to_owned();
        }
        let record = Record {
            level: match record.level() {
                log::Level::Error => Level::Error,
                log::Level::Warn => Level::Warn,
                log::Level::Info => Level::Info,
                log::Level::Debug => Level::Debug,
                log::Level::Trace => Level::Trace,
            },
            target: record.target().to_owned(),
            message,
            time: SystemTime::now(),
        };
        if record.level as usize <= PLAIN_LEVEL.load(Ordering::SeqCst)
            && let Ok(plain) = plain()
        {
            plain.put(record.clone());
        }
        // Nothing is inserted under the lock: a waker may do anything.
        let listeners = LISTENERS.get().map(|listeners| lock(listeners).clone());
        for (level, collected) in listeners.into_iter().flatten() {
            if record.level <= level {
                collected.put(record.clone());
            }
        }
    }

    fn flush(&self) {}
}

/// Installs the library's logger in the process.
fn install() -> Result<()> {
    // No once-cell: a child that is forked in the middle would wait forever.
    let is_ours = || std::ptr::addr_eq(log::logger(), &raw const COLLECTOR);
    if log::set_logger(&COLLECTOR).is_err() && !is_ours() {
        return Err(Error::argument("the program has a logger of its own"));
    }
    Ok(())
}

/// Starts collecting records of this level and above, or changes the level. Fails if the program has
/// its own logger, which then receives the records.
pub fn start(level: Level) -> Result<()> {
    install()?;
    lock(&plain()?.buffer).is_stopped = false;
    PLAIN_LEVEL.store(level as usize, Ordering::SeqCst);
    change(|_| ())
}

/// Stops collecting; a thread that waits in [`take`] receives the remaining records, and then none.
pub fn stop() {
    PLAIN_LEVEL.store(0, Ordering::SeqCst);
    let _ = change(|_| ());
    if let Some(plain) = PLAIN.get() {
        plain.stop();
    }
}

/// The collected records, at most `max`; waits for the first one until the timeout. Empty after the
/// timeout; `None` once stopped and drained. If records were dropped, the last one reports how many.
pub fn take(max: usize, timeout: Duration) -> Option<Vec<Record>> {
    plain().ok()?.take(max, timeout)
}

/// Whether a record is queued.
pub fn has_records() -> bool {
    plain().is_ok_and(|plain| !lock(&plain.buffer).records.is_empty())
}

#[cfg(test)]
#[path = "log_tests.rs"]
mod tests;
