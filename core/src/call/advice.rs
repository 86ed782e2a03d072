//! What to do about an error, in the light of how its call was made: what the kind of an error alone
//! cannot say. Knows no attempt and no transport.

use crate::error::Error;
use crate::error_kind::ErrorKind;
use crate::protocol::endpoint::Endpoint;

const NO_VERSION: &str = "The base URL does not end in /v1.";
const ONLY_STREAMS: &str = "If this model answers only by streaming, set stream_only (the answer still \
    comes whole) or stream the call (stream=True).";

/// How a call was made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Made {
    pub(crate) endpoint: Endpoint,
    /// The service was asked to stream, whatever the caller gets.
    pub(crate) streams: bool,
    /// The base URL ends in /v1.
    pub(crate) has_version: bool,
}

/// The error with all that its caller can do (R-ERR1).
pub(crate) fn advise(error: Error, made: Made, attempts: u32) -> Error {
    let mut hint = error.hint().to_owned();
    if hint.is_empty() {
        return error;
    }
    if !made.has_version && is_of_a_wrong_place(error.kind()) {
        hint = format!("{NO_VERSION} {hint}");
    }
    if !made.streams && made.endpoint != Endpoint::Models && may_want_a_stream(error.status()) {
        hint = format!("{hint} {ONLY_STREAMS}");
    }
    if attempts > 1 {
        hint = format!("{hint} {attempts} attempts were made.");
    }
    error.with_hint(hint)
}

/// What answers where no service is looks like this.
fn is_of_a_wrong_place(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::Status | ErrorKind::Protocol)
}

/// What services say of a plain call to a model that only streams (R-STR6); the specification names
/// no status.
fn may_want_a_stream(status: Option<u16>) -> bool {
    matches!(status, Some(400 | 403 | 404 | 405 | 422 | 500 | 501))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::FailedAnswer;
    use crate::error_kind::ERROR_KINDS;

    const PLAIN: Made = Made { endpoint: Endpoint::Chat, streams: false, has_version: true };

    fn answered(status: u16) -> Error {
        let (request_id, retry_after) = (None, None);
        Error::from_response(FailedAnswer { status, body: "no", request_id, retry_after })
    }

    /// R-STR6: only a plain call that generates can be helped by it.
    #[test]
    fn streaming_is_named_where_it_may_help() {
        let hint = |status, made| advise(answered(status), made, 1).hint().to_owned();
        for status in [400, 403, 404, 422, 500] {
            assert!(hint(status, PLAIN).contains("set stream_only"), "{status}");
            assert!(hint(status, PLAIN).contains("stream=True"), "{status}");
            for made in
                [Made { streams: true, ..PLAIN }, Made { endpoint: Endpoint::Models, ..PLAIN }]
            {
                assert!(!hint(status, made).contains("stream_only"), "{status} {made:?}");
            }
        }
        for status in [401, 429, 502, 503] {
            assert!(!hint(status, PLAIN).contains("stream_only"), "{status}");
        }
    }

    /// R-CFG1: the version is missing, and that may be why.
    #[test]
    fn a_base_url_without_version_is_told_where_it_may_be_the_cause() {
        let made = Made { has_version: false, ..PLAIN };
        for kind in ERROR_KINDS {
            let error = advise(Error::new(kind, "m"), made, 1);
            let is_told = error.hint().starts_with(NO_VERSION);
            assert_eq!(is_told, is_of_a_wrong_place(kind), "{error}");
            let error = advise(Error::new(kind, "m"), PLAIN, 1);
            assert_eq!(error.hint(), kind.hint());
        }
        assert!(advise(answered(405), made, 1).hint().starts_with(NO_VERSION));
    }

    #[test]
    fn attempts_are_told_where_there_were_several() {
        assert!(!advise(answered(429), PLAIN, 1).hint().contains("attempt "));
        assert!(advise(answered(429), PLAIN, 4).hint().ends_with(" 4 attempts were made."));
        let cancelled = Error::new(ErrorKind::Cancelled, "cancelled");
        assert_eq!(advise(cancelled, PLAIN, 4).hint(), "");
    }
}
