//! Wakes that the I/O thread defers: a consumer woken while more events are about to come would contend for
//! the same locks, and be woken again.
//!
//! No wake is deferred for long, however busy the thread is. The first one schedules a task at the end of
//! the runtime's queue; on its second run, after the tasks that were ready before and those that they made
//! ready, it sends all of them. They are sent earlier when `DEFERRED_MAX` have accumulated, and when the
//! thread leaves the runtime.

use std::cell::RefCell;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Poll, Waker};

use tokio::sync::Notify;

/// The maximum number of deferred wakes.
const DEFERRED_MAX: usize = 32;

struct Deferred {
    wakers: Vec<Waker>,
    sender: Arc<Notify>,
}

thread_local! {
    /// `None` on every thread that does not defer.
    static DEFERRED: RefCell<Option<Deferred>> = const { RefCell::new(None) };
}

/// The thread defers its wakes until this is dropped.
pub(crate) struct Deferring(());

/// Lets this thread defer its wakes; `sender` is notified when there is something to send.
pub(crate) fn start_deferring(sender: Arc<Notify>) -> Deferring {
    DEFERRED.set(Some(Deferred { wakers: Vec::with_capacity(DEFERRED_MAX), sender }));
    Deferring(())
}

impl Drop for Deferring {
    fn drop(&mut self) {
        let deferred = DEFERRED.take();
        deferred.into_iter().flat_map(|deferred| deferred.wakers).for_each(Waker::wake);
    }
}

/// The task that sends the deferred wakes.
pub(crate) async fn send_when_told(told: Arc<Notify>) {
    loop {
        told.notified().await;
        go_behind_the_others().await;
        send();
    }
}

/// Reschedules the task at the end of the runtime's queue.
async fn go_behind_the_others() {
    let mut has_gone = false;
    poll_fn(|cx| {
        if std::mem::replace(&mut has_gone, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Wakes now, or defers the wake on a thread that defers.
pub(crate) fn wake(waker: Waker) {
    let mut waker = Some(waker);
    // At the end of a thread, the list no longer exists.
    let is_full = DEFERRED.try_with(|deferred| {
        let mut deferred = deferred.borrow_mut();
        let Some(Deferred { wakers, sender }) = &mut *deferred else { return false };
        if wakers.is_empty() {
            sender.notify_one();
        }
        wakers.extend(waker.take());
        wakers.len() >= DEFERRED_MAX
    });
    match (waker, is_full) {
        (Some(waker), _) => waker.wake(),
        (None, Ok(true)) => send(),
        (None, _) => {}
    }
}

/// Sends the deferred wakes. The woken code may defer new ones at the same time.
pub(crate) fn send() {
    let wakers = DEFERRED.try_with(|deferred| {
        let mut deferred = deferred.borrow_mut();
        let Some(Deferred { wakers, .. }) = &mut *deferred else { return Vec::new() };
        if wakers.is_empty() {
            Vec::new()
        } else {
            std::mem::replace(wakers, Vec::with_capacity(DEFERRED_MAX))
        }
    });
    wakers.into_iter().flatten().for_each(Waker::wake);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;

    use super::*;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn counted() -> (impl Fn() -> usize, impl Fn(usize)) {
        let count = Arc::new(Count::default());
        let counted = count.clone();
        let woken = move || counted.0.load(Ordering::SeqCst);
        (woken, move |times| (0..times).for_each(|_| wake(count.clone().into())))
    }

    #[test]
    fn wakes_are_sent_in_time() {
        let (woken, defer) = counted();
        defer(1);
        assert_eq!(woken(), 1, "a thread that does not defer wakes at once");
        let deferring = start_deferring(Arc::default());
        defer(3);
        assert_eq!(woken(), 1);
        send();
        assert_eq!(woken(), 4);
        defer(DEFERRED_MAX + 1);
        assert_eq!(woken(), 4 + DEFERRED_MAX);
        drop(deferring);
        assert_eq!(woken(), 5 + DEFERRED_MAX, "the last one when it is dropped");
        defer(1);
        assert_eq!(woken(), 6 + DEFERRED_MAX);
    }

    /// A runtime that is never idle sends them nonetheless, after the tasks that were ready before.
    #[test]
    fn a_runtime_that_never_sleeps_sends() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let sender = Arc::new(Notify::new());
        let deferring = start_deferring(sender.clone());
        runtime.spawn(send_when_told(sender));
        let (woken, defer) = counted();
        let is_over = Arc::new(AtomicUsize::new(0));
        for _ in 0..3 {
            let is_over = is_over.clone();
            runtime.spawn(async move {
                while is_over.load(Ordering::SeqCst) == 0 {
                    go_behind_the_others().await;
                }
            });
        }
        runtime.block_on(async {
            go_behind_the_others().await;
            let rounds = runtime.spawn(async move {
                defer(1);
                let mut rounds = 0;
                while woken() == 0 && rounds < 100 {
                    go_behind_the_others().await;
                    rounds += 1;
                }
                rounds
            });
            let rounds = rounds.await.unwrap();
            is_over.store(1, Ordering::SeqCst);
            assert!(rounds <= 3, "sent after {rounds} rounds of all tasks");
        });
        drop(deferring);
    }
}
