//! A call that is started and not answered yet, for an event loop to wait for. Knows no event loop.

use std::sync::{Arc, Mutex, MutexGuard};

use modelwire::Call;
use pyo3::prelude::*;

use crate::async_stream::async_stream;
use crate::errors::raise;
use crate::hub::Hub;
use crate::lock::lock;
use crate::request_info::RequestInfo;
use crate::source::{Outcome, Source, outcome};
use crate::wait;

/// A call that was started, until its answer or its stream is there.
#[pyclass(frozen, module = "modelwire._native")]
pub(crate) struct Started {
    source: Mutex<Option<Source>>,
}

impl Started {
    pub(crate) fn new(call: Call, request: Arc<RequestInfo>) -> Started {
        Started { source: Mutex::new(Some(Source::new(call, request))) }
    }

    fn source(&self) -> MutexGuard<'_, Option<Source>> {
        lock(&self.source)
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
        let (found, request) = match &*self.source() {
            Some(source) => (source.poll_pop(hub.get().ready(), number), source.request().clone()),
            None => return Ok(None),
        };
        let found = raise(py, found)?;
        wait::stay_at_exit(py, &found)?;
        match outcome(py, found, &request)? {
            None => Ok(None),
            Some(Outcome::Response(response)) => response.into_python(py).map(Some),
            Some(Outcome::Stream(head)) => {
                let Some(source) = self.source().take() else { return Ok(None) };
                Py::new(py, async_stream(source, head)).map(|made| Some(made.into_any()))
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
