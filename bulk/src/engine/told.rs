//! What an engine is told, and what it tells: options, turns, why a run stopped, where it stands. Knows no
//! call.

use std::time::Duration;

use modelwire::Error;

use super::judge::Rules;
use crate::controller::Fixed;
use crate::row::{Finished, Row};

/// How an engine goes.
#[derive(Clone, Copy, Debug)]
pub struct EngineOptions {
    /// The limits that the user sets, for each model.
    pub fixed: Fixed,
    /// What goes again.
    pub rules: Rules,
    /// So many rows are on their way at once, of all models together: as many as there may be connections.
    pub in_flight_max: usize,
    /// How long a service is waited for that was reached before and is not any more, or that refuses
    /// everything for its limits (429).
    pub patience: Duration,
}

impl Default for EngineOptions {
    fn default() -> EngineOptions {
        EngineOptions {
            fixed: Fixed::default(),
            rules: Rules {
                attempts_max: 20,
                paid_attempts_max: 1,
                retry_after_max: Duration::from_secs(600),
            },
            in_flight_max: 1_000,
            patience: Duration::from_secs(600),
        }
    }
}

/// What a turn gave.
#[derive(Debug)]
pub enum Turn {
    /// These are through; never empty.
    Finished(Vec<Finished>),
    /// Nothing yet: the time ran out, or the waker was used.
    Idle,
    /// There will be nothing more.
    Over(Over),
}

/// Why there will be nothing more.
#[derive(Clone, Debug)]
pub enum Over {
    /// Every row is through.
    All,
    /// `drain` or `abort` was called; rows that were not sent are forgotten.
    Drained,
    /// The run stopped by itself, with rows that were not sent.
    Stopped(Stopped),
}

/// Why a run stopped by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// 401: the key is wrong for every row.
    KeyRefused,
    /// 403, for the first row of a model or for many in a row.
    Forbidden,
    /// 404, for the first rows of a model: most likely its name is wrong.
    NotFound,
    /// Nothing could be sent for longer than the patience.
    Unreachable,
    /// Everything was refused (429) for longer than the patience.
    Limited,
}

/// What stopped a run. The row goes again in the next run, as if it had never been sent.
#[derive(Clone, Debug)]
pub struct Stopped {
    /// Why.
    pub reason: StopReason,
    /// What the row was told.
    pub error: Error,
    /// The row that was told so last.
    pub row: Row,
}

/// What there is to show.
#[derive(Clone, Debug, Default)]
pub struct Status {
    /// Rows that wait for their controllers.
    pub waiting: usize,
    /// Rows that go again later.
    pub delayed: usize,
    /// Rows on their way, noted ones included.
    pub in_flight: usize,
    /// Attempts that were sent.
    pub sent: u64,
    /// Attempts that a limit refused (429).
    pub limited: u64,
    /// Attempts that go again although they may have been metered.
    pub paid_again: u64,
    /// Rows that were ended from here after they were sent: what became of them is not known.
    pub unknown: u64,
    /// Rows that were pushed and never sent, or refused, when the run was drained or stopped.
    pub unsent: u64,
    /// So many may be on their way, of all models.
    pub allowed: u32,
    /// The ceilings of all models together, where one is known.
    pub ceiling: Option<u32>,
    /// Whether a model waits for a time rather than for an answer.
    pub is_paced: bool,
    /// For how long the service is not to be reached.
    pub unreachable: Option<Duration>,
}
