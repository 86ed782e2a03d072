//! The kinds of errors and what a caller can do about them; never distinguished by message.

/// The enum, its names and hints follow from one table: to add a kind, add a row and check all code
/// that matches on it.
macro_rules! kinds {
    ($(
        $(#[doc = $doc:literal])+
        $kind:ident: $name:literal, hint $hint:literal;
    )+) => {
        /// The kind of an error: what a caller can do about it. Exhaustive on purpose: code that
        /// matches on it must consider a new kind.
        ///
        /// ```
        /// use modelwire::ErrorKind;
        ///
        /// fn may_succeed_later(kind: ErrorKind) -> bool {
        ///     matches!(kind, ErrorKind::RateLimited | ErrorKind::Server | ErrorKind::Connect)
        /// }
        ///
        /// let kind = ErrorKind::of_status(429);
        /// assert_eq!(kind.name(), "rate_limited");
        /// assert!(may_succeed_later(kind));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorKind {
            $(
                $(#[doc = $doc])+
                $kind,
            )+
        }

        /// Every kind, in the order of declaration.
        pub const ERROR_KINDS: [ErrorKind; [$($name),+].len()] = [$(ErrorKind::$kind),+];

        impl ErrorKind {
            /// A stable name in snake case.
            pub fn name(self) -> &'static str {
                match self {
                    $(ErrorKind::$kind => $name,)+
                }
            }

            /// The action that the specification expects of a client (in its table of errors), or ours.
            #[doc(hidden)]
            pub fn hint(self) -> &'static str {
                match self {
                    $(ErrorKind::$kind => $hint,)+
                }
            }
        }
    };
}

kinds! {
    /// 400: the request is invalid; change it.
    InvalidRequest: "invalid_request",
        hint "Reproduce it with a minimal request, then add parameters one by one.";

    /// 401: the key is missing, wrong or malformed.
    Authentication: "authentication",
        hint "Copy the whole API key again from the service's control panel, and pass it without quotes, \
              white space or the word Bearer.";

    /// 403: not permitted for this account, balance, model or key.
    Permission: "permission",
        hint "Check in the service's control panel: the account's balance, status and restrictions, the \
              key's permissions, and whether the model is available.";

    /// 404: wrong path, or no such model.
    NotFound: "not_found",
        hint "Check the base URL, the path and the model name against the service's control panel.";

    /// 429: a rate, concurrency, quota or resource limit; slow down and retry.
    RateLimited: "rate_limited",
        hint "Lower the request rate and retry with backoff: allow more retries, or let the whole client \
              slow down (retry_adaptive). The service's control panel shows your limits and quota.";

    /// 5xx: a temporary failure of the service.
    Server: "server",
        hint "A temporary fault of the service or of an upstream provider: note the time and the \
              error, retry later, or contact support.";

    /// Any other status that is not success.
    Status: "status", hint "An unexpected status: check the base URL and any proxy in between.";

    /// No connection: refused, unreachable, host name not found, or no thread or descriptor for one.
    Connect: "connect", hint "Check base_url, and that the service is reachable from here.";

    /// The TLS handshake or a certificate failed.
    Tls: "tls", hint "Check base_url, the system's certificate store and SSL_CERT_FILE.";

    /// A timeout expired; [`Error::timeout`](crate::Error::timeout) names it.
    Timeout: "timeout", hint "Raise the timeout named in the message, or find out what is slow.";

    /// The connection was lost after the request was sent.
    Disconnected: "disconnected",
        hint "The service may have processed the request; send it again only if being billed twice \
              is acceptable.";

    /// The answer violates the protocol, or exceeds a size limit.
    Protocol: "protocol", hint "Check that base_url names an OpenAI-compatible service.";

    /// A stream ended cleanly but without its end mark (R-STR7).
    Incomplete: "incomplete", hint "Only part of the answer arrived; do not treat it as complete.";

    /// The service reported an error after a success status, usually in a stream (R-ERR6).
    Stream: "stream",
        hint "See the error's type and code; what arrived before it is only part of the answer.";

    /// The caller cancelled the call.
    Cancelled: "cancelled", hint "";

    /// An argument is invalid; nothing was sent.
    Argument: "argument", hint "Correct the argument; nothing was sent.";

    /// The configuration is invalid or incomplete; nothing was sent.
    Config: "config", hint "Correct the option; nothing was sent.";

    /// The handle was closed.
    Closed: "closed", hint "Create a new client or queue.";

    /// The handle was inherited through `fork` while in use.
    Forked: "forked", hint "Start the call in the child process.";

    /// The library was shut down.
    Shutdown: "shutdown",
        hint "The library restarts on the next use: call again if the program continues.";

    /// A callback would have to wait for its own end, or the program's `before_attempt` refused an attempt.
    Callback: "callback", hint "Wait on another thread.";

    /// A bug in this library.
    Internal: "internal", hint "A bug in modelwire: please report it with report().";
}

impl ErrorKind {
    /// The kind of a status that is not success (R-ERR1).
    pub fn of_status(status: u16) -> ErrorKind {
        match status {
            400 => ErrorKind::InvalidRequest,
            401 => ErrorKind::Authentication,
            403 => ErrorKind::Permission,
            404 => ErrorKind::NotFound,
            429 => ErrorKind::RateLimited,
            500..=599 => ErrorKind::Server,
            _ => ErrorKind::Status,
        }
    }
}

/// The timeout that expired.
///
/// ```
/// # let silent = std::net::TcpListener::bind("127.0.0.1:0")?;
/// # let base_url = format!("http://{}/v1", silent.local_addr()?);
/// # let config = modelwire::Config::new().base_url(base_url).api_key("sk-test");
/// # let client = modelwire::Client::new(config)?;
/// use std::time::Duration;
/// use modelwire::{ErrorKind, Request, TimeoutPhase};
///
/// // A service that does not answer.
/// let request = Request::models().total_timeout(Some(Duration::from_millis(50)));
/// let error = client.blocking().send(request).unwrap_err();
/// assert_eq!((error.kind(), error.timeout()), (ErrorKind::Timeout, Some(TimeoutPhase::Total)));
/// assert_eq!(TimeoutPhase::Total.name(), "total_timeout"); // the option that sets it
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeoutPhase {
    /// The wait for a connection while `connections_max` are in use.
    Pool,
    /// The time to open the connection, including TLS.
    Connect,
    /// The time from the start of an attempt until the response headers are complete.
    FirstByte,
    /// The time from the start of an attempt until the first content of its answer.
    FirstContent,
    /// The longest pause in the content of an answer; comments do not count.
    Idle,
    /// The deadline of all attempts and waits.
    Total,
}

impl TimeoutPhase {
    /// The name of the option that sets it.
    pub fn name(self) -> &'static str {
        match self {
            TimeoutPhase::Pool => "pool_timeout",
            TimeoutPhase::Connect => "connect_timeout",
            TimeoutPhase::FirstByte => "first_byte_timeout",
            TimeoutPhase::FirstContent => "first_content_timeout",
            TimeoutPhase::Idle => "idle_timeout",
            TimeoutPhase::Total => "total_timeout",
        }
    }
}

/// Whether a failed call may have been metered, judged over all its attempts (R-MET1).
///
/// ```
/// # let config = modelwire::Config::new().base_url("http://127.0.0.1:9/v1").api_key("sk-test");
/// # let client = modelwire::Client::new(config)?;
/// use modelwire::Metered;
///
/// // No connection: nothing was sent.
/// let error = client.blocking().models().unwrap_err();
/// assert_eq!(error.metered(), Metered::NotSent);
/// assert_eq!(error.metered().name(), "not_sent");
/// # Ok::<(), modelwire::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Metered {
    /// Nothing was sent, or the service reported through HTTP/2 that it processed nothing.
    #[default]
    NotSent,
    /// Answered only with 401: normally not metered.
    NormallyNot,
    /// Part of an answer arrived, so it entered processing.
    Entered,
    /// It was sent; whether it entered processing is not known.
    Unknown,
}

impl Metered {
    /// A stable name in snake case.
    pub fn name(self) -> &'static str {
        match self {
            Metered::NotSent => "not_sent",
            Metered::NormallyNot => "normally_not",
            Metered::Entered => "entered",
            Metered::Unknown => "unknown",
        }
    }

    /// The result for two attempts together.
    pub(crate) fn with(self, other: Metered) -> Metered {
        match (self, other) {
            (Metered::Entered, _) | (_, Metered::Entered) => Metered::Entered,
            (Metered::NotSent, known) | (known, Metered::NotSent) => known,
            (Metered::NormallyNot, Metered::NormallyNot) => Metered::NormallyNot,
            (Metered::Unknown, _) | (_, Metered::Unknown) => Metered::Unknown,
        }
    }
}
