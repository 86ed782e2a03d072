//! Runs the command `modelwire` in this process.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command with these arguments, the first of which is its name, and returns the exit code for the
/// process. It writes to the process's standard output and error, not to `sys.stdout`, and handles SIGINT
/// and SIGTERM while it runs.
#[pyfunction]
pub(crate) fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| modelwire_cli::run(arguments))
}
