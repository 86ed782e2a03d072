//! Threads: those of the library's own, which take no signal of the process, and those of the program on
//! which the library may do its I/O.

use std::cell::Cell;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use tokio::runtime::Handle;

use crate::system;
use crate::system::process::PerProcess;
use crate::system::sync::{lock, unpoisoned};

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
        system::keep_loaded();
        let gone = Arc::new(Gone::default());
        let goes = Goes(gone.clone());
        let body = move || {
            CURRENT.set(Arc::as_ptr(&goes.0).addr());
            let _goes = goes;
            body();
        };
        let thread =
            system::with_signals_blocked(|| thread::Builder::new().name(name).spawn(body))?;
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
        static STACK_BOTTOM: Option<usize> = {
            keep_handle_of_main_thread();
            system::stack_bottom()
        };
    }
    let in_no_runtime = Handle::try_current().is_err_and(|error| error.is_missing_context());
    let here = &raw const in_no_runtime as usize;
    let bottom = STACK_BOTTOM.try_with(|bottom| *bottom).ok().flatten();
    // On a stack of the program's own the address is below the bottom or far above it.
    let room = bottom.and_then(|bottom| here.checked_sub(bottom));
    in_no_runtime && room.is_some_and(|room| (STACK_BYTES_MIN..=1 << 30).contains(&room))
}

/// The standard library keeps a handle of each thread that enters the runtime until the thread
/// ends, which the main thread of a C program does not. Kept here too, where a leak checker finds it.
fn keep_handle_of_main_thread() {
    static MAIN: PerProcess<thread::Thread> = PerProcess::new();
    if system::is_main_thread() {
        let _ = MAIN.get_or_try_init(|| Ok(thread::current()));
    }
}
