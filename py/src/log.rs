//! Passes the core's log to Python in batches, on a Python thread.

use std::time::{Duration, UNIX_EPOCH};

use modelwire::log::{self, Level, Record};
use pyo3::prelude::*;

use crate::errors::raise;

/// Level (1 is an error, 5 a detail), target, message, seconds since 1970.
type Line = (i32, String, String, f64);

fn line(record: Record) -> Line {
    let since = record.time.duration_since(UNIX_EPOCH).unwrap_or_default();
    (record.level as i32, record.target, record.message, since.as_secs_f64())
}

/// Starts to collect records of this level and more severe ones.
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

/// Stops collecting: a waiting thread gets the remaining records, and then None.
#[pyfunction]
pub(crate) fn log_stop() {
    log::stop();
}

/// Takes collected records; waits up to `seconds` for the first. None once stopped and empty.
#[pyfunction]
pub(crate) fn log_take(py: Python<'_>, max: usize, seconds: f64) -> Option<Vec<Line>> {
    let timeout = Duration::try_from_secs_f64(seconds).unwrap_or_default();
    let records = py.detach(|| log::take(max, timeout))?;
    Some(records.into_iter().map(line).collect())
}
