//! Objects that behave like coroutines: one with a ready value, and helpers for others.

use pyo3::exceptions::{PyRuntimeError, PyStopIteration};
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit, intern};

use crate::run::Run;

/// An awaitable whose value is ready.
#[pyclass(module = "modelwire._native")]
pub(crate) struct Done {
    value: Option<Py<PyAny>>,
}

impl Done {
    pub(crate) fn new(value: Py<PyAny>) -> Done {
        Done { value: Some(value) }
    }
}

#[pymethods]
impl Done {
    fn __await__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&mut self) -> PyResult<Option<Py<PyAny>>> {
        match self.value.take() {
            Some(value) => Err(PyStopIteration::new_err((value,))),
            None => Err(awaited_before()),
        }
    }

    /// Resumes it, like a coroutine.
    fn send(&mut self, _value: &Bound<'_, PyAny>) -> PyResult<Option<Py<PyAny>>> {
        self.__next__()
    }

    /// Raises an exception inside, like a coroutine. A value that was not taken stays available.
    #[pyo3(signature = (error, value=None, _traceback=None))]
    fn throw(
        &mut self,
        error: &Bound<'_, PyAny>,
        value: Option<&Bound<'_, PyAny>>,
        _traceback: Option<&Bound<'_, PyAny>>,
    ) -> PyErr {
        self.close();
        thrown(error, value)
    }

    /// Closes it, like a coroutine. A value that was not taken stays available.
    fn close(&mut self) {
        self.value = None;
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.value)
    }

    fn __clear__(&mut self) {
        self.value = None;
    }
}

/// Resumes a coroutine.
pub(crate) fn send(waiting: &Bound<'_, PyAny>) -> PyResult<Option<Py<PyAny>>> {
    let py = waiting.py();
    waiting.run_method(intern!(py, "send"), (py.None(),)).map(|found| Some(found.unbind()))
}

/// The error of an awaitable that was already awaited to its end.
pub(crate) fn awaited_before() -> PyErr {
    PyRuntimeError::new_err("cannot reuse already awaited coroutine")
}

/// The error of an awaitable that another task awaits.
pub(crate) fn awaited_elsewhere() -> PyErr {
    PyRuntimeError::new_err("coroutine is being awaited already")
}

/// The exception to throw into a coroutine, from either form of the arguments.
pub(crate) fn thrown(error: &Bound<'_, PyAny>, value: Option<&Bound<'_, PyAny>>) -> PyErr {
    match value {
        Some(value) if !value.is_none() => PyErr::from_value(value.clone()),
        // A class creates its own instance.
        _ if error.is_instance_of::<pyo3::types::PyType>() => match error.run(()) {
            Ok(made) => PyErr::from_value(made),
            Err(failed) => failed,
        },
        _ => PyErr::from_value(error.clone()),
    }
}
