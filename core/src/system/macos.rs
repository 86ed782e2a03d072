//! What macOS does differently from other Unix systems.

use std::io::Result as IoResult;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;

pub(crate) use super::no_event_fd::EventFd;
use super::platform::is_sigpipe_pending;

/// There is no send flag against SIGPIPE: the socket has an option.
pub(super) const SEND_FLAGS: libc::c_int = 0;

/// PTHREAD_CANCEL_DISABLE, whose value differs between systems.
pub(super) const CANCEL_DISABLE: libc::c_int = 0;

pub(super) fn raise_no_sigpipe(socket: &UnixStream) -> IoResult<()> {
    let (yes, bytes) = (1 as libc::c_int, size_of::<libc::c_int>() as libc::socklen_t);
    // SAFETY: an open socket, and a value of the given size.
    let told = unsafe {
        let value = (&raw const yes).cast();
        libc::setsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, libc::SO_NOSIGPIPE, value, bytes)
    };
    if told == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
}

pub(super) fn errno() -> *mut libc::c_int {
    // SAFETY: the call has no preconditions.
    unsafe { libc::__error() }
}

/// Takes a pending SIGPIPE, the only signal in the set: there is no wait with a timeout here.
pub(super) fn take_pending(sigpipe: &libc::sigset_t) {
    if is_sigpipe_pending() {
        let mut taken = 0;
        // SAFETY: plain data.
        unsafe { libc::sigwait(sigpipe, &raw mut taken) };
    }
}

/// Keeps the library's code loaded, whatever the program unloads, because the library's threads run in it.
/// This linker has no flag for that.
pub(crate) fn keep_loaded() {
    let here = keep_loaded as *const () as *const libc::c_void;
    // SAFETY: plain data that the first call fills in; the name in it lives as long as the library.
    unsafe {
        let mut library: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(here, &raw mut library) != 0 {
            let how = libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE;
            libc::dlopen(library.dli_fname, how);
        }
    }
}

/// Whether the calling thread is the process's first one.
pub(crate) fn is_main_thread() -> bool {
    // SAFETY: the call has no preconditions.
    unsafe { libc::pthread_main_np() == 1 }
}

/// The lowest address of the calling thread's stack.
pub(crate) fn stack_bottom() -> Option<usize> {
    // SAFETY: neither call has preconditions for the calling thread.
    unsafe {
        let thread = libc::pthread_self();
        let top = libc::pthread_get_stackaddr_np(thread) as usize;
        top.checked_sub(libc::pthread_get_stacksize_np(thread))
    }
}
