//! The request handle of C: an operation and the caller's JSON. Knows no transport.

use std::ffi::c_char;

use modelwire_core::Request;

use crate::boundary::{Handle, free, guard, hand_over, output, text};
use crate::error::modelwire_error;
use crate::status::modelwire_status;

/// A request of one of the three operations; may be used for many calls.
pub struct modelwire_request(pub(crate) Request);

impl Handle for modelwire_request {
    const NAME: &'static str = "request";
}

/// List the models.
///
/// @param out  the request; free it with modelwire_request_free
/// @param err  what is wrong, on failure; may be NULL
/// @return MODELWIRE_OK
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_models(
    out: *mut *mut modelwire_request,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || Ok(hand_over(output(out)?, modelwire_request(Request::models()))))
}

/// A chat completion from JSON text with at least "model" and "messages". The text is sent as it
/// is, but for "stream", which follows from how the call is made.
///
/// @param json    one JSON object, UTF-8, copied; checked here
/// @param length  its length in bytes, or MODELWIRE_NUL
/// @param out     the request; free it with modelwire_request_free
/// @param err     what is wrong, on failure; may be NULL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, what is not JSON (the error names the
///         byte), or a field that is missing or of the wrong type
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_chat_json(
    json: *const c_char,
    length: usize,
    out: *mut *mut modelwire_request,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    from_json(Request::chat_json, json, length, out, err)
}

/// A response from JSON text with at least "model" and "input"; as modelwire_request_chat_json.
///
/// @param json    one JSON object, UTF-8, copied; checked here
/// @param length  its length in bytes, or MODELWIRE_NUL
/// @param out     the request; free it with modelwire_request_free
/// @param err     what is wrong, on failure; may be NULL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, what is not JSON (the error names the
///         byte), or a field that is missing or of the wrong type
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_response_json(
    json: *const c_char,
    length: usize,
    out: *mut *mut modelwire_request,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    from_json(Request::response_json, json, length, out, err)
}

/// Frees a request; calls made from it keep their copy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_free(request: *mut modelwire_request) {
    free(request);
}

fn from_json(
    make: fn(String) -> Request,
    json: *const c_char,
    length: usize,
    out: *mut *mut modelwire_request,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let slot = output(out)?;
        let request = make(text("json", json, length)?);
        request.check()?;
        Ok(hand_over(slot, modelwire_request(request)))
    })
}
