//! What concerns the library as a whole: its version, the names of statuses, its shutdown.

use std::ffi::c_char;
use std::time::Duration;

use crate::error::guard;
use crate::status::{
    MODELWIRE_E_ARGUMENT, MODELWIRE_E_CALLBACK, MODELWIRE_OK, MODELWIRE_TIMEOUT, modelwire_status,
    name,
};
use crate::timeout::patience;

/// The version of this header, major * 1000000 + minor * 1000 + patch.
pub const MODELWIRE_VERSION_NUMBER: u32 = 1000;
/// Whether a library is there that has everything of this header: a program refers to it, so that one
/// built for a later header does not start on an older library, and the loader names what it misses.
#[unsafe(no_mangle)]
pub static modelwire_needs_0_1: u8 = 1;
/// The ABI of this header. Functions and numbers are only ever added to it; a change that would
/// break a compiled program raises it.
pub const MODELWIRE_ABI: u32 = 1;

/// The library's version, "0.1.0" for instance. Static, any thread.
#[unsafe(no_mangle)]
pub extern "C" fn modelwire_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// The library's version as a number like MODELWIRE_VERSION_NUMBER. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn modelwire_version_number() -> u32 {
    MODELWIRE_VERSION_NUMBER
}

/// Whether this library serves a program that was compiled against a header's ABI.
///
/// @param header_abi  MODELWIRE_ABI as the program's header defines it
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT if it does not
///
/// Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn modelwire_check_abi(header_abi: u32) -> modelwire_status {
    if header_abi == MODELWIRE_ABI { MODELWIRE_OK } else { MODELWIRE_E_ARGUMENT }
}

/// The name of a status, an identifier: "rate_limited" for MODELWIRE_E_RATE_LIMITED for instance, "ok"
/// for MODELWIRE_OK, "wait_timeout" for MODELWIRE_TIMEOUT. Static, never NULL, any thread.
///
/// @param status  what a function returned
#[unsafe(no_mangle)]
pub extern "C" fn modelwire_status_name(status: modelwire_status) -> *const c_char {
    name(status).as_ptr()
}

/// Ends everything that this copy of the library does in this process: every call ends with
/// MODELWIRE_E_SHUTDOWN, callbacks see their last event, the functions of modelwire_client_on_call are told
/// of every call and end, the log ends, connections are closed and the library's threads joined. Calls that start meanwhile fail. Afterwards nothing runs, and whatever is
/// used again, old clients and queues included, starts afresh. Optional: a process may simply exit.
///
/// For a host that goes away, or a plugin with a static copy of its own before it is unloaded. A
/// plugin that shares the library with others closes its clients instead (modelwire_client_close).
///
/// @param timeout_ms  longest wait in milliseconds; negative waits without end
/// @return MODELWIRE_OK; MODELWIRE_TIMEOUT if a thread did not end in time, because a callback
///         hangs for instance: it ends on its own, and the next shutdown waits for it again; or
///         MODELWIRE_E_CALLBACK (see CALLBACKS)
///
/// Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn modelwire_shutdown(timeout_ms: i32) -> modelwire_status {
    guard(std::ptr::null_mut(), || {
        if modelwire_core::is_callback_thread() {
            return Ok(MODELWIRE_E_CALLBACK);
        }
        let timeout = patience(timeout_ms).unwrap_or(Duration::MAX);
        Ok(if modelwire_core::shutdown(timeout) { MODELWIRE_OK } else { MODELWIRE_TIMEOUT })
    })
}
