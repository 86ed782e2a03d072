//! Classifies the end of an attempt: an outcome, a retry, or the end of the run. Pure: no I/O and no clock.

use std::time::Duration;

use modelwire::{Error, ErrorKind, Metered, TimeoutPhase};

/// The status of a refusal for a balance that is used up.
pub(super) const PAYMENT_REQUIRED: u16 = 402;

/// The limits that the user set for retries.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Maximum attempts of a row that a limit refuses (429).
    pub attempts_max: u32,
    /// Maximum attempts of a row that the service may have metered: 1 means no retry.
    pub paid_attempts_max: u32,
    /// How many times a row is asked again if its answer fails a check.
    pub ask_again_max: u32,
    /// Maximum Retry-After to wait for: with a longer one, the refusal is the row's outcome.
    pub retry_after_max: Duration,
}

/// What follows from the end of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Classified {
    /// It is the row's outcome.
    Outcome,
    /// A limit refused it, so it was not processed: it is retried.
    Limited,
    /// The service may have metered it, and it is retried anyway, as the user allowed.
    AgainPaid,
    /// Nothing was sent: the service is unreachable, or the connection died before.
    NotSent,
    /// The key is wrong: every row would fail.
    KeyRefused,
    /// The account, its balance, the key or the model forbids it: perhaps every row of the model would fail.
    Forbidden,
    /// The path or the model does not exist: perhaps every row of the model would fail.
    NotFound,
    /// The service refused the request, as invalid for instance: perhaps it refuses all of them.
    Invalid,
    /// It was cancelled on this side. What the service did with it is unknown.
    Unknown,
}

/// The attempts of a row, including this one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tries {
    /// Attempts that a limit refused.
    pub(super) limited: u32,
    /// Attempts that may have been metered.
    pub(super) paid: u32,
    /// Answers that failed a check.
    pub(super) rejected: u32,
    /// Attempts whose key was rejected.
    pub(super) unauthorized: u32,
    /// Attempts that one of several services refused, though another may accept the row.
    pub(super) elsewhere: u32,
}

/// Classifies a failed attempt, and counts it in `tries` if a limit refused it or it may have been metered.
pub(super) fn classify(error: &Error, tries: &mut Tries, rules: &Rules) -> Classified {
    match error.kind() {
        ErrorKind::RateLimited => {
            tries.limited = tries.limited.saturating_add(1);
            let waits_long = error.retry_after().is_some_and(|wait| wait > rules.retry_after_max);
            match tries.limited >= rules.attempts_max || waits_long {
                true => Classified::Outcome,
                false => Classified::Limited,
            }
        }
        ErrorKind::Authentication => {
            tries.unauthorized = tries.unauthorized.saturating_add(1);
            Classified::KeyRefused
        }
        ErrorKind::Permission => Classified::Forbidden,
        ErrorKind::NotFound => Classified::NotFound,
        ErrorKind::Connect | ErrorKind::Tls => Classified::NotSent,
        ErrorKind::Timeout if is_before_sending(error) => Classified::NotSent,
        ErrorKind::Disconnected if error.metered() == Metered::NotSent => Classified::NotSent,
        ErrorKind::Server
        | ErrorKind::Timeout
        | ErrorKind::Disconnected
        | ErrorKind::Incomplete
        | ErrorKind::Stream => {
            tries.paid = tries.paid.saturating_add(1);
            match tries.paid < rules.paid_attempts_max {
                true => Classified::AgainPaid,
                false => Classified::Outcome,
            }
        }
        ErrorKind::Status if error.status() == Some(PAYMENT_REQUIRED) => Classified::Forbidden,
        ErrorKind::InvalidRequest | ErrorKind::Status => Classified::Invalid,
        // A retry would get the same answer.
        ErrorKind::Protocol
        | ErrorKind::Argument
        | ErrorKind::Config
        | ErrorKind::Callback
        | ErrorKind::Internal => Classified::Outcome,
        ErrorKind::Cancelled | ErrorKind::Closed | ErrorKind::Forked | ErrorKind::Shutdown => {
            match error.metered() {
                Metered::NotSent => Classified::NotSent,
                Metered::NormallyNot | Metered::Entered | Metered::Unknown => Classified::Unknown,
            }
        }
    }
}

fn is_before_sending(error: &Error) -> bool {
    match error.timeout() {
        Some(TimeoutPhase::Pool | TimeoutPhase::Connect) => true,
        Some(
            TimeoutPhase::FirstByte
            | TimeoutPhase::FirstContent
            | TimeoutPhase::Idle
            | TimeoutPhase::Total,
        )
        | None => error.metered() == Metered::NotSent,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use std::ops::ControlFlow;
    use std::time::Duration;

    use modelwire::{Call, Client, Config, Request, RetryPolicy, parse};
    use modelwire_testing::{Fault, Point, Reply, Says, Service, Step};

    use super::*;

    const RULES: Rules = Rules {
        attempts_max: 3,
        paid_attempts_max: 2,
        ask_again_max: 0,
        retry_after_max: Duration::from_secs(60),
    };

    fn config() -> Config {
        Config::new().base_url("http://127.0.0.1:9/v1").api_key("sk-test")
    }

    fn first(error: &Error) -> (Classified, Tries) {
        let mut tries = Tries::default();
        (classify(error, &mut tries, &RULES), tries)
    }

    #[test]
    fn a_status_says_what_follows() {
        for (status, expected) in [
            (301, Classified::Invalid),
            (400, Classified::Invalid),
            (401, Classified::KeyRefused),
            (402, Classified::Forbidden),
            (403, Classified::Forbidden),
            (404, Classified::NotFound),
            (405, Classified::Invalid),
            (409, Classified::Invalid),
            (422, Classified::Invalid),
            (429, Classified::Limited),
            (500, Classified::AgainPaid),
            (503, Classified::AgainPaid),
        ] {
            let error = parse::error_of(config(), Some(status), "{}").unwrap();
            assert_eq!(first(&error).0, expected, "{status}");
        }
    }

    #[test]
    fn attempts_are_counted_by_what_they_may_cost() {
        let error = |status| parse::error_of(config(), Some(status), "{}").unwrap();
        let mut tries = Tries::default();
        let mut next = |status| classify(&error(status), &mut tries, &RULES);
        assert_eq!(
            [429, 429, 429].map(&mut next),
            [Classified::Limited, Classified::Limited, Classified::Outcome]
        );
        assert_eq!([500, 500].map(&mut next), [Classified::AgainPaid, Classified::Outcome]);
        assert_eq!((tries.limited, tries.paid, tries.unauthorized), (3, 2, 0));
    }

    /// It costs nothing, so the row waits for the service, and is not counted.
    #[test]
    fn what_was_not_sent_is_no_attempt() {
        let client = Client::new(config()).unwrap();
        let error = client.blocking().send(Request::chat("a-model").user("Hello")).unwrap_err();
        assert_eq!((error.kind(), error.metered()), (ErrorKind::Connect, Metered::NotSent));
        assert_eq!(first(&error), (Classified::NotSent, Tries::default()));
        // The only connection is in use; and one that is used for the call.
        let service = Service::start().unwrap();
        service.answer_otherwise(Some(Reply {
            says: Says::Played,
            faults: vec![Fault::At(Point::Start, Step::StallForever)],
        }));
        let config = Config::new().base_url(service.base_url()).api_key("sk-test");
        let mut config = config.retry(RetryPolicy::default().max_retries(0));
        config.limits_mut().connections_max = 1;
        let client = Client::new(config).unwrap();
        let request = || Request::chat("a-model").user("Hello");
        let short = Some(Duration::from_millis(20));
        let error = client.blocking().send(request().first_byte_timeout(short)).unwrap_err();
        assert_eq!((error.kind(), first(&error).0), (ErrorKind::Timeout, Classified::AgainPaid));
        let held = Call::new(&client, request());
        held.start_with(false, |_| ControlFlow::Continue(())).unwrap();
        while service.recorded("").len() < 2 {
            std::thread::yield_now();
        }
        let error = client.blocking().send(request().pool_timeout(short)).unwrap_err();
        assert_eq!(error.timeout(), Some(TimeoutPhase::Pool));
        assert_eq!(first(&error), (Classified::NotSent, Tries::default()));
    }

    #[test]
    fn the_longest_wait_that_a_service_may_ask_for_is_waited() {
        let service = Service::start().unwrap();
        let client = Client::new(Config::new().base_url(service.base_url()).api_key("sk-test"));
        let client = client.unwrap();
        for (seconds, expected) in [("60", Classified::Limited), ("61", Classified::Outcome)] {
            let headers = vec![("Retry-After".to_owned(), seconds.to_owned())];
            let says = Says::Document { status: 429, headers, body: b"{}".to_vec() };
            service.queue(vec![Reply { says, faults: Vec::new() }]);
            let request = Request::chat("a-model").user("Hello");
            let request = request.retry(RetryPolicy::default().max_retries(0));
            let error = client.blocking().send(request).unwrap_err();
            assert_eq!(first(&error).0, expected, "{seconds}");
        }
    }
}
