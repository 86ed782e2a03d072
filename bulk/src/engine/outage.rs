//! An outage of the service: its start, and the growing pauses between the attempts that probe whether it is
//! over. Pure: times are durations since a fixed start.

use std::time::Duration;

/// The first pause; each further one is twice as long.
pub(super) const PAUSE: Duration = Duration::from_millis(200);

/// The maximum pause.
const PAUSE_MAX: Duration = Duration::from_secs(15);

/// An outage that lasts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outage {
    pub(super) since: Duration,
    /// The next attempt may begin then, alone.
    pub(super) paused_until: Duration,
    pause: Duration,
}

impl Outage {
    pub(super) fn begins(now: Duration) -> Outage {
        Outage { since: now, pause: PAUSE, paused_until: now + PAUSE }
    }

    /// An attempt that began at `begun` failed as well. Returns how long the outage has lasted.
    pub(super) fn goes_on(&mut self, begun: Duration, now: Duration) -> Duration {
        // Attempts that were in flight together count as one failure.
        if begun >= self.paused_until {
            self.pause = (self.pause * 2).min(PAUSE_MAX);
            self.paused_until = now + self.pause;
        }
        now.saturating_sub(self.since)
    }
}
