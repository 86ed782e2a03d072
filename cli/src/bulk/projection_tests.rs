//! The exact text that is shown of a pilot.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::*;

fn interval(point: f64, low: f64, high: f64) -> Interval {
    Interval { point, low, high }
}

/// The estimate of a pilot of twenty rows.
fn projection() -> Projection {
    Projection {
        rows: 48_233,
        ended: 20,
        failed: 0,
        failed_share: interval(0.0, 0.0, 0.161_125),
        without_usage: 0,
        elapsed: Duration::from_millis(4_100),
        tokens_in: Some(interval(5_299_524.56, 5_265_294.26, 5_335_749.47)),
        tokens_out: Some(interval(3_786_290.5, 3_339_238.68, 4_284_506.54)),
        cost: Some(interval(12.872_106, 11.969_434, 13.864_091)),
        at_once: 16,
        time: Some(interval(6_026.625, 6_026.625, 6_026.625)),
    }
}

#[test]
fn the_projection_is_formatted_as_text() {
    assert_eq!(
        text(&projection(), false),
        "\
\x20    pilot  20 of 48,233 rows, drawn at random, in 4.1 s. All rows, with 95 % intervals:
\x20tokens in  5.30M        5.27M to 5.34M
tokens out  3.79M        3.34M to 4.28M
\x20     cost  12.87        11.97 to 13.86
\x20     time  1 h 40 min   1 h 40 min to 1 h 40 min   with 16 in flight, as in the pilot
\x20   failed  0.0 %        0.0 % to 16.1 %            0 of 20
\x20     note  the time is a guess: the job raises its concurrency, and a limit may slow it
"
    );
    let coloured = text(&projection(), true);
    assert_eq!(console::strip_ansi_codes(&coloured), text(&projection(), false));
}

#[test]
fn unknown_values_are_explained() {
    let unknown = Projection { tokens_in: None, tokens_out: None, cost: None, ..projection() };
    let silent = text(&Projection { without_usage: 20, ..unknown }, false);
    assert!(silent.contains("20 of 20 answers report no usage: tokens are unknown"), "{silent}");
    assert!(!silent.contains("cost"), "{silent}");
    let few = text(&unknown, false);
    assert!(few.contains("tokens are unknown: too few rows were answered"), "{few}");
    let failed = Projection { failed: 20, failed_share: interval(1.0, 0.84, 1.0), ..unknown };
    assert!(text(&failed, false).contains("100.0 %"), "{}", text(&failed, false));
}

#[test]
fn the_json_projection_has_the_same_values() {
    let members = members(&Projection { cost: None, ..projection() });
    assert_eq!(members.len(), 11);
    let of = |wanted| &members.iter().find(|(name, _)| *name == wanted).unwrap().1;
    assert_eq!(of("tokens_out").pointer("/point").unwrap(), 3_786_290.5);
    assert!(of("cost").is_null());
}
