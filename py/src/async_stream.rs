//! A stream as Python iterates it with `async for`: chunk by chunk, in batches or as text. Any event
//! loop may await it; it gets its turn even where chunks are always ready. Knows no HTTP.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use modelwire::Head;
use pyo3::exceptions::{PyStopAsyncIteration, PyStopIteration};
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit, intern};

use crate::awaitable::{Done, awaited_before, receive, send, thrown};
use crate::hub::Hub;
use crate::iteration::left;
use crate::source::{Portion, Source, Taken};
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
        Next::new(slf.unbind(), Portion::Chunk)
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

    /// What is there, for `modelwire._hub`; None where it has to wait for this number.
    fn _poll(
        slf: &Bound<'_, Self>,
        hub: &Bound<'_, Hub>,
        number: u64,
        portion: Numbered,
    ) -> PyResult<Option<Py<PyAny>>> {
        let (ready, source) = (hub.get().ready(), &slf.as_super().get().source);
        match source.take(slf.py(), portion.0, || source.poll_pop(ready, number))? {
            Taken::Nothing => Ok(None),
            Taken::Item(item) => {
                slf.get().note_yield();
                Ok(Some(item))
            }
            Taken::End => Err(PyStopAsyncIteration::new_err(())),
        }
    }

    /// Nobody waits for this number any more.
    fn _forget(slf: &Bound<'_, Self>, number: u64) {
        slf.as_super().get().source.forget(number);
    }
}

/// A portion on its way through Python: 0 is a chunk, -1 text, any other number a batch.
pub(crate) struct Numbered(Portion);

impl<'a, 'py> FromPyObject<'a, 'py> for Numbered {
    type Error = PyErr;

    fn extract(number: Borrowed<'a, 'py, PyAny>) -> PyResult<Numbered> {
        Ok(Numbered(match number.extract::<isize>()? {
            0 => Portion::Chunk,
            most if most > 0 => Portion::Batch(most.unsigned_abs()),
            _ => Portion::Text,
        }))
    }
}

impl Portion {
    /// The number that `Numbered` reads.
    pub(crate) fn number(self) -> isize {
        match self {
            Portion::Chunk => 0,
            Portion::Text => -1,
            Portion::Batch(most) => isize::try_from(most).unwrap_or(isize::MAX),
        }
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
        Next::new(self.stream.clone_ref(py), self.portion)
    }
}

impl Drop for AsyncPortions {
    fn drop(&mut self) {
        Python::try_attach(|py| left(py, &self.stream.bind(py).as_super().get().source));
    }
}

/// One `__anext__` of a stream. It takes its item when it is awaited and not before, so that one
/// that is cancelled or dropped has taken nothing.
#[pyclass(module = "modelwire._native")]
pub(crate) struct Next {
    stream: Py<AsyncStream>,
    portion: Portion,
    state: State,
}

enum State {
    New,
    /// The event loop has its turn.
    Yielding,
    /// The coroutine that waits.
    Waiting(Py<PyAny>),
    Over,
}

impl Next {
    pub(crate) fn new(stream: Py<AsyncStream>, portion: Portion) -> Next {
        Next { stream, portion, state: State::New }
    }

    /// Takes what is there, or begins to wait for it.
    fn attempt(&mut self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let source = &self.stream.bind(py).as_super().get().source;
        self.state = State::Over;
        match source.take(py, self.portion, || source.try_pop())? {
            Taken::Item(item) => Err(PyStopIteration::new_err((item,))),
            Taken::End => Err(PyStopAsyncIteration::new_err(())),
            Taken::Nothing => {
                let waiting = receive(py)?.call1((&self.stream, self.portion.number()))?;
                self.state = State::Waiting(waiting.clone().unbind());
                send(&waiting)
            }
        }
    }
}

#[pymethods]
impl Next {
    fn __await__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        match &self.state {
            State::New if self.stream.get().must_yield() => {
                self.state = State::Yielding;
                Ok(Some(py.None())) // what asyncio takes for "go on in the next turn"
            }
            State::New => self.attempt(py),
            State::Yielding => {
                self.stream.get().note_yield();
                self.attempt(py)
            }
            State::Waiting(waiting) => send(&waiting.clone_ref(py).into_bound(py)),
            State::Over => Err(awaited_before()),
        }
    }

    /// Goes on, as a coroutine.
    fn send(&mut self, py: Python<'_>, _value: &Bound<'_, PyAny>) -> PyResult<Option<Py<PyAny>>> {
        self.__next__(py)
    }

    /// Raises this inside, as a coroutine; what was not taken stays where it is.
    #[pyo3(signature = (error, value=None, traceback=None))]
    fn throw(
        &mut self,
        py: Python<'_>,
        error: &Bound<'_, PyAny>,
        value: Option<&Bound<'_, PyAny>>,
        traceback: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        if let State::Waiting(waiting) = &self.state {
            let waiting = waiting.clone_ref(py);
            let name = intern!(py, "throw");
            return match (value, traceback) {
                (None, None) => waiting.call_method1(py, name, (error,)),
                _ => waiting.call_method1(py, name, (error, value, traceback)),
            };
        }
        self.state = State::Over;
        Err(thrown(error, value))
    }

    /// Ends it, as a coroutine; what was not taken stays where it is.
    fn close(&mut self, py: Python<'_>) -> PyResult<()> {
        if let State::Waiting(waiting) = std::mem::replace(&mut self.state, State::Over) {
            waiting.call_method0(py, intern!(py, "close"))?;
        }
        Ok(())
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.stream)?;
        if let State::Waiting(waiting) = &self.state {
            visit.call(waiting)?;
        }
        Ok(())
    }

    fn __clear__(&mut self) {
        self.state = State::Over;
    }
}
