//! The native side of a client: settings in, calls out. Knows no exception class and no HTTP.

use std::time::Duration;

use modelwire::{Call, Client, Config, Event, Pop, Request, RetryPolicy, Timeouts};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::encode;
use crate::errors::{exception, raise};
use crate::object::{Object, usage_dict};
use crate::stream::Stream;
use crate::wait;

/// What `modelwire.Client` is made of; not for direct use.
#[pyclass(frozen, module = "modelwire._native")]
pub(crate) struct NativeClient {
    client: Client,
}

/// The four timeouts in seconds; a missing one keeps its default, None is off.
fn timeouts(given: &Bound<'_, PyDict>) -> PyResult<Timeouts> {
    let mut timeouts = Timeouts::default();
    let read = |name: &str, field: &mut Option<Duration>| -> PyResult<()> {
        if let Some(value) = given.get_item(name)? {
            let seconds: Option<f64> = value.extract()?;
            let checked = |seconds: f64| {
                Duration::try_from_secs_f64(seconds).map_err(|_| {
                    PyValueError::new_err(format!("timeout {name} is {seconds} seconds"))
                })
            };
            *field = seconds.map(checked).transpose()?;
        }
        Ok(())
    };
    read("connect", &mut timeouts.connect)?;
    read("first_byte", &mut timeouts.first_byte)?;
    read("idle", &mut timeouts.idle)?;
    read("total", &mut timeouts.total)?;
    Ok(timeouts)
}

#[pymethods]
impl NativeClient {
    #[new]
    #[pyo3(signature = (*, base_url, api_key, timeout, max_retries, headers, stream_only))]
    fn new(
        py: Python<'_>,
        base_url: Option<&Bound<'_, PyString>>,
        api_key: Option<&Bound<'_, PyString>>,
        timeout: &Bound<'_, PyDict>,
        max_retries: i64,
        headers: Vec<(String, String)>,
        stream_only: bool,
    ) -> PyResult<NativeClient> {
        let retries_max = u32::try_from(max_retries)
            .map_err(|_| PyValueError::new_err(format!("max_retries is {max_retries}")))?;
        let retry = RetryPolicy { retries_max, ..RetryPolicy::default() };
        let mut config =
            Config::new().timeouts(timeouts(timeout)?).retry(retry).stream_only(stream_only);
        // What has no UTF-8 is refused by the core like any other odd character; an exception of
        // the conversion would hold the key.
        if let Some(base_url) = base_url {
            config = config.base_url(base_url.to_string_lossy());
        }
        if let Some(api_key) = api_key {
            config = config.api_key(api_key.to_string_lossy());
        }
        for (name, value) in headers {
            config = config.header(name, value);
        }
        Ok(NativeClient { client: raise(py, Client::new(config))? })
    }

    /// The base URL without anything secret.
    #[getter]
    fn base_url(&self) -> String {
        self.client.base_url()
    }

    /// What the answered calls used so far, by requested model.
    fn usage<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let sums = PyDict::new(py);
        for (model, sum) in self.client.usage() {
            let entry = usage_dict(py, sum.tokens)?;
            entry.set_item("calls", sum.calls)?;
            sums.set_item(model, entry)?;
        }
        Ok(sums)
    }

    /// Lists the models.
    fn models(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.run(py, Request::models(), false)
    }

    /// Creates a chat completion or a response: an object, or a stream of chunks.
    fn create(
        &self,
        py: Python<'_>,
        endpoint: &str,
        body: &Bound<'_, PyDict>,
        stream: bool,
    ) -> PyResult<Py<PyAny>> {
        let mut text = String::with_capacity(256);
        encode::write(body, &mut text)?;
        let request = match endpoint {
            "chat" => Request::chat_json(text),
            "responses" => Request::response_json(text),
            other => return Err(PyValueError::new_err(format!("no operation {other:?}"))),
        };
        self.run(py, request, stream)
    }
}

impl NativeClient {
    fn run(&self, py: Python<'_>, request: Request, stream: bool) -> PyResult<Py<PyAny>> {
        let endpoint = request.endpoint();
        let call = Call::new(&self.client, request);
        raise(py, call.start(stream))?;
        // An exception here (Ctrl-C) drops the call, which closes the exchange.
        loop {
            match wait::pop(py, &call)? {
                Pop::Event(Event::Open(head)) => {
                    return Stream::new(call, endpoint, head).into_py_any(py);
                }
                Pop::Event(Event::Done(Ok(answer))) => {
                    return Object::of_answer(answer).into_py_any(py);
                }
                Pop::Event(Event::Done(Err(error))) => return Err(exception(py, &error)),
                Pop::Event(Event::Chunk(_)) | Pop::Empty => {}
                Pop::End => {
                    let error = modelwire::Error::internal("the call ended without its last event");
                    return Err(exception(py, &error));
                }
            }
        }
    }
}
