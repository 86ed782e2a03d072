//! A stream that Python iterates with `for`: chunk by chunk, in batches or as text.

use std::sync::Arc;

use modelwire::{Call, Head};
use pyo3::prelude::*;

use crate::iteration::left;
use crate::request_info::RequestInfo;
use crate::source::{Portion, Source, Taken};
use crate::stream_base::{StreamBase, batch};

/// The chunks of an answer as they arrive. An iterator and a context manager; leaving it, closing
/// it or dropping it ends its call. One pass.
#[pyclass(frozen, subclass, extends = StreamBase, module = "modelwire")]
pub(crate) struct Stream;

/// Creates the stream of a call whose head has arrived.
pub(crate) fn stream(
    call: Call,
    request: Arc<RequestInfo>,
    head: Arc<Head>,
) -> PyClassInitializer<Stream> {
    let base = StreamBase::new(Source::new(call, request), head);
    PyClassInitializer::from(base).add_subclass(Stream)
}

fn item(taken: Taken) -> Option<Py<PyAny>> {
    match taken {
        Taken::Item(item) => Some(item),
        Taken::Head(_) | Taken::End | Taken::Nothing => None,
    }
}

#[pymethods]
impl Stream {
    /// An iterator of its own, as openai-python has it: programs that replace this method iterate
    /// what it returned.
    fn __iter__(slf: Bound<'_, Self>) -> Portions {
        Portions { portion: Portion::Chunk, stream: slf.unbind() }
    }

    fn __next__(slf: &Bound<'_, Self>) -> PyResult<Option<Py<PyAny>>> {
        slf.as_super().get().source.wait(slf.py(), Portion::Chunk).map(item)
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(slf: &Bound<'_, Self>, _exception: &Bound<'_, PyAny>) {
        Stream::close(slf);
    }

    /// Ends the stream and its call now. Harmless to repeat; any thread.
    fn close(slf: &Bound<'_, Self>) {
        slf.as_super().get().source.cancel();
    }

    /// The same chunks as lists: each time all that is there, at least one, at most `max`.
    #[pyo3(signature = (max=256))]
    fn batches(slf: Bound<'_, Self>, max: usize) -> PyResult<Portions> {
        Ok(Portions { portion: batch(max)?, stream: slf.unbind() })
    }

    /// The pieces of the output text alone, as str.
    fn text_deltas(slf: Bound<'_, Self>) -> Portions {
        Portions { portion: Portion::Text, stream: slf.unbind() }
    }
}

/// The chunks of a stream in another form: an iterator.
#[pyclass(frozen, module = "modelwire._native")]
pub(crate) struct Portions {
    stream: Py<Stream>,
    portion: Portion,
}

#[pymethods]
impl Portions {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.stream.bind(py).as_super().get().source.wait(py, self.portion).map(item)
    }
}

impl Drop for Portions {
    fn drop(&mut self) {
        Python::try_attach(|py| left(py, &self.stream.bind(py).as_super().get().source));
    }
}
