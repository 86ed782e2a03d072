//! One wake for all that an event loop waits for: the core's `Ready` as Python sees it, and a call
//! that is started and not answered yet. Knows no event loop.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use modelwire::{Call, Ready};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;

use crate::asked::Asked;
use crate::errors::raise;
use crate::source::{Outcome, Source, outcome};
use crate::stream::AsyncStream;
use crate::wait;

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

/// A call that was started, until its answer or its stream is there.
#[pyclass(frozen, module = "modelwire._native")]
pub(crate) struct Started {
    source: Mutex<Option<Source>>,
}

impl Started {
    pub(crate) fn new(call: Call, asked: Arc<Asked>) -> Started {
        Started { source: Mutex::new(Some(Source::new(call, asked))) }
    }

    fn source(&self) -> MutexGuard<'_, Option<Source>> {
        self.source.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Started {
    /// The answer or the stream, for `modelwire._hub`; None where it has to wait for this number.
    fn _poll(
        &self,
        py: Python<'_>,
        hub: &Bound<'_, Hub>,
        number: u64,
        _portion: isize,
    ) -> PyResult<Option<Py<PyAny>>> {
        // Nothing of Python runs under the lock.
        let (found, asked) = match &*self.source() {
            Some(source) => (source.poll_pop(hub.get().ready(), number), source.asked().clone()),
            None => return Ok(None),
        };
        let found = raise(py, found)?;
        wait::stay_at_exit(py, &found)?;
        match outcome(py, found, &asked)? {
            None => Ok(None),
            Some(Outcome::Response(answer)) => answer.into_typed(py).map(Some),
            Some(Outcome::Stream(head)) => {
                let Some(source) = self.source().take() else { return Ok(None) };
                AsyncStream::new(source, head).into_py_any(py).map(Some)
            }
        }
    }

    /// Nobody waits for this number any more.
    fn _forget(&self, number: u64) {
        if let Some(source) = &*self.source() {
            source.forget(number);
        }
    }

    /// Ends the call now and closes its exchange.
    fn cancel(&self) {
        if let Some(source) = &*self.source() {
            source.cancel();
        }
    }
}
