//! Runs slow work on a helper thread of the runtime, so that no answer of any size blocks the I/O thread.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex};

use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::system::sync::lock;
use crate::system::with_helper_thread;

/// This much JSON is parsed in place, in about a millisecond; more on a helper thread.
pub(crate) const IN_PLACE_BYTES_MAX: usize = 128 << 10;

/// Runs `work` on a helper thread if `bytes` is large, and waits for it.
pub(crate) async fn offload<T: Send + 'static>(
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    if bytes <= IN_PLACE_BYTES_MAX {
        return work();
    }
    let (give, take) = oneshot::channel();
    later(move || {
        let _ = give.send(catch_unwind(AssertUnwindSafe(work)));
    });
    outcome(take).await
}

/// Runs `work` on a helper thread, and waits for it; `None` if there is no thread for it.
pub(crate) async fn on_helper_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (give, take) = oneshot::channel();
    let work = move || {
        let _ = give.send(catch_unwind(AssertUnwindSafe(work)));
    };
    let handle = Handle::try_current().ok()?;
    with_helper_thread(|| drop(handle.spawn_blocking(work)))?;
    Some(outcome(take).await)
}

async fn outcome<T>(take: oneshot::Receiver<std::thread::Result<T>>) -> T {
    match take.await {
        Ok(Ok(done)) => done,
        Ok(Err(panic)) => resume_unwind(panic), // as if it had panicked here
        // The runtime is shutting down, and drops this task.
        Err(_) => std::future::pending().await,
    }
}

/// Bytes that are dropped on a helper thread if they are many: freeing them takes long.
#[derive(Default)]
pub(crate) struct LargeBytes(pub(crate) Vec<u8>);

impl Drop for LargeBytes {
    fn drop(&mut self) {
        let bytes = std::mem::take(&mut self.0);
        drop_elsewhere(bytes.capacity(), bytes);
    }
}

/// Drops a large value on a helper thread.
pub(crate) fn drop_elsewhere<T: Send + 'static>(bytes: usize, large: T) {
    if bytes > IN_PLACE_BYTES_MAX {
        later(move || drop(large));
    }
}

/// Runs `work` on a helper thread, or here if none is available.
pub(crate) fn later(work: impl FnOnce() + Send + 'static) {
    let slot = Arc::new(Mutex::new(Some(work)));
    let take = |slot: &Mutex<Option<_>>| lock(slot).take();
    let theirs = slot.clone();
    let at_work = move || {
        if let Some(work) = take(&theirs) {
            work();
        }
    };
    if let Ok(handle) = Handle::try_current() {
        // The calling thread may belong to the program.
        if with_helper_thread(|| drop(handle.spawn_blocking(at_work))).is_some() {
            return;
        }
    }
    if let Some(work) = take(&slot) {
        work();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// The number of helper threads that are started by this work.
    fn helpers_of(work: impl FnOnce()) -> usize {
        let started = Arc::new(AtomicUsize::new(0));
        let counted = started.clone();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .on_thread_start(move || _ = counted.fetch_add(1, Ordering::SeqCst))
            .build()
            .unwrap();
        runtime.block_on(async { work() });
        drop(runtime); // waits for its helper threads
        started.load(Ordering::SeqCst)
    }

    #[test]
    fn only_what_is_large_is_dropped_on_a_helper_thread() {
        let large = |bytes: usize| LargeBytes(vec![0; bytes]);
        let at_most = large(IN_PLACE_BYTES_MAX);
        assert_eq!(helpers_of(move || drop(at_most)), 0);
        let more = large(IN_PLACE_BYTES_MAX + 1);
        assert_eq!(helpers_of(move || drop(more)), 1);
    }
}
