//! The response handle of C: its text, its JSON, and what the library knows about it.

use std::ffi::c_char;
use std::ptr::null;
use std::sync::OnceLock;

use modelwire_core::Response;

use crate::boundary::{Handle, borrow, free, guard_or};
use crate::text::{Ready, Text, give};
use crate::value::{Lent, modelwire_value};

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
