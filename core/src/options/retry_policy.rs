//! When and how often a call is attempted again: what a program sets. Knows no attempt.

use std::borrow::Cow;
use std::time::Duration;

use crate::answer::error::{Error, Result};
use crate::options::timeouts::check_time;

/// The doubling of waits stops here by default.
pub const RETRY_WAIT_MAX: Duration = Duration::from_secs(8);

/// The struct, its setters and what a call sets of it follow from one table: to add a part of the policy is to add a row.
macro_rules! policy {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident: $type:ty = $default:expr;
    )+) => {
        /// When and how often a call is attempted again. The default is the reference policy of the
        /// service (R-LIM1): only status 429, at most 3 retries, after 0.5, 1 and 2 s, each wait
        /// raised to a longer `Retry-After`.
        ///
        /// ```
        /// let policy = modelwire::RetryPolicy::default().retries_max(5).connect_errors(true);
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

        /// The parts that a call sets; the others are the client's.
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

            /// The client's policy with what the call sets.
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
    /// Most retries of one call; 3 by default, 0 switches retrying off.
    retries_max: u32 = 3;

    /// The wait before the first retry, 500 ms by default; it doubles for each further one, up to
    /// [`wait_max`](RetryPolicy::wait_max).
    first_wait: Duration = Duration::from_millis(500);

    /// The doubling stops here; 8 s by default. A longer first wait, or what the service asks for,
    /// is waited for all the same.
    wait_max: Duration = RETRY_WAIT_MAX;

    /// The statuses that are tried again; 429 by default.
    statuses: Vec<u16> = vec![429];

    /// Whether a call is tried again of which nothing was processed: the connection could not be opened,
    /// or was closed before the request was begun to be written, or an HTTP/2 service refused it
    /// unprocessed. Off by default.
    connect_errors: bool = false;

    /// Whether a call is tried again whose connection was lost after something of it was sent and
    /// before the head of an answer came. The service may have processed it, and meters it twice
    /// then (R-MET1). Off by default.
    lost_connections: bool = false;

    /// Whether a call is tried again whose answer did not begin within its first-byte timeout. The
    /// service may have processed it, and meters it twice then (R-MET1). Off by default.
    first_byte_timeouts: bool = false;

    /// How much is added to a wait by chance, as a part of it from 0 to 1: 0.25, the default, adds
    /// up to a quarter, so that calls that were refused together do not come back together. The
    /// waits of the policy and what the service asks for are lower bounds.
    jitter: f64 = 0.25;

    /// Longest `Retry-After` that is waited for; 60 s by default. A longer one returns the error at
    /// once: trying before the service wants it would only fail again.
    retry_after_max: Duration = Duration::from_secs(60);

    /// Whether a `Retry-After` takes the place of the policy's wait also where it is shorter. Off by
    /// default: both are lower bounds.
    retry_after_exact: bool = false;

    /// Whether the calls of a client slow down together when the service refuses some of them; off
    /// by default. After an answer with one of [`statuses`](RetryPolicy::statuses) no call begins
    /// an attempt until a common pause is over. Then fewer are on their way at once, at the rate
    /// that the service was seen to take, and more again when nothing is refused any more. Calls
    /// wait their turn in order, under their pool timeout and their total timeout. For many calls at
    /// once on a service whose limits are not known; a client begins with few of them and needs some
    /// round trips until many are on their way. Each client does so by itself, and a forked child
    /// anew.
    adaptive: bool = false;
}

impl RetryPolicy {
    pub(crate) fn check(&self) -> Result<()> {
        for wait in [self.first_wait, self.wait_max] {
            check_time("the retry wait", Some(wait).filter(|wait| !wait.is_zero()))?;
        }
        if !(0.0..=1.0).contains(&self.jitter) {
            let message = format!("the retry jitter is {}: it takes 0 to 1", self.jitter);
            return Err(Error::config(message));
        }
        Ok(())
    }
}
