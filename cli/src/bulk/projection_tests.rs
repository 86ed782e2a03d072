//! The exact text that is shown of a pilot.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use modelwire_bulk::input::Extent;

use super::*;

fn estimate(point: f64, low: f64, high: f64, most: f64) -> Estimate {
    Estimate { point, low: Some(low), high: Some(high), most: Some(most) }
}

/// The estimate of a pilot of twenty rows.
fn projection() -> Projection {
    Projection {
        extent: Extent {
            rows: 48_233,
            bytes: 19_293_200,
            output: 9_646_600,
            unlimited: 0,
            open: 0,
        },
        ended: 20,
        failed: 0,
        failed_share: Some(estimate(0.0, 0.0, 0.207_15, 1.0)),
        with_usage: 20,
        elapsed: Duration::from_millis(4_100),
        tokens_in: Some(estimate(5_299_524.56, 4_525_559.97, 8_171_001.61, 19_287_470.0)),
        tokens_out: Some(estimate(3_786_290.5, 3_139_238.68, 5_184_506.54, 9_644_170.0)),
        cost: Some(estimate(12.872_106, 10.969_434, 18.264_091, 38.575_81)),
        at_once: 16,
        time: Some(6_026.625),
    }
}

#[test]
fn the_projection_is_formatted_as_text() {
    assert_eq!(
        text(&projection(), false),
        "\
\x20    pilot  20 of 48,233 rows, drawn at random, in 4.1 s. Estimates for all rows:
\x20tokens in  5.30M        likely 4.53M to 8.17M    at most 19.3M
tokens out  3.79M        likely 3.14M to 5.18M    at most 9.64M
\x20     cost  12.87        likely 10.97 to 18.26    at most 38.58
\x20   failed  0.0 %        likely 0.0 % to 20.7 %   0 of 20
\x20     time  1 h 40 min                            with 16 in flight, as in the pilot
\x20     note  likely: true in 95 of 100 jobs; a larger --pilot narrows it
\x20     note  at most: an input token per byte, max_tokens output tokens per row
\x20     note  the time is a guess: the job raises its concurrency, and a limit may slow it
"
    );
    let coloured = text(&projection(), true);
    assert_eq!(console::strip_ansi_codes(&coloured), text(&projection(), false));
}

fn without_interval(of: Option<Estimate>) -> Option<Estimate> {
    of.map(|of| Estimate { low: None, high: None, ..of })
}

#[test]
fn a_few_rows_give_figures_without_an_interval() {
    let all = projection();
    let few = Projection {
        ended: 5,
        with_usage: 5,
        failed_share: without_interval(all.failed_share),
        tokens_in: without_interval(all.tokens_in),
        tokens_out: without_interval(all.tokens_out),
        cost: without_interval(all.cost),
        ..all
    };
    let shown = text(&few, false);
    assert!(!shown.contains("likely"), "{shown}");
    assert!(shown.contains("tokens out  3.79M           at most 9.64M\n"), "{shown}");
    let note = "no interval: 5 rows are too few; --pilot 20 or more gives one\n";
    assert!(shown.contains(note), "{shown}");
}

#[test]
fn an_upper_end_that_is_unknown_is_explained() {
    let open = |of: Option<Estimate>| of.map(|of| Estimate { high: None, most: None, ..of });
    let all = projection();
    let extent = Extent { unlimited: 1_200, ..all.extent };
    let unlimited =
        Projection { extent, tokens_out: open(all.tokens_out), cost: open(all.cost), ..all };
    let shown = text(&unlimited, false);
    assert!(shown.contains("tokens out  3.79M        likely at least 3.14M\n"), "{shown}");
    assert!(
        shown.contains(
            "output tokens have no upper bound: rows without max_tokens: 1,200; --default max_tokens=N adds it"
        ),
        "{shown}"
    );
    assert!(!shown.contains("input tokens have no upper bound"), "{shown}");
    let exceeded = text(&Projection { extent: all.extent, ..unlimited }, false);
    assert!(
        exceeded.contains("an answer used more output tokens than its row allows"),
        "{exceeded}"
    );
    let extent = Extent { open: 3, ..all.extent };
    let pictures = text(&Projection { extent, tokens_in: open(all.tokens_in), ..all }, false);
    assert!(
        pictures.contains("input tokens have no upper bound: rows with an image"),
        "{pictures}"
    );
}

#[test]
fn unknown_values_are_explained() {
    let unknown = Projection { tokens_in: None, tokens_out: None, cost: None, ..projection() };
    let silent = text(&Projection { with_usage: 0, ..unknown }, false);
    assert!(silent.contains("20 of 20 answers report no usage: tokens are unknown"), "{silent}");
    assert!(!silent.contains("cost") && !silent.contains("at most"), "{silent}");
    let few = text(&unknown, false);
    assert!(few.contains("tokens are unknown: too few rows were answered"), "{few}");
    let failed_share = Some(estimate(1.0, 0.84, 1.0, 1.0));
    let failed = Projection { failed: 20, failed_share, ..unknown };
    assert!(text(&failed, false).contains("100.0 %"), "{}", text(&failed, false));
}

#[test]
fn the_json_projection_has_the_same_values() {
    let members = members(&Projection { cost: None, ..projection() });
    assert_eq!(members.len(), 11);
    let of = |wanted| &members.iter().find(|(name, _)| *name == wanted).unwrap().1;
    assert_eq!(
        *of("tokens_out"),
        json!({"point": 3_786_290.5, "low": 3_139_238.68, "high": 5_184_506.54, "most": 9_644_170.0})
    );
    assert_eq!((of("without_usage"), of("time_s")), (&json!(0), &json!(6_026.625)));
    assert!(of("cost").is_null());
}
