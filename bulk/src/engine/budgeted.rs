//! The budget of an engine: rows begin only if it allows them, and it counts what each one used.

use super::{Engine, Rules, SendJournal};
use crate::budget::{Budget, BudgetDecision};
use crate::error::Error;
use crate::row::Row;

/// What became of an offered row.
#[derive(Debug)]
pub enum Offered {
    /// It was pushed.
    Pushed,
    /// Offer it again when a row has ended, and no other row before.
    Later(Row),
    /// The budget ends the run, for this reason: no more rows are accepted, and those before it finish.
    Refused(Error),
}

impl<B: SendJournal> Engine<B> {
    /// Sets the budget; without one, nothing is limited.
    #[must_use]
    pub fn with_budget(mut self, budget: Budget) -> Engine<B> {
        let Rules { paid_attempts_max, ask_again_max, .. } = self.options.rules;
        self.budget = budget.attempts(paid_attempts_max.saturating_add(ask_again_max));
        self
    }

    /// [Pushes](Engine::push) a row if the budget allows it.
    pub fn offer(&mut self, row: Row) -> Offered {
        match self.budget.ask(&row) {
            BudgetDecision::Go => {
                self.push(row);
                Offered::Pushed
            }
            BudgetDecision::Wait => Offered::Later(row),
            BudgetDecision::Stop(error) => {
                self.end();
                Offered::Refused(error)
            }
        }
    }

    /// The budget.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// A notice for the user: [of the budget](Budget::notice), each given once, or of rows that take much
    /// longer than the others.
    pub fn notice(&mut self) -> Option<String> {
        let now = self.now();
        self.budget.notice().or_else(|| self.slow.notice(self.flights.iter(), now))
    }
}
