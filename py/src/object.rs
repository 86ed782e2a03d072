//! Frozen Python objects over the raw bytes of chunks and answers: attributes are read on demand,
//! unknown fields through the same access. Knows no call.

use std::borrow::Cow;

use modelwire::{Answer, Chunk, Kind, Value};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};

use crate::shape::{
    CHAT_COMPLETION, CHUNK, CHUNK_CHOICE, DELTA, MODEL, MODEL_LIST, OBJECT, RESPONSE,
    RESPONSE_EVENT, Shape,
};

/// What keeps the text of an object alive.
#[derive(Clone)]
enum Root {
    Chunk(Chunk),
    Answer(Answer),
}

impl Root {
    fn text(&self) -> &str {
        match self {
            Root::Chunk(chunk) => chunk.json(),
            Root::Answer(answer) => answer.json(),
        }
    }
}

/// An object inside an answer, or the whole of it.
#[pyclass(frozen, module = "modelwire")]
pub(crate) struct Object {
    root: Root,
    start: usize,
    end: usize,
    shape: &'static Shape,
}

impl Object {
    /// The object that an answer is as a whole.
    pub(crate) fn of_answer(answer: Answer) -> Object {
        let shape = match answer.endpoint() {
            modelwire::Endpoint::Models => &MODEL_LIST,
            modelwire::Endpoint::Chat => &CHAT_COMPLETION,
            modelwire::Endpoint::Responses => &RESPONSE,
        };
        let end = answer.json().len();
        Object { root: Root::Answer(answer), start: 0, end, shape }
    }

    /// This object as Python sees it.
    pub(crate) fn into_typed(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.into_py_any(py)
    }

    fn text(&self) -> &str {
        self.root.text().get(self.start..self.end).unwrap_or("null")
    }

    fn value(&self) -> Value<'_> {
        Value::validated(self.text())
    }
}

const NULL: Value<'static> = Value::NULL;

/// What an attribute of an object is; a known field that is absent is `None`.
fn attribute(
    py: Python<'_>,
    root: &Root,
    whole: Value<'_>,
    shape: &'static Shape,
    name: &str,
) -> PyResult<Py<PyAny>> {
    let field = shape.field(name);
    match whole.get(name) {
        Some(value) => to_python(py, root, value, field.flatten().unwrap_or(&OBJECT)),
        None if field.is_some() => Ok(py.None()),
        None => Err(PyAttributeError::new_err(format!("{} has no field {name:?}", shape.name))),
    }
}

/// A value as Python sees it: objects stay views, everything else becomes Python's own.
fn to_python(
    py: Python<'_>,
    root: &Root,
    value: Value<'_>,
    shape: &'static Shape,
) -> PyResult<Py<PyAny>> {
    match value.kind() {
        Kind::Object => {
            let start = value.text().as_ptr() as usize - root.text().as_ptr() as usize;
            let end = start + value.text().len();
            Object { root: root.clone(), start, end, shape }.into_py_any(py)
        }
        Kind::Array => {
            let items = value.items().into_iter().map(|item| to_python(py, root, item, shape));
            PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_py_any(py)
        }
        Kind::Null | Kind::Bool | Kind::Number | Kind::String => scalar(py, value),
    }
}

/// A value with everything below it as Python's own dicts and lists.
fn to_plain(py: Python<'_>, value: Value<'_>) -> PyResult<Py<PyAny>> {
    match value.kind() {
        Kind::Object => {
            let dict = PyDict::new(py);
            for (name, member) in value.members() {
                dict.set_item(&*name, to_plain(py, member)?)?;
            }
            dict.into_py_any(py)
        }
        Kind::Array => {
            let items = value.items().into_iter().map(|item| to_plain(py, item));
            PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_py_any(py)
        }
        Kind::Null | Kind::Bool | Kind::Number | Kind::String => scalar(py, value),
    }
}

fn scalar(py: Python<'_>, value: Value<'_>) -> PyResult<Py<PyAny>> {
    match value.kind() {
        Kind::Bool => PyBool::new(py, value.as_bool() == Some(true)).into_py_any(py),
        Kind::String => PyString::new(py, &value.as_str().unwrap_or_default()).into_py_any(py),
        Kind::Number => number(py, value),
        Kind::Null | Kind::Array | Kind::Object => Ok(py.None()),
    }
}

/// An integer of any size stays one; a fraction or an exponent makes a float, as in `json`.
fn number(py: Python<'_>, value: Value<'_>) -> PyResult<Py<PyAny>> {
    if let Some(small) = value.as_i64() {
        return small.into_py_any(py);
    }
    if value.text().contains(['.', 'e', 'E']) {
        return PyFloat::new(py, value.as_f64().unwrap_or(f64::NAN)).into_py_any(py);
    }
    py.get_type::<PyInt>().call1((value.text(),))?.into_py_any(py)
}

/// The JSON text of one of our objects, to be put back into a request as it came.
pub(crate) fn raw_json<'py>(value: &Bound<'py, PyAny>) -> Option<Cow<'py, str>> {
    let text = |text: &str| Some(Cow::Owned(text.to_owned()));
    if let Ok(object) = value.cast::<Object>() {
        return text(object.get().text());
    }
    if let Ok(chunk) = value.cast::<ChatCompletionChunk>() {
        return text(chunk.get().chunk.json());
    }
    if let Ok(event) = value.cast::<ResponseStreamEvent>() {
        return text(event.get().chunk.json());
    }
    if let Ok(choice) = value.cast::<ChunkChoice>() {
        return text(choice.get().value().text());
    }
    value.cast::<ChunkDelta>().ok().and_then(|delta| text(delta.get().value().text()))
}

/// `json.loads(text)`-like equality: same text, or same plain value.
fn same(py: Python<'_>, mine: Value<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Some(theirs) = raw_json(other) else { return Ok(false) };
    if mine.text() == theirs {
        return Ok(true);
    }
    let theirs = Value::parse(&theirs).unwrap_or(NULL);
    to_plain(py, mine)?.bind(py).eq(to_plain(py, theirs)?)
}

/// `json.dumps` of a plain value, for an indented or re-encoded text.
fn dumps(py: Python<'_>, plain: Py<PyAny>, indent: Option<usize>) -> PyResult<String> {
    static DUMPS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let dumps = DUMPS
        .get_or_try_init(py, || PyResult::Ok(py.import("json")?.getattr("dumps")?.unbind()))?;
    let options = PyDict::new(py);
    options.set_item("ensure_ascii", false)?;
    options.set_item("indent", indent)?;
    dumps.bind(py).call((plain,), Some(&options))?.extract()
}

/// Longest text that a repr shows of a whole object, in characters.
const REPR_CHARS_MAX: usize = 400;

fn repr(shape: &Shape, value: Value<'_>) -> String {
    let text = value.text();
    match text.char_indices().nth(REPR_CHARS_MAX) {
        Some((end, _)) => format!("{}({}...)", shape.name, text.get(..end).unwrap_or_default()),
        None => format!("{}({text})", shape.name),
    }
}

/// The methods that every object has, and nothing else than these.
macro_rules! object_methods {
    ($class:ident { $($hot:tt)* }) => {
        #[pymethods]
        impl $class {
            $($hot)*

            fn __getattr__(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
                attribute(py, &self.root(), self.value(), self.shape(), name)
            }

            /// All fields as dicts and lists, unknown ones included.
            fn to_dict(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
                to_plain(py, self.value())
            }

            /// The same as `to_dict`.
            fn model_dump(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
                to_plain(py, self.value())
            }

            /// The JSON text: as the service sent it, or indented.
            #[pyo3(signature = (*, indent=None))]
            fn to_json(&self, py: Python<'_>, indent: Option<usize>) -> PyResult<String> {
                match indent {
                    None => Ok(self.value().text().to_owned()),
                    Some(_) => dumps(py, to_plain(py, self.value())?, indent),
                }
            }

            fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
                slf // it never changes
            }

            fn __deepcopy__<'py>(
                slf: Bound<'py, Self>,
                _memo: &Bound<'py, PyAny>,
            ) -> Bound<'py, Self> {
                slf
            }

            fn __repr__(&self) -> String {
                repr(self.shape(), self.value())
            }

            fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
                same(py, self.value(), other)
            }
        }
    };
}

impl Object {
    fn root(&self) -> Root {
        self.root.clone()
    }

    fn shape(&self) -> &'static Shape {
        self.shape
    }
}

object_methods!(Object {
    /// All output text of a response.
    #[getter]
    fn output_text(&self) -> PyResult<String> {
        if std::ptr::eq(self.shape, &RESPONSE) {
            return Ok(modelwire::output_text(self.value()));
        }
        let message = format!("{} has no field \"output_text\"", self.shape.name);
        Err(PyAttributeError::new_err(message))
    }

    /// The entries of a model list, whichever of its two forms came.
    fn _items(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        let Root::Answer(answer) = &self.root else { return Ok(Vec::new()) };
        let models = answer.document().and_then(|document| document.models()).unwrap_or_default();
        models.into_iter().map(|model| to_python(py, &self.root, model, &MODEL)).collect()
    }

    /// The service's name for the exchange, on whole answers.
    #[getter]
    fn _request_id(&self) -> Option<String> {
        match &self.root {
            Root::Answer(answer) => answer.head().request_id().map(str::to_owned),
            Root::Chunk(_) => None,
        }
    }
});

/// One chunk of a chat completion stream.
#[pyclass(frozen, module = "modelwire")]
pub(crate) struct ChatCompletionChunk {
    pub(crate) chunk: Chunk,
}

impl ChatCompletionChunk {
    fn root(&self) -> Root {
        Root::Chunk(self.chunk.clone())
    }

    fn value(&self) -> Value<'_> {
        self.chunk.value()
    }

    fn shape(&self) -> &'static Shape {
        &CHUNK
    }
}

object_methods!(ChatCompletionChunk {
    /// The choices of this chunk; a usage chunk has none.
    #[getter]
    fn choices<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyList>> {
        let py = slf.py();
        let count = slf.get().chunk.choices().count();
        let choice = |position| Py::new(py, ChunkChoice { parent: slf.clone().unbind(), position });
        match count {
            // Nearly every chunk; no vector on the way.
            1 => PyList::new(py, [choice(0)?]),
            _ => PyList::new(py, (0..count).map(choice).collect::<PyResult<Vec<_>>>()?),
        }
    }

    /// The usage, on the chunk that carries it.
    #[getter]
    fn usage(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        if self.chunk.usage().is_none() {
            return Ok(py.None());
        }
        attribute(py, &self.root(), self.value(), &CHUNK, "usage")
    }
});

/// One choice of a chunk.
#[pyclass(frozen, module = "modelwire")]
pub(crate) struct ChunkChoice {
    parent: Py<ChatCompletionChunk>,
    position: usize,
}

/// A choice that a chunk was found to have is there.
fn choice(parent: &Py<ChatCompletionChunk>, position: usize) -> Option<modelwire::Choice<'_>> {
    parent.get().chunk.choices().nth(position)
}

impl ChunkChoice {
    fn root(&self) -> Root {
        self.parent.get().root()
    }

    fn value(&self) -> Value<'_> {
        choice(&self.parent, self.position).map_or(NULL, |choice| choice.value())
    }

    fn shape(&self) -> &'static Shape {
        &CHUNK_CHOICE
    }
}

object_methods!(ChunkChoice {
    /// What this chunk adds.
    #[getter]
    fn delta(&self, py: Python<'_>) -> ChunkDelta {
        ChunkDelta { parent: self.parent.clone_ref(py), position: self.position }
    }

    /// Which choice this is.
    #[getter]
    fn index(&self) -> Option<u32> {
        choice(&self.parent, self.position).map(|choice| choice.index())
    }

    /// Why the model stopped; None while it has not.
    #[getter]
    fn finish_reason(&self) -> Option<Cow<'_, str>> {
        choice(&self.parent, self.position)?.finish_reason()
    }
});

/// What a chunk adds to a choice.
#[pyclass(frozen, module = "modelwire")]
pub(crate) struct ChunkDelta {
    parent: Py<ChatCompletionChunk>,
    position: usize,
}

impl ChunkDelta {
    fn root(&self) -> Root {
        self.parent.get().root()
    }

    fn value(&self) -> Value<'_> {
        let delta =
            choice(&self.parent, self.position).and_then(|choice| choice.value().get("delta"));
        delta.unwrap_or(NULL)
    }

    fn shape(&self) -> &'static Shape {
        &DELTA
    }
}

object_methods!(ChunkDelta {
    /// The piece of text; None where there is none.
    #[getter]
    fn content(&self) -> Option<Cow<'_, str>> {
        choice(&self.parent, self.position)?.content()
    }

    /// The role, on the first chunk mostly.
    #[getter]
    fn role(&self) -> Option<Cow<'_, str>> {
        choice(&self.parent, self.position)?.role()
    }
});

/// One event of a response stream.
#[pyclass(frozen, module = "modelwire")]
pub(crate) struct ResponseStreamEvent {
    pub(crate) chunk: Chunk,
}

impl ResponseStreamEvent {
    fn root(&self) -> Root {
        Root::Chunk(self.chunk.clone())
    }

    fn value(&self) -> Value<'_> {
        self.chunk.value()
    }

    fn shape(&self) -> &'static Shape {
        &RESPONSE_EVENT
    }
}

object_methods!(ResponseStreamEvent {
    /// What kind of event this is, "response.output_text.delta" for instance.
    #[getter]
    fn r#type(&self) -> Option<Cow<'_, str>> {
        self.chunk.kind()
    }
});

/// Usage as the answers of a client report it, for the sums of the client.
pub(crate) fn usage_dict(py: Python<'_>, usage: modelwire::Usage) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("input_tokens", usage.input_tokens)?;
    dict.set_item("output_tokens", usage.output_tokens)?;
    dict.set_item("total_tokens", usage.total_tokens)?;
    Ok(dict)
}
