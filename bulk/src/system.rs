//! What each system does in its own way: positions and locks of files, folders, limits. The one place
//! of the crate that asks which system it is.

#[cfg(unix)]
#[path = "system/unix.rs"]
mod platform;
#[cfg(windows)]
#[path = "system/windows.rs"]
mod platform;

pub use platform::Readers;
pub(crate) use platform::*;
