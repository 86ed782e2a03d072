//! What can be set for one call instead of for its client. Knows no transport.

use std::fmt;
use std::time::Duration;

use crate::call::retry::RetryPolicy;
use crate::config::{HeaderNames, Settings, Timeouts, check_headers, check_time};
use crate::error::{Error, ErrorKind, Result};

/// The settings of one call; what is not set is the client's.
#[derive(Clone, Default)]
pub(crate) struct CallOptions {
    pub(crate) pool: Option<Option<Duration>>,
    pub(crate) first_byte: Option<Option<Duration>>,
    pub(crate) idle: Option<Option<Duration>>,
    pub(crate) total: Option<Option<Duration>>,
    pub(crate) retry: Option<RetryPolicy>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) stream_only: Option<bool>,
    pub(crate) gather: Option<bool>,
}

impl fmt::Debug for CallOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallOptions")
            .field("headers", &HeaderNames(&self.headers))
            .finish_non_exhaustive()
    }
}

impl CallOptions {
    /// The same checks as for a client; here it is an argument that is wrong.
    pub(crate) fn check(&self) -> Result<()> {
        let times = [
            ("pool_timeout", self.pool),
            ("first_byte_timeout", self.first_byte),
            ("idle_timeout", self.idle),
            ("total_timeout", self.total),
        ];
        let checks = times.into_iter().map(|(name, time)| check_time(name, time.flatten()));
        let retry = self.retry.iter().map(RetryPolicy::check);
        let headers = check_headers(self.headers.clone()).map(|_| ());
        let as_argument = |error: Error| Error::new(ErrorKind::Argument, error.message());
        checks.chain(retry).chain([headers]).collect::<Result<()>>().map_err(as_argument)
    }

    pub(crate) fn timeouts(&self, settings: &Settings) -> Timeouts {
        let client = settings.timeouts;
        Timeouts {
            pool: self.pool.unwrap_or(client.pool),
            connect: client.connect,
            first_byte: self.first_byte.unwrap_or(client.first_byte),
            idle: self.idle.unwrap_or(client.idle),
            total: self.total.unwrap_or(client.total),
        }
    }

    pub(crate) fn retry<'a>(&'a self, settings: &'a Settings) -> &'a RetryPolicy {
        self.retry.as_ref().unwrap_or(&settings.retry)
    }
}
