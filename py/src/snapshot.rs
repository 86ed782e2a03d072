//! What the chunks of a stream add up to so far, for the helpers that show it. Knows no event.

use std::sync::{Mutex, MutexGuard, PoisonError};

use modelwire::{ANSWER_BYTES_MAX, Chunk, Endpoint};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::object::{ChatCompletionChunk, Object, ResponseStreamEvent};

/// The chunks of one stream. An answer is gathered from them when it is looked at, and kept until
/// a later one is.
#[pyclass(frozen, module = "modelwire._native")]
pub(crate) struct Snapshots {
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    chunks: Vec<Chunk>,
    /// Of how many chunks the last answer was, and the answer.
    last: Option<(usize, Py<PyAny>)>,
}

impl Snapshots {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Snapshots {
    #[new]
    fn new() -> Snapshots {
        Snapshots { held: Mutex::default() }
    }

    /// Keeps a chunk; returns how many there are.
    fn add(&self, chunk: &Bound<'_, PyAny>) -> PyResult<usize> {
        let chunk = if let Ok(chat) = chunk.cast::<ChatCompletionChunk>() {
            chat.get().chunk.clone()
        } else if let Ok(event) = chunk.cast::<ResponseStreamEvent>() {
            event.get().chunk.clone()
        } else {
            return Err(PyTypeError::new_err("this is no chunk of a stream"));
        };
        let mut held = self.held();
        held.chunks.push(chunk);
        Ok(held.chunks.len())
    }

    /// The completion that the first `count` chunks add up to.
    fn completion(&self, py: Python<'_>, count: usize) -> PyResult<Py<PyAny>> {
        // Nothing of Python runs under the lock.
        let text = {
            let held = self.held();
            if let Some((of, answer)) = &held.last
                && *of == count
            {
                return Ok(answer.clone_ref(py));
            }
            let values = held.chunks.iter().take(count).map(Chunk::value);
            modelwire::parse::gather(Endpoint::Chat, ANSWER_BYTES_MAX, values).0
        };
        let answer = Object::gathered(text, Endpoint::Chat)?.into_typed(py)?;
        let last = self.held().last.replace((count, answer.clone_ref(py)));
        drop(last);
        Ok(answer)
    }
}
