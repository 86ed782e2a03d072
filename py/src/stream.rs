//! A stream as Python iterates it: synchronous, on the call's queue. Knows no HTTP.

use std::sync::{Arc, Mutex, PoisonError};

use modelwire::{Answer, Call, Endpoint, Event, Head, Pop};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::errors::exception;
use crate::object::{ChatCompletionChunk, ResponseStreamEvent, usage_dict};
use crate::wait;

/// The chunks of an answer as they arrive. An iterator and a context manager; leaving it, closing
/// it or dropping it closes the exchange. One pass.
#[pyclass(frozen, module = "modelwire")]
pub(crate) struct Stream {
    call: Call,
    endpoint: Endpoint,
    head: Arc<Head>,
    answer: Mutex<Option<Answer>>,
}

impl Stream {
    pub(crate) fn new(call: Call, endpoint: Endpoint, head: Arc<Head>) -> Stream {
        Stream { call, endpoint, head, answer: Mutex::new(None) }
    }

    fn answer(&self) -> Option<Answer> {
        self.answer.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[pymethods]
impl Stream {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        match wait::pop(py, &self.call)? {
            Pop::Event(Event::Chunk(chunk)) => match self.endpoint {
                Endpoint::Responses => ResponseStreamEvent { chunk }.into_py_any(py).map(Some),
                Endpoint::Chat | Endpoint::Models => {
                    ChatCompletionChunk { chunk }.into_py_any(py).map(Some)
                }
            },
            Pop::Event(Event::Done(Ok(answer))) => {
                *self.answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
                Ok(None)
            }
            Pop::Event(Event::Done(Err(error)))
                if error.kind() == modelwire::ErrorKind::Cancelled =>
            {
                Ok(None) // closed by this program: iteration just ends
            }
            Pop::Event(Event::Done(Err(error))) => Err(exception(py, &error)),
            Pop::Event(Event::Open(_)) | Pop::Empty | Pop::End => Ok(None),
        }
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyAny>) {
        self.call.cancel();
    }

    /// Ends the stream now and closes its exchange. Harmless to repeat; any thread.
    fn close(&self) {
        self.call.cancel();
    }

    /// The HTTP status of the answer.
    #[getter]
    fn status_code(&self) -> u16 {
        self.head.status()
    }

    /// The service's name for the exchange.
    #[getter]
    fn request_id(&self) -> Option<&str> {
        self.head.request_id()
    }

    /// The headers of the answer, as (name, value) pairs in their order.
    #[getter]
    fn headers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.head.headers())
    }

    /// Tokens that the service reported in the stream; None before its end or if it did not.
    #[getter]
    fn usage<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let usage = self.answer().and_then(|answer| answer.usage());
        usage.map(|usage| usage_dict(py, usage)).transpose()
    }

    /// How the stream was known to be complete: "done_mark", "final_event" or "finish_reasons";
    /// None before its end and after an error.
    #[getter]
    fn end(&self) -> Option<&'static str> {
        self.answer().map(|answer| answer.end().name())
    }
}
