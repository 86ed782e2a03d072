//! One wake-up for all waits of an event loop: wraps the core's `Ready` for Python, and maps its numbers to
//! futures.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use modelwire::{Descriptor, Ready};
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};

use crate::errors::raise;
use crate::future::Future;
use crate::lock::lock;

/// One counter for all loops and threads: several may wait for a stream, and a lower number has waited
/// longer.
static NUMBERS: AtomicU64 = AtomicU64::new(0);

pub(crate) fn next_number() -> u64 {
    NUMBERS.fetch_add(1, Ordering::Relaxed)
}

/// A list of numbers that the I/O thread fills, and a descriptor that signals it.
#[pyclass(frozen, module = "modelwire._native")]
pub(crate) struct Hub {
    ready: Ready,
    waiting: Mutex<HashMap<u64, Py<Future>>>,
}

impl Hub {
    pub(crate) fn ready(&self) -> &Ready {
        &self.ready
    }

    /// Wakes the future when its number is ready.
    pub(crate) fn wait(&self, number: u64, future: Py<Future>) {
        let before = lock(&self.waiting).insert(number, future);
        drop(before); // outside the lock: it may run the program's code
    }

    /// Removes the future of this number.
    pub(crate) fn forget(&self, number: u64) {
        let before = lock(&self.waiting).remove(&number);
        drop(before);
    }
}

#[pymethods]
impl Hub {
    #[new]
    fn new() -> Hub {
        Hub { ready: Ready::new(), waiting: Mutex::default() }
    }

    /// A descriptor that is readable while a number is ready.
    fn fd(&self, py: Python<'_>) -> PyResult<Descriptor> {
        raise(py, self.ready.fd())
    }

    /// Takes all ready numbers.
    fn take(&self) -> Vec<u64> {
        std::iter::from_fn(|| self.ready.take()).collect()
    }

    /// Wakes the futures of all ready numbers. An event loop calls it when the descriptor is readable.
    fn drain(&self, py: Python<'_>) -> PyResult<()> {
        let mut numbers = self.take().into_iter();
        while let Some(number) = numbers.next() {
            let future = lock(&self.waiting).remove(&number);
            let Some(future) = future else { continue };
            if let Err(error) = Future::wake(future.bind(py)) {
                // An exception that ends the loop, such as Ctrl-C: the others are woken if the loop
                // continues.
                numbers.for_each(|number| self.ready.note(number));
                return Err(error);
            }
        }
        Ok(())
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // The lock is never held for long, and never by a thread that is collecting garbage.
        match self.waiting.try_lock() {
            Ok(waiting) => waiting.values().try_for_each(|future| visit.call(future)),
            Err(_) => Ok(()),
        }
    }

    fn __clear__(&self) {
        let waiting = std::mem::take(&mut *lock(&self.waiting));
        drop(waiting);
    }
}
