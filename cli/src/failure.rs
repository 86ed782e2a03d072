//! How a command fails: one line for the user, and an exit code for programs.

use modelwire::{Error, ErrorKind};

/// Generates the enum and the meanings of its codes from one table.
macro_rules! exits {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal;)+) => {
        /// The exit code of the process, one for each possible reaction of the caller. Documented in
        /// docs/command/reference.md; never renumbered.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Exit {
            $(
                $(#[doc = $doc])+
                $name = $code,
            )+
        }

        impl Exit {
            /// All codes, in order.
            pub const ALL: &'static [Exit] = &[$(Exit::$name),+];

            /// The meaning, as a sentence.
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Exit::$name => concat!($($doc),+).trim_ascii(),)+
                }
            }
        }
    };
}

exits! {
    /// Success.
    Done = 0;
    /// An internal error of this program.
    Internal = 1;
    /// Invalid arguments or input; they caused no request.
    Usage = 2;
    /// A bulk job ended, and some rows failed.
    RowsFailed = 3;
    /// A bulk job was stopped by `--max-cost`, `--max-total-tokens`, `--max-rows`, the answer "no", or
    /// a pilot with nobody to ask.
    Budget = 4;
    /// A file cannot be read or written, or is damaged, the disk is full, another run is using the
    /// journal, a port is in use, or no thread can be started.
    File = 5;
    /// `doctor` found a fault.
    DoctorFailed = 6;
    /// The service rejected the request (400).
    Request = 10;
    /// The service rejected the key (401).
    Authentication = 11;
    /// The key, the account or the model does not allow it (403).
    Permission = 12;
    /// Wrong path, or no such model (404).
    NotFound = 13;
    /// Rate limited, after all attempts (429).
    RateLimited = 14;
    /// A server error (5xx).
    Server = 15;
    /// Any other status.
    Status = 16;
    /// No connection.
    Connect = 20;
    /// TLS failed.
    Tls = 21;
    /// Timeout.
    Timeout = 22;
    /// The connection was lost.
    Disconnected = 23;
    /// The answer violates the protocol.
    Protocol = 24;
    /// A stream ended without its end mark: the output is incomplete.
    Incomplete = 25;
    /// The service reported an error in the middle of an answer: the output is incomplete.
    Stream = 26;
    /// The model declined to answer; its refusal is on standard error.
    Refused = 27;
    /// Invalid configuration: base URL, key or an option.
    Config = 30;
    /// Ctrl-C, SIGTERM or, in `bulk`, a closed terminal (SIGHUP).
    Interrupted = 130;
    /// The reader of the output closed it.
    BrokenPipe = 141;
}

/// Why a command ended.
#[derive(Debug)]
pub struct Failure {
    /// The exit code of the process.
    pub exit: Exit,
    /// One line with the error, its place, and what to do; empty to print nothing.
    pub message: String,
    /// A report about the error of a call, for support; never contains the key.
    pub report: Option<Box<str>>,
}

impl Failure {
    /// Creates a failure with this message.
    pub fn new(exit: Exit, message: impl Into<String>) -> Failure {
        Failure { exit, message: message.into(), report: None }
    }

    /// Invalid arguments or input.
    pub fn usage(message: impl Into<String>) -> Failure {
        Failure::new(Exit::Usage, message)
    }

    /// A file cannot be read or written.
    pub fn file(message: impl Into<String>) -> Failure {
        Failure::new(Exit::File, message)
    }

    /// Prefixes the message.
    #[must_use]
    pub fn within(self, place: &str) -> Failure {
        Failure { message: format!("{place}: {}", self.message), ..self }
    }

    /// Appends a sentence to the message.
    #[must_use]
    pub fn and(self, sentence: &str) -> Failure {
        let end = ending(&self.message);
        Failure { message: format!("{}{end} {sentence}", self.message), ..self }
    }
}

impl Exit {
    /// The code for an error of a call.
    pub fn of(kind: ErrorKind) -> Exit {
        match kind {
            ErrorKind::InvalidRequest => Exit::Request,
            ErrorKind::Authentication => Exit::Authentication,
            ErrorKind::Permission => Exit::Permission,
            ErrorKind::NotFound => Exit::NotFound,
            ErrorKind::RateLimited => Exit::RateLimited,
            ErrorKind::Server => Exit::Server,
            ErrorKind::Status => Exit::Status,
            ErrorKind::Connect => Exit::Connect,
            ErrorKind::Tls => Exit::Tls,
            ErrorKind::Timeout => Exit::Timeout,
            ErrorKind::Disconnected => Exit::Disconnected,
            ErrorKind::Protocol => Exit::Protocol,
            ErrorKind::Incomplete => Exit::Incomplete,
            ErrorKind::Stream => Exit::Stream,
            ErrorKind::Cancelled => Exit::Interrupted,
            ErrorKind::Argument => Exit::Usage,
            ErrorKind::Config => Exit::Config,
            ErrorKind::Closed
            | ErrorKind::Forked
            | ErrorKind::Shutdown
            | ErrorKind::Callback
            | ErrorKind::Internal => Exit::Internal,
        }
    }
}

/// The missing full stop of a sentence, if any.
fn ending(sentence: &str) -> &'static str {
    if sentence.ends_with(['.', '!', '?']) { "" } else { "." }
}

/// Phrases in the library's hints, and the command's own words for them.
const WORDS: [(&str, &str); 6] = [
    ("Check base_url,", "Check the base URL,"),
    (
        "the service is reachable from here.",
        "the service is reachable from here: `modelwire doctor` looks closer.",
    ),
    (
        "Lower the request rate and retry with backoff: allow more retries, or let the whole client slow down \
         (retry_adaptive).",
        "Wait a while, or allow more retries: --retries N.",
    ),
    (
        "set stream_only (calls still return the whole answer) or stream the call (stream = true).",
        "leave out --no-stream.",
    ),
    (
        "Raise the timeout named in the message,",
        "Raise the timeout named in the message (--timeout, --option),",
    ),
    ("as api_key", "with --key-file"),
];

/// A hint of the library, in the command's words.
fn hint_of(error: &Error) -> String {
    WORDS.iter().fold(error.hint().to_owned(), |hint, (theirs, ours)| hint.replace(theirs, ours))
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let what = match error.status() {
            Some(status) => {
                format!("{} (status {status})", error.message().trim_end_matches('.'))
            }
            None => error.message().to_owned(),
        };
        let failure = Failure {
            exit: Exit::of(error.kind()),
            message: what,
            report: Some(error.report().into_boxed_str()),
        };
        if error.hint().is_empty() { failure } else { failure.and(&hint_of(&error)) }
    }
}

#[cfg(test)]
#[path = "failure_tests.rs"]
mod tests;
