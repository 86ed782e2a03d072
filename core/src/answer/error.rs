//! The error type of the library: its kind, what the service reported, what the caller can do, and
//! whether the call may have been metered.
//!
//! Classification happens here, by status alone (R-ERR1), never by message text.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::answer::error_kind::{ErrorKind, Metered, TimeoutPhase};
use crate::answer::head::Head;
use crate::answer::rate_limits::RateLimits;
use crate::answer::record::CallRecord;
use crate::protocol::error_body::ErrorObject;
use crate::protocol::text::{excerpt, without_secrets};

/// What the call knows when it fails (R-ERR3): the same for every error of a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Context {
    /// The first attempt's start.
    pub(crate) request_time: Option<SystemTime>,
    pub(crate) path: Arc<str>,
    pub(crate) model: Option<String>,
    pub(crate) attempts: u32,
    pub(crate) elapsed: Duration,
    pub(crate) metered: Metered,
}

#[derive(Clone, Debug)]
struct Inner {
    kind: ErrorKind,
    message: String,
    hint: Cow<'static, str>,
    error_type: Option<String>,
    code: Option<String>,
    param: Option<String>,
    status: Option<u16>,
    request_id: Option<String>,
    headers: Vec<(String, String)>,
    retry_after: Option<Duration>,
    timeout: Option<TimeoutPhase>,
    body: Option<String>,
    partial: Option<String>,
    /// A limit of the client was exceeded.
    is_too_large: bool,
    context: Context,
    record: Option<CallRecord>,
    /// The system's error, of a connection that could not be made.
    source: Option<Arc<std::io::Error>>,
}

/// An error with everything that is known about it. Cheap to clone and safe to send between threads.
///
/// ```
/// use modelwire::{Client, Config, ErrorKind};
///
/// // Nothing listens on this port.
/// let client = Client::new(Config::new().base_url("http://127.0.0.1:9/v1").api_key("sk-test"))?;
/// let error = client.blocking().models().unwrap_err();
/// assert_eq!((error.kind(), error.attempts()), (ErrorKind::Connect, 1));
/// eprintln!("{error}"); // the message, and a hint what to do
/// eprintln!("{}", error.report()); // everything that is known, for support; never the key
/// eprintln!("{}", error.to_json()); // the same as JSON
/// # Ok::<(), modelwire::Error>(())
/// ```
#[derive(Clone)]
pub struct Error(Arc<Inner>);

/// `Result` with this library's [`Error`].
///
/// ```
/// fn first_model(client: &modelwire::Client) -> modelwire::Result<Option<String>> {
///     Ok(client.blocking().models()?.model_ids().into_iter().next())
/// }
/// ```
pub type Result<T, E = Error> = std::result::Result<T, E>;

const PAYMENT_HINT: &str =
    "Check the account's balance and payment in the service's control panel.";

const REFUSED_HINT: &str = "Reproduce it with a minimal request, then add parameters one by one. Also check \
    the base URL and any proxy in between.";

/// The parts of a failed answer, for [`Error::from_response`].
pub(crate) struct FailedAnswer<'a> {
    pub(crate) status: u16,
    /// The body, truncated to its limit, with the key already redacted.
    pub(crate) body: &'a str,
    pub(crate) request_id: Option<String>,
    pub(crate) retry_after: Option<Duration>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error(Arc::new(Inner {
            kind,
            message: message.into(),
            hint: Cow::Borrowed(kind.hint()),
            error_type: None,
            code: None,
            param: None,
            status: None,
            request_id: None,
            headers: Vec::new(),
            retry_after: None,
            timeout: None,
            body: None,
            partial: None,
            is_too_large: false,
            context: Context::default(),
            record: None,
            source: None,
        }))
    }

    /// With the system's error, of which a copy is made.
    pub(crate) fn caused_by(self, system: Option<&std::io::Error>) -> Error {
        let copied = system.map(|error| {
            let number = error.raw_os_error();
            number.map_or_else(
                || std::io::Error::new(error.kind(), error.to_string()),
                std::io::Error::from_raw_os_error,
            )
        });
        self.edit(|inner| inner.source = copied.map(Arc::new))
    }

    /// An argument that a binding, not the core, found to be invalid.
    ///
    /// ```
    /// use modelwire::{Error, ErrorKind};
    ///
    /// let error = Error::argument("limit is 0: it must be 1 or more");
    /// assert_eq!(error.kind(), ErrorKind::Argument);
    /// assert_eq!((error.message(), error.hint().is_empty()), ("limit is 0: it must be 1 or more", false));
    /// assert_eq!(Error::closed("the session was closed").kind(), ErrorKind::Closed);
    /// assert_eq!(Error::internal("a callback panicked").kind(), ErrorKind::Internal);
    /// ```
    pub fn argument(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Argument, message)
    }

    /// A handle that was used after it was closed.
    pub fn closed(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Closed, message)
    }

    /// A panic that a binding caught at its boundary.
    pub fn internal(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Internal, message)
    }

    /// The system refused a thread or a descriptor, before anything was sent.
    pub(crate) fn no_room(what: &str, cause: &std::io::Error) -> Error {
        Error::new(ErrorKind::Connect, format!("{what}: {cause}")).with_hint(
            "Raise the limits on threads and open files (ulimit -u, ulimit -n), or close some.",
        )
    }

    /// An invalid configuration.
    pub(crate) fn config(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Config, message)
    }

    /// An answer that exceeds a limit, which the message names.
    pub(crate) fn too_large(message: impl Into<String>) -> Error {
        let hint = "Raise the limit named in the message if an answer of that size is expected.";
        let error = Error::new(ErrorKind::Protocol, message).with_hint(hint);
        error.edit(|inner| inner.is_too_large = true)
    }

    /// Whether an answer exceeded a limit of the client.
    pub(crate) fn is_too_large(&self) -> bool {
        self.0.is_too_large
    }

    pub(crate) fn timed_out(phase: TimeoutPhase, bound: Duration) -> Error {
        let message = format!("{} of {} ms exceeded", phase.name(), bound.as_millis());
        Error::new(ErrorKind::Timeout, message).edit(|inner| inner.timeout = Some(phase))
    }

    /// The error for an answer whose status is not success (R-ERR1, R-ERR2, R-ERR4).
    pub(crate) fn from_response(answer: FailedAnswer<'_>) -> Error {
        let found = ErrorObject::find(answer.body);
        let text = answer.body.trim_start_matches('\u{feff}');
        let said = found.message.clone().unwrap_or_else(|| excerpt(text));
        let message = if said.is_empty() {
            format!("the service returned status {} without a body", answer.status)
        } else {
            said
        };
        let kind = ErrorKind::of_status(answer.status);
        let error = Error::new(kind, message);
        // A request that the service itself refused with a reason reached the right place.
        let is_refusal = kind == ErrorKind::Status && (400..500).contains(&answer.status);
        let error = match is_refusal && found.message.is_some() {
            _ if answer.status == 402 => error.with_hint(PAYMENT_HINT),
            true => error.with_hint(REFUSED_HINT),
            false => error,
        };
        error.edit(|inner| {
            inner.status = Some(answer.status);
            inner.request_id = answer.request_id;
            inner.retry_after = answer.retry_after;
            inner.body = Some(answer.body.to_owned());
            inner.take(found);
        })
    }

    /// The error in an event of a stream (R-ERR6); `data` is the event's whole text.
    pub(crate) fn from_event(data: &str) -> Error {
        let found = ErrorObject::find(data);
        let said = found.message.clone().unwrap_or_else(|| excerpt(data));
        let message = if said.is_empty() { "an error event without data".to_owned() } else { said };
        Error::new(ErrorKind::Stream, message).edit(|inner| {
            inner.body = Some(data.to_owned());
            inner.take(found);
        })
    }

    fn edit(mut self, edit: impl FnOnce(&mut Inner)) -> Error {
        edit(Arc::make_mut(&mut self.0));
        self
    }

    pub(crate) fn with_context(self, context: &Context) -> Error {
        self.edit(|inner| inner.context = context.clone())
    }

    /// The parts that are known without its call.
    #[doc(hidden)]
    pub fn with_metered(self, metered: Metered) -> Error {
        self.edit(|inner| inner.context.metered = metered)
    }

    /// The record of its call.
    pub(crate) fn with_record(self, record: CallRecord) -> Error {
        self.edit(|inner| inner.record = Some(record))
    }

    /// Every text from the service is redacted by `redact` (R-AUTH4): it may echo the key.
    pub(crate) fn redacted(self, redact: impl Fn(&str) -> String) -> Error {
        self.edit(|inner| {
            inner.message = redact(&inner.message);
            for text in [
                &mut inner.error_type,
                &mut inner.code,
                &mut inner.param,
                &mut inner.request_id,
                &mut inner.body,
            ] {
                *text = text.as_deref().map(&redact);
            }
        })
    }

    /// Another hint than that of its kind.
    #[doc(hidden)]
    pub fn with_hint(self, hint: impl Into<Cow<'static, str>>) -> Error {
        self.edit(|inner| inner.hint = hint.into())
    }

    pub(crate) fn with_message(self, message: String) -> Error {
        self.edit(|inner| inner.message = message)
    }

    /// The answer that arrived before the failure.
    pub(crate) fn with_answer(self, head: &Head) -> Error {
        self.edit(|inner| {
            inner.status = Some(head.status());
            inner.request_id = head.request_id().map(str::to_owned);
            inner.headers = head.headers().to_vec();
            // The target of a redirect may have its own secrets.
            let is_place = |(name, _): &&mut (String, String)| name == "location";
            for (_, place) in inner.headers.iter_mut().filter(is_place) {
                *place = without_secrets(place);
            }
        })
    }

    pub(crate) fn with_body(self, body: impl Into<String>) -> Error {
        self.edit(|inner| inner.body = Some(body.into()))
    }

    pub(crate) fn with_partial(self, json: String) -> Error {
        self.edit(|inner| inner.partial = Some(json))
    }

    /// The kind: what a caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The service's own message if it sent one, otherwise the library's, with the cause.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What to do about it; empty for a cancelled call.
    pub fn hint(&self) -> &str {
        &self.0.hint
    }

    /// `type` of the service's error object (R-ERR2).
    pub fn error_type(&self) -> Option<&str> {
        self.0.error_type.as_deref()
    }

    /// `code` of the service's error object as text; an integer is written in decimal (R-ERR2).
    pub fn code(&self) -> Option<&str> {
        self.0.code.as_deref()
    }

    /// `param` of the service's error object.
    pub fn param(&self) -> Option<&str> {
        self.0.param.as_deref()
    }

    /// The HTTP status, if an answer arrived.
    pub fn status(&self) -> Option<u16> {
        self.0.status
    }

    /// The service's identifier of the request (`x-request-id`).
    pub fn request_id(&self) -> Option<&str> {
        self.0.request_id.as_deref()
    }

    /// The rate limits in the headers; `None` if there are none. Clock times are counted from the
    /// answer's `date`, or from now without one.
    pub fn rate_limits(&self) -> Option<RateLimits> {
        RateLimits::read(self.headers(), SystemTime::now())
    }

    /// How long the service asked the client to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// The timeout that expired, for [`ErrorKind::Timeout`].
    pub fn timeout(&self) -> Option<TimeoutPhase> {
        self.0.timeout
    }

    /// The body of the failed answer or the event, as text, truncated to `error_body_bytes_max`; the
    /// key is redacted.
    pub fn body(&self) -> Option<&str> {
        self.0.body.as_deref()
    }

    /// The part of the answer gathered before the failure, as JSON text, if the call gathers. It may be
    /// less than what was metered; the key is redacted.
    ///
    /// ```no_run
    /// # fn run(client: modelwire::Client) -> modelwire::Result<()> {
    /// use modelwire::Request;
    ///
    /// let request = Request::chat("a-model").user("Tell me a story.").gather(true);
    /// for chunk in client.blocking().stream(request)? {
    ///     if let Err(error) = chunk {
    ///         eprintln!("{error}\nThis much arrived: {:?}", error.partial());
    ///     }
    /// }
    /// # Ok(()) }
    /// ```
    pub fn partial(&self) -> Option<&str> {
        self.0.partial.as_deref()
    }

    /// The headers of the answer in order, with names in lower case and the key redacted; empty if no
    /// answer arrived.
    pub fn headers(&self) -> &[(String, String)] {
        &self.0.headers
    }

    /// When the first attempt started; `None` if nothing was attempted.
    pub fn request_time(&self) -> Option<SystemTime> {
        self.0.context.request_time
    }

    /// The path of the request, without host and query; empty if there was no request.
    pub fn path(&self) -> &str {
        &self.0.context.path
    }

    /// The requested model.
    pub fn model(&self) -> Option<&str> {
        self.0.context.model.as_deref()
    }

    /// The number of attempts.
    pub fn attempts(&self) -> u32 {
        self.0.context.attempts
    }

    /// The time from the start of the call's first wait or attempt to the failure.
    pub fn elapsed(&self) -> Duration {
        self.0.context.elapsed
    }

    /// Whether the call may have been metered (R-MET1).
    pub fn metered(&self) -> Metered {
        self.0.context.metered
    }

    /// The record of its call; `None` for an error before a call started.
    pub fn record(&self) -> Option<&CallRecord> {
        self.0.record.as_ref()
    }

    /// A description of the error on one line.
    fn what(&self) -> String {
        match self.status() {
            Some(status) => format!("{} (status {status})", self.message()),
            None => self.message().to_owned(),
        }
    }

    /// Where the documentation explains errors of this kind: a page of this project and a place on it, such as
    /// `docs/troubleshooting.md#kind-timeout`.
    pub fn doc_url(&self) -> String {
        format!("docs/troubleshooting.md#kind-{}", self.kind().name())
    }

    /// A report for support, as text; never the key (R-ERR3, R-AUTH4).
    pub fn report(&self) -> String {
        let mut lines =
            vec![format!("modelwire {} error: {}", env!("CARGO_PKG_VERSION"), self.what())];
        let mut line = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                lines.push(format!("{name}: {value}"));
            }
        };
        let text = |value: Option<&str>| value.map(str::to_owned);
        line("kind", Some(self.kind().name().to_owned()));
        line("status", self.status().map(|status| status.to_string()));
        line("type", text(self.error_type()));
        line("code", text(self.code()));
        line("param", text(self.param()));
        line("request id", text(self.request_id()));
        line("time", self.request_time().map(httpdate::fmt_http_date));
        line("path", Some(self.path().to_owned()).filter(|path| !path.is_empty()));
        line("model", text(self.model()));
        line("attempts", Some(self.attempts().to_string()));
        line("elapsed", Some(format!("{} ms", self.elapsed().as_millis())));
        line("retry after", self.retry_after().map(|wait| format!("{} ms", wait.as_millis())));
        line("timeout", self.timeout().map(|phase| phase.name().to_owned()));
        line("metered", Some(self.metered().name().to_owned()));
        line("hint", Some(self.hint().to_owned()).filter(|hint| !hint.is_empty()));
        line("documentation", Some(self.doc_url()));
        line("body", text(self.body()));
        lines.join("\n")
    }
}

/// The error and what to do about it: `message (status 404). Hint: ...`.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = self.what();
        f.write_str(&what)?;
        if self.hint().is_empty() {
            return Ok(());
        }
        let end = if what.ends_with(['.', '!', '?']) { "" } else { "." };
        write!(f, "{end} Hint: {}", self.hint())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.report())
    }
}

impl std::error::Error for Error {
    /// The system's error (`std::io::Error`) of a connection that could not be made, with its kind and
    /// number.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

impl Inner {
    fn take(&mut self, found: ErrorObject) {
        self.error_type = found.error_type;
        self.code = found.code;
        self.param = found.param;
    }
}

#[cfg(test)]
#[path = "error_tests.rs"]
mod tests;
