//! The chunks of a stream as Python sees them: the hot classes, whose fields are read from what
//! the scan found. Knows no stream.

// The macro of the methods names all that it needs.
use super::*;

/// A chunk of the text of an object that was made in this process.
fn made_chunk(text: &str) -> PyResult<Chunk> {
    modelwire::parse::chunk("", text)
        .map_err(|cause| PyValueError::new_err(format!("this is not JSON: {cause}")))
}

/// A chunk around a choice: choices and deltas live in one.
fn made_around(py: Python<'_>, choice: &str) -> PyResult<Py<ChatCompletionChunk>> {
    let chunk = made_chunk(&format!("{{\"choices\":[{choice}]}}"))?;
    Py::new(py, ChatCompletionChunk::new_of(chunk))
}

/// One chunk of a chat completion stream.
#[pyclass(frozen, module = "modelwire.types.chat")]
pub(crate) struct ChatCompletionChunk {
    pub(crate) chunk: Chunk,
    pub(super) edits: Edits,
}

impl ChatCompletionChunk {
    pub(crate) fn new_of(chunk: Chunk) -> ChatCompletionChunk {
        ChatCompletionChunk { chunk, edits: Edits::default() }
    }

    pub(super) fn of(_py: Python<'_>, made: &Object) -> PyResult<ChatCompletionChunk> {
        made_chunk(made.text()).map(ChatCompletionChunk::new_of)
    }

    fn root(slf: &Bound<'_, Self>) -> Root {
        Root::Chunk(slf.clone().unbind())
    }

    fn whole(&self) -> Whole<'_> {
        Whole { text: self.chunk.json(), edits: &self.edits }
    }

    fn value(&self) -> Value<'_> {
        self.chunk.value()
    }

    fn shape(&self) -> &'static Shape {
        &CHUNK
    }
}

object_methods!(ChatCompletionChunk {
    /// An object of these fields, for the tests of programs mostly.
    #[new]
    #[pyo3(signature = (**fields))]
    fn new(py: Python<'_>, fields: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        Self::of(py, &Object::made_up(fields, &CHUNK)?)
    }

    /// The names of the fields that are always there.
    #[classattr]
    fn model_fields(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        shape::field_names(py, &CHUNK)
    }

    /// The choices of this chunk; a usage chunk has none.
    #[getter]
    fn choices<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        if this.edits.are_some()
            && let Some(assigned) = this.whole().assigned(py, this.value(), "choices")
        {
            return Ok(assigned.into_bound(py));
        }
        let count = slf.get().chunk.choices().count();
        let choice = |position| Py::new(py, ChunkChoice { parent: slf.clone().unbind(), position });
        let list = match count {
            // Nearly every chunk; no vector on the way.
            1 => PyList::new(py, [choice(0)?]),
            _ => PyList::new(py, (0..count).map(choice).collect::<PyResult<Vec<_>>>()?),
        };
        list.map(Bound::into_any)
    }

    /// The name of the server-sent event; empty where there was none.
    #[getter]
    fn _event(&self) -> &str {
        self.chunk.event()
    }

    /// The usage, on the chunk that carries it.
    #[getter]
    fn usage(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        let this = slf.get();
        if this.chunk.usage().is_none() && !this.edits.are_some() {
            return Ok(slf.py().None());
        }
        Self::field(slf, "usage")
    }

    /// The field `id`; None where it is absent.
    #[getter]
    fn id(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::field(slf, "id")
    }

    /// The field `created`; None where it is absent.
    #[getter]
    fn created(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::field(slf, "created")
    }

    /// The field `model`; None where it is absent.
    #[getter]
    fn model(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::field(slf, "model")
    }

    /// The field `object`; None where it is absent.
    #[getter]
    fn object(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::field(slf, "object")
    }

    /// The field `service_tier`; None where it is absent.
    #[getter]
    fn service_tier(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::field(slf, "service_tier")
    }

    /// The field `system_fingerprint`; None where it is absent.
    #[getter]
    fn system_fingerprint(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::field(slf, "system_fingerprint")
    }

    /// The field `moderation`; None where it is absent.
    #[getter]
    fn moderation(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::field(slf, "moderation")
    }

    /// The field `obfuscation`; None where it is absent.
    #[getter]
    fn obfuscation(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::field(slf, "obfuscation")
    }
});

/// One choice of a chunk.
#[pyclass(frozen, module = "modelwire.types.chat")]
pub(crate) struct ChunkChoice {
    parent: Py<ChatCompletionChunk>,
    position: usize,
}

/// A choice that a chunk was found to have is there.
fn choice(parent: &Py<ChatCompletionChunk>, position: usize) -> Option<modelwire::Choice<'_>> {
    parent.get().chunk.choices().nth(position)
}

impl ChunkChoice {
    /// What was assigned to a field; where nothing was, nothing is looked for.
    fn assigned(&self, py: Python<'_>, name: &str) -> Option<Py<PyAny>> {
        if !self.parent.get().edits.are_some() {
            return None;
        }
        self.whole().assigned(py, self.value(), name)
    }

    pub(super) fn of(py: Python<'_>, made: &Object) -> PyResult<ChunkChoice> {
        Ok(ChunkChoice { parent: made_around(py, made.text())?, position: 0 })
    }

    fn root(slf: &Bound<'_, Self>) -> Root {
        Root::Chunk(slf.get().parent.clone_ref(slf.py()))
    }

    fn whole(&self) -> Whole<'_> {
        self.parent.get().whole()
    }

    fn value(&self) -> Value<'_> {
        choice(&self.parent, self.position).map_or(NULL, |choice| choice.value())
    }

    fn shape(&self) -> &'static Shape {
        &CHUNK_CHOICE
    }
}

object_methods!(ChunkChoice {
    /// An object of these fields, for the tests of programs mostly.
    #[new]
    #[pyo3(signature = (**fields))]
    fn new(py: Python<'_>, fields: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        Self::of(py, &Object::made_up(fields, &CHUNK_CHOICE)?)
    }

    /// The names of the fields that are always there.
    #[classattr]
    fn model_fields(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        shape::field_names(py, &CHUNK_CHOICE)
    }

    /// What this chunk adds.
    #[getter]
    fn delta(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match self.assigned(py, "delta") {
            Some(assigned) => Ok(assigned),
            None => ChunkDelta { parent: self.parent.clone_ref(py), position: self.position }
                .into_py_any(py),
        }
    }

    /// Which choice this is.
    #[getter]
    fn index(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match self.assigned(py, "index") {
            Some(assigned) => Ok(assigned),
            None => choice(&self.parent, self.position)
                .map(|choice| choice.index())
                .into_py_any(py),
        }
    }

    /// Why the model stopped; None while it has not.
    #[getter]
    fn finish_reason(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match self.assigned(py, "finish_reason") {
            Some(assigned) => Ok(assigned),
            None => choice(&self.parent, self.position)
                .and_then(|choice| choice.finish_reason())
                .into_py_any(py),
        }
    }

    /// The field `logprobs`; None where it is absent.
    #[getter]
    fn logprobs(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::field(slf, "logprobs")
    }
});

/// What a chunk adds to a choice.
#[pyclass(frozen, name = "ChoiceDelta", module = "modelwire.types.chat")]
pub(crate) struct ChunkDelta {
    parent: Py<ChatCompletionChunk>,
    position: usize,
}

impl ChunkDelta {
    /// What was assigned to a field; where nothing was, nothing is looked for.
    fn assigned(&self, py: Python<'_>, name: &str) -> Option<Py<PyAny>> {
        if !self.parent.get().edits.are_some() {
            return None;
        }
        self.whole().assigned(py, self.value(), name)
    }

    pub(super) fn of(py: Python<'_>, made: &Object) -> PyResult<ChunkDelta> {
        let parent = made_around(py, &format!("{{\"delta\":{}}}", made.text()))?;
        Ok(ChunkDelta { parent, position: 0 })
    }

    fn root(slf: &Bound<'_, Self>) -> Root {
        Root::Chunk(slf.get().parent.clone_ref(slf.py()))
    }

    fn whole(&self) -> Whole<'_> {
        self.parent.get().whole()
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
    /// An object of these fields, for the tests of programs mostly.
    #[new]
    #[pyo3(signature = (**fields))]
    fn new(py: Python<'_>, fields: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        Self::of(py, &Object::made_up(fields, &DELTA)?)
    }

    /// The names of the fields that are always there.
    #[classattr]
    fn model_fields(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        shape::field_names(py, &DELTA)
    }

    /// The piece of text; None where there is none.
    #[getter]
    fn content(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match self.assigned(py, "content") {
            Some(assigned) => Ok(assigned),
            None => choice(&self.parent, self.position)
                .and_then(|choice| choice.content())
                .into_py_any(py),
        }
    }

    /// The role, on the first chunk mostly.
    #[getter]
    fn role(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match self.assigned(py, "role") {
            Some(assigned) => Ok(assigned),
            None => choice(&self.parent, self.position)
                .and_then(|choice| choice.role())
                .into_py_any(py),
        }
    }

    /// The field `function_call`; None where it is absent.
    #[getter]
    fn function_call(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::field(slf, "function_call")
    }

    /// The field `audio`; None where it is absent.
    #[getter]
    fn audio(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::field(slf, "audio")
    }

    /// The field `refusal`; None where it is absent.
    #[getter]
    fn refusal(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::field(slf, "refusal")
    }

    /// The field `tool_calls`; None where it is absent.
    #[getter]
    fn tool_calls(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::field(slf, "tool_calls")
    }
});

/// One event of a response stream. The classes of single types of events are special cases of it.
#[pyclass(frozen, subclass, module = "modelwire.types.responses")]
pub(crate) struct ResponseStreamEvent {
    pub(crate) chunk: Chunk,
    pub(super) edits: Edits,
}

impl ResponseStreamEvent {
    pub(crate) fn new_of(chunk: Chunk) -> ResponseStreamEvent {
        ResponseStreamEvent { chunk, edits: Edits::default() }
    }

    pub(super) fn of(_py: Python<'_>, made: &Object) -> PyResult<ResponseStreamEvent> {
        made_chunk(made.text()).map(ResponseStreamEvent::new_of)
    }

    fn root(slf: &Bound<'_, Self>) -> Root {
        Root::Event(slf.clone().unbind())
    }

    fn whole(&self) -> Whole<'_> {
        Whole { text: self.chunk.json(), edits: &self.edits }
    }

    fn value(&self) -> Value<'_> {
        self.chunk.value()
    }

    fn shape(&self) -> &'static Shape {
        &RESPONSE_EVENT
    }
}

object_methods!(ResponseStreamEvent {
    /// An object of these fields, for the tests of programs mostly.
    #[new]
    #[pyo3(signature = (**fields))]
    fn new(py: Python<'_>, fields: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        Self::of(py, &Object::made_up(fields, &RESPONSE_EVENT)?)
    }

    /// The names of the fields that are always there.
    #[classattr]
    fn model_fields(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        shape::field_names(py, &RESPONSE_EVENT)
    }

    /// What kind of event this is, "response.output_text.delta" for instance.
    #[getter]
    fn r#type(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        if slf.get().edits.are_some() {
            return Self::field(slf, "type");
        }
        slf.get().chunk.kind().into_py_any(slf.py())
    }

    /// The name of the server-sent event; empty where there was none.
    #[getter]
    fn _event(&self) -> &str {
        self.chunk.event()
    }

    /// The field `sequence_number`; None where it is absent.
    #[getter]
    fn sequence_number(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::field(slf, "sequence_number")
    }

    /// The field `response`; None where it is absent.
    #[getter]
    fn response(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::field(slf, "response")
    }

    /// The field `item`; None where it is absent.
    #[getter]
    fn item(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::field(slf, "item")
    }

    /// The field `part`; None where it is absent.
    #[getter]
    fn part(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::field(slf, "part")
    }

    /// The field `delta`; None where it is absent.
    #[getter]
    fn delta(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::field(slf, "delta")
    }

    /// The field `text`; None where it is absent.
    #[getter]
    fn text(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::field(slf, "text")
    }

    /// The field `arguments`; None where it is absent.
    #[getter]
    fn arguments(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::field(slf, "arguments")
    }

    /// The field `refusal`; None where it is absent.
    #[getter]
    fn refusal(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::field(slf, "refusal")
    }

    /// The field `name`; None where it is absent.
    #[getter]
    fn name(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::field(slf, "name")
    }

    /// The field `annotation`; None where it is absent.
    #[getter]
    fn annotation(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::field(slf, "annotation")
    }

    /// The field `logprobs`; None where it is absent.
    #[getter]
    fn logprobs(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::field(slf, "logprobs")
    }

    /// The field `output_index`; None where it is absent.
    #[getter]
    fn output_index(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::field(slf, "output_index")
    }

    /// The field `content_index`; None where it is absent.
    #[getter]
    fn content_index(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::field(slf, "content_index")
    }

    /// The field `summary_index`; None where it is absent.
    #[getter]
    fn summary_index(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::field(slf, "summary_index")
    }

    /// The field `item_id`; None where it is absent.
    #[getter]
    fn item_id(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::field(slf, "item_id")
    }

    /// The field `code`; None where it is absent.
    #[getter]
    fn code(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::field(slf, "code")
    }

    /// The field `message`; None where it is absent.
    #[getter]
    fn message(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::field(slf, "message")
    }

    /// The field `param`; None where it is absent.
    #[getter]
    fn param(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Self::field(slf, "param")
    }
});
