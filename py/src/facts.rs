//! The properties of a response apart from its body: its head as objects of `modelwire._answers.http`, the
//! service's limits, the usage, and the record of its call.

use std::time::Duration;

use modelwire::{CallRecord, Head, RateLimit, RateLimits, Usage};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::kept::Kept;
use crate::modules;
use crate::request_info::RequestInfo;
use crate::run::Run;

/// Calls `modelwire._answers.http.response`, which creates an object from a head and the request.
pub(crate) fn response<'py>(
    py: Python<'py>,
    head: &Head,
    request: &RequestInfo,
    record: Option<&CallRecord>,
) -> PyResult<Bound<'py, PyAny>> {
    static RESPONSE: Kept<Py<PyAny>> = Kept::new();
    let make = RESPONSE.get_or_try_init(|| {
        PyResult::Ok(modules::own(py, "_answers.http")?.attribute("response")?.unbind())
    })?;
    let own = (&request.headers, &request.without_headers);
    let sent = (&request.client.headers, own, request.streams);
    let request = (request.address(record), sent);
    make.bind(py).run((head.status(), head.headers(), request))
}

/// The service's limits as `modelwire.RateLimits`; None if it reported none.
pub(crate) fn rate_limits<'py>(
    py: Python<'py>,
    limits: Option<RateLimits>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    static MADE: Kept<Py<PyAny>> = Kept::new();
    let Some(RateLimits { requests, tokens, others, retry_after, .. }) = limits else {
        return Ok(None);
    };
    let make = MADE.get_or_try_init(|| {
        PyResult::Ok(modules::own(py, "_answers.rate_limits")?.attribute("_made")?.unbind())
    })?;
    let seconds = |time: Option<Duration>| time.map(|time| time.as_secs_f64());
    let one = |limit: RateLimit| (limit.limit, limit.remaining, seconds(limit.reset));
    let others: Vec<_> = others.into_iter().map(|(name, limit)| (name, one(limit))).collect();
    make.bind(py).run((one(requests), one(tokens), others, seconds(retry_after))).map(Some)
}

/// The same from a program's headers.
#[pyfunction(name = "_rate_limits")]
pub(crate) fn rate_limits_of(
    py: Python<'_>,
    headers: Vec<(String, String)>,
) -> PyResult<Option<Bound<'_, PyAny>>> {
    rate_limits(py, modelwire::parse::rate_limits(&headers))
}

/// A record as `modelwire.CallRecord`.
pub(crate) fn timing<'py>(
    py: Python<'py>,
    record: Option<&CallRecord>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    static OF_JSON: Kept<Py<PyAny>> = Kept::new();
    let Some(record) = record else { return Ok(None) };
    let make = OF_JSON.get_or_try_init(|| {
        let class = modules::own(py, "_answers.record")?.attribute("CallRecord")?;
        PyResult::Ok(class.attribute("_of_json")?.unbind())
    })?;
    make.bind(py).run((record.to_json(),)).map(Some)
}

/// Usage as `modelwire.Usage`.
pub(crate) fn usage<'py>(
    py: Python<'py>,
    usage: Option<Usage>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    static USAGE: Kept<Py<PyAny>> = Kept::new();
    let Some(usage) = usage else { return Ok(None) };
    let make = USAGE.get_or_try_init(|| {
        PyResult::Ok(modules::own(py, "_answers.usage")?.attribute("Usage")?.unbind())
    })?;
    make.bind(py).run((usage_dict(py, usage)?,)).map(Some)
}

/// Usage as a dict, for sums.
pub(crate) fn usage_dict(py: Python<'_>, usage: Usage) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    for (name, count) in usage.counts() {
        dict.set_item(name, count)?;
    }
    Ok(dict)
}
