//! What each system does in its own way: limits, the terminal. The one place of the command that asks which
//! system it is.

#[cfg(unix)]
#[path = "system/unix.rs"]
mod platform;
#[cfg(windows)]
#[path = "system/windows.rs"]
mod platform;

pub(crate) use platform::*;
