//! The request handle of C: from the caller's JSON text, or built field by field.

use std::ffi::c_char;

use modelwire_core::{Endpoint, Error, Request, Value};

use crate::boundary::{
    Handle, NUL, borrow, borrow_bytes, borrow_mut, borrow_text, copy_text, free, output,
};
use crate::error::{guard, modelwire_error};
use crate::response::modelwire_response;
use crate::status::{MODELWIRE_OK, modelwire_status};

/// The model list.
pub const MODELWIRE_OPERATION_MODELS: i32 = 1;
/// Chat completions.
pub const MODELWIRE_OPERATION_CHAT: i32 = 2;
/// Responses.
pub const MODELWIRE_OPERATION_RESPONSES: i32 = 3;

/// A request for one of the three operations; used by one thread at a time, for any number of calls.
pub struct modelwire_request(pub(crate) Request);

impl Handle for modelwire_request {
    const NAME: &'static str = "request";
}

/// The operation that a number stands for.
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

/// Creates a request from complete JSON text, or an empty one to fill with modelwire_request_set_text
/// ("model", and "input" for a response), modelwire_request_add_message and the other setters. The
/// setters escape strings, for programs without a JSON library.
///
/// A chat has at least "model" and "messages", a response "model" and "input". The text is sent as it
/// is, except for "stream", which follows from how the call is run: a "stream" in the text that
/// contradicts it is an error, unless the option stream_only is on. Each message is an object with a
/// string "role" and a "content" that is a string or an array; for roles other than "user", "system",
/// "developer" and "tool", the content may also be null or absent. "max_tokens" of a chat and
/// "max_output_tokens" of a response are 1 or more, or null.
///
/// @param operation  MODELWIRE_OPERATION_...
/// @param json       one JSON object, UTF-8, copied; checked here; NULL for an empty request, and for
///                   the model list, which has no body
/// @param length     its length in bytes, or MODELWIRE_NUL
/// @param out        the request; free it with modelwire_request_free
/// @param err        the error, on failure: it names the byte or the field; may be NULL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for an unknown operation, text that is not JSON, or a
///         field that is missing or invalid
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

/// Frees a request; calls created from it keep their copy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_free(request: *mut modelwire_request) {
    free(request);
}

/// Adds a message to a request that is built field by field: to the messages of a chat or the input of
/// a response, after those set by modelwire_request_set_json, if any. A longer conversation generally
/// costs more and takes longer.
///
/// @param request         the request
/// @param role            "system", "user", "assistant"; copied
/// @param role_length     its length in bytes, or MODELWIRE_NUL
/// @param content         the text, copied
/// @param content_length  its length in bytes, or MODELWIRE_NUL
/// @param err             the error, on failure; may be NULL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, text that is not UTF-8, no role, the role
///         "tool", whose messages modelwire_request_add_tool_result adds, or a request that is not built field
///         by field
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
        let role = borrow_text("role", role, role_length)?;
        let content = borrow_text("content", content, content_length)?;
        request.fill(|core| core.message(role, content))
    })
}

/// Adds a part to the message that modelwire_request_add_message added last, for instance an image to a
/// question. Images are part of the input and generally consume tokens. The texts of an assistant's
/// message in a response are sent as one.
///
/// @param request       the request, built field by field
/// @param type          "text"; "image_url", for an image that the service fetches; or the media type
///                      of an image, for instance "image/png", which is sent with the request
/// @param type_length   its length in bytes, or MODELWIRE_NUL
/// @param value         the text, the URL, or the bytes of the image; copied
/// @param value_length  its length in bytes, or MODELWIRE_NUL for a text or a URL
/// @param err           the error, on failure; may be NULL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, another type, text that is not UTF-8, an image
///         without bytes or of an assistant, or where something else than a message was added last
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_add_part(
    request: *mut modelwire_request,
    r#type: *const c_char,
    type_length: usize,
    value: *const c_char,
    value_length: usize,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let (request, kind) = (borrow_mut(request)?, borrow_text("type", r#type, type_length)?);
        let text = || borrow_text("value", value, value_length);
        match kind {
            "text" => {
                let text = text()?;
                request.fill(|core| core.add_text(text))
            }
            "image_url" => {
                let url = text()?;
                request.fill(|core| core.add_image_url(url))
            }
            media if media.get(..6).is_some_and(|kind| kind.eq_ignore_ascii_case("image/")) => {
                if value_length == NUL {
                    let message = "value is an image: its length cannot be MODELWIRE_NUL";
                    return Err(Error::argument(message));
                }
                let bytes = borrow_bytes("value", value, value_length)?;
                request.fill(|core| core.add_image(media, bytes))
            }
            other => {
                let message =
                    format!("type is {other:?}: use \"text\", \"image_url\" or \"image/...\"");
                Err(Error::argument(message))
            }
        }
    })
}

/// Adds what the model answered to the conversation, as it sent it: the message of a chat's first choice
/// with its tool calls, or all output items of a response.
///
/// @param request   the request, built field by field, of the same operation
/// @param response  the answer; that of a stream must have been gathered (option "gather")
/// @param err       the error, on failure; may be NULL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, or an answer without a message
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_add_response(
    request: *mut modelwire_request,
    response: *const modelwire_response,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let (request, response) = (borrow_mut(request)?, borrow(response)?);
        request.fill(|core| core.add_response(response.core()))
    })
}

/// Adds the result of a tool call, after the answer that has the call. Each call of an answer needs one.
/// For a service that omits the ids of calls, add the messages with modelwire_request_add_json instead.
///
/// @param request        the request, built field by field
/// @param id             the "id" of the call, in "tool_calls" of modelwire_response_info; copied
/// @param id_length      its length in bytes, or MODELWIRE_NUL
/// @param output         the result, copied
/// @param output_length  its length in bytes, or MODELWIRE_NUL
/// @param err            the error, on failure; may be NULL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, an empty id, or text that is not UTF-8
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_add_tool_result(
    request: *mut modelwire_request,
    id: *const c_char,
    id_length: usize,
    output: *const c_char,
    output_length: usize,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let (request, id) = (borrow_mut(request)?, borrow_text("id", id, id_length)?);
        let output = borrow_text("output", output, output_length)?;
        request.fill(|core| core.tool_result(id, output))
    })
}

/// Appends a JSON value to a field that is an array, or absent as yet: a definition to "tools", a message of any form to
/// "messages", an item to "input".
///
/// @param request      the request, built field by field
/// @param name         the field's name, copied
/// @param name_length  its length in bytes, or MODELWIRE_NUL
/// @param json         one JSON value, copied; checked here
/// @param json_length  its length in bytes, or MODELWIRE_NUL
/// @param err          the error, on failure, with the position; may be NULL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, text that is not UTF-8 or not JSON, or a field
///         that is not an array
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_add_json(
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
        request.fill(|core| core.add_json(name, json))
    })
}

/// Sets a field to a string, for instance "model", "input" or "reasoning_effort". A second value
/// replaces the first.
///
/// @param request       the request, built field by field
/// @param name          the field's name, copied
/// @param name_length   its length in bytes, or MODELWIRE_NUL
/// @param value         the text, copied
/// @param value_length  its length in bytes, or MODELWIRE_NUL
/// @param err           the error, on failure; may be NULL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, text that is not UTF-8, or a request created
///         from JSON text, or a model list
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
        request.fill(|core| core.set(name, value))
    })
}

/// Sets a field to any JSON value, for instance "max_tokens" to 200, "temperature" to 0.2, "tools",
/// "response_format", or "messages" with images. The value is sent as it is.
///
/// @param request      the request, built field by field
/// @param name         the field's name, copied
/// @param name_length  its length in bytes, or MODELWIRE_NUL
/// @param json         one JSON value, copied; checked here
/// @param json_length  its length in bytes, or MODELWIRE_NUL
/// @param err          the error, on failure, with the position; may be NULL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, text that is not UTF-8 or not JSON, or a
///         request created from JSON text, or a model list
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
        request.fill(|core| core.set_json(name, json))
    })
}

/// Sets options for the calls that are created from this request, in place of the client's: headers,
/// the API key, timeouts, retries, gathering. Sets all of them or, on failure, none. A second object
/// adds to the first: an option that it names again is replaced; headers and query parameters are
/// added.
///
/// @param request  the request
/// @param json     one JSON object with options by name (see docs/options.md), for instance
///                 {"total_timeout_ms":5000,"headers":{"x-a":"b"},"gather":true}; copied
/// @param length   its length in bytes, or MODELWIRE_NUL
/// @param err      the error, on failure: it names the option, and suggests one for an unknown name;
///                 may be NULL
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
    /// Changes the body, if it is built field by field.
    fn fill(&mut self, change: impl FnOnce(Request) -> Request) -> Result<modelwire_status, Error> {
        self.0.try_change(change)?;
        Ok(MODELWIRE_OK)
    }
}
