//! The command `modelwire` in this process.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command with these arguments, the first of which is its name, and returns the code that
/// the process is to exit with. It writes to the process's own standard output and error, not to
/// `sys.stdout`, and takes SIGINT and SIGTERM for its own while it runs.
#[pyfunction]
pub(crate) fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| modelwire_cli::run(arguments))
}
