//! Threads: those of the library's own, which take no signal of the process, and those of the program
//! on which the library may do its I/O. With `process` all of the core's `unsafe`. Knows no runtime
//! but whether a thread is in one.

use std::cell::Cell;
use std::fs::File;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use tokio::runtime::Handle;

use crate::process::PerProcess;
use crate::sync::{lock, unpoisoned};

/// A thread of the library's own: it takes no signal of the process, and its end can be waited
/// for with a bound.
pub(crate) struct OwnThread {
    gone: Arc<Gone>,
    /// Joined only once it is past its last line.
    thread: Mutex<Option<thread::JoinHandle<()>>>,
}

thread_local! {
    /// Which thread of ours this is.
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

#[derive(Default)]
struct Gone {
    is_gone: Mutex<bool>,
    changed: Condvar,
}

/// Says so when the thread is past its last line, however it came there.
struct Goes(Arc<Gone>);

impl Drop for Goes {
    fn drop(&mut self) {
        *lock(&self.0.is_gone) = true;
        self.0.changed.notify_all();
    }
}

impl OwnThread {
    pub(crate) fn spawn(
        name: String,
        body: impl FnOnce() + Send + 'static,
    ) -> std::io::Result<OwnThread> {
        let gone = Arc::new(Gone::default());
        let goes = Goes(gone.clone());
        let body = move || {
            CURRENT.set(Arc::as_ptr(&goes.0).addr());
            let _goes = goes;
            body();
        };
        let thread = with_signals_blocked(|| thread::Builder::new().name(name).spawn(body))?;
        Ok(OwnThread { gone, thread: Mutex::new(Some(thread)) })
    }

    pub(crate) fn is_gone(&self) -> bool {
        *lock(&self.gone.is_gone)
    }

    pub(crate) fn is_current(&self) -> bool {
        // Not by thread::current(), which leaves something behind in a thread that is not ours.
        CURRENT.try_with(Cell::get).is_ok_and(|own| own == Arc::as_ptr(&self.gone).addr())
    }

    /// Waits until it is past its last line; false if that is not in time.
    pub(crate) fn is_gone_within(&self, timeout: Duration) -> bool {
        let is_gone = lock(&self.gone.is_gone);
        let waited = self.gone.changed.wait_timeout_while(is_gone, timeout, |gone| !*gone);
        !unpoisoned(waited).1.timed_out()
    }

    /// False if it does not end in time; it then ends on its own, or is waited for again.
    pub(crate) fn join_within(&self, timeout: Duration) -> bool {
        // Joined, so that nothing of it is left.
        self.is_gone_within(timeout)
            && lock(&self.thread).take().is_none_or(|thread| thread.join().is_ok())
    }
}

/// Stack that doing the I/O may need: TLS handshakes and everything below them.
const STACK_BYTES_MIN: usize = 256 << 10;

/// Whether the calling thread can do the I/O: it is in no runtime of its own, it is not
/// about to end, and it has stack enough, which threads of other languages may not have.
pub(crate) fn may_do_io_here() -> bool {
    thread_local! {
        /// The lowest address of this thread's stack, found once.
        static STACK_BOTTOM: Option<usize> = stack_bottom();
    }
    let in_no_runtime = Handle::try_current().is_err_and(|error| error.is_missing_context());
    let here = &raw const in_no_runtime as usize;
    let bottom = STACK_BOTTOM.try_with(|bottom| *bottom).ok().flatten();
    // On a stack of the program's own the address is below the bottom or far above it.
    let room = bottom.and_then(|bottom| here.checked_sub(bottom));
    in_no_runtime && room.is_some_and(|room| (STACK_BYTES_MIN..=1 << 30).contains(&room))
}

fn stack_bottom() -> Option<usize> {
    keep_handle_of_main_thread();
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

/// The standard library keeps a handle of each thread that enters the runtime until the thread
/// ends, which the main thread of a C program does not. Kept here too, where a leak checker finds it.
fn keep_handle_of_main_thread() {
    static MAIN: PerProcess<thread::Thread> = PerProcess::new();
    // SAFETY: neither call has preconditions.
    if unsafe { libc::getpid() == libc::gettid() } {
        let _ = MAIN.get_or_try_init(|| Ok(thread::current()));
    }
}

/// Runs I/O on a thread of the program's, whose default for SIGPIPE ends the process: sockets are
/// written with `writev`, which cannot be told not to raise it. What is raised meanwhile is taken,
/// and the thread's mask is as it was.
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
        // One that waits before is the program's, and to the kernel a second one is the same. None
        // can wait where this thread did not block it.
        let was_blocked = libc::sigismember(&raw const before, libc::SIGPIPE) == 1;
        let had_one = was_blocked && is_sigpipe_pending();
        let outcome = io();
        if !had_one {
            let at_once: libc::timespec = std::mem::zeroed();
            libc::sigtimedwait(&raw const sigpipe, std::ptr::null_mut(), &raw const at_once);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
        outcome
    }
}

/// Whether a SIGPIPE waits for this thread or for the process.
fn is_sigpipe_pending() -> bool {
    // SAFETY: plain data that the call fills in before it is read.
    unsafe {
        let mut pending: libc::sigset_t = std::mem::zeroed();
        libc::sigpending(&raw mut pending) == 0
            && libc::sigismember(&raw const pending, libc::SIGPIPE) == 1
    }
}

/// How a wait at a descriptor ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Polled {
    Readable,
    TimedOut,
    /// A signal handler has run on this thread.
    Signal,
}

/// Waits until a descriptor is readable. Unlike other waits this one is not begun again after a
/// signal, also where its handler asks for that (SA_RESTART).
pub(crate) fn poll_readable(fd: BorrowedFd<'_>, timeout: Duration) -> Polled {
    let mut entry = libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    let millis = i32::try_from(timeout.as_micros().div_ceil(1000)).unwrap_or(i32::MAX);
    // SAFETY: one entry, which is ours.
    match unsafe { libc::poll(&raw mut entry, 1, millis) } {
        0 => Polled::TimedOut,
        1.. => Polled::Readable,
        _ => Polled::Signal,
    }
}

/// A new eventfd, non-blocking and close-on-exec; `None` where the system has none.
#[cfg_attr(modelwire_loom, expect(dead_code, reason = "loom cannot look into the kernel"))]
pub(crate) fn event_fd() -> Option<std::io::Result<File>> {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: the call has no preconditions.
        let fd = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
        if fd < 0 {
            return Some(Err(std::io::Error::last_os_error()));
        }
        // SAFETY: it is open, and nobody else's.
        Some(Ok(File::from(unsafe { OwnedFd::from_raw_fd(fd) })))
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// Runs system calls inside a signal handler: the thread that it interrupted finds its errno as it
/// was.
pub(crate) fn keeping_errno(calls: impl FnOnce()) {
    // SAFETY: the address is the calling thread's own, for as long as the thread lives.
    unsafe {
        let errno = libc::__errno_location();
        let before = *errno;
        calls();
        *errno = before;
    }
}

/// In a thread of ours that somebody else started.
pub(crate) fn block_signals() {
    // SAFETY: plain data that the first call fills in.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, std::ptr::null_mut());
    }
}

/// A new thread inherits its creator's signal mask: ours take no signal of the process.
fn with_signals_blocked<T>(start: impl FnOnce() -> T) -> T {
    // SAFETY: both sets are plain data that these calls fill in before they are read.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        let started = start();
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
        started
    }
}

/// How long the calling thread has run on a processor.
#[cfg(test)]
pub(crate) fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call fills in what it is given.
    assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) }, 0);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Whether the calling thread blocks a signal.
#[cfg(test)]
pub(crate) fn is_blocked(signal: libc::c_int) -> bool {
    // SAFETY: plain data, filled in by the first call.
    unsafe {
        let mut mask: libc::sigset_t = std::mem::zeroed();
        libc::pthread_sigmask(libc::SIG_SETMASK, std::ptr::null(), &raw mut mask);
        libc::sigismember(&raw const mask, signal) == 1
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]
    use super::*;

    /// Whether this thread blocks SIGPIPE, and whether one waits.
    fn sigpipe_is() -> (bool, bool) {
        (is_blocked(libc::SIGPIPE), is_sigpipe_pending())
    }

    /// Runs this in a child that dies of SIGPIPE by default; it says whether all was as it should be.
    /// `write` writes into a pipe that nobody reads, and says whether that failed.
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
    fn a_broken_pipe_raises_nothing_while_a_callers_thread_does_the_io() {
        in_child(|write| {
            let failed = without_sigpipe(write) && without_sigpipe(write);
            failed && sigpipe_is() == (false, false)
        });
    }

    /// A thread that blocks SIGPIPE itself finds its mask as it was and nothing pending, and may
    /// unblock it.
    #[test]
    fn a_thread_that_blocks_sigpipe_keeps_none_of_ours() {
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
