//! The error object of C: every field of the core's error, its texts ready for C. Judges nothing.

use std::ffi::c_char;
use std::ptr::null_mut;
use std::time::{Duration, UNIX_EPOCH};

use modelwire_core::Error;

use crate::boundary::{Handle, Text, borrow, free, give, guard_or};
use crate::status::{MODELWIRE_OK, modelwire_status, of_kind};

/// What went wrong, with everything that is known about it; immutable, may be shared between
/// threads.
pub struct modelwire_error {
    error: Error,
    message: Text,
    hint: Text,
    metered: Text,
    path: Text,
    report: Text,
    error_type: Option<Text>,
    code: Option<Text>,
    param: Option<Text>,
    model: Option<Text>,
    request_id: Option<Text>,
    body: Option<Text>,
    partial: Option<Text>,
    timeout: Option<Text>,
}

impl Handle for modelwire_error {
    const NAME: &'static str = "error";
}

impl modelwire_error {
    pub(crate) fn new(error: Error) -> modelwire_error {
        modelwire_error {
            message: Text::new(error.message()),
            hint: Text::new(error.hint()),
            metered: Text::new(error.metered().name()),
            path: Text::new(error.path()),
            report: Text::new(&error.report()),
            error_type: error.error_type().map(Text::new),
            code: error.code().map(Text::new),
            param: error.param().map(Text::new),
            model: error.model().map(Text::new),
            request_id: error.request_id().map(Text::new),
            body: error.body().map(Text::new),
            partial: error.partial().map(Text::new),
            timeout: error.timeout().map(|phase| Text::new(phase.name())),
            error,
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

/// The service's own message where it gave one, else the library's with the cause. Never NULL for
/// an error. A NUL that a service put into it ends it here; modelwire_error_report has all of it.
///
/// @param error  the error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_error_message(error: *const modelwire_error) -> *const c_char {
    view(error, null_mut(), |error| Some(&error.message))
}

/// What to do about it; empty where there is nothing to say.
///
/// @param error  the error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_error_hint(error: *const modelwire_error) -> *const c_char {
    view(error, null_mut(), |error| Some(&error.hint))
}

/// "type" of the service's error object; NULL where it is absent.
///
/// @param error  the error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_error_type(error: *const modelwire_error) -> *const c_char {
    view(error, null_mut(), |error| error.error_type.as_ref())
}

/// "code" of the service's error object as text; NULL where it is absent.
///
/// @param error  the error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_error_code(error: *const modelwire_error) -> *const c_char {
    view(error, null_mut(), |error| error.code.as_ref())
}

/// "param" of the service's error object; NULL where it is absent.
///
/// @param error  the error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_error_param(error: *const modelwire_error) -> *const c_char {
    view(error, null_mut(), |error| error.param.as_ref())
}

/// The HTTP status; 0 where no answer came.
///
/// @param error  the error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_error_http_status(error: *const modelwire_error) -> i32 {
    number(error, 0, |error| error.status().map_or(0, i32::from))
}

/// The service's name for the exchange; NULL where there is none.
///
/// @param error  the error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_error_request_id(
    error: *const modelwire_error,
) -> *const c_char {
    view(error, null_mut(), |error| error.request_id.as_ref())
}

/// The path of the request; empty if there was none.
///
/// @param error  the error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_error_path(error: *const modelwire_error) -> *const c_char {
    view(error, null_mut(), |error| Some(&error.path))
}

/// The model that was asked for; NULL where there was none.
///
/// @param error  the error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_error_model(error: *const modelwire_error) -> *const c_char {
    view(error, null_mut(), |error| error.model.as_ref())
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

/// The option of the timeout that ran out, "idle_timeout" for instance; NULL for other errors.
///
/// @param error  the error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_error_timeout(error: *const modelwire_error) -> *const c_char {
    view(error, null_mut(), |error| error.timeout.as_ref())
}

/// Whether the call may have been metered: "not_sent", "normally_not", "entered" or "unknown".
///
/// @param error  the error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_error_metered(error: *const modelwire_error) -> *const c_char {
    view(error, null_mut(), |error| Some(&error.metered))
}

/// The body of the failed answer, at most 64 KiB of it, the key masked; NULL where none came.
///
/// @param error   the error
/// @param length  its length in bytes; may be NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_error_body(
    error: *const modelwire_error,
    length: *mut usize,
) -> *const c_char {
    view(error, length, |error| error.body.as_ref())
}

/// What was gathered of the answer before it failed, as JSON text, where the call gathers: a part
/// of what was paid for, not the whole. NULL where nothing was.
///
/// @param error   the error
/// @param length  its length in bytes; may be NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_error_partial(
    error: *const modelwire_error,
    length: *mut usize,
) -> *const c_char {
    view(error, length, |error| error.partial.as_ref())
}

/// Everything that support needs, as text of several lines, without the key.
///
/// @param error   the error
/// @param length  its length in bytes; may be NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_error_report(
    error: *const modelwire_error,
    length: *mut usize,
) -> *const c_char {
    view(error, length, |error| Some(&error.report))
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

fn view(
    error: *const modelwire_error,
    length: *mut usize,
    pick: impl FnOnce(&'static modelwire_error) -> Option<&'static Text>,
) -> *const c_char {
    guard_or(std::ptr::null(), || give(borrow(error).ok().and_then(pick), length))
}
