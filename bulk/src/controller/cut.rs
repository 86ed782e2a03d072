//! A burst of refusals, taken as one.

use std::time::Duration;

/// Where nothing at all is admitted the pause doubles up to this.
const PAUSE_MAX: Duration = Duration::from_secs(60);
/// The first pause of those.
const PAUSE_BARREN: Duration = Duration::from_millis(125);

/// A cut that is not settled yet: more of its refusals may come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    pub(super) at: Duration,
    /// When the one before was.
    pub(super) since: Duration,
    /// What began in between and was not refused so far.
    pub(super) admitted: u32,
    /// The most that were on their way in between.
    pub(super) peak: u32,
    /// So many began with as many on their way as that.
    pub(super) peak_begins: u32,
    /// So many were on their way and not refused.
    pub(super) number: u32,
    /// So many cuts in a row admitted nothing, if this one did not either.
    pub(super) barren: u32,
    /// Refusals of this burst.
    pub(super) refused: u32,
    /// Whether rows waited for others to end.
    pub(super) was_full: bool,
}

/// How long nothing begins where nothing is admitted.
pub(super) fn barren_pause(barren: u32) -> Duration {
    if barren == 0 {
        return Duration::ZERO;
    }
    PAUSE_BARREN.saturating_mul(2u32.saturating_pow(barren)).min(PAUSE_MAX)
}
