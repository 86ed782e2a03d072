//! Windows.

/// The terminal for input and output, whatever standard input and output are.
pub(crate) const TERMINAL: (&str, &str) = ("CONIN$", "CONOUT$");

/// Windows has no limit that a process could raise.
pub(crate) fn raise_descriptors(wanted: u64) -> u64 {
    wanted
}
