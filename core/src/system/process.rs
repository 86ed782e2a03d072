//! State that belongs to one process: a forked child is another one. Contains the part of the core's `unsafe`
//! that tells them apart.
//!
//! # Fork
//!
//! The child of a fork has no I/O thread, and locks that other threads held stay locked in it forever. So
//! the child never touches what its parent used. A counter, advanced in the atfork child handler, tells
//! processes apart; it is compared before any lock is taken. What belongs to the parent is leaked, never
//! dropped: a drop would lock, or write to sockets that the parent still uses.

use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};

use once_cell::sync::OnceCell;

use crate::answer::error::{Error, Result};
use crate::answer::error_kind::ErrorKind;
use crate::system;

static GENERATION: AtomicU64 = AtomicU64::new(1);
/// Whether the handler that advances it is registered.
static IS_WATCHED: AtomicBool = AtomicBool::new(false);

extern "C" fn in_forked_child() {
    // Only atomics: the child must not lock or allocate here.
    GENERATION.fetch_add(1, Ordering::SeqCst);
}

/// The number of this process: the forks since the first process that used the library.
pub(crate) fn generation() -> u64 {
    // Set only after the registration. Threads that arrive at the same time register it twice: then the
    // counter advances by two, and no thread waits for one that a fork may leave behind.
    if !IS_WATCHED.load(Ordering::SeqCst) {
        system::on_fork(in_forked_child);
        IS_WATCHED.store(true, Ordering::SeqCst);
    }
    GENERATION.load(Ordering::SeqCst)
}

/// Logs a warning, unless it was logged before. A forked child knows what its parent logged.
pub(crate) fn warn_once(is_warned: &AtomicBool, text: &'static str) {
    if !is_warned.swap(true, Ordering::Relaxed) {
        tracing::warn!(target: "modelwire", "{text}");
    }
}

/// A value that each process creates on first use.
pub(crate) struct PerProcess<T> {
    slot: AtomicPtr<Slot<T>>,
}

struct Slot<T> {
    generation: u64,
    cell: OnceCell<T>,
}

impl<T> PerProcess<T> {
    pub(crate) const fn new() -> PerProcess<T> {
        PerProcess { slot: AtomicPtr::new(std::ptr::null_mut()) }
    }

    /// The value of this process; created by `make` on first use.
    pub(crate) fn get_or_try_init(&self, make: impl FnOnce() -> Result<T>) -> Result<&T> {
        self.slot().cell.get_or_try_init(make)
    }

    /// The value of this process, if it was created.
    pub(crate) fn get(&self) -> Option<&T> {
        self.slot().cell.get()
    }

    fn slot(&self) -> &Slot<T> {
        let generation = generation();
        loop {
            let found = self.slot.load(Ordering::Acquire);
            // SAFETY: a published slot stays allocated while `self` is borrowed: only drop frees it, and a
            // replaced one (of a parent process) is leaked.
            if let Some(slot) = unsafe { found.as_ref() }
                && slot.generation == generation
            {
                return slot;
            }
            let fresh = Box::into_raw(Box::new(Slot { generation, cell: OnceCell::new() }));
            let swap =
                self.slot.compare_exchange(found, fresh, Ordering::AcqRel, Ordering::Acquire);
            if swap.is_err() {
                // SAFETY: no other thread has seen this pointer.
                drop(unsafe { Box::from_raw(fresh) });
            }
        }
    }
}

impl<T> Drop for PerProcess<T> {
    fn drop(&mut self) {
        let found = *self.slot.get_mut();
        // SAFETY: published slots come from Box::into_raw, and only drop frees them. A slot of a parent
        // process is leaked, see the file head.
        if let Some(slot) = unsafe { found.as_ref() }
            && slot.generation == generation()
        {
            // SAFETY: as above; `&mut self` proves that the slot is not borrowed.
            drop(unsafe { Box::from_raw(found) });
        }
    }
}

/// Counts starts and ends of shutdowns: an even number is a run of the library, an odd one a shutdown. A
/// forked child has its own runs.
static PHASE: PerProcess<AtomicU64> = PerProcess::new();
/// The process in which the library was shut down permanently.
static OVER_IN: AtomicU64 = AtomicU64::new(0);

/// A run of the library: the time between two shutdowns. Objects of an earlier run are not used.
pub(crate) type Run = u64;

/// Starts a shutdown: no call starts until [`shutdown_ends`]. One shutdown at a time.
pub(crate) fn shutdown_begins() -> Result<()> {
    PHASE.get_or_try_init(|| Ok(AtomicU64::new(0)))?.fetch_add(1, Ordering::SeqCst);
    Ok(())
}

/// Ends a shutdown: calls start again, in a new run.
pub(crate) fn shutdown_ends() {
    if let Some(phase) = PHASE.get() {
        phase.fetch_add(1, Ordering::SeqCst);
    }
}

/// Prevents all further calls in this process.
pub(crate) fn is_over_for_good() {
    OVER_IN.store(generation(), Ordering::SeqCst);
}

fn phase() -> u64 {
    PHASE.get().map_or(0, |phase| phase.load(Ordering::SeqCst))
}

/// The current run; an error during a shutdown.
pub(crate) fn run() -> Result<Run> {
    if OVER_IN.load(Ordering::SeqCst) == generation() {
        let error = Error::new(ErrorKind::Shutdown, "the library was shut down");
        return Err(error.with_hint("The process is exiting: no new call can start."));
    }
    let phase = phase();
    if phase % 2 == 1 { Err(shutting_down()) } else { Ok(phase) }
}

/// Whether this is the current run.
pub(crate) fn is_running(run: Run) -> bool {
    phase() == run
}

/// The error of an operation in a run that is ending.
pub(crate) fn shutting_down() -> Error {
    Error::new(ErrorKind::Shutdown, "the library is being shut down")
        .with_hint("It restarts on the next use after the shutdown.")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn a_value_is_made_once_and_dropped_with_its_cell() {
        let alive = std::sync::Arc::new(());
        let cell = PerProcess::new();
        let first = cell.get_or_try_init(|| Ok(alive.clone())).unwrap();
        assert!(std::ptr::eq(first, cell.get_or_try_init(|| Ok(alive.clone())).unwrap()));
        assert_eq!(std::sync::Arc::strong_count(&alive), 2);
        drop(cell);
        assert_eq!(std::sync::Arc::strong_count(&alive), 1);
    }

    #[test]
    fn a_run_that_has_not_begun_is_not_the_current_one() {
        assert!(!is_running(Run::MAX));
    }

    #[test]
    fn a_failed_make_is_tried_again() {
        let cell = PerProcess::new();
        assert!(cell.get_or_try_init(|| Err(Error::internal("no"))).is_err());
        assert_eq!(*cell.get_or_try_init(|| Ok(7)).unwrap(), 7);
    }
}
