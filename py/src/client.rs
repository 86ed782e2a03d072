//! The native side of a client: settings in, calls out. Knows no exception class and no HTTP.

use std::sync::Arc;
use std::time::Duration;

use modelwire::{Call, Client, Config, Limits, Request, RetryPolicy, Timeouts};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::asked::{Asked, Common};
use crate::encode;
use crate::errors::raise;
use crate::hub::Started;
use crate::object::usage_dict;
use crate::source::{Outcome, outcome};
use crate::stream::Stream;
use crate::wait;

/// What `modelwire.Client` is made of; not for direct use.
#[pyclass(frozen, module = "modelwire._native")]
pub(crate) struct NativeClient {
    client: Client,
    common: Arc<Common>,
}

/// A time in seconds under this name: outside is whether it was given, inside None is off.
fn seconds(given: &Bound<'_, PyDict>, name: &str) -> PyResult<Option<Option<Duration>>> {
    let Some(value) = given.get_item(name)? else { return Ok(None) };
    let Some(seconds) = value.extract::<Option<f64>>()? else { return Ok(Some(None)) };
    let time = Duration::try_from_secs_f64(seconds)
        .map_err(|_| PyValueError::new_err(format!("timeout {name} is {seconds} seconds")))?;
    Ok(Some(Some(time)))
}

/// The timeouts; a missing one keeps its default.
fn timeouts(given: &Bound<'_, PyDict>) -> PyResult<Timeouts> {
    let default = Timeouts::default();
    Ok(default
        .pool(seconds(given, "pool")?.unwrap_or(default.pool))
        .connect(seconds(given, "connect")?.unwrap_or(default.connect))
        .first_byte(seconds(given, "first_byte")?.unwrap_or(default.first_byte))
        .idle(seconds(given, "idle")?.unwrap_or(default.idle))
        .total(seconds(given, "total")?.unwrap_or(default.total)))
}

/// A retry policy; what is missing keeps its default.
fn retry(given: &Bound<'_, PyDict>) -> PyResult<RetryPolicy> {
    let mut policy = RetryPolicy::default();
    if let Some(value) = given.get_item("max_retries")? {
        let retries: i64 = value.extract()?;
        policy.retries_max = u32::try_from(retries)
            .map_err(|_| PyValueError::new_err(format!("max_retries is {retries}")))?;
    }
    if let Some(Some(wait)) = seconds(given, "first_wait")? {
        policy.first_wait = wait;
    }
    if let Some(Some(wait)) = seconds(given, "retry_after_max")? {
        policy.retry_after_max = wait;
    }
    if let Some(statuses) = given.get_item("statuses")? {
        policy.statuses = statuses.extract()?;
    }
    if let Some(on) = given.get_item("connect_errors")? {
        policy.connect_errors = on.extract()?;
    }
    if let Some(on) = given.get_item("lost_connections")? {
        policy.lost_connections = on.extract()?;
    }
    if let Some(jitter) = given.get_item("jitter")? {
        policy.jitter = jitter.extract()?;
    }
    Ok(policy)
}

/// The bounds; a missing one keeps its default.
fn limits(given: &Bound<'_, PyDict>) -> PyResult<Limits> {
    let mut limits = Limits::default();
    let read = |name: &str, bound: &mut usize| -> PyResult<()> {
        if let Some(value) = given.get_item(name)? {
            *bound = value.extract()?;
        }
        Ok(())
    };
    read("event_bytes_max", &mut limits.event_bytes_max)?;
    read("response_bytes_max", &mut limits.response_bytes_max)?;
    read("error_body_bytes_max", &mut limits.error_body_bytes_max)?;
    read("headers_max", &mut limits.headers_max)?;
    read("queue_bytes_max", &mut limits.queue_bytes_max)?;
    read("queue_events_max", &mut limits.queue_events_max)?;
    read("connections_max", &mut limits.connections_max)?;
    Ok(limits)
}

/// Names with their values, in their order.
type Pairs = Vec<(String, String)>;

/// What one call sets instead of its client.
fn with_options(
    mut request: Request,
    given: &Bound<'_, PyDict>,
    asked: &mut Asked,
) -> PyResult<Request> {
    if let Some(times) = given.get_item("timeout")? {
        let times = times.cast::<PyDict>()?;
        if let Some(time) = seconds(times, "pool")? {
            request = request.pool_timeout(time);
        }
        if let Some(time) = seconds(times, "first_byte")? {
            request = request.first_byte_timeout(time);
        }
        if let Some(time) = seconds(times, "idle")? {
            request = request.idle_timeout(time);
        }
        if let Some(time) = seconds(times, "total")? {
            request = request.total_timeout(time);
        }
    }
    if let Some(policy) = given.get_item("retry")? {
        request = request.retry(retry(policy.cast()?)?);
    }
    if let Some(headers) = given.get_item("headers")? {
        asked.headers = headers.extract::<Pairs>()?;
        for (name, value) in &asked.headers {
            request = request.header(name, value);
        }
    }
    if let Some(query) = given.get_item("query")? {
        asked.query = query.extract::<Pairs>()?;
        for (name, value) in &asked.query {
            request = request.query(name, value);
        }
    }
    if let Some(on) = given.get_item("stream_only")? {
        request = request.stream_only(on.extract()?);
    }
    if let Some(on) = given.get_item("gather")? {
        request = request.gather(on.extract()?);
    }
    Ok(request)
}

#[pymethods]
impl NativeClient {
    /// `options` has what is set beside base URL and key, by name.
    #[new]
    #[pyo3(signature = (base_url, api_key, options))]
    fn new(
        py: Python<'_>,
        base_url: Option<&Bound<'_, PyString>>,
        api_key: Option<&Bound<'_, PyString>>,
        options: &Bound<'_, PyDict>,
    ) -> PyResult<NativeClient> {
        let mut config = Config::new();
        // What has no UTF-8 is refused by the core like any other odd character; an exception of
        // the conversion would hold the key.
        if let Some(base_url) = base_url {
            config = config.base_url(base_url.to_string_lossy());
        }
        if let Some(api_key) = api_key {
            config = config.api_key(api_key.to_string_lossy());
        }
        if let Some(given) = options.get_item("timeout")? {
            config = config.timeouts(timeouts(given.cast()?)?);
        }
        if let Some(given) = options.get_item("retry")? {
            config = config.retry(retry(given.cast()?)?);
        }
        if let Some(given) = options.get_item("limits")? {
            config = config.limits(limits(given.cast()?)?);
        }
        let mut headers = Pairs::new();
        if let Some(given) = options.get_item("headers")? {
            headers = given.extract()?;
            for (name, value) in &headers {
                config = config.header(name, value);
            }
        }
        if let Some(pem) = options.get_item("ca")? {
            config = config.add_ca_pem(pem.extract::<Vec<u8>>()?);
        }
        if let Some(pem) = options.get_item("client_certificate")? {
            config = config.client_certificate_pem(pem.extract::<Vec<u8>>()?);
        }
        if let Some(url) = options.get_item("proxy")? {
            config = config.proxy(url.extract::<String>()?);
        }
        if let Some(off) = options.get_item("no_proxy")?
            && off.is_truthy()?
        {
            config = config.no_proxy();
        }
        if let Some(on) = options.get_item("http2")? {
            config = config.http2(on.extract()?);
        }
        if let Some(on) = options.get_item("stream_only")? {
            config = config.stream_only(on.extract()?);
        }
        let client = raise(py, Client::new(config))?;
        let common = Common { base_url: client.base_url(), headers };
        Ok(NativeClient { client, common: Arc::new(common) })
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

    /// Makes a call and waits for its answer, or for the beginning of its stream.
    fn run(
        &self,
        py: Python<'_>,
        endpoint: &str,
        fields: Option<&Bound<'_, PyDict>>,
        stream: bool,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let (call, asked) = self.made(endpoint, fields, stream, options)?;
        // An exception here (Ctrl-C) drops the call, which closes the exchange.
        let mut popped = wait::start(py, &call, stream)?;
        loop {
            match outcome(py, popped, &asked)? {
                None => popped = wait::pop(py, &call)?,
                Some(Outcome::Response(answer)) => return answer.into_typed(py),
                Some(Outcome::Stream(head)) => {
                    return Stream::new(call, asked, head).into_py_any(py);
                }
            }
        }
    }

    /// Starts a call, to be awaited.
    fn start(
        &self,
        py: Python<'_>,
        endpoint: &str,
        fields: Option<&Bound<'_, PyDict>>,
        stream: bool,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Started> {
        let (call, asked) = self.made(endpoint, fields, stream, options)?;
        raise(py, call.start(stream))?;
        Ok(Started::new(call, asked))
    }
}

impl NativeClient {
    /// A call that is not started yet.
    fn made(
        &self,
        endpoint: &str,
        fields: Option<&Bound<'_, PyDict>>,
        streams: bool,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<(Call, Arc<Asked>)> {
        let mut text = String::with_capacity(256);
        if let Some(fields) = fields {
            encode::write(fields, &mut text)?;
        }
        let mut request = match endpoint {
            "models" => Request::models(),
            "chat" => Request::chat_json(text),
            "responses" => Request::response_json(text),
            other => return Err(PyValueError::new_err(format!("no operation {other:?}"))),
        };
        let (common, endpoint) = (self.common.clone(), request.endpoint());
        let (query, headers) = (Pairs::new(), Pairs::new());
        let mut asked = Asked { common, endpoint, streams, query, headers };
        if let Some(options) = options {
            request = with_options(request, options, &mut asked)?;
        }
        Ok((Call::new(&self.client, request), Arc::new(asked)))
    }
}
