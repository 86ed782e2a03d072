//! One JSON object of a document, whichever Python class it is seen through. Knows no Python value.

use modelwire::Value;
use pyo3::PyClass;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pyclass::boolean_struct::True;

use crate::object::document::{ChatCompletionChunk, Document, ResponseStreamEvent, Text, View};
use crate::object::fields::{
    CHAT_COMPLETION_CHUNK, CHOICE_DELTA, CHUNK_CHOICE, RESPONSE_STREAM_EVENT,
};
use crate::object::shape::{Object, Shape};

/// A JSON object, its shape, and the document that it stands in.
#[derive(Clone, Copy)]
pub(crate) struct Node<'a> {
    pub(crate) value: Value<'a>,
    pub(crate) shape: &'static Shape,
    pub(crate) text: Text<'a>,
}

impl Node<'_> {
    /// What was assigned to a field of it.
    #[inline]
    pub(crate) fn edit(&self, py: Python<'_>, name: &str) -> Option<Py<PyAny>> {
        self.text.edit(py, self.value, name)
    }

    /// Whether it has a field of this name, sent or assigned.
    pub(crate) fn has(&self, py: Python<'_>, name: &str) -> bool {
        self.value.get(name).is_some() || self.edit(py, name).is_some()
    }

    /// The names of the fields that were sent or assigned.
    pub(crate) fn names(&self, py: Python<'_>) -> Vec<String> {
        let sent = self.value.members().into_iter();
        let mut names: Vec<String> = sent.map(|(name, _)| name.into_owned()).collect();
        for (name, _) in self.text.edits.of(py, self.text.place(self.value)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

/// A Python object that is a JSON object of a document.
pub(crate) trait InDocument: PyClass<Frozen = True> + Sync {
    fn node(&self) -> Node<'_>;
    fn document(slf: &Bound<'_, Self>) -> Document;
}

impl InDocument for Object {
    fn node(&self) -> Node<'_> {
        Node { value: self.value(), shape: self.shape, text: self.document.text() }
    }

    fn document(slf: &Bound<'_, Self>) -> Document {
        slf.get().document.clone_ref(slf.py())
    }
}

impl InDocument for ChatCompletionChunk {
    fn node(&self) -> Node<'_> {
        let value = self.chunk.value();
        Node { value, shape: &CHAT_COMPLETION_CHUNK, text: self.document_text() }
    }

    fn document(slf: &Bound<'_, Self>) -> Document {
        Document::Chunk(slf.clone().unbind())
    }
}

impl InDocument for ResponseStreamEvent {
    fn node(&self) -> Node<'_> {
        let value = self.chunk.value();
        Node { value, shape: &RESPONSE_STREAM_EVENT, text: self.document_text() }
    }

    fn document(slf: &Bound<'_, Self>) -> Document {
        Document::Event(slf.clone().unbind())
    }
}

/// One choice of a chunk.
#[pyclass(frozen, extends = View, module = "modelwire.types.chat")]
pub(crate) struct ChunkChoice {
    pub(crate) chunk: Py<ChatCompletionChunk>,
    pub(crate) position: usize,
}

impl ChunkChoice {
    /// What the core's scan found of this choice.
    pub(crate) fn found(&self) -> Option<modelwire::Choice<'_>> {
        self.chunk.get().chunk.choices().nth(self.position)
    }
}

impl InDocument for ChunkChoice {
    fn node(&self) -> Node<'_> {
        let value = self.found().map_or(Value::NULL, |choice| choice.value());
        Node { value, shape: &CHUNK_CHOICE, text: self.chunk.get().document_text() }
    }

    fn document(slf: &Bound<'_, Self>) -> Document {
        Document::Chunk(slf.get().chunk.clone_ref(slf.py()))
    }
}

/// What a chunk adds to a choice.
#[pyclass(frozen, extends = View, module = "modelwire.types.chat")]
pub(crate) struct ChoiceDelta {
    pub(crate) chunk: Py<ChatCompletionChunk>,
    pub(crate) position: usize,
}

impl ChoiceDelta {
    /// What the core's scan found of the choice whose delta this is.
    pub(crate) fn found(&self) -> Option<modelwire::Choice<'_>> {
        self.chunk.get().chunk.choices().nth(self.position)
    }
}

impl InDocument for ChoiceDelta {
    fn node(&self) -> Node<'_> {
        let delta = self.found().and_then(|choice| choice.value().get("delta"));
        let value = delta.unwrap_or(Value::NULL);
        Node { value, shape: &CHOICE_DELTA, text: self.chunk.get().document_text() }
    }

    fn document(slf: &Bound<'_, Self>) -> Document {
        Document::Chunk(slf.get().chunk.clone_ref(slf.py()))
    }
}

/// A view as the object of Rust that it is.
pub(crate) enum ViewKind<'a, 'py> {
    Object(&'a Bound<'py, Object>),
    Chunk(&'a Bound<'py, ChatCompletionChunk>),
    Choice(&'a Bound<'py, ChunkChoice>),
    Delta(&'a Bound<'py, ChoiceDelta>),
    Event(&'a Bound<'py, ResponseStreamEvent>),
}

pub(crate) fn kind_of<'a, 'py>(view: &'a Bound<'py, View>) -> PyResult<ViewKind<'a, 'py>> {
    Ok(if let Ok(delta) = view.cast::<ChoiceDelta>() {
        ViewKind::Delta(delta)
    } else if let Ok(chunk) = view.cast::<ChatCompletionChunk>() {
        ViewKind::Chunk(chunk)
    } else if let Ok(choice) = view.cast::<ChunkChoice>() {
        ViewKind::Choice(choice)
    } else if let Ok(object) = view.cast::<Object>() {
        ViewKind::Object(object)
    } else if let Ok(event) = view.cast::<ResponseStreamEvent>() {
        ViewKind::Event(event)
    } else {
        return Err(PyTypeError::new_err("this is no answer, and no part of one"));
    })
}

/// The JSON object that a view is of.
pub(crate) fn node<'a>(view: &'a Bound<'_, View>) -> PyResult<Node<'a>> {
    Ok(match kind_of(view)? {
        ViewKind::Object(object) => object.get().node(),
        ViewKind::Chunk(chunk) => chunk.get().node(),
        ViewKind::Choice(choice) => choice.get().node(),
        ViewKind::Delta(delta) => delta.get().node(),
        ViewKind::Event(event) => event.get().node(),
    })
}

/// The document that a view is of.
pub(crate) fn document(view: &Bound<'_, View>) -> PyResult<Document> {
    Ok(match kind_of(view)? {
        ViewKind::Object(object) => Object::document(object),
        ViewKind::Chunk(chunk) => ChatCompletionChunk::document(chunk),
        ViewKind::Choice(choice) => ChunkChoice::document(choice),
        ViewKind::Delta(delta) => ChoiceDelta::document(delta),
        ViewKind::Event(event) => ResponseStreamEvent::document(event),
    })
}
