//! The budget of an engine: rows begin only if it allows them, and it counts what each one used. Rows that get
//! a copy of an answer cost nothing.

use super::{COPIES_MAX, Engine, Phase, Rules, SendJournal};
use crate::answers::{self, Copies, SharedAnswers, Taken, locked};
use crate::budget::{Budget, BudgetDecision};
use crate::error::Error;
use crate::row::{Finished, Row};

/// What became of an offered row.
#[derive(Debug)]
pub enum Offered {
    /// It was pushed.
    Pushed,
    /// It is not sent: it ends with a copy of an answer.
    Copied,
    /// It is not sent: it ends as an equal row does, which was pushed before.
    Waits,
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

    /// Sets the answers to copy; without them, every row is sent.
    pub fn set_answers(&mut self, answers: Option<SharedAnswers>) {
        self.answers = answers;
    }

    /// [Pushes](Engine::push) a row if the budget allows it, unless it gets a copy of an answer.
    pub fn offer(&mut self, row: Row) -> Offered {
        let answers = self.answers.as_ref().filter(|_| self.phase == Phase::Taking);
        match answers.map_or(Ok(Taken::Send), |answers| locked(answers).take(&row)) {
            Ok(Taken::Send) => {}
            Ok(Taken::Waits) => return Offered::Waits,
            Ok(Taken::Copies(copies)) if self.accepts(&row, &copies) => {
                self.copies.push_back(*copies);
                return Offered::Copied;
            }
            Ok(Taken::Copies(_)) => {}
            Err(error) => return self.refuse(error),
        }
        match self.budget.ask(&row) {
            BudgetDecision::Go => {
                if let Some(answers) = &self.answers {
                    locked(answers).sends(&row);
                }
                self.push(row);
                Offered::Pushed
            }
            BudgetDecision::Wait => Offered::Later(row),
            BudgetDecision::Stop(error) => self.refuse(error),
        }
    }

    fn refuse(&mut self, error: Error) -> Offered {
        self.end();
        Offered::Refused(error)
    }

    /// Whether the answer to copy passes the checks of this job, or is known to have failed them.
    fn accepts(&mut self, row: &Row, copies: &Copies) -> bool {
        let answer = copies.first.outcome.as_ref().ok().filter(|_| !copies.first.is_failed());
        let document = answer.and_then(|answer| answer.document());
        let judge = |document| self.checks.judge(row.endpoint, &row.body, document);
        document.and_then(judge).is_none()
    }

    /// Whether there are copies, and the store takes them.
    pub(super) fn may_copy(&self) -> bool {
        !self.copies.is_empty() && !self.book.is_behind()
    }

    /// Ends rows with copies, while there is room for their results.
    pub(super) fn copy(&mut self) {
        let most = self.finished.len() + COPIES_MAX;
        while self.finished.len() < most
            && self.may_copy()
            && let Some(copies) = self.copies.front_mut()
        {
            match copies.next() {
                Some(copy) => {
                    self.finished.push(copy);
                    match copies.is_reused {
                        true => self.counts.reused += 1,
                        false => self.counts.equal += 1,
                    }
                }
                None => _ = self.copies.pop_front(),
            }
        }
    }

    /// Counts what a row used. An answer also ends the rows that wait for it.
    pub(super) fn ended(&mut self, finished: &Finished) {
        if finished.attempts == 0 {
            return;
        }
        self.budget.ended(finished);
        if let Some(answers) = &self.answers
            && let Some(copies) = locked(answers).ended(finished)
            && self.phase != Phase::Draining
        {
            self.copies.push_back(copies);
        }
    }

    /// The budget.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// A notice for the user: [of the budget](Budget::notice) or of the answers to copy, each given once, or of
    /// rows that take much longer than the others.
    pub fn notice(&mut self) -> Option<String> {
        let now = self.now();
        let of_answers = || self.answers.as_ref().and_then(answers::notice);
        let notice = self.budget.notice().or_else(of_answers);
        notice.or_else(|| self.slow.notice(self.flights.iter(), now))
    }
}
