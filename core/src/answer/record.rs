//! What a call tells once it has ended: when each of its steps was, what it waited for, what came of it.
//! Made once for each started call. Knows no transport and no language.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::answer::error_kind::{ErrorKind, Metered};
use crate::protocol::endpoint::Endpoint;
use crate::protocol::usage::Usage;

/// Attempts that a record has at most: the last ones. [`CallRecord::attempts_count`] counts all.
pub const ATTEMPTS_RECORDED_MAX: usize = 32;
/// Waits that a record has at most: the last ones. [`CallRecord::waits_count`] counts all.
pub const WAITS_RECORDED_MAX: usize = 32;
/// Times of chunks that a record has at most: the first ones. [`CallRecord::chunks`] counts all.
pub const CHUNK_TIMES_MAX: usize = 16_384;

/// Bytes of each text of the service that a record keeps at most.
pub(crate) const RECORD_TEXT_BYTES_MAX: usize = 1024;

/// What a call tells once it has ended, however it ended. Cheap to clone.
///
/// Every started call has exactly one: on its answer ([`Response::record`](crate::Response::record)) or
/// its error ([`Error::record`](crate::Error::record)), and for those who collect the records of a client
/// ([`Client::on_call`](crate::Client::on_call)). All times are counted from [`CallRecord::start`]. No
/// key is in it, and what the service said is masked as in errors (R-AUTH4).
#[derive(Clone, Debug)]
pub struct CallRecord(Arc<Recorded>);

/// What is in a record.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    pub(crate) start: SystemTime,
    pub(crate) operation: Endpoint,
    pub(crate) path: String,
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

/// What an answer says of itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answered {
    pub(crate) response_id: Option<String>,
    pub(crate) response_model: Option<String>,
    pub(crate) finish_reason: Option<String>,
    pub(crate) usage: Option<Usage>,
}

/// One attempt of a call. Times are counted from the start of the call.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct AttemptRecord {
    /// When it began.
    pub start: Duration,
    /// What it was connected to: the service, or a proxy on the way.
    pub address: Option<SocketAddr>,
    /// Whether its connection was there before; `None` where it got none.
    pub reused: Option<bool>,
    /// How long the host's name was looked up, for a connection of its own.
    pub dns: Option<Duration>,
    /// How long connecting took, what a proxy took included, for a connection of its own.
    pub connect: Option<Duration>,
    /// How long the TLS handshake took, for a connection of its own.
    pub tls: Option<Duration>,
    /// When the head of its answer was complete.
    pub head: Option<Duration>,
    /// When the first byte of its body came.
    pub first_byte: Option<Duration>,
    /// When it ended: that of the last one is the end of the call.
    pub end: Duration,
    /// The status of its answer.
    pub status: Option<u16>,
    /// What it failed with.
    pub kind: Option<ErrorKind>,
}

/// A time in which a call could not go on. Counted from the start of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WaitRecord {
    /// What for.
    pub reason: WaitReason,
    /// When it began.
    pub start: Duration,
    /// How long it took.
    pub length: Duration,
}

/// What a call waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitReason {
    /// The time before another attempt.
    Retry,
    /// One of `connections_max` connections.
    Connection,
    /// Its turn behind other calls of the client (`retry_adaptive`).
    Turn,
    /// A moment in which a connection may be closed by the service that carried a stream just now.
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

/// Who ended a call before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CancelledBy {
    /// The program cancelled it.
    Program,
    /// The program dropped what held it.
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

    /// What was called.
    pub fn operation(&self) -> Endpoint {
        self.0.operation
    }

    /// The path of the request, without host and query.
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// The model that was asked for; `None` for a list of models.
    pub fn model(&self) -> Option<&str> {
        self.0.model.as_deref()
    }

    /// Whether the caller asked for a stream, whatever the service sent.
    pub fn streamed(&self) -> bool {
        self.0.streamed
    }

    /// The attempts in their order, the last [`ATTEMPTS_RECORDED_MAX`].
    pub fn attempts(&self) -> &[AttemptRecord] {
        &self.0.attempts
    }

    /// How many attempts there were.
    pub fn attempts_count(&self) -> u64 {
        self.0.attempts_count
    }

    /// What the call waited for, in order, the last [`WAITS_RECORDED_MAX`].
    pub fn waits(&self) -> &[WaitRecord] {
        &self.0.waits
    }

    /// How many waits there were.
    pub fn waits_count(&self) -> u64 {
        self.0.waits_count
    }

    /// When the first chunk was read, also where the caller wants them gathered only; `None` where none
    /// came. Chunks that came together have one time.
    pub fn first_chunk(&self) -> Option<Duration> {
        self.0.first_chunk
    }

    /// When the last chunk was read.
    pub fn last_chunk(&self) -> Option<Duration> {
        self.0.last_chunk
    }

    /// How many chunks came; for a document that a streaming caller got as chunks, how many those are.
    pub fn chunks(&self) -> u64 {
        self.0.chunks
    }

    /// When each chunk was read, the first [`CHUNK_TIMES_MAX`]; empty unless `chunk_times` is on.
    pub fn chunk_times(&self) -> &[Duration] {
        &self.0.chunk_times
    }

    /// From the start to the end.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed
    }

    /// What it failed with; `None` for a good answer.
    pub fn kind(&self) -> Option<ErrorKind> {
        self.0.kind
    }

    /// The HTTP status of the answer, where one came.
    pub fn status(&self) -> Option<u16> {
        self.0.status
    }

    /// The service's name for the exchange (`x-request-id`).
    pub fn request_id(&self) -> Option<&str> {
        self.0.request_id.as_deref()
    }

    /// The `id` of the answer.
    pub fn response_id(&self) -> Option<&str> {
        self.0.answered.response_id.as_deref()
    }

    /// The model that answered, as it calls itself.
    pub fn response_model(&self) -> Option<&str> {
        self.0.answered.response_model.as_deref()
    }

    /// Why the first choice of a chat stopped, or the `status` of a response; also of a stream that was
    /// not gathered.
    pub fn finish_reason(&self) -> Option<&str> {
        self.0.answered.finish_reason.as_deref()
    }

    /// The usage that the service reported, also before a failure.
    pub fn usage(&self) -> Option<Usage> {
        self.0.answered.usage
    }

    /// Whether the call may have been metered (R-MET1).
    pub fn metered(&self) -> Metered {
        self.0.metered
    }

    /// Bytes of the bodies that were sent, over all attempts. A body whose sending broke off is counted
    /// whole.
    pub fn bytes_out(&self) -> u64 {
        self.0.bytes_out
    }

    /// Bytes of the bodies that were read, over all attempts, as they came: packed, where they were.
    pub fn bytes_in(&self) -> u64 {
        self.0.bytes_in
    }

    /// Who ended the call before its end.
    pub fn cancelled_by(&self) -> Option<CancelledBy> {
        self.0.cancelled_by
    }
}
