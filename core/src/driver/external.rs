//! Calls whose I/O runs on a tokio runtime of the program's own: who they are, so that the
//! library's shutdown ends them too, whatever that runtime is doing. Knows nothing of threads.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError, Weak};

use tokio::runtime::Handle;

use crate::call::call::Shared;
use crate::driver::runtime::{self, PerProcess};
use crate::error::{Error, ErrorKind, Result};

/// A runtime of the program's own. A forked child has no thread that would drive it.
pub(crate) struct Host {
    handle: Handle,
    generation: u64,
}

/// The calls under way, by number.
#[derive(Default)]
struct Calls {
    under_way: HashMap<u64, Weak<Shared>>,
    next: u64,
}

static CALLS: PerProcess<Mutex<Calls>> = PerProcess::new();

/// A call's stay on a runtime of the program's own; over when this is dropped.
pub(crate) struct Stay(u64);

impl Host {
    pub(crate) fn new(handle: Handle) -> Host {
        Host { handle, generation: runtime::generation() }
    }

    /// Where a call's task is to be spawned, and its stay there.
    pub(crate) fn take_in(&self, call: Weak<Shared>) -> Result<(Handle, Stay)> {
        if self.generation != runtime::generation() {
            let message = "the client's runtime belongs to the parent process";
            let hint = "Make a client in the child, on a runtime of the child.";
            return Err(Error::new(ErrorKind::Forked, message).with_hint(hint));
        }
        let calls = CALLS.get_or_try_init(|| Ok(Mutex::default()))?;
        let mut calls = lock(calls);
        runtime::check_not_shut_down()?;
        let number = calls.next;
        calls.next += 1;
        calls.under_way.insert(number, call);
        Ok((self.handle.clone(), Stay(number)))
    }
}

impl Drop for Stay {
    fn drop(&mut self) {
        if let Some(calls) = CALLS.get() {
            lock(calls).under_way.remove(&self.0);
        }
    }
}

/// Ends every call with `Done`, after the library was marked as shut down.
pub(crate) fn shutdown() {
    let calls = CALLS.get().map(|calls| std::mem::take(&mut lock(calls).under_way));
    for call in calls.into_iter().flatten().filter_map(|(_, call)| call.upgrade()) {
        call.shut_down();
    }
}

fn lock(calls: &Mutex<Calls>) -> MutexGuard<'_, Calls> {
    calls.lock().unwrap_or_else(PoisonError::into_inner)
}
