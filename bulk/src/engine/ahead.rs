//! How many rows to record ahead of their permits: as many as are sent in the time of a disk write, so that
//! no permit waits for the disk. If answers take long, these are few, so that a crash leaves few rows
//! unknown. Times are durations since a fixed start.

use std::time::Duration;

/// Maximum rows recorded ahead, however slow the disk.
const AHEAD_MAX: usize = 1_024;

/// The send rate is measured over this time.
const WINDOW: Duration = Duration::from_millis(20);

/// Weight of the latest measurement in the moving average.
const WEIGHT: f64 = 0.25;

/// Factor over the rows sent during a write, because the disk is not always as fast.
const MARGIN: f64 = 2.0;

#[derive(Clone, Debug, Default)]
pub(super) struct Ahead {
    /// Rows per second.
    rate: f64,
    since: Duration,
    sent: u32,
    /// Seconds from the record of a row until it is on disk.
    takes: f64,
    /// The ticket being timed, and when it was issued.
    probe: Option<(u64, Duration)>,
}

impl Ahead {
    pub(super) fn noted(&mut self, ticket: u64, now: Duration) {
        self.probe.get_or_insert((ticket, now));
    }

    /// Tickets up to this one are on disk.
    pub(super) fn durable(&mut self, durable: u64, now: Duration) {
        if let Some((ticket, at)) = self.probe
            && ticket <= durable
        {
            self.probe = None;
            let took = now.saturating_sub(at).as_secs_f64();
            self.takes += (took - self.takes) * WEIGHT;
        }
    }

    pub(super) fn sent(&mut self, now: Duration) {
        self.sent += 1;
        let span = now.saturating_sub(self.since);
        if span >= WINDOW {
            let rate = f64::from(self.sent) / span.as_secs_f64();
            self.rate += (rate - self.rate) * WEIGHT;
            (self.since, self.sent) = (now, 0);
        }
    }

    /// The number of rows to record ahead, at least one.
    pub(super) fn rows(&self) -> usize {
        ((self.rate * self.takes * MARGIN) as usize).clamp(1, AHEAD_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rate: u32, takes: Duration) -> usize {
        let (mut ahead, mut now) = (Ahead::default(), Duration::ZERO);
        for ticket in 0..u64::from(rate) * 2 {
            ahead.noted(ticket, now);
            ahead.durable(ticket, now + takes);
            now += Duration::from_secs(1) / rate;
            ahead.sent(now);
        }
        ahead.rows()
    }

    #[test]
    fn look_ahead_covers_the_rows_sent_during_one_disk_write() {
        assert_eq!(Ahead::default().rows(), 1);
        assert_eq!(of(20, Duration::from_millis(5)), 1);
        assert!((35..=45).contains(&of(10_000, Duration::from_millis(2))));
        assert_eq!(of(10_000, Duration::from_secs(1)), AHEAD_MAX);
    }

    #[test]
    fn the_send_rate_is_a_moving_average() {
        let mut ahead = Ahead::default();
        for _ in 0..19 {
            ahead.sent(Duration::ZERO);
        }
        ahead.sent(WINDOW);
        assert_eq!((ahead.rate, ahead.sent, ahead.since), (250.0, 0, WINDOW));
    }
}
