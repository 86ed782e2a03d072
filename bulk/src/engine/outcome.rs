//! How the engine acts on the end of an attempt.

use std::time::Duration;

use modelwire::{Error, ErrorKind, Response};

use super::admission::HELD_MAX;
use super::attempt::{Attempt, Delayed};
use super::classify::{Classified, PAYMENT_REQUIRED, classify};
use super::gate::Gate;
use super::lanes::FORBIDDEN_MAX;
use super::send_journal::SendJournal;
use super::types::{StopReason, Stopped};
use super::wait::wait;
use super::{Engine, Phase};
use crate::checks::Rejection;
use crate::controller::Ended;
use crate::row::{Finished, Row, may_be_metered};

/// The status of a refusal for rate limits.
const TOO_MANY: u16 = 429;

impl<B: SendJournal> Engine<B> {
    /// Handles the end of an attempt.
    pub(super) fn came(
        &mut self,
        attempt: Attempt,
        outcome: Result<Response, Error>,
        now: Duration,
    ) {
        let error = match outcome {
            Ok(response) => {
                self.reach.reached();
                self.slow.answered(now.saturating_sub(attempt.begun));
                self.keys.accepted(attempt.key);
                self.admitted(attempt.begun);
                let tokens = response.usage().map(|usage| usage.total_tokens);
                if let Some(lane) = self.lanes.get(attempt.lane) {
                    lane.ended(&attempt, now, Ended::Answered { tokens });
                    if let Some(gate) = lane.gate(&attempt) {
                        gate.breaker.answered(attempt.begun);
                        (gate.was_answered, gate.refused_in_a_row) = (true, 0);
                    }
                    (lane.was_answered, lane.refused_in_a_row) = (true, 0);
                    self.finished.append(&mut lane.forbidden);
                }
                return self.answered(attempt, response);
            }
            Err(error) => error,
        };
        let mut attempt = attempt;
        if let Some(status) = error.status() {
            self.reach.reached();
            if status != TOO_MANY {
                self.admitted(attempt.begun);
                if !is_of_service(error.kind())
                    && let Some(lane) = self.lanes.get(attempt.lane)
                    && let Some(gate) = lane.gate(&attempt)
                {
                    gate.breaker.answered(attempt.begun);
                }
            }
        }
        let failures = attempt.tries.limited + attempt.tries.paid + 1;
        let has_others = self.client.services() > 1;
        let mut rules = self.options.rules;
        if has_others {
            // The service waits, and not the row.
            rules.retry_after_max = Duration::MAX;
        }
        match classify(&error, &mut attempt.tries, &rules) {
            Classified::Outcome if error.kind() == ErrorKind::RateLimited => {
                self.counts.limited += 1;
                self.limited_for_good(attempt, error, now);
            }
            Classified::Outcome => {
                self.lane_ended(&attempt, now, ended_by(&error));
                if self.failed(&attempt, &error, now) {
                    self.stop(StopReason::Failing, error.clone(), attempt.row.clone());
                }
                self.finish(attempt, Err(error), now);
            }
            Classified::Limited => {
                self.counts.limited += 1;
                let mut asked = error.retry_after();
                if has_others {
                    let pause = asked.take().unwrap_or_default().min(self.options.patience);
                    self.pause_service(&attempt, now + pause);
                    attempt.refused_at = Some(attempt.service);
                }
                let wait = wait(failures, asked);
                let attempt = self.take_back(attempt, now, Ended::Refused);
                if self.admission.refused(now, self.in_flight() > 0) {
                    self.stop(StopReason::Limited, error, attempt.row.clone());
                }
                self.again(attempt, now + wait);
            }
            Classified::AgainPaid if self.phase == Phase::Draining => {
                self.lane_ended(&attempt, now, Ended::Otherwise);
                self.finish(attempt, Err(error), now);
            }
            Classified::AgainPaid => {
                if self.failed(&attempt, &error, now) {
                    self.lane_ended(&attempt, now, Ended::Otherwise);
                    self.stop(StopReason::Failing, error.clone(), attempt.row.clone());
                    return self.finish(attempt, Err(error), now);
                }
                self.counts.paid_again += 1;
                self.budget.repeated(&attempt.row);
                self.lane_ended(&attempt, now, Ended::Otherwise);
                let wait = wait(failures, error.retry_after());
                self.again(attempt, now + wait);
            }
            Classified::NotSent => {
                let gives_up = match self.client.services() {
                    1 => self.reach.failed(attempt.begun, now),
                    _ => self.fails(&attempt, error.kind(), now, self.reach.patience()),
                };
                let attempt = self.take_back(attempt, now, Ended::Otherwise);
                if gives_up {
                    self.stop(StopReason::Unreachable, error, attempt.row.clone());
                }
                self.again(attempt, now);
            }
            Classified::KeyRefused if self.has_other_key_than_of(attempt.service) => {
                let attempt = self.take_back(attempt, now, Ended::Otherwise);
                self.again(attempt, now);
            }
            Classified::KeyRefused
                if self.phase != Phase::Draining
                    && !self.client.service_has_own_key(attempt.service)
                    && self.keys.has_other_than(attempt.key, attempt.tries.unauthorized) =>
            {
                let attempt = self.take_back(attempt, now, Ended::Otherwise);
                self.again(attempt, now);
            }
            Classified::KeyRefused => {
                let attempt = self.take_back(attempt, now, Ended::Otherwise);
                self.stop(StopReason::KeyRefused, error, attempt.row.clone());
                self.unsent(attempt);
            }
            refusal @ (Classified::Forbidden | Classified::NotFound | Classified::Invalid)
                if self.may_go_elsewhere(&mut attempt, refusal) =>
            {
                // To the same service again only if the others may get no row now.
                let wait = match attempt.refused_at == Some(attempt.service) {
                    true => wait(attempt.tries.elsewhere, None),
                    false => Duration::ZERO,
                };
                attempt.refused_at = Some(attempt.service);
                let attempt = self.take_back(attempt, now, Ended::Otherwise);
                self.again(attempt, now + wait);
            }
            Classified::Forbidden => self.forbidden(attempt, error, now),
            Classified::NotFound => self.not_found(attempt, error, StopReason::NotFound, now),
            Classified::Invalid => self.not_found(attempt, error, StopReason::Invalid, now),
            Classified::Unknown => {
                self.lane_ended(&attempt, now, Ended::Otherwise);
                self.lost(&attempt);
            }
        }
    }

    /// Whether another service may accept a row that this one refused.
    fn may_go_elsewhere(&mut self, attempt: &mut Attempt, refusal: Classified) -> bool {
        if self.client.services() == 1 || self.phase == Phase::Draining {
            return false;
        }
        let lane = self.lanes.get(attempt.lane);
        lane.is_some_and(|lane| lane.may_go_elsewhere(attempt, refusal == Classified::Forbidden))
    }

    /// Sends nothing of this model to the service of an attempt until this time.
    fn pause_service(&mut self, attempt: &Attempt, until: Duration) {
        let lane = self.lanes.get(attempt.lane);
        if let Some(gate) = lane.and_then(|lane| lane.gate(attempt)) {
            gate.pause(until);
        }
    }

    /// A service rejected its own key: whether the run goes on with others.
    fn has_other_key_than_of(&mut self, service: usize) -> bool {
        if self.phase == Phase::Draining || !self.client.service_has_own_key(service) {
            return false;
        }
        self.lanes.give_up(service)
    }

    /// The service admitted a row that began at `begun`: rows refused for the last time before that are
    /// finished.
    fn admitted(&mut self, begun: Duration) {
        self.admission.admitted();
        let through = self.limited.extract_if(.., |(refused, _)| *refused <= begun);
        self.finished.extend(through.map(|(_, finished)| finished));
    }

    /// A limit refused a row for the last time. The next answer decides whether only the row ends, or the
    /// run.
    fn limited_for_good(&mut self, attempt: Attempt, error: Error, now: Duration) {
        self.lane_ended(&attempt, now, ended_by(&error));
        if self.phase == Phase::Draining {
            // It was not processed, and may be sent in the next run.
            return self.refused(finished(attempt, Err(error), now));
        }
        let gives_up = self.admission.refused(now, self.in_flight() > 0);
        let row = attempt.row.clone();
        self.limited.push((now, finished(attempt, Err(error.clone()), now)));
        if gives_up || self.limited.len() >= HELD_MAX {
            self.stop(StopReason::Limited, error, row);
        }
    }

    /// Ends the run if the balance is used up (402), if a model never answered, or after many consecutive
    /// refusals. Otherwise, the next answer decides about the row.
    fn forbidden(&mut self, attempt: Attempt, error: Error, now: Duration) {
        self.lane_ended(&attempt, now, Ended::Otherwise);
        let is_of_all = self.phase == Phase::Draining || error.status() == Some(PAYMENT_REQUIRED);
        let Some(lane) = self.lanes.get(attempt.lane) else { return };
        match lane.was_answered && !is_of_all {
            true => self.hold_back(attempt, error, StopReason::Forbidden, now),
            false => self.stop_model(attempt, error, StopReason::Forbidden),
        }
    }

    /// Holds a refused row back until an answer decides about it; ends the run after many.
    fn hold_back(&mut self, attempt: Attempt, error: Error, reason: StopReason, now: Duration) {
        let Some(lane) = self.lanes.get(attempt.lane) else { return };
        lane.refused_in_a_row += 1;
        match lane.refused_in_a_row < FORBIDDEN_MAX && !lane.is_given_up() {
            true => lane.forbidden.push(finished(attempt, Err(error), now)),
            false => self.stop_model(attempt, error, reason),
        }
    }

    /// Records a failure that is not the row's own; returns whether to give up.
    fn failed(&mut self, attempt: &Attempt, error: &Error, now: Duration) -> bool {
        if !is_of_service(error.kind()) || self.phase == Phase::Draining {
            return false;
        }
        self.fails(attempt, error.kind(), now, self.options.patience)
    }

    /// Whether to give up: rows of the model have failed at every service, at this one for too long.
    fn fails(
        &mut self,
        attempt: &Attempt,
        kind: ErrorKind,
        now: Duration,
        patience: Duration,
    ) -> bool {
        let Some(lane) = self.lanes.get(attempt.lane) else { return false };
        let Some(gate) = lane.gate(attempt) else { return false };
        if !gate.breaker.failed(kind, attempt.begun, now, patience) {
            return false;
        }
        if lane.is_failing() {
            return true;
        }
        lane.gate(attempt).into_iter().for_each(Gate::give_up);
        false
    }

    /// If all of the first rows of a model are refused, its name or the form of all rows is wrong, or the base
    /// URL, and all others would fail too: ends the run. Fewer rows are held back until an answer.
    fn not_found(&mut self, attempt: Attempt, error: Error, reason: StopReason, now: Duration) {
        self.lane_ended(&attempt, now, Ended::Answered { tokens: None });
        let is_draining = self.phase == Phase::Draining;
        let Some(lane) = self.lanes.get(attempt.lane) else { return };
        if lane.was_answered && !lane.is_given_up() {
            return self.finish(attempt, Err(error), now);
        }
        if is_draining {
            return self.refused(finished(attempt, Err(error), now));
        }
        self.hold_back(attempt, error, reason, now);
    }

    /// Ends the run because all rows of the model would fail: they are sent again in the next run.
    fn stop_model(&mut self, attempt: Attempt, error: Error, reason: StopReason) {
        let lane = self.lanes.get(attempt.lane);
        let held_back = lane.map(|lane| std::mem::take(&mut lane.forbidden)).unwrap_or_default();
        held_back.into_iter().for_each(|finished| self.refused(finished));
        let row = attempt.row.clone();
        let now = self.now();
        self.refused(finished(attempt, Err(error.clone()), now));
        self.stop(reason, error, row);
    }

    /// The run ends for a row that the service refused: it may be sent in the next run, unless it has an
    /// answer.
    pub(super) fn refused(&mut self, finished: Finished) {
        if finished.rejected.is_some() {
            self.finished.push(finished);
            return;
        }
        self.book.refused(&finished.row);
    }

    /// The same for a row that was not sent again.
    pub(super) fn unsent(&mut self, mut attempt: Attempt) {
        let now = self.now();
        if let Some((answer, rejection)) = attempt.answer.take() {
            self.finished.push(ended(attempt, Ok(answer), Some(rejection), now));
        }
    }

    fn lane_ended(&mut self, attempt: &Attempt, now: Duration, how: Ended) {
        if let Some(lane) = self.lanes.get(attempt.lane) {
            lane.ended(attempt, now, how);
        }
    }

    /// Records that the row was not processed, as if it had not been sent; unless an earlier attempt of it
    /// may have been metered, or was answered.
    pub(super) fn withdraw(&mut self, attempt: &Attempt) {
        if attempt.tries.paid == 0 && attempt.answer.is_none() {
            self.book.refused(&attempt.row);
        }
    }

    /// The outcome of an attempt is unknown. An earlier answer was paid.
    pub(super) fn lost(&mut self, attempt: &Attempt) {
        self.counts.unknown += 1;
        if let Some((answer, _)) = &attempt.answer {
            self.budget.asked_again(&attempt.row, answer);
        }
    }

    /// Records that this attempt was not processed.
    pub(super) fn take_back(&mut self, attempt: Attempt, now: Duration, how: Ended) -> Attempt {
        self.withdraw(&attempt);
        self.lane_ended(&attempt, now, how);
        attempt
    }

    /// Schedules a retry, unless the engine is draining.
    pub(super) fn again(&mut self, attempt: Attempt, due: Duration) {
        if self.phase == Phase::Draining {
            return self.unsent(attempt);
        }
        self.ready_rows += 1;
        self.ready_bytes += attempt.row.body.len();
        self.delayed.push(Delayed { due, attempt });
    }

    fn finish(&mut self, attempt: Attempt, outcome: Result<Response, Error>, now: Duration) {
        if let Err(error) = &outcome
            && attempt.answer.is_some()
            && may_be_metered(error)
        {
            self.budget.repeated(&attempt.row);
        }
        self.finished.push(finished(attempt, outcome, now));
    }

    fn stop(&mut self, reason: StopReason, error: Error, row: Row) {
        self.stopped.get_or_insert(Stopped { reason, error, row });
        self.drain();
    }
}

/// A finished row. An answer that failed a check is not replaced by the error of a later attempt.
fn finished(mut attempt: Attempt, outcome: Result<Response, Error>, now: Duration) -> Finished {
    match (outcome, attempt.answer.take()) {
        (Err(error), Some((answer, Rejection { check, reason }))) => {
            let reason = format!("{reason}; asked again, it failed: {}", error.message());
            ended(attempt, Ok(answer), Some(Rejection::new(check, reason)), now)
        }
        (outcome, _) => ended(attempt, outcome, None, now),
    }
}

pub(super) fn ended(
    attempt: Attempt,
    outcome: Result<Response, Error>,
    rejected: Option<Rejection>,
    now: Duration,
) -> Finished {
    let elapsed = now.saturating_sub(attempt.first_begun.unwrap_or(now));
    let Attempt { row, sent: attempts, .. } = attempt;
    Finished { row, outcome, rejected, attempts, elapsed }
}

/// Whether failures of this kind are the service's rather than the row's, if they come one after another.
fn is_of_service(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::Server
            | ErrorKind::Timeout
            | ErrorKind::Disconnected
            | ErrorKind::Incomplete
            | ErrorKind::Stream
            | ErrorKind::Protocol
    )
}

/// What a failed attempt tells the controller.
pub(super) fn ended_by(error: &Error) -> Ended {
    match error.status() {
        Some(TOO_MANY) => Ended::Refused,
        Some(status) if status < 500 => Ended::Answered { tokens: None },
        Some(_) | None => Ended::Otherwise,
    }
}
