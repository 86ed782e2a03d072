//! How long to wait before the same again: doubled each time, bounded, spread by chance. Knows no row.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

/// The first wait; each further one is twice as long.
const FIRST: Duration = Duration::from_millis(500);

/// The doubling stops here.
const WAIT_MAX: Duration = Duration::from_secs(30);

/// By so much of itself a wait grows at most, so that rows that were refused together do not come back
/// together.
const SPREAD: f64 = 0.25;

/// A source of chance that needs no quality: xorshift, begun anywhere.
#[derive(Clone, Debug)]
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new() -> Chance {
        Chance(RandomState::new().build_hasher().finish() | 1)
    }

    /// From 0 to 1.
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// The wait after so many failures, 1 for the first, and not below what was asked for.
    pub(super) fn wait(&mut self, failures: u32, asked: Option<Duration>) -> Duration {
        let doublings = failures.saturating_sub(1).min(16);
        let doubled = FIRST.saturating_mul(1 << doublings).min(WAIT_MAX);
        let wait = doubled.max(asked.unwrap_or_default());
        wait + wait.mul_f64(SPREAD * self.next())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_within_bounds_and_keep_to_what_was_asked() {
        let mut chance = Chance::new();
        for (failures, asked, least) in [
            (1, None, Duration::from_millis(500)),
            (2, None, Duration::from_secs(1)),
            (5, None, Duration::from_secs(8)),
            (7, None, Duration::from_secs(30)),
            (u32::MAX, None, Duration::from_secs(30)),
            (1, Some(Duration::from_secs(89)), Duration::from_secs(89)),
            (4, Some(Duration::from_secs(1)), Duration::from_secs(4)),
        ] {
            for _ in 0..100 {
                let wait = chance.wait(failures, asked);
                assert!(
                    wait >= least && wait <= least.mul_f64(1.0 + SPREAD),
                    "{failures} {wait:?}"
                );
            }
        }
    }
}
