//! The pilot: estimates the tokens, time and cost of all rows from a random sample that runs first.
//!
//! # How the job uses it
//!
//! ```text
//! let sample = pilot::rows(asked, no_pilot, survey.wanted, can_ask);
//! // 0: no pilot. The sample is asked of the survey (`Wish::sample`), so first a guess, then the decision.
//! let mut pilot = Pilot::new(Population::of(&survey, budget.prices()));
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

pub use self::interval::{Estimate, ROWS_MIN};
use self::interval::{Sampled, estimate};
use crate::budget::Bounds;
use crate::controller::Fixed;
use crate::input::{Extent, Survey};
use crate::prices::{Money, Price, Prices, Tokens};
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

/// The population of the sample: the rows to do, including those of the pilot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Population {
    /// What they may use.
    pub extent: Extent,
    /// The maximum that they may cost; `None` if unknown.
    pub cost_most: Option<Money>,
}

impl Population {
    /// The rows to do of a survey that drew a sample.
    pub fn of(survey: &Survey, prices: &Prices) -> Population {
        Population { extent: survey.extent, cost_most: cost_most(survey, prices) }
    }
}

fn cost_most(survey: &Survey, prices: &Prices) -> Option<Money> {
    let (mut rows, mut cost) = (0, Money::default());
    for (model, extent) in &survey.models {
        let most = Tokens { input: extent.input_most()?, cached: 0, output: extent.output_most()? };
        cost += prices.of(model)?.of(most);
        rows += extent.rows;
    }
    // The survey distinguishes a limited number of models.
    (rows == survey.wanted).then_some(cost)
}

/// A row of the sample that ended.
#[derive(Clone, Copy, Debug)]
struct SampledRow {
    bounds: Bounds,
    /// `None`: answered without usage. A failed row has no known usage.
    tokens: Option<Tokens>,
    price: Option<Price>,
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
        self.seen.push(SampledRow {
            bounds: Bounds::of(&finished.row.body),
            tokens: match &finished.outcome {
                Ok(response) => Tokens::of(response, prices.know_cached()),
                Err(_) => Some(Tokens::default()),
            },
            price: prices.of(&finished.row.model),
            failed: finished.is_failed(),
            elapsed: finished.elapsed,
        });
    }

    /// Records the number of rows in flight now.
    pub fn at_once(&mut self, in_flight: u64) {
        self.at_once = self.at_once.max(in_flight);
    }

    /// The estimate for all rows. `elapsed`: since the pilot began.
    pub fn projection(&self, elapsed: Duration, fixed: &Fixed) -> Projection {
        let Population { extent, cost_most } = self.population;
        let tokens_in = self.total(extent.input_most().map(|most| most as f64), |_, tokens| {
            Some([tokens.input as f64, 0.0])
        });
        let tokens_out = self.total(extent.output_most().map(|most| most as f64), |_, tokens| {
            Some([0.0, tokens.output as f64])
        });
        let cost = self.total(cost_most.map(Money::units), |row, tokens| {
            let price = row.price?;
            Some([price.input_of(tokens).units(), price.output_of(tokens).units()])
        });
        Projection {
            extent,
            ended: self.seen.len() as u64,
            failed: self.seen.iter().filter(|row| row.failed).count() as u64,
            failed_share: self.failed_share(),
            with_usage: self.seen.iter().filter(|row| row.tokens.is_some()).count() as u64,
            elapsed,
            tokens_in,
            tokens_out,
            cost,
            at_once: self.at_once,
            time: self.time(fixed, tokens_in.zip(tokens_out)),
        }
    }

    /// The total over all rows of what `of` gives for the tokens of a row: a part of its input, which is
    /// nearly proportional to its bytes, and one of its output. `None` if it is unknown for a row.
    fn total(
        &self,
        most: Option<f64>,
        of: impl Fn(&SampledRow, Tokens) -> Option<[f64; 2]>,
    ) -> Option<Estimate> {
        // Failed rows count as no tokens, but only if other rows report theirs.
        self.seen.iter().find(|row| !row.failed && row.tokens.is_some())?;
        let sampled = |(row, tokens): (&SampledRow, Tokens)| {
            let Bounds { bytes, output, .. } = row.bounds;
            let most = Tokens { input: bytes, cached: 0, output: output.unwrap_or(0) };
            Some(Sampled { used: of(row, tokens)?, most: of(row, most)?, size: bytes as f64 })
        };
        let used = self.seen.iter().filter_map(|row| Some((row, row.tokens?)));
        let sample: Option<Vec<Sampled>> = used.map(sampled).collect();
        let Extent { rows, bytes, .. } = self.population.extent;
        let all = interval::Population { rows: rows as f64, size: bytes as f64, most };
        estimate(&sample?, all)
    }

    fn failed_share(&self) -> Option<Estimate> {
        let sampled = |row: &SampledRow| Sampled {
            used: [0.0, f64::from(u8::from(row.failed))],
            most: [0.0, 1.0],
            size: 0.0,
        };
        let rows = self.population.extent.rows as f64;
        let all = interval::Population { rows, size: 0.0, most: Some(rows) };
        let failed = estimate(&self.seen.iter().map(sampled).collect::<Vec<_>>(), all)?;
        Some(failed.times(1.0 / rows.max(1.0)))
    }

    /// Seconds for the remaining rows: with the concurrency of the pilot, and within the user's own limits.
    fn time(&self, fixed: &Fixed, tokens: Option<(Estimate, Estimate)>) -> Option<f64> {
        let ended = self.seen.len() as u64;
        let rows = self.population.extent.rows;
        let left = rows.saturating_sub(ended) as f64;
        let taken: f64 = self.seen.iter().map(|row| row.elapsed.as_secs_f64()).sum();
        let at_once =
            fixed.concurrency_max.map_or(self.at_once, |most| self.at_once.min(most.into()));
        let time = taken / ended as f64 * left / (at_once as f64).max(1.0);
        let of_rows = fixed.requests_per_minute.map_or(0.0, |rate| left * 60.0 / rate);
        let of_tokens =
            tokens.zip(fixed.tokens_per_minute).map_or(0.0, |((input, output), rate)| {
                (input.point + output.point) * left / rows as f64 * 60.0 / rate
            });
        (ended > 0).then(|| time.max(of_rows).max(of_tokens))
    }
}

/// The estimate of a pilot for all rows, including its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Projection {
    /// All rows.
    pub extent: Extent,
    /// Rows of the pilot.
    pub ended: u64,
    /// The number of these that failed.
    pub failed: u64,
    /// The share of all rows that may fail; `None` without a row.
    pub failed_share: Option<Estimate>,
    /// Rows of the pilot whose usage is known: they failed, or were answered with usage.
    pub with_usage: u64,
    /// The duration of the pilot.
    pub elapsed: Duration,
    /// For all rows; `None`: unknown.
    pub tokens_in: Option<Estimate>,
    /// Of all rows.
    pub tokens_out: Option<Estimate>,
    /// For all rows, in the currency of the prices; `None` without prices.
    pub cost: Option<Estimate>,
    /// The maximum number of rows in flight.
    pub at_once: u64,
    /// Seconds for the remaining rows, with the same concurrency: a guess, so without an interval.
    pub time: Option<f64>,
}

#[cfg(test)]
#[path = "pilot_tests.rs"]
mod tests;
