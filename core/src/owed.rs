//! Wakes that the I/O thread owes, paid when it is about to sleep: a consumer that is woken while
//! there is more to come would race it for the same locks, and be woken again. Knows no queue.
//!
//! Nothing waits long: the debt is paid when the runtime has nothing else to do, when `OWED_MAX`
//! wakes have come together, at every turn of a body that never stops, and when the thread leaves
//! the runtime.

use std::cell::RefCell;
use std::task::Waker;

/// Wakes that wait at most.
const OWED_MAX: usize = 32;

thread_local! {
    /// `None` on every thread but those that promised to pay.
    static OWED: RefCell<Option<Vec<Waker>>> = const { RefCell::new(None) };
}

/// The thread pays from now on, until this is dropped.
pub(crate) struct Promise(());

/// Promises that this thread calls [`pay`] before it sleeps.
pub(crate) fn promise() -> Promise {
    OWED.set(Some(Vec::with_capacity(OWED_MAX)));
    Promise(())
}

impl Drop for Promise {
    fn drop(&mut self) {
        let owed = OWED.take();
        owed.into_iter().flatten().for_each(Waker::wake);
    }
}

/// Wakes, now or when the thread has nothing else to do.
pub(crate) fn wake(waker: Waker) {
    let mut waker = Some(waker);
    // At the end of a thread there is no list any more.
    let is_full = OWED.try_with(|owed| {
        let mut owed = owed.borrow_mut();
        let Some(owed) = &mut *owed else { return false };
        owed.extend(waker.take());
        owed.len() >= OWED_MAX
    });
    match (waker, is_full) {
        (Some(waker), _) => waker.wake(),
        (None, Ok(true)) => pay(),
        (None, _) => {}
    }
}

/// Pays what is owed. Whoever is woken may owe again meanwhile.
pub(crate) fn pay() {
    let owed = OWED.try_with(|owed| {
        let mut owed = owed.borrow_mut();
        let Some(owed) = &mut *owed else { return Vec::new() };
        if owed.is_empty() {
            Vec::new()
        } else {
            std::mem::replace(owed, Vec::with_capacity(OWED_MAX))
        }
    });
    owed.into_iter().flatten().for_each(Waker::wake);
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn wakes_are_paid_in_time() {
        let count = Arc::new(Count::default());
        let woken = || count.0.load(Ordering::SeqCst);
        let owe = |times: usize| (0..times).for_each(|_| wake(count.clone().into()));
        owe(1);
        assert_eq!(woken(), 1, "a thread that promised nothing pays at once");
        let promise = promise();
        owe(3);
        assert_eq!(woken(), 1);
        pay();
        assert_eq!(woken(), 4);
        owe(OWED_MAX + 1);
        assert_eq!(woken(), 4 + OWED_MAX);
        drop(promise);
        assert_eq!(woken(), 5 + OWED_MAX, "the last one when the promise ends");
        owe(1);
        assert_eq!(woken(), 6 + OWED_MAX);
    }
}
