//! Detects that a loop over a stream is left: an exception (also a cancelled task or a closed generator)
//! ends the stream at once, even if other references exist; after `break`, the stream stays open for them.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyIterator;
use pyo3::{PyTraverseError, PyVisit};

use crate::kept::intern;
use crate::run::{Items, Run};
use crate::source::Source;
use crate::stream_base::StreamBase;

/// Called when the iterator of a loop is dropped. While an exception unwinds a loop, the exception is set
/// and the loop has the only reference to the iterator; a traceback may keep the stream alive for long
/// afterwards.
///
/// An exhausted iterator does not count as a loop that was left.
pub(crate) fn left(py: Python<'_>, source: &Source) {
    if source.is_over() {
        return;
    }
    if PyErr::occurred(py) && !is_end(py) {
        source.leave();
    }
}

/// Whether the current exception is the end of an iterator. It stays set: fetching it would resume a panic,
/// if it is one.
#[expect(unsafe_code, reason = "PyO3 has no look at the exception that is set")]
fn is_end(_: Python<'_>) -> bool {
    // SAFETY: the interpreter is held, and both classes live as long as it.
    unsafe {
        ffi::PyErr_ExceptionMatches(ffi::PyExc_StopIteration) != 0
            || ffi::PyErr_ExceptionMatches(ffi::PyExc_StopAsyncIteration) != 0
    }
}

/// The iterator of a `for` over an object that wraps a stream, such as a helper.
#[pyclass(frozen, module = "modelwire._native")]
pub(crate) struct Iteration {
    inner: Py<PyIterator>,
    stream: Py<StreamBase>,
}

/// The iterator of an `async for` over an object that wraps a stream, such as a helper.
#[pyclass(frozen, module = "modelwire._native")]
pub(crate) struct AsyncIteration {
    inner: Py<PyAny>,
    stream: Py<StreamBase>,
}

#[pymethods]
impl Iteration {
    #[new]
    fn new(inner: Py<PyIterator>, stream: Py<StreamBase>) -> Iteration {
        Iteration { inner, stream }
    }

    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> Option<PyResult<Bound<'py, PyAny>>> {
        Items::of(self.inner.bind(py).clone()).next()
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.inner)?;
        visit.call(&self.stream)
    }
}

#[pymethods]
impl AsyncIteration {
    /// `inner` has `__anext__`.
    #[new]
    fn new(inner: Py<PyAny>, stream: Py<StreamBase>) -> AsyncIteration {
        AsyncIteration { inner, stream }
    }

    fn __aiter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __anext__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.inner.bind(py).run_method(intern!(py, "__anext__"), ())
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.inner)?;
        visit.call(&self.stream)
    }
}

impl Drop for Iteration {
    fn drop(&mut self) {
        Python::try_attach(|py| left(py, &self.stream.get().source));
    }
}

impl Drop for AsyncIteration {
    fn drop(&mut self) {
        Python::try_attach(|py| left(py, &self.stream.get().source));
    }
}
