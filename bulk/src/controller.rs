//! Congestion control for the rows of one model: what the core's controller learns about the service,
//! within the user's limits. Pure: uses no clock, randomness or call. Times are durations since a fixed
//! start.

mod quota;

use std::time::Duration;

use modelwire::pace::{CongestionController, Decision};
use quota::Quota;

/// The maximum concurrency, whatever the service accepts.
pub const IN_FLIGHT_MAX: u32 = 10_000;

/// Limits that the user sets, in addition to what the controller learns.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fixed {
    /// The maximum number of rows in flight.
    pub concurrency_max: Option<u32>,
    /// Requests per minute.
    pub requests_per_minute: Option<f64>,
    /// Tokens per minute, input and output together.
    pub tokens_per_minute: Option<f64>,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With an answer, successful or not, that the service processed; with the number of tokens it
    /// used, if known.
    Answered {
        /// Input and output together.
        tokens: Option<u64>,
    },
    /// Refused by a limit (429). The row waits for the delay that the service asked for; others need not.
    Refused,
    /// In any other way: a failure of the service, a lost connection, a cancellation. Says nothing
    /// about limits.
    Otherwise,
}

/// The status to display.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct View {
    /// Attempts in flight.
    pub in_flight: u32,
    /// The concurrency limit.
    pub allowed: u32,
    /// Starts per second, if the service was found to limit them.
    pub rate: Option<f64>,
    /// Whether the next start waits for a point in time rather than for an end.
    pub is_paced: bool,
}

/// The congestion controller of one model.
#[derive(Clone, Debug)]
pub struct Controller {
    pace: CongestionController,
    requests: Option<Quota>,
    tokens: Option<Quota>,
    /// The sum of the estimates of the rows in flight.
    reserved: f64,
}

impl Controller {
    /// At first nothing is known about the service.
    pub fn new(fixed: Fixed) -> Controller {
        Controller {
            pace: CongestionController::new(in_flight_max(fixed)),
            requests: fixed.requests_per_minute.map(Quota::per_minute),
            tokens: fixed.tokens_per_minute.map(Quota::per_minute),
            reserved: 0.0,
        }
    }

    /// Changes the limits that the user sets.
    pub fn set_fixed(&mut self, now: Duration, fixed: Fixed) {
        self.pace.set_in_flight_max(in_flight_max(fixed));
        set_quota(&mut self.requests, now, fixed.requests_per_minute);
        set_quota(&mut self.tokens, now, fixed.tokens_per_minute);
    }

    /// Whether one more row, with this token estimate, may be sent. After [`Decision::Go`] it is in
    /// flight until [`ended`](Controller::ended) is called for it.
    pub fn ask(&mut self, now: Duration, tokens: u64) -> Decision {
        let free_at = self.quotas().map(|quota| quota.free_at(now)).max();
        if let Some(at) = free_at.filter(|at| *at > now) {
            return Decision::At(at);
        }
        let verdict = self.pace.ask(now);
        if verdict == Decision::Go {
            let tokens = tokens as f64;
            if let Some(quota) = &mut self.requests {
                quota.take(now, 1.0);
            }
            if let Some(quota) = &mut self.tokens {
                quota.take(now, tokens);
            }
            self.reserved += tokens;
        }
        verdict
    }

    /// Records the end of an attempt that [`ask`](Controller::ask) admitted.
    pub fn ended(&mut self, begun: Duration, now: Duration, how: Ended) {
        // It is unknown which of the estimates was this row's; their mean keeps the sum right.
        let estimate = self.reserved / f64::from(self.pace.in_flight().max(1));
        self.reserved = (self.reserved - estimate).max(0.0);
        let used = match how {
            Ended::Answered { tokens } => tokens.map_or(estimate, |tokens| tokens as f64),
            Ended::Refused => 0.0,
            Ended::Otherwise => estimate,
        };
        if let Some(quota) = &mut self.tokens {
            quota.take(now, used - estimate);
        }
        match how {
            Ended::Answered { .. } => self.pace.answered(begun, now),
            Ended::Refused => self.pace.refused(begun, now),
            Ended::Otherwise => self.pace.released(now),
        }
    }

    /// The status to display.
    pub fn view(&self, now: Duration) -> View {
        let is_held = self.quotas().any(|quota| quota.free_at(now) > now);
        let rate = self.pace.rate();
        View {
            in_flight: self.pace.in_flight(),
            allowed: self.pace.slots(),
            rate,
            is_paced: is_held || rate.is_some(),
        }
    }

    fn quotas(&self) -> impl Iterator<Item = &Quota> {
        [&self.requests, &self.tokens].into_iter().flatten()
    }
}

fn in_flight_max(fixed: Fixed) -> u32 {
    fixed.concurrency_max.unwrap_or(IN_FLIGHT_MAX).clamp(1, IN_FLIGHT_MAX)
}

fn set_quota(quota: &mut Option<Quota>, now: Duration, per_minute: Option<f64>) {
    match (quota.as_mut(), per_minute) {
        (Some(quota), Some(number)) => quota.change(now, number),
        _ => *quota = per_minute.map(Quota::per_minute),
    }
}

#[cfg(test)]
#[path = "controller_tests.rs"]
mod tests;
