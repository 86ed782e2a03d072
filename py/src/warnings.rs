//! Passes warnings that wait in the core's log after a call to Python.

use modelwire::log;
use pyo3::prelude::*;

use crate::modules;
use crate::run::Run;

/// Makes Python handle the warnings of an ended call. Does nothing if a thread does that, or if nothing
/// listens.
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
