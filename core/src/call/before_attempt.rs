//! The program's function that runs before each attempt: it may add headers, and may refuse.

use std::cell::Cell;
use std::fmt;
use std::sync::{Arc, Mutex};

use bytes::Bytes;

use crate::answer::error::Result;
use crate::options::call_options::CallOptions;
use crate::options::headers::check_headers;
use crate::protocol::endpoint::Endpoint;
use crate::system::sync::lock;

/// An attempt that is about to be sent, for [`Client::before_attempt`](crate::Client::before_attempt).
///
/// ```
/// fn sign(attempt: &modelwire::BeforeAttempt) -> Result<(), String> {
///     let length = attempt.body().len().to_string();
///     attempt.set_header("x-length", length).map_err(|error| error.to_string())
/// }
///
/// # let config = modelwire::Config::new().base_url("http://127.0.0.1:9/v1").api_key("sk-test");
/// # let client = modelwire::Client::new(config)?;
/// client.before_attempt(|attempt| sign(attempt))?;
/// # Ok::<(), modelwire::Error>(())
/// ```
pub struct BeforeAttempt {
    operation: Endpoint,
    url: String,
    number: u32,
    body: Bytes,
    headers: Mutex<Vec<(String, String)>>,
}

/// What the program set.
pub(crate) type Hook = Arc<dyn Fn(&Arc<BeforeAttempt>) -> Result<(), String> + Send + Sync>;

impl BeforeAttempt {
    pub(crate) fn new(operation: Endpoint, url: String, number: u32, body: Bytes) -> BeforeAttempt {
        BeforeAttempt { operation, url, number, body, headers: Mutex::default() }
    }

    pub(crate) fn take_headers(&self) -> Vec<(String, String)> {
        std::mem::take(&mut *lock(&self.headers))
    }

    /// The operation.
    pub fn operation(&self) -> Endpoint {
        self.operation
    }

    /// The URL, with its query.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The number of the attempt of its call, from 1.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The bytes of the request body; empty for a model list.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// The operation, the URL and the number as JSON, for bindings.
    #[doc(hidden)]
    pub fn to_json(&self) -> String {
        let BeforeAttempt { operation, url, number, .. } = self;
        let operation = operation.name();
        serde_json::json!({ "operation": operation, "url": url, "number": number }).to_string()
    }

    /// Sets a header of this attempt; it replaces one of the client or the call. Fails for an invalid name
    /// or value, and for the headers that the client manages itself, except `Authorization`, whose value is not
    /// redacted where the service echoes it.
    pub fn set_header(&self, name: impl Into<String>, value: impl Into<String>) -> Result<()> {
        let (name, value) = (name.into(), value.into());
        // The client manages it as well, but here it may be replaced: only its value is checked.
        let is_authorization = name.eq_ignore_ascii_case("authorization");
        let checked = if is_authorization { "x-authorization" } else { &*name };
        let checked = [(checked.to_owned(), value.clone())];
        check_headers(&checked).map_err(CallOptions::as_argument)?;
        lock(&self.headers).push((name, value));
        Ok(())
    }
}

impl fmt::Debug for BeforeAttempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BeforeAttempt")
            .field("operation", &self.operation)
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}

thread_local! {
    static IS_RUNNING: Cell<bool> = const { Cell::new(false) };
}

/// Marks this thread as one that runs such a function, until the next call.
pub(crate) fn set_running_here(is_running: bool) {
    IS_RUNNING.set(is_running);
}

/// Whether this thread runs such a function.
pub(crate) fn is_running_here() -> bool {
    IS_RUNNING.try_with(Cell::get).unwrap_or(false)
}
