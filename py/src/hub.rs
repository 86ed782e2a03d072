//! One wake for all that an event loop waits for: the core's `Ready` as Python sees it. Knows no event
//! loop and no call.

use modelwire::Ready;
use pyo3::prelude::*;

use crate::errors::raise;

/// A list of numbers that calls fill from the I/O thread, and the descriptor that tells of it.
#[pyclass(frozen, module = "modelwire._native")]
pub(crate) struct Hub {
    ready: Ready,
}

impl Hub {
    pub(crate) fn ready(&self) -> &Ready {
        &self.ready
    }
}

#[pymethods]
impl Hub {
    #[new]
    fn new() -> Hub {
        Hub { ready: Ready::new() }
    }

    /// A descriptor that is readable while a number waits.
    fn fd(&self, py: Python<'_>) -> PyResult<i32> {
        raise(py, self.ready.fd())
    }

    /// All numbers that wait.
    fn take(&self) -> Vec<u64> {
        std::iter::from_fn(|| self.ready.take()).collect()
    }
}
