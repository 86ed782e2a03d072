//! The native side of a client: takes settings, makes calls.

use std::sync::Arc;

use modelwire::{Call, Client, Config, Endpoint, Request, UsageSums, usage_by_model};
use pyo3::exceptions::PyValueError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::async_stream::async_stream;
use crate::before_attempt::Function;
use crate::encode;
use crate::errors::raise;
use crate::facts::usage_dict;
use crate::loops::{self, Running};
use crate::mark::CallMark;
use crate::next::Next;
use crate::object::dump::encoded_request;
use crate::request_info::{ClientInfo, RequestInfo};
use crate::settings::{self, OfCall};
use crate::source::{Outcome, Source, outcome};
use crate::stream;
use crate::wait;

/// The implementation of `modelwire.Client`; not for direct use.
#[pyclass(frozen, module = "modelwire._native")]
pub(crate) struct NativeClient {
    client: Client,
    info: Arc<ClientInfo>,
    before_attempt: Option<Function>,
}

#[pymethods]
impl NativeClient {
    /// `options` are the settings except base URL and key, by name. The client shares the usage sums of
    /// `beside`.
    #[new]
    #[pyo3(signature = (base_url, api_key, options, beside=None))]
    fn new(
        py: Python<'_>,
        base_url: Option<&Bound<'_, PyString>>,
        api_key: Option<&Bound<'_, PyString>>,
        options: &Bound<'_, PyDict>,
        beside: Option<&Bound<'_, NativeClient>>,
    ) -> PyResult<NativeClient> {
        let mut config = Config::new();
        // The core rejects text without a UTF-8 form like any other invalid character; an exception of the
        // conversion would contain the key.
        if let Some(base_url) = base_url {
            config = config.base_url(base_url.to_string_lossy());
        }
        if let Some(api_key) = api_key {
            config = config.api_key(api_key.to_string_lossy());
        }
        let settings::OfClient { config, headers, before_attempt } =
            settings::of_client(config, options)?;
        let client = match beside {
            Some(other) => other.get().client.beside(config),
            None => Client::new(config),
        };
        let client = raise(py, client)?;
        wait::find_early(py)?;
        encode::find_early(py)?;
        let info = ClientInfo { base_url: client.base_url(), headers };
        let set = |function| Function::set(py, &client, function);
        let before_attempt = before_attempt.map(set).transpose()?;
        Ok(NativeClient { client, info: Arc::new(info), before_attempt })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.before_attempt.as_ref().map_or(Ok(()), |function| function.traverse(&visit))
    }

    fn __clear__(&self) {
        self.before_attempt.iter().for_each(Function::clear);
    }

    /// The base URL without secrets.
    #[getter]
    fn base_url(&self) -> String {
        self.client.base_url()
    }

    /// Checks the options of a call.
    fn check(&self, py: Python<'_>, options: &Bound<'_, PyDict>) -> PyResult<()> {
        let set = settings::of_call(Request::models(), options)?;
        raise(py, set.request.check())
    }

    /// The usage of answered calls so far, by requested model; or by key ID, and then by model. `take` also
    /// resets the totals.
    fn usage<'py>(
        &self,
        py: Python<'py>,
        by_key: bool,
        take: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let used = match take {
            true => self.client.take_usage(),
            false => self.client.usage_by_key(),
        };
        if !by_key {
            return by_model(py, &usage_by_model(&used));
        }
        let keys = PyDict::new(py);
        for (key, sums) in &used {
            keys.set_item(key, by_model(py, sums)?)?;
        }
        Ok(keys)
    }

    /// Makes a call and waits for its answer, or for the head of its stream.
    fn run(
        &self,
        py: Python<'_>,
        endpoint: &str,
        fields: Option<&Bound<'_, PyDict>>,
        stream: bool,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let (call, request, mark) = self.call(endpoint, fields, stream, options)?;
        // An exception here (Ctrl-C) drops the call, which ends it.
        let mut popped = wait::start(py, &call, stream, || starts(mark.as_ref(), &request))?;
        loop {
            match outcome(py, popped, &request)? {
                None => popped = wait::pop(py, &call)?,
                Some(Outcome::Response(response)) => return response.into_python(py),
                Some(Outcome::Stream(head)) => {
                    return Py::new(py, stream::stream(call, request, head)).map(Py::into_any);
                }
            }
        }
    }

    /// Starts a call to be awaited. Without an event loop that can wait for it, nothing is sent.
    fn start(
        &self,
        py: Python<'_>,
        endpoint: &str,
        fields: Option<&Bound<'_, PyDict>>,
        stream: bool,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Next> {
        // Which needs a descriptor the first time.
        match loops::running(py)? {
            Running::Asyncio(event_loop) => drop(loops::asyncio_hub(&event_loop)?),
            Running::Trio => drop(loops::trio_hub(py)?),
            Running::Nobody => return Err(loops::nobody_runs(py)),
        }
        let (call, request, mark) = self.call(endpoint, fields, stream, options)?;
        starts(mark.as_ref(), &request);
        wait::begun(py, call.start(stream))?;
        let make = |py: Python<'_>, source, head| async_stream(py, source, head).map(Py::into_any);
        Ok(Next::of_call(Source::new(call, request), make))
    }
}

/// The ID of a key in usage sums, which does not reveal it.
#[pyfunction(name = "_key_id")]
pub(crate) fn id_of_key(key: &str) -> String {
    modelwire::key_id(key)
}

/// The text with these keys redacted as in a model's output.
#[pyfunction(name = "_redacted")]
pub(crate) fn redacted(text: &str, keys: Vec<String>) -> String {
    modelwire::parse::redacted(text, keys)
}

fn by_model<'py>(py: Python<'py>, sums: &UsageSums) -> PyResult<Bound<'py, PyDict>> {
    let models = PyDict::new(py);
    for (model, sum) in sums {
        let entry = usage_dict(py, sum.tokens)?;
        entry.set_item("calls", sum.calls)?;
        entry.set_item("calls_without_usage", sum.calls_without_usage)?;
        models.set_item(model, entry)?;
    }
    Ok(models)
}

impl NativeClient {
    /// The core's client.
    pub(crate) fn core(&self) -> &Client {
        &self.client
    }

    /// What calls with these options have in common.
    pub(crate) fn template(&self, options: &Bound<'_, PyDict>) -> PyResult<OfCall> {
        settings::of_call(Request::models(), options)
    }

    /// What a call with this template sends.
    pub(crate) fn request_info(&self, of: &OfCall, endpoint: Endpoint) -> RequestInfo {
        let OfCall { query, headers, without_headers, .. } = of;
        RequestInfo {
            client: self.info.clone(),
            endpoint,
            streams: false,
            query: query.clone(),
            headers: headers.clone(),
            hides_answer: false,
            without_headers: without_headers.clone(),
        }
    }

    /// Creates a call without starting it.
    fn call(
        &self,
        endpoint: &str,
        fields: Option<&Bound<'_, PyDict>>,
        streams: bool,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<(Call, Arc<RequestInfo>, Option<Py<CallMark>>)> {
        let text = fields.map(encoded_request).transpose()?.unwrap_or_default();
        let request = match endpoint {
            "models" => Request::models(),
            "chat" => Request::chat_json(text),
            "responses" => Request::responses_json(text),
            other => return Err(PyValueError::new_err(format!("unknown operation {other:?}"))),
        };
        let set = match options {
            Some(options) => settings::of_call(request, options)?,
            None => OfCall::new(request),
        };
        let (client, endpoint) = (self.info.clone(), set.request.endpoint());
        let OfCall { request, query, headers, without_headers, hides_answer, mark } = set;
        let info = RequestInfo {
            client,
            endpoint,
            streams,
            query,
            headers,
            hides_answer,
            without_headers,
        };
        Ok((Call::new(&self.client, request), Arc::new(info), mark))
    }
}

/// From here on, the core reports the end of the call to the observer that has its mark.
fn starts(mark: Option<&Py<CallMark>>, request: &Arc<RequestInfo>) {
    if let Some(mark) = mark {
        mark.get().starts(request);
    }
}
