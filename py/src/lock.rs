//! Locks a mutex, whoever panicked while holding it: what it guards is whole after each step of its
//! users.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The value behind a mutex.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
