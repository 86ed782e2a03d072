//! Locks a mutex even if it is poisoned: the guarded data is consistent after each step.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The value in a mutex.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
