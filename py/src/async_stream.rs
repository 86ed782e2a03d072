//! A stream as Python iterates it with `async for`: chunk by chunk, in batches or as text. Any event
//! loop may await it; it gets its turn even where chunks are always ready. Knows no HTTP.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use modelwire::Head;
use pyo3::prelude::*;

use crate::awaitable::Done;
use crate::iteration::left;
use crate::next::Next;
use crate::source::{Portion, Source};
use crate::stream_base::{StreamBase, batch};

/// After so many chunks in a row that were there already, the event loop gets its turn.
const TURN_CHUNKS: u32 = 128;
/// And after so long; the clock is looked at once in a few chunks.
const TURN_TIME: Duration = Duration::from_millis(5);
const CLOCK_CHUNKS: u32 = 8;

/// The chunks of an answer as they arrive. An asynchronous iterator and context manager; leaving
/// it, closing it or dropping it closes the exchange. One pass. Any event loop may await it.
#[pyclass(frozen, extends = StreamBase, module = "modelwire")]
pub(crate) struct AsyncStream {
    /// Chunks that were handed out since the event loop had its turn, and when that was, in
    /// nanoseconds since the stream was made.
    in_a_row: AtomicU32,
    turn_at: AtomicU64,
    made_at: Instant,
}

/// The stream of a call whose head arrived.
pub(crate) fn async_stream(source: Source, head: Arc<Head>) -> PyClassInitializer<AsyncStream> {
    PyClassInitializer::from(StreamBase { source, head }).add_subclass(AsyncStream {
        in_a_row: AtomicU32::new(0),
        turn_at: AtomicU64::new(0),
        made_at: Instant::now(),
    })
}

impl AsyncStream {
    fn now(&self) -> u64 {
        u64::try_from(self.made_at.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// The event loop had its turn.
    pub(crate) fn note_yield(&self) {
        self.in_a_row.store(0, Ordering::Relaxed);
        self.turn_at.store(self.now(), Ordering::Relaxed);
    }

    /// Whether the event loop must have its turn before another chunk is handed out.
    pub(crate) fn must_yield(&self) -> bool {
        let in_a_row = self.in_a_row.fetch_add(1, Ordering::Relaxed) + 1;
        if in_a_row > TURN_CHUNKS {
            return true;
        }
        if !in_a_row.is_multiple_of(CLOCK_CHUNKS) {
            return false;
        }
        let since = self.now().saturating_sub(self.turn_at.load(Ordering::Relaxed));
        u128::from(since) >= TURN_TIME.as_nanos()
    }
}

#[pymethods]
impl AsyncStream {
    /// An iterator of its own, as openai-python has it: programs that replace this method iterate
    /// what it returned.
    fn __aiter__(slf: Bound<'_, Self>) -> AsyncPortions {
        AsyncPortions { portion: Portion::Chunk, stream: slf.unbind() }
    }

    fn __anext__(slf: Bound<'_, Self>) -> Next {
        Next::of_stream(slf.unbind(), Portion::Chunk)
    }

    fn __aenter__(slf: Bound<'_, Self>) -> Done {
        Done::new(slf.into_any().unbind())
    }

    #[pyo3(signature = (*_exception))]
    fn __aexit__(slf: &Bound<'_, Self>, _exception: &Bound<'_, PyAny>) -> Done {
        AsyncStream::close(slf)
    }

    /// Ends the stream now and closes its exchange. Harmless to repeat; any thread. Need not be
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
        Ok(AsyncPortions { portion: batch(max)?, stream: slf.unbind() })
    }

    /// The pieces of the output text alone, as str.
    fn text_deltas(slf: Bound<'_, Self>) -> AsyncPortions {
        AsyncPortions { portion: Portion::Text, stream: slf.unbind() }
    }
}

/// The chunks of a stream in another form: an asynchronous iterator.
#[pyclass(frozen, module = "modelwire._native")]
pub(crate) struct AsyncPortions {
    stream: Py<AsyncStream>,
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
        Python::try_attach(|py| left(py, &self.stream.bind(py).as_super().get().source));
    }
}
