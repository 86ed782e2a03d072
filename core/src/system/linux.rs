//! What Linux does differently from other Unix systems.

use std::fs::File;
use std::io::{Read, Result as IoResult, Write};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;

use super::platform::{BorrowedDescriptor, RawDescriptor};

/// Sends with this flag raise no SIGPIPE.
pub(super) const SEND_FLAGS: libc::c_int = libc::MSG_NOSIGNAL;

/// PTHREAD_CANCEL_DISABLE, whose value differs between systems.
pub(super) const CANCEL_DISABLE: libc::c_int = 1;

/// Not needed here: each send has the flag.
#[expect(clippy::unnecessary_wraps, reason = "fails on other systems")]
pub(super) fn raise_no_sigpipe(_: &UnixStream) -> IoResult<()> {
    Ok(())
}

pub(super) fn errno() -> *mut libc::c_int {
    // SAFETY: the call has no preconditions.
    unsafe { libc::__errno_location() }
}

/// Takes a pending signal of this set, of the calling thread or of the process.
pub(super) fn take_pending(signals: &libc::sigset_t) {
    // SAFETY: plain data; a wait with a timeout of zero.
    unsafe {
        let at_once: libc::timespec = std::mem::zeroed();
        libc::sigtimedwait(signals, std::ptr::null_mut(), &raw const at_once);
    }
}

/// Not needed here: a shared library is linked with `-z nodelete`.
pub(crate) fn keep_loaded() {}

/// Whether the calling thread is the process's first one.
pub(crate) fn is_main_thread() -> bool {
    // SAFETY: neither call has preconditions.
    unsafe { libc::getpid() == libc::gettid() }
}

/// The lowest address of the calling thread's stack.
pub(crate) fn stack_bottom() -> Option<usize> {
    // SAFETY: the attributes are initialised by the first call and read only if it succeeded.
    unsafe {
        let mut attributes: libc::pthread_attr_t = std::mem::zeroed();
        if libc::pthread_getattr_np(libc::pthread_self(), &raw mut attributes) != 0 {
            return None;
        }
        let (mut bottom, mut bytes) = (std::ptr::null_mut(), 0);
        let found =
            libc::pthread_attr_getstack(&raw const attributes, &raw mut bottom, &raw mut bytes);
        libc::pthread_attr_destroy(&raw mut attributes);
        (found == 0).then_some(bottom as usize)
    }
}

/// An eventfd: non-blocking and close-on-exec.
pub(crate) struct EventFd(File);

impl EventFd {
    #[expect(clippy::unnecessary_wraps, reason = "there is none on other systems")]
    pub(crate) fn new() -> Option<IoResult<EventFd>> {
        // SAFETY: the call has no preconditions.
        let fd = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
        if fd < 0 {
            return Some(Err(std::io::Error::last_os_error()));
        }
        // SAFETY: it is open, and nothing else owns it.
        Some(Ok(EventFd(File::from(unsafe { OwnedFd::from_raw_fd(fd) }))))
    }

    /// Adds one to the counter.
    pub(crate) fn add(&self) {
        drop((&self.0).write(&1u64.to_ne_bytes()));
    }

    /// Returns the counter and resets it to zero.
    pub(crate) fn take(&self) -> usize {
        let mut count = [0; 8];
        (&self.0).read(&mut count).map_or(0, |_| u64::from_ne_bytes(count) as usize)
    }

    pub(crate) fn borrowed(&self) -> BorrowedDescriptor<'_> {
        self.0.as_fd()
    }

    pub(crate) fn raw(&self) -> RawDescriptor {
        self.0.as_raw_fd()
    }
}
