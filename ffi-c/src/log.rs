//! The log for C: a thread of the library calls back with batches of records.

use std::ffi::{c_char, c_void};
use std::ptr::null_mut;
use std::time::UNIX_EPOCH;

use modelwire_core::Error;
use modelwire_core::log::{self, Level, Record};

use crate::boundary::{Callback, Handle, borrow, guard_or, modelwire_finalizer};
use crate::error::{guard, modelwire_error};
use crate::status::{MODELWIRE_OK, modelwire_status};
use crate::text::{Text, give};

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

/// Some records of the log, lent to a callback.
pub struct modelwire_log_batch {
    records: Vec<(i32, i64, Text, Text)>,
}

impl Handle for modelwire_log_batch {
    const NAME: &'static str = "batch";
}

impl modelwire_log_batch {
    fn new(records: &[Record]) -> modelwire_log_batch {
        let made = |record: &Record| {
            let since = record.time.duration_since(UNIX_EPOCH).unwrap_or_default();
            let unix_ms = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
            let (target, message) = (Text::new(&record.target), Text::new(&record.message));
            (record.level as i32, unix_ms, target, message)
        };
        modelwire_log_batch { records: records.iter().map(made).collect() }
    }
}

/// Called with records of the log, on a thread of the library's own, one batch after another. It
/// may call the library, but for modelwire_set_log and modelwire_shutdown.
///
/// @param user_data  as it was given
/// @param batch      valid during the callback
pub type modelwire_log_fn =
    Option<unsafe extern "C" fn(user_data: *mut c_void, batch: *const modelwire_log_batch)>;

/// Sends the log of the whole library to a callback, in place of any earlier one. At most 4096
/// records wait for it; what comes on top is dropped, and a record says how many. The API key is
/// never in it.
///
/// @param level      MODELWIRE_LOG_ERROR to MODELWIRE_LOG_TRACE: records of this level and more
///                   important ones; MODELWIRE_LOG_OFF ends the log
/// @param on_log     called with records in batches; NULL ends the log
/// @param user_data  handed to both functions; may be NULL
/// @param finalizer  releases user_data, once, when another log is set, the log is ended, or this
///                   function fails; may be NULL
/// @param err        what is wrong, on failure; may be NULL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for an unknown level
///
/// What was logged before is given to the earlier callback before this function returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_set_log(
    level: i32,
    on_log: modelwire_log_fn,
    user_data: *mut c_void,
    finalizer: modelwire_finalizer,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let callback = Callback::new(on_log, user_data, finalizer);
        let level = match level {
            MODELWIRE_LOG_OFF => None,
            MODELWIRE_LOG_ERROR => Some(Level::Error),
            MODELWIRE_LOG_WARN => Some(Level::Warn),
            MODELWIRE_LOG_INFO => Some(Level::Info),
            MODELWIRE_LOG_DEBUG => Some(Level::Debug),
            MODELWIRE_LOG_TRACE => Some(Level::Trace),
            other => {
                return Err(Error::argument(format!("level is {other}: use MODELWIRE_LOG_...")));
            }
        };
        match level.filter(|_| !callback.is_none()) {
            None => log::forward_end()?,
            Some(level) => log::forward(level, move |records| {
                callback.tell(&modelwire_log_batch::new(records));
            })?,
        }
        Ok(MODELWIRE_OK)
    })
}

/// How many records a batch has; 0 for NULL.
///
/// @param batch  the batch
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_log_batch_count(batch: *const modelwire_log_batch) -> usize {
    guard_or(0, || borrow(batch).map_or(0, |batch| batch.records.len()))
}

/// The level of a record, MODELWIRE_LOG_DEBUG for instance; 0 beyond the end.
///
/// @param batch  the batch
/// @param index  from 0, the oldest
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_log_batch_level(
    batch: *const modelwire_log_batch,
    index: usize,
) -> i32 {
    guard_or(0, || record(batch, index).map_or(0, |record| record.0))
}

/// When a record was made, in milliseconds since 1970 UTC; -1 beyond the end.
///
/// @param batch  the batch
/// @param index  from 0, the oldest
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_log_batch_unix_ms(
    batch: *const modelwire_log_batch,
    index: usize,
) -> i64 {
    guard_or(-1, || record(batch, index).map_or(-1, |record| record.1))
}

/// Who says it: "modelwire", or a library below it; NULL beyond the end.
///
/// @param batch  the batch
/// @param index  from 0, the oldest
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_log_batch_target(
    batch: *const modelwire_log_batch,
    index: usize,
) -> *const c_char {
    guard_or(std::ptr::null(), || {
        give(record(batch, index).map(|record| record.2.ready()), null_mut())
    })
}

/// What a record says, on one line mostly; NULL beyond the end.
///
/// @param batch   the batch
/// @param index   from 0, the oldest
/// @param length  its length in bytes; may be NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_log_batch_message(
    batch: *const modelwire_log_batch,
    index: usize,
    length: *mut usize,
) -> *const c_char {
    guard_or(std::ptr::null(), || give(record(batch, index).map(|record| record.3.ready()), length))
}

fn record<'a>(
    batch: *const modelwire_log_batch,
    index: usize,
) -> Option<&'a (i32, i64, Text, Text)> {
    borrow(batch).ok()?.records.get(index)
}
