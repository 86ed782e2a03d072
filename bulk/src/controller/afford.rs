//! Whether one more refusal can be afforded, so that few of all attempts are refused: answers pay for them.

use std::time::Duration;

/// Every answer pays for this part of a refusal by which more is tried.
const CREDIT_OF_ANSWER: f64 = 0.011;

/// Where next to nothing is let in, answers alone would take too long to pay for the one refusal that
/// shows that more is: this long after the last one more is tried in any case, and after twice as long
/// each time that this was in vain.
const IN_ANY_CASE: Duration = Duration::from_secs(60);

/// What is there at the beginning, and at most.
const CREDIT_FIRST: f64 = 6.0;
const CREDIT_MAX: f64 = 12.0;
/// A burst of refusals is no more of a debt than this.
const CREDIT_LEAST: f64 = -1.0;

/// What was answered in such a time is a rate that the service took; it counts less and less in each
/// of them, and at each refusal that comes while there was less.
const RECENT: Duration = Duration::from_secs(5);
const TAKEN_KEPT: f64 = 0.9;
const TAKEN_KEPT_REFUSED: f64 = 0.85;
/// Of fewer it is chance.
const TAKEN_ANSWERS_MIN: u32 = 30;

/// Below this part of what was taken lately more is tried, whether it can be afforded or not: a service
/// that lets in little for a while soon takes as much again.
const POOR: f64 = 0.7;

#[derive(Clone, Debug)]
pub(super) struct Afford {
    credit: f64,
    /// When one was refused last.
    refused_at: Duration,
    /// So long after it more is tried in any case.
    in_any_case: Duration,
    /// Whether it was.
    was_tried: bool,
    /// Since the last mark.
    answered: u32,
    mark: Duration,
    /// The most that were answered in each second, lately.
    taken: f64,
    /// What was answered in each second before the last mark.
    now_taken: f64,
}

impl Afford {
    pub(super) fn new() -> Afford {
        Afford {
            credit: CREDIT_FIRST,
            refused_at: Duration::ZERO,
            in_any_case: IN_ANY_CASE,
            was_tried: false,
            answered: 0,
            mark: Duration::ZERO,
            taken: 0.0,
            now_taken: 0.0,
        }
    }

    pub(super) fn answered(&mut self, now: Duration) {
        self.answered = self.answered.saturating_add(1);
        let time = now.saturating_sub(self.mark);
        if time >= RECENT {
            self.now_taken = f64::from(self.answered) / time.as_secs_f64();
            let is_chance = self.answered < TAKEN_ANSWERS_MIN;
            let rate = if is_chance { 0.0 } else { self.now_taken };
            self.taken = rate.max(self.taken * TAKEN_KEPT);
            (self.answered, self.mark) = (0, now);
        }
        self.credit = (self.credit + CREDIT_OF_ANSWER).min(CREDIT_MAX);
    }

    pub(super) fn refused(&mut self, now: Duration) {
        self.refused_at = now;
        self.credit = (self.credit - 1.0).max(CREDIT_LEAST);
    }

    /// More that was tried in any case was refused; whether more than before was let in.
    pub(super) fn tried(&mut self, has_risen: bool) {
        if std::mem::take(&mut self.was_tried) {
            self.in_any_case = if has_risen { IN_ANY_CASE } else { self.in_any_case * 2 };
        }
    }

    /// What was taken lately is not taken any more, as it seems.
    pub(super) fn doubt_taken(&mut self) {
        self.taken *= TAKEN_KEPT_REFUSED;
    }

    /// The most that were answered in each second, lately.
    pub(super) fn taken(&self) -> f64 {
        self.taken
    }

    /// Whether a number may grow that was refused.
    pub(super) fn may_try_number(&mut self, now: Duration) -> bool {
        self.may_try(now, self.now_taken)
    }

    /// Whether this rate may grow that was refused.
    pub(super) fn may_try_rate(&mut self, now: Duration, rate: f64) -> bool {
        self.may_try(now, rate)
    }

    fn may_try(&mut self, now: Duration, rate: f64) -> bool {
        if self.credit >= 1.0 || rate < self.taken * POOR {
            return true;
        }
        self.was_tried |= now >= self.refused_at + self.in_any_case;
        self.was_tried
    }
}
