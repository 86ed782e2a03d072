//! What a response says beside its body: its head as the objects of `modelwire._http`, and its
//! usage. Knows no call.

use modelwire::{Head, Usage};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

use crate::request_info::RequestInfo;

/// `modelwire._http.response`, which makes an object of a head and of the request.
pub(crate) fn response<'py>(
    py: Python<'py>,
    head: &Head,
    request: &RequestInfo,
) -> PyResult<Bound<'py, PyAny>> {
    static RESPONSE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let make = RESPONSE.get_or_try_init(py, || {
        PyResult::Ok(py.import("modelwire._http")?.getattr("response")?.unbind())
    })?;
    let (client, path) = (&request.client, request.endpoint.path());
    let own = (&request.headers, &request.without_headers);
    let sent = (&client.headers, own, request.streams);
    let request = (&client.base_url, path, &request.query, sent);
    make.bind(py).call1((head.status(), head.headers(), request))
}

/// Usage as streams and clients report it.
pub(crate) fn usage_dict(py: Python<'_>, usage: Usage) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("input_tokens", usage.input_tokens)?;
    dict.set_item("output_tokens", usage.output_tokens)?;
    dict.set_item("total_tokens", usage.total_tokens)?;
    Ok(dict)
}
