//! What can go wrong and what a caller can do about it, told apart by kind and never by message.
//! Knows no error in particular.

/// The enum, its names and what to do follow from one table: to add a kind is to add a row, and to
/// look at everyone who matches on it.
macro_rules! kinds {
    ($(
        $(#[doc = $doc:literal])+
        $kind:ident: $name:literal, hint $hint:literal;
    )+) => {
        /// What a caller can do about an error. Exhaustive on purpose: a new kind must be looked at by
        /// everyone who matches on it.
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

            /// The action that the specification expects of a client (its table of errors), or ours.
            pub(crate) fn hint(self) -> &'static str {
                match self {
                    $(ErrorKind::$kind => $hint,)+
                }
            }
        }
    };
}

kinds! {
    /// 400: the request is wrong; change it.
    InvalidRequest: "invalid_request",
        hint "Reproduce it with a minimal request, then add parameters one by one.";

    /// 401: the key is missing, wrong or malformed.
    Authentication: "authentication",
        hint "Copy the whole API key again from the service's control panel, and give it alone: no \
              quotes, no white space, no word Bearer.";

    /// 403: account, balance, model or key forbid it.
    Permission: "permission",
        hint "Check in the service's control panel: balance, state and restrictions of the account, \
              what the key may do, and whether the model is available.";

    /// 404: wrong path, or no such model.
    NotFound: "not_found",
        hint "Check the base URL, the path and the model name, as the service's control panel shows it.";

    /// 429: a rate, concurrency, quota or resource limit; slow down and try again.
    RateLimited: "rate_limited",
        hint "Lower the request rate and retry with backoff: the retry policy can make more retries, \
              and slow the whole client down (adaptive). The service's control panel shows limits \
              and quota.";

    /// 5xx: a temporary fault of the service.
    Server: "server",
        hint "A temporary fault of the service or of an upstream provider: note the time and the \
              error, retry later, or contact support.";

    /// Any other status that is not success.
    Status: "status", hint "An unexpected status: check the base URL and any proxy between.";

    /// No connection: refused, unreachable, name not found.
    Connect: "connect", hint "Check base_url, and that the service is reachable from here.";

    /// The TLS handshake or a certificate failed.
    Tls: "tls", hint "Check base_url, the system's certificate store and SSL_CERT_FILE.";

    /// One of the timeouts; [`Error::timeout`](crate::Error::timeout) says which.
    Timeout: "timeout", hint "Raise the timeout that is named, or find out what is slow.";

    /// The connection broke off after the request was sent.
    Disconnected: "disconnected",
        hint "The service may have processed the request; send it again only if a second metered \
              call is acceptable.";

    /// The answer is not what the protocol promises, or larger than a bound.
    Protocol: "protocol", hint "Check that base_url names an OpenAI-compatible service.";

    /// A stream ended cleanly but without its end mark (R-STR7).
    Incomplete: "incomplete", hint "What arrived is a part of the answer; do not take it as whole.";

    /// The service reported an error under a good status, in a stream mostly (R-ERR6).
    Stream: "stream", hint "Judge by type and code; what arrived before is a part of the answer.";

    /// The caller cancelled.
    Cancelled: "cancelled", hint "";

    /// An argument of the caller is wrong; nothing was sent.
    Argument: "argument", hint "Correct the argument; nothing was sent.";

    /// The configuration is wrong or misses something; nothing was sent.
    Config: "config",
        hint "Set MODELWIRE_BASE_URL and MODELWIRE_API_KEY, or pass base_url and api_key. The key is \
              created in the service's control panel.";

    /// The handle was closed.
    Closed: "closed", hint "Make a new one.";

    /// The handle was inherited through `fork` while in use.
    Forked: "forked", hint "Start the call in the child process.";

    /// The library was shut down.
    Shutdown: "shutdown",
        hint "What is used afterwards starts afresh: call again, if the program goes on.";

    /// A callback would wait for its own end.
    Callback: "callback", hint "Wait on another thread.";

    /// A fault of this library.
    Internal: "internal", hint "A fault of modelwire: please report it with report().";
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

/// Which timeout ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeoutPhase {
    /// Waiting for a connection where `connections_max` are in use.
    Pool,
    /// Opening the connection, TLS included.
    Connect,
    /// From the start of an attempt to the complete head of its answer.
    FirstByte,
    /// Between two pieces of substance of an answer; comments do not count.
    Idle,
    /// The deadline over all attempts and waits.
    Total,
}

impl TimeoutPhase {
    /// The name of the option that sets it.
    pub fn name(self) -> &'static str {
        match self {
            TimeoutPhase::Pool => "pool_timeout",
            TimeoutPhase::Connect => "connect_timeout",
            TimeoutPhase::FirstByte => "first_byte_timeout",
            TimeoutPhase::Idle => "idle_timeout",
            TimeoutPhase::Total => "total_timeout",
        }
    }
}

/// Whether a failed call may have been metered, judged over all its attempts (R-MET1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Metered {
    /// Nothing was sent, or the service said by HTTP/2 that it processed nothing.
    #[default]
    NotSent,
    /// Answered only by 401: normally not metered.
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

    /// What two attempts together say.
    pub(crate) fn with(self, other: Metered) -> Metered {
        match (self, other) {
            (Metered::Entered, _) | (_, Metered::Entered) => Metered::Entered,
            (Metered::NotSent, known) | (known, Metered::NotSent) => known,
            (Metered::NormallyNot, Metered::NormallyNot) => Metered::NormallyNot,
            (Metered::Unknown, _) | (_, Metered::Unknown) => Metered::Unknown,
        }
    }
}
