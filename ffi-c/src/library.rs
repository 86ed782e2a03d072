//! Functions for the library as a whole: its version, the names of statuses, its threads, its shutdown.

use std::ffi::c_char;
use std::time::Duration;

use crate::error::{guard, modelwire_error};
use crate::status::{
    MODELWIRE_E_ARGUMENT, MODELWIRE_E_CALLBACK, MODELWIRE_OK, MODELWIRE_TIMEOUT, modelwire_status,
    name,
};
use crate::timeout::patience;

/// The version of this header, major * 1000000 + minor * 1000 + patch.
pub const MODELWIRE_VERSION_NUMBER: u32 = 1000;
/// Marks a library that has everything in this header. Programs refer to it, so that one built for a
/// later header does not start with a library of an older minor version: the loader reports the missing
/// symbol.
#[unsafe(no_mangle)]
pub static modelwire_needs_0_1: u8 = 1;
/// The ABI of this header. Within one ABI, functions and constants are only added; a change that would
/// break a compiled program increments this number.
pub const MODELWIRE_ABI: u32 = 1;

/// The library's version as a number like MODELWIRE_VERSION_NUMBER. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn modelwire_version_number() -> u32 {
    MODELWIRE_VERSION_NUMBER
}

/// Checks whether this library supports a program that was compiled against a header's ABI.
///
/// @param header_abi  MODELWIRE_ABI as the program's header defines it
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT if it does not
///
/// Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn modelwire_check_abi(header_abi: u32) -> modelwire_status {
    if header_abi == MODELWIRE_ABI { MODELWIRE_OK } else { MODELWIRE_E_ARGUMENT }
}

/// The name of a status, an identifier: for instance "rate_limited" for MODELWIRE_E_RATE_LIMITED, "ok"
/// for MODELWIRE_OK, "wait_timeout" for MODELWIRE_TIMEOUT. Static, never NULL, any thread.
///
/// @param status  what a function returned
#[unsafe(no_mangle)]
pub extern "C" fn modelwire_status_name(status: modelwire_status) -> *const c_char {
    name(status).as_ptr()
}

/// Sets the number of threads that do the I/O of this process, 1 to 16; without this, the environment
/// variable MODELWIRE_IO_THREADS sets it; the default is 1. One thread handles about 100,000 chunks a
/// second that arrive one at a time. Each thread has its own connections; the limits on connections
/// apply to all together. A call stays on one thread, the one with the fewest calls in flight when it
/// starts. With several threads, a thread that waits at a queue does no I/O itself.
///
/// @param count  the number of threads; they start when calls need them
/// @param err    receives the error object if this fails; may be NULL
/// @return MODELWIRE_OK; or MODELWIRE_E_CONFIG if the number is not 1 to 16, or the threads are already
///         running with a different one: call it before the first call, or after modelwire_shutdown
///
/// Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn modelwire_set_io_threads(
    count: u32,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || modelwire_core::set_io_threads(count as usize).map(|()| MODELWIRE_OK))
}

/// Shuts down this copy of the library in this process. Every call ends with MODELWIRE_E_SHUTDOWN.
/// Callbacks receive the last event of their calls; those of modelwire_client_on_call receive all
/// remaining records, and then end. Connections are closed, and the library's threads are joined. Calls
/// that start during the shutdown fail. Afterwards nothing runs; whatever you use again, including old
/// clients and queues, starts again. Optional: a process may simply exit.
///
/// For a host that exits, or for a plugin with its own static copy before it is unloaded. A plugin that
/// shares the library with others closes its clients instead (modelwire_client_close).
///
/// @param timeout_ms  longest wait in milliseconds; a negative value waits without limit
/// @return MODELWIRE_OK; MODELWIRE_TIMEOUT if a thread did not end in time, for instance because a
///         callback hangs: the thread ends later, and the next shutdown waits for it again; or
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
