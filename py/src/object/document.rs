//! The JSON texts that objects are parts of, each with what a program assigned to the objects in
//! it. Knows no field.

use std::sync::Arc;

use modelwire::{Chunk, Response, Value};
use pyo3::prelude::*;

use crate::edits::Edits;
use crate::request_info::RequestInfo;

/// What every object over an answer's JSON has. Fields are attributes, unknown ones too.
#[pyclass(frozen, subclass, name = "_View", module = "modelwire._native")]
pub(crate) struct View;

/// A text, kept alive by the objects that are parts of it.
pub(crate) enum Document {
    Chunk(Py<ChatCompletionChunk>),
    Event(Py<ResponseStreamEvent>),
    Response(Arc<Received>),
    /// Made in this process: by a pickle, a copy or a test.
    Made(Arc<Made>),
}

/// A response of the service.
pub(crate) struct Received {
    pub(crate) response: Response,
    pub(crate) request: Arc<RequestInfo>,
    pub(crate) edits: Edits,
}

/// A text that is no response of the service.
pub(crate) struct Made {
    pub(crate) json: String,
    pub(crate) request_id: Option<String>,
    pub(crate) edits: Edits,
}

// What the classes of chunks and events are made of; their fields stand in `classes`.

/// One chunk of a chat completion stream.
#[pyclass(frozen, extends = View, module = "modelwire.types.chat")]
pub(crate) struct ChatCompletionChunk {
    pub(crate) chunk: Chunk,
    pub(crate) edits: Edits,
}

/// One event of a response stream. The classes of single types of events are special cases of it.
#[pyclass(frozen, subclass, extends = View, module = "modelwire.types.responses")]
pub(crate) struct ResponseStreamEvent {
    pub(crate) chunk: Chunk,
    pub(crate) edits: Edits,
}

impl ChatCompletionChunk {
    pub(crate) fn of(chunk: Chunk) -> ChatCompletionChunk {
        ChatCompletionChunk { chunk, edits: Edits::default() }
    }

    pub(crate) fn into_python(self, py: Python<'_>) -> PyResult<Py<ChatCompletionChunk>> {
        Py::new(py, PyClassInitializer::from(View).add_subclass(self))
    }

    pub(crate) fn document_text(&self) -> Text<'_> {
        Text { json: self.chunk.json(), edits: &self.edits }
    }
}

impl ResponseStreamEvent {
    pub(crate) fn of(chunk: Chunk) -> ResponseStreamEvent {
        ResponseStreamEvent { chunk, edits: Edits::default() }
    }

    pub(crate) fn into_python(self, py: Python<'_>) -> PyResult<Py<ResponseStreamEvent>> {
        Py::new(py, PyClassInitializer::from(View).add_subclass(self))
    }

    pub(crate) fn document_text(&self) -> Text<'_> {
        Text { json: self.chunk.json(), edits: &self.edits }
    }
}

impl Document {
    pub(crate) fn clone_ref(&self, py: Python<'_>) -> Document {
        match self {
            Document::Chunk(chunk) => Document::Chunk(chunk.clone_ref(py)),
            Document::Event(event) => Document::Event(event.clone_ref(py)),
            Document::Response(received) => Document::Response(received.clone()),
            Document::Made(made) => Document::Made(made.clone()),
        }
    }

    pub(crate) fn text(&self) -> Text<'_> {
        match self {
            Document::Chunk(chunk) => chunk.get().document_text(),
            Document::Event(event) => event.get().document_text(),
            Document::Response(received) => {
                Text { json: received.response.json(), edits: &received.edits }
            }
            Document::Made(made) => Text { json: &made.json, edits: &made.edits },
        }
    }

    /// The service's name for the exchange.
    pub(crate) fn request_id(&self) -> Option<&str> {
        match self {
            Document::Chunk(_) | Document::Event(_) => None,
            Document::Response(received) => received.response.head().request_id(),
            Document::Made(made) => made.request_id.as_deref(),
        }
    }
}

/// The text of a document, and what was assigned to the objects in it.
#[derive(Clone, Copy)]
pub(crate) struct Text<'a> {
    pub(crate) json: &'a str,
    pub(crate) edits: &'a Edits,
}

impl Text<'_> {
    /// Where an object begins; one that the service did not send has a place of its own.
    pub(crate) fn place(self, object: Value<'_>) -> usize {
        let from = (object.text().as_ptr() as usize).checked_sub(self.json.as_ptr() as usize);
        from.filter(|place| *place < self.json.len()).unwrap_or(usize::MAX)
    }

    /// What was assigned to a field of an object; where nothing was, nothing is looked for.
    #[inline]
    pub(crate) fn edit(self, py: Python<'_>, object: Value<'_>, name: &str) -> Option<Py<PyAny>> {
        if !self.edits.are_some() {
            return None;
        }
        self.edits.get(py, self.place(object), name)
    }
}
