//! Reading errors in every envelope that services use.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

use super::*;
use crate::answer::error_kind::ERROR_KINDS;
use crate::protocol::text::EXCERPT_BYTES_MAX;

fn answered(status: u16, body: &str) -> Error {
    Error::from_response(FailedAnswer { status, body, request_id: None, retry_after: None })
}

#[test]
fn every_status_has_its_kind_and_the_expected_action() {
    for (status, kind, action) in [
        (400, ErrorKind::InvalidRequest, "minimal request"),
        (401, ErrorKind::Authentication, "Copy the whole API key again"),
        (403, ErrorKind::Permission, "balance"),
        (404, ErrorKind::NotFound, "model name"),
        (429, ErrorKind::RateLimited, "backoff"),
        (500, ErrorKind::Server, "contact support"),
        (529, ErrorKind::Server, "contact support"),
        (418, ErrorKind::Status, "unexpected status"),
    ] {
        let error = answered(status, "");
        assert_eq!(error.kind(), kind, "{status}");
        assert_eq!(error.status(), Some(status));
        assert!(error.hint().contains(action), "{status}: {}", error.hint());
        assert!(error.message().contains(&status.to_string()), "{status}: {}", error.message());
    }
}

#[test]
fn the_best_message_is_found_in_every_envelope() {
    let fields = |error: &Error| {
        [
            error.message(),
            error.error_type().unwrap_or("-"),
            error.code().unwrap_or("-"),
            error.param().unwrap_or("-"),
        ]
        .map(str::to_owned)
    };
    for (body, expected) in [
        (r#"{"error":{"message":"m","type":"t","code":"c","param":"p"}}"#, ["m", "t", "c", "p"]),
        (r#"{"error":{"message":"m","type":"t","code":42,"param":null}}"#, ["m", "t", "42", "-"]),
        (r#"{"error":"text"}"#, ["text", "-", "-", "-"]),
        (r#"{"message":"m","type":"t","code":"c"}"#, ["m", "t", "c", "-"]),
        (r#"{"detail":"d"}"#, ["d", "-", "-", "-"]),
        (
            r#"{"detail":[{"loc":["body"],"msg":"x"}]}"#,
            [r#"[{"loc":["body"],"msg":"x"}]"#, "-", "-", "-"],
        ),
        (r#"[{"error":{"message":"m","code":7}}]"#, ["m", "-", "7", "-"]),
        ("Internal Server Error", ["Internal Server Error", "-", "-", "-"]),
        (
            "<html>\n  <h1>Bad gateway</h1></html>",
            ["<html> <h1>Bad gateway</h1></html>", "-", "-", "-"],
        ),
        (
            "data: {\"error\":{\"message\":\"m\",\"code\":\"500\"}}\n\ndata: [DONE]\n\n",
            ["m", "-", "500", "-"],
        ),
        (
            r#"{"type":"response.failed","response":{"error":{"code":"c","message":"m"}}}"#,
            ["m", "-", "c", "-"],
        ),
        // The type of the envelope, and not that of an error.
        (r#"{"type":"error","error":{"message":"m"}}"#, ["m", "-", "-", "-"]),
        (r#"{"type":"overloaded","error":{"message":"m"}}"#, ["m", "overloaded", "-", "-"]),
        (
            r#"{"error":{"code":"outer","error":{"message":"deep","type":"t"}}}"#,
            ["deep", "t", "outer", "-"],
        ),
    ] {
        let error = answered(500, body);
        assert_eq!(fields(&error), expected, "{body}");
        assert_eq!(error.body(), Some(body));
    }
}

#[test]
fn a_long_body_is_quoted_from_its_beginning() {
    let error = answered(500, &"é".repeat(1000));
    assert!(error.message().starts_with('é') && error.message().ends_with(" ..."));
    assert!(error.message().len() <= EXCERPT_BYTES_MAX + 4);
}

#[test]
fn metered_is_judged_over_all_attempts() {
    use Metered::{Entered, NormallyNot, NotSent, Unknown};
    for (first, second, both) in [
        (NotSent, NotSent, NotSent),
        (NotSent, NormallyNot, NormallyNot),
        (NormallyNot, Unknown, Unknown),
        (Unknown, Entered, Entered),
        (Unknown, NotSent, Unknown),
    ] {
        assert_eq!(first.with(second), both);
        assert_eq!(second.with(first), both);
    }
}

#[test]
fn a_report_has_every_field() {
    let context = Context {
        request_time: Some(SystemTime::UNIX_EPOCH),
        path: "/v1/models".into(),
        model: Some("m".into()),
        attempts: 3,
        elapsed: Duration::from_millis(1500),
        metered: Metered::Unknown,
    };
    let body = r#"{"error":{"message":"slow down","type":"t","code":"c","param":"p"}}"#;
    let error = Error::from_response(FailedAnswer {
        status: 429,
        body,
        request_id: Some("req-1".into()),
        retry_after: Some(Duration::from_secs(2)),
    })
    .with_context(&context);
    let report = error.report();
    for part in [
        "slow down",
        "kind: rate_limited",
        "status: 429",
        "type: t",
        "code: c",
        "param: p",
        "request id: req-1",
        "time: Thu, 01 Jan 1970",
        "path: /v1/models",
        "model: m",
        "attempts: 3",
        "elapsed: 1500 ms",
        "retry after: 2000 ms",
        "metered: unknown",
        "hint: ",
        body,
    ] {
        assert!(report.contains(part), "{part:?} is missing in:\n{report}");
    }
}

#[test]
fn errors_cross_threads_and_kinds_have_one_name_each() {
    fn crosses<T: Send + Sync + Clone + 'static>() {}
    crosses::<Error>();
    let names: std::collections::BTreeSet<_> = ERROR_KINDS.iter().map(|kind| kind.name()).collect();
    assert_eq!(names.len(), ERROR_KINDS.len());
}
