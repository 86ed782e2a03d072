//! Limits that change while the engine runs.

use super::{Engine, Phase, SendJournal};
use crate::budget::Limits;
use crate::controller::{Fixed, IN_FLIGHT_MAX};
use crate::error::Error;
use crate::row::Row;

impl<B: SendJournal> Engine<B> {
    /// The limits that the user sets, for each model.
    pub fn fixed(&self) -> Fixed {
        self.lanes.fixed()
    }

    /// The largest concurrency limit that has an effect.
    pub fn concurrency_max(&self) -> u32 {
        u32::try_from(self.options.in_flight_max).unwrap_or(u32::MAX).min(IN_FLIGHT_MAX)
    }

    /// Changes the limits of all models. Rows in flight finish; with a lower limit, none starts until there
    /// is room.
    pub fn set_fixed(&mut self, fixed: Fixed) {
        let now = self.now();
        self.lanes.set_fixed(now, fixed);
    }

    /// Changes the limits of the budget. Returns the rows that were pushed and never sent: offer them again,
    /// before any other. Changes nothing if the budget rejects the limits.
    pub fn set_budget(&mut self, limits: Limits) -> Result<Vec<Row>, Error> {
        self.budget.set_limits(limits)?;
        let (noted, waiting) = self.lanes.take_unsent();
        noted.iter().for_each(|attempt| self.withdraw(attempt));
        let mut rows: Vec<Row> =
            noted.into_iter().chain(waiting).map(|attempt| attempt.row).collect();
        rows.sort_by_key(|row| row.number);
        for row in &rows {
            self.ready_rows -= 1;
            self.ready_bytes -= row.body.len();
            self.budget.withdrawn(row);
        }
        let delayed = self.delayed.iter().map(|delayed| &delayed.attempt);
        let sent = self.flights.iter().chain(delayed).chain(self.lanes.again());
        sent.for_each(|attempt| self.budget.reserve(&attempt.row));
        if self.phase == Phase::Ending && !rows.is_empty() {
            self.phase = Phase::Taking;
        }
        Ok(rows)
    }
}
