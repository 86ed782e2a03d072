//! Decides whether a failed attempt is retried, and after what wait. Pure: no clock, no I/O.

use std::time::Duration;

use crate::answer::error::Error;
use crate::answer::error_kind::{ErrorKind, TimeoutPhase};
use crate::options::retry_policy::RetryPolicy;

/// What follows a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Try again after this wait.
    Wait(Duration),
    /// The caller gets the error.
    Stop,
}

impl RetryPolicy {
    /// `retries` is the number of retries so far, `asked` the wait that the service asks for, `chance` a
    /// random number from 0 to 1.
    pub(crate) fn decide(
        &self,
        retries: u32,
        error: &Error,
        asked: Option<Duration>,
        chance: f64,
    ) -> Decision {
        if retries >= self.max_retries || !self.covers(error) {
            return Decision::Stop;
        }
        self.wait(retries, asked, chance).map_or(Decision::Stop, Decision::Wait)
    }

    /// Whether the service refused the attempt with a retried status.
    pub(crate) fn is_refusal(&self, error: &Error) -> bool {
        let is_one = |status| !(200..300).contains(&status) && self.statuses.contains(&status);
        error.status().is_some_and(is_one)
    }

    /// For an adaptive client: how long the service asks to wait, zero if it does not say. `None` if the
    /// error is no refusal, or if it asks for more than `retry_after_max`: then each call returns that error.
    pub(crate) fn refusal(&self, error: &Error) -> Option<Duration> {
        let asked = error.retry_after().unwrap_or_default();
        (self.is_refusal(error) && asked <= self.retry_after_max).then_some(asked)
    }

    /// `None` if the service asks for a longer wait than the policy allows.
    fn wait(&self, retries: u32, asked: Option<Duration>, chance: f64) -> Option<Duration> {
        let doubled = self.first_wait.saturating_mul(2u32.saturating_pow(retries));
        let backoff = doubled.min(self.wait_max.max(self.first_wait));
        let wait = match asked {
            Some(asked) if asked > self.retry_after_max => return None,
            Some(asked) if self.retry_after_exact && !asked.is_zero() => asked,
            Some(asked) => backoff.max(asked),
            None => backoff,
        };
        let part = self.jitter.clamp(0.0, 1.0) * chance.clamp(0.0, 1.0);
        let more = Duration::try_from_secs_f64(wait.as_secs_f64() * part).unwrap_or_default();
        Some(wait.saturating_add(more))
    }

    /// Whether the error is one that the policy retries. After a success status that is only so with
    /// `before_content`, for which the caller makes sure that nothing has reached the program (R-LIM2).
    pub(crate) fn covers(&self, error: &Error) -> bool {
        match error.kind() {
            ErrorKind::InvalidRequest
            | ErrorKind::Authentication
            | ErrorKind::Permission
            | ErrorKind::NotFound
            | ErrorKind::RateLimited
            | ErrorKind::Server
            | ErrorKind::Status => {
                error.status().is_some_and(|status| self.statuses.contains(&status))
            }
            ErrorKind::Connect => self.connect_errors,
            ErrorKind::Timeout => match error.timeout() {
                Some(TimeoutPhase::Connect) => self.connect_errors,
                Some(TimeoutPhase::FirstByte) => self.first_byte_timeouts,
                Some(TimeoutPhase::FirstContent) => self.before_content,
                Some(TimeoutPhase::Idle) => self.covers_answer(error),
                Some(TimeoutPhase::Pool | TimeoutPhase::Total) | None => false,
            },
            ErrorKind::Disconnected if error.status().is_none() => self.lost_connections,
            // The answer would be too large again, and the request invalid.
            ErrorKind::Protocol if error.is_too_large() => false,
            ErrorKind::Stream if error.error_type() == Some("invalid_request_error") => false,
            ErrorKind::Disconnected
            | ErrorKind::Protocol
            | ErrorKind::Incomplete
            | ErrorKind::Stream => self.covers_answer(error),
            ErrorKind::Tls
            | ErrorKind::Cancelled
            | ErrorKind::Argument
            | ErrorKind::Config
            | ErrorKind::Closed
            | ErrorKind::Forked
            | ErrorKind::Shutdown
            | ErrorKind::Callback
            | ErrorKind::Internal => false,
        }
    }

    fn covers_answer(&self, error: &Error) -> bool {
        let was_accepted = error.status().is_some_and(|status| (200..300).contains(&status));
        self.before_content && was_accepted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::error::FailedAnswer;
    use crate::answer::head::Head;

    impl RetryPolicy {
        fn judge(&self, retries: u32, error: &Error, chance: f64) -> Decision {
            self.decide(retries, error, error.retry_after(), chance)
        }
    }

    fn answered(status: u16, retry_after: Option<u64>) -> Error {
        let retry_after = retry_after.map(Duration::from_secs);
        Error::from_response(FailedAnswer { status, body: "", request_id: None, retry_after })
    }

    #[test]
    fn the_reference_policy_waits_half_one_and_two_seconds() {
        let policy = RetryPolicy::default();
        let waits: Vec<_> =
            (0..4).map(|retries| policy.judge(retries, &answered(429, None), 0.0)).collect();
        let wait = |ms| Decision::Wait(Duration::from_millis(ms));
        assert_eq!(waits, [wait(500), wait(1000), wait(2000), Decision::Stop]);
    }

    #[test]
    fn no_other_status_is_tried_again() {
        for status in [400, 401, 403, 404, 408, 409, 500, 502, 503, 529] {
            assert_eq!(
                RetryPolicy::default().judge(0, &answered(status, None), 0.0),
                Decision::Stop
            );
        }
        let policy = RetryPolicy::default().statuses(vec![429, 503]);
        assert_ne!(policy.judge(0, &answered(503, None), 0.0), Decision::Stop);
    }

    #[test]
    fn a_wait_that_the_service_asks_for_is_never_undercut() {
        let policy = RetryPolicy::default();
        let decide = |asked| policy.judge(0, &answered(429, Some(asked)), 0.0);
        assert_eq!(decide(0), Decision::Wait(Duration::from_millis(500)));
        assert_eq!(decide(7), Decision::Wait(Duration::from_secs(7)));
        assert_eq!(decide(60), Decision::Wait(Duration::from_secs(60)));
        assert_eq!(decide(61), Decision::Stop);
    }

    #[test]
    fn an_error_inside_a_stream_is_final() {
        let error = Error::from_event(r#"{"error":{"message":"busy","code":429}}"#);
        assert_eq!(RetryPolicy::default().judge(0, &error, 0.0), Decision::Stop);
        assert_eq!(
            RetryPolicy::default().judge(0, &Error::new(ErrorKind::Connect, "refused"), 0.0),
            Decision::Stop
        );
    }

    /// An answer that fails is retried by option, where the service had accepted the request (R-LIM2).
    #[test]
    fn an_answer_that_fails_is_final_unless_nothing_of_it_was_passed_on() {
        let failed =
            |status, kind| Error::new(kind, "").with_answer(&Head::new::<&str, &str>(status, []));
        let kinds = [
            ErrorKind::Disconnected,
            ErrorKind::Protocol,
            ErrorKind::Incomplete,
            ErrorKind::Stream,
        ];
        for kind in kinds {
            for (before_content, status, is_covered) in
                [(false, 200, false), (true, 200, true), (true, 302, false), (true, 503, false)]
            {
                let policy = RetryPolicy::default().before_content(before_content);
                let error = failed(status, kind);
                assert_eq!(policy.covers(&error), is_covered, "{before_content} {error:?}");
            }
        }
    }

    #[test]
    fn jitter_only_lengthens_a_wait() {
        let policy = RetryPolicy::default().jitter(0.5);
        let wait = |ms| Decision::Wait(Duration::from_millis(ms));
        assert_eq!(policy.judge(0, &answered(429, None), 0.0), wait(500));
        assert_eq!(policy.judge(0, &answered(429, None), 1.0), wait(750));
        assert_eq!(policy.judge(0, &answered(429, None), 0.5), wait(625));
        assert_eq!(policy.judge(0, &answered(429, Some(7)), 0.0), wait(7000));
        assert_eq!(policy.judge(0, &answered(429, Some(7)), 1.0), wait(10_500));
        let by_default = RetryPolicy::default();
        assert_eq!(by_default.judge(2, &answered(429, None), 1.0), wait(2500));
        assert!(RetryPolicy::default().jitter(1.5).check().is_err());
        assert!(RetryPolicy::default().jitter(f64::NAN).check().is_err());
    }

    #[test]
    fn a_connection_that_was_never_opened_is_tried_again_if_wanted() {
        let refused = Error::new(ErrorKind::Connect, "refused");
        let timed_out = |phase| Error::timed_out(phase, Duration::from_secs(1));
        let policy = RetryPolicy::default().connect_errors(true);
        assert_ne!(policy.judge(0, &refused, 0.0), Decision::Stop);
        assert_ne!(policy.judge(0, &timed_out(TimeoutPhase::Connect), 0.0), Decision::Stop);
        assert_eq!(policy.judge(0, &timed_out(TimeoutPhase::FirstByte), 0.0), Decision::Stop);
        assert_eq!(RetryPolicy::default().judge(0, &refused, 0.0), Decision::Stop);
    }

    /// Refusals are found by status, even with no retry left.
    #[test]
    fn an_adaptive_client_learns_of_refusals() {
        let policy = RetryPolicy::default();
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        assert_eq!(policy.refusal(&answered(429, None)), seconds(0));
        assert_eq!(policy.refusal(&answered(429, Some(7))), seconds(7));
        assert_eq!(policy.refusal(&answered(429, Some(61))), None);
        assert_eq!(policy.refusal(&answered(503, Some(7))), None);
        assert_eq!(policy.max_retries(0).refusal(&answered(429, None)), seconds(0));
        let policy = RetryPolicy::default().statuses(vec![503]).connect_errors(true);
        assert_eq!(policy.refusal(&answered(503, None)), seconds(0));
        assert_eq!(policy.refusal(&Error::new(ErrorKind::Connect, "refused")), None);
    }

    #[test]
    fn a_lost_connection_is_tried_again_only_if_wanted() {
        let lost = Error::new(ErrorKind::Disconnected, "reset");
        let unsent = Error::new(ErrorKind::Connect, "closed before anything was sent");
        let policy = RetryPolicy::default().lost_connections(true);
        assert_ne!(policy.judge(0, &lost, 0.0), Decision::Stop);
        assert_eq!(policy.judge(0, &unsent, 0.0), Decision::Stop);
        let policy = RetryPolicy::default().connect_errors(true);
        assert_eq!(policy.judge(0, &lost, 0.0), Decision::Stop);
        assert_ne!(policy.judge(0, &unsent, 0.0), Decision::Stop);
        assert_eq!(RetryPolicy::default().judge(0, &lost, 0.0), Decision::Stop);
    }

    #[test]
    fn the_doubling_stops() {
        let policy = RetryPolicy::default().max_retries(10);
        let waits = (0..10).map(|retries| match policy.judge(retries, &answered(429, None), 0.0) {
            Decision::Wait(wait) => wait.as_secs_f64(),
            Decision::Stop => 0.0,
        });
        let all: Vec<f64> = waits.collect();
        assert_eq!(all, [0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0]);
        let slow = policy.first_wait(Duration::from_secs(20));
        let wait = Decision::Wait(Duration::from_secs(20));
        assert_eq!(slow.judge(3, &answered(429, None), 0.0), wait, "first_wait exceeds wait_max");
    }

    #[test]
    fn where_the_doubling_stops_is_an_option() {
        let policy = RetryPolicy::default().max_retries(10).wait_max(Duration::from_secs(3));
        let wait = |retries| policy.judge(retries, &answered(429, None), 0.0);
        assert_eq!(wait(2), Decision::Wait(Duration::from_secs(2)));
        assert_eq!(wait(3), Decision::Wait(Duration::from_secs(3)));
        assert_eq!(wait(9), Decision::Wait(Duration::from_secs(3)));
        let long = Duration::from_secs(1 << 40);
        assert!(RetryPolicy::default().wait_max(long).check().is_err());
    }

    #[test]
    fn an_answer_that_did_not_begin_in_time_is_tried_again_if_wanted() {
        let timed_out = |phase| Error::timed_out(phase, Duration::from_secs(1));
        let policy = RetryPolicy::default().first_byte_timeouts(true);
        assert_ne!(policy.judge(0, &timed_out(TimeoutPhase::FirstByte), 0.0), Decision::Stop);
        for phase in [TimeoutPhase::Idle, TimeoutPhase::Total, TimeoutPhase::Pool] {
            assert_eq!(policy.judge(0, &timed_out(phase), 0.0), Decision::Stop);
        }
        let by_default = RetryPolicy::default().judge(0, &timed_out(TimeoutPhase::FirstByte), 0.0);
        assert_eq!(by_default, Decision::Stop);
    }

    /// With `retry_after_exact`, the wait is exactly as long as the service asks.
    #[test]
    fn retry_after_exact_replaces_a_longer_wait() {
        let policy = RetryPolicy::default().retry_after_exact(true);
        let seconds = |seconds| Decision::Wait(Duration::from_secs(seconds));
        let decide = |retries, asked| policy.judge(retries, &answered(429, Some(asked)), 0.0);
        assert_eq!(decide(2, 1), seconds(1));
        assert_eq!(decide(2, 7), seconds(7));
        assert_eq!(decide(2, 0), seconds(2), "no wait was requested");
        assert_eq!(decide(2, 61), Decision::Stop);
        let by_default = RetryPolicy::default().judge(2, &answered(429, Some(1)), 0.0);
        assert_eq!(by_default, seconds(2));
    }

    #[test]
    fn a_wait_without_end_does_not_overflow() {
        let policy = RetryPolicy::default().retry_after_max(Duration::MAX);
        let decided = policy.judge(0, &answered(429, Some(u64::MAX)), 1.0);
        assert_eq!(decided, Decision::Wait(Duration::MAX));
    }

    #[test]
    fn many_retries_do_not_overflow() {
        let policy = RetryPolicy::default().max_retries(u32::MAX);
        assert_eq!(
            policy.judge(4_000_000_000, &answered(429, None), 0.0),
            Decision::Wait(policy.wait_max)
        );
    }
}
