//! The options of one call, which override its client's.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::answer::error::{Error, Result};
use crate::options::api_key::ApiKey;
use crate::options::config::Settings;
use crate::options::headers::{HeaderNames, check_headers, check_removed};
use crate::options::idempotency::check_idempotency_key;
use crate::options::retry_policy::{RetryParts, RetryPolicy};
use crate::options::timeouts::CallTimeouts;

/// The settings of one call; what is not set comes from the client.
#[derive(Clone, Default)]
pub(crate) struct CallOptions {
    pub(crate) timeouts: CallTimeouts,
    pub(crate) retry: RetryParts,
    /// As given: an error in it is reported when the call starts.
    pub(crate) api_key: Option<Result<Arc<ApiKey>>>,
    pub(crate) headers: Vec<(String, String)>,
    /// Names of client headers that this call omits.
    pub(crate) without_headers: Vec<String>,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) idempotency_key: Option<String>,
    pub(crate) stream_only: Option<bool>,
    pub(crate) gather: Option<bool>,
    pub(crate) chunk_times: Option<bool>,
    /// The only one of several base URLs to call: for bulk jobs.
    pub(crate) upstream: Option<usize>,
}

impl fmt::Debug for CallOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallOptions")
            .field("headers", &HeaderNames(&self.headers))
            .finish_non_exhaustive()
    }
}

impl CallOptions {
    /// The same checks as for a client; here a failure is an invalid argument.
    pub(crate) fn check(&self) -> Result<()> {
        let checked = || {
            self.timeouts.check()?;
            self.retry.check()?;
            check_headers(&self.headers)?;
            if let Some(key) = &self.idempotency_key {
                check_idempotency_key(key)?;
            }
            check_removed(&self.without_headers)
        };
        let checked = checked().map_err(CallOptions::as_argument);
        match &self.api_key {
            Some(Err(error)) => Err(error.clone()),
            Some(Ok(key)) => checked.map_err(|error| key.hidden_in(error)),
            None => checked,
        }
    }

    /// A key of a call must not reach a service that has another one.
    pub(crate) fn check_key(&self, settings: &Settings) -> Result<()> {
        let (Some(several), Some(_)) = (&settings.upstreams, &self.api_key) else { return Ok(()) };
        let mut called = several.all.iter().enumerate();
        let is_called = |at| self.upstream.is_none_or(|only| only == at);
        if called.any(|(at, upstream)| upstream.has_own_key && is_called(at)) {
            let error =
                Error::argument("the call has an api_key, and so have base_urls of the client");
            return Err(error.with_hint("Leave out one of them: the call may go to each of these."));
        }
        Ok(())
    }

    /// Turns a configuration error into an argument error of a call. Keeps the hint unless it is the
    /// general one for configurations.
    pub(crate) fn as_argument(error: Error) -> Error {
        let argument = Error::argument(error.message());
        match error.hint() == error.kind().hint() {
            true => argument,
            false => argument.with_hint(error.hint().to_owned()),
        }
    }

    /// The key to send instead of the client's.
    pub(crate) fn api_key(&self) -> Option<&Arc<ApiKey>> {
        self.api_key.as_ref().and_then(|given| given.as_ref().ok())
    }

    pub(crate) fn retry<'a>(&self, settings: &'a Settings) -> Cow<'a, RetryPolicy> {
        self.retry.over(&settings.retry)
    }
}
