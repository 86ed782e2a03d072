//! Windows.

use std::fs::OpenOptions;
use std::os::windows::process::CommandExt;
use std::process::Command;

/// The terminal for input and output, whatever standard input and output are.
pub(crate) const TERMINAL: (&str, &str) = ("CONIN$", "CONOUT$");

/// Windows has no limit that a process could raise.
pub(crate) fn raise_descriptors(wanted: u64) -> u64 {
    wanted
}

/// A command line for the system's shell, which has its own rules for quotes.
pub(crate) fn shell(line: &str) -> Command {
    let mut command = Command::new("cmd");
    command.arg("/C").raw_arg(line);
    command
}

/// A file inherits the access rules of its folder.
pub(crate) fn private(_: &mut OpenOptions) {}

/// A closed console ends its processes, and no signal tells them before.
pub(crate) fn hang_up() -> Option<i32> {
    None
}
