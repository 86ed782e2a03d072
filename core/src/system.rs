//! Operating-system specifics: signals, forks, stacks, descriptors to sleep on. The only place of the core
//! that checks for the operating system, and that contains its `unsafe`.

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

use std::panic::{AssertUnwindSafe, catch_unwind};

/// An OS descriptor for an event loop to watch: a file descriptor; on Windows a `SOCKET`.
pub type Descriptor = platform::RawDescriptor;

/// The result of a wait on a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Polled {
    Readable,
    TimedOut,
    /// A signal handler has run on this thread.
    #[cfg_attr(windows, expect(dead_code, reason = "no handler interrupts a thread there"))]
    Signal,
}

/// Runs code that may spawn a helper thread of the runtime, which receives no signal of the process. `None` if the
/// system provides no thread: then tokio panics.
pub(crate) fn with_helper_thread<T>(spawn: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(|| with_signals_blocked(spawn))).ok()
}

/// Milliseconds for `poll`, rounded up, so that no wait is shorter than requested.
fn poll_millis(timeout: std::time::Duration) -> i32 {
    i32::try_from(timeout.as_micros().div_ceil(1000)).unwrap_or(i32::MAX)
}
