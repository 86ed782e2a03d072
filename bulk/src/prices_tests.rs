//! Prices as users write them, valid and invalid.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::*;
use crate::error::ErrorKind;

fn tokens(input: u64, cached: u64, output: u64) -> Tokens {
    Tokens { input, cached, output }
}

#[test]
fn a_price_is_for_a_million_tokens() {
    let price = Price::new(0.5, Some(0.1), 1.5);
    let million = 1_000_000;
    assert_eq!(price.of(tokens(million, 0, million)), Money::new(2.0));
    assert_eq!(price.of(tokens(million, million, 0)), Money::new(0.1));
    assert_eq!(price.most_of(tokens(million, million, 0)), Money::new(0.5));
    assert_eq!(Price::new(0.5, None, 1.5).of(tokens(million, million, 0)), Money::new(0.5));
}

#[test]
fn sums_of_money_are_exact() {
    let one = Price::new(0.15, None, 0.6).of(tokens(1, 0, 0));
    let sum: Money = (0..1_000_000).map(|_| one).sum();
    assert_eq!(sum, Money::new(0.15));
    assert_eq!(Money::new(1.0).less(Money::new(2.0)), Money::default());
}

#[test]
fn money_reads_well() {
    for (units, text) in [
        (0.0, "0.00"),
        (12.344, "12.34"),
        (0.01234, "0.0123"),
        (0.000_012, "0.000012"),
        (0.001, "0.0010"),
        (1.0, "1.00"),
        (1e6, "1000000.00"),
    ] {
        assert_eq!(Money::new(units).to_string(), text);
    }
}

#[test]
fn the_file_goes_before_the_options() {
    let file = ("prices.json", r#"{"a-model": {"in": 1, "out": 2, "cached_in": 0.5}}"#);
    let prices = Prices::new(Some(3.0), Some(4.0), Some(file)).unwrap();
    assert_eq!(prices.of("a-model"), Some(Price::new(1.0, Some(0.5), 2.0)));
    assert_eq!(prices.of("echo"), Some(Price::new(3.0, None, 4.0)));
    assert!(prices.know_cached());
    assert!(!Prices::new(Some(1.0), Some(2.0), None).unwrap().know_cached());
    let alone = Prices::new(None, None, Some(file)).unwrap();
    assert_eq!(alone.of("echo"), None);
    assert!(Prices::new(None, None, None).unwrap().are_none());
}

#[test]
fn a_wrong_file_is_named_with_the_place() {
    for (text, says) in [
        ("", "prices.json:1:1: not JSON"),
        ("[]", "prices.json: not an object"),
        ("{\"a\": {\"in\": 1,\n  \"out\": }}", "prices.json:2:10: not JSON"),
        (
            "{\"a\": {\"in\": 1, \"out\": 2},\n \"b\": 7}",
            "prices.json:2:7: model \"b\": not an object",
        ),
        (r#"{"a": {"in": "1", "out": 2}}"#, "\"in\" is not a number"),
        (r#"{"a": {"in": -1, "out": 2}}"#, "\"in\": invalid price -1"),
        (r#"{"a": {"in": 1}}"#, "\"out\" is missing; 0 is allowed"),
        (r#"{"a": {"out": 1}}"#, "\"in\" is missing; 0 is allowed"),
        (r#"{"a": {"in": 1, "out": 2, "input": 3}}"#, "\"input\" is neither in, out nor cached_in"),
        (r#"{"a": {"in": 1, "in": 1, "out": 2}}"#, "\"in\" appears twice"),
        (r#"{"a": {"in": 1, "out": 2}, "a": {"in": 1, "out": 2}}"#, "model \"a\": appears twice"),
    ] {
        let error = Prices::new(None, None, Some(("prices.json", text))).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Argument);
        assert!(error.to_string().contains(says), "{text:?}: {error}");
        assert!(error.to_string().starts_with("prices.json:"), "{error}");
    }
}

#[test]
fn a_single_or_invalid_price_option_is_refused() {
    for (price_in, price_out, says) in [
        (Some(1.0), None, "a price for input tokens, but none for output tokens"),
        (None, Some(1.0), "a price for output tokens, but none for input tokens"),
        (Some(-1.0), Some(1.0), "input tokens: invalid price -1"),
        (Some(1.0), Some(f64::NAN), "output tokens: invalid price NaN"),
        (Some(1.0), Some(f64::INFINITY), "output tokens: invalid price inf"),
    ] {
        let error = Prices::new(price_in, price_out, None).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Argument);
        assert!(error.to_string().contains(says), "{error}");
    }
}

#[test]
fn a_missing_price_file_is_named() {
    let path = std::path::Path::new("no-such-folder/prices.json");
    let error = Prices::load(None, None, Some(path)).unwrap_err();
    let begin = "no-such-folder/prices.json: the prices cannot be read";
    assert!(error.to_string().starts_with(begin), "{error}");
    assert_eq!(error.kind(), ErrorKind::File);
}

#[test]
fn cached_tokens_are_found_in_both_shapes() {
    for name in ["prompt_tokens_details", "input_tokens_details"] {
        let answer = format!(r#"{{"id": 1, "usage": {{"{name}": {{"cached_tokens": 7}}}}}}"#);
        assert_eq!(cached(&answer), Some(7));
    }
    assert_eq!(cached(r#"{"usage": {"prompt_tokens": 7}}"#), None);
    assert_eq!(cached(""), None);
}

#[test]
fn a_file_of_prices_is_bounded() {
    let name = format!("modelwire-prices-{}.json", std::process::id());
    let path = std::env::temp_dir().join(name);
    let load = |bytes| {
        let text = format!("{{{}}}", " ".repeat(bytes - 2));
        std::fs::write(&path, text).unwrap();
        Prices::load(None, None, Some(&path))
    };
    let (most, too_much) = (load(PRICES_BYTES_MAX as usize), load(PRICES_BYTES_MAX as usize + 1));
    std::fs::remove_file(&path).unwrap();
    assert!(!most.is_err_and(|error| error.to_string().contains("too many")));
    assert!(
        too_much.is_err_and(|error| error.to_string().contains("too many for a list of prices"))
    );
}

/// Nor does a device fill the memory, which has no size and no end.
#[test]
fn prices_of_a_device_are_bounded() {
    let error = Prices::load(None, None, Some("/dev/zero".as_ref())).unwrap_err();
    assert!(error.to_string().contains("too many for a list of prices"), "{error}");
}
