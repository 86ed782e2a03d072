//! Budgets against simulated services with random usage.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use modelwire::{Endpoint, Metered};

use super::*;
use crate::error::ErrorKind;
use crate::row::{BodyHash, Key};

fn row(number: u64, model: &str, body: String) -> Row {
    Row {
        key: Key::new(format!("row-{number}"), 0),
        number,
        hash: BodyHash::of(Endpoint::Chat, &body),
        endpoint: Endpoint::Chat,
        body: body.into(),
        model: model.into(),
    }
}

fn bounded(number: u64, text_bytes: usize, max_tokens: u64) -> Row {
    let text = "x".repeat(text_bytes);
    row(
        number,
        "a-model",
        format!(
            r#"{{"model":"a-model","messages":[{{"role":"user","content":"{text}"}}],"max_tokens":{max_tokens}}}"#
        ),
    )
}

fn budget(limits: Limits, prices: Prices) -> Budget {
    Budget::new(limits, prices).unwrap()
}

fn tokens_max(tokens: u64) -> Budget {
    budget(Limits { tokens: Some(tokens), ..Limits::default() }, Prices::default())
}

fn used(input: u64, output: u64) -> RowEnd {
    RowEnd::Used(Tokens { input, cached: 0, output })
}

fn reason(gate: BudgetDecision) -> Error {
    match gate {
        BudgetDecision::Stop(error) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn without_limits_everything_goes_and_is_counted() {
    let prices = Prices::new(Some(1.0), Some(2.0), None).unwrap();
    let mut budget = budget(Limits::default(), prices);
    for number in 0..100 {
        let row = row(number, "a-model", "{}".to_owned());
        assert!(matches!(budget.ask(&row), BudgetDecision::Go));
        budget.settle(&row, used(10, 5));
    }
    let spent = budget.spent();
    assert_eq!(spent.tokens, Tokens { input: 1000, cached: 0, output: 500 });
    assert_eq!(spent.cost, Some(Money::new(0.002)));
    assert!(budget.notice().is_none());
}

#[test]
fn a_maximum_of_cost_needs_prices() {
    let limits = Limits { cost: Some(1.0), ..Limits::default() };
    let error = Budget::new(limits, Prices::default()).unwrap_err();
    assert!(matches!(error, Error::CostWithoutPrices), "{error}");
    assert_eq!(error.kind(), ErrorKind::Argument);
    let file = Some(("prices.json", r#"{"a-model": {"in": 1, "out": 1}}"#));
    let mut budget = Budget::new(limits, Prices::new(None, None, file).unwrap()).unwrap();
    assert!(budget.check_models(["a-model"]).is_ok());
    let error = budget.check_models(["a-model", "echo"]).unwrap_err();
    assert!(matches!(&error, Error::PriceUnknown(model) if model == "echo"), "{error}");
    let error = reason(budget.ask(&row(1, "echo", "{}".to_owned())));
    assert_eq!(error.kind(), ErrorKind::Argument);
    assert!(error.to_string().contains("no price for model \"echo\""), "{error}");
}

#[test]
fn rows_are_counted_when_they_begin() {
    let mut budget = budget(Limits { rows: Some(2), ..Limits::default() }, Prices::default());
    let rows: Vec<Row> = (0..4).map(|number| row(number, "a-model", "{}".to_owned())).collect();
    assert!(matches!(budget.ask(&rows[0]), BudgetDecision::Go));
    assert!(matches!(budget.ask(&rows[1]), BudgetDecision::Go));
    let error = reason(budget.ask(&rows[2]));
    assert!(matches!(error, Error::RowsMax(2)), "{error}");
    assert_eq!(error.kind(), ErrorKind::Budget);
    budget.withdrawn(&rows[1]);
    assert!(matches!(budget.ask(&rows[2]), BudgetDecision::Go));
    assert!(matches!(reason(budget.ask(&rows[3])), Error::RowsMax(2)));
}

/// Beside a maximum of tokens, too.
#[test]
fn rows_are_counted_whatever_else_is_limited() {
    let limits = Limits { rows: Some(2), tokens: Some(1_000_000), ..Limits::default() };
    let mut budget = budget(limits, Prices::default());
    let rows: Vec<Row> = (0..3).map(|number| bounded(number, 0, 100)).collect();
    assert!(matches!(budget.ask(&rows[0]), BudgetDecision::Go));
    assert!(matches!(budget.ask(&rows[1]), BudgetDecision::Go));
    assert!(matches!(reason(budget.ask(&rows[2])), Error::RowsMax(2)));
}

#[test]
fn what_an_image_needs_is_said_to_be_an_estimate_once() {
    let mut budget = tokens_max(1_000_000);
    let text = |number| bounded(number, 0, 100);
    assert!(matches!(budget.ask(&text(0)), BudgetDecision::Go));
    assert!(budget.notice().is_none());
    for number in 1..3 {
        let body = r#"{"messages":[{"content":[{"type":"image_url"}]}],"max_tokens":5}"#;
        let image = row(number, "a-model", body.to_owned());
        assert!(matches!(budget.ask(&image), BudgetDecision::Go));
        budget.settle(&image, used(5, 5));
    }
    let notice = budget.notice().unwrap();
    assert!(notice.contains("row-1 has more than text"), "{notice}");
    assert!(budget.notice().is_none());
}

#[test]
fn tokens_of_rows_in_flight_are_reserved_and_released() {
    let rows: Vec<Row> = (0..3).map(|number| bounded(number, 0, 100)).collect();
    let bytes = rows[0].body.len() as u64;
    let mut budget = tokens_max(2 * (bytes + 100) + 20);
    assert!(matches!(budget.ask(&rows[0]), BudgetDecision::Go));
    assert!(matches!(budget.ask(&rows[1]), BudgetDecision::Go));
    assert!(matches!(budget.ask(&rows[2]), BudgetDecision::Wait));
    budget.settle(&rows[0], used(10, 5));
    assert!(matches!(budget.ask(&rows[2]), BudgetDecision::Go));
}

#[test]
fn failed_rows_that_may_have_been_metered_count() {
    let rows: Vec<Row> = (0..3).map(|number| bounded(number, 0, 100)).collect();
    let most = rows[0].body.len() as u64 + 100;
    let mut budget = tokens_max(2 * most).attempts(2);
    assert!(matches!(budget.ask(&rows[0]), BudgetDecision::Go));
    budget.repeated(&rows[0]);
    budget.settle(&rows[0], RowEnd::Perhaps);
    let error = reason(budget.ask(&rows[1]));
    assert_eq!(error.kind(), ErrorKind::Budget);
    assert!(matches!(error, Error::TokensMax { left: 0, .. }), "{error}");
    assert_eq!((budget.spent().perhaps, budget.spent().perhaps_tokens), (2, 2 * most));
    let mut budget = tokens_max(2 * most);
    assert!(matches!(budget.ask(&rows[0]), BudgetDecision::Go));
    budget.settle(&rows[0], RowEnd::Unused);
    assert_eq!(budget.spent().most_tokens(), 0);
}

#[test]
fn without_an_output_limit_one_row_goes_first_and_one_notice_appears() {
    let rows: Vec<Row> =
        (0..4).map(|number| row(number, "a-model", r#"{"input":"abc"}"#.to_owned())).collect();
    let mut budget = tokens_max(1_000);
    assert!(matches!(budget.ask(&rows[0]), BudgetDecision::Go));
    assert!(budget.notice().unwrap().contains("row-0 does not limit its output"));
    assert!(matches!(budget.ask(&rows[1]), BudgetDecision::Wait));
    budget.settle(&rows[0], used(3, 400));
    // Twice 400 do not fit in addition to 403.
    assert!(matches!(reason(budget.ask(&rows[1])), Error::TokensMax { most: 1000, .. }));
    let mut budget = tokens_max(10_000);
    assert!(matches!(budget.ask(&rows[0]), BudgetDecision::Go));
    budget.settle(&rows[0], used(3, 400));
    assert!(matches!(budget.ask(&rows[1]), BudgetDecision::Go));
    assert!(matches!(budget.ask(&rows[2]), BudgetDecision::Go));
    assert!(budget.notice().is_some());
    assert!(budget.notice().is_none());
}

#[test]
fn answers_without_usage_count_with_their_bytes() {
    let rows: Vec<Row> = (0..2).map(|number| bounded(number, 0, 100)).collect();
    let bytes = rows[0].body.len() as u64;
    let mut budget = tokens_max(10_000);
    assert!(matches!(budget.ask(&rows[0]), BudgetDecision::Go));
    budget.settle(&rows[0], RowEnd::Unreported { answer_bytes: 40 });
    assert_eq!(budget.spent().perhaps_tokens, bytes + 100);
    assert!(budget.notice().unwrap().contains("report no usage"));
    let open = row(7, "a-model", r#"{"input":"abc"}"#.to_owned());
    assert!(matches!(budget.ask(&open), BudgetDecision::Go));
    budget.settle(&open, RowEnd::Unreported { answer_bytes: 40 });
    assert_eq!(budget.spent().perhaps_tokens, bytes + 100 + open.body.len() as u64 + 40);
}

/// A row that needs exactly what is left goes, and one that needs a token or a cent more does not.
#[test]
fn only_errors_that_may_have_been_metered_count() {
    let finished = |number, metered| Finished {
        row: bounded(number, 10, 50),
        outcome: Err(modelwire::Error::argument("no").with_metered(metered)),
        rejected: None,
        attempts: 1,
        elapsed: std::time::Duration::ZERO,
    };
    let mut budget = tokens_max(1_000_000);
    for (number, metered) in [(1, Metered::NotSent), (2, Metered::NormallyNot)] {
        budget.ask(&finished(number, metered).row);
        budget.ended(&finished(number, metered));
        assert_eq!(budget.spent().most_tokens(), 0, "{metered:?}");
    }
    let unknown = finished(3, Metered::Unknown);
    budget.ask(&unknown.row);
    budget.ended(&unknown);
    assert!(budget.spent().most_tokens() > 50);
}

#[test]
fn the_cost_of_answers_without_usage_adds_up() {
    let prices = Prices::new(Some(1.0), Some(2.0), None).unwrap();
    let mut budget = budget(Limits { tokens: Some(1_000_000), ..Limits::default() }, prices);
    assert!(budget.prices().of("a-model").is_some());
    let mut costs = Vec::new();
    for number in 1..=2 {
        let row = bounded(number, 10, 50);
        budget.ask(&row);
        budget.settle(&row, RowEnd::Unreported { answer_bytes: 100 });
        costs.push(budget.spent().perhaps_cost);
    }
    assert_eq!(budget.spent().rows_without_usage, 2);
    assert!(costs[0] > Money::default() && costs[1] == costs[0] + costs[0], "{costs:?}");
}

#[test]
fn a_maximum_may_be_reached() {
    let one = bounded(0, 0, 100);
    let most = one.body.len() as u64 + 100;
    assert!(matches!(tokens_max(most).ask(&one), BudgetDecision::Go));
    let error = reason(tokens_max(most - 1).ask(&one));
    assert!(
        matches!(error, Error::TokensMax { needs, left, .. } if (needs, left) == (most, most - 1))
    );
    // At one dollar for a million tokens: a budget for this number of tokens.
    let dollars = |tokens: u64| {
        let limits = Limits { cost: Some(tokens as f64 / 1e6), ..Limits::default() };
        budget(limits, Prices::new(Some(1.0), Some(1.0), None).unwrap())
    };
    assert!(matches!(dollars(most).ask(&one), BudgetDecision::Go));
    assert!(matches!(reason(dollars(most - 1).ask(&one)), Error::CostMax { .. }));
    // With another row in flight it waits; with that row's answer it is known.
    let other = bounded(1, 0, 100);
    let mut two = dollars(2 * most - 1);
    assert!(matches!(two.ask(&one), BudgetDecision::Go));
    assert!(matches!(two.ask(&other), BudgetDecision::Wait));
    two.settle(&one, used(10, 20));
    assert!(matches!(two.ask(&other), BudgetDecision::Go));
    assert_eq!(two.spent().cost, Some(Money::new(30e-6)));
}

/// Of the attempts that are reserved for a row each failed one is given back as one that may be paid;
/// the last one stays until the row ends.
#[test]
fn each_attempt_is_reserved_once() {
    let one = bounded(0, 0, 100);
    let most = one.body.len() as u64 + 100;
    let mut budget = tokens_max(1_000_000).attempts(3);
    assert!(matches!(budget.ask(&one), BudgetDecision::Go));
    assert_eq!(budget.aside.tokens.total(), 3 * most);
    budget.repeated(&one);
    assert_eq!(budget.aside.tokens.total(), 2 * most);
    budget.repeated(&one);
    budget.repeated(&one);
    assert_eq!(budget.aside.tokens.total(), most);
    assert_eq!((budget.spent().perhaps, budget.spent().perhaps_tokens), (3, 3 * most));
    budget.settle(&one, used(5, 5));
    assert_eq!(budget.aside, Most::default());
    assert_eq!(budget.spent().most_tokens(), 3 * most + 10);
}

#[test]
fn an_answer_beyond_its_bound_is_said_once_and_remembered() {
    let rows: Vec<Row> = (0..4).map(|number| bounded(number, 0, 100)).collect();
    let bytes = rows[0].body.len() as u64;
    let mut budget = tokens_max(1_000_000);
    let reserved = |budget: &mut Budget, row: &Row, ending: RowEnd| {
        assert!(matches!(budget.ask(row), BudgetDecision::Go));
        let output = budget.aside.tokens.output;
        budget.settle(row, ending);
        output
    };
    assert_eq!(reserved(&mut budget, &rows[0], used(bytes, 100)), 100);
    assert!(budget.notice().is_none(), "exactly the bound is within it");
    assert_eq!(reserved(&mut budget, &rows[1], used(bytes, 200)), 100);
    let notice = budget.notice().unwrap();
    assert!(notice.contains("row-1: the answer used 200 tokens"), "{notice}");
    assert!(reserved(&mut budget, &rows[2], used(bytes, 300)) >= 200);
    assert!(reserved(&mut budget, &rows[3], used(bytes, 1)) >= 300);
    assert!(budget.notice().is_none());
}

/// Rows without a price are counted where prices were given; without any nothing is said of money.
#[test]
fn rows_without_a_price_are_counted_if_others_have_one() {
    let file = Some(("prices.json", r#"{"a-model": {"in": 1, "out": 1}}"#));
    for (prices, expected) in [(Prices::new(None, None, file).unwrap(), 2), (Prices::default(), 0)]
    {
        let mut budget = budget(Limits::default(), prices);
        for number in 0..2 {
            let row = row(number, "other", "{}".to_owned());
            assert!(matches!(budget.ask(&row), BudgetDecision::Go));
            budget.settle(&row, used(1, 1));
        }
        assert_eq!(budget.spent().rows_without_price, expected);
        assert_eq!(budget.spent().cost, (expected > 0).then(Money::default));
    }
}

/// Rows that began without a limit get their reservation when one is set, once.
#[test]
fn a_limit_that_is_set_later_counts_what_is_in_flight() {
    let one = bounded(0, 0, 100);
    let most = one.body.len() as u64 + 100;
    for limits in [
        Limits { tokens: Some(1_000_000), ..Limits::default() },
        Limits { cost: Some(1.0), ..Limits::default() },
    ] {
        let mut budget =
            budget(Limits::default(), Prices::new(Some(1.0), Some(1.0), None).unwrap());
        assert!(matches!(budget.ask(&one), BudgetDecision::Go));
        budget.reserve(&one);
        assert_eq!(budget.aside, Most::default(), "no limit, nothing to reserve");
        budget.set_limits(limits).unwrap();
        budget.reserve(&one);
        budget.reserve(&one);
        assert_eq!(budget.aside.tokens.total(), most);
        budget.settle(&one, used(5, 5));
        assert_eq!(budget.aside, Most::default());
    }
}

#[test]
fn bounds_are_found_in_every_shape() {
    for (body, output, is_open) in [
        (r#"{"max_tokens":5}"#, Some(5), false),
        (r#"{"max_tokens":5,"max_completion_tokens":9}"#, Some(9), false),
        (r#"{"max_output_tokens":7,"n":null}"#, Some(7), false),
        (r#"{"max_tokens":5,"n":3}"#, Some(15), false),
        (r#"{"max_tokens":null}"#, None, false),
        (r#"{"max_tokens":5,"previous_response_id":"resp_1"}"#, Some(5), true),
        (r#"{"previous_response_id":null}"#, None, false),
        (
            r#"{"messages":[{"content":[{"type":"image_url","image_url":{"url":"http://x"}}]}]}"#,
            None,
            true,
        ),
    ] {
        let bounds = Bounds::of(body);
        assert_eq!((bounds.output, bounds.is_open), (output, is_open), "{body}");
    }
}

#[test]
fn more_models_than_are_remembered_share_one_memory() {
    let mut budget = tokens_max(u64::MAX / 2);
    for number in 0..1_000 {
        let model = format!("model-{number}");
        let row = row(number, &model, r#"{"max_tokens":5}"#.to_owned());
        assert!(matches!(budget.ask(&row), BudgetDecision::Go));
        budget.settle(&row, used(1, 1));
    }
    assert!(budget.learned.len() <= MODELS_MAX + 1);
}

/// Rows of all sizes that end in any order, failures, answers without usage, and retries: what the service
/// metered never exceeds the maximum, and little of the maximum remains.
#[test]
fn a_maximum_is_never_exceeded_where_rows_bound_their_output() {
    for seed in 0..150 {
        let mut random = fastrand::Rng::with_seed(seed);
        let prices = Prices::new(Some(0.7), Some(2.1), None).unwrap();
        let price = prices.of("a-model").unwrap();
        let by_cost = random.u64(..2) == 0;
        let tokens_most = 2_000 + random.u64(..300_000);
        let cost_most = 0.002 + random.u64(..300) as f64 / 1_000.0;
        let limits = Limits {
            cost: by_cost.then_some(cost_most),
            tokens: (!by_cost).then_some(tokens_most),
            rows: None,
        };
        let mut budget = Budget::new(limits, prices).unwrap();
        let at_once = 1 + random.u64(..200) as usize;
        let (mut metered, mut cost) = (0_u64, Money::default());
        let mut on_way: Vec<Row> = Vec::new();
        let mut largest = 0;
        let mut number = 0;
        let mut held: Option<Row> = None;
        let mut stopped = false;
        loop {
            if !stopped && on_way.len() < at_once {
                let row = held.take().unwrap_or_else(|| {
                    number += 1;
                    bounded(number, random.u64(..2_000) as usize, 1 + random.u64(..1_000))
                });
                match budget.ask(&row) {
                    BudgetDecision::Go => {
                        largest = largest.max(row.body.len() as u64 + 1_000);
                        on_way.push(row);
                        continue;
                    }
                    BudgetDecision::Wait => {
                        assert!(
                            !on_way.is_empty(),
                            "seed {seed}: waits although no row is in flight"
                        );
                        held = Some(row);
                    }
                    BudgetDecision::Stop(error) => {
                        assert_eq!(error.kind(), ErrorKind::Budget);
                        largest = largest.max(row.body.len() as u64 + 1_000);
                        stopped = true;
                    }
                }
            }
            if on_way.is_empty() {
                break;
            }
            let place = random.usize(..on_way.len().max(1));
            let row = on_way.swap_remove(place);
            let bound = Bounds::of(&row.body).output.unwrap();
            // At most one token per byte, and often one per four bytes.
            let input = row.body.len() as u64 / [1, 4, 4, 5][random.u64(..4) as usize];
            let tokens = Tokens { input, cached: 0, output: random.u64(..=bound) };
            let mut meter = |tokens: Tokens| {
                metered += tokens.total();
                cost += price.of(tokens);
            };
            match random.u64(..20) {
                0 => budget.settle(&row, RowEnd::Unused),
                1 => {
                    meter(tokens);
                    budget.settle(&row, RowEnd::Perhaps);
                }
                2 => {
                    meter(tokens);
                    budget.settle(&row, RowEnd::Unreported { answer_bytes: 1 });
                }
                _ => {
                    meter(tokens);
                    budget.settle(&row, RowEnd::Used(tokens));
                }
            }
        }
        assert_eq!(budget.aside, Most::default(), "seed {seed}");
        match by_cost {
            true => {
                assert!(cost <= Money::new(cost_most), "seed {seed}: {cost} of {cost_most}");
                let spent = budget.spent().most_cost();
                let of_one = price.most_of(Tokens { input: largest, cached: 0, output: largest });
                assert!(
                    spent + of_one > Money::new(cost_most),
                    "seed {seed}: stopped too early at {spent}"
                );
            }
            false => {
                assert!(metered <= tokens_most, "seed {seed}: {metered} of {tokens_most}");
                let spent = budget.spent().most_tokens();
                assert!(spent + largest > tokens_most, "seed {seed}: stopped too early at {spent}");
            }
        }
    }
}

/// Each attempt of a retried row may have been metered.
#[test]
fn a_maximum_is_not_exceeded_when_rows_are_retried() {
    for seed in 0..100 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut budget = tokens_max(50_000).attempts(3);
        let (mut metered, mut repeats) = (0, 0);
        for number in 0..10_000 {
            let row = bounded(number, 100, 500);
            match budget.ask(&row) {
                BudgetDecision::Go => {}
                BudgetDecision::Wait => panic!("no row is in flight"),
                BudgetDecision::Stop(_) => break,
            }
            let most = row.body.len() as u64 + 500;
            for _ in 0..random.u64(..3) {
                metered += most;
                repeats += most;
                budget.repeated(&row);
            }
            let output = random.u64(..501);
            metered += 30 + output;
            budget.settle(&row, used(30, output));
        }
        assert!(repeats > 0);
        assert!(metered <= 50_000, "seed {seed}: {metered}");
        assert_eq!(budget.aside, Most::default());
    }
}

/// Of rows that bound nothing: by those before them, with a margin that is larger while few are known.
#[test]
fn what_an_open_row_uses_is_expected_with_a_margin() {
    let open = Bounds { bytes: 10, output: None, is_open: true };
    let mut learned = Learned::default();
    assert!(!learned.knows(open) && !learned.knows(Bounds { output: Some(1), ..open }));
    learned.add(open, Tokens { input: 1_000, cached: 0, output: 100 });
    assert!(learned.knows(open));
    assert_eq!(learned.most(open), Tokens { input: 2_000, cached: 0, output: 200 });
    for _ in 2..learned::ROWS_TO_TRUST {
        learned.add(open, Tokens { input: 500, cached: 0, output: 50 });
    }
    assert_eq!(learned.most(open), Tokens { input: 2_000, cached: 0, output: 200 });
    learned.add(open, Tokens { input: 500, cached: 0, output: 50 });
    assert_eq!(learned.most(open), Tokens { input: 1_250, cached: 0, output: 125 });
    // One whose text is all of its input says nothing about the others, and the text is never too little.
    let text = Bounds { is_open: false, ..open };
    assert_eq!(learned.most(text), Tokens { input: 10, cached: 0, output: 125 });
    learned.add(text, Tokens { input: 30, cached: 0, output: 50 });
    assert_eq!(learned.most(text).input, 38, "three tokens a byte, a quarter more");
    let bounded = Bounds { output: Some(7), ..text };
    assert_eq!(learned.most(bounded).output, 7);
    learned.add(bounded, Tokens { input: 10, cached: 0, output: 14 });
    assert_eq!(learned.most(bounded).output, 18, "twice its bound, a quarter more");
}
