//! The state machine of who polls the sockets: pure transitions under one lock, all of them explored by
//! `model`.
//!
//! # States
//!
//! | driver | who polls | what ends it |
//! |---|---|---|
//! | I/O thread | that thread | a waiter becomes the driver: it waited [`ALONE_MIN`] times in a row for all live tasks |
//! | waiter | the waiting thread | its wait ends: then nobody, or the I/O thread if another task or waiter is left |
//! | nobody | no one, for up to [`UNWATCHED_MAX`] | the waiter returns; other work starts; the I/O thread's alarm fires |
//!
//! # Invariants
//!
//! 1. Whatever any thread does or omits, the sockets are polled within [`UNWATCHED_MAX`]: while nobody polls,
//!    the I/O thread is awake, or sleeps at most that long after the last poll. Only a poll moves this time,
//!    a starting call does not.
//! 2. One thread at a time is inside the runtime. A waiter becomes the driver only if it waits for all live
//!    tasks.
//! 3. A call that starts while the I/O thread is outside, or has not polled since it returned, first polls
//!    the sockets: a connection that the service has closed is not used.

use std::time::Duration;

/// The maximum time between two polls of the sockets.
pub(crate) const UNWATCHED_MAX: Duration = Duration::from_millis(10);

/// A waiter that was away for longer is busy otherwise: it is not relied on to poll for what it submits.
const AWAY_MAX: Duration = Duration::from_millis(4);

/// The number of consecutive waits, each for all live tasks, before a waiter becomes the driver.
const ALONE_MIN: u32 = 4;

/// After this many alarms in the same wait, the I/O thread sleeps until the wait ends.
const ALARMS_MAX: u32 = 3;

/// A thread, identified by the address of a thread-local.
pub(crate) type ThreadId = usize;

/// Who polls the sockets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum DrivenBy {
    IoThread,
    Waiter,
    Nobody { left_by: ThreadId },
}

/// Where the I/O thread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum IoThread {
    /// In the runtime, or on its way in as the driver.
    Inside,
    /// Outside and awake: it calls [`State::rest`] next.
    Awake,
    /// Outside, until this time or until it is woken.
    Asleep { until: Option<Duration> },
}

/// Who waits for a call that is about to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaitedOnBy {
    /// No known waiter.
    Anywhere,
    /// The thread that starts it, next.
    Here,
    /// Whoever waits at its completion queue.
    AtQueue,
}

/// The next action of the I/O thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parked {
    /// Enter the runtime as the driver.
    Enter,
    /// Sleep until this time, or until it is woken.
    SleepUntil(Option<Duration>),
}

/// Whether the I/O thread has to be woken.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wake {
    IoThread,
    Nobody,
}

/// The answer to a waiter that asked to be the driver.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Take {
    /// It is the driver, and enters once the I/O thread has left.
    Granted,
    /// It waits without doing I/O.
    Refused(Wake),
}

/// Times are durations since a fixed moment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct State {
    pub(super) driver: DrivenBy,
    pub(super) io_thread: IoThread,
    /// The number of live call tasks.
    pub(super) live: usize,
    /// Consecutive waits with no other work in flight.
    alone: u32,
    /// The last poll by a waiter, or by the I/O thread before it left.
    looked_at: Duration,
    /// The value of `looked_at` at the last alarm, and the number of alarms with the same value.
    alarmed: (Duration, u32),
    /// The I/O thread has not polled since it returned.
    is_stale: bool,
}

impl State {
    pub(super) fn new() -> State {
        State {
            driver: DrivenBy::IoThread,
            io_thread: IoThread::Inside,
            live: 0,
            alone: 0,
            looked_at: Duration::ZERO,
            alarmed: (Duration::ZERO, 0),
            is_stale: true,
        }
    }

    /// Registers a task that this thread is about to spawn. Returns whether the task has to poll the sockets
    /// first, and whom to wake.
    pub(super) fn begin(
        &mut self,
        awaited: WaitedOnBy,
        thread: ThreadId,
        now: Duration,
    ) -> (bool, Wake) {
        let looks_first = self.driver != DrivenBy::IoThread || self.is_stale;
        let is_alone = match awaited {
            WaitedOnBy::Anywhere => false,
            WaitedOnBy::Here => self.live == 0,
            WaitedOnBy::AtQueue => true,
        };
        let call = match self.driver {
            DrivenBy::IoThread | DrivenBy::Waiter => Wake::Nobody,
            DrivenBy::Nobody { left_by } => {
                let comes_back = match awaited {
                    WaitedOnBy::Anywhere | WaitedOnBy::Here => is_alone,
                    WaitedOnBy::AtQueue => {
                        left_by == thread && now.saturating_sub(self.looked_at) < AWAY_MAX
                    }
                };
                if comes_back { Wake::Nobody } else { self.give_to_io_thread() }
            }
        };
        if !is_alone {
            self.alone = 0;
        }
        self.live += 1;
        (looks_first, call)
    }

    pub(super) fn end(&mut self) {
        self.live = self.live.saturating_sub(1);
    }

    /// Makes a thread that is about to wait for `own` tasks the driver, if no other task is alive.
    pub(super) fn take(&mut self, own: usize, can_enter: bool) -> Take {
        let waits_for_all = self.live > 0 && self.live <= own;
        if !waits_for_all || !can_enter {
            self.alone = 0;
            return Take::Refused(match self.driver {
                DrivenBy::Nobody { .. } => self.give_to_io_thread(),
                DrivenBy::IoThread | DrivenBy::Waiter => Wake::Nobody,
            });
        }
        match self.driver {
            DrivenBy::Waiter => return Take::Refused(Wake::Nobody),
            DrivenBy::Nobody { .. } => {}
            DrivenBy::IoThread => {
                self.alone = self.alone.saturating_add(1);
                if self.alone < ALONE_MIN {
                    return Take::Refused(Wake::Nobody);
                }
            }
        }
        self.driver = DrivenBy::Waiter;
        Take::Granted
    }

    /// Ends the waiter's wait for `own` tasks. `has_looked`: it was inside long enough to poll the sockets;
    /// `has_company`: another thread waits for the same.
    pub(super) fn let_go(
        &mut self,
        own: usize,
        thread: ThreadId,
        has_looked: bool,
        has_company: bool,
        now: Duration,
    ) -> Wake {
        if has_looked {
            self.looked_at = now;
        }
        if self.live > own || has_company {
            return self.give_to_io_thread();
        }
        self.driver = DrivenBy::Nobody { left_by: thread };
        let alarm = self.looked_at + UNWATCHED_MAX;
        match self.io_thread {
            IoThread::Asleep { until } if until.is_none_or(|until| until > alarm) => {
                self.wake_io_thread()
            }
            IoThread::Asleep { .. } | IoThread::Awake | IoThread::Inside => Wake::Nobody,
        }
    }

    /// Makes the I/O thread the driver: no waiter polls, or the library is shut down.
    pub(super) fn give_to_io_thread(&mut self) -> Wake {
        self.driver = DrivenBy::IoThread;
        self.alone = 0;
        self.wake_io_thread()
    }

    fn wake_io_thread(&mut self) -> Wake {
        match self.io_thread {
            IoThread::Asleep { .. } => {
                self.io_thread = IoThread::Awake;
                Wake::IoThread
            }
            IoThread::Awake | IoThread::Inside => Wake::Nobody,
        }
    }

    /// Records that the I/O thread is inside and has polled.
    pub(super) fn io_thread_looked(&mut self) {
        self.is_stale = false;
    }

    /// Records that the I/O thread has left the runtime, where it polled until now.
    pub(super) fn io_thread_left(&mut self, now: Duration) {
        self.io_thread = IoThread::Awake;
        self.is_stale = true;
        self.looked_at = now;
    }

    /// The next action of the I/O thread, which is outside and awake.
    pub(super) fn rest(&mut self, now: Duration) -> Parked {
        let alarm = self.looked_at + UNWATCHED_MAX;
        if matches!(self.driver, DrivenBy::Nobody { .. }) && now >= alarm {
            let _ = self.give_to_io_thread(); // no wake needed: it is awake
        }
        let until = match self.driver {
            DrivenBy::IoThread => {
                self.io_thread = IoThread::Inside;
                return Parked::Enter;
            }
            DrivenBy::Nobody { .. } => Some(alarm),
            DrivenBy::Waiter => {
                let (seen, alarms) = self.alarmed;
                let is_same = seen == self.looked_at;
                let alarms = if is_same { ALARMS_MAX.min(alarms + 1) } else { 0 };
                self.alarmed = (self.looked_at, alarms);
                (alarms < ALARMS_MAX).then(|| now + UNWATCHED_MAX)
            }
        };
        self.io_thread = IoThread::Asleep { until };
        Parked::SleepUntil(until)
    }

    /// Records that the I/O thread's sleep has ended, for any reason.
    pub(super) fn io_thread_woke(&mut self) {
        self.io_thread = IoThread::Awake;
    }

    #[cfg(test)]
    pub(super) fn has_io_thread_looked(&self) -> bool {
        !self.is_stale
    }

    /// A former bug, for the model: a starting call counts as a poll.
    #[cfg(test)]
    pub(super) fn pretend_a_look(&mut self, now: Duration) {
        self.looked_at = now;
    }

    /// The same state at another time: times that matter only relative to now are moved.
    #[cfg(test)]
    pub(super) fn moved_back(&mut self, by: Duration, oldest: Duration) {
        let moved = |time: Duration| time.saturating_sub(by).max(oldest);
        let seen_same = self.alarmed.0 == self.looked_at;
        self.looked_at = moved(self.looked_at);
        self.alarmed.0 = if seen_same { self.looked_at } else { Duration::ZERO };
        if let IoThread::Asleep { until: Some(until) } = &mut self.io_thread {
            *until = moved(*until);
        }
    }
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
