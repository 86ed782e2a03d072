//! What the calls of a client tell at their ends, collected in a bounded buffer until a thread or a queue
//! takes it, each listener from a buffer of its own. Knows no call on its way.
//!
//! Nothing is called from the I/O thread: a record is put into the buffer, before the consumer of its
//! call can see the end, and that is all. In the child of a fork there is nothing to take: it listens
//! anew.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, Weak};
use std::task::Waker;
use std::time::Duration;

use crate::answer::error::Result;
use crate::call::listeners::{Hears, Listeners, Told};
use crate::call::session::Session;
use crate::system::process::{self, PerProcess};
use crate::system::sync::{lock, unpoisoned};

/// Records that wait at most; what comes on top of them is counted ([`Records::dropped`]).
pub const RECORDS_WAITING_MAX: usize = 4096;

/// Bytes of answers, and of times of chunks, that wait at most with records. An answer that finds no room
/// is left out; a record whose times find none is counted as one without room.
pub const RECORDS_WAITING_BYTES_MAX: usize = 64 << 20;
/// Tags of calls whose records found no room that are remembered at most.
pub const TAGS_DROPPED_MAX: usize = 65_536;

/// What is told with each record.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecordsOptions {
    /// The answers too, where they are whole: documents, and streams that were gathered; as far as
    /// [`RECORDS_WAITING_BYTES_MAX`] goes.
    pub responses: bool,
}

/// What the calls of a client tell at their ends, from when this was made
/// ([`Client::records`](crate::Client::records)). Every method may be called from any thread. Dropping
/// it ends it.
///
/// ```no_run
/// # fn run(client: modelwire::Client) -> modelwire::Result<()> {
/// use std::time::Duration;
/// use modelwire::RecordsOptions;
///
/// let records = client.records(RecordsOptions::default())?;
/// std::thread::spawn(move || {
///     while let Some(told) = records.take(256, Some(Duration::from_secs(1))) {
///         told.iter().for_each(|told| println!("{}", told.record.to_json()));
///     }
/// });
/// # Ok(()) }
/// ```
pub struct Records {
    collected: Arc<Collected>,
    listens: Listens,
}

/// One listener, on the list of a session until this is dropped.
pub(crate) struct Listens {
    listed: Arc<dyn Hears>,
    /// They go with their session.
    listeners: Weak<PerProcess<Listeners>>,
}

/// What the calls of one session tell, on its way into a buffer.
struct Listener {
    collected: Arc<Collected>,
    options: RecordsOptions,
    /// By which the one who takes it knows the session.
    number: u64,
    /// Answers are for calls that have a tag of their own.
    answers_need_tag: bool,
}

/// Records that wait for one who takes them.
pub(crate) struct Collected {
    /// The process that made it: another one must not touch its lock.
    generation: u64,
    buffer: Mutex<Buffer>,
    changed: Condvar,
    /// Woken when something comes for one who found nothing.
    waker: Option<Waker>,
}

#[derive(Default)]
struct Buffer {
    /// Each with the number of its listener.
    told: VecDeque<(u64, Told)>,
    /// What they cost of `RECORDS_WAITING_BYTES_MAX`.
    bytes: usize,
    heard: u64,
    dropped: u64,
    /// Of those how many were told of with a record.
    dropped_told: u64,
    dropped_tags: Vec<u64>,
    is_stopped: bool,
    is_interrupted: bool,
    is_looked_for: bool,
}

impl Hears for Listener {
    fn hear(&self, told: &Told) -> Option<Waker> {
        let collected = &self.collected;
        let mut buffer = lock(&collected.buffer);
        if buffer.is_stopped {
            return None;
        }
        let has_answer = self.options.responses && (told.tag != 0 || !self.answers_need_tag);
        let mut told = told.clone();
        told.response = told.response.filter(|_| has_answer);
        buffer.put(self.number, told);
        let is_looked_for = std::mem::take(&mut buffer.is_looked_for);
        drop(buffer);
        collected.changed.notify_one();
        collected.waker.clone().filter(|_| is_looked_for)
    }
}

impl Listener {
    fn listen(self, session: &Session, earlier: Option<&Listens>) -> Result<Listens> {
        let listed: Arc<dyn Hears> = Arc::new(self);
        let listeners = session.listeners();
        let earlier = earlier.map(|earlier| &earlier.listed);
        Listeners::of(listeners)?.add(listed.clone(), earlier);
        Ok(Listens { listed, listeners: Arc::downgrade(listeners) })
    }
}

impl Drop for Listens {
    fn drop(&mut self) {
        self.end();
    }
}

impl Listens {
    /// Whether it listens to the calls of this session.
    pub(crate) fn is_to(&self, session: &Session) -> bool {
        std::ptr::eq(self.listeners.as_ptr(), Arc::as_ptr(session.listeners()))
    }

    fn end(&self) {
        // In a child of a fork the list is another one.
        if let Some(listeners) = self.listeners.upgrade()
            && let Some(listeners) = listeners.get()
        {
            listeners.remove(&self.listed);
        }
    }

    /// Whether no client and no call is left of which it could hear.
    pub(crate) fn is_orphaned(&self) -> bool {
        self.listeners.strong_count() == 0
    }
}

impl Collected {
    pub(crate) fn new(waker: Option<Waker>) -> Collected {
        let (buffer, changed) = (Mutex::default(), Condvar::new());
        Collected { generation: process::generation(), buffer, changed, waker }
    }

    /// From now on what the calls of this session tell is collected here, with this number, and by an
    /// earlier one no more: no record is lost between them, and none comes twice.
    pub(crate) fn listen(
        self: &Arc<Self>,
        session: &Session,
        options: RecordsOptions,
        number: u64,
        earlier: Option<&Listens>,
    ) -> Result<Listens> {
        let collected = self.clone();
        let listener = Listener { collected, options, number, answers_need_tag: false };
        listener.listen(session, earlier)
    }

    /// The same, with the answers of those calls alone that have a tag of their own.
    pub(crate) fn listen_to_tagged(
        self: &Arc<Self>,
        session: &Session,
        options: RecordsOptions,
        number: u64,
    ) -> Result<Listens> {
        let collected = self.clone();
        Listener { collected, options, number, answers_need_tag: true }.listen(session, None)
    }

    /// The next one. Where there is none the waker is woken when one comes.
    pub(crate) fn next(&self) -> Option<(u64, Told)> {
        let mut buffer = lock(&self.buffer);
        let found = buffer.told.pop_front();
        buffer.is_looked_for = found.is_none();
        let (number, mut told) = found?;
        buffer.bytes = buffer.bytes.saturating_sub(cost_of(&told));
        told.dropped = buffer.dropped_since();
        Some((number, told))
    }

    pub(crate) fn is_drained(&self) -> bool {
        lock(&self.buffer).told.is_empty()
    }

    /// Nothing more is collected; what is there can still be taken. False in another process, where
    /// nothing was.
    pub(crate) fn stop(&self) -> bool {
        if !self.is_of_this_process() {
            return false;
        }
        lock(&self.buffer).is_stopped = true;
        self.changed.notify_all();
        true
    }

    /// Lets the one who waits in `take`, or the next one, return with what there is.
    pub(crate) fn interrupt(&self) {
        if self.is_of_this_process() {
            lock(&self.buffer).is_interrupted = true;
            self.changed.notify_one();
        }
    }

    pub(crate) fn heard(&self) -> u64 {
        if self.is_of_this_process() { lock(&self.buffer).heard } else { 0 }
    }

    /// The tags of those that found no room since this was last asked.
    pub(crate) fn take_dropped(&self) -> Vec<u64> {
        if !self.is_of_this_process() {
            return Vec::new();
        }
        std::mem::take(&mut lock(&self.buffer).dropped_tags)
    }

    fn is_of_this_process(&self) -> bool {
        process::generation() == self.generation
    }

    /// At most `max`, with the numbers of their listeners; waits for the first one, or to be
    /// interrupted. `None` once stopped and drained.
    pub(crate) fn take(&self, max: usize, timeout: Option<Duration>) -> Option<Vec<(u64, Told)>> {
        if !self.is_of_this_process() {
            return None;
        }
        let buffer = lock(&self.buffer);
        let is_idle = |buffer: &mut Buffer| {
            buffer.told.is_empty() && !buffer.is_stopped && !buffer.is_interrupted
        };
        let mut buffer = match timeout {
            None => unpoisoned(self.changed.wait_while(buffer, is_idle)),
            Some(timeout) => {
                unpoisoned(self.changed.wait_timeout_while(buffer, timeout, is_idle)).0
            }
        };
        if buffer.told.is_empty() && buffer.is_stopped {
            return None;
        }
        buffer.is_interrupted = false;
        let count = buffer.told.len().min(max);
        let mut taken: Vec<(u64, Told)> = buffer.told.drain(..count).collect();
        let cost = taken.iter().map(|(_, told)| cost_of(told)).sum();
        buffer.bytes = buffer.bytes.saturating_sub(cost);
        if let Some((_, first)) = taken.first_mut() {
            first.dropped = buffer.dropped_since();
        }
        Some(taken)
    }

    pub(crate) fn dropped(&self) -> u64 {
        if self.is_of_this_process() { lock(&self.buffer).dropped } else { 0 }
    }
}

/// What it costs of `RECORDS_WAITING_BYTES_MAX`.
fn cost_of(told: &Told) -> usize {
    let answer = told.response.as_ref().map_or(0, |answer| answer.json().len());
    answer + size_of_val(told.record.chunk_times())
}

impl Buffer {
    /// Puts it in, without its answer where only that finds no room.
    fn put(&mut self, number: u64, mut told: Told) {
        let room = RECORDS_WAITING_BYTES_MAX.saturating_sub(self.bytes);
        if cost_of(&told) > room {
            told.response = None;
        }
        let cost = cost_of(&told);
        if self.told.len() >= RECORDS_WAITING_MAX || cost > room {
            self.dropped += 1;
            if told.tag != 0 && self.dropped_tags.len() < TAGS_DROPPED_MAX {
                self.dropped_tags.push(told.tag);
            }
            return;
        }
        self.heard += 1;
        self.bytes += cost;
        self.told.push_back((number, told));
    }

    /// How many found no room since it was asked for. Where some did others wait, which tell of it.
    fn dropped_since(&mut self) -> u64 {
        self.dropped - std::mem::replace(&mut self.dropped_told, self.dropped)
    }
}

impl Records {
    /// From now on what the calls of this session tell is collected, and by an earlier one no more.
    pub(crate) fn of(
        session: &Session,
        options: RecordsOptions,
        earlier: Option<&Records>,
    ) -> Result<Records> {
        let collected = Arc::new(Collected::new(None));
        let earlier = earlier.map(|earlier| &earlier.listens);
        let listens = collected.listen(session, options, 0, earlier)?;
        Ok(Records { collected, listens })
    }

    pub(crate) fn are_of_this_process(&self) -> bool {
        self.collected.is_of_this_process()
    }

    /// What calls told, at most `max` of them, the oldest first; waits for the first one until the
    /// timeout runs out, for ever without one. Empty after the timeout; `None` once stopped and drained,
    /// and in another process than the one that listens.
    pub fn take(&self, max: usize, timeout: Option<Duration>) -> Option<Vec<Told>> {
        let told = self.collected.take(max, timeout)?;
        Some(told.into_iter().map(|(_, told)| told).collect())
    }

    /// How many records found no room so far: [`RECORDS_WAITING_MAX`] waited.
    pub fn dropped(&self) -> u64 {
        self.collected.dropped()
    }

    /// Ends it: nothing more is collected. What is there can still be taken; a thread that waits in
    /// [`Records::take`] gets it, and then `None`.
    pub fn stop(&self) {
        if self.collected.stop() {
            self.listens.end();
        }
    }
}

impl Drop for Records {
    fn drop(&mut self) {
        self.stop();
    }
}

impl fmt::Debug for Records {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records").finish_non_exhaustive()
    }
}

#[cfg(test)]
#[path = "records_tests.rs"]
mod tests;
