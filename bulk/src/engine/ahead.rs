//! How many rows are noted before there is a permit for them: as many as are sent while the disk takes its
//! time, so that no permit waits for a disk. Few where answers take long: what a crash leaves unknown stays
//! small. Pure: knows no row and no book. Times are durations since any one moment.

use std::time::Duration;

/// No more are noted ahead, whatever the disk takes.
const AHEAD_MAX: usize = 1_024;

/// The rate of sending is measured over this time.
const WINDOW: Duration = Duration::from_millis(20);

/// How much the latest measure counts.
const WEIGHT: f64 = 0.25;

/// So many times what is sent meanwhile: the disk is not always as fast.
const MARGIN: f64 = 2.0;

#[derive(Clone, Debug, Default)]
pub(super) struct Ahead {
    /// Rows a second.
    rate: f64,
    since: Duration,
    sent: u32,
    /// Seconds from a note to the disk.
    takes: f64,
    /// A note that is looked after.
    probe: Option<(u64, Duration)>,
}

impl Ahead {
    pub(super) fn noted(&mut self, ticket: u64, now: Duration) {
        self.probe.get_or_insert((ticket, now));
    }

    /// Notes up to this one are on disk.
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

    /// So many rows, at least one.
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
    fn as_many_as_are_sent_while_the_disk_takes_its_time() {
        assert_eq!(Ahead::default().rows(), 1);
        assert_eq!(of(20, Duration::from_millis(5)), 1);
        assert!((35..=45).contains(&of(10_000, Duration::from_millis(2))));
        assert_eq!(of(10_000, Duration::from_secs(1)), AHEAD_MAX);
    }
}
