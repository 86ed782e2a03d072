//! The record of a call that has ended: the times of its steps, its waits, its outcome. Made once for
//! each started call.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::answer::error_kind::{ErrorKind, Metered};
use crate::protocol::endpoint::Endpoint;
use crate::protocol::usage::Usage;

/// The maximum number of attempts in a record: the last ones. [`CallRecord::attempts_count`] counts
/// all.
pub const ATTEMPTS_RECORDED_MAX: usize = 32;
/// The maximum number of waits in a record: the last ones. [`CallRecord::waits_count`] counts all.
pub const WAITS_RECORDED_MAX: usize = 32;
/// The maximum number of chunk times in a record: the first ones. [`CallRecord::chunks`] counts all.
pub const CHUNK_TIMES_MAX: usize = 16_384;

/// The maximum bytes of each text from the service in a record.
pub(crate) const RECORD_TEXT_BYTES_MAX: usize = 1024;

/// The record of a call that has ended, with or without success. Cheap to clone.
///
/// Every started call has exactly one: in its answer ([`Response::record`](crate::Response::record)) or
/// its error ([`Error::record`](crate::Error::record)), and for callbacks that collect the records of a
/// client ([`Client::on_call`](crate::Client::on_call)). All times are counted from
/// [`CallRecord::start`]. It never contains the key; texts from the service are redacted as in errors
/// (R-AUTH4).
///
/// ```
/// # let config = modelwire::Config::new().base_url("http://127.0.0.1:9/v1").api_key("sk-test");
/// # let client = modelwire::Client::new(config)?;
/// use modelwire::{Endpoint, ErrorKind};
///
/// let error = client.blocking().models().unwrap_err();
/// let record = error.record().ok_or("the call was not started")?;
/// assert_eq!((record.operation(), record.path()), (Endpoint::Models, "/v1/models"));
/// assert_eq!((record.attempts_count(), record.kind()), (1, Some(ErrorKind::Connect)));
/// println!("started at {:?}, took {:?}", record.start(), record.elapsed());
/// println!("{} bytes sent, {} bytes received", record.bytes_out(), record.bytes_in());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct CallRecord(Arc<Recorded>);

/// The contents of a record.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    pub(crate) start: SystemTime,
    pub(crate) operation: Endpoint,
    pub(crate) path: Arc<str>,
    pub(crate) model: Option<String>,
    pub(crate) streamed: bool,
    pub(crate) attempts: Vec<AttemptRecord>,
    pub(crate) attempts_count: u64,
    pub(crate) waits: Vec<WaitRecord>,
    pub(crate) waits_count: u64,
    pub(crate) first_chunk: Option<Duration>,
    pub(crate) last_chunk: Option<Duration>,
    pub(crate) chunks: u64,
    pub(crate) chunk_times: Vec<Duration>,
    pub(crate) consumer_wait: Duration,
    pub(crate) elapsed: Duration,
    pub(crate) kind: Option<ErrorKind>,
    pub(crate) status: Option<u16>,
    pub(crate) request_id: Option<String>,
    pub(crate) answered: Answered,
    pub(crate) metered: Metered,
    pub(crate) bytes_out: u64,
    pub(crate) bytes_in: u64,
    pub(crate) cancelled_by: Option<CancelledBy>,
}

#[cfg(test)]
impl Recorded {
    /// Of a call that has done nothing yet.
    pub(crate) fn empty() -> Recorded {
        Recorded {
            start: SystemTime::UNIX_EPOCH,
            operation: Endpoint::Chat,
            path: "".into(),
            model: None,
            streamed: false,
            attempts: Vec::new(),
            attempts_count: 0,
            waits: Vec::new(),
            waits_count: 0,
            first_chunk: None,
            last_chunk: None,
            chunks: 0,
            chunk_times: Vec::new(),
            consumer_wait: Duration::ZERO,
            elapsed: Duration::ZERO,
            kind: None,
            status: None,
            request_id: None,
            answered: Answered::default(),
            metered: Metered::Entered,
            bytes_out: 0,
            bytes_in: 0,
            cancelled_by: None,
        }
    }
}

/// The answer's own id, model and finish reason.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answered {
    pub(crate) response_id: Option<String>,
    pub(crate) response_model: Option<String>,
    pub(crate) finish_reason: Option<String>,
    pub(crate) usage: Option<Usage>,
}

/// One attempt of a call. Times are counted from the start of the call.
///
/// ```
/// # let config = modelwire::Config::new().base_url("http://127.0.0.1:9/v1").api_key("sk-test");
/// # let client = modelwire::Client::new(config)?;
/// let error = client.blocking().models().unwrap_err();
/// for attempt in error.record().ok_or("the call was not started")?.attempts() {
///     println!("to {:?}: {:?} to {:?}", attempt.address, attempt.start, attempt.end);
///     assert_eq!((attempt.status, attempt.kind), (None, Some(modelwire::ErrorKind::Connect)));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct AttemptRecord {
    /// When it began.
    pub start: Duration,
    /// The base URL to which it was sent, its query redacted, if the client has several.
    pub base_url: Option<Arc<str>>,
    /// The peer of the connection: the service, or a proxy.
    pub address: Option<SocketAddr>,
    /// Whether it reused a connection; `None` if it got none.
    pub reused: Option<bool>,
    /// The time of the DNS lookup, for a new connection.
    pub dns: Option<Duration>,
    /// The time to connect, including a proxy's part, for a new connection.
    pub connect: Option<Duration>,
    /// The time of the TLS handshake, for a new connection.
    pub tls: Option<Duration>,
    /// When the response headers were complete.
    pub head: Option<Duration>,
    /// When the first byte of its body arrived.
    pub first_byte: Option<Duration>,
    /// When it ended: the last attempt's end is the end of the call.
    pub end: Duration,
    /// The status of its answer.
    pub status: Option<u16>,
    /// The kind of its error.
    pub kind: Option<ErrorKind>,
    /// It ended while it opened a connection.
    pub(crate) is_opening: bool,
    /// Its connection went through a proxy.
    pub(crate) is_proxied: bool,
}

/// A period in which a call had to wait. Counted from the start of the call.
///
/// ```
/// # let config = modelwire::Config::new().base_url("http://127.0.0.1:9/v1").api_key("sk-test");
/// # let client = modelwire::Client::new(config)?;
/// use std::time::Duration;
/// use modelwire::{Request, RetryPolicy, WaitReason};
///
/// let first_wait = Duration::from_millis(5);
/// let policy = RetryPolicy::default().max_retries(1).connect_errors(true).first_wait(first_wait);
/// let error = client.blocking().send(Request::models().retry(policy)).unwrap_err();
/// let wait = error.record().and_then(|record| record.waits().first()).ok_or("no wait")?;
/// assert_eq!(wait.reason, WaitReason::Retry);
/// assert!(wait.length >= first_wait);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WaitRecord {
    /// The reason.
    pub reason: WaitReason,
    /// When it began.
    pub start: Duration,
    /// How long it took.
    pub length: Duration,
}

/// What a call waited for.
///
/// ```
/// use std::time::Duration;
/// use modelwire::{CallRecord, WaitReason};
///
/// /// How long the call waited for a connection.
/// fn waited_for_connection(record: &CallRecord) -> Duration {
///     let waits = record.waits().iter().filter(|wait| wait.reason == WaitReason::Connection);
///     waits.map(|wait| wait.length).sum()
/// }
/// assert_eq!(WaitReason::Connection.name(), "connection");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitReason {
    /// The delay before another attempt.
    Retry,
    /// A connection, while `connections_max` are in use.
    Connection,
    /// Its turn after other calls of the client (`retry_adaptive`).
    Turn,
    /// A short time in which the service may close a connection that has just carried a stream.
    Reuse,
}

impl WaitReason {
    /// A stable name in snake case.
    pub fn name(self) -> &'static str {
        match self {
            WaitReason::Retry => "retry",
            WaitReason::Connection => "connection",
            WaitReason::Turn => "turn",
            WaitReason::Reuse => "reuse",
        }
    }
}

/// Who ended a call early.
///
/// ```
/// # let silent = std::net::TcpListener::bind("127.0.0.1:0")?;
/// # let base_url = format!("http://{}/v1", silent.local_addr()?);
/// # let config = modelwire::Config::new().base_url(base_url).api_key("sk-test");
/// # let client = modelwire::Client::new(config)?;
/// use modelwire::{Call, CancelledBy, Event, Pop, Request};
///
/// let call = Call::new(&client, Request::models());
/// call.start(false)?;
/// call.cancel();
/// let Pop::Event(Event::Done(Err(error))) = call.pop(None)? else { return Err("no error".into()) };
/// let by = error.record().and_then(|record| record.cancelled_by());
/// assert_eq!(by, Some(CancelledBy::Program));
/// assert_eq!(by.map(CancelledBy::name), Some("program"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CancelledBy {
    /// The program cancelled it.
    Program,
    /// The program dropped its handle.
    Dropped,
    /// Its client was closed.
    Closed,
    /// The library was shut down, or the runtime of its client ended.
    Shutdown,
}

impl CancelledBy {
    /// A stable name in snake case.
    pub fn name(self) -> &'static str {
        match self {
            CancelledBy::Program => "program",
            CancelledBy::Dropped => "dropped",
            CancelledBy::Closed => "closed",
            CancelledBy::Shutdown => "shutdown",
        }
    }
}

impl CallRecord {
    pub(crate) fn new(recorded: Recorded) -> CallRecord {
        CallRecord(Arc::new(recorded))
    }

    /// When the call was started.
    pub fn start(&self) -> SystemTime {
        self.0.start
    }

    /// The operation.
    pub fn operation(&self) -> Endpoint {
        self.0.operation
    }

    /// The path of the request, without host and query.
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// The requested model; `None` for a model list.
    pub fn model(&self) -> Option<&str> {
        self.0.model.as_deref()
    }

    /// Whether the caller requested a stream, regardless of what the service sent.
    pub fn streamed(&self) -> bool {
        self.0.streamed
    }

    /// The attempts in order, the last [`ATTEMPTS_RECORDED_MAX`].
    pub fn attempts(&self) -> &[AttemptRecord] {
        &self.0.attempts
    }

    /// The number of attempts.
    pub fn attempts_count(&self) -> u64 {
        self.0.attempts_count
    }

    /// The waits of the call, in order, the last [`WAITS_RECORDED_MAX`].
    pub fn waits(&self) -> &[WaitRecord] {
        &self.0.waits
    }

    /// The number of waits.
    pub fn waits_count(&self) -> u64 {
        self.0.waits_count
    }

    /// When the first chunk was read, even if chunks are only gathered; `None` if there were none.
    /// Chunks that arrived together have the same time.
    ///
    /// ```
    /// fn print(record: &modelwire::CallRecord) {
    ///     if let (Some(first), Some(last)) = (record.first_chunk(), record.last_chunk()) {
    ///         println!("{} chunks, the first after {first:?}, the last after {last:?}", record.chunks());
    ///     }
    /// }
    /// ```
    pub fn first_chunk(&self) -> Option<Duration> {
        self.0.first_chunk
    }

    /// When the last chunk was read.
    pub fn last_chunk(&self) -> Option<Duration> {
        self.0.last_chunk
    }

    /// The number of chunks; for a document delivered to a streaming caller as chunks, the number of
    /// those.
    pub fn chunks(&self) -> u64 {
        self.0.chunks
    }

    /// When each chunk was read, for the first [`CHUNK_TIMES_MAX`]; empty unless `chunk_times` is on.
    pub fn chunk_times(&self) -> &[Duration] {
        &self.0.chunk_times
    }

    /// How long the stream was not read any further because its queue was full: the program was slower than
    /// the service.
    pub fn consumer_wait(&self) -> Duration {
        self.0.consumer_wait
    }

    /// The time from the start to the end.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed
    }

    /// The kind of its error; `None` after success.
    pub fn kind(&self) -> Option<ErrorKind> {
        self.0.kind
    }

    /// The HTTP status of the answer, if one arrived.
    pub fn status(&self) -> Option<u16> {
        self.0.status
    }

    /// The service's identifier of the request (`x-request-id`).
    pub fn request_id(&self) -> Option<&str> {
        self.0.request_id.as_deref()
    }

    /// The `id` of the answer.
    pub fn response_id(&self) -> Option<&str> {
        self.0.answered.response_id.as_deref()
    }

    /// The model that answered, as the service names it.
    pub fn response_model(&self) -> Option<&str> {
        self.0.answered.response_model.as_deref()
    }

    /// Why the first choice of a chat stopped, or the `status` of a response; also for a stream that
    /// was not gathered.
    pub fn finish_reason(&self) -> Option<&str> {
        self.0.answered.finish_reason.as_deref()
    }

    /// The usage that the service reported, even before a failure.
    pub fn usage(&self) -> Option<Usage> {
        self.0.answered.usage
    }

    /// Whether the call may have been metered (R-MET1).
    pub fn metered(&self) -> Metered {
        self.0.metered
    }

    /// The bytes of the sent bodies, over all attempts. A partly sent body counts in full.
    pub fn bytes_out(&self) -> u64 {
        self.0.bytes_out
    }

    /// The bytes of the received bodies, over all attempts, as transferred: compressed if they were.
    pub fn bytes_in(&self) -> u64 {
        self.0.bytes_in
    }

    /// Who ended the call early.
    pub fn cancelled_by(&self) -> Option<CancelledBy> {
        self.0.cancelled_by
    }
}
