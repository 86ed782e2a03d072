//! Computed fields: those of chunks and events, which the core's scan has already found, and joined texts.
//! `py/fields.txt` names each function.

use std::borrow::Cow;

use modelwire::Value;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::kept::intern;
use crate::object::document::{ChatCompletionChunk, ResponseStreamEvent};
use crate::object::dump::{is_as_sent, json};
use crate::object::make::chunk;
use crate::object::node::{ChoiceDelta, ChunkChoice, InDocument};
use crate::object::read::field;
use crate::object::shape::Object;
use crate::object::streamed;
use crate::run::Run;
use crate::slots::Found;

/// The choices of a chunk; a usage chunk has none.
pub(crate) fn choices(slf: &Bound<'_, ChatCompletionChunk>) -> PyResult<Py<PyAny>> {
    streamed::choices(slf)
}

/// The fields that a chunk adds to a choice.
pub(crate) fn delta(slf: &Bound<'_, ChunkChoice>) -> PyResult<Py<PyAny>> {
    streamed::delta(slf)
}

/// The value that a program assigned to a field; otherwise, as nearly always, what the core's scan found.
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

/// The usage, in the chunk that reports it.
pub(crate) fn chunk_usage(slf: &Bound<'_, ChatCompletionChunk>) -> PyResult<Py<PyAny>> {
    if slf.get().chunk.usage().is_none() && !slf.as_super().get().slots.are_some() {
        return Ok(slf.py().None());
    }
    field(slf, "usage")
}

/// The name of the server-sent event of a chunk; empty if it had none.
pub(crate) fn chunk_event_name(slf: &Bound<'_, ChatCompletionChunk>) -> PyResult<Py<PyAny>> {
    slf.get().chunk.event().into_py_any(slf.py())
}

/// The index of this choice.
pub(crate) fn index(slf: &Bound<'_, ChunkChoice>) -> PyResult<Py<PyAny>> {
    kept_or(slf, "index", |this| this.found().map(|choice| choice.index()))
}

/// Why the model stopped; None until it has.
pub(crate) fn finish_reason(slf: &Bound<'_, ChunkChoice>) -> PyResult<Py<PyAny>> {
    kept_or(slf, "finish_reason", |this| this.found().and_then(|choice| choice.finish_reason()))
}

/// The text that the chunk adds; None if it adds none.
pub(crate) fn content(slf: &Bound<'_, ChoiceDelta>) -> PyResult<Py<PyAny>> {
    kept_or(slf, "content", |this| this.found().and_then(|choice| choice.content()))
}

/// Whether a message stands where a delta should.
pub(crate) fn is_message(slf: &Bound<'_, ChoiceDelta>) -> PyResult<Py<PyAny>> {
    let found = slf.get().found();
    let is_message = found.is_some_and(|choice| choice.is_message());
    is_message.into_py_any(slf.py())
}

/// The role, usually in the first chunk only.
pub(crate) fn role(slf: &Bound<'_, ChoiceDelta>) -> PyResult<Py<PyAny>> {
    kept_or(slf, "role", |this| this.found().and_then(|choice| choice.role()))
}

/// The type of the event, "response.output_text.delta" for instance.
pub(crate) fn event_type(slf: &Bound<'_, ResponseStreamEvent>) -> PyResult<Py<PyAny>> {
    kept_or(slf, "type", |this| this.chunk.kind())
}

/// The name of the server-sent event; empty if it had none.
pub(crate) fn event_name(slf: &Bound<'_, ResponseStreamEvent>) -> PyResult<Py<PyAny>> {
    slf.get().chunk.event().into_py_any(slf.py())
}

/// What a program assigned to a field, or what was received, if that is neither an object nor a list.
enum Now<'a> {
    Kept(Py<PyAny>),
    Sent(Option<Value<'a>>),
}

fn now<'a, 'py, T: InDocument>(slf: &'a Bound<'py, T>, name: &str) -> Now<'a> {
    match slf.as_super().get().slots.assigned(slf.py(), name) {
        Some(Found::Value(assigned)) => Now::Kept(assigned),
        Some(Found::Deleted) => Now::Kept(slf.py().None()),
        None => Now::Sent(slf.get().node().value.get(name)),
    }
}

/// A text; if a JSON value was sent instead of its text, that JSON.
fn text_of<T: InDocument>(slf: &Bound<'_, T>, name: &str) -> PyResult<Py<PyAny>> {
    match now(slf, name) {
        Now::Kept(assigned) => Ok(assigned),
        Now::Sent(sent) => sent.and_then(Value::as_text).into_py_any(slf.py()),
    }
}

/// The arguments as JSON text; None if absent.
pub(crate) fn arguments(slf: &Bound<'_, Object>) -> PyResult<Py<PyAny>> {
    text_of(slf, "arguments")
}

/// The arguments as JSON text; None if absent.
pub(crate) fn event_arguments(slf: &Bound<'_, ResponseStreamEvent>) -> PyResult<Py<PyAny>> {
    text_of(slf, "arguments")
}

/// The fragment of the arguments, as JSON text, that the event adds; None if it adds none.
pub(crate) fn event_delta(slf: &Bound<'_, ResponseStreamEvent>) -> PyResult<Py<PyAny>> {
    match slf.get().chunk.kind().is_some_and(|kind| kind.ends_with("arguments.delta")) {
        true => text_of(slf, "delta"),
        false => field(slf, "delta"),
    }
}

/// The index of the tool call that a fragment belongs to; None if absent.
pub(crate) fn call_index(slf: &Bound<'_, Object>) -> PyResult<Py<PyAny>> {
    match now(slf, "index") {
        Now::Kept(assigned) => Ok(assigned),
        Now::Sent(sent) => match sent.and_then(Value::as_index) {
            Some(index) => index.into_py_any(slf.py()),
            None => field(slf, "index"),
        },
    }
}

/// The rate limits that the headers of the answer report; None if they report none, or if the answer
/// was not received by this process.
pub(crate) fn rate_limits(slf: &Bound<'_, Object>) -> PyResult<Py<PyAny>> {
    let py = slf.py();
    match slf.as_super().get().slots.find(py, "rate_limits") {
        Some(Found::Value(assigned)) => Ok(assigned),
        Some(Found::Deleted) => Ok(py.None()),
        None => slf.attribute(intern!(py, "_rate_limits")).map(Bound::unbind),
    }
}

/// The record of the call that received this answer: its attempts, waits, times and outcome.
pub(crate) fn timing(slf: &Bound<'_, Object>) -> PyResult<Py<PyAny>> {
    let py = slf.py();
    match slf.as_super().get().slots.find(py, "timing") {
        Some(Found::Value(assigned)) => Ok(assigned),
        Some(Found::Deleted) => Ok(py.None()),
        None => slf.attribute(intern!(py, "_timing")).map(Bound::unbind),
    }
}

/// All output text of a response; empty if there is none.
pub(crate) fn output_text(slf: &Bound<'_, Object>) -> PyResult<Py<PyAny>> {
    let text = modelwire::output_text(Value::validated(&json(slf.as_super())?));
    PyString::new(slf.py(), &text).into_py_any(slf.py())
}

/// The reasoning that a program assigned; otherwise what the core found in the received text, or, if a
/// program changed something, what it finds in the current JSON.
fn thought<'a, 'py, T: InDocument>(
    slf: &'a Bound<'py, T>,
    as_sent: impl FnOnce(&'a T) -> Option<Cow<'a, str>>,
    as_it_is: impl FnOnce(&str) -> PyResult<String>,
) -> PyResult<Py<PyAny>> {
    let (py, view) = (slf.py(), slf.as_super());
    let slots = &view.get().slots;
    match slots.find(py, "reasoning_text") {
        Some(Found::Value(assigned)) => return Ok(assigned),
        Some(Found::Deleted) => return "".into_py_any(py),
        None => {}
    }
    // Nearly every delta stores nothing.
    let keeps_nothing = !slots.are_some() && slots.main().is_none();
    let found = match keeps_nothing || is_as_sent(view)? {
        true => as_sent(slf.get()),
        false => None,
    };
    match found {
        Some(found) => PyString::new(py, &found).into_py_any(py),
        None => PyString::new(py, &as_it_is(&json(view)?)?).into_py_any(py),
    }
}

/// The reasoning in a chat chunk or a chat completion.
fn reasoning_of(text: &str) -> PyResult<String> {
    Ok(chunk(text)?.reasoning().into_owned())
}

/// The reasoning in a response.
fn reasoning_of_response(text: &str) -> String {
    modelwire::output_reasoning(Value::validated(text))
}

/// The reasoning before this message: `reasoning_content`, `reasoning` or the texts of
/// `reasoning_details`, whichever the service sends; empty if there is none.
pub(crate) fn message_reasoning(slf: &Bound<'_, Object>) -> PyResult<Py<PyAny>> {
    let around = |text: &str| reasoning_of(&format!("{{\"choices\":[{{\"message\":{text}}}]}}"));
    thought(slf, |_| None, around)
}

/// The reasoning of the first choice; empty if there is none.
pub(crate) fn chat_reasoning(slf: &Bound<'_, Object>) -> PyResult<Py<PyAny>> {
    thought(slf, |_| None, reasoning_of)
}

/// The reasoning that this chunk adds: `reasoning_content`, `reasoning` or the texts of
/// `reasoning_details`, whichever the service sends; empty if there is none.
pub(crate) fn delta_reasoning(slf: &Bound<'_, ChoiceDelta>) -> PyResult<Py<PyAny>> {
    let around = |text: &str| reasoning_of(&format!("{{\"choices\":[{{\"delta\":{text}}}]}}"));
    thought(slf, |this| Some(this.found()?.reasoning().unwrap_or_default()), around)
}

/// The reasoning that this chunk adds to its first choice; empty if there is none.
pub(crate) fn chunk_reasoning(slf: &Bound<'_, ChatCompletionChunk>) -> PyResult<Py<PyAny>> {
    thought(slf, |this| Some(this.chunk.reasoning()), reasoning_of)
}

/// The reasoning, or the summary of it, that this event adds; empty if it adds none.
pub(crate) fn event_reasoning(slf: &Bound<'_, ResponseStreamEvent>) -> PyResult<Py<PyAny>> {
    thought(slf, |this| Some(this.chunk.reasoning()), reasoning_of)
}

/// The reasoning of this item: its texts or, if the service does not send them, its summary; empty if
/// there is none.
pub(crate) fn item_reasoning(slf: &Bound<'_, Object>) -> PyResult<Py<PyAny>> {
    let around = |text: &str| Ok(reasoning_of_response(&format!("{{\"output\":[{text}]}}")));
    thought(slf, |_| None, around)
}

/// The reasoning of the response: the texts of all reasoning items or, if the service does not send
/// them, their summaries; empty if there is none.
pub(crate) fn response_reasoning(slf: &Bound<'_, Object>) -> PyResult<Py<PyAny>> {
    thought(slf, |_| None, |text| Ok(reasoning_of_response(text)))
}
