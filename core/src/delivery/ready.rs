//! Tracks which of many sources have something to pop, and notifies sleeping threads and, through a
//! file descriptor, any event loop. A source is a number.
//!
//! # Invariants
//!
//! 1. A source's waker notes its number; numbers come out in the order in which they were noted.
//! 2. Sleeping threads are woken by the first note after they found nothing, one thread per note.
//! 3. While a number or an interruption is queued, the descriptor was made readable: under the lock when the
//!    first one arrives. It is emptied under the lock when nothing is left. The program may empty it too: a
//!    consumer that takes until nothing is left misses nothing. A bell makes it readable without the lock, so
//!    with a bell, the consumer checks it after emptying the descriptor.
//! 4. Notes never fail and never block, whatever the program did to its descriptor.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use crate::answer::error::{Error, Result};
use crate::answer::error_kind::ErrorKind;
use crate::driver::wake_fd::{Bell, Slept, WakeFd, WireKind};
use crate::system::Descriptor;
use crate::system::process;
use crate::system::sync::{Condvar, Mutex, MutexGuard, lock, unpoisoned};

/// A list of numbers that wakers fill and a consumer empties: one wake for many sources.
///
/// It works in any event loop: watch [`Ready::fd`] for reading, and when it is readable, call
/// [`Ready::take`] until it returns `None`. Cheap to clone; every method may be called from any thread.
#[derive(Clone)]
pub struct Ready {
    shared: Arc<Shared>,
}

struct Shared {
    /// The process that created it: another one must not touch its lock.
    generation: u64,
    kind: WireKind,
    /// For interruptible waits.
    bell: Option<Bell>,
    noted: Mutex<Noted>,
    readable: Condvar,
}

#[derive(Default)]
struct Noted {
    numbers: VecDeque<u64>,
    /// The current or next waiter is to return without a number.
    interrupted: bool,
    sleepers: usize,
    /// The task that found nothing.
    waiter: Option<Waker>,
    /// Created when the descriptor is first requested.
    wake_fd: Option<WakeFd>,
}

/// The waker of one source.
struct Source {
    shared: Arc<Shared>,
    number: u64,
}

impl Wake for Source {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.shared.note(self.number);
    }
}

impl Shared {
    fn is_ours(&self) -> bool {
        process::generation() == self.generation
    }

    fn note(&self, number: u64) {
        if self.is_ours() {
            self.signal(|noted| noted.numbers.push_back(number));
        }
    }

    /// If nothing is queued, the descriptor must not be readable.
    fn settle(&self, noted: &mut Noted) {
        if !noted.numbers.is_empty() || noted.interrupted {
            return;
        }
        let Some(wake_fd) = &mut noted.wake_fd else { return };
        match &self.bell {
            None => wake_fd.clear(),
            Some(bell) => {
                wake_fd.clear_all();
                if bell.is_rung() {
                    wake_fd.raise();
                }
            }
        }
    }

    /// Changes what is queued, and notifies the waiters.
    fn signal(&self, change: impl FnOnce(&mut Noted)) {
        let mut noted = lock(&self.noted);
        change(&mut noted);
        if let Some(wake_fd) = &mut noted.wake_fd {
            wake_fd.raise();
        }
        let has_sleepers = noted.sleepers > 0;
        let waiter = noted.waiter.take();
        drop(noted);
        if has_sleepers {
            self.readable.notify_one();
        }
        if let Some(waiter) = waiter {
            waiter.wake();
        }
    }
}

impl Default for Ready {
    fn default() -> Ready {
        Ready::new()
    }
}

impl Ready {
    /// Creates an empty list of this process.
    pub fn new() -> Ready {
        Ready::of(WireKind::Socket)
    }

    /// A list with this kind of descriptor.
    pub(crate) fn of(kind: WireKind) -> Ready {
        Ready::over(kind, None, Noted::default())
    }

    /// A list whose waits can be interrupted.
    pub(crate) fn interruptible(kind: WireKind) -> Result<Ready> {
        let bell = Bell::new(kind)?;
        let noted = Noted { wake_fd: Some(WakeFd::of(&bell)), ..Noted::default() };
        Ok(Ready::over(kind, Some(bell), noted))
    }

    fn over(kind: WireKind, bell: Option<Bell>, noted: Noted) -> Ready {
        let (generation, readable) = (process::generation(), Condvar::new());
        let noted = Mutex::new(noted);
        Ready { shared: Arc::new(Shared { generation, kind, bell, noted, readable }) }
    }

    /// The bell of interruptible waits.
    pub(crate) fn bell(&self) -> Option<&Bell> {
        self.shared.bell.as_ref()
    }

    /// A waker that notes this number: pass it to [`Call::poll_pop`](crate::Call::poll_pop).
    pub fn waker(&self, number: u64) -> Waker {
        Arc::new(Source { shared: self.shared.clone(), number }).into()
    }

    /// Notes a number as its waker would.
    pub fn note(&self, number: u64) {
        self.shared.note(number);
    }

    /// The number that was noted first; `None` if none is noted, which consumes an interruption unless a thread
    /// sleeps, whose it is. Never waits.
    pub fn take(&self) -> Option<u64> {
        self.change(|noted| {
            let number = noted.numbers.pop_front();
            noted.interrupted &= number.is_some() || noted.sleepers > 0;
            number
        })
    }

    /// Sleeps until a number is noted; false if the timeout ran out or [`Ready::interrupt`] was called
    /// first. `None` waits forever. Zero leaves an interruption to a thread that sleeps.
    pub fn wait(&self, timeout: Option<Duration>) -> bool {
        if !self.shared.is_ours() {
            return false;
        }
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut noted = lock(&self.shared.noted);
        if timeout == Some(Duration::ZERO) && noted.sleepers > 0 {
            return !noted.numbers.is_empty();
        }
        loop {
            if !noted.numbers.is_empty() {
                return true;
            }
            let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
            if std::mem::take(&mut noted.interrupted) || left == Some(Duration::ZERO) {
                self.shared.settle(&mut noted);
                return false;
            }
            noted.sleepers += 1;
            noted = self.sleep(noted, left);
            noted.sleepers -= 1;
        }
    }

    /// Like [`Ready::wait`], but sleeps at the bell, and a signal or a ring ends it.
    pub(crate) fn wait_at(&self, bell: &Bell, timeout: Option<Duration>) -> Slept {
        if !self.shared.is_ours() {
            return Slept::InVain;
        }
        let look = || {
            let mut noted = lock(&self.shared.noted);
            if !noted.numbers.is_empty() {
                return Some(Slept::Noted);
            }
            let slept = if bell.take() {
                Some(Slept::Interrupted)
            } else {
                std::mem::take(&mut noted.interrupted).then_some(Slept::InVain)
            };
            self.shared.settle(&mut noted);
            slept
        };
        if timeout == Some(Duration::ZERO) && lock(&self.shared.noted).sleepers > 0 {
            return if self.first().is_some() { Slept::Noted } else { Slept::InVain };
        }
        if let Some(slept) = look() {
            return slept;
        }
        if timeout == Some(Duration::ZERO) {
            return Slept::InVain;
        }
        lock(&self.shared.noted).sleepers += 1;
        let slept = bell.sleep(timeout);
        lock(&self.shared.noted).sleepers -= 1;
        match slept {
            // If another thread took it, the caller finds nothing, and sleeps again.
            Slept::Noted => look().unwrap_or(Slept::Noted),
            slept @ (Slept::InVain | Slept::Interrupted) => slept,
        }
    }

    /// Like [`Ready::wait`], for a task: pending leaves its waker, which is called at the first note.
    /// One task at a time.
    pub(crate) fn poll_wait(&self, cx: &Context<'_>) -> Poll<bool> {
        if !self.shared.is_ours() {
            return Poll::Ready(false);
        }
        let mut noted = lock(&self.shared.noted);
        if !noted.numbers.is_empty() {
            return Poll::Ready(true);
        }
        if std::mem::take(&mut noted.interrupted) {
            self.shared.settle(&mut noted);
            return Poll::Ready(false);
        }
        noted.waiter = Some(cx.waker().clone());
        Poll::Pending
    }

    /// Whether threads sleep in `wait`, or a program watches the descriptor.
    pub(crate) fn has_company(&self) -> bool {
        let noted = lock(&self.shared.noted);
        noted.sleepers > 0 || noted.wake_fd.is_some()
    }

    /// The number that was noted first. Keeps it, and an interruption.
    pub(crate) fn first(&self) -> Option<u64> {
        self.change(|noted| noted.numbers.front().copied())
    }

    /// Keeps the first number, which may have more events: wakes another sleeping thread for them. With
    /// `to_the_back`, the other numbers come first.
    pub(crate) fn keep_first(&self, to_the_back: bool) {
        self.shared.signal(|noted| {
            if to_the_back {
                noted.numbers.rotate_left(usize::from(!noted.numbers.is_empty()));
            }
        });
    }

    /// Removes the first number, which has no more events; its waker notes it again.
    pub(crate) fn drop_first(&self) {
        if self.shared.is_ours() {
            lock(&self.shared.noted).numbers.pop_front();
        }
    }

    fn change(&self, change: impl FnOnce(&mut Noted) -> Option<u64>) -> Option<u64> {
        if !self.shared.is_ours() {
            return None;
        }
        let mut noted = lock(&self.shared.noted);
        let number = change(&mut noted);
        if number.is_none() {
            self.shared.settle(&mut noted);
        }
        number
    }

    fn sleep<'a>(
        &self,
        noted: MutexGuard<'a, Noted>,
        left: Option<Duration>,
    ) -> MutexGuard<'a, Noted> {
        let readable = &self.shared.readable;
        match left {
            Some(left) => {
                let waited = readable.wait_timeout(noted, left);
                unpoisoned(waited).0
            }
            None => unpoisoned(readable.wait(noted)),
        }
    }

    /// Lets one waiter, or the next one, return with nothing. It stays set until then.
    pub fn interrupt(&self) {
        if self.shared.is_ours() {
            self.shared.signal(|noted| noted.interrupted = true);
        }
    }

    /// A descriptor that is readable while something waits. The library owns it: close only a
    /// duplicate. The bytes in it have no meaning. A socket, non-blocking, close-on-exec.
    pub fn fd(&self) -> Result<Descriptor> {
        if !self.shared.is_ours() {
            return Err(Error::new(ErrorKind::Forked, "this queue belongs to the parent process"));
        }
        let mut noted = lock(&self.shared.noted);
        let has_news = !noted.numbers.is_empty() || noted.interrupted;
        let wake_fd = match &mut noted.wake_fd {
            Some(wake_fd) => wake_fd,
            none => none.insert(WakeFd::new(self.shared.kind)?),
        };
        if has_news {
            wake_fd.raise();
        }
        Ok(wake_fd.fd())
    }
}

#[cfg(test)]
#[path = "ready_tests.rs"]
mod tests;
