//! One lane per model: its controller, and the rows that wait for it. A limited model delays no other.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use modelwire::Value;
use modelwire::pace::Decision;

use super::attempt::Attempt;
use super::breaker::Breaker;
use crate::controller::{Controller, Ended, Fixed, View};
use crate::row::{Finished, Row};

/// Maximum lanes; models beyond that share the last one.
pub const LANES_MAX: usize = 256;

/// Maximum rows sent to a model while it has answered none and refused some: all may have the same mistake.
const UNPROVED_MAX: usize = 10;

/// Estimated bytes of a body per token.
const BYTES_PER_TOKEN: u64 = 4;

/// Minimum time before a controller is asked again: clocks are coarse.
const ASK_AGAIN: Duration = Duration::from_micros(100);

/// Weight of the latest answer in the correction of the estimates.
const CORRECTION_WEIGHT: f64 = 0.05;

/// Maximum correction factor of an estimate; the minimum is its reciprocal.
const CORRECTION_MAX: f64 = 50.0;

/// The request members that limit output tokens, over all operations.
const OUTPUT_BOUNDS: [&str; 3] = ["max_tokens", "max_completion_tokens", "max_output_tokens"];

/// When to ask the controller again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NextRow {
    No,
    Until(Duration),
    UntilOneEnds,
}

#[derive(Debug)]
pub(super) struct Lane {
    pub(super) model: Arc<str>,
    controller: Controller,
    waiting: VecDeque<Attempt>,
    /// The rows at the front, already recorded, with their tickets.
    noted: VecDeque<(u64, Attempt)>,
    held: NextRow,
    pub(super) breaker: Breaker,
    /// Tokens used by answers, as a multiple of the estimate.
    correction: f64,
    /// Rows that were refused (400, 403, 404 or 422) since the last answer: whether all rows would be is
    /// not known yet.
    pub(super) forbidden: Vec<Finished>,
    /// Their number, with those that are no longer held back.
    pub(super) refused_in_a_row: usize,
    pub(super) was_answered: bool,
}

impl Lane {
    fn new(model: Arc<str>, fixed: Fixed) -> Lane {
        Lane {
            model,
            controller: Controller::new(fixed),
            waiting: VecDeque::new(),
            noted: VecDeque::new(),
            held: NextRow::No,
            breaker: Breaker::default(),
            correction: 1.0,
            forbidden: Vec::new(),
            refused_in_a_row: 0,
            was_answered: false,
        }
    }

    /// The next row to record, while fewer than `ahead` plus the free permits are recorded.
    pub(super) fn next_to_note(&mut self, now: Duration, ahead: usize) -> Option<Attempt> {
        let room = match self.held {
            _ if self.breaker.is_open() => 1,
            NextRow::UntilOneEnds => ahead,
            NextRow::Until(time) if time > now => 1,
            NextRow::Until(_) | NextRow::No => {
                let View { allowed, in_flight, is_paced, .. } = self.controller.view(now);
                let permits = if is_paced { 1 } else { allowed.saturating_sub(in_flight) };
                ahead + permits as usize
            }
        };
        if self.noted.len() >= room {
            return None;
        }
        self.waiting.pop_front()
    }

    pub(super) fn push_noted(&mut self, ticket: u64, attempt: Attempt) {
        self.noted.push_back((ticket, attempt));
    }

    /// The next row that may be sent now. Tickets up to `durable` are on disk.
    pub(super) fn next(&mut self, now: Duration, durable: u64) -> Option<Attempt> {
        match self.held {
            NextRow::UntilOneEnds => return None,
            NextRow::Until(time) if time > now => return None,
            NextRow::Until(_) | NextRow::No => {}
        }
        if self.breaker.is_open() && self.breaker.probe_at().is_none_or(|at| now < at) {
            return None;
        }
        let is_doubted = !self.was_answered && !self.forbidden.is_empty();
        if is_doubted && self.forbidden.len() + self.in_flight(now) >= UNPROVED_MAX {
            return None;
        }
        let (_, first) = self.noted.front().filter(|(ticket, _)| *ticket <= durable)?;
        let tokens = first.estimate as f64 * self.correction;
        match self.controller.ask(now, tokens as u64) {
            Decision::Go => {
                self.held = NextRow::No;
                self.breaker.begins();
                self.noted.pop_front().map(|(_, attempt)| attempt)
            }
            Decision::At(time) => {
                self.held = NextRow::Until(time.max(now + ASK_AGAIN));
                None
            }
            Decision::Full => {
                self.held = NextRow::UntilOneEnds;
                None
            }
        }
    }

    /// Records the end of an admitted attempt.
    pub(super) fn ended(&mut self, attempt: &Attempt, now: Duration, how: Ended) {
        if let Ended::Answered { tokens: Some(tokens) } = how {
            let ratio = tokens as f64 / attempt.estimate.max(1) as f64;
            let ratio = ratio.clamp(1.0 / CORRECTION_MAX, CORRECTION_MAX);
            self.correction += (ratio - self.correction) * CORRECTION_WEIGHT;
        }
        self.held = NextRow::No;
        self.breaker.ended(attempt.begun, now);
        self.controller.ended(attempt.begun, now, how);
    }

    /// Changes the limits that the user sets; the controller is asked again at once.
    fn set_fixed(&mut self, now: Duration, fixed: Fixed) {
        self.controller.set_fixed(now, fixed);
        self.held = NextRow::No;
    }

    /// Removes the rows that were never sent: those that are recorded, and those that only wait.
    fn take_unsent(&mut self) -> (VecDeque<(u64, Attempt)>, VecDeque<Attempt>) {
        let (noted, again) = self.noted.drain(..).partition(|(_, attempt)| attempt.sent == 0);
        self.noted = again;
        let (waiting, again) = self.waiting.drain(..).partition(|attempt| attempt.sent == 0);
        self.waiting = again;
        (noted, waiting)
    }

    /// Puts a row to retry first; but last while the breaker is open, so that one row does not use up its
    /// attempts as the probe of all.
    pub(super) fn push_again(&mut self, attempt: Attempt) {
        match self.breaker.is_open() {
            true => self.waiting.push_back(attempt),
            false => self.waiting.push_front(attempt),
        }
    }

    pub(super) fn push_back(&mut self, attempt: Attempt) {
        self.waiting.push_back(attempt);
    }

    /// The earliest time of its first row, if the controller or the breaker set one.
    pub(super) fn due(&self, now: Duration) -> Option<Duration> {
        if self.noted.is_empty() {
            return None;
        }
        let held = match self.held {
            NextRow::Until(time) => Some(time),
            NextRow::UntilOneEnds => return None,
            NextRow::No => None,
        };
        match self.breaker.is_open() {
            true => self.breaker.probe_at().filter(|at| *at > now).max(held),
            false => held,
        }
    }

    fn in_flight(&self, now: Duration) -> usize {
        self.controller.view(now).in_flight as usize
    }

    /// Whether its next row waits only for the disk, as far as is known.
    fn awaits_disk(&self, durable: u64) -> bool {
        let first = self.noted.front();
        self.held != NextRow::UntilOneEnds && first.is_some_and(|(ticket, _)| *ticket > durable)
    }

    pub(super) fn view(&self, now: Duration) -> View {
        self.controller.view(now)
    }
}

#[derive(Debug)]
pub(super) struct Lanes {
    fixed: Fixed,
    lanes: Vec<Lane>,
    by_model: HashMap<Arc<str>, usize>,
    /// The lane of the latest row, and probably of the next.
    latest: usize,
    /// The lane to ask first, in rotation for fairness.
    first: usize,
}

impl Lanes {
    pub(super) fn new(fixed: Fixed) -> Lanes {
        Lanes { fixed, lanes: Vec::new(), by_model: HashMap::new(), latest: 0, first: 0 }
    }

    /// The limits that the user sets.
    pub(super) fn fixed(&self) -> Fixed {
        self.fixed
    }

    /// Changes them, for all lanes and for those to come.
    pub(super) fn set_fixed(&mut self, now: Duration, fixed: Fixed) {
        self.fixed = fixed;
        self.lanes.iter_mut().for_each(|lane| lane.set_fixed(now, fixed));
    }

    /// The lane of a model.
    pub(super) fn of(&mut self, model: &Arc<str>) -> usize {
        if self.lanes.get(self.latest).is_some_and(|lane| lane.model == *model) {
            return self.latest;
        }
        self.latest = match self.by_model.get(model) {
            Some(lane) => *lane,
            None if self.lanes.len() >= LANES_MAX => LANES_MAX - 1,
            None => {
                self.lanes.push(Lane::new(model.clone(), self.fixed));
                self.by_model.insert(model.clone(), self.lanes.len() - 1);
                self.lanes.len() - 1
            }
        };
        self.latest
    }

    /// Estimates the tokens of a row from its text. The output limit is looked up only if tokens are
    /// limited.
    pub(super) fn estimate(&self, row: &Row) -> u64 {
        let input = row.body.len() as u64 / BYTES_PER_TOKEN;
        if self.fixed.tokens_per_minute.is_none() {
            return input;
        }
        let output = Value::parse(&row.body).ok().and_then(|body| {
            let bounds = OUTPUT_BOUNDS.iter().filter_map(|name| body.get(name)?.as_i64());
            bounds.max().and_then(|tokens| u64::try_from(tokens).ok())
        });
        input.saturating_add(output.unwrap_or(0)).max(1)
    }

    pub(super) fn get(&mut self, lane: usize) -> Option<&mut Lane> {
        self.lanes.get_mut(lane)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Lane> {
        self.lanes.iter()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Lane> {
        self.lanes.iter_mut()
    }

    /// The next row that may be sent now, round-robin over the lanes.
    pub(super) fn next(&mut self, now: Duration, durable: u64) -> Option<Attempt> {
        let count = self.lanes.len();
        for step in 0..count {
            let place = (self.first + step) % count;
            if let Some(attempt) =
                self.lanes.get_mut(place).and_then(|lane| lane.next(now, durable))
            {
                self.first = (place + 1) % count;
                return Some(attempt);
            }
        }
        None
    }

    /// The earliest time of any row, if a controller or a breaker set one.
    pub(super) fn due(&self, now: Duration) -> Option<Duration> {
        self.lanes.iter().filter_map(|lane| lane.due(now)).min()
    }

    /// Whether a row waits only for the disk.
    pub(super) fn await_disk(&self, durable: u64) -> bool {
        self.lanes.iter().any(|lane| lane.awaits_disk(durable))
    }

    /// Removes the rows that were never sent: those that are recorded, and those that only wait.
    pub(super) fn take_unsent(&mut self) -> (Vec<Attempt>, Vec<Attempt>) {
        let (mut noted, mut waiting) = (Vec::new(), Vec::new());
        for lane in &mut self.lanes {
            let (recorded, others) = lane.take_unsent();
            noted.extend(recorded.into_iter().map(|(_, attempt)| attempt));
            waiting.extend(others);
        }
        (noted, waiting)
    }

    /// Rows that wait for a retry.
    pub(super) fn again(&self) -> impl Iterator<Item = &Attempt> {
        self.lanes.iter().flat_map(|lane| {
            lane.waiting.iter().chain(lane.noted.iter().map(|(_, attempt)| attempt))
        })
    }

    /// Takes the waiting rows, and those of them that were recorded.
    pub(super) fn take_waiting(&mut self) -> (Vec<Attempt>, Vec<Attempt>) {
        let (mut waiting, mut noted) = (Vec::new(), Vec::new());
        for lane in &mut self.lanes {
            waiting.extend(lane.waiting.drain(..));
            noted.extend(lane.noted.drain(..).map(|(_, attempt)| attempt));
        }
        (waiting, noted)
    }
}
