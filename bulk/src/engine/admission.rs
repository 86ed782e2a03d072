//! Gives up on a service that refuses every row for its limits (429). Times are durations since a fixed
//! start.

use std::time::Duration;

/// Maximum rows held back while the service admits none: they used up their attempts, or would wait too
/// long.
pub(super) const HELD_MAX: usize = 256;

/// When the service last began to refuse everything.
#[derive(Clone, Debug)]
pub(super) struct Admission {
    patience: Duration,
    /// Every attempt was refused since this time.
    refused_since: Option<Duration>,
}

impl Admission {
    pub(super) fn new(patience: Duration) -> Admission {
        Admission { patience, refused_since: None }
    }

    /// The service admitted an attempt.
    pub(super) fn admitted(&mut self) {
        self.refused_since = None;
    }

    /// A limit refused an attempt; `others` are in flight and may still be admitted. Returns whether to
    /// give up.
    pub(super) fn refused(&mut self, now: Duration, others: bool) -> bool {
        let since = *self.refused_since.get_or_insert(now);
        !others && now.saturating_sub(since) >= self.patience
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_that_admits_nothing_in_time_is_given_up() {
        let seconds = Duration::from_secs;
        let mut admission = Admission::new(seconds(600));
        assert!(!admission.refused(seconds(100), false));
        assert!(!admission.refused(seconds(699), false));
        assert!(!admission.refused(seconds(700), true), "one in flight may still be admitted");
        assert!(admission.refused(seconds(700), false));
        admission.admitted();
        assert!(!admission.refused(seconds(900), false));
        assert!(admission.refused(seconds(1_500), false));
    }
}
