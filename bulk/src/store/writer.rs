//! The writer thread: results that arrive while one commit goes to disk are committed together.
//!
//! # The order that keeps the promise
//!
//! 1. The records of rows about to be sent are written to the journal and synced; only then may the rows be
//!    sent.
//! 2. Results are written to their file and synced; only then does the journal record them.
//! 3. That record need not be synced at once: results that the journal does not record are read when the job
//!    is opened again. A stream cannot be read again, so for a stream the journal is synced at once.
//!
//! At whatever moment the process dies, each row is new, unknown or ended, and none is lost.

use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::journal::{End, crc_of};
use super::journal_file::{JournalFile, UNSYNCED_BYTES_MAX};
use super::results::Results;

/// How often to retry on a full disk.
const ROOM_ASK_EVERY: Duration = Duration::from_millis(250);

/// Minimum time between the starts of two commits: results that arrive in this time are committed together.
const COMMITS_APART: Duration = Duration::from_millis(2);

/// What waits for the writer thread.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    /// Records of rows about to be sent, or refused.
    pub(crate) records: Vec<u8>,
    /// Whether a sender waits until some of them are on disk.
    pub(crate) are_awaited: bool,
    /// The last ticket issued.
    pub(crate) ticket: u64,
    pub(crate) results: Batch,
    is_closing: bool,
}

/// Results, and their records for the journal.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) lines: Vec<u8>,
    /// Outcome records without their ends, concatenated.
    pub(crate) records: Vec<u8>,
    /// For each result, the bytes of its line and of its record.
    pub(crate) sizes: Vec<(usize, usize)>,
}

/// Shared by the writer thread and its callers.
pub(crate) struct Shared {
    queue: Mutex<Queue>,
    work: Condvar,
    durable: AtomicU64,
    /// Bytes of results that are not on disk yet.
    bytes: AtomicUsize,
    /// Whether writing fails, temporarily or permanently.
    is_in_trouble: AtomicBool,
    is_hurried: AtomicBool,
    trouble: Mutex<WriteState>,
}

/// What cannot be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum WriteState {
    #[default]
    None,
    /// Temporary: the disk is full.
    Waiting(String),
    /// Permanent.
    Failed(String),
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub(crate) fn new() -> Arc<Shared> {
        Arc::new(Shared {
            queue: Mutex::default(),
            work: Condvar::new(),
            durable: AtomicU64::new(0),
            bytes: AtomicUsize::new(0),
            is_in_trouble: AtomicBool::new(false),
            is_hurried: AtomicBool::new(false),
            trouble: Mutex::default(),
        })
    }

    /// Adds to the queue, and wakes the writer thread if it may be idle.
    pub(crate) fn add<T>(&self, add: impl FnOnce(&mut Queue) -> T) -> T {
        let mut queue = locked(&self.queue);
        let before = queue.results.lines.len();
        let was_empty = queue.is_empty();
        let added = add(&mut queue);
        self.bytes.fetch_add(queue.results.lines.len().saturating_sub(before), Ordering::Relaxed);
        drop(queue);
        if was_empty {
            self.work.notify_one();
        }
        added
    }

    pub(crate) fn durable(&self) -> u64 {
        self.durable.load(Ordering::Acquire)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn trouble(&self) -> WriteState {
        if self.is_in_trouble() { locked(&self.trouble).clone() } else { WriteState::None }
    }

    pub(crate) fn is_in_trouble(&self) -> bool {
        self.is_in_trouble.load(Ordering::Acquire)
    }

    fn set_trouble(&self, trouble: WriteState) {
        let is_in_trouble = trouble != WriteState::None;
        *locked(&self.trouble) = trouble;
        self.is_in_trouble.store(is_in_trouble, Ordering::Release);
    }

    /// Stops waiting for space.
    pub(crate) fn hurry(&self) {
        self.is_hurried.store(true, Ordering::Release);
        self.work.notify_one();
    }

    pub(crate) fn close(&self) {
        locked(&self.queue).is_closing = true;
        self.work.notify_one();
    }
}

impl Queue {
    fn is_empty(&self) -> bool {
        self.records.is_empty() && self.results.is_empty()
    }
}

impl Batch {
    pub(crate) fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    fn append(&mut self, other: Batch) {
        if self.is_empty() {
            *self = other;
            return;
        }
        self.lines.extend_from_slice(&other.lines);
        self.records.extend_from_slice(&other.records);
        self.sizes.extend_from_slice(&other.sizes);
    }

    /// Writes the outcome records, now that the offset of the first line is known. `member` is the end of all
    /// lines if they are compressed together.
    pub(crate) fn write_records(&self, start: Option<u64>, member: Option<End>, out: &mut Vec<u8>) {
        let (mut lines, mut records) = (self.lines.as_slice(), self.records.as_slice());
        let mut at = start;
        for (line, record) in &self.sizes {
            let Some((line, lines_left)) = lines.split_at_checked(*line) else { return };
            let Some((record, records_left)) = records.split_at_checked(*record) else { return };
            (lines, records) = (lines_left, records_left);
            out.extend_from_slice(record);
            at = at.map(|at| at + line.len() as u64);
            if let Some(end) = member.or_else(|| at.map(|at| End { at, crc: crc_of(line) })) {
                end.write(b",\"end\":", out);
            }
            out.push(b'\n');
        }
    }

    /// Splits off the results whose lines are within the first `bytes`, and returns them.
    fn split_off_front(&mut self, bytes: usize) -> Batch {
        let (mut line, mut record, mut count) = (0, 0, 0);
        for sizes in &self.sizes {
            if line + sizes.0 > bytes {
                break;
            }
            (line, record, count) = (line + sizes.0, record + sizes.1, count + 1);
        }
        Batch {
            lines: self.lines.drain(..line).collect(),
            records: self.records.drain(..record).collect(),
            sizes: self.sizes.drain(..count).collect(),
        }
    }
}

/// What remains when the writer thread ends.
pub(crate) struct WriterEnd {
    pub(crate) results: Results,
    pub(crate) journal: Option<JournalFile>,
    /// Results that could not be written.
    pub(crate) unwritten: Batch,
    pub(crate) error: Option<(String, io::Error)>,
}

/// The state of the writer thread.
pub(crate) struct Writer {
    pub(crate) shared: Arc<Shared>,
    pub(crate) wake: Box<dyn Fn() + Send>,
    pub(crate) results: Results,
    pub(crate) results_path: PathBuf,
    pub(crate) journal: Option<JournalFile>,
    /// How long to wait for space on a full disk.
    pub(crate) room_wait: Duration,
    pub(crate) batch: Batch,
    pub(crate) state: State,
}

#[derive(Debug, Default)]
pub(crate) struct State {
    /// The records of tickets up to this one are pending in the journal.
    noted: u64,
    are_awaited: bool,
    /// When writing first failed, since it last succeeded.
    full_since: Option<Instant>,
    journal_failed: bool,
    results_failed: bool,
    error: Option<(String, io::Error)>,
}

impl Writer {
    pub(crate) fn run(mut self) -> WriterEnd {
        loop {
            let is_closing = self.take();
            let begun = Instant::now();
            let is_well = self.write_all();
            (self.wake)();
            let is_over = is_well || self.state.full_since.is_none();
            if is_closing && is_over {
                break;
            }
            if !is_closing {
                std::thread::sleep(COMMITS_APART.saturating_sub(begun.elapsed()));
            }
        }
        self.end()
    }

    /// Waits for work and takes it. Returns whether the queue is closing.
    fn take(&mut self) -> bool {
        let mut queue = locked(&self.shared.queue);
        while queue.is_empty() && !queue.is_closing && self.state.full_since.is_none() {
            queue = self.shared.work.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        let taken =
            Queue { is_closing: queue.is_closing, ticket: queue.ticket, ..Queue::default() };
        let taken = std::mem::replace(&mut *queue, taken);
        drop(queue);
        if let Some(journal) = &mut self.journal {
            journal.push(&taken.records);
        }
        self.state.noted = taken.ticket;
        self.state.are_awaited |= taken.are_awaited;
        self.batch.append(taken.results);
        taken.is_closing
    }

    /// Writes everything queued. Returns whether all of it was written.
    fn write_all(&mut self) -> bool {
        let journal = self.write_journal(false);
        let results = self.write_results();
        // A stream cannot be read again: the journal's records of it must be durable.
        let is_awaited = self.results.end().is_none();
        let journal = journal.and_then(|()| self.write_journal(is_awaited));
        let error = match (journal, results) {
            (Ok(()), Ok(())) => {
                if self.state.full_since.take().is_some() && !self.has_failed() {
                    self.shared.set_trouble(WriteState::None);
                }
                return !self.has_failed();
            }
            (_, Err(error)) => (self.results_path.display().to_string(), error, false),
            (Err(error), _) => (self.journal_name(), error, true),
        };
        self.refused(error);
        false
    }

    fn has_failed(&self) -> bool {
        self.state.journal_failed || self.state.results_failed
    }

    fn write_journal(&mut self, is_awaited: bool) -> io::Result<()> {
        let state = &mut self.state;
        let Some(journal) = self.journal.as_mut().filter(|_| !state.journal_failed) else {
            if self.journal.is_none() {
                self.shared.durable.store(state.noted, Ordering::Release);
                state.are_awaited = false;
            }
            return Ok(());
        };
        let is_needed = (state.are_awaited || is_awaited) && journal.unsynced() > 0;
        if is_needed || journal.unsynced() > UNSYNCED_BYTES_MAX {
            journal.sync()?;
            state.are_awaited = false;
            self.shared.durable.store(state.noted, Ordering::Release);
            return Ok(());
        }
        journal.write()
    }

    fn write_results(&mut self) -> io::Result<()> {
        if self.batch.is_empty() || self.state.results_failed {
            return Ok(());
        }
        if self.journal.is_some() {
            self.results.check_file(&self.results_path)?;
        }
        let start = self.results.end();
        let (batch, member, done) = match self.results.commit(&self.batch.lines) {
            Ok(member) => (std::mem::take(&mut self.batch), member, Ok(())),
            Err(refused) => {
                (self.batch.split_off_front(refused.lines_out), None, Err(refused.error))
            }
        };
        self.shared.bytes.fetch_sub(batch.lines.len(), Ordering::Relaxed);
        if let Some(journal) = &mut self.journal {
            let mut records = Vec::with_capacity(batch.records.len() + batch.sizes.len() * 40);
            batch.write_records(start, member, &mut records);
            journal.push(&records);
        }
        done
    }

    fn journal_name(&self) -> String {
        self.journal.as_ref().map_or_else(String::new, |journal| journal.path.display().to_string())
    }

    /// Handles a write error: a full disk is retried, any other error is final.
    fn refused(&mut self, (name, error, is_journal): (String, io::Error, bool)) {
        let since = *self.state.full_since.get_or_insert_with(Instant::now);
        let is_hurried = self.shared.is_hurried.load(Ordering::Acquire);
        let is_full = matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded);
        // If one of the files failed permanently, space for the other does not help.
        let is_worth_it = !is_hurried && !self.has_failed();
        if is_full && is_worth_it && since.elapsed() < self.room_wait {
            let what = format!("{name}: {error}. Nothing is sent until there is space");
            self.shared.set_trouble(WriteState::Waiting(what));
            let queue = locked(&self.shared.queue);
            let waited = self.shared.work.wait_timeout(queue, ROOM_ASK_EVERY);
            drop(waited.unwrap_or_else(PoisonError::into_inner));
            return;
        }
        let what = format!("{name}: {error}");
        self.state.full_since = None;
        if is_journal {
            (self.state.journal_failed, self.state.are_awaited) = (true, false);
        } else {
            self.state.results_failed = true;
        }
        self.state.error.get_or_insert((name, error));
        self.shared.set_trouble(WriteState::Failed(what));
    }

    /// Makes a last attempt to write, and returns what remains.
    fn end(mut self) -> WriterEnd {
        if self.state.results_failed {
            self.state.results_failed = false;
            let _ = self.write_results();
        }
        if let Err(error) = self.write_journal(true) {
            let name = self.journal_name();
            self.state.error.get_or_insert((name, error));
        }
        WriterEnd {
            results: self.results,
            journal: self.journal,
            unwritten: self.batch,
            error: self.state.error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{STORE_BYTES_MAX, SendJournal};
    use super::*;

    fn batch(results: &[(&str, &str)]) -> Batch {
        let mut batch = Batch::default();
        for (line, record) in results {
            batch.append(Batch {
                lines: line.as_bytes().to_vec(),
                records: record.as_bytes().to_vec(),
                sizes: vec![(line.len(), record.len())],
            });
        }
        batch
    }

    #[test]
    fn the_store_is_behind_with_more_bytes_than_it_holds() {
        let shared = Shared::new();
        for (bytes, is_behind) in [(STORE_BYTES_MAX, false), (1, true)] {
            shared.add(|queue| queue.results.lines.resize(queue.results.lines.len() + bytes, b'x'));
            assert_eq!(super::super::is_behind(&shared), is_behind);
            assert_eq!(super::super::StoreSendJournal(shared.clone()).is_behind(), is_behind);
        }
        assert_eq!(shared.bytes(), STORE_BYTES_MAX + 1);
        let shared = Shared::new();
        shared.set_trouble(WriteState::Waiting("out".to_owned()));
        assert!(super::super::is_behind(&shared));
    }

    /// Where a stream took a part of the results: what it took is recorded, and the rest stays to be rescued.
    #[test]
    fn results_are_split_where_their_lines_end() {
        let results = [("one\n", "{1"), ("two, longer\n", "{2, longer"), ("3\n", "{3")];
        let parts =
            |batch: &Batch| (batch.lines.clone(), batch.records.clone(), batch.sizes.clone());
        for (bytes, count) in
            [(0, 0), (3, 0), (4, 1), (5, 1), (15, 1), (16, 2), (17, 2), (18, 3), (19, 3)]
        {
            let mut rest = batch(&results);
            let front = rest.split_off_front(bytes);
            let (expected, left) = results.split_at(count);
            assert_eq!(parts(&front), parts(&batch(expected)), "{bytes}");
            assert_eq!(parts(&rest), parts(&batch(left)), "{bytes}");
        }
    }
}
