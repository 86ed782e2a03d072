//! A model of the driver: two threads that act arbitrarily, and the I/O thread. All reachable states are
//! explored, and each invariant of `state` is checked in each.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use super::state::{DrivenBy, IoThread, Parked, State, Take, UNWATCHED_MAX, WaitedOnBy, Wake};

/// Time advances in these steps, and only while no thread of the library has something to do at once.
const STEP: Duration = Duration::from_millis(5);
/// Every state is normalized to this time.
const NOW: Duration = Duration::from_secs(1);
const LIVE_MAX: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum User {
    /// In the program's own code, for any time.
    Away,
    /// It is the driver, and waits for the I/O thread to leave.
    Entering {
        own: usize,
    },
    Inside {
        own: usize,
        has_looked: bool,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct World {
    state: State,
    users: [User; 2],
    /// A waiter made the I/O thread leave the runtime.
    is_called_out: bool,
    /// Time steps since the sockets were last polled.
    unwatched: u32,
}

/// A deliberate fault in the driver.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    /// A starting call postpones the alarm.
    BeginCountsAsLook,
    /// The end of a wait does not wake the I/O thread.
    SleepsOn,
}

impl World {
    fn new() -> World {
        let mut state = State::new();
        state.moved_back(Duration::ZERO, NOW - 4 * UNWATCHED_MAX);
        World { state, users: [User::Away; 2], is_called_out: false, unwatched: 0 }
    }

    fn is_io_thread_inside(&self) -> bool {
        self.state.io_thread == IoThread::Inside
    }

    fn is_anybody_inside(&self) -> bool {
        let inside = |user: &User| matches!(user, User::Inside { .. });
        self.is_io_thread_inside() || self.users.iter().any(inside)
    }

    fn check(&self) {
        let inside = self.users.iter().filter(|user| matches!(user, User::Inside { .. })).count();
        let inside = inside + usize::from(self.is_io_thread_inside());
        assert!(inside <= 1, "two threads are inside: {self:?}");
        let holders = self.users.iter().filter(|user| **user != User::Away).count();
        assert_eq!(holders, usize::from(self.state.driver == DrivenBy::Waiter), "{self:?}");
        let steps = (UNWATCHED_MAX.as_millis() / STEP.as_millis()) as u32;
        assert!(self.unwatched <= steps, "the sockets were forgotten: {self:?}");
    }

    /// Whether a thread of the library has something to do before time may advance.
    fn is_busy(&self) -> bool {
        let is_due = match self.state.io_thread {
            IoThread::Awake => true,
            IoThread::Inside => self.is_called_out,
            IoThread::Asleep { until } => until.is_some_and(|until| until <= NOW),
        };
        let enters = self.users.iter().any(|user| matches!(user, User::Entering { .. }));
        is_due || (enters && !self.is_io_thread_inside())
    }

    /// All worlds reachable by one step of any thread.
    fn next(&self, fault: Fault) -> Vec<World> {
        let mut found = Vec::new();
        let mut add = |change: &dyn Fn(&mut World)| {
            let mut world = self.clone();
            change(&mut world);
            found.push(world);
        };
        for at in 0..self.users.len() {
            match self.users[at] {
                User::Away => {
                    if self.state.live < LIVE_MAX {
                        for awaited in [WaitedOnBy::Anywhere, WaitedOnBy::Here, WaitedOnBy::AtQueue]
                        {
                            add(&|world| world.begin(awaited, at, fault));
                        }
                    }
                    for own in 1..=LIVE_MAX {
                        add(&|world| world.take(own, at, true));
                    }
                    add(&|world| world.take(LIVE_MAX, at, false));
                }
                User::Entering { own } if !self.is_io_thread_inside() => {
                    add(&|world| world.users[at] = User::Inside { own, has_looked: false });
                }
                User::Entering { .. } => {}
                User::Inside { own, has_looked } => {
                    add(&|world| {
                        world.users[at] = User::Inside { own, has_looked: true };
                        world.unwatched = 0;
                    });
                    for has_company in [false, true] {
                        add(&|world| {
                            world.users[at] = User::Away;
                            let before = world.state.io_thread;
                            let call = world.state.let_go(own, at, has_looked, has_company, NOW);
                            if fault == Fault::SleepsOn && call == Wake::IoThread {
                                world.state.io_thread = before;
                            }
                        });
                    }
                }
            }
        }
        if self.state.live > 0 && self.is_anybody_inside() {
            add(&|world| world.state.end());
        }
        match self.state.io_thread {
            IoThread::Inside => {
                add(&|world| {
                    world.state.io_thread_looked();
                    world.unwatched = 0;
                });
                // It polls once before it obeys a call to leave.
                if self.is_called_out && self.state.has_io_thread_looked() {
                    add(&|world| {
                        world.is_called_out = false;
                        world.state.io_thread_left(NOW);
                    });
                }
            }
            IoThread::Awake => add(&|world| match world.state.rest(NOW) {
                Parked::Enter => assert_eq!(world.state.driver, DrivenBy::IoThread),
                Parked::SleepUntil(until) => assert!(until.is_none_or(|until| until > NOW)),
            }),
            // Also spuriously.
            IoThread::Asleep { .. } => add(&|world| world.state.io_thread_woke()),
        }
        if !self.is_busy() {
            add(&|world| {
                world.state.moved_back(STEP, NOW - 4 * UNWATCHED_MAX);
                world.unwatched = if self.is_anybody_inside() { 0 } else { world.unwatched + 1 };
            });
        }
        found
    }

    fn begin(&mut self, awaited: WaitedOnBy, user: usize, fault: Fault) {
        let was_inside = self.is_io_thread_inside();
        let was_nobody = matches!(self.state.driver, DrivenBy::Nobody { .. });
        let (looks_first, call) = self.state.begin(awaited, user, NOW);
        assert!(looks_first || was_inside, "nobody polled, nor does it: {self:?}");
        assert!(call == Wake::Nobody || was_nobody, "{self:?}");
        if fault == Fault::BeginCountsAsLook {
            self.state.pretend_a_look(NOW);
        }
    }

    fn take(&mut self, own: usize, user: usize, can_enter: bool) {
        match self.state.take(own, can_enter) {
            Take::Granted => {
                assert!(self.state.live <= own && can_enter, "{self:?}");
                self.users[user] = User::Entering { own };
                self.is_called_out |= self.is_io_thread_inside();
            }
            // It sleeps until it is woken: some thread must poll, now or soon.
            Take::Refused(_) => {}
        }
    }
}

/// Explores all worlds; returns their number, or panics on a violation.
fn walk(fault: Fault) -> usize {
    let mut seen = HashSet::from([World::new()]);
    let mut queue = VecDeque::from([World::new()]);
    while let Some(world) = queue.pop_front() {
        world.check();
        for next in world.next(fault) {
            if seen.insert(next.clone()) {
                queue.push_back(next);
            }
        }
    }
    seen.len()
}

#[test]
fn the_sockets_are_never_forgotten() {
    let worlds = walk(Fault::None);
    assert!(worlds > 10_000, "only {worlds} worlds: the model does not reach what it should");
}

#[test]
fn the_model_finds_faults() {
    for fault in [Fault::BeginCountsAsLook, Fault::SleepsOn] {
        let found = std::panic::catch_unwind(|| walk(fault));
        let said = found.unwrap_err();
        let said = said.downcast_ref::<String>().cloned().unwrap_or_default();
        assert!(said.contains("forgotten"), "{said}");
    }
}
