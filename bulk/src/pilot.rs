//! The pilot: estimates the tokens, time and cost of all rows from a random sample that runs first.
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
//! The results of a pilot are normal results: a job that stops after it continues later without running
//! them again.

mod interval;

use std::time::Duration;

pub use self::interval::{Interval, share, total, total_by_size};
use crate::controller::Fixed;
use crate::prices::{Money, Prices, Tokens};
use crate::row::Finished;

/// The number of rows of a default pilot.
pub const ROWS_DEFAULT: u64 = 20;

/// With more rows to do than this, a pilot is the default on a terminal.
pub const ROWS_FROM: u64 = 1_000;

/// The largest pilot: its sample is in memory, and is large enough.
pub const ROWS_MAX: u64 = 1_000;

/// The number of rows of the pilot, 0 for none: from the requested number, the number of rows to do,
/// and whether the user can be asked. A pilot of all rows counts as none.
pub fn rows(asked: Option<u64>, no_pilot: bool, wanted: u64, can_ask: bool) -> u64 {
    let rows = match asked {
        _ if no_pilot => 0,
        Some(rows) => rows.min(ROWS_MAX),
        None if can_ask && wanted > ROWS_FROM => ROWS_DEFAULT,
        None => 0,
    };
    if rows < wanted { rows } else { 0 }
}

/// The population of the sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Population {
    /// Rows to do, including those of the pilot.
    pub rows: u64,
    /// Bytes of their bodies, if known.
    pub bytes: Option<u64>,
}

/// A row of the sample that ended.
#[derive(Clone, Copy, Debug)]
struct SampledRow {
    bytes: u64,
    /// `None`: answered without usage. A failed row has no known usage.
    tokens: Option<Tokens>,
    /// The cost of its input and output tokens; `None` if unknown.
    cost: Option<(Money, Money)>,
    failed: bool,
    elapsed: Duration,
}

/// A sample of rows, recorded as they end.
#[derive(Clone, Debug)]
pub struct Pilot {
    population: Population,
    seen: Vec<SampledRow>,
    at_once: u64,
}

impl Pilot {
    /// Creates the pilot of a sample from this population.
    pub fn new(population: Population) -> Pilot {
        Pilot { population, seen: Vec::new(), at_once: 1 }
    }

    /// Records the end of a row of the sample.
    pub fn add(&mut self, finished: &Finished, prices: &Prices) {
        let tokens = match &finished.outcome {
            Ok(response) => Tokens::of(response, prices.know_cached()),
            Err(_) => Some(Tokens::default()),
        };
        let cost = prices.of(&finished.row.model).zip(tokens);
        self.seen.push(SampledRow {
            bytes: finished.row.body.len() as u64,
            tokens,
            cost: cost.map(|(price, tokens)| (price.input_of(tokens), price.output_of(tokens))),
            failed: finished.outcome.is_err(),
            elapsed: finished.elapsed,
        });
    }

    /// Records the number of rows in flight now.
    pub fn at_once(&mut self, in_flight: u64) {
        self.at_once = self.at_once.max(in_flight);
    }

    /// The estimate for all rows. `elapsed`: since the pilot began.
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
        // Failed rows count as no tokens, but only if other rows report theirs.
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

    /// Input tokens are nearly proportional to the bytes, output tokens are not; each row's cost is the
    /// residual of its input against that ratio, and its output.
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

    /// For the remaining rows: with the concurrency of the pilot, and within the user's own limits.
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

/// The estimate of a pilot for all rows, including its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Projection {
    /// Rows to do, including those of the pilot.
    pub rows: u64,
    /// Rows of the pilot.
    pub ended: u64,
    /// The number of these that failed.
    pub failed: u64,
    /// The share of all rows that may fail.
    pub failed_share: Interval,
    /// Rows that were answered without usage.
    pub without_usage: u64,
    /// The duration of the pilot.
    pub elapsed: Duration,
    /// For all rows; `None`: unknown.
    pub tokens_in: Option<Interval>,
    /// Of all rows.
    pub tokens_out: Option<Interval>,
    /// For all rows, in the currency of the prices; `None` without prices.
    pub cost: Option<Interval>,
    /// The maximum number of rows in flight.
    pub at_once: u64,
    /// Seconds for the remaining rows, with the same concurrency.
    pub time: Option<Interval>,
}

#[cfg(test)]
#[path = "pilot_tests.rs"]
mod tests;
