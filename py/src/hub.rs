//! One wake for all that an event loop waits for: the core's `Ready` as Python sees it, and who waits for its
//! numbers.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use modelwire::{Descriptor, Ready};
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};

use crate::errors::raise;
use crate::future::Future;
use crate::lock::lock;

/// One count for all loops and threads: a stream may be awaited on several, and who has the lower
/// number has waited longer.
static NUMBERS: AtomicU64 = AtomicU64::new(0);

pub(crate) fn next_number() -> u64 {
    NUMBERS.fetch_add(1, Ordering::Relaxed)
}

/// A list of numbers that calls fill from the I/O thread, and the descriptor that tells of it.
#[pyclass(frozen, module = "modelwire._native")]
pub(crate) struct Hub {
    ready: Ready,
    waiting: Mutex<HashMap<u64, Py<Future>>>,
}

impl Hub {
    pub(crate) fn ready(&self) -> &Ready {
        &self.ready
    }

    /// Wakes this one when its number is noted.
    pub(crate) fn wait(&self, number: u64, future: Py<Future>) {
        let before = lock(&self.waiting).insert(number, future);
        drop(before); // not under the lock: whatever it holds may run code of the program's
    }

    /// Nobody waits for this number any more.
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

    /// A descriptor that is readable while a number waits.
    fn fd(&self, py: Python<'_>) -> PyResult<Descriptor> {
        raise(py, self.ready.fd())
    }

    /// All numbers that wait.
    fn take(&self) -> Vec<u64> {
        std::iter::from_fn(|| self.ready.take()).collect()
    }

    /// Wakes all whose numbers wait: what an event loop calls when the descriptor is readable.
    fn drain(&self, py: Python<'_>) -> PyResult<()> {
        let mut numbers = self.take().into_iter();
        while let Some(number) = numbers.next() {
            let future = lock(&self.waiting).remove(&number);
            let Some(future) = future else { continue };
            if let Err(error) = Future::wake(future.bind(py)) {
                // What ends the loop, as Ctrl-C: the others are woken if it goes on.
                numbers.for_each(|number| self.ready.note(number));
                return Err(error);
            }
        }
        Ok(())
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // Nobody holds the lock for long, and never one who collects garbage meanwhile.
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
