//! What differs between systems: limits, the terminal, the shell. The only place in the command that checks the
//! system.

#[cfg(unix)]
#[path = "system/unix.rs"]
mod platform;
#[cfg(windows)]
#[path = "system/windows.rs"]
mod platform;

pub(crate) use platform::*;
