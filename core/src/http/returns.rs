//! Connections that are about to become idle: the answer is complete, but the end of its body is not. A call
//! that would open a connection first waits briefly for them.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::time::timeout;

/// The longest that a call waits before it opens a connection.
pub(crate) const RETURN_WAIT_MAX: Duration = Duration::from_millis(5);

/// The returning connections of one client in one process.
#[derive(Default)]
pub(crate) struct Returns {
    under_way: AtomicUsize,
    /// The last one took longer than `RETURN_WAIT_MAX`, so no call waits for the others.
    is_slow: AtomicBool,
    none_left: Notify,
}

/// One returning connection, until it is idle or lost.
pub(crate) struct Returning {
    returns: Arc<Returns>,
    began: Instant,
}

impl Returns {
    pub(crate) fn begins(self: &Arc<Returns>) -> Returning {
        self.under_way.fetch_add(1, Ordering::SeqCst);
        Returning { returns: self.clone(), began: Instant::now() }
    }

    /// Waits until none is returning, at most `RETURN_WAIT_MAX`.
    pub(crate) async fn wait(&self) {
        if self.is_slow.load(Ordering::Relaxed) {
            return;
        }
        let all_back = async {
            loop {
                let mut notified = pin!(self.none_left.notified());
                notified.as_mut().enable();
                if self.under_way.load(Ordering::SeqCst) == 0 {
                    return;
                }
                notified.await;
            }
        };
        if timeout(RETURN_WAIT_MAX, all_back).await.is_err() {
            self.is_slow.store(true, Ordering::Relaxed);
        }
    }
}

impl Drop for Returning {
    fn drop(&mut self) {
        let is_slow = self.began.elapsed() > RETURN_WAIT_MAX;
        self.returns.is_slow.store(is_slow, Ordering::Relaxed);
        if self.returns.under_way.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.returns.none_left.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use std::task::{Context, Poll, Waker};

    use super::*;

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap()
    }

    #[test]
    fn the_wait_ends_with_the_last_connection_that_returns() {
        runtime().block_on(async {
            let returns = Arc::new(Returns::default());
            let mut cx = Context::from_waker(Waker::noop());
            assert_eq!(pin!(returns.wait()).poll(&mut cx), Poll::Ready(()), "none is returning");
            let (first, second) = (returns.begins(), returns.begins());
            let mut wait = pin!(returns.wait());
            assert!(wait.as_mut().poll(&mut cx).is_pending());
            drop(first);
            assert!(wait.as_mut().poll(&mut cx).is_pending());
            drop(second);
            assert_eq!(wait.poll(&mut cx), Poll::Ready(()));
        });
    }

    /// A server that ends its bodies late or never delays only one call.
    #[test]
    fn slow_returns_are_not_awaited_until_one_was_fast() {
        runtime().block_on(async {
            let returns = Arc::new(Returns::default());
            let mut cx = Context::from_waker(Waker::noop());
            let slow = returns.begins();
            returns.wait().await;
            assert_eq!(pin!(returns.wait()).poll(&mut cx), Poll::Ready(()), "not a second time");
            drop(slow);
            let _another = returns.begins();
            assert_eq!(pin!(returns.wait()).poll(&mut cx), Poll::Ready(()), "the last was slow");
            drop(Returning { returns: returns.clone(), began: Instant::now() + RETURN_WAIT_MAX });
            let _third = (returns.begins(), returns.begins());
            assert!(pin!(returns.wait()).poll(&mut cx).is_pending(), "the last was fast");
        });
    }
}
