//! The fields that are more than what stands under their name: those of chunks and events, which the
//! core's scan found already, and the texts that are put together. Each function is named in
//! `py/fields.txt`. Knows no other field.

use modelwire::Value;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use crate::object::document::{ChatCompletionChunk, ResponseStreamEvent, View};
use crate::object::dump::json;
use crate::object::node::{ChoiceDelta, ChunkChoice, InDocument};
use crate::object::read::field;
use crate::object::shape::Object;

/// What was assigned to a field of a part of this chunk; where nothing was assigned in the
/// whole chunk, as nearly always, nothing is looked for.
#[inline]
fn edit<T: InDocument>(
    slf: &Bound<'_, T>,
    chunk: &ChatCompletionChunk,
    name: &str,
) -> Option<Py<PyAny>> {
    if !chunk.edits.are_some() {
        return None;
    }
    slf.get().node().edit(slf.py(), name)
}

/// The choices of a chunk; a usage chunk has none.
pub(crate) fn choices(slf: &Bound<'_, ChatCompletionChunk>) -> PyResult<Py<PyAny>> {
    let (py, this) = (slf.py(), slf.get());
    if let Some(assigned) = edit(slf, this, "choices") {
        return Ok(assigned);
    }
    let choice = |position| {
        let choice = ChunkChoice { chunk: slf.clone().unbind(), position };
        Py::new(py, PyClassInitializer::from(View).add_subclass(choice))
    };
    let list = match this.chunk.choices().count() {
        // Nearly every chunk; no vector on the way.
        1 => PyList::new(py, [choice(0)?]),
        count => PyList::new(py, (0..count).map(choice).collect::<PyResult<Vec<_>>>()?),
    };
    list.map(|list| list.into_any().unbind())
}

/// The usage, on the chunk that carries it.
pub(crate) fn chunk_usage(slf: &Bound<'_, ChatCompletionChunk>) -> PyResult<Py<PyAny>> {
    let this = slf.get();
    if this.chunk.usage().is_none() && !this.edits.are_some() {
        return Ok(slf.py().None());
    }
    field(slf, "usage")
}

/// The name of the server-sent event of a chunk; empty where there was none.
pub(crate) fn chunk_event_name(slf: &Bound<'_, ChatCompletionChunk>) -> PyResult<Py<PyAny>> {
    slf.get().chunk.event().into_py_any(slf.py())
}

/// What a chunk adds to a choice.
pub(crate) fn delta(slf: &Bound<'_, ChunkChoice>) -> PyResult<Py<PyAny>> {
    let (py, this) = (slf.py(), slf.get());
    if let Some(assigned) = edit(slf, this.chunk.get(), "delta") {
        return Ok(assigned);
    }
    let delta = ChoiceDelta { chunk: this.chunk.clone_ref(py), position: this.position };
    Py::new(py, PyClassInitializer::from(View).add_subclass(delta)).map(Py::into_any)
}

/// Which choice this is.
pub(crate) fn index(slf: &Bound<'_, ChunkChoice>) -> PyResult<Py<PyAny>> {
    match edit(slf, slf.get().chunk.get(), "index") {
        Some(assigned) => Ok(assigned),
        None => slf.get().found().map(|choice| choice.index()).into_py_any(slf.py()),
    }
}

/// Why the model stopped; None while it has not.
pub(crate) fn finish_reason(slf: &Bound<'_, ChunkChoice>) -> PyResult<Py<PyAny>> {
    match edit(slf, slf.get().chunk.get(), "finish_reason") {
        Some(assigned) => Ok(assigned),
        None => slf.get().found().and_then(|choice| choice.finish_reason()).into_py_any(slf.py()),
    }
}

/// The piece of text; None where there is none.
pub(crate) fn content(slf: &Bound<'_, ChoiceDelta>) -> PyResult<Py<PyAny>> {
    match edit(slf, slf.get().chunk.get(), "content") {
        Some(assigned) => Ok(assigned),
        None => slf.get().found().and_then(|choice| choice.content()).into_py_any(slf.py()),
    }
}

/// The role, on the first chunk mostly.
pub(crate) fn role(slf: &Bound<'_, ChoiceDelta>) -> PyResult<Py<PyAny>> {
    match edit(slf, slf.get().chunk.get(), "role") {
        Some(assigned) => Ok(assigned),
        None => slf.get().found().and_then(|choice| choice.role()).into_py_any(slf.py()),
    }
}

/// What kind of event this is, "response.output_text.delta" for instance.
pub(crate) fn event_type(slf: &Bound<'_, ResponseStreamEvent>) -> PyResult<Py<PyAny>> {
    if slf.get().edits.are_some() {
        return field(slf, "type");
    }
    slf.get().chunk.kind().into_py_any(slf.py())
}

/// The name of the server-sent event; empty where there was none.
pub(crate) fn event_name(slf: &Bound<'_, ResponseStreamEvent>) -> PyResult<Py<PyAny>> {
    slf.get().chunk.event().into_py_any(slf.py())
}

/// All output text of a response; empty where there is none.
pub(crate) fn output_text(slf: &Bound<'_, Object>) -> PyResult<Py<PyAny>> {
    let py = slf.py();
    let text = modelwire::output_text(Value::validated(&json(py, slf.get().node())?));
    PyString::new(py, &text).into_py_any(py)
}
