//! Converts Python's settings by name to the core's: timeouts, retries, limits, and the overrides of one
//! call. One line per name; an unknown name is an error.

use std::time::Duration;

use modelwire::{Config, Limits, Request, RetryPolicy, Timeouts};
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

use crate::encode;
use crate::errors::raise;
use crate::kept::intern;
use crate::mark::CallMark;
use crate::run::Run;

/// Pairs of name and value, in order.
pub(crate) type Pairs = Vec<(String, String)>;

/// A type of settings, and what they take in the words of an error.
trait Setting<'py>: FromPyObjectOwned<'py> {
    const TAKES: &'static str;
}

macro_rules! settings {
    ($($kind:ty: $takes:literal,)*) => {
        $(impl<'py> Setting<'py> for $kind {
            const TAKES: &'static str = $takes;
        })*
    };
}

settings! {
    bool: "True or False",
    u16: "HTTP statuses",
    u32: "an integer",
    usize: "an integer",
    f64: "a number",
    Option<f64>: "seconds or None",
    String: "a str",
    Vec<u8>: "bytes",
    Vec<String>: "a list of str",
    Pairs: "pairs of str",
    Py<CallMark>: "a mark",
}

/// Reads the value of a setting. No error shows it: it may be the key, in a wrong place.
fn read<'py, T: Setting<'py>>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<T> {
    let read: PyResult<T> = value.extract().map_err(Into::into);
    read.map_err(|error| {
        let py = value.py();
        if error.is_instance_of::<PyOverflowError>(py) {
            return PyValueError::new_err(format!("{name} is out of range"));
        }
        match value.get_type().name() {
            Ok(found) if error.is_instance_of::<PyTypeError>(py) => {
                PyTypeError::new_err(format!("{name} takes {}, not {found}", T::TAKES))
            }
            _ => error,
        }
    })
}

/// Named settings, and how many of them were read.
struct Settings<'a, 'py> {
    given: &'a Bound<'py, PyDict>,
    read: usize,
}

impl<'a, 'py> Settings<'a, 'py> {
    fn new(given: &'a Bound<'py, PyDict>) -> Settings<'a, 'py> {
        Settings { given, read: 0 }
    }

    fn get(&mut self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let found = self.given.get_item(name)?;
        self.read += usize::from(found.is_some());
        Ok(found)
    }

    fn value<T: Setting<'py>>(&mut self, name: &str) -> PyResult<Option<T>> {
        self.get(name)?.map(|value| read(name, &value)).transpose()
    }

    /// Sets a value; a missing setting keeps its default.
    fn set<T: Setting<'py>>(&mut self, name: &str, to: &mut T) -> PyResult<()> {
        if let Some(value) = self.value(name)? {
            *to = value;
        }
        Ok(())
    }

    /// A time in seconds: the outer option is whether it was given, and an inner None means off.
    fn seconds(&mut self, name: &str) -> PyResult<Option<Option<Duration>>> {
        let Some(value) = self.value::<Option<f64>>(name)? else { return Ok(None) };
        let Some(seconds) = value else { return Ok(Some(None)) };
        let time = Duration::try_from_secs_f64(seconds)
            .map_err(|_| PyValueError::new_err(format!("{name} cannot be {seconds} seconds")))?;
        Ok(Some(Some(time)))
    }

    /// Sets a time that cannot be off.
    fn set_seconds(&mut self, name: &str, to: &mut Duration) -> PyResult<()> {
        if let Some(Some(time)) = self.seconds(name)? {
            *to = time;
        }
        Ok(())
    }

    /// Checks that all settings were read.
    fn end(self) -> PyResult<()> {
        if self.read == self.given.len() {
            return Ok(());
        }
        let names = self.given.keys();
        Err(PyTypeError::new_err(format!("unknown setting in {names}")))
    }
}

fn timeouts(given: &Bound<'_, PyDict>) -> PyResult<Timeouts> {
    let (mut settings, mut timeouts) = (Settings::new(given), Timeouts::default());
    for timeout in Timeouts::ALL {
        if let Some(time) = settings.seconds(timeout.name)? {
            raise(given.py(), timeouts.set(timeout.phase, time))?;
        }
    }
    settings.set("pings_reset_idle", &mut timeouts.pings_reset_idle)?;
    settings.end()?;
    Ok(timeouts)
}

fn request_timeouts(mut request: Request, given: &Bound<'_, PyDict>) -> PyResult<Request> {
    let mut settings = Settings::new(given);
    for timeout in Timeouts::ALL {
        if let Some(time) = settings.seconds(timeout.name)?
            && timeout.is_per_call
        {
            request = request.timeout(timeout.phase, time);
        }
    }
    if let Some(on) = settings.value("pings_reset_idle")? {
        request = request.pings_reset_idle(on);
    }
    settings.end()?;
    Ok(request)
}

fn retry(given: &Bound<'_, PyDict>) -> PyResult<RetryPolicy> {
    let (mut settings, mut policy) = (Settings::new(given), RetryPolicy::default());
    settings.set("max_retries", &mut policy.max_retries)?;
    settings.set_seconds("first_wait", &mut policy.first_wait)?;
    settings.set_seconds("wait_max", &mut policy.wait_max)?;
    settings.set_seconds("retry_after_max", &mut policy.retry_after_max)?;
    if let Some(statuses) = settings.get("statuses")? {
        let statuses = statuses.cast::<PyList>()?.iter();
        policy.statuses = statuses.map(|one| read("statuses", &one)).collect::<PyResult<_>>()?;
    }
    settings.set("connect_errors", &mut policy.connect_errors)?;
    settings.set("lost_connections", &mut policy.lost_connections)?;
    settings.set("first_byte_timeouts", &mut policy.first_byte_timeouts)?;
    settings.set("before_content", &mut policy.before_content)?;
    settings.set("retry_after_exact", &mut policy.retry_after_exact)?;
    settings.set("jitter", &mut policy.jitter)?;
    settings.set("adaptive", &mut policy.adaptive)?;
    settings.end()?;
    Ok(policy)
}

fn limits(given: &Bound<'_, PyDict>) -> PyResult<Limits> {
    let (mut settings, mut limits) = (Settings::new(given), Limits::default());
    for limit in Limits::ALL {
        if let Some(value) = settings.value(limit.name)? {
            raise(given.py(), limits.set(limit.name, value))?;
        }
    }
    settings.end()?;
    Ok(limits)
}

/// The settings of a client.
pub(crate) struct OfClient {
    pub(crate) config: Config,
    pub(crate) headers: Pairs,
    pub(crate) before_attempt: Option<Py<PyAny>>,
}

/// The settings of a client except base URL and key.
pub(crate) fn of_client(mut config: Config, given: &Bound<'_, PyDict>) -> PyResult<OfClient> {
    let mut settings = Settings::new(given);
    if let Some(given) = settings.get("timeout")? {
        config = config.timeouts(timeouts(given.cast()?)?);
    }
    if let Some(given) = settings.get("retry")? {
        config = config.retry(retry(given.cast()?)?);
    }
    if let Some(given) = settings.get("limits")? {
        config = config.limits(limits(given.cast()?)?);
    }
    let headers: Pairs = settings.value("headers")?.unwrap_or_default();
    for (name, value) in &headers {
        config = config.header(name, value);
    }
    if let Some(pem) = settings.value::<Vec<u8>>("ca")? {
        config = config.add_ca_pem(pem);
    }
    if let Some(pem) = settings.value::<Vec<u8>>("client_certificate")? {
        config = config.client_certificate_pem(pem);
    }
    if let Some(url) = settings.value::<String>("proxy")? {
        config = config.proxy(url);
    }
    if let Some(off) = settings.get("no_proxy")?
        && off.truth()?
    {
        config = config.no_proxy();
    }
    if let Some(on) = settings.value("http2")? {
        config = config.http2(on);
    }
    if let Some(time) = settings.seconds("tcp_keepalive")? {
        config = config.tcp_keepalive(time);
    }
    if let Some(name) = settings.value::<String>("idempotency_header")? {
        config = config.idempotency_header(name);
    }
    for name in ["base_urls", "balance"] {
        if let Some(value) = settings.get(name)? {
            let option = PyDict::new(given.py());
            option.set_item(name, value)?;
            let mut json = String::new();
            encode::write_own(&option, &mut json, |_| Ok(None))?;
            raise(given.py(), config.set_options(&json))?;
        }
    }
    if let Some(on) = settings.value("stream_only")? {
        config = config.stream_only(on);
    }
    if let Some(on) = settings.value("chunk_times")? {
        config = config.chunk_times(on);
    }
    let before_attempt = settings.get("before_attempt")?.map(Bound::unbind);
    settings.end()?;
    Ok(OfClient { config, headers, before_attempt })
}

/// A request with the overrides of its call, and the parts that are inspected later.
pub(crate) struct OfCall {
    pub(crate) request: Request,
    pub(crate) query: Pairs,
    pub(crate) headers: Pairs,
    pub(crate) without_headers: Vec<String>,
    /// Gathered for an observer, but not for the program.
    pub(crate) hides_answer: bool,
    /// Set if an observer is notified of the end.
    pub(crate) mark: Option<Py<CallMark>>,
}

impl OfCall {
    pub(crate) fn new(request: Request) -> OfCall {
        OfCall {
            request,
            query: Vec::new(),
            headers: Vec::new(),
            without_headers: Vec::new(),
            hides_answer: false,
            mark: None,
        }
    }
}

/// Options of a call that are not read as JSON: they have another form here, or are inspected later.
const SET_ABOVE: [&str; 4] = ["headers", "without_headers", "query", "api_key"];

/// The overrides of one call. Its other options are those of the core's table, by their names.
pub(crate) fn of_call(mut request: Request, given: &Bound<'_, PyDict>) -> PyResult<OfCall> {
    let mut settings = Settings::new(given);
    if let Some(given) = settings.get("timeout")? {
        request = request_timeouts(request, given.cast()?)?;
    }
    if let Some(given) = settings.get("retry")? {
        request = request.retry(retry(given.cast()?)?);
    }
    if let Some(key) = settings.get("api_key")? {
        // The key is hidden in an object; the core rejects one without a UTF-8 form, as for the client.
        let key = key.attribute(intern!(given.py(), "value"))?;
        request = request.api_key(key.cast::<PyString>()?.to_string_lossy());
    }
    let headers: Pairs = settings.value("headers")?.unwrap_or_default();
    for (name, value) in &headers {
        request = request.header(name, value);
    }
    let without_headers: Vec<String> = settings.value("without_headers")?.unwrap_or_default();
    for name in &without_headers {
        request = request.without_header(name);
    }
    let query: Pairs = settings.value("query")?.unwrap_or_default();
    for (name, value) in &query {
        request = request.query(name, value);
    }
    let others = PyDict::new(given.py());
    for option in Request::OPTIONS.iter().filter(|option| !SET_ABOVE.contains(&option.name)) {
        if let Some(value) = settings.get(option.name)? {
            others.set_item(option.name, value)?;
        }
    }
    if !others.is_empty() {
        let mut json = String::new();
        encode::write_own(&others, &mut json, |_| Ok(None))?;
        raise(given.py(), request.set_options(&json))?;
    }
    let hides_answer = settings.value("gather_unseen")?.unwrap_or(false);
    if hides_answer {
        request = request.gather(true);
    }
    let mark = settings.value::<Py<CallMark>>("mark")?;
    if let Some(mark) = &mark {
        request = request.tag(mark.get().tag());
    }
    settings.end()?;
    Ok(OfCall { request, query, headers, without_headers, hides_answer, mark })
}
