//! A stream that Python iterates with `async for`: chunk by chunk, in batches or as text. It works in any
//! event loop, and yields to the loop even if chunks are always ready.

use std::sync::Arc;

use modelwire::Head;
use pyo3::prelude::*;

use crate::awaitable::Done;
use crate::iteration::left;
use crate::next::Next;
use crate::source::{Portion, Source};
use crate::stream_base::{StreamBase, batch};

/// The chunks of an answer as they arrive. An asynchronous iterator and context manager; leaving
/// it, closing it or dropping it ends its call. One pass. Any event loop may await it.
#[pyclass(frozen, subclass, extends = StreamBase, module = "modelwire")]
pub(crate) struct AsyncStream;

/// Creates the stream of a call whose head has arrived.
pub(crate) fn async_stream(
    py: Python<'_>,
    source: Source,
    head: Arc<Head>,
) -> PyResult<Py<AsyncStream>> {
    let base = StreamBase::new(source, head);
    Py::new(py, PyClassInitializer::from(base).add_subclass(AsyncStream))
}

#[pymethods]
impl AsyncStream {
    /// An iterator of its own, as openai-python has it: programs that replace this method iterate
    /// what it returned.
    fn __aiter__(slf: Bound<'_, Self>) -> AsyncPortions {
        AsyncPortions { portion: Portion::Chunk, stream: slf.into_super().unbind() }
    }

    fn __anext__(slf: Bound<'_, Self>) -> Next {
        Next::of_stream(slf.into_super().unbind(), Portion::Chunk)
    }

    fn __aenter__(slf: Bound<'_, Self>) -> Done {
        Done::new(slf.into_any().unbind())
    }

    #[pyo3(signature = (*_exception))]
    fn __aexit__(slf: &Bound<'_, Self>, _exception: &Bound<'_, PyAny>) -> Done {
        AsyncStream::close(slf)
    }

    /// Ends the stream and its call now. Harmless to repeat; any thread. Need not be
    /// awaited.
    fn close(slf: &Bound<'_, Self>) -> Done {
        slf.as_super().get().source.cancel();
        Done::new(slf.py().None())
    }

    /// The same as `close`.
    fn aclose(slf: &Bound<'_, Self>) -> Done {
        AsyncStream::close(slf)
    }

    /// The same chunks as lists: each time all that is there, at least one, at most `max`.
    #[pyo3(signature = (max=256))]
    fn batches(slf: Bound<'_, Self>, max: usize) -> PyResult<AsyncPortions> {
        Ok(AsyncPortions { portion: batch(max)?, stream: slf.into_super().unbind() })
    }

    /// The pieces of the output text alone, as str.
    fn text_deltas(slf: Bound<'_, Self>) -> AsyncPortions {
        AsyncPortions { portion: Portion::Text, stream: slf.into_super().unbind() }
    }
}

/// The chunks of a stream in another form: an asynchronous iterator.
#[pyclass(frozen, module = "modelwire._native")]
pub(crate) struct AsyncPortions {
    stream: Py<StreamBase>,
    portion: Portion,
}

#[pymethods]
impl AsyncPortions {
    fn __aiter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __anext__(&self, py: Python<'_>) -> Next {
        Next::of_stream(self.stream.clone_ref(py), self.portion)
    }
}

impl Drop for AsyncPortions {
    fn drop(&mut self) {
        Python::try_attach(|py| left(py, &self.stream.get().source));
    }
}
