//! The input and output types of an engine: options, turns, why a run stopped, its status.

use std::time::Duration;

use modelwire::Error;

use super::classify::Rules;
use crate::controller::Fixed;
use crate::row::{Finished, Row};

/// Maximum attempts of a row after faults that may have been metered, if the user allows that.
pub const PAID_ATTEMPTS_MAX: u32 = 5;

/// The options of an engine.
#[derive(Clone, Copy, Debug)]
pub struct EngineOptions {
    /// The limits that the user sets, for each model.
    pub fixed: Fixed,
    /// What to retry.
    pub rules: Rules,
    /// The maximum number of rows in flight, for all models together: as many as there may be
    /// connections.
    pub in_flight_max: usize,
    /// How long to wait for a service that was reachable before and no longer is, that refuses everything
    /// for its limits (429), or that fails the rows of a model.
    pub patience: Duration,
}

impl Default for EngineOptions {
    fn default() -> EngineOptions {
        EngineOptions {
            fixed: Fixed::default(),
            rules: Rules {
                attempts_max: 20,
                paid_attempts_max: 1,
                ask_again_max: 0,
                retry_after_max: Duration::from_secs(600),
            },
            in_flight_max: 1_000,
            patience: Duration::from_secs(600),
        }
    }
}

/// The result of a turn.
#[derive(Debug)]
pub enum Turn {
    /// These rows have finished; never empty.
    Finished(Vec<Finished>),
    /// Nothing yet: the timeout ran out, or the waker was used.
    Idle,
    /// There are no more rows.
    Over(Over),
}

/// Why there are no more rows.
#[derive(Clone, Debug)]
pub enum Over {
    /// Every row has finished.
    All,
    /// `drain` or `abort` was called; unsent rows were dropped.
    Drained,
    /// The run stopped by itself, with unsent rows.
    Stopped(Stopped),
}

/// Why a run stopped by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// 401: the key is wrong for every row.
    KeyRefused,
    /// 402; or 403, for the first row of a model or for many consecutive rows.
    Forbidden,
    /// 404, for the first rows of a model: most likely its name is wrong.
    NotFound,
    /// Another 4xx or a 3xx, for the first rows of a model: most likely all of them have the same mistake.
    Invalid,
    /// Rows of a model failed one after another for longer than the patience.
    Failing,
    /// Nothing could be sent for longer than the patience.
    Unreachable,
    /// Everything was refused (429) for longer than the patience.
    Limited,
}

/// What stopped a run. The row is sent again in the next run, as if it had never been sent; but for
/// [`StopReason::Failing`] it failed.
#[derive(Clone, Debug)]
pub struct Stopped {
    /// Why.
    pub reason: StopReason,
    /// The error of the row.
    pub error: Error,
    /// The last row with this error.
    pub row: Row,
}

/// The status to display.
#[derive(Clone, Debug, Default)]
pub struct Status {
    /// Rows waiting for their controllers, including those already recorded.
    pub waiting: usize,
    /// Rows to retry later.
    pub delayed: usize,
    /// Rows in flight.
    pub in_flight: usize,
    /// Attempts that were sent.
    pub sent: u64,
    /// Attempts that a limit refused (429).
    pub limited: u64,
    /// Attempts that are retried although they may have been metered.
    pub paid_again: u64,
    /// Answers that failed a check and whose rows were asked again.
    pub asked_again: u64,
    /// Rows that were cancelled after they were sent: their outcome is unknown.
    pub unknown: u64,
    /// Rows that ended with a copy of the outcome of an equal row of this job.
    pub equal: u64,
    /// Rows that ended with a copy of an answer of another job.
    pub reused: u64,
    /// The concurrency limit over all models.
    pub allowed: u32,
    /// Starts per second over the models whose rate was found to be limited, if any.
    pub rate: Option<f64>,
    /// How long the service has been unreachable, or has failed the rows of a model.
    pub outage: Option<Duration>,
}
