//! The log for C: to a callback on a thread of the library's own. As data it comes out of a queue.
//! Knows no queue.

use std::ffi::c_void;
use std::ops::ControlFlow;

use modelwire_core::Error;
use modelwire_core::log::{self, Level};

use crate::boundary::{Callback, modelwire_finalizer};
use crate::error::{guard, modelwire_error};
use crate::event::modelwire_event;
use crate::event_fn::modelwire_event_fn;
use crate::status::{MODELWIRE_OK, MODELWIRE_TIMEOUT, modelwire_status};
use crate::timeout::patience;

/// No log.
pub const MODELWIRE_LOG_OFF: i32 = 0;
/// Something failed that nobody is told of otherwise.
pub const MODELWIRE_LOG_ERROR: i32 = 1;
/// Something to look at.
pub const MODELWIRE_LOG_WARN: i32 = 2;
/// Something worth knowing.
pub const MODELWIRE_LOG_INFO: i32 = 3;
/// What the library does: attempts, waits, ends of calls, connections.
pub const MODELWIRE_LOG_DEBUG: i32 = 4;
/// Every detail.
pub const MODELWIRE_LOG_TRACE: i32 = 5;

/// `None` is off.
pub(crate) fn level(level: i32) -> Result<Option<Level>, Error> {
    Ok(Some(match level {
        MODELWIRE_LOG_OFF => return Ok(None),
        MODELWIRE_LOG_ERROR => Level::Error,
        MODELWIRE_LOG_WARN => Level::Warn,
        MODELWIRE_LOG_INFO => Level::Info,
        MODELWIRE_LOG_DEBUG => Level::Debug,
        MODELWIRE_LOG_TRACE => Level::Trace,
        other => return Err(Error::argument(format!("level is {other}: use MODELWIRE_LOG_..."))),
    }))
}

/// Hands the log of the library to a callback, in place of an earlier one, on one thread of the
/// library's own. At most 4096 records wait for it; what comes on top is dropped, and a record says
/// how many. The API key is never in it. A runtime that cannot take a callback on a foreign thread
/// takes the log from a queue.
///
/// @param level       MODELWIRE_LOG_ERROR to MODELWIRE_LOG_TRACE: records of this level and more
///                    important ones; MODELWIRE_LOG_OFF ends the log
/// @param on_log      called with one event of kind MODELWIRE_EVENT_LOG for each record; a nonzero
///                    return ends the log; NULL ends it too
/// @param user_data   handed to both functions; may be NULL
/// @param finalizer   releases user_data, once, when another log is set, the log is ended, or this
///                    function fails; may be NULL
/// @param timeout_ms  longest wait, in milliseconds, until the earlier callback has been given what was
///                    logged before and its finalizer has returned; negative waits without end, which
///                    must not be where its runtime delivers it on the thread that waits
/// @param err         what is wrong, on failure; may be NULL
/// @return MODELWIRE_OK; MODELWIRE_TIMEOUT if the earlier callback is not over: it ends by itself, and
///         its finalizer is called then; MODELWIRE_E_ARGUMENT for an unknown level; or
///         MODELWIRE_E_CALLBACK (see CALLBACKS)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_set_log(
    level: i32,
    on_log: modelwire_event_fn,
    user_data: *mut c_void,
    finalizer: modelwire_finalizer,
    timeout_ms: i32,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let callback = Callback::new(on_log, user_data, finalizer);
        let level = self::level(level)?.filter(|_| !callback.is_none());
        let is_over = match level {
            None => log::forward_end_within(patience(timeout_ms))?,
            Some(level) => log::forward(level, patience(timeout_ms), move |record| match callback
                .ask(modelwire_event::log(0, &record))
            {
                0 => ControlFlow::Continue(()),
                _ => ControlFlow::Break(()),
            })?,
        };
        Ok(if is_over { MODELWIRE_OK } else { MODELWIRE_TIMEOUT })
    })
}
