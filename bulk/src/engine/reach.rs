//! Whether the service is reachable: while it is not, one attempt at a time, until patience runs out. Times
//! are durations since a fixed start.

use std::time::Duration;

/// The first pause after a failure to send; each further one is twice as long.
const PAUSE: Duration = Duration::from_millis(200);

/// The maximum pause.
const PAUSE_MAX: Duration = Duration::from_secs(15);

/// Maximum wait for a service that was never reached: a wrong address is reported soon.
pub(super) const PATIENCE_AT_FIRST: Duration = Duration::from_secs(5);

/// The reachability of the service.
#[derive(Clone, Debug)]
pub(super) struct Reach {
    was_reached: bool,
    /// How long to wait for a service that was reached before.
    patience: Duration,
    /// Nothing could be sent since this time.
    lost_at: Option<Duration>,
    pause: Duration,
    paused_until: Duration,
}

impl Reach {
    pub(super) fn new(patience: Duration) -> Reach {
        let (lost_at, paused_until) = (None, Duration::ZERO);
        Reach { was_reached: false, patience, lost_at, pause: PAUSE, paused_until }
    }

    /// The service sent something.
    pub(super) fn reached(&mut self) {
        self.was_reached = true;
        self.lost_at = None;
        self.pause = PAUSE;
    }

    /// An attempt that began at `begun` could not be sent. Returns whether to give up.
    pub(super) fn failed(&mut self, begun: Duration, now: Duration) -> bool {
        let Some(lost_at) = self.lost_at else {
            self.lost_at = Some(now);
            self.paused_until = now + self.pause;
            return false;
        };
        // Attempts that were in flight together count as one failure.
        if begun >= self.paused_until {
            self.pause = (self.pause * 2).min(PAUSE_MAX);
            self.paused_until = now + self.pause;
        }
        let patience = match self.was_reached {
            true => self.patience,
            false => self.patience.min(PATIENCE_AT_FIRST),
        };
        now.saturating_sub(lost_at) >= patience
    }

    /// While the service is unreachable: when the next attempt may begin, alone.
    pub(super) fn alone_from(&self) -> Option<Duration> {
        self.lost_at.map(|_| self.paused_until)
    }

    /// When the service became unreachable.
    pub(super) fn lost_at(&self) -> Option<Duration> {
        self.lost_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    #[test]
    fn a_service_that_was_never_reached_is_given_up_soon() {
        let mut reach = Reach::new(seconds(300.0));
        let mut now = seconds(1.0);
        assert!(!reach.failed(seconds(0.5), now));
        let mut attempts = 1;
        loop {
            let next = reach.alone_from().unwrap_or_default();
            assert!(next > now, "each attempt waits");
            now = next;
            attempts += 1;
            if reach.failed(now, now) {
                break;
            }
        }
        assert!(now >= seconds(6.0) && now < seconds(12.0) && attempts < 10, "{now:?} {attempts}");
    }

    #[test]
    fn a_burst_of_failures_counts_as_one_failure() {
        let mut reach = Reach::new(seconds(300.0));
        reach.reached();
        for _ in 0..1_000 {
            assert!(!reach.failed(seconds(1.0), seconds(2.0)));
        }
        assert_eq!(reach.alone_from(), Some(seconds(2.2)));
        reach.reached();
        assert_eq!(reach.alone_from(), None);
    }

    #[test]
    fn a_service_that_was_reached_is_waited_for() {
        let mut reach = Reach::new(seconds(300.0));
        reach.reached();
        assert!(!reach.failed(seconds(1.0), seconds(1.0)));
        assert!(!reach.failed(seconds(299.0), seconds(300.0)));
        assert!(reach.failed(seconds(301.0), seconds(301.0)));
    }
}
