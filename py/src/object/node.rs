//! One JSON object of a document, independent of its Python class.

use modelwire::{Chunk, Value};
use pyo3::PyClass;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pyclass::boolean_struct::True;

use crate::object::document::{ChatCompletionChunk, Document, ResponseStreamEvent, View, new};
use crate::object::fields::{
    CHAT_COMPLETION_CHUNK, CHOICE_DELTA, CHUNK_CHOICE, RESPONSE_STREAM_EVENT,
};
use crate::object::shape::{Object, Shape};

/// A JSON object as received, its shape, and its document.
#[derive(Clone, Copy)]
pub(crate) struct Node<'a> {
    pub(crate) value: Value<'a>,
    pub(crate) shape: &'static Shape,
    /// The text of the document.
    pub(crate) json: &'a str,
}

/// A Python object that is a JSON object of a document.
pub(crate) trait InDocument: PyClass<Frozen = True, BaseType = View> + Sync {
    fn node(&self) -> Node<'_>;
    fn document(&self) -> Document;
}

impl InDocument for Object {
    fn node(&self) -> Node<'_> {
        Node { value: self.value(), shape: self.shape, json: self.document.json() }
    }

    fn document(&self) -> Document {
        self.document.clone()
    }
}

impl InDocument for ChatCompletionChunk {
    fn node(&self) -> Node<'_> {
        let value = self.chunk.value();
        Node { value, shape: &CHAT_COMPLETION_CHUNK, json: self.chunk.json() }
    }

    fn document(&self) -> Document {
        Document::Chunk(self.chunk.clone())
    }
}

impl InDocument for ResponseStreamEvent {
    fn node(&self) -> Node<'_> {
        let value = self.chunk.value();
        Node { value, shape: &RESPONSE_STREAM_EVENT, json: self.chunk.json() }
    }

    fn document(&self) -> Document {
        Document::Chunk(self.chunk.clone())
    }
}

/// One choice of a chunk.
#[pyclass(frozen, extends = View, module = "modelwire.types.chat")]
pub(crate) struct ChunkChoice {
    pub(crate) chunk: Chunk,
    pub(crate) position: usize,
}

impl ChunkChoice {
    /// What the core's scan found of this choice.
    pub(crate) fn found(&self) -> Option<modelwire::Choice<'_>> {
        self.chunk.choice(self.position)
    }
}

impl InDocument for ChunkChoice {
    fn node(&self) -> Node<'_> {
        let value = self.found().map_or(Value::NULL, |choice| choice.value());
        Node { value, shape: &CHUNK_CHOICE, json: self.chunk.json() }
    }

    fn document(&self) -> Document {
        Document::Chunk(self.chunk.clone())
    }
}

/// What a chunk adds to a choice.
#[pyclass(frozen, extends = View, module = "modelwire.types.chat")]
pub(crate) struct ChoiceDelta {
    pub(crate) chunk: Chunk,
    pub(crate) position: usize,
}

impl ChoiceDelta {
    /// What the core's scan found of this delta's choice.
    pub(crate) fn found(&self) -> Option<modelwire::Choice<'_>> {
        self.chunk.choice(self.position)
    }
}

impl InDocument for ChoiceDelta {
    fn node(&self) -> Node<'_> {
        let value = self.found().map_or(Value::NULL, |choice| choice.said());
        Node { value, shape: &CHOICE_DELTA, json: self.chunk.json() }
    }

    fn document(&self) -> Document {
        Document::Chunk(self.chunk.clone())
    }
}

/// A view as its Rust type.
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
        return Err(PyTypeError::new_err("this is not an answer or part of one"));
    })
}

/// The JSON object of a view.
pub(crate) fn node<'a>(view: &'a Bound<'_, View>) -> PyResult<Node<'a>> {
    Ok(match kind_of(view)? {
        ViewKind::Object(object) => object.get().node(),
        ViewKind::Chunk(chunk) => chunk.get().node(),
        ViewKind::Choice(choice) => choice.get().node(),
        ViewKind::Delta(delta) => delta.get().node(),
        ViewKind::Event(event) => event.get().node(),
    })
}

/// The document of a view.
pub(crate) fn document(view: &Bound<'_, View>) -> PyResult<Document> {
    Ok(match kind_of(view)? {
        ViewKind::Object(object) => object.get().document(),
        ViewKind::Chunk(chunk) => chunk.get().document(),
        ViewKind::Choice(choice) => choice.get().document(),
        ViewKind::Delta(delta) => delta.get().document(),
        ViewKind::Event(event) => event.get().document(),
    })
}

/// A new object of the same text without stored fields.
pub(crate) fn anew<'py>(view: &Bound<'py, View>) -> PyResult<Bound<'py, View>> {
    let py = view.py();
    let made = match kind_of(view)? {
        ViewKind::Object(object) => {
            let Object { document, start, end, shape } = object.get();
            let object = Object { document: document.clone(), start: *start, end: *end, shape };
            object.into_python(py)?
        }
        ViewKind::Chunk(chunk) => {
            new(py, ChatCompletionChunk { chunk: chunk.get().chunk.clone() })?.into_any()
        }
        ViewKind::Choice(choice) => {
            let ChunkChoice { chunk, position } = choice.get();
            new(py, ChunkChoice { chunk: chunk.clone(), position: *position })?.into_any()
        }
        ViewKind::Delta(delta) => {
            let ChoiceDelta { chunk, position } = delta.get();
            new(py, ChoiceDelta { chunk: chunk.clone(), position: *position })?.into_any()
        }
        ViewKind::Event(event) => {
            new(py, ResponseStreamEvent { chunk: event.get().chunk.clone() })?.into_any()
        }
    };
    Ok(made.into_bound(py).cast_into::<View>()?)
}
