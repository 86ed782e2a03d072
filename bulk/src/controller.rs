//! How fast rows of one model may be sent: how many at once, and when the next. Pure: knows no clock, no
//! chance and no call. Times are durations since any one moment.

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

/// So many may be on their way at first.
const START: f64 = 4.0;

/// Never more than these, whatever the service takes.
pub const IN_FLIGHT_MAX: u32 = 10_000;

/// Limits that the user sets, beside what the controller finds out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fixed {
    /// The most rows in flight.
    pub concurrency_max: Option<u32>,
    /// Requests a minute.
    pub requests_per_minute: Option<f64>,
    /// Tokens a minute, those that go in and those that come out.
    pub tokens_per_minute: Option<f64>,
}

/// What a row that wants to be sent is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is counted as sent.
    Go,
    /// Ask again at this time, or when an attempt ended.
    At(Duration),
    /// Ask again when an attempt ended.
    Full,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With an answer, good or bad, that the service worked for; and how many tokens it used, where known.
    Answered {
        /// Of both directions.
        tokens: Option<u64>,
    },
    /// Refused by a limit (429), and how long this one was asked to wait.
    Refused {
        /// The service's Retry-After.
        retry_after: Option<Duration>,
    },
    /// In any other way: a fault of the service, a lost connection, a cancel. Says nothing of limits.
    Otherwise,
}

/// What there is to show.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct View {
    /// Attempts on their way.
    pub in_flight: u32,
    /// So many may be.
    pub allowed: u32,
    /// As many as this were too many, if that is known.
    pub ceiling: Option<u32>,
    /// Whether the next beginning waits for a time rather than for an end.
    pub is_paced: bool,
}

/// How fast rows of one model may be sent.
#[derive(Clone, Debug)]
pub struct Controller {
    fixed_max: u32,
    requests: Option<Quota>,
    tokens: Option<Quota>,
    /// The estimates of the rows on their way, together.
    reserved: f64,
    in_flight: u32,
    refusals: Refusals,
    crowd: Crowd,
}

impl Controller {
    /// At the beginning nothing is known of the service.
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

    /// Whether one more row may be sent, which is estimated to use so many tokens. After
    /// [`Verdict::Go`] it is on its way until [`ended`](Controller::ended) is told of it.
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

    /// An attempt is over, which began when [`ask`](Controller::ask) let it.
    pub fn ended(&mut self, begun: Duration, now: Duration, how: Ended) {
        // Which of the estimates was this row's is not known; their mean is right in the sum.
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
            // The row waits for as long as it was asked to; others need not.
            Ended::Refused { retry_after: _ } => self.refusals.refused(begun, now, self.in_flight),
            Ended::Otherwise => {}
        }
    }

    /// What there is to show.
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
