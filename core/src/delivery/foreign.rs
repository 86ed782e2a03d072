//! Code of the program's that runs on threads of ours: such a thread is known, and a panic does not
//! end it. Knows no handler and no sink.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static IS_CALLBACK_THREAD: Cell<bool> = const { Cell::new(false) };
}

/// Whether this is a thread on which handlers run: it must not wait for its own end.
pub fn is_callback_thread() -> bool {
    // At the end of a thread, when its locals are gone, it is none.
    IS_CALLBACK_THREAD.try_with(Cell::get).unwrap_or(false)
}

/// Called first on each thread that runs code of the program's.
pub(crate) fn mark_callback_thread() {
    IS_CALLBACK_THREAD.set(true);
}

/// What the handler's code gives; `None` for a panic, which must not end the thread.
pub(crate) fn guarded<T>(foreign: impl FnOnce() -> T) -> Option<T> {
    let caught = catch_unwind(AssertUnwindSafe(foreign));
    caught
        .inspect_err(|panic: &Box<dyn Any + Send>| {
            let text = panic.downcast_ref::<&str>().copied().unwrap_or("(no text)");
            tracing::error!(target: "modelwire", panic = text, "a callback panicked");
        })
        .ok()
}
