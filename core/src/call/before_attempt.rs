//! The program's function that runs before each attempt: it may add headers, and may refuse.

use std::fmt;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use tokio::runtime::Handle;

use crate::answer::error::Result;
use crate::call::foreign::{Foreign, OnHelper, enter, guarded, is_callback_thread, leave};
use crate::driver::offload::later;
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

type Function = dyn Fn(&Arc<BeforeAttempt>) -> Result<(), String> + Send + Sync;

/// What the program set.
#[derive(Clone)]
pub(crate) struct Hook(Arc<Owned>);

struct Owned(Option<Box<Function>>);

impl Hook {
    pub(crate) fn new(
        function: impl Fn(&Arc<BeforeAttempt>) -> Result<(), String> + Send + Sync + 'static,
    ) -> Hook {
        Hook(Arc::new(Owned(Some(Box::new(function)))))
    }

    pub(crate) fn run(&self, attempt: &Arc<BeforeAttempt>) -> Result<(), String> {
        self.0.0.as_ref().map_or(Ok(()), |function| function(attempt))
    }
}

impl Drop for Owned {
    /// The last owner may be a call or its client on a thread that does I/O: nothing of the program runs there.
    fn drop(&mut self) {
        let Some(function) = self.0.take() else { return };
        if is_callback_thread() || Handle::try_current().is_err() {
            return drop(function);
        }
        let counted = OnHelper::new();
        later(move || {
            enter(std::ptr::null::<()>(), Foreign::BeforeAttempt(0));
            guarded(|| drop(function));
            leave();
            drop(counted);
        });
    }
}

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
