//! Program code on the library's threads: marks such threads, and keeps a panic from ending them.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::call::before_attempt::is_running_here;

thread_local! {
    static IS_CALLBACK_THREAD: Cell<bool> = const { Cell::new(false) };
}

/// Whether handlers, or a `before_attempt` function, run on this thread: it must not wait for its own end.
pub fn is_callback_thread() -> bool {
    // At the end of a thread, when its locals are gone, the answer is no.
    IS_CALLBACK_THREAD.try_with(Cell::get).unwrap_or(false) || is_running_here()
}

/// Called first on each thread that runs program code.
pub(crate) fn mark_callback_thread() {
    IS_CALLBACK_THREAD.set(true);
}

/// The result of the handler's code; `None` for a panic, which must not end the thread.
pub(crate) fn guarded<T>(foreign: impl FnOnce() -> T) -> Option<T> {
    let caught = catch_unwind(AssertUnwindSafe(foreign));
    caught
        .inspect_err(|panic: &Box<dyn Any + Send>| {
            let text = panic.downcast_ref::<&str>().copied().unwrap_or("(no text)");
            tracing::error!(target: "modelwire", panic = text, "a callback panicked");
        })
        .ok()
}
