//! Whether a service that refuses nothing lets rows wait: then more of them on their way bring no more
//! answers. Judges by how long answers take.

use std::collections::VecDeque;
use std::time::Duration;

/// As long as no answer came, no more may be on their way: a small server may take them one by one.
const UNANSWERED_MAX: f64 = 16.0;

/// As many times as many may be on their way as were seen not to wait: at first,
const GAIN_FIRST: f64 = 4.0;
/// and after some were seen to wait.
const GAIN: f64 = 2.0;

/// No fewer, however long answers take.
const LEAST: f64 = 8.0;

/// Answers that take longer than at best by this factor wait.
const CROWDED: f64 = 1.8;

/// It is taken back only where so many rows were looked at: of fewer the time is chance,
const SHRINK_ROWS_MIN: f64 = 32.0;
/// as it is of so few that did not wait.
const BASE_ROWS_MIN: f64 = 8.0;

/// What is taken back at once, at most.
const SHRINK: f64 = 0.6;

/// Where the number fell to this part, the time must have fallen, too; otherwise it is not the number
/// that makes answers slow.
const TEST: f64 = 0.7;

/// Answers that take longer than at best by this factor may wait.
const PERHAPS_CROWDED: f64 = 1.4;

/// So many groups more than others that perhaps waited: then the best is looked for again, with so
/// much of the number for one group, for the best that is known may have been chance.
const LOOK_AGAIN: u32 = 4;
const LOOK_WITH: f64 = 0.5;
/// A group is of it that has no more than this part.
const LOOK_SEEN: f64 = 0.62;
/// Where they did wait it is looked for half as often, down to once in so many.
const LOOK_AGAIN_MAX: u32 = 48;

/// So many rows are looked at together: at first, at least later, and at most.
const FIRST_ROWS: u32 = 4;
const ROWS_MIN: u32 = 64;
const ROWS_MAX: u32 = 1024;

/// So many groups are open at once, at most.
const COHORTS_MAX: usize = 16;

/// Times are told apart by an eighth of a doubling, from this one on.
const SHORTEST: f64 = 0.001;
const PARTS: f64 = 8.0;
const BUCKETS: usize = 192;

/// How many rows weigh as much as all that was known before.
const WEIGHT: f64 = 64.0;

/// Rows that began one after another. Those that began at one moment are of one group: they are known
/// by that moment only.
#[derive(Clone, Debug)]
struct Cohort {
    /// So many are wanted.
    rows: u32,
    since: Duration,
    until: Duration,
    is_closed: bool,
    begun: u32,
    ended: u32,
    /// How many were on their way when each began, together.
    crowd: f64,
    took: Vec<u32>,
}

#[derive(Clone, Debug)]
pub(super) struct Crowd {
    cohorts: VecDeque<Cohort>,
    rows: u32,
    /// How long an answer takes that does not wait, at the median.
    base: Option<f64>,
    /// How many rows were looked at.
    base_rows: f64,
    bound: f64,
    gain: f64,
    /// How many there were, and how long answers took, when the bound began to fall.
    high: Option<(f64, f64)>,
    /// Groups that perhaps waited, less those that did not; and at how many the best is looked for.
    waited: u32,
    look_again: u32,
    /// How many there were, and how long answers took, before the look that is under way.
    before_look: Option<(f64, f64)>,
}

impl Crowd {
    pub(super) fn new() -> Crowd {
        Crowd {
            cohorts: VecDeque::new(),
            rows: FIRST_ROWS,
            base: None,
            base_rows: 0.0,
            bound: UNANSWERED_MAX,
            gain: GAIN_FIRST,
            high: None,
            waited: 0,
            look_again: LOOK_AGAIN,
            before_look: None,
        }
    }

    /// So many may be on their way.
    pub(super) fn bound(&self) -> f64 {
        self.bound
    }

    /// How long an answer takes that does not wait, in seconds.
    pub(super) fn takes(&self) -> Option<f64> {
        self.base
    }

    /// A row begins; with it so many are on their way.
    pub(super) fn begins(&mut self, now: Duration, in_flight: u32) {
        let is_open = self.cohorts.back().is_some_and(|last| !last.is_over(now));
        if !is_open {
            if let Some(last) = self.cohorts.back_mut() {
                last.is_closed = true;
            }
            if self.cohorts.len() >= COHORTS_MAX {
                return;
            }
            let rows = self.rows;
            self.rows = (rows * 2).min(in_flight.saturating_mul(2).clamp(ROWS_MIN, ROWS_MAX));
            self.cohorts.push_back(Cohort {
                rows,
                since: now,
                until: now,
                is_closed: false,
                begun: 0,
                ended: 0,
                crowd: 0.0,
                took: vec![0; BUCKETS],
            });
        }
        let Some(last) = self.cohorts.back_mut() else { return };
        last.begun += 1;
        last.until = now;
        last.crowd += f64::from(in_flight);
    }

    /// A row was answered, or it does not count.
    pub(super) fn ended(&mut self, begun: Duration, now: Duration, is_answer: bool) {
        let of_row = |cohort: &&mut Cohort| cohort.since <= begun && begun <= cohort.until;
        let Some(cohort) = self.cohorts.iter_mut().rev().find(of_row) else { return };
        if !is_answer {
            cohort.begun = cohort.begun.saturating_sub(1);
            return;
        }
        cohort.is_closed = cohort.is_over(now);
        cohort.ended += 1;
        let took = now.saturating_sub(begun).as_secs_f64();
        if let Some(count) = cohort.took.get_mut(place(took)) {
            *count += 1;
        }
        if cohort.is_closed && cohort.ended * 2 >= cohort.begun {
            self.judge(now);
        }
    }

    /// Looks at the groups whose median is known.
    fn judge(&mut self, now: Duration) {
        while let Some((number, took)) = self.cohorts.front().and_then(|cohort| cohort.median(now))
        {
            let rows = self.cohorts.pop_front().map_or(0.0, |cohort| f64::from(cohort.begun));
            if rows > 0.0 {
                self.learn(number, took, rows);
            }
        }
    }

    fn learn(&mut self, number: f64, took: f64, rows: f64) {
        let mut base = self.base.unwrap_or(took);
        let is_chance = self.base_rows < BASE_ROWS_MIN;
        self.base_rows += rows;
        if took < base {
            base += (took - base) * rows / (rows + WEIGHT);
        } else if is_chance {
            base += (took - base) * rows / (rows + self.base_rows);
        }
        if self.high.is_some_and(|(_, took_then)| took > took_then) {
            self.high = Some((number, took));
        }
        if let Some((high, took_then)) = self.high
            && number < high * TEST
        {
            if is_no_queue(number / high, took / took_then) {
                base = took;
            }
            self.high = None;
        }
        if let Some((number_then, took_then)) = self.before_look {
            if number > number_then * LOOK_SEEN {
                self.before_look = Some((number_then, took_then.max(took)));
                return; // it began before the look
            }
            if is_no_queue(number / number_then, took / took_then) {
                base = took;
                self.look_again = LOOK_AGAIN;
            } else {
                self.look_again = (self.look_again * 2).min(LOOK_AGAIN_MAX);
            }
            (self.before_look, self.high, self.waited) = (None, None, 0);
        }
        self.base = Some(base);
        let crowding = took / base;
        let is_bound = number >= self.bound * TEST;
        let waits = crowding > PERHAPS_CROWDED && is_bound && rows >= SHRINK_ROWS_MIN;
        self.waited = if waits { self.waited + 1 } else { self.waited.saturating_sub(1) };
        if self.waited >= self.look_again {
            self.before_look = Some((number, took));
            self.bound = (number * LOOK_WITH).max(1.0);
            return;
        }
        if crowding > CROWDED {
            self.gain = GAIN;
        }
        // Beside the mean there are as many more as by chance.
        let bound = (number + number.sqrt()) * self.gain / crowding.max(1.0);
        if bound >= self.bound {
            self.bound = bound;
        } else if crowding > CROWDED && rows >= SHRINK_ROWS_MIN {
            self.high.get_or_insert((number, took));
            self.bound = bound.max(number.min(self.bound) * SHRINK).max(LEAST);
        }
    }
}

/// Whether answers took about as long with this part of the number: a queue would be as much shorter.
fn is_no_queue(number: f64, took: f64) -> bool {
    took > (1.0 + number) / 2.0
}

impl Cohort {
    /// No more rows are of this group.
    fn is_over(&self, now: Duration) -> bool {
        self.is_closed || (self.begun >= self.rows && now > self.until)
    }

    /// How many were on their way with each, and how long the half of them took at most: if that is
    /// known, or nothing of the kind will ever be.
    fn median(&self, now: Duration) -> Option<(f64, f64)> {
        if !self.is_closed {
            return None;
        }
        if self.begun == 0 {
            return Some((0.0, 0.0));
        }
        let mut left = self.begun.div_ceil(2);
        let index = self.took.iter().position(|count| {
            left = left.saturating_sub(*count);
            left == 0
        })?;
        let took = SHORTEST * ((index as f64 + 0.5) / PARTS).exp2();
        let youngest = now.saturating_sub(self.until).as_secs_f64();
        (youngest >= took).then_some((self.crowd / f64::from(self.begun), took))
    }
}

/// The place of a time among all times.
fn place(took: f64) -> usize {
    let doublings = (took.max(SHORTEST) / SHORTEST).log2() * PARTS;
    (doublings as usize).min(BUCKETS - 1)
}
