//! The state of a stream after its chunks so far, for the helpers that show it.

use std::sync::{Mutex, MutexGuard};

use modelwire::limits::RESPONSE_BYTES_MAX;
use modelwire::parse::Gatherer;
use modelwire::{Chunk, Endpoint};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::lock::lock;
use crate::object::document::{ChatCompletionChunk, ResponseStreamEvent, new};
use crate::object::make;

/// The chunks of one stream. An answer is gathered from them on demand, each chunk once, and cached until a
/// later one is.
#[pyclass(frozen, module = "modelwire._native")]
pub(crate) struct Snapshots {
    held: Mutex<Held>,
}

struct Held {
    chunks: Vec<Chunk>,
    gatherer: Gatherer,
    /// The number of chunks in the gatherer.
    gathered: usize,
    /// The last answer, and its number of chunks.
    last: Option<(usize, Py<PyAny>)>,
}

impl Held {
    /// The JSON of the first `count` chunks.
    fn json(&mut self, count: usize) -> String {
        if count < self.gathered {
            // Read after a later one: rare, so gathered again.
            let values = self.chunks.iter().take(count).map(Chunk::value);
            return modelwire::parse::gather(Endpoint::Chat, RESPONSE_BYTES_MAX, values).0;
        }
        for chunk in self.chunks.iter().take(count).skip(self.gathered) {
            // What does not fit is left out, as at the end of the stream.
            let _ = self.gatherer.add(chunk.value());
        }
        self.gathered = count;
        self.gatherer.json()
    }
}

impl Snapshots {
    fn held(&self) -> MutexGuard<'_, Held> {
        lock(&self.held)
    }
}

#[pymethods]
impl Snapshots {
    /// With these chunks.
    #[new]
    #[pyo3(signature = (chunks=None))]
    fn new(chunks: Option<&Bound<'_, PyList>>) -> PyResult<Snapshots> {
        let gatherer = Gatherer::new(Endpoint::Chat, RESPONSE_BYTES_MAX);
        let held = Held { chunks: Vec::new(), gatherer, gathered: 0, last: None };
        let made = Snapshots { held: Mutex::new(held) };
        for chunk in chunks.into_iter().flatten() {
            made.add(&chunk)?;
        }
        Ok(made)
    }

    /// As events that show them are pickled.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let chunks = slf.get().held().chunks.clone();
        let chunks = chunks.into_iter().map(|chunk| new(py, ChatCompletionChunk { chunk }));
        let chunks = PyList::new(py, chunks.collect::<PyResult<Vec<_>>>()?)?;
        (slf.get_type(), (chunks,)).into_pyobject(py)
    }

    /// Adds a chunk; returns the number of chunks.
    fn add(&self, chunk: &Bound<'_, PyAny>) -> PyResult<usize> {
        let chunk = if let Ok(chat) = chunk.cast::<ChatCompletionChunk>() {
            chat.get().chunk.clone()
        } else if let Ok(event) = chunk.cast::<ResponseStreamEvent>() {
            event.get().chunk.clone()
        } else {
            return Err(PyTypeError::new_err("this is not a stream chunk"));
        };
        let mut held = self.held();
        held.chunks.push(chunk);
        Ok(held.chunks.len())
    }

    /// The completion of the first `count` chunks.
    fn completion(&self, py: Python<'_>, count: usize) -> PyResult<Py<PyAny>> {
        // No Python code runs under the lock.
        let text = {
            let mut held = self.held();
            if let Some((of, answer)) = &held.last
                && *of == count
            {
                return Ok(answer.clone_ref(py));
            }
            held.json(count)
        };
        let answer = make::gathered(text, Endpoint::Chat).into_python(py)?;
        let last = self.held().last.replace((count, answer.clone_ref(py)));
        drop(last);
        Ok(answer)
    }
}
