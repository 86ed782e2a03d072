//! The process-wide tokio runtime on one I/O thread, started at the first request, and what
//! makes it survive `fork`: everything process-bound lives in a [`PerProcess`] cell. Holds all of
//! the core's `unsafe`. Knows no HTTP.
//!
//! # Fork
//!
//! The child of a fork has no I/O thread, and locks that other threads held stay locked in it for
//! ever. So the child never touches what its parent used: a counter, advanced in the atfork
//! child handler, tells processes apart, and it is compared before any lock is taken. What
//! belongs to the parent is leaked, never dropped: dropping would lock, or speak on sockets that
//! the parent still uses.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use once_cell::sync::OnceCell;
use tokio::runtime::Handle;

use crate::driver::driver::Driver;
use crate::driver::external;
use crate::error::{Error, ErrorKind, Result};

static GENERATION: AtomicU64 = AtomicU64::new(1);
/// Whether the handler is registered that advances it.
static IS_WATCHED: AtomicBool = AtomicBool::new(false);

extern "C" fn in_forked_child() {
    // Only atomics: the child may hold no lock and may not allocate here.
    GENERATION.fetch_add(1, Ordering::SeqCst);
}

/// Which process this is, counted in forks from the first one that used the library.
pub(crate) fn generation() -> u64 {
    // Said only when it is registered. Threads that come here together register it twice: then the
    // count advances by two, and nobody has to wait for a thread that a fork may leave behind.
    if !IS_WATCHED.load(Ordering::SeqCst) {
        // SAFETY: the handler is a function without captures that only touches an atomic.
        let _ = unsafe { libc::pthread_atfork(None, None, Some(in_forked_child)) };
        IS_WATCHED.store(true, Ordering::SeqCst);
    }
    GENERATION.load(Ordering::SeqCst)
}

/// A value that each process makes for itself on first use.
pub(crate) struct PerProcess<T> {
    slot: AtomicPtr<Slot<T>>,
}

struct Slot<T> {
    generation: u64,
    cell: OnceCell<T>,
}

impl<T> PerProcess<T> {
    pub(crate) const fn new() -> PerProcess<T> {
        PerProcess { slot: AtomicPtr::new(std::ptr::null_mut()) }
    }

    /// This process's value, made by `make` if it is the first use.
    pub(crate) fn get_or_try_init(&self, make: impl FnOnce() -> Result<T>) -> Result<&T> {
        self.slot().cell.get_or_try_init(make)
    }

    /// This process's value if it was made.
    pub(crate) fn get(&self) -> Option<&T> {
        self.slot().cell.get()
    }

    fn slot(&self) -> &Slot<T> {
        let generation = generation();
        loop {
            let found = self.slot.load(Ordering::Acquire);
            // SAFETY: a slot that was published stays allocated while `self` is borrowed: it is
            // freed only by drop, and a replaced one (of a parent process) is leaked.
            if let Some(slot) = unsafe { found.as_ref() }
                && slot.generation == generation
            {
                return slot;
            }
            let fresh = Box::into_raw(Box::new(Slot { generation, cell: OnceCell::new() }));
            let swap =
                self.slot.compare_exchange(found, fresh, Ordering::AcqRel, Ordering::Acquire);
            if swap.is_err() {
                // SAFETY: nobody else has seen this pointer.
                drop(unsafe { Box::from_raw(fresh) });
            }
        }
    }
}

impl<T> Drop for PerProcess<T> {
    fn drop(&mut self) {
        let found = *self.slot.get_mut();
        // SAFETY: published slots come from Box::into_raw and only drop frees them. A slot of a
        // parent process is leaked, as this module's head says.
        if let Some(slot) = unsafe { found.as_ref() }
            && slot.generation == generation()
        {
            // SAFETY: as above; `&mut self` proves that nobody borrows the slot.
            drop(unsafe { Box::from_raw(found) });
        }
    }
}

/// A thread of the library's own: it takes no signal of the process, and its end can be waited
/// for with a bound.
pub(crate) struct OwnThread {
    gone: Arc<Gone>,
    /// Joined only once it is past its last line.
    thread: Option<thread::JoinHandle<()>>,
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
        *self.0.is_gone.lock().unwrap_or_else(PoisonError::into_inner) = true;
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
        Ok(OwnThread { gone, thread: Some(thread) })
    }

    pub(crate) fn is_gone(&self) -> bool {
        *self.gone.is_gone.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_current(&self) -> bool {
        // Not by thread::current(), which leaves something behind in a thread that is not ours.
        CURRENT.try_with(Cell::get).is_ok_and(|own| own == Arc::as_ptr(&self.gone).addr())
    }

    /// False if it does not end in time; it then ends on its own, or is waited for again.
    pub(crate) fn join_within(&mut self, timeout: Duration) -> bool {
        let is_gone = self.gone.is_gone.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.gone.changed.wait_timeout_while(is_gone, timeout, |gone| !*gone);
        let timed_out = waited.unwrap_or_else(PoisonError::into_inner).1.timed_out();
        // Joined, so that nothing of it is left.
        !timed_out && self.thread.take().is_none_or(|thread| thread.join().is_ok())
    }
}

/// The runtime and the I/O thread.
struct Running {
    driver: Arc<Driver>,
    thread: OwnThread,
}

static RUNTIME: PerProcess<Mutex<Option<Running>>> = PerProcess::new();
/// The process in which the library was shut down; a forked child starts anew.
static SHUT_DOWN_IN: AtomicU64 = AtomicU64::new(0);
static THREADS: AtomicU32 = AtomicU32::new(0);

/// The runtime, started if need be. A task that is spawned on it ends early when the library is
/// shut down; its future is dropped then.
pub(crate) fn driver() -> Result<Arc<Driver>> {
    let slot = RUNTIME.get_or_try_init(|| Ok(Mutex::new(None)))?;
    let mut running = slot.lock().unwrap_or_else(PoisonError::into_inner);
    check_not_shut_down()?;
    Ok(match &*running {
        Some(running) => running.driver.clone(),
        None => running.insert(start()?).driver.clone(),
    })
}

pub(crate) fn check_not_shut_down() -> Result<()> {
    if SHUT_DOWN_IN.load(Ordering::SeqCst) == generation() {
        return Err(Error::new(ErrorKind::Shutdown, "the library was shut down"));
    }
    Ok(())
}

fn start() -> Result<Running> {
    let failed = |cause: std::io::Error| {
        Error::new(ErrorKind::Internal, format!("the I/O thread cannot be started: {cause}"))
    };
    // Not a channel: its wait would leave something behind in this thread, which is not ours.
    let built = Arc::new((Mutex::new(None), Condvar::new()));
    let building = built.clone();
    let name = format!("mw-io-{}", THREADS.fetch_add(1, Ordering::Relaxed));
    let thread = OwnThread::spawn(name, move || {
        let driver = build().map(Driver::new);
        let at_work = driver.as_ref().ok().cloned();
        let (slot, changed) = &*building;
        *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(driver);
        changed.notify_all();
        if let Some(driver) = at_work {
            driver.run();
        }
    })
    .map_err(failed)?;
    let (slot, changed) = &*built;
    let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        match slot.take() {
            Some(driver) => return Ok(Running { driver: driver.map_err(failed)?, thread }),
            None => slot = changed.wait(slot).unwrap_or_else(PoisonError::into_inner),
        }
    }
}

fn build() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        // Look at the sockets and at new calls often: a turn of a task may take a millisecond.
        .event_interval(16)
        .global_queue_interval(8)
        .thread_name("mw-dns")
        // A helper thread may be started by a caller that turns the runtime.
        .on_thread_start(block_signals)
        .build()
}

/// Stack that turning the runtime may need: TLS handshakes and everything below them.
const TURN_STACK_BYTES_MIN: usize = 256 << 10;

/// Whether the calling thread can turn the runtime: it is in no runtime of its own, it is not
/// about to end, and it has stack enough, which threads of other languages may not have.
pub(crate) fn may_turn_here() -> bool {
    thread_local! {
        /// The lowest address of this thread's stack, found once.
        static STACK_BOTTOM: Option<usize> = stack_bottom();
    }
    let in_no_runtime = Handle::try_current().is_err_and(|error| error.is_missing_context());
    let here = &raw const in_no_runtime as usize;
    let bottom = STACK_BOTTOM.try_with(|bottom| *bottom).ok().flatten();
    // On a stack of the program's own the address is below the bottom or far above it.
    let room = bottom.and_then(|bottom| here.checked_sub(bottom));
    in_no_runtime && room.is_some_and(|room| (TURN_STACK_BYTES_MIN..=1 << 30).contains(&room))
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

/// How many descriptors this process may have open.
pub(crate) fn descriptors_max() -> usize {
    // SAFETY: plain data that the call fills in before it is read.
    let found = unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        (libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) == 0).then_some(limit.rlim_cur)
    };
    found.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(1024)
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

/// In a thread of ours that somebody else started.
fn block_signals() {
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

/// The I/O thread's part of [`crate::shutdown`].
pub(crate) fn shutdown(timeout: Duration) -> bool {
    SHUT_DOWN_IN.store(generation(), Ordering::SeqCst);
    external::shutdown();
    let Some(slot) = RUNTIME.get() else { return true };
    let lock = || slot.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(mut running) = lock().take() else { return true };
    running.driver.stop();
    let is_gone = running.thread.join_within(timeout);
    if !is_gone {
        *lock() = Some(running); // for who shuts down once more
    }
    is_gone
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn a_value_is_made_once_and_dropped_with_its_cell() {
        let alive = std::sync::Arc::new(());
        let cell = PerProcess::new();
        let first = cell.get_or_try_init(|| Ok(alive.clone())).unwrap();
        assert!(std::ptr::eq(first, cell.get_or_try_init(|| Ok(alive.clone())).unwrap()));
        assert_eq!(std::sync::Arc::strong_count(&alive), 2);
        drop(cell);
        assert_eq!(std::sync::Arc::strong_count(&alive), 1);
    }

    #[test]
    fn a_failed_make_is_tried_again() {
        let cell = PerProcess::new();
        assert!(cell.get_or_try_init(|| Err(Error::internal("no"))).is_err());
        assert_eq!(*cell.get_or_try_init(|| Ok(7)).unwrap(), 7);
    }

    /// Whether this thread blocks SIGPIPE, and whether one waits.
    fn sigpipe_is() -> (bool, bool) {
        // SAFETY: plain data, filled in by the calls.
        unsafe {
            let mut mask: libc::sigset_t = std::mem::zeroed();
            libc::pthread_sigmask(libc::SIG_SETMASK, std::ptr::null(), &raw mut mask);
            (libc::sigismember(&raw const mask, libc::SIGPIPE) == 1, is_sigpipe_pending())
        }
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

    #[test]
    fn the_io_thread_takes_no_signal_of_the_process() {
        let (send, receive) = mpsc::channel();
        driver().unwrap().handle().spawn(async move {
            // SAFETY: plain data, filled in by the call.
            let blocked = unsafe {
                let mut mask: libc::sigset_t = std::mem::zeroed();
                libc::pthread_sigmask(libc::SIG_SETMASK, std::ptr::null(), &raw mut mask);
                libc::sigismember(&raw const mask, libc::SIGINT) == 1
                    && libc::sigismember(&raw const mask, libc::SIGUSR1) == 1
            };
            let name = thread::current().name().map(str::to_owned);
            send.send((blocked, name)).unwrap();
        });
        let (blocked, name) = receive.recv_timeout(Duration::from_secs(10)).unwrap();
        assert!(blocked);
        assert!(name.unwrap().starts_with("mw-io-"));
    }
}
