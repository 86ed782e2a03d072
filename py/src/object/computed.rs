//! The fields that are more than what stands under their name: those of chunks and events, which the
//! core's scan found already, and the texts that are put together. Each function is named in
//! `py/fields.txt`. Knows no other field.

use modelwire::Value;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::object::document::{ChatCompletionChunk, ResponseStreamEvent};
use crate::object::dump::json;
use crate::object::node::{ChoiceDelta, ChunkChoice, InDocument};
use crate::object::read::field;
use crate::object::shape::Object;
use crate::object::streamed;
use crate::slots::Found;

/// The choices of a chunk; a usage chunk has none.
pub(crate) fn choices(slf: &Bound<'_, ChatCompletionChunk>) -> PyResult<Py<PyAny>> {
    streamed::choices(slf)
}

/// What a chunk adds to a choice.
pub(crate) fn delta(slf: &Bound<'_, ChunkChoice>) -> PyResult<Py<PyAny>> {
    streamed::delta(slf)
}

/// What a program made of a field; where it did nothing to the object, as nearly always, what the
/// core's scan found.
fn kept_or<'a, 'py, T: InDocument, F: IntoPyObject<'py>>(
    slf: &'a Bound<'py, T>,
    name: &str,
    found: impl FnOnce(&'a T) -> F,
) -> PyResult<Py<PyAny>> {
    let py = slf.py();
    match slf.as_super().get().slots.find(py, name) {
        Some(Found::Value(assigned)) => Ok(assigned),
        Some(Found::Deleted) => Ok(py.None()),
        None => found(slf.get()).into_py_any(py),
    }
}

/// The usage, on the chunk that carries it.
pub(crate) fn chunk_usage(slf: &Bound<'_, ChatCompletionChunk>) -> PyResult<Py<PyAny>> {
    if slf.get().chunk.usage().is_none() && !slf.as_super().get().slots.are_some() {
        return Ok(slf.py().None());
    }
    field(slf, "usage")
}

/// The name of the server-sent event of a chunk; empty where there was none.
pub(crate) fn chunk_event_name(slf: &Bound<'_, ChatCompletionChunk>) -> PyResult<Py<PyAny>> {
    slf.get().chunk.event().into_py_any(slf.py())
}

/// Which choice this is.
pub(crate) fn index(slf: &Bound<'_, ChunkChoice>) -> PyResult<Py<PyAny>> {
    kept_or(slf, "index", |this| this.found().map(|choice| choice.index()))
}

/// Why the model stopped; None while it has not.
pub(crate) fn finish_reason(slf: &Bound<'_, ChunkChoice>) -> PyResult<Py<PyAny>> {
    kept_or(slf, "finish_reason", |this| this.found().and_then(|choice| choice.finish_reason()))
}

/// The piece of text; None where there is none.
pub(crate) fn content(slf: &Bound<'_, ChoiceDelta>) -> PyResult<Py<PyAny>> {
    kept_or(slf, "content", |this| this.found().and_then(|choice| choice.content()))
}

/// The role, on the first chunk mostly.
pub(crate) fn role(slf: &Bound<'_, ChoiceDelta>) -> PyResult<Py<PyAny>> {
    kept_or(slf, "role", |this| this.found().and_then(|choice| choice.role()))
}

/// What kind of event this is, "response.output_text.delta" for instance.
pub(crate) fn event_type(slf: &Bound<'_, ResponseStreamEvent>) -> PyResult<Py<PyAny>> {
    kept_or(slf, "type", |this| this.chunk.kind())
}

/// The name of the server-sent event; empty where there was none.
pub(crate) fn event_name(slf: &Bound<'_, ResponseStreamEvent>) -> PyResult<Py<PyAny>> {
    slf.get().chunk.event().into_py_any(slf.py())
}

/// All output text of a response; empty where there is none.
pub(crate) fn output_text(slf: &Bound<'_, Object>) -> PyResult<Py<PyAny>> {
    let text = modelwire::output_text(Value::validated(&json(slf.as_super())?));
    PyString::new(slf.py(), &text).into_py_any(slf.py())
}
