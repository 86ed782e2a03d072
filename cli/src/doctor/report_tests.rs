//! The output for people and programs.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]
use super::*;

fn check(name: &'static str, finding: Finding) -> Check {
    Check { name, finding, took: Duration::from_micros(1500) }
}

fn reported(checks: &[Check], is_json: bool) -> (String, bool) {
    let mut out = Vec::new();
    let mut report = Report::new(&mut out, is_json, false);
    for one in checks {
        report.add(one.clone()).unwrap();
    }
    let is_ok = report.end().unwrap().is_ok;
    (String::from_utf8(out).unwrap(), is_ok)
}

#[test]
fn a_line_for_each_and_a_verdict() {
    let well = [check("dns", Finding::ok("a")), check("tls", Finding::skipped("plain"))];
    let (text, is_ok) = reported(&well, false);
    assert_eq!(
        text,
        "ok       dns           a\n\
         skipped  tls           plain\n\
         passed (1 check skipped)\n"
    );
    assert!(is_ok);

    let warned = Finding::warning(Fault::ClockSkewed, "b");
    let failed = Finding::failed(Fault::Refused, "c").because("why").so_do("what");
    let (text, is_ok) = reported(&[check("clock", warned), check("tcp", failed)], false);
    assert!(text.ends_with(
        "failed   tcp           c\n                       cause: why\n                       do:    what\n\
         failed: tcp: why, with 1 warning\n"
    ), "{text}");
    assert!(!is_ok);
}

#[test]
fn the_json_report_is_one_document() {
    let failed = check("tcp", Finding::failed(Fault::Refused, "c"));
    let (text, _) = reported(&[check("dns", Finding::ok("a")), failed], true);
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["ok"], false);
    let checks = document["checks"].as_array().unwrap();
    assert_eq!(
        checks[0],
        serde_json::json!({
            "name": "dns", "state": "ok", "saw": "a", "fault": null, "cause": null, "action": null,
            "milliseconds": 1.5,
        })
    );
    assert_eq!((&checks[1]["fault"], &checks[1]["state"]), (&"refused".into(), &"failed".into()));
}

/// A service's message may contain control characters, or be endless.
#[test]
fn texts_are_one_bounded_line_without_control() {
    assert_eq!(shown("a\x1b[31m\n\tb\u{9b}c"), "a [31m b c");
    assert_eq!(shown(&"x".repeat(9000)).chars().count(), SHOWN_CHARS_MAX + 3);
}

#[test]
fn colours_change_nothing_but_escape_codes() {
    let one = check("dns", Finding::ok("a"));
    let plain = text(&one, false);
    let coloured = text(&one, true);
    assert!(!plain.contains('\x1b') && coloured.contains('\x1b'));
    assert_eq!(coloured.replace("\x1b[32m", "").replace("\x1b[0m", ""), plain);
}

#[test]
fn times_are_formatted_for_people() {
    for (micros, expected) in
        [(50, "0.1 ms"), (1500, "1 ms"), (9_999_000, "9999 ms"), (12_340_000, "12.3 s")]
    {
        assert_eq!(time(Duration::from_micros(micros)), expected);
    }
}
