//! The user's limit on requests or tokens per minute.

use std::time::Duration;

/// How long unused quota is kept: a service that counts by the second accepts it, too.
const KEPT: Duration = Duration::from_secs(1);

/// Minimum quota per minute, so that waits are finite.
const PER_MINUTE_MIN: f64 = 1e-3;

/// The maximum wait.
const WAIT_SECONDS_MAX: f64 = 86_400.0;

/// A token bucket that may go into debt. A start takes from it. If a row uses more than estimated, nothing
/// starts until the debt is paid.
#[derive(Clone, Debug)]
pub(super) struct Quota {
    per_second: f64,
    balance: f64,
    at: Duration,
}

impl Quota {
    pub(super) fn per_minute(number: f64) -> Quota {
        let number = if number.is_finite() { number.max(PER_MINUTE_MIN) } else { f64::MAX };
        Quota { per_second: number / 60.0, balance: 0.0, at: Duration::ZERO }
    }

    /// Changes the number per minute. The balance, in requests or tokens, stays.
    pub(super) fn change(&mut self, now: Duration, number: f64) {
        let (balance, at) = (self.balance_at(now), self.at.max(now));
        *self = Quota { balance, at, ..Quota::per_minute(number) };
    }

    /// The earliest time to start, when there is no debt.
    pub(super) fn free_at(&self, now: Duration) -> Duration {
        let owed = -self.balance_at(now);
        if owed <= 0.0 {
            return now;
        }
        // Rounded up, so that a caller who returns at that time need not wait another nanosecond.
        now + Duration::from_secs_f64((owed / self.per_second).min(WAIT_SECONDS_MAX))
            + Duration::from_nanos(1)
    }

    /// Takes this many; a negative number is given back.
    pub(super) fn take(&mut self, now: Duration, number: f64) {
        self.balance = self.balance_at(now) - number;
        self.at = self.at.max(now);
    }

    fn balance_at(&self, now: Duration) -> f64 {
        let since = now.saturating_sub(self.at).as_secs_f64();
        (self.balance + since * self.per_second).min(self.per_second * KEPT.as_secs_f64())
    }
}
