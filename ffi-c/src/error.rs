//! The error object of C, with everything that the core's error says; and `guard`, which runs the
//! functions that give a status.

use std::ffi::c_char;
use std::time::{Duration, UNIX_EPOCH};

use modelwire_core::Error;

use crate::boundary::{Handle, borrow, free, guard_or, output};
use crate::status::{MODELWIRE_OK, modelwire_status, of_kind};
use crate::text::{Made, Parent, texts};

/// What went wrong, with everything that is known about it; immutable, may be shared between
/// threads.
pub struct modelwire_error {
    error: Error,
    made: Made,
}

impl Handle for modelwire_error {
    const NAME: &'static str = "error";
}

impl Parent for modelwire_error {
    fn made(&self) -> &Made {
        &self.made
    }
}

impl modelwire_error {
    pub(crate) fn new(error: Error) -> modelwire_error {
        modelwire_error { error, made: Made::default() }
    }
}

/// Runs the body of a function that gives a status, and an error object through an optional
/// pointer. A panic is an error too.
pub(crate) fn guard(
    err: *mut *mut modelwire_error,
    body: impl FnOnce() -> Result<modelwire_status, Error>,
) -> modelwire_status {
    let panicked = || Err(Error::internal("a panic was caught at the C border"));
    match guard_or(None, || Some(body())).unwrap_or_else(panicked) {
        Ok(status) => status,
        Err(error) => {
            let status = of_kind(error.kind());
            if let Ok(slot) = output(err) {
                *slot = modelwire_error::new(error).into_raw();
            }
            status
        }
    }
}

/// Frees an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_error_free(error: *mut modelwire_error) {
    free(error);
}

/// The kind of the error: the negative status that the failed function returned; 0 for NULL.
///
/// @param error  the error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_error_status(error: *const modelwire_error) -> modelwire_status {
    guard_or(MODELWIRE_OK, || {
        borrow(error).map_or(MODELWIRE_OK, |given| of_kind(given.error.kind()))
    })
}

texts! { error: modelwire_error,
    /// The service's own message where it gave one, else the library's with the cause. Never NULL
    /// for an error. A NUL that a service put into it ends it here; modelwire_error_report has all
    /// of it.
    modelwire_error_message() => Some(error.error.message());

    /// What to do about it; empty where there is nothing to say.
    modelwire_error_hint() => Some(error.error.hint());

    /// "type" of the service's error object; NULL where it is absent.
    modelwire_error_type() => error.error.error_type();

    /// "code" of the service's error object as text; NULL where it is absent.
    modelwire_error_code() => error.error.code();

    /// "param" of the service's error object; NULL where it is absent.
    modelwire_error_param() => error.error.param();

    /// The service's name for the exchange; NULL where there is none.
    modelwire_error_request_id() => error.error.request_id();

    /// The path of the request; empty if there was none.
    modelwire_error_path() => Some(error.error.path());

    /// The model that was asked for; NULL where there was none.
    modelwire_error_model() => error.error.model();

    /// The option of the timeout that ran out, "idle_timeout" for instance; NULL for other errors.
    modelwire_error_timeout() => error.error.timeout().map(|phase| phase.name());

    /// Whether the call may have been metered: "not_sent", "normally_not", "entered" or "unknown".
    modelwire_error_metered() => Some(error.error.metered().name());

    /// The body of the failed response, at most 64 KiB of it, the key masked; NULL where none came.
    modelwire_error_body(length) => error.error.body();

    /// What was gathered of the response before it failed, as JSON text, where the call gathers: a
    /// part of what was paid for, not the whole. NULL where nothing was.
    modelwire_error_partial(length) => error.error.partial();

    /// Everything that support needs, as text of several lines, without the key.
    modelwire_error_report(length) => Some(error.error.report());
}

/// The HTTP status; 0 where no response came.
///
/// @param error  the error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_error_http_status(error: *const modelwire_error) -> i32 {
    number(error, 0, |error| error.status().map_or(0, i32::from))
}

/// When the first attempt started, in milliseconds since 1970 UTC; -1 if nothing was attempted.
///
/// @param error  the error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_error_request_time_unix_ms(
    error: *const modelwire_error,
) -> i64 {
    number(error, -1, |error| {
        milliseconds(error.request_time().and_then(|time| time.duration_since(UNIX_EPOCH).ok()))
    })
}

/// How many times the request was attempted.
///
/// @param error  the error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_error_attempts(error: *const modelwire_error) -> i32 {
    number(error, 0, |error| i32::try_from(error.attempts()).unwrap_or(i32::MAX))
}

/// From the start of the first attempt to the failure, in milliseconds.
///
/// @param error  the error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_error_elapsed_ms(error: *const modelwire_error) -> i64 {
    number(error, -1, |error| milliseconds(Some(error.elapsed())))
}

/// How long the service asked to wait, in milliseconds; -1 if it did not.
///
/// @param error  the error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_error_retry_after_ms(error: *const modelwire_error) -> i64 {
    number(error, -1, |error| milliseconds(error.retry_after()))
}

fn milliseconds(time: Option<Duration>) -> i64 {
    time.map_or(-1, |time| i64::try_from(time.as_millis()).unwrap_or(i64::MAX))
}

fn number<T>(error: *const modelwire_error, fallback: T, read: impl FnOnce(&Error) -> T) -> T
where
    T: Copy,
{
    guard_or(fallback, || borrow(error).map_or(fallback, |given| read(&given.error)))
}
