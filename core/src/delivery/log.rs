//! The log for programs that are not Rust: records are collected in a bounded buffer until a
//! thread of a binding takes them. Rust programs use `tracing` or `log` as they are. Knows no call.
//!
//! Nothing is called from the I/O thread: a record is put into the buffer and that is all. What
//! the libraries below say at trace level is left out: it may hold whole heads of requests.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, SystemTime};

use crate::delivery::foreign::{guarded, mark_callback_thread};
use crate::driver::thread::OwnThread;
use crate::error::{Error, Result};
use crate::process::PerProcess;
use crate::protocol::text::cut;
use crate::sync::{lock, unpoisoned};
use crate::texts::Object;

/// Records that wait at most; what comes on top of them is counted and dropped.
pub const RECORDS_MAX: usize = 4096;

/// Bytes of one record's text that are kept.
pub const RECORD_BYTES_MAX: usize = 8 << 10;

/// How important a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Something failed that nobody is told of otherwise.
    Error = 1,
    /// Something to look at.
    Warn = 2,
    /// Something worth knowing.
    Info = 3,
    /// What the library does: attempts, waits, ends of calls, connections.
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
#[derive(Clone, Debug)]
pub struct Record {
    /// How important it is.
    pub level: Level,
    /// Who says it: `modelwire`, or a library below it.
    pub target: String,
    /// What it says. No key: the library writes none, and marks it as secret for those below.
    pub message: String,
    /// When.
    pub time: SystemTime,
}

impl Record {
    /// The record as a JSON object, for programs that are not Rust.
    pub fn to_json(&self) -> String {
        Object::new()
            .text("level", self.level.name())
            .text("target", &*self.target)
            .text("message", &*self.message)
            .unix_ms("unix_ms", Some(self.time))
            .finish()
    }
}

#[derive(Default)]
struct Buffer {
    records: VecDeque<Record>,
    dropped: usize,
    is_stopped: bool,
}

#[derive(Default)]
struct Shared {
    buffer: Mutex<Buffer>,
    changed: Condvar,
}

static SHARED: PerProcess<Shared> = PerProcess::new();

fn shared() -> Result<&'static Shared> {
    SHARED.get_or_try_init(|| Ok(Shared::default()))
}

/// Not of size zero, so that it has an address of its own.
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
        let Ok(shared) = shared() else { return };
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
        let mut buffer = lock(&shared.buffer);
        if buffer.records.len() < RECORDS_MAX {
            buffer.records.push_back(record);
        } else {
            buffer.dropped += 1;
        }
        drop(buffer);
        shared.changed.notify_one();
    }

    fn flush(&self) {}
}

/// Starts collecting records of this level and above, or changes the level. Fails where the
/// program has a logger of its own, which then gets the records.
pub fn start(level: Level) -> Result<()> {
    // No once-cell: a child that is forked in the middle would wait for ever.
    let is_ours = || std::ptr::addr_eq(log::logger(), &raw const COLLECTOR);
    if log::set_logger(&COLLECTOR).is_err() && !is_ours() {
        return Err(Error::argument("the program has a logger of its own"));
    }
    lock(&shared()?.buffer).is_stopped = false;
    log::set_max_level(match level {
        Level::Error => log::LevelFilter::Error,
        Level::Warn => log::LevelFilter::Warn,
        Level::Info => log::LevelFilter::Info,
        Level::Debug => log::LevelFilter::Debug,
        Level::Trace => log::LevelFilter::Trace,
    });
    Ok(())
}

/// Stops collecting; a thread that waits in [`take`] gets what is left, and then nothing.
pub fn stop() {
    log::set_max_level(log::LevelFilter::Off);
    if let Some(shared) = SHARED.get() {
        lock(&shared.buffer).is_stopped = true;
        shared.changed.notify_all();
    }
}

/// What was collected, at most `max` records; waits for the first one until the timeout runs out.
/// Empty after the timeout; `None` once stopped and drained. Where records were dropped, the last
/// one says how many.
pub fn take(max: usize, timeout: Duration) -> Option<Vec<Record>> {
    let shared = shared().ok()?;
    let buffer = lock(&shared.buffer);
    let is_idle = |buffer: &mut Buffer| buffer.records.is_empty() && !buffer.is_stopped;
    let waited = shared.changed.wait_timeout_while(buffer, timeout, is_idle);
    let mut buffer = unpoisoned(waited).0;
    if buffer.records.is_empty() && buffer.is_stopped {
        return None;
    }
    let count = buffer.records.len().min(max);
    let mut records: Vec<Record> = buffer.records.drain(..count).collect();
    let dropped = std::mem::take(&mut buffer.dropped);
    if dropped > 0 {
        let message = format!("{dropped} records were dropped: RECORDS_MAX = {RECORDS_MAX} waited");
        let (level, target) = (Level::Warn, "modelwire".to_owned());
        records.push(Record { level, target, message, time: SystemTime::now() });
    }
    Some(records)
}

/// Whether a record waits to be taken.
pub fn has_records() -> bool {
    shared().is_ok_and(|shared| !lock(&shared.buffer).records.is_empty())
}

/// Records that a sink gets in one batch at most.
pub const BATCH_RECORDS_MAX: usize = 256;

/// How long a sink's thread sleeps in one go, and how long its end is waited for.
const SINK_TIME_MAX: Duration = Duration::from_secs(60);

thread_local! {
    static IS_SINK_THREAD: Cell<bool> = const { Cell::new(false) };
}

static SINK: PerProcess<Mutex<Option<OwnThread>>> = PerProcess::new();

/// Collects, and hands the records to a sink in batches on a thread of the library's own, in place
/// of any earlier sink, which gets what was logged before. The sink is dropped when another one
/// comes, at [`forward_end`] and at [`crate::shutdown`].
pub fn forward(level: Level, mut sink: impl FnMut(&[Record]) + Send + 'static) -> Result<()> {
    let _alone = changing()?;
    end_sink();
    start(level)?;
    let thread = OwnThread::spawn("mw-log".to_owned(), move || {
        mark_callback_thread();
        IS_SINK_THREAD.set(true);
        while let Some(records) = take(BATCH_RECORDS_MAX, SINK_TIME_MAX) {
            if !records.is_empty() && guarded(|| sink(&records)).is_none() {
                return;
            }
        }
        guarded(|| drop(sink));
    });
    let thread = thread.map_err(|cause| {
        stop();
        Error::internal(format!("the log thread cannot be started: {cause}"))
    })?;
    let slot = SINK.get_or_try_init(|| Ok(Mutex::default()))?;
    *lock(slot) = Some(thread);
    Ok(())
}

/// Ends what [`forward`] started, once the sink has got everything. Fails inside the sink, which
/// cannot wait for itself.
pub fn forward_end() -> Result<()> {
    let _alone = changing()?;
    end_sink();
    Ok(())
}

/// One change at a time; none from inside a sink, which cannot wait for itself.
fn changing() -> Result<MutexGuard<'static, ()>> {
    static CHANGING: PerProcess<Mutex<()>> = PerProcess::new();
    if IS_SINK_THREAD.get() {
        return Err(Error::argument("the log cannot be changed from inside its own callback"));
    }
    let changing = CHANGING.get_or_try_init(|| Ok(Mutex::default()))?;
    Ok(lock(changing))
}

fn end_sink() {
    let Some(slot) = SINK.get() else { return };
    let thread = lock(slot).take();
    if let Some(mut thread) = thread {
        stop();
        thread.join_within(SINK_TIME_MAX);
    }
}

#[cfg(test)]
#[path = "log_tests.rs"]
mod tests;
