//! The hint of an error, extended by how its call was made.

use crate::answer::error::Error;
use crate::answer::error_kind::ErrorKind;
use crate::options::config::PathFault;
use crate::protocol::endpoint::Endpoint;

const ONLY_STREAMS: &str = "If this model only supports streaming, set stream_only (calls still return the \
    whole answer) or stream the call (stream = true).";

const QUOTA_EXHAUSTED: &str = "A quota of the account is exhausted, and retries fail until it is raised or renewed: \
    check the quota and the balance in the service's control panel.";

/// How a call was made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallForm {
    pub(crate) endpoint: Endpoint,
    /// The service was asked to stream, whatever the caller receives.
    pub(crate) streams: bool,
    /// What is wrong with the path of the base URL.
    pub(crate) path_fault: Option<PathFault>,
}

/// Adds to the hint everything that the caller can do (R-ERR1).
pub(crate) fn extend_hint(error: Error, form: CallForm, attempts: u32) -> Error {
    let mut hint = error.hint().to_owned();
    if hint.is_empty() {
        return error;
    }
    if names_a_quota(&error) {
        hint = QUOTA_EXHAUSTED.to_owned();
    }
    if let Some(fault) = form.path_fault.filter(|_| is_of_a_wrong_place(error.kind())) {
        hint = format!("{} {hint}", words_of(fault));
    }
    if !form.streams && form.endpoint != Endpoint::Models && may_want_a_stream(&error) {
        hint = format!("{hint} {ONLY_STREAMS}");
    }
    if let Some(wait) = error.retry_after().filter(|wait| !wait.is_zero()) {
        hint = format!("{hint} The service asks to wait {} s.", wait.as_secs_f64().ceil());
    }
    if attempts > 1 {
        hint = format!("{hint} {attempts} attempts were made.");
    }
    error.with_hint(hint)
}

/// Whether the error looks like one from a URL that is no API endpoint.
fn is_of_a_wrong_place(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::Status | ErrorKind::Protocol)
}

fn words_of(fault: PathFault) -> String {
    match fault {
        PathFault::NoVersion => "The base URL does not end in /v1.".to_owned(),
        PathFault::VersionTwice => "The base URL has /v1 twice.".to_owned(),
        PathFault::Operation(path) => {
            format!("The base URL ends in {path}, which each call adds: end it with /v1.")
        }
    }
}

/// Whether a refusal by a limit (429) is one by a quota, which time alone does not lift. Texts are not asked:
/// services also speak of a quota for each minute.
fn names_a_quota(error: &Error) -> bool {
    let mut names = [error.code(), error.error_type()].into_iter().flatten();
    error.kind() == ErrorKind::RateLimited && names.any(|name| name.contains("quota"))
}

/// Whether the service seems to reject a plain call because the model only streams (R-STR6). The
/// specification names no status for this, so the words decide.
fn may_want_a_stream(error: &Error) -> bool {
    let said = [Some(error.message()), error.code(), error.error_type(), error.param()];
    matches!(error.status(), Some(400 | 403 | 404 | 405 | 422 | 500 | 501))
        && said.into_iter().flatten().any(speaks_of_streams)
}

/// "upstream" and "downstream" do not count.
fn speaks_of_streams(text: &str) -> bool {
    let text = text.to_ascii_lowercase().replace("upstream", "").replace("downstream", "");
    let mut words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    text.contains("stream") || text.contains("server-sent") || words.any(|word| word == "sse")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::error::FailedAnswer;
    use crate::answer::error_kind::ERROR_KINDS;

    const PLAIN: CallForm = CallForm { endpoint: Endpoint::Chat, streams: false, path_fault: None };

    fn answered(status: u16, body: &str) -> Error {
        let (request_id, retry_after) = (None, None);
        Error::from_response(FailedAnswer { status, body, request_id, retry_after })
    }

    /// The hint only helps a plain call that generates.
    #[test]
    fn streaming_is_named_where_it_may_help() {
        let hint = |status, form| {
            extend_hint(answered(status, "stream the call"), form, 1).hint().to_owned()
        };
        for status in [400, 403, 404, 405, 422, 500, 501] {
            assert!(hint(status, PLAIN).contains("set stream_only"), "{status}");
            for form in [
                CallForm { streams: true, ..PLAIN },
                CallForm { endpoint: Endpoint::Models, ..PLAIN },
            ] {
                assert!(!hint(status, form).contains("stream_only"), "{status} {form:?}");
            }
        }
        for status in [401, 429, 502, 503] {
            assert!(!hint(status, PLAIN).contains("stream_only"), "{status}");
        }
    }

    /// The path of the base URL may be the cause of these errors.
    #[test]
    fn a_wrong_path_of_the_base_url_is_named_where_it_may_be_the_cause() {
        for (fault, words) in [
            (PathFault::NoVersion, "The base URL does not end in /v1. "),
            (PathFault::VersionTwice, "The base URL has /v1 twice. "),
            (PathFault::Operation("/models"), "The base URL ends in /models, which each call adds"),
        ] {
            let form = CallForm { path_fault: Some(fault), ..PLAIN };
            for kind in ERROR_KINDS {
                let error = extend_hint(Error::new(kind, "m"), form, 1);
                let is_named = error.hint().starts_with(words);
                assert_eq!(is_named, is_of_a_wrong_place(kind), "{error}");
                let error = extend_hint(Error::new(kind, "m"), PLAIN, 1);
                assert_eq!(error.hint(), kind.hint());
            }
            assert!(extend_hint(answered(405, "no"), form, 1).hint().starts_with(words));
        }
    }

    #[test]
    fn an_exhausted_quota_is_not_answered_with_patience() {
        for (status, body, is_quota) in [
            (429, r#"{"error":{"message":"no","code":"insufficient_quota"}}"#, true),
            (429, r#"{"error":{"message":"no","type":"quota_exceeded","code":null}}"#, true),
            (429, r#"{"error":{"message":"Quota of 60 a minute","code":"rate_limited"}}"#, false),
            (429, "", false),
            (403, r#"{"error":{"message":"no","code":"insufficient_quota"}}"#, false),
        ] {
            let error = extend_hint(answered(status, body), PLAIN, 1);
            assert_eq!(error.hint() == QUOTA_EXHAUSTED, is_quota, "{status} {body}");
            assert_eq!(error.hint().contains("backoff"), status == 429 && !is_quota, "{body}");
        }
    }

    /// "only where it helps".
    #[test]
    fn streaming_is_named_only_where_the_service_speaks_of_it() {
        for (body, helps) in [
            (r#"{"error":{"message":"stream must be true","code":"x"}}"#, true),
            (r#"{"error":{"message":"no","code":"stream_required"}}"#, true),
            (r#"{"error":{"message":"no","type":"StreamingOnlyError"}}"#, true),
            (r#"{"error":{"message":"no","param":"stream"}}"#, true),
            (r#"{"detail":"This model answers by SSE only."}"#, true),
            (r#"{"message":"use server-sent events"}"#, true),
            (r#"{"error":{"message":"no","type":"invalid_request_error","code":400}}"#, false),
            (r#"{"detail":"Not Found"}"#, false),
            ("Only tiny-model allowed now, your model nope", false),
            ("The server had an error while processing your request", false),
            ("", false),
            (r#"{"error":{"message":"no assessment","code":"insufficient_balance"}}"#, false),
            (r#"{"error":{"message":"no","param":"messages"}}"#, false),
            (r#"{"error":{"message":"The upstream failed","code":"upstream_failed"}}"#, false),
            ("<html>not found</html>", false),
        ] {
            let error = extend_hint(answered(400, body), PLAIN, 1);
            assert_eq!(error.hint().contains("stream_only"), helps, "{body}");
        }
    }

    #[test]
    fn the_hint_contains_the_retry_after_time() {
        let retry_after = Some(std::time::Duration::from_millis(119_500));
        let answer = FailedAnswer { status: 429, body: "", request_id: None, retry_after };
        let error = extend_hint(Error::from_response(answer), PLAIN, 1);
        assert!(error.hint().ends_with(" The service asks to wait 120 s."), "{error}");
    }

    #[test]
    fn the_hint_counts_attempts_if_there_were_several() {
        assert!(!extend_hint(answered(429, ""), PLAIN, 1).hint().contains("attempt "));
        assert!(
            extend_hint(answered(429, ""), PLAIN, 4).hint().ends_with(" 4 attempts were made.")
        );
        let cancelled = Error::new(ErrorKind::Cancelled, "cancelled");
        assert_eq!(extend_hint(cancelled, PLAIN, 4).hint(), "");
    }
}
