//! What a call gives at its end, for C: texts, headers, tool calls, usage.

use std::ffi::c_char;
use std::ptr::{null, null_mut};
use std::sync::OnceLock;

use modelwire_core::{CalledTool, Response};

use crate::boundary::{Handle, borrow, copy_text, free, guard_or, write};
use crate::error::guard;
use crate::status::{MODELWIRE_ABSENT, MODELWIRE_OK, modelwire_status};
use crate::text::{Key, Made, Parent, give_text, texts};

/// The response to a call; immutable, may be shared between threads.
pub struct modelwire_response {
    core: Response,
    model_ids: OnceLock<Vec<String>>,
    tool_calls: OnceLock<Vec<CalledTool>>,
    made: Made,
}

impl Handle for modelwire_response {
    const NAME: &'static str = "response";
}

impl Parent for modelwire_response {
    fn made(&self) -> &Made {
        &self.made
    }
}

impl modelwire_response {
    pub(crate) fn new(core: Response) -> modelwire_response {
        modelwire_response {
            core,
            model_ids: OnceLock::new(),
            tool_calls: OnceLock::new(),
            made: Made::default(),
        }
    }

    pub(crate) fn core(&self) -> &Response {
        &self.core
    }

    /// Names in lower case.
    fn headers(&self) -> &[(String, String)] {
        self.core.head().headers()
    }

    fn model_ids(&self) -> &[String] {
        self.model_ids.get_or_init(|| self.core.model_ids())
    }

    fn tool_calls(&self) -> &[CalledTool] {
        self.tool_calls.get_or_init(|| self.core.tool_calls())
    }
}

/// Frees a response.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_free(response: *mut modelwire_response) {
    free(response);
}

texts! { response: modelwire_response,
    /// The JSON text as the service sent it; empty at the end of a stream, whose events were the
    /// response.
    modelwire_response_json(length) => Some(response.core.json());

    /// The output text: the content of a chat's first choice, or all output text of a response;
    /// empty where there is none and at the end of a stream.
    modelwire_response_text(length) => Some(response.core.text());

    /// Why the first choice of a chat stopped, or the status of a response; NULL where there is
    /// none.
    modelwire_response_finish_reason() => response.core.document()?.finish_reason();

    /// The service's name for the exchange, to give to its support; NULL where there is none.
    modelwire_response_request_id() => response.core.head().request_id();

    /// How the response was known to be complete: "document", "done_mark", "final_event" or
    /// "finish_reasons".
    modelwire_response_end() => Some(response.core.end().name());
}

/// The HTTP status, 200 for instance; 0 for NULL.
///
/// @param response  the response
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_http_status(
    response: *const modelwire_response,
) -> i32 {
    guard_or(0, || borrow(response).map_or(0, |response| i32::from(response.core.head().status())))
}

/// How many times the request was attempted: more than once where the retry policy waited and tried
/// again; 0 for NULL.
///
/// @param response  the response
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_attempts(response: *const modelwire_response) -> i32 {
    guard_or(0, || {
        let attempts = |response: &modelwire_response| response.core.attempts();
        borrow(response).map_or(0, |response| i32::try_from(attempts(response)).unwrap_or(i32::MAX))
    })
}

/// From the start of the first attempt to the end of the response, waits included, in
/// milliseconds; -1 for NULL.
///
/// @param response  the response
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_elapsed_ms(response: *const modelwire_response) -> i64 {
    guard_or(-1, || {
        let elapsed = |response: &modelwire_response| response.core.elapsed().as_millis();
        borrow(response).map_or(-1, |response| i64::try_from(elapsed(response)).unwrap_or(i64::MAX))
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
    guard_or(null(), || {
        let at = || {
            let headers = borrow(response).ok()?.headers();
            let name = copy_text("name", name, length).ok()?;
            headers.iter().position(|(found, _)| found.eq_ignore_ascii_case(&name))
        };
        let Some(at) = at() else { return null() };
        let key = Key::Accessor("modelwire_response_header_value", at);
        give_text(response, key, null_mut(), |response| Some(&response.headers().get(at)?.1))
    })
}

/// How many headers the response has.
///
/// @param response  the response
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_header_count(
    response: *const modelwire_response,
) -> usize {
    guard_or(0, || borrow(response).map_or(0, |response| response.headers().len()))
}

texts! { response: modelwire_response,
    /// The name of a header, in lower case and in the order of the response; NULL beyond the end.
    modelwire_response_header_name(index) => Some(&response.headers().get(index)?.0);

    /// The value of a header, in the order of the response; NULL beyond the end.
    modelwire_response_header_value(index) => Some(&response.headers().get(index)?.1);
}

/// 1 if the JSON text was put together from the chunks of a stream, 0 if the service sent it as it
/// is.
///
/// @param response  the response
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_is_gathered(
    response: *const modelwire_response,
) -> i32 {
    guard_or(0, || borrow(response).map_or(0, |response| i32::from(response.core.is_gathered())))
}

/// How many tool calls the model made, in the first choice of a chat or anywhere in a response.
///
/// @param response  the response
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_tool_call_count(
    response: *const modelwire_response,
) -> usize {
    guard_or(0, || borrow(response).map_or(0, |response| response.tool_calls().len()))
}

texts! { response: modelwire_response,
    /// What the result of a tool call has to name: its id, or the call_id of a response; empty if
    /// the service left it out, NULL beyond the end.
    modelwire_response_tool_call_id(index) => Some(&response.tool_calls().get(index)?.id);

    /// The name of the function that a tool call asks for; NULL beyond the end.
    modelwire_response_tool_call_name(index) => Some(&response.tool_calls().get(index)?.name);

    /// The arguments of a tool call as JSON text, as the model wrote it; NULL beyond the end.
    modelwire_response_tool_call_arguments(index, length) =>
        Some(&response.tool_calls().get(index)?.arguments);
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
        let Some(usage) = borrow(response)?.core.usage() else { return Ok(MODELWIRE_ABSENT) };
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
    guard_or(0, || borrow(response).map_or(0, |response| response.model_ids().len()))
}

texts! { response: modelwire_response,
    /// The id of a model of a model list; NULL beyond the end.
    modelwire_response_model_id(index) => response.model_ids().get(index);
}
