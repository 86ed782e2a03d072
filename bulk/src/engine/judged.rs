//! Checks of answers. One that fails a check is kept while its row is asked again: it is the outcome if no
//! later attempt is answered.
//!
//! A function of the program may judge answers, too. Until it has, they are here.

use std::collections::HashMap;

use modelwire::Response;

use super::attempt::Attempt;
use super::outcome::ended;
use super::send_journal::SendJournal;
use super::{Engine, Phase};
use crate::checks::{Check, Rejection};

/// The answers that the program judges, by the numbers of their rows.
#[derive(Debug, Default)]
pub(super) struct Judging {
    /// `None`: the program judges none.
    is_over: Option<bool>,
    answers: HashMap<u64, (Attempt, Response)>,
    /// Those that the program has not taken yet.
    new: Vec<Unjudged>,
}

/// An answer that the program is to judge.
#[derive(Clone, Debug)]
pub struct Unjudged {
    /// The number of its row.
    pub number: u64,
    /// The answer.
    pub answer: Response,
    /// How often the row was sent.
    pub attempts: u32,
}

impl Judging {
    pub(super) fn has_new(&self) -> bool {
        !self.new.is_empty()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }
}

/// Of an answer that the program did not judge.
fn unchecked() -> Rejection {
    Rejection::new(Check::Function, "the job ended before it was checked")
}

impl<B: SendJournal> Engine<B> {
    /// Lets the program judge each answer that passes the checks: [`Engine::to_judge`] returns them, and
    /// [`Engine::judge`] takes what it found.
    #[must_use]
    pub fn with_judge(mut self) -> Engine<B> {
        self.judging.is_over = Some(false);
        self
    }

    /// The new answers to judge.
    pub fn to_judge(&mut self) -> Vec<Unjudged> {
        std::mem::take(&mut self.judging.new)
    }

    /// Accepts the answer of this row, or not.
    pub fn judge(&mut self, number: u64, rejected: Option<Rejection>) {
        if let Some((attempt, answer)) = self.judging.answers.remove(&number) {
            self.judged(attempt, answer, rejected);
        }
    }

    /// After a [drain](Engine::drain): nobody judges answers any more. Those that were not judged fail, and
    /// are kept.
    pub fn stop_judging(&mut self) {
        if self.judging.is_over == Some(false) {
            self.judging.is_over = Some(true);
            self.judging.new.clear();
            for (attempt, answer) in std::mem::take(&mut self.judging.answers).into_values() {
                self.judged(attempt, answer, Some(unchecked()));
            }
        }
    }

    /// Checks an answer.
    pub(super) fn answered(&mut self, attempt: Attempt, answer: Response) {
        let row = &attempt.row;
        let judge = |answer| self.checks.judge(row.endpoint, &row.body, answer);
        let rejected = answer.document().and_then(judge);
        match (rejected, self.judging.is_over) {
            (None, Some(false)) => {
                let (number, attempts) = (attempt.row.number, attempt.sent);
                self.judging.new.push(Unjudged { number, answer: answer.clone(), attempts });
                self.judging.answers.insert(number, (attempt, answer));
            }
            (None, Some(true)) => self.judged(attempt, answer, Some(unchecked())),
            (rejected, _) => self.judged(attempt, answer, rejected),
        }
    }

    /// Finishes the row, or asks again.
    fn judged(&mut self, mut attempt: Attempt, answer: Response, rejected: Option<Rejection>) {
        let now = self.now();
        if let Some((earlier, _)) = attempt.answer.take() {
            self.budget.asked_again(&attempt.row, &earlier);
        }
        let is_last = attempt.tries.rejected >= self.options.rules.ask_again_max;
        match rejected {
            Some(rejection) if !is_last && self.phase != Phase::Draining => {
                attempt.tries.rejected += 1;
                attempt.answer = Some((answer, rejection));
                self.counts.asked_again += 1;
                self.again(attempt, now);
            }
            rejected => self.finished.push(ended(attempt, Ok(answer), rejected, now)),
        }
    }
}

#[cfg(test)]
#[path = "judged_tests.rs"]
mod tests;
