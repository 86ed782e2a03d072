//! What pilots say; knows no terminal.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::*;

fn seen(bytes: u64, input: u64, output: u64) -> Seen {
    let price = crate::bulk::prices::Price::new(1.0, None, 2.0);
    let tokens = Tokens { input, cached: 0, output };
    Seen {
        bytes,
        tokens: Some(tokens),
        cost: Some((price.input_of(tokens), price.output_of(tokens))),
        failed: false,
        elapsed: Duration::from_secs(2),
    }
}

fn pilot(seen: Vec<Seen>) -> Pilot {
    Pilot { population: Population { rows: 48_233, bytes: Some(48_233 * 400) }, seen, at_once: 16 }
}

fn twenty() -> Vec<Seen> {
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
fn it_reads_well() {
    let projection = pilot(twenty()).projection(Duration::from_millis(4_100), &Fixed::default());
    assert_eq!(
        projection.text(false),
        "\
\x20    pilot  20 of 48,233 rows, drawn at random, in 4.1 s. All rows, with 95 % intervals:
\x20tokens in  5.30M        5.27M to 5.34M
tokens out  3.79M        3.34M to 4.28M
\x20     cost  12.87        11.97 to 13.86
\x20     time  1 h 40 min   1 h 40 min to 1 h 40 min   with 16 at once, as the pilot
\x20   failed  0.0 %        0.0 % to 16.1 %            0 of 20
\x20     note  the time is a guess: the job tries more at once, and a limit may slow it
"
    );
    assert_eq!(console::strip_ansi_codes(&projection.text(true)), projection.text(false));
}

#[test]
fn what_is_not_known_is_said() {
    let silent = (0..20).map(|_| Seen { tokens: None, cost: None, ..seen(300, 0, 0) }).collect();
    let text = pilot(silent).projection(Duration::from_secs(1), &Fixed::default()).text(false);
    assert!(text.contains("20 of 20 answers report no usage: tokens are not known"), "{text}");
    assert!(!text.contains("cost"), "{text}");
    let failed = (0..20).map(|_| Seen { failed: true, ..seen(300, 0, 0) }).collect();
    let projection = pilot(failed).projection(Duration::from_secs(1), &Fixed::default());
    assert_eq!((projection.tokens_in, projection.cost), (None, None));
    assert!(projection.text(false).contains("100.0 %"), "{}", projection.text(false));
}

#[test]
fn the_users_limits_slow_it() {
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
fn one_row_says_nothing_of_a_spread() {
    let one = pilot(vec![seen(300, 10, 10)]).projection(Duration::from_secs(1), &Fixed::default());
    assert_eq!((one.tokens_in, one.time), (None, None));
    assert!(one.text(false).contains("too few rows"), "{}", one.text(false));
    let none = pilot(Vec::new()).projection(Duration::from_secs(1), &Fixed::default());
    assert_eq!(none.members().len(), 11);
}
