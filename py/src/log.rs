//! The core's log as Python takes it: in batches, on a thread of Python's own.

use std::time::{Duration, UNIX_EPOCH};

use modelwire::log::{self, Level, Record};
use pyo3::prelude::*;

use crate::errors::raise;

/// Level (1 is an error, 5 a detail), who says it, what it says, seconds since 1970.
type Line = (i32, String, String, f64);

fn line(record: Record) -> Line {
    let since = record.time.duration_since(UNIX_EPOCH).unwrap_or_default();
    (record.level as i32, record.target, record.message, since.as_secs_f64())
}

/// Collects records of this level and above from now on.
#[pyfunction]
pub(crate) fn log_start(py: Python<'_>, level: i32) -> PyResult<()> {
    let level = match level {
        ..=1 => Level::Error,
        2 => Level::Warn,
        3 => Level::Info,
        4 => Level::Debug,
        _ => Level::Trace,
    };
    raise(py, log::start(level))
}

/// Ends the collecting: whoever waits gets what is left, and then None.
#[pyfunction]
pub(crate) fn log_stop() {
    log::stop();
}

/// What was collected; waits for the first record until the time runs out. None once it was
/// stopped and nothing is left.
#[pyfunction]
pub(crate) fn log_take(py: Python<'_>, max: usize, seconds: f64) -> Option<Vec<Line>> {
    let timeout = Duration::try_from_secs_f64(seconds).unwrap_or_default();
    let records = py.detach(|| log::take(max, timeout))?;
    Some(records.into_iter().map(line).collect())
}
