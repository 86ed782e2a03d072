//! The user's limit on requests or tokens per minute.

use std::time::Duration;

/// What was not used is kept for so long: a service that counts by the second takes it, too.
const KEPT: Duration = Duration::from_secs(1);

/// A number a minute is no less than this, so that it has an end.
const PER_MINUTE_MIN: f64 = 1e-3;

/// No wait is longer.
const WAIT_SECONDS_MAX: f64 = 86_400.0;

/// A balance that grows with time. What begins takes from it; it may owe for what turned out to use
/// more, and then nothing begins until that is paid.
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

    /// The time from which on something may begin: there is no debt then.
    pub(super) fn free_at(&self, now: Duration) -> Duration {
        let owed = -self.balance_at(now);
        if owed <= 0.0 {
            return now;
        }
        // Rounded up: who asks again at that time is not told to wait for a nanosecond.
        now + Duration::from_secs_f64((owed / self.per_second).min(WAIT_SECONDS_MAX))
            + Duration::from_nanos(1)
    }

    /// Takes so many; what is less than nothing is given back.
    pub(super) fn take(&mut self, now: Duration, number: f64) {
        self.balance = self.balance_at(now) - number;
        self.at = self.at.max(now);
    }

    fn balance_at(&self, now: Duration) -> f64 {
        let since = now.saturating_sub(self.at).as_secs_f64();
        (self.balance + since * self.per_second).min(self.per_second * KEPT.as_secs_f64())
    }
}
