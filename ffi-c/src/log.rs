//! The log for C: to a callback on a thread of the library. A queue delivers it as events.

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
/// A failure that is not reported otherwise.
pub const MODELWIRE_LOG_ERROR: i32 = 1;
/// Something that needs attention.
pub const MODELWIRE_LOG_WARN: i32 = 2;
/// Something worth knowing.
pub const MODELWIRE_LOG_INFO: i32 = 3;
/// What the library does: attempts, waits, call ends, connections.
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

/// Sets the callback that receives the library's log, in place of an earlier one; it runs on one thread
/// of the library. At most 4096 records are queued for it; further records are dropped, and one record
/// reports how many. The log never contains the API key. A runtime that cannot take a callback on a
/// foreign thread takes the log from a queue.
///
/// @param level       MODELWIRE_LOG_ERROR to MODELWIRE_LOG_TRACE: records of this level and more
///                    important ones; MODELWIRE_LOG_OFF ends the log
/// @param on_log      called with one event of kind MODELWIRE_EVENT_LOG for each record; a nonzero
///                    return ends the log, as does NULL
/// @param user_data   passed to both functions; may be NULL
/// @param finalizer   releases user_data, once, when another log is set, the log is ended, or this
///                    function fails; may be NULL
/// @param timeout_ms  longest wait, in milliseconds, until the earlier callback has received everything
///                    logged before and its finalizer has returned; a negative value waits without
///                    limit: do not use one where a runtime delivers the earlier callback on the
///                    waiting thread
/// @param err         the error, on failure; may be NULL
/// @return MODELWIRE_OK; MODELWIRE_TIMEOUT if the earlier callback has not finished: it ends later, and
///         then its finalizer is called; MODELWIRE_E_ARGUMENT for an unknown level; or
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
