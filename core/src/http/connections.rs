//! The limits on concurrent connections, of the client and of the process. A call without a free
//! connection queues for one.
//!
//! A call holds a [`Permit`] from before its attempt until its answer was read to the end and the connection
//! is back in its pool, so the next call in line finds it idle there. A call holds no permit while it waits
//! between attempts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::answer::error::Result;
use crate::system::descriptors_max;
use crate::system::process::PerProcess;

/// The share of the process's descriptors for connections in use, of all clients together. Each client may
/// have another sixteenth idle and another one opening: half in total, with one client.
const SIXTEENTHS_IN_USE: usize = 6;

/// Shared by all clients of the process.
static OF_PROCESS: PerProcess<Arc<Semaphore>> = PerProcess::new();

/// The maximum number of idle connections in each of the pools of a client, and of connections that it is
/// opening: a started connection is completed even if its call got another one.
pub(crate) fn spare_max(connections_max: usize, pools: usize) -> usize {
    (connections_max.min(descriptors_max() / 16) / pools).max(1)
}

/// The connections of one client in one process.
pub(crate) struct Connections {
    own: Arc<Semaphore>,
    of_process: Arc<Semaphore>,
    bound: usize,
    /// The number of pools, one for each I/O thread, that share the rest of the descriptors.
    pools: usize,
    waiting: AtomicUsize,
    /// HTTP/2: calls share a connection, so they are not counted.
    is_shared: AtomicBool,
}

/// The permit for one connection.
pub(crate) struct Permit {
    _own: Option<OwnedSemaphorePermit>,
    _of_process: Option<OwnedSemaphorePermit>,
}

/// A waiting call; counted until it is dropped.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A semaphore with at least one permit and no more than tokio allows.
fn semaphore(permits: usize) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(permits.clamp(1, Semaphore::MAX_PERMITS / 2)))
}

impl Connections {
    pub(crate) fn new(connections_max: usize, pools: usize) -> Result<Connections> {
        let descriptors = (descriptors_max() / 16).saturating_mul(SIXTEENTHS_IN_USE);
        let of_process = OF_PROCESS.get_or_try_init(|| Ok(semaphore(descriptors)))?.clone();
        let bound = connections_max.min(descriptors).max(1);
        let (waiting, is_shared) = (AtomicUsize::new(0), AtomicBool::new(false));
        Ok(Connections { own: semaphore(bound), of_process, bound, pools, waiting, is_shared })
    }

    /// The limit: `connections_max`, or that of the process if it is lower.
    pub(crate) fn bound(&self) -> usize {
        self.bound
    }

    /// The number of pools.
    pub(crate) fn pools(&self) -> usize {
        self.pools
    }

    /// The number of waiting calls.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// A permit, if one is available and no call waits.
    pub(crate) fn try_get(&self) -> Option<Permit> {
        let own = self.own.clone().try_acquire_owned().ok()?;
        if self.is_shared.load(Ordering::Relaxed) {
            return Some(Permit { _own: None, _of_process: None });
        }
        let of_process = self.of_process.clone().try_acquire_owned().ok()?;
        Some(Permit { _own: Some(own), _of_process: Some(of_process) })
    }

    /// Waits for a permit, in order. Dropping the future gives up the place in line.
    pub(crate) async fn get(&self) -> Permit {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let _waiting = Waiting(&self.waiting);
        // The semaphores are never closed.
        let own = self.own.clone().acquire_owned().await.ok();
        if self.is_shared.load(Ordering::Relaxed) {
            return Permit { _own: None, _of_process: None };
        }
        let of_process = self.of_process.clone().acquire_owned().await.ok();
        Permit { _own: own, _of_process: of_process }
    }

    /// Lifts the limit, because the service uses HTTP/2: waiting calls continue.
    pub(crate) fn are_shared(&self) {
        if !self.is_shared.swap(true, Ordering::Relaxed) {
            self.own.add_permits(Semaphore::MAX_PERMITS / 2);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    #[test]
    fn waiters_are_served_in_order() {
        let connections = Connections::new(1, 1).unwrap();
        let first = connections.try_get().unwrap();
        assert!(connections.try_get().is_none());
        let mut cx = Context::from_waker(Waker::noop());
        let (mut second, mut third) = (pin!(connections.get()), pin!(connections.get()));
        assert!(second.as_mut().poll(&mut cx).is_pending());
        assert!(third.as_mut().poll(&mut cx).is_pending());
        assert_eq!(connections.waiting(), 2);
        drop(first);
        assert!(connections.try_get().is_none(), "the permit belongs to the waiter");
        assert!(third.as_mut().poll(&mut cx).is_pending());
        let Poll::Ready(permit) = second.as_mut().poll(&mut cx) else { unreachable!() };
        drop(permit);
        assert!(third.as_mut().poll(&mut cx).is_ready());
        assert_eq!(connections.waiting(), 0);
        assert!(connections.try_get().is_some());
    }

    #[test]
    fn an_abandoned_wait_releases_its_place() {
        let connections = Connections::new(1, 1).unwrap();
        let first = connections.try_get().unwrap();
        {
            let mut waits = pin!(connections.get());
            assert!(waits.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        }
        assert_eq!(connections.waiting(), 0);
        drop(first);
        assert!(connections.try_get().is_some());
    }

    #[test]
    fn calls_that_share_a_connection_are_not_counted() {
        let connections = Connections::new(1, 1).unwrap();
        let first = connections.try_get().unwrap();
        let (mut waits, mut waits_behind) = (pin!(connections.get()), pin!(connections.get()));
        let mut cx = Context::from_waker(Waker::noop());
        assert!(waits.as_mut().poll(&mut cx).is_pending());
        assert!(waits_behind.as_mut().poll(&mut cx).is_pending());
        connections.are_shared();
        assert!(waits_behind.as_mut().poll(&mut cx).is_ready(), "all at the same time");
        assert!(waits.as_mut().poll(&mut cx).is_ready());
        let many: Vec<_> = (0..100).map(|_| connections.try_get().unwrap()).collect();
        drop((first, many));
    }

    #[test]
    fn pools_share_the_spare_connections() {
        assert_eq!(Connections::new(10, 3).unwrap().pools(), 3);
        assert_eq!([1, 2, 3, 4].map(|pools| spare_max(4, pools)), [4, 2, 1, 1]);
        assert_eq!(spare_max(1, 4), 1, "at least one each");
        assert_eq!(spare_max(usize::MAX, 1), descriptors_max() / 16);
    }
}
