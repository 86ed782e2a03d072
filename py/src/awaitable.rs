//! What the asynchronous methods of a stream return: coroutines in all but name, finished at once
//! where nothing has to be waited for. Knows no event loop: waiting is `modelwire._hub`'s.

use pyo3::exceptions::{PyRuntimeError, PyStopAsyncIteration, PyStopIteration};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::{PyTraverseError, PyVisit, intern};

use crate::source::{Portion, Taken};
use crate::stream::AsyncStream;

/// `modelwire._hub.receive`: the coroutine that waits for a portion.
pub(crate) fn receive<'py>(py: Python<'py>) -> PyResult<&'py Bound<'py, PyAny>> {
    static RECEIVE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let found = RECEIVE.get_or_try_init(py, || {
        PyResult::Ok(py.import("modelwire._hub")?.getattr("receive")?.unbind())
    })?;
    Ok(found.bind(py))
}

/// An awaitable that has its value already.
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

    /// Goes on, as a coroutine.
    fn send(&mut self, _value: &Bound<'_, PyAny>) -> PyResult<Option<Py<PyAny>>> {
        self.__next__()
    }

    /// Raises this inside, as a coroutine; what was not taken stays where it is.
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

    /// Ends it, as a coroutine; what was not taken stays where it is.
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

/// One `__anext__` of a stream. It takes its item when it is awaited and not before, so that one
/// that is cancelled or dropped has taken nothing.
#[pyclass(module = "modelwire._native")]
pub(crate) struct Next {
    stream: Py<AsyncStream>,
    portion: Portion,
    state: State,
}

enum State {
    New,
    /// The event loop has its turn.
    Yielding,
    /// The coroutine that waits.
    Waiting(Py<PyAny>),
    Over,
}

impl Next {
    pub(crate) fn new(stream: Py<AsyncStream>, portion: Portion) -> Next {
        Next { stream, portion, state: State::New }
    }

    /// Takes what is there, or begins to wait for it.
    fn attempt(&mut self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let source = self.stream.get().source();
        self.state = State::Over;
        match source.take(py, self.portion, || source.try_pop())? {
            Taken::Item(item) => Err(PyStopIteration::new_err((item,))),
            Taken::End => Err(PyStopAsyncIteration::new_err(())),
            Taken::Nothing => {
                let waiting = receive(py)?.call1((&self.stream, self.portion.number()))?;
                self.state = State::Waiting(waiting.clone().unbind());
                send(&waiting)
            }
        }
    }
}

fn send(waiting: &Bound<'_, PyAny>) -> PyResult<Option<Py<PyAny>>> {
    let py = waiting.py();
    waiting.call_method1(intern!(py, "send"), (py.None(),)).map(|found| Some(found.unbind()))
}

#[pymethods]
impl Next {
    fn __await__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        match &self.state {
            State::New if self.stream.get().owes_turn() => {
                self.state = State::Yielding;
                Ok(Some(py.None())) // what asyncio takes for "go on in the next turn"
            }
            State::New => self.attempt(py),
            State::Yielding => {
                self.stream.get().had_turn();
                self.attempt(py)
            }
            State::Waiting(waiting) => send(&waiting.clone_ref(py).into_bound(py)),
            State::Over => Err(awaited_before()),
        }
    }

    /// Goes on, as a coroutine.
    fn send(&mut self, py: Python<'_>, _value: &Bound<'_, PyAny>) -> PyResult<Option<Py<PyAny>>> {
        self.__next__(py)
    }

    /// Raises this inside, as a coroutine; what was not taken stays where it is.
    #[pyo3(signature = (error, value=None, traceback=None))]
    fn throw(
        &mut self,
        py: Python<'_>,
        error: &Bound<'_, PyAny>,
        value: Option<&Bound<'_, PyAny>>,
        traceback: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        if let State::Waiting(waiting) = &self.state {
            let waiting = waiting.clone_ref(py);
            let name = intern!(py, "throw");
            return match (value, traceback) {
                (None, None) => waiting.call_method1(py, name, (error,)),
                _ => waiting.call_method1(py, name, (error, value, traceback)),
            };
        }
        self.state = State::Over;
        Err(thrown(error, value))
    }

    /// Ends it, as a coroutine; what was not taken stays where it is.
    fn close(&mut self, py: Python<'_>) -> PyResult<()> {
        if let State::Waiting(waiting) = std::mem::replace(&mut self.state, State::Over) {
            waiting.call_method0(py, intern!(py, "close"))?;
        }
        Ok(())
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.stream)?;
        if let State::Waiting(waiting) = &self.state {
            visit.call(waiting)?;
        }
        Ok(())
    }

    fn __clear__(&mut self) {
        self.state = State::Over;
    }
}

fn awaited_before() -> PyErr {
    PyRuntimeError::new_err("cannot reuse already awaited coroutine")
}

/// The exception that is thrown into a coroutine, in either of the two forms.
fn thrown(error: &Bound<'_, PyAny>, value: Option<&Bound<'_, PyAny>>) -> PyErr {
    match value {
        Some(value) if !value.is_none() => PyErr::from_value(value.clone()),
        // A class makes its own instance.
        _ if error.is_instance_of::<pyo3::types::PyType>() => match error.call0() {
            Ok(made) => PyErr::from_value(made),
            Err(failed) => failed,
        },
        _ => PyErr::from_value(error.clone()),
    }
}
