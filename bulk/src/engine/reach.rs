//! Whether the service is reachable: while it is not, one attempt at a time, until patience runs out. Times
//! are durations since a fixed start.

use std::time::Duration;

use super::outage::Outage;

/// Maximum wait for a service that was never reached: a wrong address is reported soon.
pub(super) const PATIENCE_AT_FIRST: Duration = Duration::from_secs(5);

/// The reachability of the service.
#[derive(Clone, Debug)]
pub(super) struct Reach {
    was_reached: bool,
    /// How long to wait for a service that was reached before.
    patience: Duration,
    /// Nothing could be sent since then.
    lost: Option<Outage>,
}

impl Reach {
    pub(super) fn new(patience: Duration) -> Reach {
        Reach { was_reached: false, patience, lost: None }
    }

    /// The service sent something.
    pub(super) fn reached(&mut self) {
        (self.was_reached, self.lost) = (true, None);
    }

    /// An attempt that began at `begun` could not be sent. Returns whether to give up.
    pub(super) fn failed(&mut self, begun: Duration, now: Duration) -> bool {
        let Some(lost) = &mut self.lost else {
            self.lost = Some(Outage::begins(now));
            return false;
        };
        let lasts = lost.goes_on(begun, now);
        lasts >= self.patience()
    }

    /// How long to wait for the service.
    pub(super) fn patience(&self) -> Duration {
        match self.was_reached {
            true => self.patience,
            false => self.patience.min(PATIENCE_AT_FIRST),
        }
    }

    /// While the service is unreachable: when the next attempt may begin, alone.
    pub(super) fn alone_from(&self) -> Option<Duration> {
        self.lost.map(|lost| lost.paused_until)
    }

    /// When the service became unreachable.
    pub(super) fn lost_at(&self) -> Option<Duration> {
        self.lost.map(|lost| lost.since)
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
