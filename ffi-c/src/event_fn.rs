//! The type of the callback that takes events. Knows nothing else.

use std::ffi::c_void;

use crate::event::modelwire_event;

/// Called for each event, in order.
///
/// @param user_data  as it was given
/// @param event      valid during the callback
/// @return 0 to go on; anything else ends the call and closes its exchange, or ends the log, or what is
///         told of calls
///
/// What it may call: the table CALLBACKS above. It must not throw, longjmp or end its thread
/// (pthread_exit) through the library.
pub type modelwire_event_fn =
    Option<unsafe extern "C" fn(user_data: *mut c_void, event: *const modelwire_event) -> i32>;
