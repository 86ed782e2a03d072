//! What follows from how an attempt ended: an outcome, another attempt, or the end of the run. Pure: knows
//! no call, no clock and no file.

use std::time::Duration;

use modelwire::{Error, ErrorKind, Metered, TimeoutPhase};

/// What the user allows.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// A row is sent at most so many times where a limit refuses it (429).
    pub attempts_max: u32,
    /// A row is sent at most so many times where the service may have metered it before: 1 is never again.
    pub paid_attempts_max: u32,
    /// A longer Retry-After is not waited for: the refusal is the row's outcome.
    pub retry_after_max: Duration,
}

/// What follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Judged {
    /// It is what became of the row.
    Outcome,
    /// A limit refused it, so it was not processed: it goes again.
    Limited,
    /// The service may have worked for it, and it goes again all the same: the user said so.
    AgainPaid,
    /// Nothing of it was sent: the service cannot be reached, or the connection died before.
    NotSent,
    /// The key is wrong: no row can do better.
    KeyRefused,
    /// Account, key or model forbid it: perhaps no row of the model can do better.
    Forbidden,
    /// Wrong path, or no such model: perhaps no row of the model can do better.
    NotFound,
    /// It was ended from here. What the service did with it is not known.
    Unknown,
}

/// What a row has behind it, this attempt included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tries {
    /// Attempts that a limit refused.
    pub(super) limited: u32,
    /// Attempts that may have been metered.
    pub(super) paid: u32,
}

/// Judges an attempt that failed; `tries` counts it already where it says so itself.
pub(super) fn judge(error: &Error, tries: &mut Tries, rules: &Rules) -> Judged {
    match error.kind() {
        ErrorKind::RateLimited => {
            tries.limited = tries.limited.saturating_add(1);
            let waits_long = error.retry_after().is_some_and(|wait| wait > rules.retry_after_max);
            match tries.limited >= rules.attempts_max || waits_long {
                true => Judged::Outcome,
                false => Judged::Limited,
            }
        }
        ErrorKind::Authentication => Judged::KeyRefused,
        ErrorKind::Permission => Judged::Forbidden,
        ErrorKind::NotFound => Judged::NotFound,
        ErrorKind::Connect | ErrorKind::Tls => Judged::NotSent,
        ErrorKind::Timeout if is_before_sending(error) => Judged::NotSent,
        ErrorKind::Disconnected if error.metered() == Metered::NotSent => Judged::NotSent,
        ErrorKind::Server
        | ErrorKind::Timeout
        | ErrorKind::Disconnected
        | ErrorKind::Incomplete
        | ErrorKind::Stream => {
            tries.paid = tries.paid.saturating_add(1);
            match tries.paid < rules.paid_attempts_max {
                true => Judged::AgainPaid,
                false => Judged::Outcome,
            }
        }
        // The same again would be answered the same.
        ErrorKind::InvalidRequest
        | ErrorKind::Status
        | ErrorKind::Protocol
        | ErrorKind::Argument
        | ErrorKind::Config
        | ErrorKind::Callback
        | ErrorKind::Internal => Judged::Outcome,
        ErrorKind::Cancelled | ErrorKind::Closed | ErrorKind::Forked | ErrorKind::Shutdown => {
            match error.metered() {
                Metered::NotSent => Judged::NotSent,
                Metered::NormallyNot | Metered::Entered | Metered::Unknown => Judged::Unknown,
            }
        }
    }
}

fn is_before_sending(error: &Error) -> bool {
    match error.timeout() {
        Some(TimeoutPhase::Pool | TimeoutPhase::Connect) => true,
        Some(TimeoutPhase::FirstByte | TimeoutPhase::Idle | TimeoutPhase::Total) | None => {
            error.metered() == Metered::NotSent
        }
    }
}
