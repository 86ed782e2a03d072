//! Wait timeouts from C, in milliseconds.

use std::time::{Duration, Instant};

/// The longest wait; `None` waits without limit.
pub(crate) fn patience(timeout_ms: i32) -> Option<Duration> {
    u64::try_from(timeout_ms).ok().map(Duration::from_millis)
}

/// The timeout of a wait that continues after an event that is not passed to C.
pub(crate) struct Timeout {
    whole: Option<Duration>,
    start: Option<Instant>,
}

impl Timeout {
    pub(crate) fn new(timeout_ms: i32) -> Timeout {
        Timeout { whole: patience(timeout_ms), start: None }
    }

    /// The time left; all of it on the first call. The clock is read only on a second call, which is
    /// rare.
    pub(crate) fn left(&mut self) -> Option<Duration> {
        let whole = self.whole.filter(|whole| !whole.is_zero());
        match (whole, self.start) {
            (None, _) => self.whole,
            (Some(whole), Some(start)) => Some(whole.saturating_sub(start.elapsed())),
            (Some(whole), None) => {
                self.start = Some(Instant::now());
                Some(whole)
            }
        }
    }
}
