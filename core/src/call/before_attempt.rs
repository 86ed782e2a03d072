//! The program's function that runs before each attempt: it may add headers, and may refuse.

use std::cell::Cell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::timeout;

use crate::answer::error::{Error, Result};
use crate::answer::error_kind::{ErrorKind, TimeoutPhase};
use crate::call::deadlines::Deadlines;
use crate::call::task::Shared;
use crate::driver::offload::offload;
use crate::options::call_options::CallOptions;
use crate::options::headers::check_headers;
use crate::protocol::endpoint::Endpoint;
use crate::system::sync::lock;

/// How long [`Client::before_attempt`](crate::Client::before_attempt) may take for one attempt.
pub const BEFORE_ATTEMPT_TIME_MAX: Duration = Duration::from_secs(30);

const REFUSED_HINT: &str =
    "The program's own before_attempt function decided this: nothing was sent.";
const SLOW_HINT: &str = "Let the program's before_attempt function return earlier.";

/// An attempt that is about to be sent, for [`Client::before_attempt`](crate::Client::before_attempt).
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
        let is_authorization = name.eq_ignore_ascii_case("authorization");
        let checked = [(if is_authorization { "x-key".to_owned() } else { name }, value)];
        check_headers(&checked).map_err(CallOptions::as_argument)?;
        let [(name, value)] = checked;
        let name = if is_authorization { "authorization".to_owned() } else { name };
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

/// Whether this thread runs such a function.
pub(crate) fn is_running_here() -> bool {
    IS_RUNNING.try_with(Cell::get).unwrap_or(false)
}

/// Counts as a callback of its call, for which a close of the client waits.
struct Running(Arc<Shared>);

impl Running {
    fn new(call: Arc<Shared>) -> Running {
        call.session().handler_comes(call.handlers());
        Running(call)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.session().handler_is_gone(self.0.handlers());
    }
}

/// Runs the function on a helper thread; returns the headers that it set.
pub(crate) async fn run(
    hook: Hook,
    call: &Arc<Shared>,
    deadlines: &Deadlines,
    attempt: Arc<BeforeAttempt>,
) -> Result<Vec<(String, String)>> {
    let running = Running::new(call.clone());
    let work = move || {
        IS_RUNNING.set(true);
        let decided = catch_unwind(AssertUnwindSafe(|| hook(&attempt)));
        IS_RUNNING.set(false);
        drop(hook);
        drop(running);
        let decided = decided.unwrap_or_else(|panic| resume_unwind(panic));
        decided.map(|()| std::mem::take(&mut *lock(&attempt.headers)))
    };
    let (phase, bound, limit) = deadlines.bound(TimeoutPhase::Pool, Some(BEFORE_ATTEMPT_TIME_MAX));
    let decided = timeout(limit.unwrap_or(bound), offload(usize::MAX, work)).await;
    match decided {
        Ok(Ok(headers)) => Ok(headers),
        Ok(Err(reason)) => {
            let message = format!("before_attempt refused the attempt: {reason}");
            Err(Error::new(ErrorKind::Callback, message).with_hint(REFUSED_HINT))
        }
        Err(_) if phase == TimeoutPhase::Total => {
            let error = Error::timed_out(phase, bound);
            let message = format!("{} in before_attempt", error.message());
            Err(error.with_message(message))
        }
        Err(_) => {
            let message = format!(
                "before_attempt took longer than BEFORE_ATTEMPT_TIME_MAX = {} s",
                BEFORE_ATTEMPT_TIME_MAX.as_secs()
            );
            Err(Error::new(ErrorKind::Callback, message).with_hint(SLOW_HINT))
        }
    }
}
