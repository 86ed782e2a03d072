//! Who looks at the sockets, as a state machine: pure transitions under one lock, every one of them
//! walked by `model`.
//!
//! # States
//!
//! | driver | who looks | what ends it |
//! |---|---|---|
//! | I/O thread | that thread | a waiter becomes the driver: it waited [`ALONE_MIN`] times in a row for all that lived |
//! | waiter | the thread that waits | its wait ends: nobody, or the I/O thread where something else lives or waits beside it |
//! | nobody | no one, for [`UNWATCHED_MAX`] at most | the waiter comes back; other work begins; the I/O thread's alarm |
//!
//! # Invariants
//!
//! 1. Whatever any thread does or leaves undone, the sockets are looked at within
//!    [`UNWATCHED_MAX`]: while nobody looks the I/O thread is awake, or sleeps no longer than that
//!    counted from the last look. Only a look moves that time: a call that begins does not.
//! 2. One thread at a time is inside the runtime. A waiter becomes the driver only when it waits for all
//!    that lives.
//! 3. A call that begins while the I/O thread is not inside, or has not looked since it came back,
//!    looks at the sockets first: a connection that the service closed meanwhile is not used.

use std::time::Duration;

/// How long the sockets go without a look at most.
pub(crate) const UNWATCHED_MAX: Duration = Duration::from_millis(10);

/// A waiter that was away for longer does other things: what it submits is not left to it.
const AWAY_MAX: Duration = Duration::from_millis(4);

/// Waits in a row, each for all that lived, before a waiter becomes the driver.
const ALONE_MIN: u32 = 4;

/// After so many alarms in one and the same wait the I/O thread sleeps until that ends.
const ALARMS_MAX: u32 = 3;

/// A thread, by an address of its own.
pub(crate) type ThreadId = usize;

/// Who looks at the sockets.
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
    /// Outside and awake: it asks [`State::rest`] next.
    Awake,
    /// Outside, until this time or until it is called.
    Asleep { until: Option<Duration> },
}

/// Who waits for a call that is about to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Awaited {
    /// Nobody is known to look for it.
    Anywhere,
    /// The thread that begins it, next.
    Here,
    /// Whoever waits at its completion queue.
    AtQueue,
}

/// What the I/O thread does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// It is the driver.
    Enter,
    /// Until this time, or until it is called.
    SleepUntil(Option<Duration>),
}

/// Whether the I/O thread has to be woken from its sleep.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    IoThread,
    Nobody,
}

/// How a waiter got on that asked to be the driver.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Take {
    /// It is the driver, and enters when the I/O thread is not inside.
    Granted,
    /// It waits as one that does no I/O.
    Refused(Call),
}

/// Times are since any fixed moment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct State {
    pub(super) driver: DrivenBy,
    pub(super) io_thread: IoThread,
    /// Tasks of calls.
    pub(super) live: usize,
    /// Waits in a row that nothing ran beside.
    alone: u32,
    /// The last look of a waiter or of the I/O thread before it left.
    looked_at: Duration,
    /// The look that the last alarm found, and how many found the same.
    alarmed: (Duration, u32),
    /// The I/O thread has not looked since it came back.
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

    /// A task is about to be spawned by this thread. Whether it has to look at the sockets first,
    /// and whom to call.
    pub(super) fn begin(
        &mut self,
        awaited: Awaited,
        thread: ThreadId,
        now: Duration,
    ) -> (bool, Call) {
        let looks_first = self.driver != DrivenBy::IoThread || self.is_stale;
        let is_alone = match awaited {
            Awaited::Anywhere => false,
            Awaited::Here => self.live == 0,
            Awaited::AtQueue => true,
        };
        let call = match self.driver {
            DrivenBy::IoThread | DrivenBy::Waiter => Call::Nobody,
            DrivenBy::Nobody { left_by } => {
                let comes_back = match awaited {
                    Awaited::Anywhere | Awaited::Here => is_alone,
                    Awaited::AtQueue => {
                        left_by == thread && now.saturating_sub(self.looked_at) < AWAY_MAX
                    }
                };
                if comes_back { Call::Nobody } else { self.give_to_io_thread() }
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

    /// Makes the driver of a thread that is about to wait for `own` tasks or what is left of them.
    pub(super) fn take(&mut self, own: usize, can_enter: bool) -> Take {
        let waits_for_all = self.live > 0 && self.live <= own;
        if !waits_for_all || !can_enter {
            self.alone = 0;
            return Take::Refused(match self.driver {
                DrivenBy::Nobody { .. } => self.give_to_io_thread(),
                DrivenBy::IoThread | DrivenBy::Waiter => Call::Nobody,
            });
        }
        match self.driver {
            DrivenBy::Waiter => return Take::Refused(Call::Nobody),
            DrivenBy::Nobody { .. } => {}
            DrivenBy::IoThread => {
                self.alone = self.alone.saturating_add(1);
                if self.alone < ALONE_MIN {
                    return Take::Refused(Call::Nobody);
                }
            }
        }
        self.driver = DrivenBy::Waiter;
        Take::Granted
    }

    /// The waiter's wait for `own` tasks is over. `has_looked`: it was long enough inside to see the
    /// sockets; `has_company`: somebody else waits for the same.
    pub(super) fn let_go(
        &mut self,
        own: usize,
        thread: ThreadId,
        has_looked: bool,
        has_company: bool,
        now: Duration,
    ) -> Call {
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
            IoThread::Asleep { .. } | IoThread::Awake | IoThread::Inside => Call::Nobody,
        }
    }

    /// The I/O thread becomes the driver: the waiter did nothing, or the library is shut down.
    pub(super) fn give_to_io_thread(&mut self) -> Call {
        self.driver = DrivenBy::IoThread;
        self.alone = 0;
        self.wake_io_thread()
    }

    fn wake_io_thread(&mut self) -> Call {
        match self.io_thread {
            IoThread::Asleep { .. } => {
                self.io_thread = IoThread::Awake;
                Call::IoThread
            }
            IoThread::Awake | IoThread::Inside => Call::Nobody,
        }
    }

    /// The I/O thread is inside and has looked.
    pub(super) fn io_thread_looked(&mut self) {
        self.is_stale = false;
    }

    /// The I/O thread has left the runtime, where it has looked, and looked until now.
    pub(super) fn io_thread_left(&mut self, now: Duration) {
        self.io_thread = IoThread::Awake;
        self.is_stale = true;
        self.looked_at = now;
    }

    /// The I/O thread is outside and awake: what it does next.
    pub(super) fn rest(&mut self, now: Duration) -> Rest {
        let alarm = self.looked_at + UNWATCHED_MAX;
        if matches!(self.driver, DrivenBy::Nobody { .. }) && now >= alarm {
            let _ = self.give_to_io_thread(); // it is awake
        }
        let until = match self.driver {
            DrivenBy::IoThread => {
                self.io_thread = IoThread::Inside;
                return Rest::Enter;
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
        Rest::SleepUntil(until)
    }

    /// The I/O thread's sleep is over, for whatever reason.
    pub(super) fn io_thread_woke(&mut self) {
        self.io_thread = IoThread::Awake;
    }

    #[cfg(test)]
    pub(super) fn has_io_thread_looked(&self) -> bool {
        !self.is_stale
    }

    /// What the driver did once: a call that begins counts as a look.
    #[cfg(test)]
    pub(super) fn pretend_a_look(&mut self, now: Duration) {
        self.looked_at = now;
    }

    /// The same state at another time: what only matters by its distance from now is moved.
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
