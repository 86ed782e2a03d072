//! What Unix systems have in common: signals, forks, `poll`, socket pairs.

use std::fs::File;
use std::io::Result as IoResult;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

#[cfg_attr(
    modelwire_loom,
    expect(unused_imports, reason = "loom cannot look into the kernel")
)]
pub(crate) use super::kernel::EventFd;
pub(crate) use super::kernel::{is_main_thread, keep_loaded, stack_bottom};
use super::{Polled, kernel, poll_millis};

pub type RawDescriptor = std::os::fd::RawFd;
pub(crate) type BorrowedDescriptor<'a> = std::os::fd::BorrowedFd<'a>;

/// Registers a function to run in the child of each fork; it must not lock or allocate.
pub(crate) fn on_fork(in_child: extern "C" fn()) {
    // SAFETY: a function without captures.
    let _ = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
}

/// Whether the process or the system has no descriptor left.
pub(crate) fn lacks_descriptors(cause: &std::io::Error) -> bool {
    matches!(cause.raw_os_error(), Some(libc::EMFILE | libc::ENFILE))
}

/// The maximum number of open descriptors of this process.
pub(crate) fn descriptors_max() -> usize {
    // SAFETY: plain data that the call fills in before it is read.
    let found = unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        (libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) == 0).then_some(limit.rlim_cur)
    };
    found.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(1024)
}

/// Runs I/O on a thread of the program, where SIGPIPE ends the process by default: sockets are written with
/// `writev`, which has no flag against it. A SIGPIPE raised by the I/O is consumed, and the thread's mask is
/// restored.
pub(crate) fn without_sigpipe<T>(io: impl FnOnce() -> T) -> T {
    // SAFETY: all of it is plain data that these calls fill in before it is read.
    unsafe {
        let mut disposition: libc::sigaction = std::mem::zeroed();
        let found = libc::sigaction(libc::SIGPIPE, std::ptr::null(), &raw mut disposition);
        if found == 0 && disposition.sa_sigaction == libc::SIG_IGN {
            return io();
        }
        let mut sigpipe: libc::sigset_t = std::mem::zeroed();
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut sigpipe);
        libc::sigaddset(&raw mut sigpipe, libc::SIGPIPE);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const sigpipe, &raw mut before);
        // A SIGPIPE pending before is the program's; the kernel merges a second one with it. None can be
        // pending if this thread did not block it.
        let was_blocked = libc::sigismember(&raw const before, libc::SIGPIPE) == 1;
        let had_one = was_blocked && is_sigpipe_pending();
        let outcome = io();
        if !had_one {
            kernel::take_pending(&sigpipe);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
        outcome
    }
}

unsafe extern "C" {
    // The crate libc declares it for some systems only.
    fn pthread_setcancelstate(state: libc::c_int, before: *mut libc::c_int) -> libc::c_int;
}

/// The cancel state to restore, also after a panic.
struct RestoresCancelState(libc::c_int);

impl Drop for RestoresCancelState {
    fn drop(&mut self) {
        let mut held_off = 0;
        // SAFETY: restores a state that the thread had.
        unsafe { pthread_setcancelstate(self.0, &raw mut held_off) };
    }
}

/// Disables cancellation of the calling thread (`pthread_cancel`) while `run` runs: it would unwind through
/// frames that do not support it, which ends the process. The thread ends at its next cancellation point
/// after this. Costs a few nanoseconds.
pub fn without_thread_cancellation<T>(run: impl FnOnce() -> T) -> T {
    let mut before = 0;
    // SAFETY: changes only the calling thread's state, and stores the previous one.
    unsafe { pthread_setcancelstate(kernel::CANCEL_DISABLE, &raw mut before) };
    let _restores = RestoresCancelState(before);
    run()
}

/// Whether a SIGPIPE is pending for this thread or the process.
pub(super) fn is_sigpipe_pending() -> bool {
    // SAFETY: plain data that the call fills in before it is read.
    unsafe {
        let mut pending: libc::sigset_t = std::mem::zeroed();
        libc::sigpending(&raw mut pending) == 0
            && libc::sigismember(&raw const pending, libc::SIGPIPE) == 1
    }
}

/// Waits until a descriptor is readable. Unlike other system calls, `poll` is never restarted after a signal,
/// not even with SA_RESTART.
pub(crate) fn poll_readable(fd: BorrowedDescriptor<'_>, timeout: Duration) -> Polled {
    let mut entry = libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one entry, which we own.
    match unsafe { libc::poll(&raw mut entry, 1, poll_millis(timeout)) } {
        0 => Polled::TimedOut,
        1.. => Polled::Readable,
        _ => Polled::Signal,
    }
}

/// One end of a connected pair.
pub(crate) struct Socket(UnixStream);

impl Socket {
    /// Creates a pair, non-blocking and close-on-exec.
    pub(crate) fn pair() -> IoResult<(Socket, Socket)> {
        let (one, other) = UnixStream::pair()?;
        one.set_nonblocking(true)?;
        other.set_nonblocking(true)?;
        kernel::raise_no_sigpipe(&one)?;
        kernel::raise_no_sigpipe(&other)?;
        Ok((Socket(one), Socket(other)))
    }

    /// A duplicate: the same socket under another number.
    pub(crate) fn try_clone(&self) -> IoResult<Socket> {
        self.0.try_clone().map(Socket)
    }

    /// Identifies the socket to which the number refers now.
    pub(crate) fn identity(&self) -> IoResult<impl PartialEq + use<>> {
        Ok(File::from(self.0.as_fd().try_clone_to_owned()?).metadata()?.ino())
    }

    /// Writes without raising SIGPIPE: the program may have closed its end.
    pub(crate) fn send(&self, bytes: &[u8]) -> IoResult<usize> {
        socket2::SockRef::from(&self.0).send_with_flags(bytes, kernel::SEND_FLAGS)
    }

    pub(crate) fn receive(&self, bytes: &mut [u8]) -> IoResult<usize> {
        std::io::Read::read(&mut &self.0, bytes)
    }

    pub(crate) fn borrowed(&self) -> BorrowedDescriptor<'_> {
        self.0.as_fd()
    }

    pub(crate) fn raw(&self) -> RawDescriptor {
        self.0.as_raw_fd()
    }
}

/// Runs system calls in a signal handler, and restores the errno of the interrupted thread.
pub(crate) fn keeping_errno(calls: impl FnOnce()) {
    // SAFETY: the address belongs to the calling thread, as long as the thread lives.
    unsafe {
        let errno = kernel::errno();
        let before = *errno;
        calls();
        *errno = before;
    }
}

/// A new thread inherits its creator's signal mask, so the library's threads receive no signal of the
/// process.
pub(crate) fn with_signals_blocked<T>(start: impl FnOnce() -> T) -> T {
    let _restores = Restores(block_signals());
    start()
}

/// Blocks all signals of the calling thread; returns the previous mask.
fn block_signals() -> libc::sigset_t {
    // SAFETY: both sets are plain data that these calls fill in before they are read.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        before
    }
}

/// The mask to restore, even if no thread could be started and tokio panics.
struct Restores(libc::sigset_t);

impl Drop for Restores {
    fn drop(&mut self) {
        // SAFETY: the set was filled in.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.0, std::ptr::null_mut());
        }
    }
}

/// The CPU time of the calling thread.
#[cfg(test)]
pub(crate) fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call fills in its argument.
    assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) }, 0);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Whether the calling thread receives signals sent to the process.
#[cfg(test)]
pub(crate) fn takes_signals() -> bool {
    !(is_blocked(libc::SIGINT) && is_blocked(libc::SIGUSR1))
}

/// Whether the calling thread blocks a signal.
#[cfg(test)]
fn is_blocked(signal: libc::c_int) -> bool {
    // SAFETY: plain data, filled in by the first call.
    unsafe {
        let mut mask: libc::sigset_t = std::mem::zeroed();
        libc::pthread_sigmask(libc::SIG_SETMASK, std::ptr::null(), &raw mut mask);
        libc::sigismember(&raw const mask, signal) == 1
    }
}

/// Checks that a Unix socket can have this path.
pub(crate) fn check_socket_path(path: &Path) -> IoResult<()> {
    std::os::unix::net::SocketAddr::from_pathname(path).map(drop)
}

/// Lets all connections of a client lead to a Unix socket. A macro, because only the transport knows the
/// builder, and the builder of other systems has no such function.
macro_rules! at_unix_socket {
    ($builder:expr, $path:expr) => {
        $builder.unix_socket($path)
    };
}
pub(crate) use at_unix_socket;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]
    use std::io::{ErrorKind, Read};
    use std::os::fd::{FromRawFd, OwnedFd};

    use super::*;
    use crate::driver::wake_fd::{WakeFd, WireKind};

    /// The program closed the descriptor, which it must not, and its number is that of a file of its own now.
    #[test]
    fn a_number_that_refers_to_another_file_is_not_closed() {
        let wake_fd = WakeFd::new(WireKind::Socket).unwrap();
        let (own, mut other) = UnixStream::pair().unwrap();
        let number = wake_fd.fd();
        // SAFETY: both are open.
        assert_eq!(unsafe { libc::dup2(own.as_raw_fd(), number) }, number);
        drop((own, wake_fd));
        other.set_nonblocking(true).unwrap();
        let read = other.read(&mut [0]).map_err(|error| error.kind());
        assert_eq!(read, Err(ErrorKind::WouldBlock), "the other end is open");
        // SAFETY: it is open, and nothing else owns it any more.
        drop(unsafe { OwnedFd::from_raw_fd(number) });
    }

    /// Whether this thread blocks SIGPIPE, and whether one is pending.
    fn sigpipe_is() -> (bool, bool) {
        (is_blocked(libc::SIGPIPE), is_sigpipe_pending())
    }

    /// Runs `check` in a child for which SIGPIPE is fatal by default; `check` returns whether all is correct.
    /// `write` writes into a pipe without a reader, and returns whether that failed.
    fn in_child(check: fn(write: &dyn Fn() -> bool) -> bool) {
        // SAFETY: the child makes system calls only, and leaves through _exit.
        let child = unsafe { libc::fork() };
        if child == 0 {
            // SAFETY: as above; the pipe is the child's own.
            unsafe {
                libc::signal(libc::SIGPIPE, libc::SIG_DFL);
                let mut pipe = [0; 2];
                libc::pipe(&raw mut pipe[0]);
                libc::close(pipe[0]);
                let write = || libc::write(pipe[1], [0u8].as_ptr().cast(), 1) == -1;
                libc::_exit(if check(&write) { 0 } else { 1 });
            }
        }
        let mut status = -1;
        // SAFETY: `status` is ours; `child` is our child.
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "status {status:#x}");
    }

    #[test]
    fn a_broken_pipe_raises_no_sigpipe_on_a_callers_thread() {
        in_child(|write| {
            let failed = without_sigpipe(write) && without_sigpipe(write);
            failed && sigpipe_is() == (false, false)
        });
    }

    #[test]
    fn the_mask_stays_where_sigpipe_is_ignored() {
        in_child(|_| {
            // SAFETY: the call has no preconditions.
            unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
            without_sigpipe(|| !is_blocked(libc::SIGPIPE))
        });
        in_child(|_| without_sigpipe(|| is_blocked(libc::SIGPIPE)));
    }

    #[test]
    fn the_limit_of_the_process_bounds_its_descriptors() {
        in_child(|_| {
            let limit = libc::rlimit { rlim_cur: 100, rlim_max: 100 };
            // SAFETY: reads the limit, which is the child's own.
            let was_set = unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) == 0 };
            was_set && descriptors_max() == 100
        });
    }

    /// The thread that forks is the only one of the child.
    #[test]
    fn the_first_thread_of_a_process_is_its_main_thread() {
        assert!(!std::thread::spawn(is_main_thread).join().unwrap());
        in_child(|_| is_main_thread());
    }

    /// A thread that blocks SIGPIPE itself finds its mask unchanged and nothing pending, and may unblock it.
    #[test]
    fn no_sigpipe_is_left_pending_on_a_thread_that_blocks_it() {
        in_child(|write| {
            block_signals();
            let failed = without_sigpipe(write);
            failed && sigpipe_is() == (true, false)
        });
    }

    #[test]
    fn a_sigpipe_of_the_programs_own_stays() {
        in_child(|write| {
            block_signals();
            // SAFETY: the call has no preconditions.
            unsafe { libc::raise(libc::SIGPIPE) };
            without_sigpipe(write) && sigpipe_is() == (true, true)
        });
    }
}
