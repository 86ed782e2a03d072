//! What the command asks of Windows.

/// The terminal to read from and to write to, whatever standard input and standard output are.
pub(crate) const TERMINAL: (&str, &str) = ("CONIN$", "CONOUT$");

/// There is no limit that a process could raise.
pub(crate) fn raise_descriptors(wanted: u64) -> u64 {
    wanted
}
