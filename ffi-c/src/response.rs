//! The whole answer of a call as C sees it. Knows no call.

use std::ffi::c_char;
use std::ptr::null_mut;

use modelwire_core::Answer;

use crate::boundary::{Handle, Text, borrow, free, give, guard, guard_or, text, write};
use crate::status::{MODELWIRE_ABSENT, MODELWIRE_OK, modelwire_status};

/// The answer to a call; immutable, may be shared between threads.
pub struct modelwire_response {
    answer: Answer,
    json: Text,
    text: Text,
    finish_reason: Option<Text>,
    request_id: Option<Text>,
    /// Names in lower case.
    headers: Vec<(String, Text)>,
    model_ids: Vec<Text>,
}

impl Handle for modelwire_response {
    const NAME: &'static str = "response";
}

impl modelwire_response {
    pub(crate) fn new(answer: Answer) -> modelwire_response {
        let head = answer.head();
        let document = answer.document();
        let finish_reason = document.and_then(|document| document.finish_reason());
        let headers = head.headers().iter();
        modelwire_response {
            json: Text::new(answer.json()),
            text: Text::new(&answer.text()),
            finish_reason: finish_reason.map(|reason| Text::new(&reason)),
            request_id: head.request_id().map(Text::new),
            headers: headers.map(|(name, value)| (name.clone(), Text::new(value))).collect(),
            model_ids: answer.model_ids().iter().map(|id| Text::new(id)).collect(),
            answer,
        }
    }
}

/// Frees a response.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_free(response: *mut modelwire_response) {
    free(response);
}

/// The JSON text as the service sent it; empty at the end of a stream, whose events were the
/// answer.
///
/// @param response  the response
/// @param length    its length in bytes; may be NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_json(
    response: *const modelwire_response,
    length: *mut usize,
) -> *const c_char {
    view(response, length, |response| Some(&response.json))
}

/// The output text: the content of a chat's first choice, or all output text of a response; empty
/// where there is none and at the end of a stream.
///
/// @param response  the response
/// @param length    its length in bytes; may be NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_text(
    response: *const modelwire_response,
    length: *mut usize,
) -> *const c_char {
    view(response, length, |response| Some(&response.text))
}

/// Why the first choice of a chat stopped, or the status of a response; NULL where there is none.
///
/// @param response  the response
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_finish_reason(
    response: *const modelwire_response,
) -> *const c_char {
    view(response, null_mut(), |response| response.finish_reason.as_ref())
}

/// The service's name for the exchange, to give to its support; NULL where there is none.
///
/// @param response  the response
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_request_id(
    response: *const modelwire_response,
) -> *const c_char {
    view(response, null_mut(), |response| response.request_id.as_ref())
}

/// The HTTP status, 200 for instance; 0 for NULL.
///
/// @param response  the response
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_http_status(
    response: *const modelwire_response,
) -> i32 {
    guard_or(0, || {
        borrow(response).map_or(0, |response| i32::from(response.answer.head().status()))
    })
}

/// The first header of a name, whatever its case; NULL where there is none.
///
/// @param response  the response
/// @param name      the header's name
/// @param length    the name's length in bytes, or MODELWIRE_NUL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_header(
    response: *const modelwire_response,
    name: *const c_char,
    length: usize,
) -> *const c_char {
    view(response, null_mut(), |response| {
        let name = text("name", name, length).ok()?;
        let found = response.headers.iter().find(|(given, _)| given.eq_ignore_ascii_case(&name));
        found.map(|(_, value)| value)
    })
}

/// The tokens that the service reported, of a stream too.
///
/// @param response       the response
/// @param input_tokens   may be NULL, like the others
/// @param output_tokens  output
/// @param total_tokens   both together
/// @return MODELWIRE_OK; MODELWIRE_ABSENT if the service reported none, and nothing is written; or
///         MODELWIRE_E_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_usage(
    response: *const modelwire_response,
    input_tokens: *mut u64,
    output_tokens: *mut u64,
    total_tokens: *mut u64,
) -> modelwire_status {
    guard(null_mut(), || {
        let Some(usage) = borrow(response)?.answer.usage() else { return Ok(MODELWIRE_ABSENT) };
        write(input_tokens, usage.input_tokens);
        write(output_tokens, usage.output_tokens);
        write(total_tokens, usage.total_tokens);
        Ok(MODELWIRE_OK)
    })
}

/// How many models a model list has; 0 for every other response.
///
/// @param response  the response
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_model_count(
    response: *const modelwire_response,
) -> usize {
    guard_or(0, || borrow(response).map_or(0, |response| response.model_ids.len()))
}

/// The id of a model of a model list; NULL beyond the end.
///
/// @param response  the response
/// @param index     from 0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_model_id(
    response: *const modelwire_response,
    index: usize,
) -> *const c_char {
    view(response, null_mut(), |response| response.model_ids.get(index))
}

fn view(
    response: *const modelwire_response,
    length: *mut usize,
    pick: impl FnOnce(&'static modelwire_response) -> Option<&'static Text>,
) -> *const c_char {
    guard_or(std::ptr::null(), || give(borrow(response).ok().and_then(pick), length))
}
