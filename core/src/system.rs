//! What each system does in its own way: signals, forks, stacks, descriptors to sleep at. The one place
//! of the core that asks which system it is, and that holds all of its `unsafe`.

pub(crate) mod process;
pub(crate) mod sync;

#[cfg(all(unix, not(target_os = "macos")))]
#[path = "system/linux.rs"]
#[cfg_attr(modelwire_loom, expect(dead_code, reason = "loom cannot look into the kernel"))]
mod kernel;
#[cfg(target_os = "macos")]
#[path = "system/macos.rs"]
mod kernel;
#[cfg(any(windows, target_os = "macos"))]
#[path = "system/no_event_fd.rs"]
mod no_event_fd;
#[cfg(unix)]
#[path = "system/unix.rs"]
#[cfg_attr(modelwire_loom, expect(dead_code, reason = "loom cannot look into the kernel"))]
mod platform;
#[cfg(windows)]
#[path = "system/windows.rs"]
mod platform;

#[cfg(feature = "bindings")]
pub use platform::without_thread_cancellation;
pub(crate) use platform::*;

/// A descriptor as the system counts them, for an event loop to watch: a file descriptor; on Windows a
/// `SOCKET`.
pub type Descriptor = platform::RawDescriptor;

/// How a wait at a descriptor ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Polled {
    Readable,
    TimedOut,
    /// A signal handler has run on this thread.
    #[cfg_attr(windows, expect(dead_code, reason = "no handler interrupts a thread there"))]
    Signal,
}

/// Milliseconds as `poll` takes them: no wait is shorter than it was asked for.
fn poll_millis(timeout: std::time::Duration) -> i32 {
    i32::try_from(timeout.as_micros().div_ceil(1000)).unwrap_or(i32::MAX)
}
