//! The backoff before a retry: exponential, bounded, with jitter.

use std::time::Duration;

/// The first wait; each further one is twice as long.
const FIRST: Duration = Duration::from_millis(500);

/// The maximum wait, unless the service asks for longer.
const WAIT_MAX: Duration = Duration::from_secs(30);

/// Maximum wait that a service can ask for.
const ASKED_MAX: Duration = Duration::from_secs(86_400);

/// Maximum jitter as a share of the wait, so that rows refused together do not return together.
const SPREAD: f64 = 0.25;

/// The wait after this many failures (1 is the first), and at least as long as the service asked for.
pub(super) fn wait(failures: u32, asked: Option<Duration>) -> Duration {
    let doublings = failures.saturating_sub(1).min(16);
    let doubled = FIRST.saturating_mul(1 << doublings).min(WAIT_MAX);
    let wait = doubled.max(asked.unwrap_or_default().min(ASKED_MAX));
    wait + wait.mul_f64(SPREAD * fastrand::f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_within_bounds_and_respect_retry_after() {
        for (failures, asked, least) in [
            (1, None, Duration::from_millis(500)),
            (2, None, Duration::from_secs(1)),
            (5, None, Duration::from_secs(8)),
            (7, None, Duration::from_secs(30)),
            (u32::MAX, None, Duration::from_secs(30)),
            (1, Some(Duration::from_secs(89)), Duration::from_secs(89)),
            (4, Some(Duration::from_secs(1)), Duration::from_secs(4)),
            (1, Some(Duration::MAX), ASKED_MAX),
        ] {
            for _ in 0..100 {
                let wait = wait(failures, asked);
                assert!(
                    wait >= least && wait <= least.mul_f64(1.0 + SPREAD),
                    "{failures} {wait:?}"
                );
            }
        }
    }
}
