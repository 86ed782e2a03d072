//! Whether the service takes anything at all: an end to the patience with one that refuses every row for its
//! limits (429). Pure: knows no call. Times are durations since any one moment.

use std::time::Duration;

/// So many rows that had all their attempts, or are to wait too long, are held back at most while nothing is
/// taken.
pub(super) const HELD_MAX: usize = 256;

/// What is known.
#[derive(Clone, Debug)]
pub(super) struct Admission {
    patience: Duration,
    /// Since then everything was refused.
    refused_since: Option<Duration>,
}

impl Admission {
    pub(super) fn new(patience: Duration) -> Admission {
        Admission { patience, refused_since: None }
    }

    /// Something was taken.
    pub(super) fn admitted(&mut self) {
        self.refused_since = None;
    }

    /// A limit refused an attempt; whether others are on their way, which may be taken. True where it is time
    /// to give up.
    pub(super) fn refused(&mut self, now: Duration, others: bool) -> bool {
        let since = *self.refused_since.get_or_insert(now);
        !others && now.saturating_sub(since) >= self.patience
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_given_up_when_nothing_was_taken_for_the_patience() {
        let seconds = Duration::from_secs;
        let mut admission = Admission::new(seconds(600));
        assert!(!admission.refused(seconds(100), false));
        assert!(!admission.refused(seconds(699), false));
        assert!(!admission.refused(seconds(700), true), "one that is on its way may be taken");
        assert!(admission.refused(seconds(700), false));
        admission.admitted();
        assert!(!admission.refused(seconds(900), false));
        assert!(admission.refused(seconds(1_500), false));
    }
}
