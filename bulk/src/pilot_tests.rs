//! The projections of pilots.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::*;

fn seen(bytes: u64, input: u64, output: u64) -> SampledRow {
    SampledRow {
        bounds: Bounds { bytes, output: Some(200), is_open: false },
        tokens: Some(Tokens { input, cached: 0, output }),
        price: Some(Price::new(1.0, None, 2.0)),
        failed: false,
        elapsed: Duration::from_secs(2),
    }
}

const EXTENT: Extent =
    Extent { rows: 48_233, bytes: 48_233 * 400, output: 48_233 * 200, unlimited: 0, open: 0 };

fn pilot(seen: Vec<SampledRow>) -> Pilot {
    // A price of 1 for a million tokens in, and of 2 for a million out.
    let cost_most = Some(Money::new(48_233.0 * (400.0 + 2.0 * 200.0) / 1e6));
    Pilot { population: Population { extent: EXTENT, cost_most }, seen, at_once: 16 }
}

fn projection(seen: Vec<SampledRow>) -> Projection {
    pilot(seen).projection(Duration::from_millis(4_100), &Fixed::default())
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
    let projection = projection(twenty());
    let rounded = |estimate: Option<Estimate>| {
        let Estimate { point, low, high, most } = estimate.unwrap();
        [point, low.unwrap(), high.unwrap(), most.unwrap()].map(|of| (of * 100.0).round() / 100.0)
    };
    assert_eq!((projection.extent, projection.ended, projection.failed), (EXTENT, 20, 0));
    assert_eq!((projection.with_usage, projection.at_once), (20, 16));
    assert_eq!(projection.elapsed, Duration::from_millis(4_100));
    assert_eq!(
        rounded(projection.tokens_in),
        [5_299_524.56, 4_525_559.97, 8_171_001.61, 19_287_470.0]
    );
    assert_eq!(
        rounded(projection.tokens_out),
        [3_786_290.5, 3_119_404.59, 5_027_997.67, 9_644_170.0]
    );
    assert_eq!(rounded(projection.cost), [12.87, 10.84, 18.17, 38.58]);
    assert_eq!(projection.time.map(f64::round), Some(6_027.0));
    assert_eq!(rounded(projection.failed_share), [0.0, 0.0, 0.21, 1.0]);
}

#[test]
fn unknown_quantities_are_not_projected() {
    let silent = (0..20).map(|_| SampledRow { tokens: None, ..seen(300, 0, 0) }).collect();
    let silent = projection(silent);
    assert_eq!((silent.with_usage, silent.ended), (0, 20));
    assert_eq!((silent.tokens_in, silent.tokens_out, silent.cost), (None, None, None));
    let failed = (0..20).map(|_| SampledRow { failed: true, ..seen(300, 0, 0) }).collect();
    let failed = projection(failed);
    assert_eq!((failed.tokens_in, failed.cost), (None, None));
    assert!(failed.failed_share.is_some_and(|share| (share.point - 1.0).abs() < 1e-9));
    let mut unpriced = twenty();
    unpriced.push(SampledRow { price: None, ..seen(300, 80, 50) });
    let unpriced = projection(unpriced);
    assert!(unpriced.tokens_out.is_some() && unpriced.cost.is_none());
}

#[test]
fn rows_without_limits_have_no_upper_end() {
    let extent = Extent { unlimited: 1, ..EXTENT };
    let pilot = Pilot { population: Population { extent, cost_most: None }, ..pilot(twenty()) };
    let found = pilot.projection(Duration::ZERO, &Fixed::default());
    let [input, output, cost] = [found.tokens_in, found.tokens_out, found.cost].map(Option::unwrap);
    assert!(input.high.is_some() && output.high.is_none() && cost.high.is_none(), "{found:?}");
    assert!(output.low.is_some() && cost.low.is_some() && cost.most.is_none(), "{found:?}");
    // An answer that was longer than its row allows.
    let mut longer = twenty();
    longer.push(seen(300, 80, 201));
    let longer = projection(longer);
    assert!(longer.tokens_out.is_some_and(|tokens| tokens.high.is_none()), "{longer:?}");
}

#[test]
fn a_population_costs_at_most_its_bytes_and_limits() {
    let prices = Prices::new(Some(1.0), Some(2.0), None).unwrap();
    let models = vec![("a".into(), EXTENT), ("b".into(), Extent { rows: 1, ..Extent::default() })];
    let survey = Survey { wanted: 48_234, extent: EXTENT, models, ..Survey::default() };
    let most = Population::of(&survey, &prices).cost_most.unwrap().units();
    assert!((most - 48_233.0 * 800.0 / 1e6).abs() < 1e-9, "{most}");
    let more = Survey { wanted: 48_235, ..survey.clone() };
    assert_eq!(Population::of(&more, &prices).cost_most, None);
    let none = Prices::new(None, None, None).unwrap();
    assert_eq!(Population::of(&survey, &none).cost_most, None);
    for unknown in [Extent { open: 1, ..EXTENT }, Extent { unlimited: 1, ..EXTENT }] {
        let survey = Survey { models: vec![("a".into(), unknown)], ..survey.clone() };
        assert_eq!(Population::of(&survey, &prices).cost_most, None);
    }
}

#[test]
fn limits_set_by_the_user_lengthen_the_projected_time() {
    let time = |fixed| pilot(twenty()).projection(Duration::ZERO, &fixed).time.unwrap();
    let fixed = Fixed { requests_per_minute: Some(60.0), ..Fixed::default() };
    assert_eq!(time(fixed), 48_213.0);
    let fixed = Fixed { tokens_per_minute: Some(1_000.0), ..Fixed::default() };
    let found = projection(twenty());
    let tokens = found.tokens_in.unwrap().point + found.tokens_out.unwrap().point;
    assert!((time(fixed) - tokens * 48_213.0 / 48_233.0 * 0.06).abs() < 1e-3, "{}", time(fixed));
    let fixed = Fixed { concurrency_max: Some(1), ..Fixed::default() };
    assert!((time(fixed) - 2.0 * 48_213.0).abs() < 1.0, "{}", time(fixed));
}

#[test]
fn cost_is_the_cost_of_its_tokens() {
    let found = projection(twenty());
    let tokens = found.tokens_in.unwrap().point + 2.0 * found.tokens_out.unwrap().point;
    let cost = found.cost.unwrap();
    assert!((cost.point * 1e6 - tokens).abs() < tokens * 1e-3, "{cost:?} {tokens}");
    let more = projection(twenty().into_iter().cycle().take(100).collect()).cost.unwrap();
    assert!(more.high.unwrap() < cost.high.unwrap() && more.low.unwrap() > cost.low.unwrap());
}

#[test]
fn a_few_rows_give_figures_without_an_interval() {
    let one = projection(vec![seen(300, 10, 10)]);
    let output = one.tokens_out.unwrap();
    assert!((output.point - 482_330.0).abs() < 1e-3 && output.most.is_some(), "{one:?}");
    assert_eq!((output.low, output.high), (None, None));
    assert_eq!(one.failed_share.map(|share| share.high), Some(None));
    let none = projection(Vec::new());
    assert_eq!((none.ended, none.tokens_in, none.time), (0, None, None));
    assert_eq!(none.failed_share, None);
}

#[test]
fn the_most_rows_in_flight_count() {
    let mut pilot = pilot(twenty());
    [3, 40, 7].into_iter().for_each(|in_flight| pilot.at_once(in_flight));
    assert_eq!(pilot.projection(Duration::ZERO, &Fixed::default()).at_once, 40);
}
