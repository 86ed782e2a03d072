//! The request handle of C: made from the caller's JSON text, or field by field.

use std::ffi::c_char;
use std::ptr::null_mut;

use modelwire_core::{Endpoint, Error, Request, RetryPolicy, Value};

use crate::boundary::{Handle, borrow_mut, copy_text, free, hand_over, output};
use crate::config::{adjust, retry_jitter, retry_on, timeout};
use crate::error::{guard, modelwire_error};
use crate::status::{MODELWIRE_OK, modelwire_status};

/// A request of one of the three operations; used by one thread at a time, for any number of
/// calls.
///
/// Made from whole JSON text (modelwire_request_chat_json), or field by field
/// (modelwire_request_chat) for programs without a JSON library. Strings are escaped here.
pub struct modelwire_request {
    pub(crate) core: Request,
    /// What the setters of retrying have said so far. The core takes a whole policy, not its parts:
    /// each setter changes its part here and gives the core the whole.
    retry: RetryPolicy,
}

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
    guard(err, || Ok(hand_over(output(out)?, modelwire_request::new(Request::models()))))
}

/// A chat completion from JSON text with at least "model" and "messages". The text is sent as it
/// is, but for "stream", which follows from how the call is made.
///
/// Each message is an object with a "role", a string, and "content", a string or an array; only
/// where the role is none of "user", "system", "developer" and "tool" may the content be null or
/// absent. "max_tokens" is 1 or more, or null.
///
/// @param json    one JSON object, UTF-8, copied; checked here
/// @param length  its length in bytes, or MODELWIRE_NUL
/// @param out     the request; free it with modelwire_request_free
/// @param err     what is wrong, on failure; may be NULL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, what is not JSON (the error names the
///         byte), or a field that is missing or cannot be right (the error names it)
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
/// "input" is a string or an array. "max_output_tokens" is 1 or more, or null.
///
/// @param json    one JSON object, UTF-8, copied; checked here
/// @param length  its length in bytes, or MODELWIRE_NUL
/// @param out     the request; free it with modelwire_request_free
/// @param err     what is wrong, on failure; may be NULL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, what is not JSON (the error names the
///         byte), or a field that is missing or cannot be right (the error names it)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_response_json(
    json: *const c_char,
    length: usize,
    out: *mut *mut modelwire_request,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    from_json(Request::response_json, json, length, out, err)
}

/// A chat completion, to be filled with modelwire_request_add_message and the setters.
///
/// @param model   the model's name, copied
/// @param length  its length in bytes, or MODELWIRE_NUL
/// @param out     the request; free it with modelwire_request_free
/// @param err     what is wrong, on failure; may be NULL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL or what is not UTF-8
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_chat(
    model: *const c_char,
    length: usize,
    out: *mut *mut modelwire_request,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let slot = output(out)?;
        let request = Request::chat(copy_text("model", model, length)?);
        Ok(hand_over(slot, modelwire_request::new(request)))
    })
}

/// A response, to be filled with modelwire_request_set_input and the setters.
///
/// @param model   the model's name, copied
/// @param length  its length in bytes, or MODELWIRE_NUL
/// @param out     the request; free it with modelwire_request_free
/// @param err     what is wrong, on failure; may be NULL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL or what is not UTF-8
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_response(
    model: *const c_char,
    length: usize,
    out: *mut *mut modelwire_request,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let slot = output(out)?;
        let request = Request::response(copy_text("model", model, length)?);
        Ok(hand_over(slot, modelwire_request::new(request)))
    })
}

/// Adds a message to a chat that is built field by field. A longer conversation generally costs more
/// and takes longer.
///
/// @param request         the request
/// @param role            "system", "user", "assistant"; copied
/// @param role_length     its length in bytes, or MODELWIRE_NUL
/// @param content         the text, copied
/// @param content_length  its length in bytes, or MODELWIRE_NUL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, what is not UTF-8, or a request that is
///         not a chat being built
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_add_message(
    request: *mut modelwire_request,
    role: *const c_char,
    role_length: usize,
    content: *const c_char,
    content_length: usize,
) -> modelwire_status {
    set(request, null_mut(), |request| {
        let role = copy_text("role", role, role_length)?;
        let content = copy_text("content", content, content_length)?;
        request.edit(Edit::Message, |request| request.message(&role, &content))
    })
}

/// The input of a response that is built field by field, as plain text. A longer one generally costs
/// more and takes longer.
///
/// @param request  the request
/// @param input    the text, copied
/// @param length   its length in bytes, or MODELWIRE_NUL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, what is not UTF-8, or a request that is
///         not a response being built
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_set_input(
    request: *mut modelwire_request,
    input: *const c_char,
    length: usize,
) -> modelwire_status {
    set(request, null_mut(), |request| {
        let input = copy_text("input", input, length)?;
        request.edit(Edit::Input, |request| request.input(&input))
    })
}

/// The upper bound on the output, in tokens: "max_tokens" of a chat, "max_output_tokens" of a
/// response. Set by another function or in JSON text, it is held to the same bound when the call
/// starts. A higher bound may consume more.
///
/// @param request  the request, being built field by field
/// @param tokens   at least 1
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, a number below 1, or a request that
///         takes no fields
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_set_max_tokens(
    request: *mut modelwire_request,
    tokens: i32,
) -> modelwire_status {
    set(request, null_mut(), |request| {
        let tokens = u32::try_from(tokens).ok().filter(|tokens| *tokens > 0);
        let tokens = tokens.ok_or_else(|| Error::argument("tokens is below 1"))?;
        request.edit(Edit::Field, |request| match request.endpoint() {
            Endpoint::Responses => request.max_output_tokens(tokens),
            Endpoint::Chat | Endpoint::Models => request.max_tokens(tokens),
        })
    })
}

/// Any further field with a string as its value, "reasoning_effort" for instance.
///
/// @param request       the request, being built field by field
/// @param name          the field's name, copied
/// @param name_length   its length in bytes, or MODELWIRE_NUL
/// @param value         the text, copied
/// @param value_length  its length in bytes, or MODELWIRE_NUL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, what is not UTF-8, or a request that
///         takes no fields
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_set_text(
    request: *mut modelwire_request,
    name: *const c_char,
    name_length: usize,
    value: *const c_char,
    value_length: usize,
) -> modelwire_status {
    set(request, null_mut(), |request| {
        let name = copy_text("name", name, name_length)?;
        let value = copy_text("value", value, value_length)?;
        request.edit(Edit::Field, |request| request.field(&name, value))
    })
}

/// Any further field with an integer as its value, "seed" for instance.
///
/// @param request      the request, being built field by field
/// @param name         the field's name, copied
/// @param name_length  its length in bytes, or MODELWIRE_NUL
/// @param value        the integer
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, what is not UTF-8, or a request that
///         takes no fields
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_set_int(
    request: *mut modelwire_request,
    name: *const c_char,
    name_length: usize,
    value: i64,
) -> modelwire_status {
    set(request, null_mut(), |request| {
        let name = copy_text("name", name, name_length)?;
        request.edit(Edit::Field, |request| request.field(&name, value))
    })
}

/// Any further field with a number as its value, "temperature" for instance.
///
/// @param request      the request, being built field by field
/// @param name         the field's name, copied
/// @param name_length  its length in bytes, or MODELWIRE_NUL
/// @param value        the number; JSON has neither infinities nor NaN
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, what is not UTF-8, a number that JSON
///         does not have, or a request that takes no fields
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_set_number(
    request: *mut modelwire_request,
    name: *const c_char,
    name_length: usize,
    value: f64,
) -> modelwire_status {
    set(request, null_mut(), |request| {
        let name = copy_text("name", name, name_length)?;
        if !value.is_finite() {
            return Err(Error::argument(format!("{name} is {value}, which JSON does not have")));
        }
        request.edit(Edit::Field, |request| request.field(&name, value))
    })
}

/// Any further field with a boolean as its value, "parallel_tool_calls" for instance.
///
/// @param request      the request, being built field by field
/// @param name         the field's name, copied
/// @param name_length  its length in bytes, or MODELWIRE_NUL
/// @param value        0 is false, anything else true
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, what is not UTF-8, or a request that
///         takes no fields
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_set_bool(
    request: *mut modelwire_request,
    name: *const c_char,
    name_length: usize,
    value: i32,
) -> modelwire_status {
    set(request, null_mut(), |request| {
        let name = copy_text("name", name, name_length)?;
        request.edit(Edit::Field, |request| request.field(&name, value != 0))
    })
}

/// Any further field with JSON text as its value: "tools", "response_format", "messages" with
/// images, numbers of any size. Sent as it is.
///
/// @param request       the request, being built field by field
/// @param name          the field's name, copied
/// @param name_length   its length in bytes, or MODELWIRE_NUL
/// @param json          one JSON value, copied; checked here
/// @param json_length   its length in bytes, or MODELWIRE_NUL
/// @param err           what is wrong, on failure, with the position; may be NULL
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
    set(request, err, |request| {
        let name = copy_text("name", name, name_length)?;
        let json = copy_text("json", json, json_length)?;
        if let Err(cause) = Value::parse(&json) {
            return Err(Error::argument(format!("the value of {name} is not JSON: {cause}")));
        }
        request.edit(Edit::Field, |request| request.field_json(&name, &json))
    })
}

/// A header of this request; it replaces the client's of the same name.
///
/// @param request       the request
/// @param name          the header's name, copied; checked when the call starts
/// @param name_length   its length in bytes, or MODELWIRE_NUL
/// @param value         the header's value, copied
/// @param value_length  its length in bytes, or MODELWIRE_NUL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL or what is not UTF-8
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_add_header(
    request: *mut modelwire_request,
    name: *const c_char,
    name_length: usize,
    value: *const c_char,
    value_length: usize,
) -> modelwire_status {
    set(request, null_mut(), |request| {
        let name = copy_text("name", name, name_length)?;
        let value = copy_text("value", value, value_length)?;
        request.replace(|request| request.header(name, value));
        Ok(())
    })
}

/// The timeouts of this request in milliseconds, in place of the client's. A negative value leaves
/// the client's, 0 switches off.
///
/// @param request        the request
/// @param first_byte_ms  from the start of an attempt to the complete head of its response
/// @param idle_ms        between two pieces of substance of a response
/// @param total_ms       over all attempts and every wait, from the call's start
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_set_timeouts(
    request: *mut modelwire_request,
    first_byte_ms: i64,
    idle_ms: i64,
    total_ms: i64,
) -> modelwire_status {
    set(request, null_mut(), |request| {
        request.replace(|mut request| {
            if let Some(first_byte) = timeout(first_byte_ms) {
                request = request.first_byte_timeout(first_byte);
            }
            if let Some(idle) = timeout(idle_ms) {
                request = request.idle_timeout(idle);
            }
            match timeout(total_ms) {
                Some(total) => request.total_timeout(total),
                None => request,
            }
        });
        Ok(())
    })
}

/// The timeout of waiting for a connection where MODELWIRE_LIMIT_CONNECTIONS are in use, in place
/// of the client's.
///
/// @param request  the request
/// @param pool_ms  milliseconds; negative leaves the client's, 0 switches off
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_set_pool_timeout(
    request: *mut modelwire_request,
    pool_ms: i64,
) -> modelwire_status {
    set(request, null_mut(), |request| {
        if let Some(pool) = timeout(pool_ms) {
            request.replace(|request| request.pool_timeout(pool));
        }
        Ok(())
    })
}

/// How often and after what waits this request is tried again, as modelwire_config_set_retry says
/// it for a client. This, modelwire_request_set_retry_on, modelwire_request_set_retry_jitter and
/// modelwire_request_set_retry_adaptive add up in any order, and together replace all that the
/// client says of retrying: what none of them sets is the library's default. A negative value means
/// the library's default, not the client's.
///
/// @param request             the request
/// @param retries_max         most retries; default 3, 0 switches off
/// @param first_wait_ms       wait before the first retry, doubled for each further one up to 8
///                            seconds, and raised to what the service asks for; default 500
/// @param retry_after_max_ms  longest Retry-After that is waited for; default 60000
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_set_retry(
    request: *mut modelwire_request,
    retries_max: i32,
    first_wait_ms: i64,
    retry_after_max_ms: i64,
) -> modelwire_status {
    set(request, null_mut(), |request| {
        request.edit_retry(|retry| {
            let default = RetryPolicy::default();
            retry.retries_max = default.retries_max;
            retry.first_wait = default.first_wait;
            retry.retry_after_max = default.retry_after_max;
            adjust(retry, retries_max, first_wait_ms, retry_after_max_ms);
            Ok(())
        })
    })
}

/// Which failures without a response this request is tried again after, beside the responses with
/// status 429; in place of all that the client says of retrying, as modelwire_request_set_retry.
///
/// @param request  the request
/// @param what     MODELWIRE_RETRY_... joined by |; default 0, none
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL or an unknown bit, which changes nothing
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_set_retry_on(
    request: *mut modelwire_request,
    what: u32,
) -> modelwire_status {
    set(request, null_mut(), |request| request.edit_retry(|retry| retry_on(retry, what)))
}

/// How much chance adds to the waits between attempts of this request; in place of all that the
/// client says of retrying, as modelwire_request_set_retry.
///
/// @param request  the request
/// @param part     the part of a wait that is added at most, 0 to 1; default 0.25
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL or a part that is not from 0 to 1 (NaN is
///         not), which changes nothing
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_set_retry_jitter(
    request: *mut modelwire_request,
    part: f64,
) -> modelwire_status {
    set(request, null_mut(), |request| request.edit_retry(|retry| retry_jitter(retry, part)))
}

/// Whether this request slows down together with the others of its client for which that is set, as
/// modelwire_config_set_retry_adaptive says it for a client; in place of all that the client says
/// of retrying, as modelwire_request_set_retry.
///
/// @param request  the request
/// @param on       0 or 1; default 0
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_set_retry_adaptive(
    request: *mut modelwire_request,
    on: i32,
) -> modelwire_status {
    set(request, null_mut(), |request| {
        request.edit_retry(|retry| {
            retry.adaptive = on != 0;
            Ok(())
        })
    })
}

/// Lets this request stream underneath and gather its response when it is run whole, for a model
/// that answers only by streaming.
///
/// @param request  the request
/// @param on       0 or 1
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_set_stream_only(
    request: *mut modelwire_request,
    on: i32,
) -> modelwire_status {
    set(request, null_mut(), |request| {
        request.replace(|request| request.stream_only(on != 0));
        Ok(())
    })
}

/// Lets a stream gather its chunks, so that the response at its end has the whole response too, and
/// an error has what came before it; needs memory for the response.
///
/// @param request  the request
/// @param on       0 or 1; default 0
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_request_set_gather(
    request: *mut modelwire_request,
    on: i32,
) -> modelwire_status {
    set(request, null_mut(), |request| {
        request.replace(|request| request.gather(on != 0));
        Ok(())
    })
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
        let request = make(copy_text("json", json, length)?);
        request.check()?;
        Ok(hand_over(slot, modelwire_request::new(request)))
    })
}

/// What a setter changes in the body of a request.
enum Edit {
    Message,
    Input,
    Field,
}

impl modelwire_request {
    fn new(core: Request) -> modelwire_request {
        modelwire_request { core, retry: RetryPolicy::default() }
    }

    fn replace(&mut self, change: impl FnOnce(Request) -> Request) {
        let request = std::mem::replace(&mut self.core, Request::models());
        self.core = change(request);
    }

    /// Changes the policy of retrying; a change that is refused leaves the client's in force.
    fn edit_retry(
        &mut self,
        change: impl FnOnce(&mut RetryPolicy) -> Result<(), Error>,
    ) -> Result<(), Error> {
        change(&mut self.retry)?;
        let retry = self.retry.clone();
        self.replace(|request| request.retry(retry));
        Ok(())
    }

    /// Changes the body, if there is one that takes this.
    fn edit(&mut self, edit: Edit, change: impl FnOnce(Request) -> Request) -> Result<(), Error> {
        let what = match (edit, self.core.endpoint()) {
            (Edit::Message, Endpoint::Chat)
            | (Edit::Input, Endpoint::Responses)
            | (Edit::Field, _) => None,
            (Edit::Message, _) => Some("a message belongs to a chat"),
            (Edit::Input, _) => Some("an input belongs to a response"),
        };
        if let Some(what) = what {
            return Err(Error::argument(what));
        }
        self.core.can_be_built()?;
        self.replace(change);
        Ok(())
    }
}

/// Runs a setter. Most have no `err` argument and pass NULL: their status says enough.
fn set(
    request: *mut modelwire_request,
    err: *mut *mut modelwire_error,
    edit: impl FnOnce(&mut modelwire_request) -> Result<(), Error>,
) -> modelwire_status {
    guard(err, || {
        edit(borrow_mut(request)?)?;
        Ok(MODELWIRE_OK)
    })
}
