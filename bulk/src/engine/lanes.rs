//! One lane per model: the rows that wait, and a gate to each service. A limited model delays no other.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use modelwire::Value;

use super::attempt::Attempt;
use super::gate::{Gate, Room};
use crate::controller::{Ended, Fixed, View};
use crate::row::{Finished, Row};

/// Maximum lanes; models beyond that share the last one.
pub const LANES_MAX: usize = 256;

/// Maximum rows sent to a model while it has answered none and refused some: all may have the same mistake.
const UNPROVED_MAX: usize = 10;

/// This many consecutive forbidden rows (403) of a model end the run, if the model answered before: a
/// single one may depend on the row. So do as many rows with another refusal (3xx, 4xx), if it never
/// answered. Of several services, one that refuses as many gets no more.
pub(super) const FORBIDDEN_MAX: usize = 8;

/// Estimated bytes of a body per token.
const BYTES_PER_TOKEN: u64 = 4;

/// Weight of the latest answer in the correction of the estimates.
const CORRECTION_WEIGHT: f64 = 0.05;

/// Maximum correction factor of an estimate; the minimum is its reciprocal.
const CORRECTION_MAX: f64 = 50.0;

/// The request members that limit output tokens, over all operations.
const OUTPUT_BOUNDS: [&str; 3] = ["max_tokens", "max_completion_tokens", "max_output_tokens"];

#[derive(Debug)]
pub(super) struct Lane {
    pub(super) model: Arc<str>,
    /// Of each service; at least one.
    gates: Vec<Gate>,
    /// The gate to ask first.
    first: usize,
    waiting: VecDeque<Attempt>,
    /// The rows at the front, already recorded, with their tickets.
    noted: VecDeque<(u64, Attempt)>,
    /// Tokens used by answers, as a multiple of the estimate.
    correction: f64,
    /// Rows that were refused (3xx, or 4xx but 401 and 429) since the last answer: whether all rows would
    /// be is not known yet.
    pub(super) forbidden: Vec<Finished>,
    /// Their number, with those that are no longer held back.
    pub(super) refused_in_a_row: usize,
    pub(super) was_answered: bool,
}

impl Lane {
    fn new(model: Arc<str>, fixed: Fixed, services: usize) -> Lane {
        Lane {
            model,
            gates: (0..services.max(1)).map(|_| Gate::new(fixed)).collect(),
            first: 0,
            waiting: VecDeque::new(),
            noted: VecDeque::new(),
            correction: 1.0,
            forbidden: Vec::new(),
            refused_in_a_row: 0,
            was_answered: false,
        }
    }

    /// The next row to record, while fewer than `ahead` plus the free permits are recorded.
    pub(super) fn next_to_note(&mut self, now: Duration, ahead: usize) -> Option<Attempt> {
        let rooms = self.gates.iter().map(|gate| gate.room(now));
        let room = rooms.reduce(|one, other| match (one, other) {
            (Room::Permits(one), Room::Permits(other)) => Room::Permits(one + other),
            (one, other) => one.max(other),
        });
        let room = match room {
            Some(Room::Permits(permits)) => ahead + permits,
            Some(Room::One) | None => 1,
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
        let (_, first) = self.noted.front().filter(|(ticket, _)| *ticket <= durable)?;
        let tokens = first.estimate as f64 * self.correction;
        let is_doubted = !self.was_answered && !self.forbidden.is_empty();
        if is_doubted && self.forbidden.len() + self.in_flight(now) >= UNPROVED_MAX {
            return None;
        }
        let (count, refused_at) = (self.gates.len(), first.refused_at);
        let in_turn = (0..count).map(|step| (self.first + step) % count);
        // Last the service that refused the row before.
        let (others, same): (Vec<_>, Vec<_>) =
            in_turn.partition(|number| Some(*number) != refused_at);
        for number in others.into_iter().chain(same) {
            if self.gates.get_mut(number)?.begins(now, tokens) {
                self.first = (number + 1) % count;
                let (_, mut attempt) = self.noted.pop_front()?;
                attempt.service = number;
                return Some(attempt);
            }
        }
        None
    }

    /// The gate that admitted this attempt.
    pub(super) fn gate(&mut self, attempt: &Attempt) -> Option<&mut Gate> {
        self.gates.get_mut(attempt.service)
    }

    /// After a refusal by one of several services: whether another may accept the row, for this one answered
    /// none, or forbids rows, because its balance is used up for instance. One that refuses many rows gets no
    /// more of the model.
    pub(super) fn may_go_elsewhere(&mut self, attempt: &mut Attempt, is_forbidden: bool) -> bool {
        let Some(gate) = self.gate(attempt) else { return false };
        if gate.was_answered && !is_forbidden {
            return false;
        }
        let this = 1 << attempt.service;
        if attempt.refused_by & this == 0 {
            gate.refused_in_a_row += 1;
            if gate.refused_in_a_row >= FORBIDDEN_MAX {
                gate.give_up();
            }
        }
        attempt.refused_by |= this;
        attempt.tries.elsewhere += 1;
        attempt.tries.elsewhere < FORBIDDEN_MAX as u32 && self.has_other_than(attempt.refused_by)
    }

    fn give_up(&mut self, service: usize) {
        self.gates.get_mut(service).into_iter().for_each(Gate::give_up);
    }

    /// Whether no service gets a row any more.
    pub(super) fn is_given_up(&self) -> bool {
        !self.has_other_than(0)
    }

    /// Whether there is a service that gets rows, other than these (as bits).
    pub(super) fn has_other_than(&self, these: u64) -> bool {
        let mut gates = self.gates.iter().enumerate();
        gates.any(|(number, gate)| !gate.is_given_up() && these & (1 << number) == 0)
    }

    /// Whether the rows fail one after another at every service.
    pub(super) fn is_failing(&self) -> bool {
        self.gates.iter().all(|gate| gate.is_given_up() || gate.breaker.is_open())
    }

    /// Since when they do.
    pub(super) fn failing_since(&self) -> Option<Duration> {
        let opened = self.gates.iter().filter_map(|gate| gate.breaker.open_since());
        opened.max().filter(|_| self.is_failing())
    }

    /// Records the end of an admitted attempt.
    pub(super) fn ended(&mut self, attempt: &Attempt, now: Duration, how: Ended) {
        if let Ended::Answered { tokens: Some(tokens) } = how {
            let ratio = tokens as f64 / attempt.estimate.max(1) as f64;
            let ratio = ratio.clamp(1.0 / CORRECTION_MAX, CORRECTION_MAX);
            self.correction += (ratio - self.correction) * CORRECTION_WEIGHT;
        }
        if let Some(gate) = self.gate(attempt) {
            gate.ended(attempt.begun, now, how);
        }
    }

    /// Changes the limits that the user sets; the controller is asked again at once.
    fn set_fixed(&mut self, now: Duration, fixed: Fixed) {
        self.gates.iter_mut().for_each(|gate| gate.set_fixed(now, fixed));
    }

    /// Removes the rows that were never sent: those that are recorded, and those that only wait.
    fn take_unsent(&mut self) -> (VecDeque<(u64, Attempt)>, VecDeque<Attempt>) {
        let (noted, again) = self.noted.drain(..).partition(|(_, attempt)| attempt.sent == 0);
        self.noted = again;
        let (waiting, again) = self.waiting.drain(..).partition(|attempt| attempt.sent == 0);
        self.waiting = again;
        (noted, waiting)
    }

    /// Puts a row to retry first; but last while the breakers are open, so that one row does not use up its
    /// attempts as the probe of all.
    pub(super) fn push_again(&mut self, attempt: Attempt) {
        match self.is_failing() {
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
        self.gates.iter().filter_map(|gate| gate.due(now)).min()
    }

    fn in_flight(&self, now: Duration) -> usize {
        self.view(now).in_flight as usize
    }

    /// Whether its next row waits only for the disk, as far as is known.
    fn awaits_disk(&self, durable: u64) -> bool {
        let first = self.noted.front();
        !self.gates.iter().all(Gate::awaits_an_end)
            && first.is_some_and(|(ticket, _)| *ticket > durable)
    }

    pub(super) fn view(&self, now: Duration) -> View {
        let mut all = View::default();
        for view in self.gates.iter().map(|gate| gate.view(now)) {
            all.in_flight += view.in_flight;
            all.allowed = all.allowed.saturating_add(view.allowed);
            all.is_paced |= view.is_paced;
            if let Some(rate) = view.rate {
                all.rate = Some(all.rate.unwrap_or_default() + rate);
            }
        }
        all
    }
}

#[derive(Debug)]
pub(super) struct Lanes {
    fixed: Fixed,
    services: usize,
    /// The services to which nothing more is sent.
    given_up: Vec<usize>,
    lanes: Vec<Lane>,
    by_model: HashMap<Arc<str>, usize>,
    /// The lane of the latest row, and probably of the next.
    latest: usize,
    /// The lane to ask first, in rotation for fairness.
    first: usize,
}

impl Lanes {
    pub(super) fn new(fixed: Fixed, services: usize) -> Lanes {
        let (lanes, by_model) = (Vec::new(), HashMap::new());
        let given_up = Vec::new();
        Lanes { fixed, services, given_up, lanes, by_model, latest: 0, first: 0 }
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

    /// Sends nothing more to a service; returns whether there is another.
    pub(super) fn give_up(&mut self, service: usize) -> bool {
        if !self.given_up.contains(&service) {
            self.given_up.push(service);
        }
        self.lanes.iter_mut().for_each(|lane| lane.give_up(service));
        self.given_up.len() < self.services && !self.lanes.iter().any(Lane::is_given_up)
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
                let mut lane = Lane::new(model.clone(), self.fixed, self.services);
                self.given_up.iter().for_each(|service| lane.give_up(*service));
                self.lanes.push(lane);
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

#[cfg(test)]
#[path = "lanes_tests.rs"]
mod tests;
