//! The request handle of C: from the caller's JSON text, or filled field by field. Knows no call.

use std::ffi::c_char;

use modelwire_core::{Endpoint, Error, Request, Value};

use crate::boundary::{Handle, borrow_mut, borrow_text, copy_text, free, output};
use crate::error::{guard, modelwire_error};
use crate::status::{MODELWIRE_OK, modelwire_status};

/// List the models.
pub const MODELWIRE_OPERATION_MODELS: i32 = 1;
/// Chat completions.
pub const MODELWIRE_OPERATION_CHAT: i32 = 2;
/// Responses.
pub const MODELWIRE_OPERATION_RESPONSES: i32 = 3;

/// A request of one of the three operations; used by one thread at a time, for any number of
/// calls.
pub struct modelwire_request(pub(crate) Request);

impl Handle for modelwire_request {
    const NAME: &'static str = "request";
}

/// Which operation a number stands for.
pub(crate) fn endpoint(operation: i32) -> Result<Endpoint, Error> {
    match operation {
        MODELWIRE_OPERATION_MODELS => Ok(Endpoint::Models),
        MODELWIRE_OPERATION_CHAT => Ok(Endpoint::Chat),
        MODELWIRE_OPERATION_RESPONSES => Ok(Endpoint::Responses),
        other => {
            let message = format!("operation is {other}: use MODELWIRE_OPERATION_...");
            Err(Error::argument(message))
        }
    }
}

/// Makes a request from whole JSON text, or an empty one to be filled by modelwire_request_set_text
/// ("model" and, of a response, "input"), modelwire_request_add_message and the other setters, which
/// escape strings, for programs without a JSON library.
///
/// A chat has at least "model" and "messages", a response "model" and "input". The text is sent as it
/// is, but for "stream": that follows from how the call is made, and a "stream" that says otherwise
/// is an error. Each message is an object with a "role", a string, and "content", a string or an
/// array; only where the role is none of "user", "system", "developer" and "tool" may the content be
/// null or absent. "max_tokens" of a chat and "max_output_tokens" of a response are 1 or more, or
/// null.
///
/// @param operation  MODELWIRE_OPERATION_...
/// @param json       one JSON object, UTF-8, copied; checked here; NULL for an empty request, and for
///                   the model list, which has no body
/// @param length     its length in bytes, or MODELWIRE_NUL
/// @param out        the request; free it with modelwire_request_free
/// @param err        what is wrong, on failure: it names the byte or the field; may be NULL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for an unknown operation, what is not JSON, or a field
///         that is missing or cannot be right
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_new(
    operation: i32,
    json: *const c_char,
    length: usize,
    out: *mut *mut modelwire_request,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let slot = output(out)?;
        let endpoint = endpoint(operation)?;
        if json.is_null() {
            return Ok(slot.give(modelwire_request(Request::empty(endpoint))));
        }
        let request = Request::of_json(endpoint, copy_text("json", json, length)?);
        request.check()?;
        Ok(slot.give(modelwire_request(request)))
    })
}

/// Frees a request; calls made from it keep their copy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_free(request: *mut modelwire_request) {
    free(request);
}

/// Adds a message to a chat that is filled field by field, behind those of a "messages" that was set by
/// modelwire_request_set_json. A longer conversation generally costs more
/// and takes longer.
///
/// @param request         the request
/// @param role            "system", "user", "assistant"; copied
/// @param role_length     its length in bytes, or MODELWIRE_NUL
/// @param content         the text, copied
/// @param content_length  its length in bytes, or MODELWIRE_NUL
/// @param err             what is wrong, on failure; may be NULL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, what is not UTF-8, or a request that is
///         not a chat being filled
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_add_message(
    request: *mut modelwire_request,
    role: *const c_char,
    role_length: usize,
    content: *const c_char,
    content_length: usize,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let request = borrow_mut(request)?;
        if request.0.endpoint() != Endpoint::Chat {
            return Err(Error::argument("a message belongs to a chat"));
        }
        let role = borrow_text("role", role, role_length)?;
        let content = borrow_text("content", content, content_length)?;
        request.fill(|core| core.message(role, content))
    })
}

/// Sets a field to a string: "model", "input", "reasoning_effort" for instance. A second value
/// replaces the first.
///
/// @param request       the request, being filled field by field
/// @param name          the field's name, copied
/// @param name_length   its length in bytes, or MODELWIRE_NUL
/// @param value         the text, copied
/// @param value_length  its length in bytes, or MODELWIRE_NUL
/// @param err           what is wrong, on failure; may be NULL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, what is not UTF-8, or a request that
///         takes no fields
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_set_text(
    request: *mut modelwire_request,
    name: *const c_char,
    name_length: usize,
    value: *const c_char,
    value_length: usize,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let (request, name) = (borrow_mut(request)?, borrow_text("name", name, name_length)?);
        let value = borrow_text("value", value, value_length)?;
        request.fill(|core| core.field(name, value))
    })
}

/// Sets a field to an integer: "max_tokens", "seed" for instance.
///
/// @param request      the request, being filled field by field
/// @param name         the field's name, copied
/// @param name_length  its length in bytes, or MODELWIRE_NUL
/// @param value        the integer
/// @param err          what is wrong, on failure; may be NULL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, what is not UTF-8, or a request that
///         takes no fields
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_set_int(
    request: *mut modelwire_request,
    name: *const c_char,
    name_length: usize,
    value: i64,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let (request, name) = (borrow_mut(request)?, borrow_text("name", name, name_length)?);
        request.fill(|core| core.field(name, value))
    })
}

/// Sets a field to a number: "temperature" for instance.
///
/// @param request      the request, being filled field by field
/// @param name         the field's name, copied
/// @param name_length  its length in bytes, or MODELWIRE_NUL
/// @param value        the number; JSON has neither infinities nor NaN
/// @param err          what is wrong, on failure; may be NULL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, what is not UTF-8, a number that JSON
///         does not have, or a request that takes no fields
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_set_number(
    request: *mut modelwire_request,
    name: *const c_char,
    name_length: usize,
    value: f64,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let (request, name) = (borrow_mut(request)?, borrow_text("name", name, name_length)?);
        if !value.is_finite() {
            return Err(Error::argument(format!("{name} is {value}, which JSON does not have")));
        }
        request.fill(|core| core.field(name, value))
    })
}

/// Sets a field to a boolean: "parallel_tool_calls" for instance.
///
/// @param request      the request, being filled field by field
/// @param name         the field's name, copied
/// @param name_length  its length in bytes, or MODELWIRE_NUL
/// @param value        0 is false, anything else true
/// @param err          what is wrong, on failure; may be NULL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, what is not UTF-8, or a request that
///         takes no fields
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_set_bool(
    request: *mut modelwire_request,
    name: *const c_char,
    name_length: usize,
    value: i32,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let (request, name) = (borrow_mut(request)?, borrow_text("name", name, name_length)?);
        request.fill(|core| core.field(name, value != 0))
    })
}

/// Sets a field to any JSON value: "tools", "response_format", "messages" with images, numbers of any
/// size. Sent as it is.
///
/// @param request      the request, being filled field by field
/// @param name         the field's name, copied
/// @param name_length  its length in bytes, or MODELWIRE_NUL
/// @param json         one JSON value, copied; checked here
/// @param json_length  its length in bytes, or MODELWIRE_NUL
/// @param err          what is wrong, on failure, with the position; may be NULL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, what is not UTF-8 or not JSON, or a
///         request that takes no fields
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_set_json(
    request: *mut modelwire_request,
    name: *const c_char,
    name_length: usize,
    json: *const c_char,
    json_length: usize,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let (request, name) = (borrow_mut(request)?, borrow_text("name", name, name_length)?);
        let json = borrow_text("json", json, json_length)?;
        if let Err(cause) = Value::parse(json) {
            return Err(Error::argument(format!("the value of {name} is not JSON: {cause}")));
        }
        request.fill(|core| core.field_json(name, json))
    })
}

/// Sets options of the calls that are made from this request, in place of the client's: headers,
/// the API key, timeouts, retrying, gathering. All of them or, on failure, none. A second object adds to
/// the first; an option that it names anew is replaced, headers and query parameters add up.
///
/// @param request  the request
/// @param json     one JSON object with options by name, as docs/options.md has them:
///                 {"total_timeout_ms":5000,"headers":{"x-a":"b"},"gather":true} for instance; copied
/// @param length   its length in bytes, or MODELWIRE_NUL
/// @param err      what is wrong, on failure: it names the option, and of an unknown one the nearest
///                 that there is; may be NULL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_set_options(
    request: *mut modelwire_request,
    json: *const c_char,
    length: usize,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let (request, json) = (borrow_mut(request)?, borrow_text("json", json, length)?);
        request.0.set_options(json)?;
        Ok(MODELWIRE_OK)
    })
}

impl modelwire_request {
    /// Changes the body, if it is one that is filled field by field.
    fn fill(&mut self, change: impl FnOnce(Request) -> Request) -> Result<modelwire_status, Error> {
        self.0.can_be_built()?;
        let request = std::mem::replace(&mut self.0, Request::models());
        self.0 = change(request);
        Ok(MODELWIRE_OK)
    }
}
