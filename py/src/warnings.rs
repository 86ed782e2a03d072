//! The warnings that wait in the core's log when a call has ended, for Python to hand on.

use modelwire::log;
use pyo3::prelude::*;

use crate::modules;
use crate::run::Run;

/// Lets Python hand on the warnings of a call that ended. Where a thread does that, or nobody listens,
/// nothing is said here.
pub(crate) fn tell_waiting(py: Python<'_>) {
    if !log::has_records() {
        return;
    }
    let told =
        modules::own(py, "_client").and_then(|module| module.run_method("_tell_waiting", ()));
    if let Err(failed) = told {
        failed.write_unraisable(py, None);
    }
}
