//! The pilot: what all rows will use, take and cost, by a random sample of them that ran first.
//!
//! # How the job uses it
//!
//! ```text
//! let sample = pilot::rows(asked, no_pilot, survey.wanted, can_ask);
//! // 0: no pilot. The sample is asked of the survey (`Wish::sample`), so first a guess, then the decision.
//! let mut pilot = Pilot::new(Population { rows: survey.wanted, bytes: Some(survey.body_bytes) });
//! // run the rows of the sample as any others: journal, results, budget, tally. For each that ended:
//! pilot.add(&finished, budget.prices());
//! pilot.at_once(engine.status().in_flight);            // each turn: the most is kept
//! let projection = pilot.projection(elapsed, &fixed);
//! ```
//!
//! The results of a pilot are results: a job that stops after it goes on later without running them again.

mod interval;

use std::time::Duration;

pub use self::interval::{Interval, share, total, total_by_size};
use crate::controller::Fixed;
use crate::prices::{Money, Prices, Tokens};
use crate::row::Finished;

/// Rows of a pilot that nobody asked for.
pub const ROWS_DEFAULT: u64 = 20;

/// With more rows than these to do, a pilot is the default on a terminal.
pub const ROWS_FROM: u64 = 1_000;

/// No pilot is larger: its sample is in memory, and says enough.
pub const ROWS_MAX: u64 = 1_000;

/// How many rows the pilot has, 0 for none: by what was asked for, the number of rows to do, and
/// whether the user can be asked. A pilot of all rows is none.
pub fn rows(asked: Option<u64>, no_pilot: bool, wanted: u64, can_ask: bool) -> u64 {
    let rows = match asked {
        _ if no_pilot => 0,
        Some(rows) => rows.min(ROWS_MAX),
        None if can_ask && wanted > ROWS_FROM => ROWS_DEFAULT,
        None => 0,
    };
    if rows < wanted { rows } else { 0 }
}

/// What the sample was drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Population {
    /// Rows to do, those of the pilot included.
    pub rows: u64,
    /// Bytes of their bodies, where known.
    pub bytes: Option<u64>,
}

/// A row of the sample that ended.
#[derive(Clone, Copy, Debug)]
struct Seen {
    bytes: u64,
    /// `None`: answered without usage. A row that failed used none, as far as anybody knows.
    tokens: Option<Tokens>,
    /// What those that went in cost, and those that came out; `None` where that is not known.
    cost: Option<(Money, Money)>,
    failed: bool,
    elapsed: Duration,
}

/// A sample of rows, as they end.
#[derive(Clone, Debug)]
pub struct Pilot {
    population: Population,
    seen: Vec<Seen>,
    at_once: u64,
}

impl Pilot {
    /// Of a sample that was drawn from these.
    pub fn new(population: Population) -> Pilot {
        Pilot { population, seen: Vec::new(), at_once: 1 }
    }

    /// A row of the sample ended.
    pub fn add(&mut self, finished: &Finished, prices: &Prices) {
        let tokens = match &finished.outcome {
            Ok(response) => Tokens::of(response, prices.know_cached()),
            Err(_) => Some(Tokens::default()),
        };
        let cost = prices.of(&finished.row.model).zip(tokens);
        self.seen.push(Seen {
            bytes: finished.row.body.len() as u64,
            tokens,
            cost: cost.map(|(price, tokens)| (price.input_of(tokens), price.output_of(tokens))),
            failed: finished.outcome.is_err(),
            elapsed: finished.elapsed,
        });
    }

    /// So many rows are on their way now.
    pub fn at_once(&mut self, in_flight: u64) {
        self.at_once = self.at_once.max(in_flight);
    }

    /// What the sample says of all rows. `elapsed`: since the pilot began.
    pub fn projection(&self, elapsed: Duration, fixed: &Fixed) -> Projection {
        let rows = self.population.rows;
        let ended = self.seen.len() as u64;
        let failed = self.seen.iter().filter(|seen| seen.failed).count() as u64;
        let by_bytes = |known: &[(f64, u64)]| {
            let values: Vec<f64> = known.iter().map(|(value, _)| *value).collect();
            let sizes: Vec<f64> = known.iter().map(|(_, bytes)| *bytes as f64).collect();
            match self.population.bytes {
                Some(bytes) => total_by_size(&values, &sizes, rows, bytes as f64),
                None => total(&values, rows),
            }
        };
        let used: Vec<(Tokens, u64)> =
            self.seen.iter().filter_map(|seen| Some((seen.tokens?, seen.bytes))).collect();
        // Rows that failed are no tokens, but only beside rows that tell theirs.
        let tells = self.seen.iter().any(|seen| !seen.failed && seen.tokens.is_some());
        let input: Vec<(f64, u64)> =
            used.iter().map(|(tokens, bytes)| (tokens.input as f64, *bytes)).collect();
        let output: Vec<f64> = used.iter().map(|(tokens, _)| tokens.output as f64).collect();
        let tokens_in = by_bytes(&input).filter(|_| tells);
        let tokens_out = total(&output, rows).filter(|_| tells);
        let costs: Vec<(Money, Money, u64)> = self
            .seen
            .iter()
            .filter_map(|seen| seen.cost.map(|(input, output)| (input, output, seen.bytes)))
            .collect();
        let is_priced = costs.len() == used.len();
        let cost = self.cost(&costs).filter(|_| tells && is_priced);
        Projection {
            rows,
            ended,
            failed,
            failed_share: share(failed, ended),
            without_usage: ended - used.len() as u64,
            elapsed,
            tokens_in,
            tokens_out,
            cost,
            at_once: self.at_once,
            time: self.time(ended, fixed, tokens_in.zip(tokens_out)),
        }
    }

    /// What goes in is nearly proportional to the bytes, what comes out is not; each row's cost is what is
    /// left of its input beside the ratio, and its output.
    fn cost(&self, costs: &[(Money, Money, u64)]) -> Option<Interval> {
        let rows = self.population.rows as f64;
        let input: f64 = costs.iter().map(|(input, _, _)| input.units()).sum();
        let bytes: f64 = costs.iter().map(|(_, _, bytes)| *bytes as f64).sum();
        let both = |(input, output, _): &(Money, Money, u64)| input.units() + output.units();
        let plain = total(&costs.iter().map(both).collect::<Vec<_>>(), self.population.rows)?;
        let Some(all_bytes) = self.population.bytes.filter(|_| bytes > 0.0) else {
            return Some(plain);
        };
        let ratio = input / bytes;
        let mean_bytes = all_bytes as f64 / rows.max(1.0);
        let of_row = |(input, output, bytes): &(Money, Money, u64)| {
            input.units() - ratio * *bytes as f64 + ratio * mean_bytes + output.units()
        };
        let adjusted = total(&costs.iter().map(of_row).collect::<Vec<_>>(), self.population.rows)?;
        let width = |interval: Interval| interval.high - interval.low;
        let spent: f64 = costs.iter().map(both).sum();
        let adjusted = Interval { low: adjusted.low.max(spent.min(adjusted.point)), ..adjusted };
        Some(if width(adjusted) < width(plain) { adjusted } else { plain })
    }

    /// For the rows that are left: as many side by side as in the pilot, and not faster than the user's
    /// own limits.
    fn time(
        &self,
        ended: u64,
        fixed: &Fixed,
        tokens: Option<(Interval, Interval)>,
    ) -> Option<Interval> {
        let left = self.population.rows.saturating_sub(ended);
        let times: Vec<f64> = self.seen.iter().map(|seen| seen.elapsed.as_secs_f64()).collect();
        let share = left as f64 / (self.population.rows as f64).max(1.0);
        let at_once =
            fixed.concurrency_max.map_or(self.at_once, |most| self.at_once.min(most.into()));
        let time = total(&times, self.population.rows)?.times(share / (at_once as f64).max(1.0));
        let of_rows = fixed.requests_per_minute.map_or(0.0, |rate| left as f64 * 60.0 / rate);
        let rate = fixed.tokens_per_minute;
        let of_tokens = |choose: fn(Interval) -> f64| match (tokens, rate) {
            (Some((input, output)), Some(rate)) => {
                (choose(input) + choose(output)) * share * 60.0 / rate
            }
            _ => 0.0,
        };
        Some(Interval {
            point: time.point.max(of_rows).max(of_tokens(|interval| interval.point)),
            low: time.low.max(of_rows).max(of_tokens(|interval| interval.low)),
            high: time.high.max(of_rows).max(of_tokens(|interval| interval.high)),
        })
    }
}

/// What a pilot says of all rows, its own included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Projection {
    /// Rows to do, those of the pilot included.
    pub rows: u64,
    /// Rows of the pilot.
    pub ended: u64,
    /// Those among them that failed.
    pub failed: u64,
    /// The share of all rows that may fail.
    pub failed_share: Interval,
    /// Rows that were answered without usage.
    pub without_usage: u64,
    /// How long the pilot took.
    pub elapsed: Duration,
    /// Of all rows; `None`: not known.
    pub tokens_in: Option<Interval>,
    /// Of all rows.
    pub tokens_out: Option<Interval>,
    /// Of all rows, in the currency of the prices; `None` without.
    pub cost: Option<Interval>,
    /// The most rows that were on their way at once.
    pub at_once: u64,
    /// Seconds for the rows that are left, with as many at once.
    pub time: Option<Interval>,
}

#[cfg(test)]
#[path = "pilot_tests.rs"]
mod tests;
