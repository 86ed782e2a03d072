//! Any field of a response or a chunk, by its path: what has no accessor of its own is read so, and
//! a new field of a service needs no new function.

use std::ffi::c_char;
use std::ptr::{null, null_mut};

use modelwire_core::{Error, Kind, Value};

use crate::boundary::{borrow, copy_text, guard_or, write};
use crate::error::guard;
use crate::event::modelwire_event;
use crate::response::modelwire_response;
use crate::status::{MODELWIRE_ABSENT, MODELWIRE_OK, modelwire_status};
use crate::text::{Key, Parent, give};

/// A handle with fields.
trait Whole: Parent {
    /// What the paths lead into, where there is such a thing.
    fn whole(&self) -> Option<Value<'_>>;
}

impl Whole for modelwire_response {
    fn whole(&self) -> Option<Value<'_>> {
        Some(self.core().document()?.value())
    }
}

impl Whole for modelwire_event {
    fn whole(&self) -> Option<Value<'_>> {
        Some(self.as_chunk()?.value())
    }
}

/// The text of a field, decoded or as JSON.
fn text_at<P: Whole>(
    parent: *const P,
    path: *const c_char,
    path_length: usize,
    is_json: bool,
    length: *mut usize,
) -> *const c_char {
    guard_or(null(), || {
        let found = || {
            let parent = borrow(parent).ok()?;
            let path = copy_text("path", path, path_length).ok()?;
            let value = parent.whole()?.pointer(&path)?;
            Some(match is_json {
                true => parent.made().give(Key::Json(path), length, || Some(value.text().into())),
                false => parent.made().give(Key::Field(path), length, || value.as_str()),
            })
        };
        found().unwrap_or_else(|| give(None, length))
    })
}

/// A number of a field, through `out`.
fn number_at<P: Whole, T>(
    parent: *const P,
    path: *const c_char,
    path_length: usize,
    out: *mut T,
    read: impl FnOnce(Value<'_>) -> Option<T>,
) -> modelwire_status {
    guard(null_mut(), || {
        let parent = borrow(parent)?;
        let path = copy_text("path", path, path_length)?;
        if out.is_null() {
            return Err(Error::argument("out is NULL"));
        }
        let value = parent.whole().and_then(|whole| whole.pointer(&path));
        Ok(match value.and_then(read) {
            Some(number) => {
                write(out, number);
                MODELWIRE_OK
            }
            None => MODELWIRE_ABSENT,
        })
    })
}

fn count_at<P: Whole>(parent: *const P, path: *const c_char, path_length: usize) -> usize {
    guard_or(0, || {
        let count = || {
            let path = copy_text("path", path, path_length).ok()?;
            let value = borrow(parent).ok()?.whole()?.pointer(&path)?;
            Some(match value.kind() {
                Kind::Array => value.items().len(),
                Kind::Object => value.members().len(),
                Kind::Null | Kind::Bool | Kind::Number | Kind::String => 0,
            })
        };
        count().unwrap_or(0)
    })
}

/// A string anywhere in the response, decoded; NULL where there is none.
///
/// @param response     the response
/// @param path         a JSON pointer (RFC 6901), "/choices/0/message/refusal" for instance
/// @param path_length  its length in bytes, or MODELWIRE_NUL
/// @param length       the result's length in bytes; may be NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_get_text(
    response: *const modelwire_response,
    path: *const c_char,
    path_length: usize,
    length: *mut usize,
) -> *const c_char {
    text_at(response, path, path_length, false, length)
}

/// Anything in the response as the JSON text that was sent, numbers to their last digit; NULL where
/// there is nothing. The empty path is the whole.
///
/// @param response     the response
/// @param path         a JSON pointer (RFC 6901), "/choices/0/message/refusal" for instance
/// @param path_length  its length in bytes, or MODELWIRE_NUL
/// @param length       the result's length in bytes; may be NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_get_json(
    response: *const modelwire_response,
    path: *const c_char,
    path_length: usize,
    length: *mut usize,
) -> *const c_char {
    text_at(response, path, path_length, true, length)
}

/// An integer that fits 64 bits anywhere in the response.
///
/// @param response     the response
/// @param path         a JSON pointer (RFC 6901), "/choices/0/message/refusal" for instance
/// @param path_length  its length in bytes, or MODELWIRE_NUL
/// @param out          where it is written
/// @return MODELWIRE_OK; MODELWIRE_ABSENT where there is none, and nothing is written; or
///         MODELWIRE_E_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_get_int(
    response: *const modelwire_response,
    path: *const c_char,
    path_length: usize,
    out: *mut i64,
) -> modelwire_status {
    number_at(response, path, path_length, out, |value| value.as_i64())
}

/// A number anywhere in the response.
///
/// @param response     the response
/// @param path         a JSON pointer (RFC 6901), "/choices/0/message/refusal" for instance
/// @param path_length  its length in bytes, or MODELWIRE_NUL
/// @param out          where it is written
/// @return MODELWIRE_OK; MODELWIRE_ABSENT where there is none, and nothing is written; or
///         MODELWIRE_E_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_get_number(
    response: *const modelwire_response,
    path: *const c_char,
    path_length: usize,
    out: *mut f64,
) -> modelwire_status {
    number_at(response, path, path_length, out, |value| value.as_f64())
}

/// A boolean, as 0 or 1, anywhere in the response.
///
/// @param response     the response
/// @param path         a JSON pointer (RFC 6901), "/choices/0/message/refusal" for instance
/// @param path_length  its length in bytes, or MODELWIRE_NUL
/// @param out          where it is written
/// @return MODELWIRE_OK; MODELWIRE_ABSENT where there is none, and nothing is written; or
///         MODELWIRE_E_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_get_bool(
    response: *const modelwire_response,
    path: *const c_char,
    path_length: usize,
    out: *mut i32,
) -> modelwire_status {
    number_at(response, path, path_length, out, |value| value.as_bool().map(i32::from))
}

/// How many items an array, or members an object, anywhere in the response has; 0 for anything
/// else.
///
/// @param response     the response
/// @param path         a JSON pointer (RFC 6901), "/choices/0/message/refusal" for instance
/// @param path_length  its length in bytes, or MODELWIRE_NUL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_get_count(
    response: *const modelwire_response,
    path: *const c_char,
    path_length: usize,
) -> usize {
    count_at(response, path, path_length)
}

/// A string anywhere in the chunk, decoded; NULL where there is none.
///
/// @param event        the event
/// @param path         a JSON pointer (RFC 6901), "/choices/0/message/refusal" for instance
/// @param path_length  its length in bytes, or MODELWIRE_NUL
/// @param length       the result's length in bytes; may be NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_event_get_text(
    event: *const modelwire_event,
    path: *const c_char,
    path_length: usize,
    length: *mut usize,
) -> *const c_char {
    text_at(event, path, path_length, false, length)
}

/// Anything in the chunk as the JSON text that was sent, numbers to their last digit; NULL where
/// there is nothing. The empty path is the whole.
///
/// @param event        the event
/// @param path         a JSON pointer (RFC 6901), "/choices/0/message/refusal" for instance
/// @param path_length  its length in bytes, or MODELWIRE_NUL
/// @param length       the result's length in bytes; may be NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_event_get_json(
    event: *const modelwire_event,
    path: *const c_char,
    path_length: usize,
    length: *mut usize,
) -> *const c_char {
    text_at(event, path, path_length, true, length)
}

/// An integer that fits 64 bits anywhere in the chunk.
///
/// @param event        the event
/// @param path         a JSON pointer (RFC 6901), "/choices/0/message/refusal" for instance
/// @param path_length  its length in bytes, or MODELWIRE_NUL
/// @param out          where it is written
/// @return MODELWIRE_OK; MODELWIRE_ABSENT where there is none, and nothing is written; or
///         MODELWIRE_E_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_event_get_int(
    event: *const modelwire_event,
    path: *const c_char,
    path_length: usize,
    out: *mut i64,
) -> modelwire_status {
    number_at(event, path, path_length, out, |value| value.as_i64())
}

/// A number anywhere in the chunk.
///
/// @param event        the event
/// @param path         a JSON pointer (RFC 6901), "/choices/0/message/refusal" for instance
/// @param path_length  its length in bytes, or MODELWIRE_NUL
/// @param out          where it is written
/// @return MODELWIRE_OK; MODELWIRE_ABSENT where there is none, and nothing is written; or
///         MODELWIRE_E_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_event_get_number(
    event: *const modelwire_event,
    path: *const c_char,
    path_length: usize,
    out: *mut f64,
) -> modelwire_status {
    number_at(event, path, path_length, out, |value| value.as_f64())
}

/// A boolean, as 0 or 1, anywhere in the chunk.
///
/// @param event        the event
/// @param path         a JSON pointer (RFC 6901), "/choices/0/message/refusal" for instance
/// @param path_length  its length in bytes, or MODELWIRE_NUL
/// @param out          where it is written
/// @return MODELWIRE_OK; MODELWIRE_ABSENT where there is none, and nothing is written; or
///         MODELWIRE_E_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_event_get_bool(
    event: *const modelwire_event,
    path: *const c_char,
    path_length: usize,
    out: *mut i32,
) -> modelwire_status {
    number_at(event, path, path_length, out, |value| value.as_bool().map(i32::from))
}

/// How many items an array, or members an object, anywhere in the chunk has; 0 for anything else.
///
/// @param event        the event
/// @param path         a JSON pointer (RFC 6901), "/choices/0/message/refusal" for instance
/// @param path_length  its length in bytes, or MODELWIRE_NUL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_event_get_count(
    event: *const modelwire_event,
    path: *const c_char,
    path_length: usize,
) -> usize {
    count_at(event, path, path_length)
}
