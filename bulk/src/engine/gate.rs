//! The rows of one model at one service: its controller, its breaker, and when to ask them again.

use std::time::Duration;

use modelwire::pace::Decision;

use super::breaker::Breaker;
use crate::controller::{Controller, Ended, Fixed, View};

/// Minimum time before a controller is asked again: clocks are coarse.
const ASK_AGAIN: Duration = Duration::from_micros(100);

/// When to ask the controller again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NextRow {
    No,
    Until(Duration),
    UntilOneEnds,
}

#[derive(Debug)]
pub(super) struct Gate {
    controller: Controller,
    held: NextRow,
    pub(super) breaker: Breaker,
    /// Rows failed here for longer than the patience, or were refused, and not elsewhere: no more are sent.
    is_given_up: bool,
    pub(super) was_answered: bool,
    /// Rows that were refused since the last answer, and went to other services.
    pub(super) refused_in_a_row: usize,
    /// The service asked to wait until then.
    paused_until: Duration,
}

/// How many rows may begin soon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Room {
    /// One, once its time has come.
    One,
    /// The free permits; further rows begin when others end.
    Permits(usize),
}

impl Gate {
    pub(super) fn new(fixed: Fixed) -> Gate {
        Gate {
            controller: Controller::new(fixed),
            held: NextRow::No,
            breaker: Breaker::default(),
            is_given_up: false,
            was_answered: false,
            refused_in_a_row: 0,
            paused_until: Duration::ZERO,
        }
    }

    pub(super) fn room(&self, now: Duration) -> Room {
        match self.held {
            _ if self.breaker.is_open() || self.is_closed(now) => Room::One,
            NextRow::UntilOneEnds => Room::Permits(0),
            NextRow::Until(time) if time > now => Room::One,
            NextRow::Until(_) | NextRow::No => {
                let View { allowed, in_flight, is_paced, .. } = self.controller.view(now);
                let permits = if is_paced { 1 } else { allowed.saturating_sub(in_flight) };
                Room::Permits(permits as usize)
            }
        }
    }

    /// Whether a row may begin now, if it does.
    pub(super) fn begins(&mut self, now: Duration, tokens: f64) -> bool {
        match self.held {
            NextRow::UntilOneEnds => return false,
            NextRow::Until(time) if time > now => return false,
            NextRow::Until(_) | NextRow::No => {}
        }
        if self.is_closed(now) {
            return false;
        }
        if self.breaker.is_open() && self.breaker.probe_at().is_none_or(|at| now < at) {
            return false;
        }
        self.held = match self.controller.ask(now, tokens as u64) {
            Decision::Go => {
                self.held = NextRow::No;
                self.breaker.begins();
                return true;
            }
            Decision::At(time) => NextRow::Until(time.max(now + ASK_AGAIN)),
            Decision::Full => NextRow::UntilOneEnds,
        };
        false
    }

    /// Records the end of an admitted attempt.
    pub(super) fn ended(&mut self, begun: Duration, now: Duration, how: Ended) {
        self.held = NextRow::No;
        self.breaker.ended(begun, now);
        self.controller.ended(begun, now, how);
    }

    pub(super) fn give_up(&mut self) {
        self.is_given_up = true;
    }

    pub(super) fn is_given_up(&self) -> bool {
        self.is_given_up
    }

    /// Nothing begins here until this time: rows may go to other services.
    pub(super) fn pause(&mut self, until: Duration) {
        self.paused_until = self.paused_until.max(until);
    }

    /// Changes the limits that the user sets; the controller is asked again at once.
    pub(super) fn set_fixed(&mut self, now: Duration, fixed: Fixed) {
        self.controller.set_fixed(now, fixed);
        self.held = NextRow::No;
    }

    fn is_closed(&self, now: Duration) -> bool {
        self.is_given_up || now < self.paused_until
    }

    /// The earliest time of its next row, if the controller, the breaker or the service set one.
    pub(super) fn due(&self, now: Duration) -> Option<Duration> {
        if self.is_given_up {
            return None;
        }
        let held = match self.held {
            NextRow::Until(time) => Some(time),
            NextRow::UntilOneEnds => return None,
            NextRow::No => None,
        };
        let held = held.max(Some(self.paused_until).filter(|at| *at > now));
        match self.breaker.is_open() {
            true => self.breaker.probe_at().filter(|at| *at > now).max(held),
            false => held,
        }
    }

    /// Whether no row begins here before another one ends.
    pub(super) fn awaits_an_end(&self) -> bool {
        self.is_given_up || self.held == NextRow::UntilOneEnds
    }

    pub(super) fn view(&self, now: Duration) -> View {
        self.controller.view(now)
    }
}

#[cfg(test)]
#[path = "gate_tests.rs"]
mod tests;
