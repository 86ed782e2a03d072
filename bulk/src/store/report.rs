//! What the journal of a job says about it, also while a run writes to it: changes nothing.

use std::fs::{File, TryLockError};
use std::io::ErrorKind;

use super::places::{Places, StoreOptions, is_stream};
use super::replay;
use crate::error::Error;
use crate::ledger::Ledger;
use crate::system;

/// The state of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobReport {
    /// Whether a run goes on; `None` if the file system has no locks.
    pub is_running: Option<bool>,
    /// The number of runs.
    pub runs: u64,
    /// The process ID of the last run, and when it began, in seconds since 1970 UTC; `None` before the first
    /// one is recorded.
    pub last_run: Option<(u64, u64)>,
    /// Rows that succeeded.
    pub done: u64,
    /// Rows that failed.
    pub failed: u64,
    /// Rows that were sent, or were about to be, and have no recorded outcome.
    pub unknown: u64,
    /// The size of the recorded results, before they were put in order.
    pub bytes: u64,
}

/// Reads the journal of a job. `None` if there is none.
pub fn report(options: &StoreOptions) -> Result<Option<JobReport>, Error> {
    let Some(path) = Places::journal(options) else { return Ok(None) };
    if is_stream(&path) {
        return Err(Error::JournalForeign(path));
    }
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::Unreadable(path, error)),
    };
    let is_running = is_held(&file);
    let replayed = replay::journal(&file, &path, &mut Ledger::new())?;
    Ok(Some(JobReport {
        is_running,
        runs: replayed.runs,
        last_run: replayed.last_run,
        done: replayed.done,
        failed: replayed.failed,
        unknown: replayed.unknown().len() as u64,
        bytes: replayed.known,
    }))
}

/// Whether a run of a job goes on; `None` if that is not known, as on file systems without locks.
pub fn is_running(options: &StoreOptions) -> Option<bool> {
    let journal = Places::journal(options).filter(|path| !is_stream(path)).map(File::open);
    match journal {
        Some(Ok(journal)) => is_held(&journal),
        Some(Err(error)) if error.kind() != ErrorKind::NotFound => None,
        Some(Err(_)) | None => Some(false),
    }
}

/// Whether a run holds the journal. Its lock is shared for a moment with others who look; a run that begins
/// then waits for them.
fn is_held(journal: &File) -> Option<bool> {
    match system::try_lock_shared(journal) {
        Ok(()) => {
            let _ = system::unlock(journal);
            Some(false)
        }
        Err(TryLockError::WouldBlock) => Some(true),
        Err(TryLockError::Error(_)) => None,
    }
}

#[cfg(test)]
#[path = "report_tests.rs"]
mod tests;
