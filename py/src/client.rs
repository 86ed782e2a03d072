//! The native side of a client: settings in, calls out.

use std::sync::Arc;

use modelwire::{Call, Client, Config, Endpoint, Request, UsageSums, usage_by_model};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::async_stream::async_stream;
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

/// What `modelwire.Client` is made of; not for direct use.
#[pyclass(frozen, module = "modelwire._native")]
pub(crate) struct NativeClient {
    client: Client,
    info: Arc<ClientInfo>,
}

#[pymethods]
impl NativeClient {
    /// `options` has what is set beside base URL and key, by name. It counts in the sums of `beside`.
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
        // What has no UTF-8 is refused by the core like any other odd character; an exception of
        // the conversion would hold the key.
        if let Some(base_url) = base_url {
            config = config.base_url(base_url.to_string_lossy());
        }
        if let Some(api_key) = api_key {
            config = config.api_key(api_key.to_string_lossy());
        }
        let (config, headers) = settings::of_client(config, options)?;
        let client = match beside {
            Some(other) => other.get().client.beside(config),
            None => Client::new(config),
        };
        let client = raise(py, client)?;
        wait::find_early(py)?;
        encode::find_early(py)?;
        let info = ClientInfo { base_url: client.base_url(), headers };
        Ok(NativeClient { client, info: Arc::new(info) })
    }

    /// The base URL without anything secret.
    #[getter]
    fn base_url(&self) -> String {
        self.client.base_url()
    }

    /// Whether a call may set this for itself.
    fn check(&self, py: Python<'_>, options: &Bound<'_, PyDict>) -> PyResult<()> {
        let set = settings::of_call(Request::models(), options)?;
        raise(py, set.request.check())
    }

    /// What the answered calls used so far, by requested model; or by the id of their key, and then
    /// by model. Whoever takes it lets the sums begin anew.
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

    /// Makes a call and waits for its answer, or for the beginning of its stream.
    fn run(
        &self,
        py: Python<'_>,
        endpoint: &str,
        fields: Option<&Bound<'_, PyDict>>,
        stream: bool,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let (call, request, mark) = self.call(endpoint, fields, stream, options)?;
        // An exception here (Ctrl-C) drops the call, which closes the exchange.
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

    /// Starts a call, to be awaited. Nothing is sent where no event loop runs.
    fn start(
        &self,
        py: Python<'_>,
        endpoint: &str,
        fields: Option<&Bound<'_, PyDict>>,
        stream: bool,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Next> {
        if let Running::Nobody = loops::running(py)? {
            return Err(loops::nobody_runs(py));
        }
        let (call, request, mark) = self.call(endpoint, fields, stream, options)?;
        starts(mark.as_ref(), &request);
        wait::begun(py, call.start(stream))?;
        let make = |py: Python<'_>, source, head| async_stream(py, source, head).map(Py::into_any);
        Ok(Next::of_call(Source::new(call, request), make))
    }
}

/// The name by which sums call a key, which does not show it.
#[pyfunction(name = "_key_id")]
pub(crate) fn id_of_key(key: &str) -> String {
    modelwire::key_id(key)
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
    /// The client of the core.
    pub(crate) fn core(&self) -> &Client {
        &self.client
    }

    /// What calls with these options have in common.
    pub(crate) fn template(&self, options: &Bound<'_, PyDict>) -> PyResult<OfCall> {
        settings::of_call(Request::models(), options)
    }

    /// What a call of such a template sends.
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

    /// A call that is not started yet.
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
            "responses" => Request::response_json(text),
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

/// From here on the core tells how the call ended, to the observer that has its mark.
fn starts(mark: Option<&Py<CallMark>>, request: &Arc<RequestInfo>) {
    if let Some(mark) = mark {
        mark.get().starts(request);
    }
}
