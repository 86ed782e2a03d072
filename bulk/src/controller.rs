//! The congestion controller of one model: how many rows may be in flight, and when the next may start.
//! Pure: uses no clock, randomness or call. Times are durations since a fixed moment.

mod afford;
mod crowd;
mod cut;
mod level;
mod quota;
mod refusals;

use std::time::Duration;

use crowd::Crowd;
use quota::Quota;
use refusals::Refusals;

/// The initial concurrency limit.
const START: f64 = 4.0;

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

/// The answer for a row that is ready to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It counts as sent.
    Go,
    /// Ask again at this time, or when an attempt has ended.
    At(Duration),
    /// Ask again when an attempt has ended.
    Full,
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
    /// Refused by a limit (429), with the delay that the service asked for.
    Refused {
        /// The service's Retry-After.
        retry_after: Option<Duration>,
    },
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
    /// The concurrency that was too much, if known.
    pub ceiling: Option<u32>,
    /// Whether the next start waits for a point in time rather than for an end.
    pub is_paced: bool,
}

/// The congestion controller of one model.
#[derive(Clone, Debug)]
pub struct Controller {
    fixed_max: u32,
    requests: Option<Quota>,
    tokens: Option<Quota>,
    /// The sum of the estimates of the rows in flight.
    reserved: f64,
    in_flight: u32,
    refusals: Refusals,
    crowd: Crowd,
}

impl Controller {
    /// At first nothing is known about the service.
    pub fn new(fixed: Fixed) -> Controller {
        let fixed_max = fixed.concurrency_max.unwrap_or(IN_FLIGHT_MAX).clamp(1, IN_FLIGHT_MAX);
        Controller {
            fixed_max,
            requests: fixed.requests_per_minute.map(Quota::per_minute),
            tokens: fixed.tokens_per_minute.map(Quota::per_minute),
            reserved: 0.0,
            in_flight: 0,
            refusals: Refusals::new(START, f64::from(fixed_max)),
            crowd: Crowd::new(),
        }
    }

    /// Whether one more row, with this token estimate, may be sent. After [`Verdict::Go`] it is in
    /// flight until [`ended`](Controller::ended) is called for it.
    pub fn ask(&mut self, now: Duration, tokens: u64) -> Verdict {
        if self.in_flight >= self.fixed_max {
            self.refusals.held();
            return Verdict::Full;
        }
        let quotas = [&self.requests, &self.tokens];
        let free_at = quotas.into_iter().flatten().map(|quota| quota.free_at(now)).max();
        if let Some(at) = free_at.filter(|at| *at > now) {
            return Verdict::At(at);
        }
        let starts_at = self.refusals.starts_at(now);
        if starts_at > now {
            return Verdict::At(starts_at);
        }
        if f64::from(self.in_flight) + 1.0 > self.crowd.bound() {
            self.refusals.held();
            return Verdict::Full;
        }
        if let Some(grows_at) = self.refusals.is_full(now, self.in_flight) {
            return Verdict::At(grows_at);
        }
        let tokens = tokens as f64;
        if let Some(quota) = &mut self.requests {
            quota.take(now, 1.0);
        }
        if let Some(quota) = &mut self.tokens {
            quota.take(now, tokens);
        }
        self.reserved += tokens;
        self.in_flight += 1;
        self.refusals.begins(now, self.in_flight, self.crowd.takes());
        self.crowd.begins(now, self.in_flight);
        Verdict::Go
    }

    /// Records the end of an attempt that [`ask`](Controller::ask) admitted.
    pub fn ended(&mut self, begun: Duration, now: Duration, how: Ended) {
        // It is unknown which of the estimates was this row's; their mean is right in the sum.
        let estimate = self.reserved / f64::from(self.in_flight.max(1));
        self.reserved = (self.reserved - estimate).max(0.0);
        self.in_flight = self.in_flight.saturating_sub(1);
        let used = match how {
            Ended::Answered { tokens } => tokens.map_or(estimate, |tokens| tokens as f64),
            Ended::Refused { .. } => 0.0,
            Ended::Otherwise => estimate,
        };
        if let Some(quota) = &mut self.tokens {
            quota.take(now, used - estimate);
        }
        self.crowd.ended(begun, now, matches!(how, Ended::Answered { .. }));
        match how {
            Ended::Answered { .. } => self.refusals.answered(now),
            // The row waits for the requested delay; others need not.
            Ended::Refused { retry_after: _ } => self.refusals.refused(begun, now, self.in_flight),
            Ended::Otherwise => {}
        }
    }

    /// The status to display.
    pub fn view(&self, now: Duration) -> View {
        let quotas = [&self.requests, &self.tokens];
        let is_held = quotas.into_iter().flatten().any(|quota| quota.free_at(now) > now);
        let allowed = self.refusals.number().min(self.crowd.bound());
        View {
            in_flight: self.in_flight,
            allowed: (allowed as u32).clamp(1, self.fixed_max),
            ceiling: self.refusals.ceiling().map(|ceiling| ceiling as u32),
            is_paced: is_held || self.refusals.rate().is_some(),
        }
    }
}

#[cfg(test)]
#[path = "controller_tests.rs"]
mod tests;
