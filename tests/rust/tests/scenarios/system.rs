//! What tests ask of a system, each in its own way. What one has not fails there; which tests are left out
//! for that, and why, stands in tests/release.

#[cfg(unix)]
#[path = "system/unix.rs"]
mod platform;
#[cfg(windows)]
#[path = "system/windows.rs"]
mod platform;

pub use platform::*;
