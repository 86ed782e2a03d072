//! The status numbers of the C ABI. Numbers are added and never changed.

use modelwire_core::ErrorKind;

/// The result of a function: 0 is success, a positive number is an outcome that is not an error, a
/// negative number is the kind of an error.
pub type modelwire_status = i32;

/// Success.
pub const MODELWIRE_OK: modelwire_status = 0;
/// A callback ended its stream by returning nonzero.
pub const MODELWIRE_STOPPED: modelwire_status = 1;
/// The caller's wait timed out; not an error. (A call that times out gives MODELWIRE_E_TIMEOUT.)
pub const MODELWIRE_TIMEOUT: modelwire_status = 2;
/// The requested item does not exist.
pub const MODELWIRE_ABSENT: modelwire_status = 3;
/// The queue is closed and empty; not an error.
pub const MODELWIRE_CLOSED: modelwire_status = 4;
/// A signal or a wakeup ended an interruptible wait; not an error. The call continues: check your own
/// flags, then wait again or cancel.
pub const MODELWIRE_INTERRUPTED: modelwire_status = 5;

/// An argument is invalid; nothing was sent.
pub const MODELWIRE_E_ARGUMENT: modelwire_status = -1;
/// The configuration is invalid or incomplete; nothing was sent.
pub const MODELWIRE_E_CONFIG: modelwire_status = -2;
/// Status 400: the request is invalid.
pub const MODELWIRE_E_INVALID_REQUEST: modelwire_status = -3;
/// Status 401: the key is missing, wrong or malformed.
pub const MODELWIRE_E_AUTHENTICATION: modelwire_status = -4;
/// Status 403: not permitted for this account, balance, model or key.
pub const MODELWIRE_E_PERMISSION: modelwire_status = -5;
/// Status 404: wrong path, or no such model.
pub const MODELWIRE_E_NOT_FOUND: modelwire_status = -6;
/// Status 429: a rate, concurrency, quota or resource limit.
pub const MODELWIRE_E_RATE_LIMITED: modelwire_status = -7;
/// Status 5xx: a temporary failure of the service.
pub const MODELWIRE_E_SERVER: modelwire_status = -8;
/// Any other status that is not success.
pub const MODELWIRE_E_STATUS: modelwire_status = -9;
/// No connection: refused, unreachable, host name not found, or no thread or descriptor for one.
pub const MODELWIRE_E_CONNECT: modelwire_status = -10;
/// The TLS handshake or a certificate failed.
pub const MODELWIRE_E_TLS: modelwire_status = -11;
/// A timeout expired; "timeout" in the error's JSON says which.
pub const MODELWIRE_E_TIMEOUT: modelwire_status = -12;
/// The connection was lost after the request was sent.
pub const MODELWIRE_E_DISCONNECTED: modelwire_status = -13;
/// The response violates the protocol, or exceeds a size limit.
pub const MODELWIRE_E_PROTOCOL: modelwire_status = -14;
/// A stream ended without its end mark.
pub const MODELWIRE_E_INCOMPLETE: modelwire_status = -15;
/// The service reported an error after a success status, usually in a stream.
pub const MODELWIRE_E_STREAM: modelwire_status = -16;
/// The call was cancelled.
pub const MODELWIRE_E_CANCELLED: modelwire_status = -17;
/// The client or queue was closed.
pub const MODELWIRE_E_CLOSED: modelwire_status = -18;
/// The call belongs to the parent process.
pub const MODELWIRE_E_FORKED: modelwire_status = -19;
/// The library was shut down while the call was in flight.
pub const MODELWIRE_E_SHUTDOWN: modelwire_status = -20;
/// A bug in this library.
pub const MODELWIRE_E_INTERNAL: modelwire_status = -21;

/// The function was called from inside a callback whose end it would have to wait for.
pub const MODELWIRE_E_CALLBACK: modelwire_status = -22;

/// The status of an error's kind.
pub(crate) fn of_kind(kind: ErrorKind) -> modelwire_status {
    match kind {
        ErrorKind::InvalidRequest => MODELWIRE_E_INVALID_REQUEST,
        ErrorKind::Authentication => MODELWIRE_E_AUTHENTICATION,
        ErrorKind::Permission => MODELWIRE_E_PERMISSION,
        ErrorKind::NotFound => MODELWIRE_E_NOT_FOUND,
        ErrorKind::RateLimited => MODELWIRE_E_RATE_LIMITED,
        ErrorKind::Server => MODELWIRE_E_SERVER,
        ErrorKind::Status => MODELWIRE_E_STATUS,
        ErrorKind::Connect => MODELWIRE_E_CONNECT,
        ErrorKind::Tls => MODELWIRE_E_TLS,
        ErrorKind::Timeout => MODELWIRE_E_TIMEOUT,
        ErrorKind::Disconnected => MODELWIRE_E_DISCONNECTED,
        ErrorKind::Protocol => MODELWIRE_E_PROTOCOL,
        ErrorKind::Incomplete => MODELWIRE_E_INCOMPLETE,
        ErrorKind::Stream => MODELWIRE_E_STREAM,
        ErrorKind::Cancelled => MODELWIRE_E_CANCELLED,
        ErrorKind::Argument => MODELWIRE_E_ARGUMENT,
        ErrorKind::Config => MODELWIRE_E_CONFIG,
        ErrorKind::Closed => MODELWIRE_E_CLOSED,
        ErrorKind::Forked => MODELWIRE_E_FORKED,
        ErrorKind::Shutdown => MODELWIRE_E_SHUTDOWN,
        ErrorKind::Internal => MODELWIRE_E_INTERNAL,
        ErrorKind::Callback => MODELWIRE_E_CALLBACK,
    }
}

/// The name of a status: an identifier.
pub(crate) fn name(status: modelwire_status) -> &'static std::ffi::CStr {
    match status {
        MODELWIRE_OK => c"ok",
        MODELWIRE_STOPPED => c"stopped",
        MODELWIRE_TIMEOUT => c"wait_timeout",
        MODELWIRE_ABSENT => c"absent",
        MODELWIRE_CLOSED => c"queue_closed",
        MODELWIRE_INTERRUPTED => c"interrupted",
        MODELWIRE_E_ARGUMENT => c"argument",
        MODELWIRE_E_CONFIG => c"config",
        MODELWIRE_E_INVALID_REQUEST => c"invalid_request",
        MODELWIRE_E_AUTHENTICATION => c"authentication",
        MODELWIRE_E_PERMISSION => c"permission",
        MODELWIRE_E_NOT_FOUND => c"not_found",
        MODELWIRE_E_RATE_LIMITED => c"rate_limited",
        MODELWIRE_E_SERVER => c"server",
        MODELWIRE_E_STATUS => c"status",
        MODELWIRE_E_CONNECT => c"connect",
        MODELWIRE_E_TLS => c"tls",
        MODELWIRE_E_TIMEOUT => c"timeout",
        MODELWIRE_E_DISCONNECTED => c"disconnected",
        MODELWIRE_E_PROTOCOL => c"protocol",
        MODELWIRE_E_INCOMPLETE => c"incomplete",
        MODELWIRE_E_STREAM => c"stream",
        MODELWIRE_E_CANCELLED => c"cancelled",
        MODELWIRE_E_CLOSED => c"closed",
        MODELWIRE_E_FORKED => c"forked",
        MODELWIRE_E_SHUTDOWN => c"shutdown",
        MODELWIRE_E_INTERNAL => c"internal",
        MODELWIRE_E_CALLBACK => c"callback",
        _ => c"unknown_status",
    }
}
