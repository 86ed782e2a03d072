//! What differs between systems: positional I/O, file locks, folders, limits. The only place in the crate
//! that checks the system.

#[cfg(unix)]
#[path = "system/unix.rs"]
mod platform;
#[cfg(windows)]
#[path = "system/windows.rs"]
mod platform;

pub use platform::Readers;
pub(crate) use platform::*;
