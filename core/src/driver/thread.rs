//! Threads: the library's own, which receive no signal of the process, and those of the program that may do
//! the library's I/O.

use std::cell::Cell;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use tokio::runtime::Handle;

use crate::system;
use crate::system::process::PerProcess;
use crate::system::sync::{lock, unpoisoned};

/// A thread of the library: it receives no signal of the process, and can be joined with a timeout.
pub(crate) struct OwnThread {
    gone: Arc<Gone>,
    /// Joined only after it has signalled its end.
    thread: Mutex<Option<thread::JoinHandle<()>>>,
}

thread_local! {
    /// The id of the `OwnThread` that runs here.
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

#[derive(Default)]
struct Gone {
    is_gone: Mutex<bool>,
    changed: Condvar,
}

/// Signals the end of the thread when dropped, also on a panic.
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
        // Not thread::current(), which leaves thread-local state in threads of the program.
        CURRENT.try_with(Cell::get).is_ok_and(|own| own == Arc::as_ptr(&self.gone).addr())
    }

    /// Waits for the end of the thread; false after the timeout.
    pub(crate) fn is_gone_within(&self, timeout: Duration) -> bool {
        let is_gone = lock(&self.gone.is_gone);
        let waited = self.gone.changed.wait_timeout_while(is_gone, timeout, |gone| !*gone);
        !unpoisoned(waited).1.timed_out()
    }

    /// Joins the thread; false after the timeout: then it ends by itself, or is joined later.
    pub(crate) fn join_within(&self, timeout: Duration) -> bool {
        // Joined, so that all its resources are freed.
        self.is_gone_within(timeout)
            && lock(&self.thread).take().is_none_or(|thread| thread.join().is_ok())
    }
}

/// The stack that the I/O may need, in bytes: TLS handshakes and everything below them.
const STACK_BYTES_MIN: usize = 256 << 10;

/// Whether the calling thread can do the I/O: it is in no other runtime, is not about to end, and has enough
/// stack, which threads of other languages may lack.
pub(crate) fn may_do_io_here() -> bool {
    let in_no_runtime = Handle::try_current().is_err_and(|error| error.is_missing_context());
    in_no_runtime && stack_left().is_some_and(|room| room >= STACK_BYTES_MIN)
}

/// The bytes of stack that the calling thread has left; `None` on a stack that the program allocated, and in a
/// thread that is about to end.
pub fn stack_left() -> Option<usize> {
    thread_local! {
        /// The lowest address of this thread's stack, determined once.
        static STACK_BOTTOM: Option<usize> = {
            keep_handle_of_main_thread();
            system::stack_bottom()
        };
    }
    let bottom = STACK_BOTTOM.try_with(|bottom| *bottom).ok().flatten()?;
    let here = &raw const bottom as usize;
    // On a stack allocated by the program, the address is below the bottom or far above it.
    here.checked_sub(bottom).filter(|room| *room <= 1 << 30)
}

/// The standard library keeps a handle for each thread that enters the runtime until the thread ends, which
/// the main thread of a C program does not. It is also kept here, where a leak checker finds it.
fn keep_handle_of_main_thread() {
    static MAIN: PerProcess<thread::Thread> = PerProcess::new();
    if system::is_main_thread() {
        let _ = MAIN.get_or_try_init(|| Ok(thread::current()));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use std::sync::mpsc;

    use super::*;
    use crate::system::with_signals_blocked;

    #[test]
    fn a_thread_knows_itself() {
        let ((give, take), (tell, told)) = (mpsc::channel::<Arc<OwnThread>>(), mpsc::channel());
        let spawned = OwnThread::spawn("test".to_owned(), move || {
            tell.send(take.recv().unwrap().is_current()).unwrap();
        });
        let thread = Arc::new(spawned.unwrap());
        give.send(thread.clone()).unwrap();
        assert!(told.recv().unwrap());
        assert!(!thread.is_current());
        assert!(thread.join_within(Duration::MAX));
    }

    #[test]
    fn a_thread_does_io_only_with_enough_stack_and_in_no_runtime() {
        let on_stack = |bytes: usize| {
            let look = || (stack_left(), may_do_io_here());
            let run = with_signals_blocked(|| thread::Builder::new().stack_size(bytes).spawn(look));
            run.unwrap().join().unwrap()
        };
        let (left, may) = on_stack(4 << 20);
        assert!(left.is_some_and(|left| (3 << 20..5 << 20).contains(&left)), "{left:?}");
        assert!(may);
        let (left, may) = on_stack(STACK_BYTES_MIN / 2);
        assert!(left.is_some_and(|left| left < STACK_BYTES_MIN), "{left:?}");
        assert!(!may);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        assert!(may_do_io_here());
        let _inside = runtime.enter();
        assert!(!may_do_io_here());
    }
}
