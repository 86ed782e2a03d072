//! The projections of pilots.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::*;

fn seen(bytes: u64, input: u64, output: u64) -> SampledRow {
    let price = crate::prices::Price::new(1.0, None, 2.0);
    let tokens = Tokens { input, cached: 0, output };
    SampledRow {
        bytes,
        tokens: Some(tokens),
        cost: Some((price.input_of(tokens), price.output_of(tokens))),
        failed: false,
        elapsed: Duration::from_secs(2),
    }
}

fn pilot(seen: Vec<SampledRow>) -> Pilot {
    Pilot { population: Population { rows: 48_233, bytes: Some(48_233 * 400) }, seen, at_once: 16 }
}

fn twenty() -> Vec<SampledRow> {
    (0..20).map(|number| seen(300 + 10 * number, 80 + 3 * number, 50 + number % 7 * 10)).collect()
}

#[test]
fn a_pilot_is_the_default_for_many_rows_on_a_terminal() {
    for (asked, no_pilot, wanted, can_ask, expected) in [
        (None, false, 1_000, true, 0),
        (None, false, 1_001, true, 20),
        (None, false, 1_001, false, 0),
        (None, true, 1_001, true, 0),
        (Some(5), false, 100, false, 5),
        (Some(5), true, 100, true, 0),
        (Some(5), false, 5, true, 0),
        (Some(0), false, 5_000, true, 0),
        (Some(1_000_000), false, 5_000, true, ROWS_MAX),
    ] {
        assert_eq!(rows(asked, no_pilot, wanted, can_ask), expected, "{asked:?} {wanted}");
    }
}

#[test]
fn a_sample_says_what_all_rows_use() {
    let projection = pilot(twenty()).projection(Duration::from_millis(4_100), &Fixed::default());
    let rounded = |interval: Option<Interval>| {
        let Interval { point, low, high } = interval.unwrap();
        [point, low, high].map(|number| (number * 100.0).round() / 100.0)
    };
    assert_eq!((projection.rows, projection.ended, projection.failed), (48_233, 20, 0));
    assert_eq!((projection.without_usage, projection.at_once), (0, 16));
    assert_eq!(projection.elapsed, Duration::from_millis(4_100));
    assert_eq!(rounded(projection.tokens_in), [5_299_524.56, 5_265_294.26, 5_335_749.47]);
    assert_eq!(rounded(projection.tokens_out), [3_786_290.5, 3_339_238.68, 4_284_506.54]);
    assert_eq!(rounded(projection.cost), [12.87, 11.97, 13.86]);
    assert_eq!(rounded(projection.time), [6_026.63; 3]);
    assert_eq!(rounded(Some(projection.failed_share)), [0.0, 0.0, 0.16]);
}

#[test]
fn unknown_quantities_are_not_projected() {
    let silent =
        (0..20).map(|_| SampledRow { tokens: None, cost: None, ..seen(300, 0, 0) }).collect();
    let projection = pilot(silent).projection(Duration::from_secs(1), &Fixed::default());
    assert_eq!((projection.without_usage, projection.ended), (20, 20));
    assert_eq!((projection.tokens_in, projection.tokens_out, projection.cost), (None, None, None));
    let failed = (0..20).map(|_| SampledRow { failed: true, ..seen(300, 0, 0) }).collect();
    let projection = pilot(failed).projection(Duration::from_secs(1), &Fixed::default());
    assert_eq!((projection.tokens_in, projection.cost), (None, None));
    assert_eq!(projection.failed_share.high, 1.0);
}

#[test]
fn limits_set_by_the_user_lengthen_the_projected_time() {
    let fixed = Fixed { requests_per_minute: Some(60.0), ..Fixed::default() };
    let time = pilot(twenty()).projection(Duration::from_secs(1), &fixed).time.unwrap();
    assert_eq!(time.low, 48_213.0);
    let fixed = Fixed { tokens_per_minute: Some(1_000.0), ..Fixed::default() };
    let slow = pilot(twenty()).projection(Duration::from_secs(1), &fixed);
    assert!(slow.time.unwrap().point > 500_000.0, "{slow:?}");
    let fixed = Fixed { concurrency_max: Some(1), ..Fixed::default() };
    let one = pilot(twenty()).projection(Duration::from_secs(1), &fixed).time.unwrap();
    assert!((one.point - 2.0 * 48_213.0).abs() < 1.0, "{one:?}");
}

#[test]
fn cost_is_the_cost_of_its_tokens() {
    let projection = pilot(twenty()).projection(Duration::from_secs(1), &Fixed::default());
    let tokens = projection.tokens_in.unwrap().point + 2.0 * projection.tokens_out.unwrap().point;
    let cost = projection.cost.unwrap();
    assert!((cost.point * 1e6 - tokens).abs() < tokens * 1e-3, "{cost:?} {tokens}");
    let wide = pilot(twenty().into_iter().take(5).collect())
        .projection(Duration::from_secs(1), &Fixed::default());
    assert!(wide.cost.unwrap().high > cost.high);
}

#[test]
fn one_row_gives_no_interval() {
    let one = pilot(vec![seen(300, 10, 10)]).projection(Duration::from_secs(1), &Fixed::default());
    assert_eq!((one.tokens_in, one.time), (None, None));
    let none = pilot(Vec::new()).projection(Duration::from_secs(1), &Fixed::default());
    assert_eq!((none.ended, none.tokens_in, none.time), (0, None, None));
}
