//! Reads the values in a JSON text by path. Fields without their own function are read this way, so a
//! new field of a service needs no new function.

use std::ffi::c_char;
use std::ptr::{null, null_mut};

use modelwire_core::{Error, Value};

use crate::boundary::{borrow, borrow_text, copy_text, free, guard_or, missing, output, write};
use crate::error::{guard, modelwire_error};
use crate::status::{MODELWIRE_ABSENT, MODELWIRE_OK, modelwire_status};
use crate::text::Text;
use crate::value::modelwire_value;

/// Parses a JSON text, for instance the arguments of a tool call.
///
/// @param json    one JSON value, UTF-8, copied; checked here
/// @param length  its length in bytes, or MODELWIRE_NUL
/// @param out     the value; free it with modelwire_value_free
/// @param err     the error, on failure, with the byte position; may be NULL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL or text that is not JSON
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_value_new(
    json: *const c_char,
    length: usize,
    out: *mut *mut modelwire_value,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let slot = output(out)?;
        let json = copy_text("json", json, length)?;
        Value::parse(&json)
            .map_err(|cause| Error::argument(format!("the text is not JSON: {cause}")))?;
        Ok(slot.give(modelwire_value::of_json(json)))
    })
}

/// Makes the JSON string of a text, which modelwire_value_json returns with its quotes and escapes: for
/// a text inside JSON that a program writes itself.
///
/// @param text    the text, UTF-8, copied
/// @param length  its length in bytes, or MODELWIRE_NUL
/// @param out     the value; free it with modelwire_value_free
/// @param err     the error, on failure; may be NULL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL or text that is not UTF-8
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_value_new_text(
    text: *const c_char,
    length: usize,
    out: *mut *mut modelwire_value,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let slot = output(out)?;
        let text = borrow_text("text", text, length)?;
        Ok(slot.give(modelwire_value::of_json(modelwire_core::parse::quoted(text))))
    })
}

/// Frees a value that the caller owns. Does nothing to a value borrowed from a response, an event or an
/// error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_value_free(value: *mut modelwire_value) {
    free(value);
}

/// A string, decoded; NULL where there is none.
///
/// @param value        the value
/// @param path         a JSON pointer (RFC 6901)
/// @param path_length  its length in bytes, or MODELWIRE_NUL
/// @param length       the result's length in bytes; may be NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_value_text(
    value: *const modelwire_value,
    path: *const c_char,
    path_length: usize,
    length: *mut usize,
) -> *const c_char {
    text_at(value, path, path_length, length, "text", |found| Some(Text::new(&found.as_str()?)))
}

/// Any value as JSON text, exactly as it was sent, including all digits of numbers; NULL where there is
/// none.
///
/// @param value        the value
/// @param path         a JSON pointer (RFC 6901); "" is the whole
/// @param path_length  its length in bytes, or MODELWIRE_NUL
/// @param length       the result's length in bytes; may be NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_value_json(
    value: *const modelwire_value,
    path: *const c_char,
    path_length: usize,
    length: *mut usize,
) -> *const c_char {
    text_at(value, path, path_length, length, "json", |found| Some(Text::new(found.text())))
}

/// An integer that fits 64 bits and has neither a point nor an exponent, or a boolean: 1 for true, 0 for false.
///
/// @param value        the value
/// @param path         a JSON pointer (RFC 6901)
/// @param path_length  its length in bytes, or MODELWIRE_NUL
/// @param out          receives the value
/// @return MODELWIRE_OK; MODELWIRE_ABSENT where there is none, and nothing is written; or
///         MODELWIRE_E_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_value_int(
    value: *const modelwire_value,
    path: *const c_char,
    path_length: usize,
    out: *mut i64,
) -> modelwire_status {
    read_at(value, path, path_length, out, |found| {
        found.as_i64().or(found.as_bool().map(i64::from))
    })
}

/// A number.
///
/// @param value        the value
/// @param path         a JSON pointer (RFC 6901)
/// @param path_length  its length in bytes, or MODELWIRE_NUL
/// @param out          receives the value
/// @return MODELWIRE_OK; MODELWIRE_ABSENT where there is none, and nothing is written; or
///         MODELWIRE_E_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_value_number(
    value: *const modelwire_value,
    path: *const c_char,
    path_length: usize,
    out: *mut f64,
) -> modelwire_status {
    read_at(value, path, path_length, out, |found| found.as_f64())
}

/// The number of items of an array, or of members of an object; 0 for anything else.
///
/// @param value        the value
/// @param path         a JSON pointer (RFC 6901); "" is the whole
/// @param path_length  its length in bytes, or MODELWIRE_NUL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_value_count(
    value: *const modelwire_value,
    path: *const c_char,
    path_length: usize,
) -> usize {
    guard_or(0, || {
        let count = || {
            let found = borrow(value).ok()?.at(borrow_text("path", path, path_length).ok()?)?;
            Some(found.count())
        };
        count().unwrap_or(0)
    })
}

/// The name of a member of an object, decoded; NULL where there is none. Members are counted from 0 in
/// the order in which they were sent, including duplicates; modelwire_value_count returns their number.
/// In a path, write "~" in a name as "~0" and "/" as "~1".
///
/// @param value        the value
/// @param path         the object's JSON pointer (RFC 6901); "" is the whole
/// @param path_length  its length in bytes, or MODELWIRE_NUL
/// @param index        which member
/// @param length       the result's length in bytes; may be NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_value_name(
    value: *const modelwire_value,
    path: *const c_char,
    path_length: usize,
    index: usize,
    length: *mut usize,
) -> *const c_char {
    let what = format!("name{index}");
    text_at(value, path, path_length, length, &what, |found| {
        Some(Text::new(&found.member_name(index)?))
    })
}

fn text_at(
    value: *const modelwire_value,
    path: *const c_char,
    path_length: usize,
    length: *mut usize,
    what: &str,
    make: impl FnOnce(Value<'_>) -> Option<Text>,
) -> *const c_char {
    write(length, 0);
    guard_or(null(), || {
        let found = || {
            let value = borrow(value).ok()?;
            let path = borrow_text("path", path, path_length).ok()?;
            let name = format!("{what}{path}");
            Some(value.made.give(name, length, || make(value.at(path)?)))
        };
        found().unwrap_or(null())
    })
}

fn read_at<T>(
    value: *const modelwire_value,
    path: *const c_char,
    path_length: usize,
    out: *mut T,
    read: impl FnOnce(Value<'_>) -> Option<T>,
) -> modelwire_status {
    guard(null_mut(), || {
        let value = borrow(value)?;
        let path = borrow_text("path", path, path_length)?;
        if out.is_null() {
            return Err(missing("out"));
        }
        let Some(read) = value.at(path).and_then(read) else { return Ok(MODELWIRE_ABSENT) };
        write(out, read);
        Ok(MODELWIRE_OK)
    })
}
