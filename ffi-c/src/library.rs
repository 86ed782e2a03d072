//! What concerns the library as a whole: its version, the names of statuses, its shutdown.

use std::ffi::c_char;
use std::time::Duration;

use crate::error::guard;
use crate::status::{
    MODELWIRE_E_ARGUMENT, MODELWIRE_E_CALLBACK, MODELWIRE_OK, MODELWIRE_TIMEOUT, modelwire_status,
    name,
};

/// The version of this header, major * 1000000 + minor * 1000 + patch.
pub const MODELWIRE_VERSION_NUMBER: u32 = 1000;
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

/// The name of a status, "rate_limited" for MODELWIRE_E_RATE_LIMITED for instance. Static, never
/// NULL, any thread.
#[unsafe(no_mangle)]
pub extern "C" fn modelwire_status_name(status: modelwire_status) -> *const c_char {
    name(status).as_ptr()
}

/// Ends every call with MODELWIRE_E_SHUTDOWN, closes all connections, lets the callbacks of started
/// calls see their last event, ends the log and joins the library's threads. Calls that start
/// afterwards fail; completion queues give what they have; accessors and free functions go on
/// working. Optional: a process may simply exit. Calling it again is harmless.
///
/// @param timeout_ms  longest wait in milliseconds; negative waits for an hour
/// @return MODELWIRE_OK; MODELWIRE_TIMEOUT if a thread did not end in time, because a callback
///         hangs for instance: it then ends on its own; or MODELWIRE_E_CALLBACK from inside a
///         callback of a started call or of the log: nothing was done
///
/// Any other thread. From inside the callback of modelwire_call_stream its stream ends with
/// MODELWIRE_E_SHUTDOWN.
#[unsafe(no_mangle)]
pub extern "C" fn modelwire_shutdown(timeout_ms: i32) -> modelwire_status {
    guard(std::ptr::null_mut(), || {
        if modelwire_core::is_callback_thread() {
            return Ok(MODELWIRE_E_CALLBACK);
        }
        let timeout =
            u64::try_from(timeout_ms).map_or(Duration::from_secs(3600), Duration::from_millis);
        Ok(if modelwire_core::shutdown(timeout) { MODELWIRE_OK } else { MODELWIRE_TIMEOUT })
    })
}
