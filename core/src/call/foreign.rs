//! Program code on the library's threads: whose it is, so that it does not wait for its own end, what of it a
//! shutdown waits for, and a panic that does not end the thread.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use crate::answer::error::{Error, Result};
use crate::answer::error_kind::ErrorKind;
use crate::driver::driver::HELPERS_END_MAX;
use crate::system::process::PerProcess;
use crate::system::sync::{lock, unpoisoned};

/// What of the program runs on a thread.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Foreign {
    /// The handlers of started calls.
    Handlers,
    /// The `on_call` function.
    Observer,
    /// A `before_attempt` function, for the call at this address.
    BeforeAttempt(usize),
}

thread_local! {
    /// The address of the session whose code runs on this thread. Whoever runs it keeps the session's memory,
    /// so no other session has its address. No destructor: the thread may be the program's.
    static HERE: Cell<Option<(usize, Foreign)>> = const { Cell::new(None) };
}

fn here() -> Option<(usize, Foreign)> {
    // At the end of a thread, when its locals are gone, the answer is no.
    HERE.try_with(Cell::get).unwrap_or(None)
}

/// Whether program code runs on this thread of the library: it must not wait for its own end.
pub fn is_callback_thread() -> bool {
    here().is_some()
}

/// Marks this thread, from before its program code runs until that is dropped.
pub(crate) fn enter<Session>(session: *const Session, what: Foreign) {
    HERE.set(Some((session.addr(), what)));
}

pub(crate) fn leave() {
    HERE.set(None);
}

fn refused(message: &str) -> Result<()> {
    Err(Error::new(ErrorKind::Callback, message))
}

/// Fails in the program code of this session, for whose end a close waits.
pub(crate) fn check_may_close<Session>(session: &Arc<Session>) -> Result<()> {
    match here() {
        Some((own, what)) if own == Arc::as_ptr(session).addr() => refused(match what {
            Foreign::Handlers => "a callback cannot wait for its own client's callbacks to finish",
            Foreign::Observer => "close() was called from this client's own on_call callback",
            Foreign::BeforeAttempt(_) => "before_attempt would wait for its own end",
        }),
        _ => Ok(()),
    }
}

/// Fails where a wait for the end of this call of the session would never end.
pub(crate) fn check_may_wait<Session, Call>(
    session: &Arc<Session>,
    call: &Arc<Call>,
) -> Result<()> {
    match here() {
        Some((_, Foreign::BeforeAttempt(own))) if own == Arc::as_ptr(call).addr() => {
            refused("before_attempt would wait for the end of its own call")
        }
        Some((_, Foreign::Handlers)) => check_may_close(session),
        _ => Ok(()),
    }
}

/// Calls the handler's code; `None` for a panic, which must not end the thread.
pub(crate) fn guarded<T>(foreign: impl FnOnce() -> T) -> Option<T> {
    let caught = catch_unwind(AssertUnwindSafe(foreign));
    caught
        .inspect_err(|panic: &Box<dyn Any + Send>| {
            let text = panic.downcast_ref::<&str>().copied().unwrap_or("(no text)");
            tracing::error!(target: "modelwire", panic = text, "a callback panicked");
        })
        .ok()
}

/// The number of [`OnHelper`]s.
#[derive(Default)]
struct OnHelpers {
    count: Mutex<usize>,
    changed: Condvar,
}

static ON_HELPERS: PerProcess<OnHelpers> = PerProcess::new();

/// Program code on a helper thread, for which a shutdown waits: the runtime leaves its helpers alone.
pub(crate) struct OnHelper;

impl OnHelper {
    pub(crate) fn new() -> OnHelper {
        if let Ok(all) = ON_HELPERS.get_or_try_init(|| Ok(OnHelpers::default())) {
            *lock(&all.count) += 1;
        }
        OnHelper
    }
}

impl Drop for OnHelper {
    fn drop(&mut self) {
        let Some(all) = ON_HELPERS.get() else { return };
        let mut count = lock(&all.count);
        *count = count.saturating_sub(1); // a forked child has not counted those of its parent
        drop(count);
        all.changed.notify_all();
    }
}

/// Whether no program code is left on the helper threads within this time.
pub(crate) fn join_helpers(timeout: Duration) -> bool {
    let Some(all) = ON_HELPERS.get() else { return true };
    if matches!(here(), Some((_, Foreign::BeforeAttempt(_)))) {
        return false;
    }
    let count = lock(&all.count);
    if *count == 0 {
        return true;
    }
    let waited = all.changed.wait_timeout_while(count, timeout, |count| *count > 0);
    let are_over = !unpoisoned(waited).1.timed_out();
    if are_over {
        // Nothing tells that the threads themselves have ended, which may be unloaded next.
        std::thread::sleep(HELPERS_END_MAX);
    }
    are_over
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_of_one_session_until_it_is_left() {
        let (own, other) = (Arc::new(1), Arc::new(2));
        for what in [Foreign::Handlers, Foreign::Observer, Foreign::BeforeAttempt(0)] {
            enter(Arc::as_ptr(&own), what);
            assert!(is_callback_thread());
            assert!(check_may_close(&own).is_err() && check_may_close(&other).is_ok());
            leave();
            assert!(!is_callback_thread() && check_may_close(&own).is_ok());
        }
    }
}
