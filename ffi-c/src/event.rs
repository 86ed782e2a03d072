//! What a stream's callback is given: one event, its texts ready for C. Knows no call.

use std::ffi::c_char;

use modelwire_core::Chunk;

use crate::boundary::{Handle, Text, borrow, give, guard_or};

/// One event of a stream, lent to a callback.
#[derive(Default)]
pub struct modelwire_event {
    name: Text,
    json: Text,
    text: Text,
    finish_reason: Text,
    is_finished: bool,
}

impl Handle for modelwire_event {
    const NAME: &'static str = "event";
}

impl modelwire_event {
    /// Takes over the next chunk; the allocations of the last one are used again.
    pub(crate) fn set(&mut self, chunk: &Chunk) {
        self.name.set(chunk.event());
        self.json.set(chunk.json());
        self.text.set(&chunk.text());
        let finish_reason = chunk.finish_reason();
        self.is_finished = finish_reason.is_some();
        self.finish_reason.set(&finish_reason.unwrap_or_default());
    }
}

/// The event's JSON text as the service sent it. Never NULL for an event.
///
/// @param event   the event
/// @param length  its length in bytes; may be NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_event_json(
    event: *const modelwire_event,
    length: *mut usize,
) -> *const c_char {
    view(event, length, |event| Some(&event.json))
}

/// The piece of output text that the event adds: the content of a chat's first choice, or an
/// output text delta of a response; empty for every other event.
///
/// @param event   the event
/// @param length  its length in bytes; may be NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_event_text(
    event: *const modelwire_event,
    length: *mut usize,
) -> *const c_char {
    view(event, length, |event| Some(&event.text))
}

/// The name of the server-sent event, "response.completed" for instance; empty where there was
/// none, as in chat streams.
///
/// @param event   the event
/// @param length  its length in bytes; may be NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_event_name(
    event: *const modelwire_event,
    length: *mut usize,
) -> *const c_char {
    view(event, length, |event| Some(&event.name))
}

/// Why the first choice stopped, "stop" for instance; NULL while it has not.
///
/// @param event  the event
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_event_finish_reason(
    event: *const modelwire_event,
) -> *const c_char {
    let reason =
        |event: &'static modelwire_event| event.is_finished.then_some(&event.finish_reason);
    view(event, std::ptr::null_mut(), reason)
}

fn view(
    event: *const modelwire_event,
    length: *mut usize,
    pick: impl FnOnce(&'static modelwire_event) -> Option<&'static Text>,
) -> *const c_char {
    guard_or(std::ptr::null(), || give(borrow(event).ok().and_then(pick), length))
}
