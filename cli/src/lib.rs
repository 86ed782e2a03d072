//! The command `modelwire`: calls go through the crate `modelwire`, bulk jobs through `modelwire-bulk`.

mod arguments;
mod bulk;
mod connection;
mod console;
pub mod doctor;
mod everyday;
mod failure;
mod system;

use std::ffi::OsString;

pub use failure::{Exit, Failure};

/// Runs the command with these arguments, the first of which is its name, and returns the exit code for the
/// process. Writes to standard output and standard error; handles SIGINT and SIGTERM while it runs, in `bulk`
/// also SIGHUP unless it is ignored.
pub fn run(arguments: Vec<OsString>) -> u8 {
    arguments::run(arguments)
}
