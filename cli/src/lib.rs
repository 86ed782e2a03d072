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

/// Runs the command with these arguments, the first of which is its name, and returns the code that the
/// process is to exit with. Writes to standard output and standard error; takes over SIGINT and SIGTERM
/// while it runs.
pub fn run(arguments: Vec<OsString>) -> u8 {
    arguments::run(arguments)
}
