//! Tasks whose I/O runs on the program's tokio runtime: the list of them, so that the library's shutdown ends
//! them too, whatever that runtime is doing; and the check where a blocking wait is possible.

use std::collections::BTreeMap;
use std::sync::{Mutex, Weak};
use std::task::{Context, Poll, Waker};

use tokio::runtime::Handle;
use tokio::task::coop::poll_proceed;

use crate::answer::error::{Error, Result};
use crate::answer::error_kind::ErrorKind;
use crate::options::config::ExternalRuntime;
use crate::system::process::{self, PerProcess, Run};
use crate::system::sync::lock;

/// A task that a shutdown can end from outside.
pub(crate) trait ShutDown: Send + Sync {
    fn shut_down(&self);
}

/// The running tasks, by number.
#[derive(Default)]
struct Tasks {
    under_way: BTreeMap<u64, Weak<dyn ShutDown>>,
    next: u64,
}

static TASKS: PerProcess<Mutex<Tasks>> = PerProcess::new();

/// A task's entry in the list; dropped when the task has ended.
pub(crate) struct Registered(u64);

impl Drop for Registered {
    fn drop(&mut self) {
        if let Some(tasks) = TASKS.get() {
            lock(tasks).under_way.remove(&self.0);
        }
    }
}

/// Whether a runtime polls a task on this thread, so that it is blocked until the task returns. A thread of
/// `spawn_blocking` or in `block_in_place` belongs to the runtime too, but may wait: tokio counts no coop
/// budget there. A task wrapped in tokio's `unconstrained` is not detected.
fn is_polled_here() -> bool {
    let mut cx = Context::from_waker(Waker::noop());
    // The first one restores the budget when it is dropped.
    let Poll::Ready(_gives_back) = poll_proceed(&mut cx) else { return true };
    // The budget is an 8-bit number.
    (0..=u8::MAX).any(|_| poll_proceed(&mut cx).map(|one| one.made_progress()).is_pending())
}

impl ExternalRuntime {
    /// Fails on a thread of this runtime that has to do the I/O: a wait there would never end.
    pub(crate) fn check_may_wait(&self) -> Result<()> {
        let is_here = Handle::try_current().is_ok_and(|here| here.id() == self.handle.id());
        if !is_here || !is_polled_here() {
            return Ok(());
        }
        let message =
            "a blocking call was made on a thread of the runtime that does the client's I/O";
        let hint =
            "Use the async methods and `.await` them, or block inside tokio::task::spawn_blocking.";
        Err(Error::argument(message).with_hint(hint))
    }

    /// The handle to spawn a task on, and its entry in the list. Fails in a forked child, which has no thread
    /// that would drive the runtime.
    pub(crate) fn register(&self, task: Weak<dyn ShutDown>) -> Result<(Handle, Registered, Run)> {
        if self.generation != process::generation() {
            let message = "the client's runtime belongs to the parent process";
            let hint = "Create a client in the child, on the child's own runtime.";
            return Err(Error::new(ErrorKind::Forked, message).with_hint(hint));
        }
        let mut tasks = lock(TASKS.get_or_try_init(|| Ok(Mutex::default()))?);
        let run = process::run()?;
        let number = tasks.next;
        tasks.next += 1;
        tasks.under_way.insert(number, task);
        Ok((self.handle.clone(), Registered(number), run))
    }
}

/// Ends every task, after the shutdown has begun.
pub(crate) fn shutdown() {
    let tasks = TASKS.get().map(|tasks| std::mem::take(&mut lock(tasks).under_way));
    for task in tasks.into_iter().flatten().filter_map(|(_, task)| task.upgrade()) {
        task.shut_down();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    struct Task;

    impl ShutDown for Task {
        fn shut_down(&self) {}
    }

    /// A list that kept them would grow with each call of a program.
    #[test]
    fn a_task_that_ended_is_not_in_the_list() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let here =
            ExternalRuntime { handle: runtime.handle().clone(), generation: process::generation() };
        let task = std::sync::Arc::new(Task);
        let weak: Weak<dyn ShutDown> = std::sync::Arc::<Task>::downgrade(&task);
        let (_, registered, _) = here.register(weak).unwrap();
        let number = registered.0;
        let is_listed = || lock(TASKS.get().unwrap()).under_way.contains_key(&number);
        assert!(is_listed());
        drop(registered);
        assert!(!is_listed());
    }
}
