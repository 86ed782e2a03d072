//! What belongs to one process: a forked child is another one. Holds the part of the core's `unsafe` that
//! tells them apart.
//!
//! # Fork
//!
//! The child of a fork has no I/O thread, and locks that other threads held stay locked in it for
//! ever. So the child never touches what its parent used: a counter, advanced in the atfork
//! child handler, tells processes apart, and it is compared before any lock is taken. What
//! belongs to the parent is leaked, never dropped: dropping would lock, or speak on sockets that
//! the parent still uses.

use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};

use once_cell::sync::OnceCell;

use crate::answer::error::{Error, Result};
use crate::answer::error_kind::ErrorKind;
use crate::system;

static GENERATION: AtomicU64 = AtomicU64::new(1);
/// Whether the handler is registered that advances it.
static IS_WATCHED: AtomicBool = AtomicBool::new(false);

extern "C" fn in_forked_child() {
    // Only atomics: the child may hold no lock and may not allocate here.
    GENERATION.fetch_add(1, Ordering::SeqCst);
}

/// Which process this is, counted in forks from the first one that used the library.
pub(crate) fn generation() -> u64 {
    // Said only when it is registered. Threads that come here together register it twice: then the
    // count advances by two, and nobody has to wait for a thread that a fork may leave behind.
    if !IS_WATCHED.load(Ordering::SeqCst) {
        system::on_fork(in_forked_child);
        IS_WATCHED.store(true, Ordering::SeqCst);
    }
    GENERATION.load(Ordering::SeqCst)
}

/// A value that each process makes for itself on first use.
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

    /// This process's value, made by `make` if it is the first use.
    pub(crate) fn get_or_try_init(&self, make: impl FnOnce() -> Result<T>) -> Result<&T> {
        self.slot().cell.get_or_try_init(make)
    }

    /// This process's value if it was made.
    pub(crate) fn get(&self) -> Option<&T> {
        self.slot().cell.get()
    }

    fn slot(&self) -> &Slot<T> {
        let generation = generation();
        loop {
            let found = self.slot.load(Ordering::Acquire);
            // SAFETY: a slot that was published stays allocated while `self` is borrowed: it is
            // freed only by drop, and a replaced one (of a parent process) is leaked.
            if let Some(slot) = unsafe { found.as_ref() }
                && slot.generation == generation
            {
                return slot;
            }
            let fresh = Box::into_raw(Box::new(Slot { generation, cell: OnceCell::new() }));
            let swap =
                self.slot.compare_exchange(found, fresh, Ordering::AcqRel, Ordering::Acquire);
            if swap.is_err() {
                // SAFETY: nobody else has seen this pointer.
                drop(unsafe { Box::from_raw(fresh) });
            }
        }
    }
}

impl<T> Drop for PerProcess<T> {
    fn drop(&mut self) {
        let found = *self.slot.get_mut();
        // SAFETY: published slots come from Box::into_raw and only drop frees them. A slot of a
        // parent process is leaked, as this module's head says.
        if let Some(slot) = unsafe { found.as_ref() }
            && slot.generation == generation()
        {
            // SAFETY: as above; `&mut self` proves that nobody borrows the slot.
            drop(unsafe { Box::from_raw(found) });
        }
    }
}

/// Counts begins and ends of shutdowns: an even number is a run of the library, an odd one a
/// shutdown. A forked child has runs of its own.
static PHASE: PerProcess<AtomicU64> = PerProcess::new();
/// The process in which the library was shut down for good.
static OVER_IN: AtomicU64 = AtomicU64::new(0);

/// A run of the library: from one shutdown to the next. What belongs to an earlier one is not used.
pub(crate) type Run = u64;

/// No call starts until [`shutdown_ends`]. One shutdown at a time.
pub(crate) fn shutdown_begins() -> Result<()> {
    PHASE.get_or_try_init(|| Ok(AtomicU64::new(0)))?.fetch_add(1, Ordering::SeqCst);
    Ok(())
}

/// Calls start again, in another run.
pub(crate) fn shutdown_ends() {
    if let Some(phase) = PHASE.get() {
        phase.fetch_add(1, Ordering::SeqCst);
    }
}

/// No call starts from now on, in this process.
pub(crate) fn is_over_for_good() {
    OVER_IN.store(generation(), Ordering::SeqCst);
}

fn phase() -> u64 {
    PHASE.get().map_or(0, |phase| phase.load(Ordering::SeqCst))
}

/// The run that is under way; none while the library is shut down.
pub(crate) fn run() -> Result<Run> {
    if OVER_IN.load(Ordering::SeqCst) == generation() {
        let error = Error::new(ErrorKind::Shutdown, "the library was shut down");
        return Err(error.with_hint("The process is exiting: no new call can start."));
    }
    let phase = phase();
    if phase % 2 == 1 { Err(shutting_down()) } else { Ok(phase) }
}

/// Whether this run is still under way.
pub(crate) fn is_running(run: Run) -> bool {
    phase() == run
}

/// The error of what began in a run that is ending.
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
    fn a_failed_make_is_tried_again() {
        let cell = PerProcess::new();
        assert!(cell.get_or_try_init(|| Err(Error::internal("no"))).is_err());
        assert_eq!(*cell.get_or_try_init(|| Ok(7)).unwrap(), 7);
    }
}
