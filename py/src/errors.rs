//! Converts the core's errors to Python exceptions. The classes are Python's, in `modelwire._errors`.

use modelwire::{CallRecord, Error};
use modelwire_bulk::ErrorKind;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::kept::Kept;
use crate::modules;
use crate::request_info::RequestInfo;
use crate::run::Run;
use crate::warnings::tell_waiting;

/// `modelwire._errors._exception`, which selects the class by the kind of error.
static EXCEPTION: Kept<Py<PyAny>> = Kept::new();

/// The exception for an error without a call, with every field that the core knows.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    converted(py, error, None)
}

/// The exception for an error of the call that sent this request.
pub(crate) fn exception_of_call(py: Python<'_>, error: &Error, request: &RequestInfo) -> PyErr {
    converted(py, error, Some(request))
}

fn converted(py: Python<'_>, error: &Error, request: Option<&RequestInfo>) -> PyErr {
    let built = build(py, error, request);
    tell_waiting(py);
    match built {
        Ok(exception) => PyErr::from_value(exception),
        Err(failed) => failed,
    }
}

/// Looks up the function that creates exceptions while modules can be imported.
pub(crate) fn find_early(py: Python<'_>) -> PyResult<()> {
    class(py).map(|_| ())
}

fn class(py: Python<'_>) -> PyResult<&Py<PyAny>> {
    EXCEPTION.get_or_try_init(|| Ok(modules::own(py, "_errors")?.attribute("_exception")?.unbind()))
}

fn build<'py>(
    py: Python<'py>,
    error: &Error,
    request: Option<&RequestInfo>,
) -> PyResult<Bound<'py, PyAny>> {
    let class = class(py)?;
    let fields = PyDict::new(py);
    fields.set_item("kind", error.kind().name())?;
    fields.set_item("message", error.message())?;
    fields.set_item("hint", error.hint())?;
    fields.set_item("doc_url", error.doc_url())?;
    fields.set_item("type", error.error_type())?;
    fields.set_item("code", error.code())?;
    fields.set_item("param", error.param())?;
    fields.set_item("status_code", error.status())?;
    fields.set_item("request_id", error.request_id())?;
    fields.set_item("retry_after", error.retry_after().map(|wait| wait.as_secs_f64()))?;
    fields.set_item("timeout", error.timeout().map(|phase| phase.name()))?;
    fields.set_item("body_text", error.body())?;
    fields.set_item("partial", error.partial())?;
    fields.set_item("request_time", error.request_time().and_then(unix_seconds))?;
    fields.set_item("path", error.path())?;
    fields.set_item("model", error.model())?;
    fields.set_item("attempts", error.attempts())?;
    fields.set_item("elapsed", error.elapsed().as_secs_f64())?;
    fields.set_item("metered", error.metered().name())?;
    fields.set_item("headers", error.headers())?;
    fields.set_item("report", error.report())?;
    fields.set_item("timing", error.record().map(CallRecord::to_json))?;
    fields.set_item("sent", request.map(|request| request.address(error.record())))?;
    class.bind(py).run((fields,))
}

fn unix_seconds(time: std::time::SystemTime) -> Option<f64> {
    let since = time.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(since.as_secs_f64())
}

/// Converts a core error to an exception.
pub(crate) fn raise<T>(py: Python<'_>, result: modelwire::Result<T>) -> PyResult<T> {
    result.map_err(|error| exception(py, &error))
}

/// The exception for an unusable output, budget or price.
pub(crate) fn unusable(error: modelwire_bulk::Error) -> PyErr {
    match error.kind() {
        ErrorKind::Argument => PyValueError::new_err(error.to_string()),
        ErrorKind::Budget | ErrorKind::File | ErrorKind::Closed | ErrorKind::Internal => {
            PyOSError::new_err(error.to_string())
        }
    }
}
