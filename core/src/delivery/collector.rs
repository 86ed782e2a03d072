//! What the calls of many clients tell at their ends, in one bounded buffer, for a binding that hands it
//! on by one thread of its own. Knows no call on its way and no language.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::answer::error::Result;
use crate::call::listeners::Told;
use crate::call::session::Session;
use crate::delivery::records::{Collected, Listens, RecordsOptions};
use crate::system::sync::lock;

/// What the calls of several clients tell at their ends, collected in one buffer in the order of the
/// ends: [`Client::records_into`](crate::Client::records_into). Every method may be called from any
/// thread. Dropping it ends it.
///
/// It belongs to the process that made it: in a forked child nothing is collected and nothing taken.
pub struct Collector {
    collected: Arc<Collected>,
    /// By the numbers that the program gave.
    followed: Mutex<Vec<(u64, Listens)>>,
}

impl Default for Collector {
    fn default() -> Collector {
        Collector::new()
    }
}

impl Collector {
    /// One that follows nobody yet.
    pub fn new() -> Collector {
        Collector { collected: Arc::new(Collected::new(None)), followed: Mutex::default() }
    }

    /// As [`Client::records_into`](crate::Client::records_into).
    pub(crate) fn follow(
        &self,
        session: &Session,
        options: RecordsOptions,
        number: u64,
    ) -> Result<()> {
        let listens = self.collected.listen_to_tagged(session, options, number)?;
        lock(&self.followed).push((number, listens));
        Ok(())
    }

    /// What calls told, at most `max` of them, the oldest first, with the numbers of their clients; waits
    /// for the first one until the timeout runs out, for ever without one. Empty after the timeout and
    /// where it was interrupted; `None` once stopped and drained, and in another process.
    pub fn take(&self, max: usize, timeout: Option<Duration>) -> Option<Vec<(u64, Told)>> {
        self.collected.take(max, timeout)
    }

    /// Lets the one who waits in [`Collector::take`], or the next one, return with what there is.
    pub fn interrupt(&self) {
        self.collected.interrupt();
    }

    /// How many records came in so far; those that found no room are not among them.
    pub fn heard(&self) -> u64 {
        self.collected.heard()
    }

    /// How many records found no room so far: [`RECORDS_WAITING_MAX`](crate::RECORDS_WAITING_MAX) waited.
    pub fn dropped(&self) -> u64 {
        self.collected.dropped()
    }

    /// The tags of the calls whose records found no room since this was last asked; at most
    /// [`TAGS_DROPPED_MAX`](crate::TAGS_DROPPED_MAX) of them, and none that is 0.
    pub fn take_dropped(&self) -> Vec<u64> {
        self.collected.take_dropped()
    }

    /// The numbers of clients that are gone since this was last asked: neither they nor those that share
    /// their sums are there, and no call of theirs is under way. What they told may wait still.
    pub fn take_gone(&self) -> Vec<u64> {
        let mut followed = lock(&self.followed);
        let gone = followed.extract_if(.., |(_, listens)| listens.is_orphaned());
        gone.map(|(number, _)| number).collect()
    }

    /// Ends it: nothing more is collected. What is there can still be taken.
    pub fn stop(&self) {
        if self.collected.stop() {
            lock(&self.followed).clear();
        }
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.stop();
    }
}

impl fmt::Debug for Collector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Collector").finish_non_exhaustive()
    }
}
