//! Whether the rows of a model fail one after another, for reasons of the service: then one row at a time
//! is sent, with growing pauses, until an answer comes or patience runs out. Pure: times are durations
//! since a fixed start.

use std::time::Duration;

use modelwire::ErrorKind;

use super::outage::Outage;

/// This many consecutive failures of one kind open the breaker ...
const IN_A_ROW_MAX: u32 = 5;

/// ... and so does a majority of failures among this many ends.
const WINDOW: u32 = 20;

/// The recent ends of a model's rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Breaker {
    last: Option<ErrorKind>,
    in_a_row: u32,
    /// Ends in the current window, and the failures among them.
    ended: u32,
    failed: u32,
    /// While it is open.
    outage: Option<Outage>,
    /// A row that began after it opened is in flight.
    is_probing: bool,
}

impl Breaker {
    /// A row that began at `begun` was answered. An answer to a row from before the failures says nothing.
    pub(super) fn answered(&mut self, begun: Duration) {
        match self.outage {
            None => {
                (self.last, self.in_a_row) = (None, 0);
                self.ends(false);
            }
            Some(outage) if begun >= outage.since => *self = Breaker::default(),
            Some(_) => {}
        }
    }

    /// A row that began at `begun` failed. Returns whether to give up.
    pub(super) fn failed(
        &mut self,
        kind: ErrorKind,
        begun: Duration,
        now: Duration,
        patience: Duration,
    ) -> bool {
        if let Some(outage) = &mut self.outage {
            return outage.goes_on(begun, now) >= patience && begun > outage.since;
        }
        self.in_a_row = if self.last == Some(kind) { self.in_a_row + 1 } else { 1 };
        self.last = Some(kind);
        if self.ends(true) || self.in_a_row >= IN_A_ROW_MAX {
            self.outage = Some(Outage::begins(now));
        }
        false
    }

    /// Counts an end; returns whether most of a full window failed.
    fn ends(&mut self, has_failed: bool) -> bool {
        self.ended += 1;
        self.failed += u32::from(has_failed);
        let is_over = self.failed * 2 > WINDOW;
        if self.ended >= WINDOW {
            (self.ended, self.failed) = (0, 0);
        }
        is_over
    }

    /// A row begins.
    pub(super) fn begins(&mut self) {
        self.is_probing = self.outage.is_some();
    }

    /// A row that began at `begun` ended, however it ended: another one may probe after a pause.
    pub(super) fn ended(&mut self, begun: Duration, now: Duration) {
        if let Some(outage) = self.outage.as_mut().filter(|outage| begun > outage.since) {
            self.is_probing = false;
            outage.goes_on(begun, now);
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.outage.is_some()
    }

    /// While it is open and no row probes: when the next row may begin. `None` while one probes.
    pub(super) fn probe_at(&self) -> Option<Duration> {
        self.outage.filter(|_| !self.is_probing).map(|outage| outage.paused_until)
    }

    /// When it opened.
    pub(super) fn open_since(&self) -> Option<Duration> {
        self.outage.map(|outage| outage.since)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::super::outage::PAUSE;
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(600);

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn consecutive_failures_of_one_kind_open_it() {
        let mut breaker = Breaker::default();
        for kind in [ErrorKind::Server, ErrorKind::Timeout].repeat(2) {
            assert!(!breaker.failed(kind, at(0), at(1), PATIENCE) && breaker.probe_at().is_none());
        }
        breaker.answered(at(1));
        for _ in 1..IN_A_ROW_MAX {
            breaker.failed(ErrorKind::Server, at(1), at(2), PATIENCE);
            assert_eq!(breaker.probe_at(), None);
        }
        breaker.failed(ErrorKind::Server, at(1), at(2), PATIENCE);
        assert_eq!((breaker.open_since(), breaker.probe_at()), (Some(at(2)), Some(at(2) + PAUSE)));
    }

    #[test]
    fn a_majority_of_failures_opens_it_and_a_minority_does_not() {
        let mut breaker = Breaker::default();
        let mut opened = |failing: usize| {
            for number in 0..200 {
                match number % 5 < failing {
                    true => _ = breaker.failed(ErrorKind::Server, at(1), at(2), PATIENCE),
                    false => breaker.answered(at(1)),
                }
            }
            breaker.probe_at().is_some()
        };
        assert!(!opened(2));
        assert!(opened(3));
    }

    #[test]
    fn half_of_a_window_is_no_majority() {
        let opens = |failures: &[bool]| {
            let mut breaker = Breaker::default();
            for has_failed in failures {
                match has_failed {
                    true => _ = breaker.failed(ErrorKind::Server, at(1), at(2), PATIENCE),
                    false => breaker.answered(at(1)),
                }
            }
            breaker.is_open()
        };
        let half = [true, false].repeat(10);
        assert!(!opens(&half) && !opens(&half.repeat(2)));
        assert!(opens(&[&[true], &*half].concat()));
    }

    #[test]
    fn one_row_probes_at_a_time() {
        let mut breaker = Breaker::default();
        (0..5).for_each(|_| _ = breaker.failed(ErrorKind::Server, at(1), at(5), PATIENCE));
        breaker.begins();
        assert_eq!(breaker.probe_at(), None);
        breaker.ended(at(5), at(6));
        assert_eq!(breaker.probe_at(), None, "it began before");
        breaker.ended(at(6), at(7));
        assert!(breaker.probe_at() > Some(at(7)));
    }

    #[test]
    fn answers_from_before_do_not_close_it_and_a_later_one_does() {
        let mut breaker = Breaker::default();
        (0..10).for_each(|_| _ = breaker.failed(ErrorKind::Server, at(1), at(5), PATIENCE));
        breaker.answered(at(4));
        assert!(breaker.probe_at().is_some());
        breaker.answered(at(6));
        assert_eq!(breaker.probe_at(), None);
    }

    #[test]
    fn it_gives_up_only_after_a_probe() {
        let mut breaker = Breaker::default();
        (0..10).for_each(|_| _ = breaker.failed(ErrorKind::Server, at(1), at(5), PATIENCE));
        assert!(!breaker.failed(ErrorKind::Timeout, at(5), at(700), PATIENCE));
        assert!(breaker.failed(ErrorKind::Server, at(701), at(702), PATIENCE));
    }

    #[test]
    fn probes_are_spread_until_patience_runs_out() {
        let mut breaker = Breaker::default();
        (0..50).for_each(|_| _ = breaker.failed(ErrorKind::Server, at(1), at(5), PATIENCE));
        let mut probes = 0;
        let mut now = at(5);
        loop {
            let next = breaker.probe_at().unwrap();
            assert!(next > now, "each probe waits");
            now = next;
            probes += 1;
            if breaker.failed(ErrorKind::Server, now, now, PATIENCE) {
                break;
            }
        }
        assert!(now >= at(605) && now < at(625) && probes < 60, "{now:?} {probes}");
    }
}
