//! The base class of both kinds of stream, and their properties.

use std::sync::Arc;

use modelwire::{Head, Response};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyType};

use crate::facts;
use crate::kept::intern;
use crate::object::make;
use crate::openai_classes;
use crate::run::Run;
use crate::source::{Portion, Source};
use crate::turns::Turns;

/// The properties of both kinds of stream.
#[pyclass(frozen, subclass, weakref, name = "_StreamBase", module = "modelwire._native")]
pub(crate) struct StreamBase {
    pub(crate) source: Source,
    pub(crate) head: Arc<Head>,
    /// When to yield to the event loop, if one awaits the chunks.
    pub(crate) turns: Turns,
}

impl StreamBase {
    pub(crate) fn new(source: Source, head: Arc<Head>) -> StreamBase {
        StreamBase { source, head, turns: Turns::default() }
    }
}

/// The portion of `batches(max)`.
pub(crate) fn batch(most: usize) -> PyResult<Portion> {
    if most == 0 {
        return Err(PyValueError::new_err("a batch has at least one chunk: max is 0"));
    }
    Ok(Portion::Batch(most))
}

#[pymethods]
impl StreamBase {
    /// A stream of a certain kind of chunk, in annotations.
    #[classmethod]
    fn __class_getitem__<'py>(
        class: &Bound<'py, PyType>,
        _kind: &Bound<'py, PyAny>,
    ) -> Bound<'py, PyType> {
        class.clone()
    }

    /// The reported class of this stream.
    #[getter(__class__)]
    fn class_of<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        openai_classes::class_of(slf.as_any())
    }

    /// The HTTP status of the answer.
    #[getter]
    fn status_code(&self) -> u16 {
        self.head.status()
    }

    /// The service's identifier of the request.
    #[getter]
    fn request_id(&self) -> Option<&str> {
        self.head.request_id()
    }

    /// The headers of the answer, as (name, value) pairs in their order.
    #[getter]
    fn headers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.head.headers())
    }

    /// Status and headers of the answer as an object.
    #[getter]
    fn response<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (this, py) = (slf.get(), slf.py());
        let record = this.source.record();
        let response = facts::response(py, &this.head, this.source.request(), record.as_ref())?;
        response.run_method(intern!(py, "_of"), (slf,))?;
        Ok(response)
    }

    /// Whether the stream has ended with any outcome, or was closed.
    #[getter]
    fn _is_over(&self) -> bool {
        self.source.is_over()
    }

    /// The number of attempts, and their total time in seconds; None before the end.
    #[getter]
    fn _took(&self) -> Option<(u32, f64)> {
        let response = self.source.response()?;
        Some((response.attempts(), response.elapsed().as_secs_f64()))
    }

    /// The limits that the service told of in the head; None where it told of none.
    #[getter]
    fn rate_limits<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        facts::rate_limits(py, self.head.rate_limits())
    }

    /// Tokens that the service reported in the stream; None before its end or if it did not.
    #[getter]
    fn usage<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        facts::usage(py, self.source.response().and_then(|response| response.usage()))
    }

    /// How the stream was known to be complete: "done_mark", "final_event" or "finish_reasons";
    /// None before its end and after an error.
    #[getter]
    fn end(&self) -> Option<&'static str> {
        self.source.response().map(|response| response.end().name())
    }

    /// What the call told: when each of its steps was, and what came of it; None before its end.
    #[getter]
    fn timing<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        facts::timing(py, self.source.record().as_ref())
    }

    /// The whole answer, gathered from the chunks; None before the end of the stream, after an
    /// error, and unless the call was made with gather=True.
    #[getter]
    fn answer(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let request = self.source.request();
        let is_to_see =
            |response: &Response| response.document().is_some() && !request.hides_answer;
        let gathered = self.source.response().filter(is_to_see);
        gathered
            .map(|response| make::of_response(response, request.clone()).into_python(py))
            .transpose()
    }
}
