//! Creates objects that are whole documents: from responses, and for tests, copies and pickles.

use std::sync::Arc;

use modelwire::{Chunk, Endpoint, Response, Value};
use pyo3::PyClass;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use crate::object::document::{
    ChatCompletionChunk, Document, Made, Received, ResponseStreamEvent, View,
};
use crate::object::dump::encoded;
use crate::object::fields;
use crate::object::node::{ChoiceDelta, ChunkChoice};
use crate::object::shape::{OBJECT, Object, Shape};
use crate::request_info::RequestInfo;

/// The object of a whole response.
pub(crate) fn of_response(response: Response, request: Arc<RequestInfo>) -> Object {
    let shape = shape_of_endpoint(response.endpoint());
    let end = response.json().len();
    let received = Received { response, request };
    Object { document: Document::Response(Arc::new(received)), start: 0, end, shape }
}

/// The object of a gathered stream.
pub(crate) fn gathered(json: String, endpoint: Endpoint) -> Object {
    of_known_json(json, None, shape_of_endpoint(endpoint))
}

fn shape_of_endpoint(endpoint: Endpoint) -> &'static Shape {
    match endpoint {
        Endpoint::Models => &fields::MODEL_LIST,
        Endpoint::Chat => &fields::CHAT_COMPLETION,
        Endpoint::Responses => &fields::RESPONSE,
    }
}

/// An object from a text that the service did not send.
pub(crate) fn of_json(
    json: String,
    request_id: Option<String>,
    shape: &'static Shape,
) -> PyResult<Object> {
    Value::parse(&json).map_err(no_json)?;
    Ok(of_known_json(json, request_id, shape))
}

fn of_known_json(json: String, request_id: Option<String>, shape: &'static Shape) -> Object {
    let end = json.len();
    let made = Made { json, request_id };
    Object { document: Document::Made(Arc::new(made)), start: 0, end, shape }
}

fn no_json(cause: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(format!("this is not JSON: {cause}"))
}

/// An object from a program's fields.
pub(crate) fn of_fields(
    fields: Option<&Bound<'_, PyDict>>,
    shape: &'static Shape,
) -> PyResult<Object> {
    let json = fields.map_or_else(|| Ok(String::from("{}")), |fields| encoded(fields))?;
    of_json(json, None, shape)
}

/// The shape of a class: its own, or that of its base class.
pub(crate) fn shape_of_class(class: &Bound<'_, PyType>) -> PyResult<&'static Shape> {
    for class in class.mro() {
        let name = class.cast::<PyType>()?.name()?;
        if let Some(shape) = fields::by_name(&name.to_cow()?) {
            return Ok(shape);
        }
    }
    Ok(&OBJECT)
}

/// Restores an object from a pickle.
#[pyfunction(name = "_restore")]
pub(crate) fn restore(
    py: Python<'_>,
    name: &str,
    text: String,
    request_id: Option<String>,
) -> PyResult<Py<PyAny>> {
    of_json(text, request_id, fields::by_name(name).unwrap_or(&OBJECT))?.into_whole(py)
}

/// Classes whose fields come from the core's scan, created from a whole document.
pub(crate) trait OfWhole: PyClass<BaseType = View> {
    fn of_whole(made: &Object) -> PyResult<Self>;
}

pub(crate) fn whole<T: OfWhole>(made: &Object) -> PyResult<PyClassInitializer<T>> {
    Ok(PyClassInitializer::from(View::default()).add_subclass(T::of_whole(made)?))
}

impl OfWhole for ChatCompletionChunk {
    fn of_whole(made: &Object) -> PyResult<ChatCompletionChunk> {
        Ok(ChatCompletionChunk { chunk: chunk(made.json())? })
    }
}

impl OfWhole for ResponseStreamEvent {
    fn of_whole(made: &Object) -> PyResult<ResponseStreamEvent> {
        Ok(ResponseStreamEvent { chunk: chunk(made.json())? })
    }
}

impl OfWhole for ChunkChoice {
    fn of_whole(made: &Object) -> PyResult<ChunkChoice> {
        Ok(ChunkChoice { chunk: chunk_around(made.json())?, position: 0 })
    }
}

impl OfWhole for ChoiceDelta {
    fn of_whole(made: &Object) -> PyResult<ChoiceDelta> {
        let chunk = chunk_around(&format!("{{\"delta\":{}}}", made.json()))?;
        Ok(ChoiceDelta { chunk, position: 0 })
    }
}

/// Parses a text as a chunk; works for answers too, as far as the two have the same form.
pub(crate) fn chunk(json: &str) -> PyResult<Chunk> {
    modelwire::parse::chunk("", json).map_err(no_json)
}

/// A chunk that contains this choice.
fn chunk_around(choice: &str) -> PyResult<Chunk> {
    chunk(&format!("{{\"choices\":[{choice}]}}"))
}
