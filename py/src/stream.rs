//! A stream as Python iterates it, with `for` or `async for`, chunk by chunk, in batches or as
//! text. Knows no HTTP and no event loop.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use modelwire::{Call, Head};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList};

use crate::asked::Asked;
use crate::awaitable::{Done, Next};
use crate::hub::Hub;
use crate::object::{Object, usage_dict};
use crate::pose;
use crate::source::{Portion, Source, Taken};

/// After so many chunks in a row that were there already, the event loop gets its turn.
const TURN_CHUNKS: u32 = 128;
/// And after so long; the clock is looked at once in a few chunks.
const TURN_TIME: Duration = Duration::from_millis(5);
const CLOCK_CHUNKS: u32 = 8;

fn batch(most: usize) -> PyResult<Portion> {
    if most == 0 {
        return Err(PyValueError::new_err("a batch has at least one chunk: max is 0"));
    }
    Ok(Portion::Batch(most))
}

/// What both kinds of stream tell of their answer.
macro_rules! stream_methods {
    ($class:ident { $($own:tt)* }) => {
        #[pymethods]
        impl $class {
            $($own)*

            /// A stream of a certain kind of chunk, in annotations.
            #[classmethod]
            fn __class_getitem__<'py>(
                class: &Bound<'py, pyo3::types::PyType>,
                _kind: &Bound<'py, PyAny>,
            ) -> Bound<'py, pyo3::types::PyType> {
                class.clone()
            }

            /// The class of this stream, or the one that it is to say it is of.
            #[getter(__class__)]
            fn class_of<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                pose::class_of(slf.as_any())
            }

            /// The HTTP status of the answer.
            #[getter]
            fn status_code(&self) -> u16 {
                self.head.status()
            }

            /// The service's name for the exchange.
            #[getter]
            fn request_id(&self) -> Option<&str> {
                self.head.request_id()
            }

            /// The headers of the answer, as (name, value) pairs in their order.
            #[getter]
            fn headers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
                PyList::new(py, self.head.headers())
            }

            /// Status and headers of the answer as an object.
            #[getter]
            fn response<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                let (this, py) = (slf.get(), slf.py());
                let response = response(py, &this.head, this.source.asked())?;
                response.call_method1(intern!(py, "_of"), (slf,))?;
                Ok(response)
            }

            /// Whether the stream came to its end, whichever, or was closed.
            #[getter]
            fn _is_over(&self) -> bool {
                self.source.is_over()
            }

            /// How many times the request was attempted, and how long all of it took in seconds;
            /// None before the end.
            #[getter]
            fn _took(&self) -> Option<(u32, f64)> {
                let answer = self.source.response()?;
                Some((answer.attempts(), answer.elapsed().as_secs_f64()))
            }

            /// Tokens that the service reported in the stream; None before its end or if it did
            /// not.
            #[getter]
            fn usage<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
                let usage = self.source.response().and_then(|answer| answer.usage());
                usage.map(|usage| usage_dict(py, usage)).transpose()
            }

            /// How the stream was known to be complete: "done_mark", "final_event" or
            /// "finish_reasons"; None before its end and after an error.
            #[getter]
            fn end(&self) -> Option<&'static str> {
                self.source.response().map(|answer| answer.end().name())
            }

            /// The whole answer, gathered from the chunks; None before the end of the stream,
            /// after an error, and unless the call was made with gather=True.
            #[getter]
            fn answer(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
                let gathered = self.source.response().filter(|answer| answer.document().is_some());
                gathered.map(|answer| {
                        Object::of_answer(answer, self.source.asked().clone()).into_typed(py)
                    }).transpose()
            }
        }
    };
}

/// `modelwire._http.response`, which makes an object of a head.
pub(crate) fn response<'py>(
    py: Python<'py>,
    head: &Head,
    asked: &Asked,
) -> PyResult<Bound<'py, PyAny>> {
    static RESPONSE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let make = RESPONSE.get_or_try_init(py, || {
        PyResult::Ok(py.import("modelwire._http")?.getattr("response")?.unbind())
    })?;
    let (common, path) = (&asked.common, asked.endpoint.path());
    let sent = (&common.headers, &asked.headers, asked.streams);
    let request = (&common.base_url, path, &asked.query, sent);
    make.bind(py).call1((head.status(), head.headers(), request))
}

/// The chunks of an answer as they arrive. An iterator and a context manager; leaving it, closing
/// it or dropping it closes the exchange. One pass.
#[pyclass(frozen, module = "modelwire")]
pub(crate) struct Stream {
    source: Source,
    head: Arc<Head>,
}

impl Stream {
    pub(crate) fn new(call: Call, asked: Arc<Asked>, head: Arc<Head>) -> Stream {
        Stream { source: Source::new(call, asked), head }
    }
}

fn item(taken: Taken) -> Option<Py<PyAny>> {
    match taken {
        Taken::Item(item) => Some(item),
        Taken::End | Taken::Nothing => None,
    }
}

stream_methods!(Stream {
    /// An iterator of its own, as openai-python has it: programs that replace this method iterate
    /// what it returned.
    fn __iter__(slf: Bound<'_, Self>) -> Portions {
        Portions { portion: Portion::Chunk, stream: slf.unbind() }
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.source.wait(py, Portion::Chunk).map(item)
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyAny>) {
        self.source.cancel();
    }

    /// Ends the stream now and closes its exchange. Harmless to repeat; any thread.
    fn close(&self) {
        self.source.cancel();
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
});

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
        self.stream.get().source.wait(py, self.portion).map(item)
    }
}

/// The chunks of an answer as they arrive. An asynchronous iterator and context manager; leaving
/// it, closing it or dropping it closes the exchange. One pass. Any event loop may await it.
#[pyclass(frozen, module = "modelwire")]
pub(crate) struct AsyncStream {
    source: Source,
    head: Arc<Head>,
    /// Chunks that were handed out since the event loop had its turn, and when that was, in
    /// nanoseconds since the stream was made.
    in_a_row: AtomicU32,
    turn_at: AtomicU64,
    made_at: Instant,
}

impl AsyncStream {
    pub(crate) fn new(source: Source, head: Arc<Head>) -> AsyncStream {
        AsyncStream {
            source,
            head,
            in_a_row: AtomicU32::new(0),
            turn_at: AtomicU64::new(0),
            made_at: Instant::now(),
        }
    }

    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    fn now(&self) -> u64 {
        u64::try_from(self.made_at.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// The event loop had its turn.
    pub(crate) fn had_turn(&self) {
        self.in_a_row.store(0, Ordering::Relaxed);
        self.turn_at.store(self.now(), Ordering::Relaxed);
    }

    /// Whether the event loop must have its turn before another chunk is handed out.
    pub(crate) fn owes_turn(&self) -> bool {
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

stream_methods!(AsyncStream {
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
    fn __aexit__(&self, py: Python<'_>, _exception: &Bound<'_, PyAny>) -> Done {
        self.source.cancel();
        Done::new(py.None())
    }

    /// Ends the stream now and closes its exchange. Harmless to repeat; any thread. Need not be
    /// awaited.
    fn close(&self, py: Python<'_>) -> Done {
        self.source.cancel();
        Done::new(py.None())
    }

    /// The same as `close`.
    fn aclose(&self, py: Python<'_>) -> Done {
        self.close(py)
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
        &self,
        py: Python<'_>,
        hub: &Bound<'_, Hub>,
        number: u64,
        portion: Numbered,
    ) -> PyResult<Option<Py<PyAny>>> {
        let ready = hub.get().ready();
        let taken =
            self.source.take(py, portion.0, || self.source.poll_pop(ready, number))?;
        match taken {
            Taken::Nothing => Ok(None),
            Taken::Item(item) => {
                self.had_turn();
                Ok(Some(item))
            }
            Taken::End => Err(pyo3::exceptions::PyStopAsyncIteration::new_err(())),
        }
    }

    /// Nobody waits for this number any more.
    fn _forget(&self, number: u64) {
        self.source.forget(number);
    }
});

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
