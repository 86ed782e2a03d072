//! The error handle of C, and `guard`, which turns the outcome of a function into a status.

use std::ffi::c_char;
use std::ptr::{null, null_mut};
use std::sync::OnceLock;

use modelwire_core::Error;

use crate::boundary::{Handle, borrow, free, guard_io, guard_or, write};
use crate::status::{MODELWIRE_OK, modelwire_status, of_kind};
use crate::text::{Ready, Text, give};
use crate::value::{Lent, modelwire_value};

/// An error with everything that is known about it; immutable, may be shared between threads.
pub struct modelwire_error {
    core: Error,
    message: OnceLock<Text>,
    report: OnceLock<Text>,
    json: OnceLock<Text>,
    value: Lent,
}

impl Handle for modelwire_error {
    const NAME: &'static str = "error";
}

impl modelwire_error {
    pub(crate) fn new(core: Error) -> modelwire_error {
        modelwire_error {
            core,
            message: OnceLock::new(),
            report: OnceLock::new(),
            json: OnceLock::new(),
            value: Lent::default(),
        }
    }

    pub(crate) fn message(&self) -> Ready<'_> {
        self.message.get_or_init(|| Text::new(self.core.message())).ready()
    }

    pub(crate) fn json(&self) -> Ready<'_> {
        self.json.get_or_init(|| Text::new(&self.core.to_json())).ready()
    }

    pub(crate) fn value(&self) -> *const modelwire_value {
        self.value.get(|| modelwire_value::of_json(self.core.to_json()))
    }
}

/// Runs the body of a function that returns a status, and writes an error object through an optional
/// pointer: NULL after success. A panic becomes an error.
pub(crate) fn guard(
    err: *mut *mut modelwire_error,
    body: impl FnOnce() -> Result<modelwire_status, Error>,
) -> modelwire_status {
    write(err, null_mut());
    let panicked = || Err(Error::internal("a panic was caught at the C boundary"));
    match guard_io(None, || Some(body())).unwrap_or_else(panicked) {
        Ok(status) => status,
        Err(error) => {
            let status = of_kind(error.kind());
            if !err.is_null() {
                write(err, modelwire_error::new(error).into_raw());
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
        borrow(error).map_or(MODELWIRE_OK, |given| of_kind(given.core.kind()))
    })
}

/// The service's own message if it sent one, otherwise the library's message with the cause.
///
/// @param error   the error
/// @param length  its length in bytes; may be NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_error_message(
    error: *const modelwire_error,
    length: *mut usize,
) -> *const c_char {
    give(error, length, |error| Some(error.message()))
}

/// A report for support, as text of several lines, without the API key.
///
/// @param error   the error
/// @param length  its length in bytes; may be NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_error_report(
    error: *const modelwire_error,
    length: *mut usize,
) -> *const c_char {
    give(error, length, |error| {
        Some(error.report.get_or_init(|| Text::new(&error.core.report())).ready())
    })
}

/// Everything that is known about the error, as one JSON object without the API key. Members, null
/// where absent:
///
/// @accessors error
///
/// "timing" is what modelwire_event_json returns for the record of a call.
///
/// @param error   the error
/// @param length  its length in bytes; may be NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_error_json(
    error: *const modelwire_error,
    length: *mut usize,
) -> *const c_char {
    give(error, length, |error| Some(error.json()))
}

/// The members of modelwire_error_json, to read by path; borrowed. NULL for NULL.
///
/// @param error  the error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_error_value(
    error: *const modelwire_error,
) -> *const modelwire_value {
    guard_or(null(), || borrow(error).map_or(null(), modelwire_error::value))
}
