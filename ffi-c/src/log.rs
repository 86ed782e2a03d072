//! The levels of the log; a queue delivers its records (`modelwire_queue_log`).

use modelwire_core::Error;
use modelwire_core::log::Level;

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
