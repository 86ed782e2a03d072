//! The native side of `modelwire.testing`: the loopback service in this process.
//!
//! The service's thread never touches Python: it plays answers that were queued before.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use modelwire_testing::{
    Event, Fault, Finish, Options, Pace, Point, Replay, Reply, Reported, Says, Service, Step, Text,
    ToolCall,
};
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::lock::lock;

/// The implementation of `modelwire.testing.Answer`; not for direct use.
#[pyclass(frozen, module = "modelwire._native")]
pub(crate) struct NativeAnswer {
    reply: Reply,
}

impl NativeAnswer {
    fn says(says: Says) -> NativeAnswer {
        NativeAnswer { reply: Reply { says, faults: Vec::new() } }
    }

    fn with(&self, fault: Fault) -> NativeAnswer {
        let mut reply = self.reply.clone();
        reply.faults.push(fault);
        NativeAnswer { reply }
    }
}

#[pymethods]
impl NativeAnswer {
    /// The service's generated answer.
    #[staticmethod]
    fn played() -> NativeAnswer {
        NativeAnswer::says(Says::Played)
    }

    /// An answer of a model, in the form that the request asks for.
    #[staticmethod]
    fn text(
        pieces: Vec<String>,
        reasoning: Vec<String>,
        tool_calls: Vec<(String, String)>,
        finish_reason: &str,
        usage: Option<(u64, u64)>,
    ) -> PyResult<NativeAnswer> {
        let finish = match finish_reason {
            "stop" => Finish::Stop,
            "length" => Finish::Length,
            "content_filter" => Finish::ContentFilter,
            other => {
                return Err(PyValueError::new_err(format!(
                    "finish_reason is {other:?}; it must be stop, length or content_filter"
                )));
            }
        };
        let calls = tool_calls.into_iter();
        let tool_calls = calls.map(|(name, arguments)| ToolCall { name, arguments }).collect();
        Ok(NativeAnswer::says(Says::Text(Text { pieces, reasoning, tool_calls, finish, usage })))
    }

    /// A whole body.
    #[staticmethod]
    fn document(status: u16, headers: Vec<(String, String)>, body: Vec<u8>) -> NativeAnswer {
        NativeAnswer::says(Says::Document { status, headers, body })
    }

    /// A stream of exactly these events, each a name or None, and data.
    #[staticmethod]
    fn events(events: Vec<(Option<String>, String)>) -> NativeAnswer {
        let events = events.into_iter().map(|(name, data)| Event { name, data }).collect();
        NativeAnswer::says(Says::Events(events))
    }

    /// Exactly these bytes, including the head.
    #[staticmethod]
    fn raw(data: Vec<u8>) -> NativeAnswer {
        NativeAnswer::says(Says::Raw(data))
    }

    /// A body that is not JSON.
    #[staticmethod]
    fn garbage() -> NativeAnswer {
        NativeAnswer::says(Says::Garbage)
    }

    /// A copy with a wait of this many seconds before the head, or after this many events; None waits
    /// forever.
    fn stall(&self, seconds: Option<f64>, after: Option<usize>) -> PyResult<NativeAnswer> {
        let step = match seconds {
            None => Step::StallForever,
            Some(seconds) => Step::Pause(duration(seconds)?),
        };
        Ok(self.with(Fault::At(after.map_or(Point::Start, Point::Events), step)))
    }

    /// A copy with a wait between every two events.
    fn slow(&self, seconds: f64) -> PyResult<NativeAnswer> {
        Ok(self.with(Fault::Slow(duration(seconds)?)))
    }

    /// A copy that is cut off before the head, after this many events, or after this many bytes.
    fn cut(&self, after: Option<usize>, after_bytes: Option<usize>, reset: bool) -> NativeAnswer {
        let point = match (after, after_bytes) {
            (_, Some(bytes)) => Point::Bytes(bytes),
            (Some(events), None) => Point::Events(events),
            (None, None) => Point::Start,
        };
        self.with(Fault::At(point, if reset { Step::Reset } else { Step::Close }))
    }
}

/// The implementation of `modelwire.testing.Service`; not for direct use.
#[pyclass(frozen, module = "modelwire._native")]
pub(crate) struct NativeService {
    service: Mutex<Service>,
    /// The process of the service's thread.
    process: u32,
}

impl NativeService {
    /// The service, in the process that runs it: a forked child has a copy without its thread, whose lock
    /// may have been held at the fork.
    fn service(&self) -> PyResult<MutexGuard<'_, Service>> {
        if self.process != std::process::id() {
            return Err(PyRuntimeError::new_err(
                "this service runs in the process that created it: a forked child can send requests \
                 to its base_url, but only the parent can control and inspect it",
            ));
        }
        Ok(lock(&self.service))
    }
}

#[pymethods]
impl NativeService {
    #[new]
    #[pyo3(signature = (*, api_key, port, usage, word_pause, rate_limit_calls, rate_limit_window, replay, is_fast))]
    #[expect(clippy::too_many_arguments, reason = "each is a keyword of Service")]
    fn new(
        py: Python<'_>,
        api_key: String,
        port: u16,
        usage: &str,
        word_pause: f64,
        rate_limit_calls: u32,
        rate_limit_window: f64,
        replay: Option<PathBuf>,
        is_fast: bool,
    ) -> PyResult<NativeService> {
        let read = |file: PathBuf| {
            py.detach(|| Replay::read(&file)).map(Arc::new).map_err(|error| {
                let message = format!("{} cannot be replayed: {error}", file.display());
                match error.raw_os_error() {
                    Some(number) => PyOSError::new_err((number, message)),
                    None => PyValueError::new_err(message),
                }
            })
        };
        let options = Options {
            key: api_key,
            port,
            usage: match usage {
                "always" => Reported::Always,
                "never" => Reported::Never,
                _ => Reported::AsAsked,
            },
            word_pause: duration(word_pause)?,
            rate_limit_calls,
            rate_limit_window: duration(rate_limit_window)?,
            replay: replay.map(read).transpose()?,
            pace: if is_fast { Pace::Fast } else { Pace::Exact },
            ..Options::default()
        };
        let started = py.detach(|| Service::start_with(options));
        let service = started.map_err(|error| {
            let message = format!("the service cannot listen on 127.0.0.1, port {port}: {error}");
            PyOSError::new_err((error.raw_os_error(), message))
        })?;
        Ok(NativeService { service: Mutex::new(service), process: std::process::id() })
    }

    /// Its base URL, up to /v1.
    #[getter]
    fn base_url(&self) -> PyResult<String> {
        Ok(self.service()?.base_url())
    }

    /// Queues answers for later requests.
    fn queue(&self, answers: Vec<PyRef<'_, NativeAnswer>>) -> PyResult<()> {
        let replies = answers.iter().map(|answer| answer.reply.clone()).collect();
        self.service()?.queue(replies);
        Ok(())
    }

    /// Sets the answer for when the queue is empty.
    fn answer_otherwise(&self, answer: Option<PyRef<'_, NativeAnswer>>) -> PyResult<()> {
        let reply = answer.map(|answer| answer.reply.clone());
        self.service()?.answer_otherwise(reply);
        Ok(())
    }

    /// The number of queued answers that no request has taken.
    #[getter]
    fn waiting(&self) -> PyResult<usize> {
        Ok(self.service()?.replies_waiting())
    }

    /// The requests so far: method, target, headers, body, connection, seconds.
    #[getter]
    fn requests<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let recorded = self.service()?.recorded("");
        let requests = PyList::empty(py);
        for request in recorded {
            requests.append((
                request.method,
                request.target,
                request.headers,
                PyBytes::new(py, &request.body),
                request.connection,
                request.at.as_secs_f64(),
            ))?;
        }
        Ok(requests)
    }

    /// The metered usage, by model.
    #[getter]
    fn metered<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let metered = self.service()?.metered();
        let sums = PyDict::new(py);
        for (model, sum) in metered {
            let entry = PyDict::new(py);
            entry.set_item("calls", sum.calls)?;
            entry.set_item("input_tokens", sum.input_tokens)?;
            entry.set_item("output_tokens", sum.output_tokens)?;
            sums.set_item(model, entry)?;
        }
        Ok(sums)
    }

    /// The number of open connections.
    #[getter]
    fn open_connections(&self) -> PyResult<u64> {
        Ok(self.service()?.open_connections())
    }

    /// Forgets requests, meters, counters and answers.
    fn reset(&self) -> PyResult<()> {
        self.service()?.clear();
        Ok(())
    }

    /// Stops the thread and closes all connections. May be repeated, also in a forked child.
    fn close(&self, py: Python<'_>) {
        // Its thread needs no interpreter, so it ends whichever thread holds that.
        py.detach(|| {
            if let Ok(mut service) = self.service() {
                service.stop();
            }
        });
    }
}

/// Seconds from Python; rejects the same values as `time.sleep`.
fn duration(seconds: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| PyValueError::new_err(format!("{seconds} seconds is not a valid wait")))
}
