//! The retry policy: when and how often a call is retried.

use std::borrow::Cow;
use std::time::Duration;

use crate::answer::error::{Error, Result};
use crate::options::timeouts::check_time;

/// The default maximum of the doubled delay.
pub const RETRY_WAIT_MAX: Duration = Duration::from_secs(8);

/// The struct, its setters and the parts that a call sets follow from one table: to add a part of the
/// policy, add a row.
macro_rules! policy {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident: $type:ty = $default:expr;
    )+) => {
        /// When and how often a call is retried. The default is the reference policy of the service
        /// (R-LIM1): only status 429, at most 3 retries, after 0.5, 1 and 2 s, each delay raised to a
        /// longer `Retry-After`.
        ///
        /// ```
        /// use std::time::Duration;
        ///
        /// let policy = modelwire::RetryPolicy::default()
        ///     .max_retries(5)
        ///     .first_wait(Duration::from_secs(1))
        ///     .statuses(vec![429, 503])
        ///     .connect_errors(true)
        ///     .adaptive(true);
        /// let config = modelwire::Config::new().retry(policy);
        /// ```
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub struct RetryPolicy {
            $(
                $(#[doc = $doc])+
                pub $name: $type,
            )+
        }

        impl Default for RetryPolicy {
            fn default() -> RetryPolicy {
                RetryPolicy { $($name: $default,)+ }
            }
        }

        impl RetryPolicy {
            /// The names of its parts, for bindings.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),+];

            $(
                $(#[doc = $doc])+
                #[must_use]
                pub fn $name(mut self, $name: $type) -> RetryPolicy {
                    self.$name = $name;
                    self
                }
            )+
        }

        /// The parts that a call sets; the others come from the client.
        #[derive(Clone, Debug, Default)]
        pub(crate) struct RetryParts {
            $(pub(crate) $name: Option<$type>,)+
        }

        impl From<RetryPolicy> for RetryParts {
            fn from(policy: RetryPolicy) -> RetryParts {
                RetryParts { $($name: Some(policy.$name),)+ }
            }
        }

        impl RetryParts {
            /// Checks what a call sets; most set nothing.
            pub(crate) fn check(&self) -> Result<()> {
                let is_empty = true $(&& self.$name.is_none())+;
                if is_empty { Ok(()) } else { self.over(&RetryPolicy::default()).check() }
            }

            /// The client's policy with the parts that the call sets.
            pub(crate) fn over<'a>(&self, client: &'a RetryPolicy) -> Cow<'a, RetryPolicy> {
                let mut policy = Cow::Borrowed(client);
                $(if let Some(part) = &self.$name {
                    policy.to_mut().$name.clone_from(part);
                })+
                policy
            }
        }
    };
}

policy! {
    /// The maximum number of retries of one call; 3 by default, 0 disables retries.
    max_retries: u32 = 3;

    /// The delay before the first retry, 500 ms by default; it doubles for each further one, up to
    /// [`wait_max`](RetryPolicy::wait_max).
    first_wait: Duration = Duration::from_millis(500);

    /// The maximum of the doubled delay; 8 s by default. It does not shorten a longer first delay
    /// or what the service asks for.
    wait_max: Duration = RETRY_WAIT_MAX;

    /// The HTTP statuses to retry; 429 by default.
    statuses: Vec<u16> = vec![429];

    /// Whether to retry a call of which nothing was processed: the connection could not be opened, or
    /// was closed before any of the request was written, or an HTTP/2 service rejected it unprocessed.
    /// Off by default.
    connect_errors: bool = false;

    /// Whether to retry a call whose connection was lost after some of it was sent and before the
    /// response headers arrived. The service may have processed it, and it may then be billed twice
    /// (R-MET1). Off by default.
    lost_connections: bool = false;

    /// Whether to retry a call whose answer did not begin within the first-byte timeout. The service
    /// may have processed it, and it may then be billed twice (R-MET1). Off by default.
    first_byte_timeouts: bool = false;

    /// Whether to retry a call whose answer began and then failed before any of its content reached the
    /// program: it was cut, silent or empty, or the service reported an error in it. Content is what ends
    /// the first-content timeout, whose expiry is retried as well; nothing of a plain call reaches the
    /// program before its end. What such an attempt produced may be billed in addition (R-MET1); an
    /// attempt that reported usage is not retried. Until content arrives, the request body and up to one
    /// queue of events stay in memory. Off by default (R-LIM2).
    before_content: bool = false;

    /// The largest random addition to a delay, as a fraction from 0 to 1: 0.25, the default, adds up to
    /// a quarter, so that calls that were refused together are not retried together. The delays of the
    /// policy and what the service asks for are minimums.
    jitter: f64 = 0.25;

    /// The longest `Retry-After` that a call waits for; 60 s by default. A longer one returns the error
    /// at once: an earlier retry would only fail again.
    retry_after_max: Duration = Duration::from_secs(60);

    /// Whether a `Retry-After` replaces the policy's delay even if it is shorter. Off by default: both
    /// are minimums.
    retry_after_exact: bool = false;

    /// Whether the calls of a client slow down together when the service answers too many of them
    /// with one of [`statuses`](RetryPolicy::statuses) (429 by default); off by default. If their share
    /// is too high, fewer calls are in flight, at the rate that the service was observed to accept, and
    /// more again after some seconds without rate limiting. A `Retry-After` of more than a second holds
    /// them all, and a shorter one while most are refused. Calls wait in order, under their pool
    /// timeout and their total timeout. For many concurrent calls to a service whose limits are
    /// unknown; a client begins with 8 calls in flight and needs some round trips to reach many. Each
    /// client adapts on its own, and a forked child starts again.
    adaptive: bool = false;
}

impl RetryPolicy {
    pub(crate) fn check(&self) -> Result<()> {
        for (name, wait) in
            [("retry_first_wait", self.first_wait), ("retry_wait_max", self.wait_max)]
        {
            check_time(
                &format!("the retry policy's {name}"),
                Some(wait).filter(|wait| !wait.is_zero()),
            )?;
        }
        if !(0.0..=1.0).contains(&self.jitter) {
            let message = format!("the retry jitter is {}: it must be from 0 to 1", self.jitter);
            return Err(Error::config(message));
        }
        Ok(())
    }
}
