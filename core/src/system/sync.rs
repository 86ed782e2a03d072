//! Locks and waits that ignore poisoning: no foreign code runs under our locks, so the state is consistent
//! even after a panic. Model-checked code (`make test-deep`) takes its locks from here: the standard
//! library's, or loom's under `--cfg modelwire_loom`.

use std::sync::{LockResult, PoisonError};

#[cfg(not(modelwire_loom))]
pub(crate) use std::sync::atomic::{AtomicBool, Ordering};
#[cfg(not(modelwire_loom))]
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};

#[cfg(modelwire_loom)]
pub(crate) use loom::sync::atomic::{AtomicBool, Ordering};
#[cfg(modelwire_loom)]
pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard};

/// A mutex of either kind.
pub(crate) trait Lock {
    type Guard<'a>
    where
        Self: 'a;

    fn locked(&self) -> LockResult<Self::Guard<'_>>;
}

impl<T> Lock for std::sync::Mutex<T> {
    type Guard<'a>
        = std::sync::MutexGuard<'a, T>
    where
        T: 'a;

    fn locked(&self) -> LockResult<Self::Guard<'_>> {
        self.lock()
    }
}

#[cfg(modelwire_loom)]
impl<T> Lock for loom::sync::Mutex<T> {
    type Guard<'a>
        = loom::sync::MutexGuard<'a, T>
    where
        T: 'a;

    fn locked(&self) -> LockResult<Self::Guard<'_>> {
        self.lock()
    }
}

pub(crate) fn lock<M: Lock>(mutex: &M) -> M::Guard<'_> {
    unpoisoned(mutex.locked())
}

/// The guard from a lock or a wait, ignoring poisoning.
pub(crate) fn unpoisoned<T>(given: LockResult<T>) -> T {
    given.unwrap_or_else(PoisonError::into_inner)
}
