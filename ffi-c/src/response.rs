//! The response handle of C: its text, its JSON, and what the library knows about it.

use std::ffi::c_char;
use std::ptr::null;
use std::sync::OnceLock;

use modelwire_core::{Endpoint, Response, Usage};

use crate::boundary::{Handle, borrow, free, guard_or};
use crate::text::{Ready, Text, give};
use crate::value::{Lent, modelwire_value};

/// The answer names no reason, or it is a model list or the end of a stream that was not gathered.
pub const MODELWIRE_FINISH_NONE: i32 = 0;
/// The answer is complete.
pub const MODELWIRE_FINISH_STOP: i32 = 1;
/// A limit of tokens truncated the answer.
pub const MODELWIRE_FINISH_LENGTH: i32 = 2;
/// The answer is complete and calls tools, also where the service names another reason or none.
pub const MODELWIRE_FINISH_TOOL_CALLS: i32 = 3;
/// A content filter truncated the answer.
pub const MODELWIRE_FINISH_CONTENT_FILTER: i32 = 4;
/// Another reason, "failed" of a response for instance: "finish_reason" of modelwire_response_info is
/// its text.
pub const MODELWIRE_FINISH_OTHER: i32 = 5;

/// Input tokens.
pub const MODELWIRE_TOKENS_INPUT: i32 = 1;
/// Output tokens.
pub const MODELWIRE_TOKENS_OUTPUT: i32 = 2;
/// Input and output tokens.
pub const MODELWIRE_TOKENS_TOTAL: i32 = 3;
/// Of the input tokens, those that the service read from its cache.
pub const MODELWIRE_TOKENS_CACHED_INPUT: i32 = 4;
/// Of the output tokens, those for reasoning.
pub const MODELWIRE_TOKENS_REASONING: i32 = 5;

/// The response to a call; immutable, may be shared between threads.
pub struct modelwire_response {
    core: Response,
    text: OnceLock<Text>,
    value: Lent,
    info: Lent,
}

impl Handle for modelwire_response {
    const NAME: &'static str = "response";
}

impl modelwire_response {
    pub(crate) fn new(core: Response) -> modelwire_response {
        modelwire_response {
            core,
            text: OnceLock::new(),
            value: Lent::default(),
            info: Lent::default(),
        }
    }

    pub(crate) fn core(&self) -> &Response {
        &self.core
    }

    pub(crate) fn json(&self) -> Ready<'_> {
        Ready::new(self.core.json_and_nul().as_bytes())
    }

    pub(crate) fn text(&self) -> Ready<'_> {
        self.text.get_or_init(|| Text::new(&self.core.text())).ready()
    }

    pub(crate) fn value(&self) -> *const modelwire_value {
        self.value.get(|| modelwire_value::of_response(&self.core))
    }

    pub(crate) fn info(&self) -> *const modelwire_value {
        self.info.get(|| modelwire_value::of_json(self.core.info_json()))
    }
}

/// Frees a response.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_free(response: *mut modelwire_response) {
    free(response);
}

/// The output text: the content of a chat's first choice, or all output text of a response; empty if
/// there is none, and at the end of a stream that was not gathered.
///
/// @param response  the response
/// @param length    its length in bytes; may be NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_text(
    response: *const modelwire_response,
    length: *mut usize,
) -> *const c_char {
    give(response, length, |response| Some(response.text()))
}

/// The JSON text as the service sent it, or as it was gathered; empty at the end of a stream that was
/// not gathered, whose content was in its events.
///
/// @param response  the response
/// @param length    its length in bytes; may be NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_json(
    response: *const modelwire_response,
    length: *mut usize,
) -> *const c_char {
    give(response, length, |response| Some(response.json()))
}

/// The fields of modelwire_response_json, to read by path; borrowed. NULL for NULL.
///
/// @param response  the response
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_value(
    response: *const modelwire_response,
) -> *const modelwire_value {
    guard_or(null(), || borrow(response).map_or(null(), modelwire_response::value))
}

/// What the library knows about the response, as a JSON object to read by path; borrowed. NULL for
/// NULL. Members, null where absent:
///
/// @accessors response
///
/// "timing" is what modelwire_event_json returns for the record of a call.
///
/// @param response  the response
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_info(
    response: *const modelwire_response,
) -> *const modelwire_value {
    guard_or(null(), || borrow(response).map_or(null(), modelwire_response::info))
}

/// Why the answer ended, as a number that is the same for chats and responses: MODELWIRE_FINISH_...
/// Reasons may be added: treat unknown ones as MODELWIRE_FINISH_OTHER.
///
/// @param response  the response
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_finish_reason(
    response: *const modelwire_response,
) -> i32 {
    guard_or(MODELWIRE_FINISH_NONE, || {
        borrow(response).map_or(MODELWIRE_FINISH_NONE, |response| finish_reason(response.core()))
    })
}

fn finish_reason(response: &Response) -> i32 {
    let reason = response.finish_reason().unwrap_or_default();
    let why = || response.document()?.value().pointer("/incomplete_details/reason")?.as_str();
    let reason = match response.endpoint() {
        Endpoint::Responses if reason == "incomplete" => why().unwrap_or(reason),
        Endpoint::Models | Endpoint::Chat | Endpoint::Responses => reason,
    };
    match &*reason {
        "length" | "max_output_tokens" => MODELWIRE_FINISH_LENGTH,
        "content_filter" => MODELWIRE_FINISH_CONTENT_FILTER,
        _ if !response.tool_calls().is_empty() => MODELWIRE_FINISH_TOOL_CALLS,
        "stop" | "completed" => MODELWIRE_FINISH_STOP,
        "" => MODELWIRE_FINISH_NONE,
        _ => MODELWIRE_FINISH_OTHER,
    }
}

/// Tokens that the service reported, also for a stream; -1 if it reported none, or for an unknown
/// kind. Details that a service leaves out are 0.
///
/// @param response  the response
/// @param kind      MODELWIRE_TOKENS_...
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_response_tokens(
    response: *const modelwire_response,
    kind: i32,
) -> i64 {
    guard_or(-1, || {
        let tokens = || tokens(&borrow(response).ok()?.core().usage()?, kind);
        tokens().unwrap_or(-1)
    })
}

fn tokens(usage: &Usage, kind: i32) -> Option<i64> {
    let tokens = match kind {
        MODELWIRE_TOKENS_INPUT => usage.input_tokens,
        MODELWIRE_TOKENS_OUTPUT => usage.output_tokens,
        MODELWIRE_TOKENS_TOTAL => usage.total_tokens,
        MODELWIRE_TOKENS_CACHED_INPUT => usage.cached_input_tokens,
        MODELWIRE_TOKENS_REASONING => usage.reasoning_tokens,
        _ => return None,
    };
    Some(i64::try_from(tokens).unwrap_or(i64::MAX))
}
