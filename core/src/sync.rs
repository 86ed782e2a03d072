//! The locks of everything that is model-checked: the standard library's, or loom's under
//! `--cfg modelwire_loom` (`make test-deep`). Knows no protocol.

#[cfg(not(modelwire_loom))]
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};

#[cfg(modelwire_loom)]
pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard};

use std::sync::PoisonError;

/// Locks. Nothing foreign runs under our locks, so a poisoned one guards a consistent state.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
