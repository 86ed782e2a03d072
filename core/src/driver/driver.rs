//! Decides who does the I/O: the I/O thread, or a thread that alone waits for all calls in flight. Connects
//! threads and runtime to the state machine in `state`.
//!
//! Handing work to another thread and waiting for it costs two wake-ups. On an idle machine, they are most of
//! the cost of a plain call, and of a chunk of a slow stream. A program that waits for one thing at a time
//! needs no second thread: the I/O thread steps aside, and the waiting thread does the I/O. When its wait is
//! over, nobody does, until it waits again or the I/O thread's alarm fires, `UNWATCHED_MAX` after the sockets
//! were last polled.
//!
//! Invariants in addition to those of `state`:
//!
//! 1. The state changes under one lock, and no foreign code runs under it.
//! 2. A waiter receives no SIGPIPE that its I/O raised.
//! 3. The I/O thread shuts the runtime down, after a waiter inside it has left.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::runtime::{Handle, Runtime};
use tokio::sync::Notify;

use crate::driver::deferred_wakes;
use crate::driver::state::{DrivenBy, IoThread, Parked, State, Take, ThreadId, WaitedOnBy, Wake};
use crate::driver::thread::may_do_io_here;
use crate::system::sync::{lock, unpoisoned};
use crate::system::without_sigpipe;

/// How long a shutdown waits for helper threads: idle ones end at once. Nobody waits for one that is held up by
/// a name lookup or a large answer.
pub(crate) const HELPERS_END_MAX: Duration = Duration::from_millis(10);

/// The runtime of a process, and who does its I/O.
pub(crate) struct Driver {
    /// The zero of the state's times.
    made: Instant,
    inner: Mutex<Inner>,
    /// The I/O thread waits here while it is outside the runtime, and a waiter until it has left.
    changed: Condvar,
    /// Makes the I/O thread leave the runtime.
    io_thread_called: Notify,
    /// Makes a waiter leave the runtime.
    waiter_called: Notify,
    /// Notified when wakes are deferred.
    sender: Arc<Notify>,
    is_stopped: AtomicBool,
    /// The number of [`Load`]s.
    load: AtomicUsize,
}

struct Inner {
    state: State,
    /// Removed at shutdown, like the handle: whoever keeps a driver of an earlier run keeps none of its
    /// descriptors.
    runtime: Option<Arc<Runtime>>,
    handle: Option<Handle>,
}

/// An id of the calling thread: the address of a thread-local.
fn this_thread() -> ThreadId {
    thread_local! {
        static MARK: u8 = const { 0 };
    }
    MARK.try_with(|mark| std::ptr::from_ref(mark).addr()).unwrap_or_default()
}

/// Counts a call for the choice of an I/O thread, from that choice until its caller learns of its end.
pub(crate) struct Load {
    driver: Arc<Driver>,
    is_released: AtomicBool,
}

impl Load {
    pub(crate) fn new(driver: &Arc<Driver>) -> Load {
        driver.load.fetch_add(1, Ordering::Relaxed);
        Load { driver: driver.clone(), is_released: AtomicBool::new(false) }
    }

    pub(crate) fn driver(&self) -> &Arc<Driver> {
        &self.driver
    }

    fn release(&self) {
        if !self.is_released.swap(true, Ordering::Relaxed) {
            self.driver.load.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Registers a task that this thread is about to spawn. The handle is `None` after a shutdown.
    pub(crate) fn begin(self, awaited: WaitedOnBy) -> (Living, Option<Handle>) {
        let driver = &self.driver;
        let ((looks_first, call), handle) = {
            let Inner { state, handle, .. } = &mut *driver.lock();
            // The clock is read only if it matters.
            let now = match state.driver {
                DrivenBy::Nobody { .. } => driver.now(),
                DrivenBy::IoThread | DrivenBy::Waiter => Duration::ZERO,
            };
            (state.begin(awaited, this_thread(), now), handle.clone())
        };
        driver.call(call);
        (Living { load: self, looks_first, has_ended: AtomicBool::new(false) }, handle)
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.release();
    }
}

/// Counts a task as alive until it ends.
pub(crate) struct Living {
    load: Load,
    looks_first: bool,
    has_ended: AtomicBool,
}

/// The result of a wait that could have made the thread the driver.
pub(crate) enum Waited<T> {
    Found(T),
    TimedOut,
    /// The thread has to wait without doing I/O.
    Elsewhere,
}

/// A thread's right to do the I/O while it waits.
struct DrivingWaiter<'a> {
    driver: &'a Driver,
    runtime: Option<Arc<Runtime>>,
    /// The maximum number of tasks it waits for.
    own: usize,
    has_looked: bool,
    /// Another thread waits for the same.
    has_company: bool,
}

impl Driver {
    pub(crate) fn new(runtime: Runtime) -> Arc<Driver> {
        let sender = Arc::new(Notify::new());
        runtime.spawn(deferred_wakes::send_when_told(sender.clone()));
        let handle = Some(runtime.handle().clone());
        let runtime = Some(Arc::new(runtime));
        Arc::new(Driver {
            made: Instant::now(),
            inner: Mutex::new(Inner { state: State::new(), runtime, handle }),
            changed: Condvar::new(),
            io_thread_called: Notify::new(),
            waiter_called: Notify::new(),
            sender,
            is_stopped: AtomicBool::new(false),
            load: AtomicUsize::new(0),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        lock(&self.inner)
    }

    fn now(&self) -> Duration {
        self.made.elapsed()
    }

    /// The number of calls that count for the choice of an I/O thread.
    pub(crate) fn load(&self) -> usize {
        self.load.load(Ordering::Relaxed)
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::SeqCst)
    }

    /// Wakes the sleeping I/O thread if the state machine says so.
    fn call(&self, call: Wake) {
        if call == Wake::IoThread {
            self.changed.notify_all();
        }
    }

    /// Waits for `ready` as the driver, if the thread may be it: if only `own` tasks or fewer are alive and
    /// nobody else waits for the same.
    pub(crate) fn wait<T>(
        &self,
        own: usize,
        timeout: Option<Duration>,
        has_company: impl Fn() -> bool,
        ready: impl Future<Output = T>,
    ) -> Waited<T> {
        if timeout == Some(Duration::ZERO) || has_company() {
            return Waited::Elsewhere;
        }
        let Some(mut waiter) = self.take(own) else { return Waited::Elsewhere };
        let found = waiter.wait_for(timeout, ready);
        // A waiter that arrived in between must not depend on this thread's return.
        waiter.has_company = has_company();
        match found {
            Some(found) => Waited::Found(found),
            None if timeout.is_some() && !self.is_stopped() => Waited::TimedOut,
            None => Waited::Elsewhere, // shut down: there will soon be a result
        }
    }

    /// Makes the calling thread the driver, if it waits for all live tasks, `own` or fewer.
    fn take(&self, own: usize) -> Option<DrivingWaiter<'_>> {
        // Not under the lock: the first call determines the thread's stack.
        let may_enter = !self.is_stopped() && may_do_io_here();
        let mut inner = self.lock();
        if let Take::Refused(call) = inner.state.take(own, may_enter) {
            drop(inner);
            self.call(call);
            return None;
        }
        // A condition variable, not the runtime, which would leave thread-local state in this thread.
        while inner.state.io_thread == IoThread::Inside && !self.is_stopped() {
            self.io_thread_called.notify_one();
            inner = unpoisoned(self.changed.wait(inner));
        }
        if self.is_stopped() {
            let _ = inner.state.give_to_io_thread();
            drop(inner);
            self.call(Wake::IoThread);
            return None;
        }
        let runtime = inner.runtime.clone();
        Some(DrivingWaiter { driver: self, runtime, own, has_looked: false, has_company: false })
    }

    /// The main loop of the I/O thread.
    pub(crate) fn run(&self) {
        loop {
            let Some(runtime) = self.lock().runtime.clone() else { return };
            let deferring = deferred_wakes::start_deferring(self.sender.clone());
            runtime.block_on(self.called_out());
            drop((runtime, deferring));
            self.stand_aside();
            if self.is_stopped() {
                return self.tear_down();
            }
        }
    }

    async fn called_out(&self) {
        look_at_sockets().await;
        self.lock().state.io_thread_looked();
        loop {
            let called = self.io_thread_called.notified();
            if self.is_stopped() || self.lock().state.driver != DrivenBy::IoThread {
                return;
            }
            called.await;
        }
    }

    fn stand_aside(&self) {
        let mut inner = self.lock();
        inner.state.io_thread_left(self.now());
        self.changed.notify_all();
        while !self.is_stopped() {
            let now = self.now();
            let until = match inner.state.rest(now) {
                Parked::Enter => return,
                Parked::SleepUntil(until) => until,
            };
            inner = match until {
                None => unpoisoned(self.changed.wait(inner)),
                Some(until) => {
                    let waited = self.changed.wait_timeout(inner, until.saturating_sub(now));
                    unpoisoned(waited).0
                }
            };
            inner.state.io_thread_woke();
        }
    }

    /// Shuts the runtime down: drops the tasks, which ends their calls.
    fn tear_down(&self) {
        let mut inner = self.lock();
        let (runtime, handle) = (inner.runtime.take(), inner.handle.take());
        while inner.state.driver == DrivenBy::Waiter {
            inner = unpoisoned(self.changed.wait(inner));
        }
        drop(inner);
        drop(handle);
        if let Some(runtime) = runtime.and_then(Arc::into_inner) {
            runtime.shutdown_timeout(HELPERS_END_MAX);
        }
    }

    pub(crate) fn stop(&self) {
        self.is_stopped.store(true, Ordering::SeqCst);
        let inner = self.lock();
        self.io_thread_called.notify_one();
        self.waiter_called.notify_one();
        self.changed.notify_all();
        drop(inner);
    }
}

/// Lets the runtime poll its sockets: a task that yields resumes after that.
async fn look_at_sockets() {
    tokio::task::yield_now().await;
}

impl Living {
    /// Runs first in the task.
    pub(crate) async fn look_at_sockets(&self) {
        if self.looks_first {
            look_at_sockets().await;
        }
    }

    /// The caller is about to learn of the end of its call: its next one need not avoid this I/O thread.
    pub(crate) fn release_load(&self) {
        self.load.release();
    }

    /// Counts the task as ended; it has nothing important left to do.
    pub(crate) fn end(&self) {
        if !self.has_ended.swap(true, Ordering::Relaxed) {
            self.load.release();
            self.load.driver.lock().state.end();
        }
    }
}

impl Drop for Living {
    fn drop(&mut self) {
        self.end();
    }
}

impl DrivingWaiter<'_> {
    /// Does the I/O until `ready` is; `None` after the timeout or a shutdown.
    fn wait_for<T>(
        &mut self,
        timeout: Option<Duration>,
        ready: impl Future<Output = T>,
    ) -> Option<T> {
        let runtime = self.runtime.as_ref()?;
        let driver = self.driver;
        // The runtime polls the sockets between two polls of its main future, but not before the first.
        let mut polls = 0;
        let until = async {
            let mut ready = pin!(ready);
            let mut called = pin!(driver.waiter_called.notified());
            poll_fn(|cx| {
                polls += 1;
                if let Poll::Ready(found) = ready.as_mut().poll(cx) {
                    return Poll::Ready(Some(found));
                }
                if driver.is_stopped() {
                    return Poll::Ready(None);
                }
                called.as_mut().poll(cx).map(|()| None)
            })
            .await
        };
        let found = without_sigpipe(|| {
            runtime.block_on(async {
                match timeout {
                    None => until.await,
                    Some(timeout) => tokio::time::timeout(timeout, until).await.ok().flatten(),
                }
            })
        });
        self.has_looked = polls > 1;
        found
    }
}

impl Drop for DrivingWaiter<'_> {
    fn drop(&mut self) {
        self.runtime = None;
        let driver = self.driver;
        let mut inner = driver.lock();
        let is_stopped = driver.is_stopped();
        let has_company = self.has_company || is_stopped;
        let (thread, now) = (this_thread(), driver.now());
        let call = inner.state.let_go(self.own, thread, self.has_looked, has_company, now);
        drop(inner);
        self.driver.call(if is_stopped { Wake::IoThread } else { call });
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use std::future::{pending, ready};
    use std::task::{Context, Waker};

    use super::*;

    fn driver() -> Arc<Driver> {
        Driver::new(tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap())
    }

    /// One without an I/O thread, and its only task: whoever waits for that does the I/O.
    fn undriven() -> (Arc<Driver>, Living) {
        let driver = driver();
        let (living, _) = Load::new(&driver).begin(WaitedOnBy::Here);
        let state = &mut driver.lock().state;
        (state.driver, state.io_thread) = (DrivenBy::Nobody { left_by: 0 }, IoThread::Awake);
        (driver.clone(), living)
    }

    #[test]
    fn each_thread_has_its_own_id() {
        assert_eq!(this_thread(), this_thread());
        assert_ne!(std::thread::spawn(this_thread).join().unwrap(), this_thread());
    }

    #[test]
    fn a_call_counts_until_it_is_dropped_or_ends() {
        let driver = driver();
        let counts = || (driver.load(), driver.lock().state.live);
        let load = Load::new(&driver);
        assert_eq!(counts(), (1, 0));
        drop(load);
        assert_eq!(counts(), (0, 0));
        let [one, other] = [(); 2].map(|()| Load::new(&driver).begin(WaitedOnBy::Anywhere).0);
        assert_eq!(counts(), (2, 2));
        one.end();
        drop(one);
        assert_eq!(counts(), (1, 1));
        drop(other);
        assert_eq!(counts(), (0, 0));
    }

    #[test]
    fn a_task_that_looks_first_goes_on_after_a_poll_of_the_sockets() {
        let driver = driver();
        let mut cx = Context::from_waker(Waker::noop());
        let (living, _) = Load::new(&driver).begin(WaitedOnBy::Anywhere);
        let mut looks = pin!(living.look_at_sockets());
        assert!(looks.as_mut().poll(&mut cx).is_pending());
        assert!(looks.as_mut().poll(&mut cx).is_ready());
        driver.lock().state.io_thread_looked();
        let (living, _) = Load::new(&driver).begin(WaitedOnBy::Anywhere);
        assert!(pin!(living.look_at_sockets()).poll(&mut cx).is_ready());
    }

    #[test]
    fn a_thread_that_waits_alone_does_the_io() {
        let (driver, _living) = undriven();
        let wait = |timeout, has_company: bool| driver.wait(1, timeout, || has_company, ready(7));
        assert!(matches!(wait(None, true), Waited::Elsewhere));
        assert!(matches!(wait(Some(Duration::ZERO), false), Waited::Elsewhere));
        assert!(matches!(wait(None, false), Waited::Found(7)));
    }

    #[test]
    fn a_wait_ends_after_its_timeout_and_by_a_shutdown() {
        let (driver, _living) = undriven();
        let short = Some(Duration::from_millis(1));
        let waited = driver.wait(1, short, || false, pending::<()>());
        assert!(matches!(waited, Waited::TimedOut));
        for timeout in [None, Some(Duration::from_secs(60))] {
            let (driver, _living) = undriven();
            let stops = poll_fn(|_| {
                driver.stop();
                Poll::<()>::Pending
            });
            assert!(matches!(driver.wait(1, timeout, || false, stops), Waited::Elsewhere));
        }
    }

    #[test]
    fn the_sockets_were_polled_if_the_wait_was_not_over_at_once() {
        let (driver, _living) = undriven();
        let mut waiter = driver.take(1).unwrap();
        assert_eq!(waiter.wait_for(None, ready(7)), Some(7));
        assert!(!waiter.has_looked);
        assert_eq!(waiter.wait_for(None, tokio::task::yield_now()), Some(()));
        assert!(waiter.has_looked);
    }
}
