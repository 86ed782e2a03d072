//! The recent rate of a count that is sampled now and then. Pure: uses no clock.

use std::collections::VecDeque;
use std::time::Duration;

/// The period over which the rate is shown.
const WINDOW: Duration = Duration::from_secs(20);

/// Minimum interval between stored samples, which bounds their number.
const APART: Duration = Duration::from_millis(500);

/// With a smaller count in the window, the rate since the beginning is shown instead.
const COUNT_MIN: u64 = 10;

/// A count and its rate.
#[derive(Debug, Default)]
pub(super) struct Rate {
    looks: VecDeque<(Duration, u64)>,
    first: Option<(Duration, u64)>,
}

impl Rate {
    /// Records the current count; returns the rate per second.
    pub(super) fn look(&mut self, now: Duration, count: u64) -> f64 {
        let first = *self.first.get_or_insert((now, count));
        if self.looks.back().is_none_or(|(last, _)| now.saturating_sub(*last) >= APART) {
            self.looks.push_back((now, count));
        }
        while let Some((_, (second, _))) = self.looks.front().zip(self.looks.get(1))
            && now.saturating_sub(*second) >= WINDOW
        {
            self.looks.pop_front();
        }
        let since = self.looks.front().copied().unwrap_or(first);
        let lately = count.saturating_sub(since.1) >= COUNT_MIN;
        let (time, before) = if lately { since } else { first };
        let seconds = now.saturating_sub(time).as_secs_f64();
        if seconds > 0.0 { count.saturating_sub(before) as f64 / seconds } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    #[test]
    fn the_rate_follows_the_last_seconds() {
        let mut rate = Rate::default();
        assert_eq!(rate.look(seconds(0.0), 0), 0.0);
        let mut count = 0;
        let mut last = 0.0;
        for tenth in 1..=600 {
            count += if tenth <= 300 { 10 } else { 50 };
            last = rate.look(seconds(f64::from(tenth) / 10.0), count);
            assert!(rate.looks.len() <= 42, "{}", rate.looks.len());
        }
        assert!((490.0..510.0).contains(&last), "{last}");
    }

    #[test]
    fn a_slow_rate_is_measured_from_the_start() {
        let mut rate = Rate::default();
        let mut last = 0.0;
        for minute in 0..=10 {
            last = rate.look(seconds(f64::from(minute) * 60.0), u64::try_from(minute).unwrap_or(0));
        }
        assert!((last - 1.0 / 60.0).abs() < 1e-9, "{last}");
    }
}
