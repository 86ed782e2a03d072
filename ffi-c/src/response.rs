//! The whole answer of a call as C sees it. Knows no call.

use std::ffi::c_char;
use std::ptr::null_mut;
use std::sync::OnceLock;

use modelwire_core::{CalledTool, Response, Value};

use crate::boundary::{Handle, Text, borrow, free, give, guard, guard_or, text, write};
use crate::field::Fields;
use crate::status::{MODELWIRE_ABSENT, MODELWIRE_OK, modelwire_status};

/// The answer to a call; immutable, may be shared between threads.
pub struct modelwire_response {
    answer: Response,
    json: Text,
    text: Text,
    finish_reason: Option<Text>,
    request_id: Option<Text>,
    /// Names in lower case.
    headers: Vec<(Text, Text)>,
    model_ids: Vec<Text>,
    end: Text,
    tool_calls: OnceLock<Vec<Tool>>,
    fields: Fields,
}

struct Tool {
    id: Text,
    name: Text,
    arguments: Text,
}

impl Handle for modelwire_response {
    const NAME: &'static str = "response";
}

impl modelwire_response {
    pub(crate) fn new(answer: Response) -> modelwire_response {
        let head = answer.head();
        let document = answer.document();
        let finish_reason = document.and_then(|document| document.finish_reason());
        let headers = head.headers().iter();
        modelwire_response {
            json: Text::new(answer.json()),
            text: Text::new(&answer.text()),
            finish_reason: finish_reason.map(|reason| Text::new(&reason)),
            request_id: head.request_id().map(Text::new),
            headers: headers.map(|(name, value)| (Text::new(name), Text::new(value))).collect(),
            model_ids: answer.model_ids().iter().map(|id| Text::new(id)).collect(),
            end: Text::new(answer.end().name()),
            tool_calls: OnceLock::new(),
            fields: Fields::default(),
            answer,
        }
    }

    pub(crate) fn response(&self) -> &Response {
        &self.answer
    }

    pub(crate) fn value_and_fields(&self) -> Option<(Value<'_>, &Fields)> {
        Some((self.answer.document()?.value(), &self.fields))
    }

    fn tool_calls(&self) -> &[Tool] {
        self.tool_calls.get_or_init(|| {
            let calls = self.answer.tool_calls().into_iter();
            let tool = |call: CalledTool| Tool {
                id: Text::new(&call.id),
                name: Text::new(&call.name),
                arguments: Text::new(&call.arguments),
            };
            calls.map(tool).collect()
        })
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
        let found = response.headers.iter().find(|(given, _)| given.is(&name));
        found.map(|(_, value)| value)
    })
}

/// How many headers the answer has.
///
/// @param response  the response
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_header_count(
    response: *const modelwire_response,
) -> usize {
    guard_or(0, || borrow(response).map_or(0, |response| response.headers.len()))
}

/// The name of a header, in lower case; NULL beyond the end.
///
/// @param response  the response
/// @param index     from 0, in the order of the answer
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_header_name(
    response: *const modelwire_response,
    index: usize,
) -> *const c_char {
    view(response, null_mut(), |response| Some(&response.headers.get(index)?.0))
}

/// The value of a header; NULL beyond the end.
///
/// @param response  the response
/// @param index     from 0, in the order of the answer
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_header_value(
    response: *const modelwire_response,
    index: usize,
) -> *const c_char {
    view(response, null_mut(), |response| Some(&response.headers.get(index)?.1))
}

/// How the answer was known to be complete: "document", "done_mark", "final_event" or
/// "finish_reasons".
///
/// @param response  the response
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_end(
    response: *const modelwire_response,
) -> *const c_char {
    view(response, null_mut(), |response| Some(&response.end))
}

/// 1 if the JSON text was put together from the chunks of a stream, 0 if the service sent it as it
/// is.
///
/// @param response  the response
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_is_gathered(
    response: *const modelwire_response,
) -> i32 {
    guard_or(0, || borrow(response).map_or(0, |response| i32::from(response.answer.is_gathered())))
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

/// What the answer to a tool call has to name: its id, or the call_id of a response; empty if the
/// service left it out, NULL beyond the end.
///
/// @param response  the response
/// @param index     from 0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_tool_call_id(
    response: *const modelwire_response,
    index: usize,
) -> *const c_char {
    view(response, null_mut(), |response| Some(&response.tool_calls().get(index)?.id))
}

/// The name of the function that a tool call asks for; NULL beyond the end.
///
/// @param response  the response
/// @param index     from 0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_tool_call_name(
    response: *const modelwire_response,
    index: usize,
) -> *const c_char {
    view(response, null_mut(), |response| Some(&response.tool_calls().get(index)?.name))
}

/// The arguments of a tool call as JSON text, as the model wrote it; NULL beyond the end.
///
/// @param response  the response
/// @param index     from 0
/// @param length    its length in bytes; may be NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_tool_call_arguments(
    response: *const modelwire_response,
    index: usize,
    length: *mut usize,
) -> *const c_char {
    view(response, length, |response| Some(&response.tool_calls().get(index)?.arguments))
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
