//! One lane for each model: its controller, and the rows that wait for it. A model that is limited holds no
//! other back.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use modelwire::Value;
use modelwire::pace::Verdict;

use super::attempt::Attempt;
use crate::controller::{Controller, Ended, Fixed, View};
use crate::row::{Finished, Row};

/// So many models have a lane of their own; those that come later share the last one.
pub const LANES_MAX: usize = 256;

/// A body has about so many bytes a token.
const BYTES_PER_TOKEN: u64 = 4;

/// A controller that says when is asked again after this time at the soonest: clocks are coarse.
const ASK_AGAIN: Duration = Duration::from_micros(100);

/// How much the latest answer counts in the correction of the estimates.
const CORRECTION_WEIGHT: f64 = 0.05;

/// An estimate is corrected by this factor at most, and by one over it at least.
const CORRECTION_MAX: f64 = 50.0;

/// The bounds of the output, by the names of the operations.
const OUTPUT_BOUNDS: [&str; 3] = ["max_tokens", "max_completion_tokens", "max_output_tokens"];

/// When to ask the controller again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    No,
    Until(Duration),
    UntilOneEnds,
}

#[derive(Debug)]
pub(super) struct Lane {
    pub(super) model: Arc<str>,
    controller: Controller,
    waiting: VecDeque<Attempt>,
    /// The first of them, which are noted already, with their tickets.
    noted: VecDeque<(u64, Attempt)>,
    held: Held,
    /// What answers used, as a multiple of what was estimated.
    correction: f64,
    /// Rows that were forbidden (403) since the last answer: whether it is them or all is not known yet.
    pub(super) forbidden: Vec<Finished>,
    pub(super) was_answered: bool,
}

impl Lane {
    fn new(model: Arc<str>, fixed: Fixed) -> Lane {
        Lane {
            model,
            controller: Controller::new(fixed),
            waiting: VecDeque::new(),
            noted: VecDeque::new(),
            held: Held::No,
            correction: 1.0,
            forbidden: Vec::new(),
            was_answered: false,
        }
    }

    /// The next row that is to be noted, where so many are to be noted beside those that there are permits
    /// for.
    pub(super) fn next_to_note(&mut self, now: Duration, ahead: usize) -> Option<Attempt> {
        let room = match self.held {
            Held::UntilOneEnds => ahead,
            Held::Until(time) if time > now => 1,
            Held::Until(_) | Held::No => {
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

    /// The next row that may be sent now; notes up to this one are on disk.
    pub(super) fn next(&mut self, now: Duration, durable: u64) -> Option<Attempt> {
        match self.held {
            Held::UntilOneEnds => return None,
            Held::Until(time) if time > now => return None,
            Held::Until(_) | Held::No => {}
        }
        let (_, first) = self.noted.front().filter(|(ticket, _)| *ticket <= durable)?;
        let tokens = first.estimate as f64 * self.correction;
        match self.controller.ask(now, tokens as u64) {
            Verdict::Go => {
                self.held = Held::No;
                self.noted.pop_front().map(|(_, attempt)| attempt)
            }
            Verdict::At(time) => {
                self.held = Held::Until(time.max(now + ASK_AGAIN));
                None
            }
            Verdict::Full => {
                self.held = Held::UntilOneEnds;
                None
            }
        }
    }

    /// An attempt that was let is over.
    pub(super) fn ended(&mut self, attempt: &Attempt, now: Duration, how: Ended) {
        if let Ended::Answered { tokens: Some(tokens) } = how {
            let ratio = tokens as f64 / attempt.estimate.max(1) as f64;
            let ratio = ratio.clamp(1.0 / CORRECTION_MAX, CORRECTION_MAX);
            self.correction += (ratio - self.correction) * CORRECTION_WEIGHT;
        }
        self.held = Held::No;
        self.controller.ended(attempt.begun, now, how);
    }

    /// A row that goes again goes first.
    pub(super) fn push_front(&mut self, attempt: Attempt) {
        self.waiting.push_front(attempt);
    }

    pub(super) fn push_back(&mut self, attempt: Attempt) {
        self.waiting.push_back(attempt);
    }

    /// When its first row may go at the earliest, where that is a matter of time.
    pub(super) fn due(&self) -> Option<Duration> {
        match self.held {
            Held::Until(time) if !self.noted.is_empty() => Some(time),
            Held::Until(_) | Held::No | Held::UntilOneEnds => None,
        }
    }

    /// Whether its next row waits for the disk alone, as far as is known.
    fn awaits_disk(&self, durable: u64) -> bool {
        let first = self.noted.front();
        self.held != Held::UntilOneEnds && first.is_some_and(|(ticket, _)| *ticket > durable)
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
    /// That of the row that came last: mostly the next one's, too.
    latest: usize,
    /// Who is asked first, so that nobody is always last.
    first: usize,
}

impl Lanes {
    pub(super) fn new(fixed: Fixed) -> Lanes {
        Lanes { fixed, lanes: Vec::new(), by_model: HashMap::new(), latest: 0, first: 0 }
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

    /// How many tokens a row uses, as far as its text says. What the output may have is looked up only
    /// where tokens are limited.
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

    /// The next row that may be sent now, the lanes in turn.
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

    /// When a row may go at the earliest, where that is a matter of time.
    pub(super) fn due(&self) -> Option<Duration> {
        self.lanes.iter().filter_map(Lane::due).min()
    }

    /// Whether a row waits for the disk alone.
    pub(super) fn await_disk(&self, durable: u64) -> bool {
        self.lanes.iter().any(|lane| lane.awaits_disk(durable))
    }

    /// Forgets the rows that wait; those of them that were noted are returned.
    pub(super) fn forget_waiting(&mut self) -> Vec<Attempt> {
        let mut noted = Vec::new();
        for lane in &mut self.lanes {
            lane.waiting.clear();
            noted.extend(lane.noted.drain(..).map(|(_, attempt)| attempt));
        }
        noted
    }
}
