//! What tokens cost: prices that the user gives, by model, and sums of money without an error of rounding.
//! Knows no price of its own and no currency: cost is in whatever the prices are in.

use std::collections::BTreeMap;
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};
use std::path::Path;

use modelwire::{Kind, Response, Value};

use crate::failure::Failure;

/// A file of prices is never larger: thousands of models fit.
pub const PRICES_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// No million tokens costs more, in any currency: what is above is a slip.
pub const PRICE_MAX: f64 = 1e9;

/// Prices are for so many tokens.
const TOKENS_OF_A_PRICE: f64 = 1e6;

/// Parts of one unit of money. A price of a millionth for a million tokens is one part a token, so that
/// every price that anybody asks for is exact, and sums are.
const PARTS: f64 = 1e12;

/// An amount of money, in the currency of the prices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Money {
    parts: u128,
}

impl Money {
    /// The nearest amount; nothing where the number is negative or none.
    pub fn new(units: f64) -> Money {
        // A float beyond the range, or one that is no number, saturates or is 0.
        Money { parts: (units * PARTS).round() as u128 }
    }

    /// As a number, for people and for JSON.
    pub fn units(self) -> f64 {
        self.parts as f64 / PARTS
    }

    /// So many times.
    pub fn times(self, factor: u64) -> Money {
        Money { parts: self.parts.saturating_mul(factor.into()) }
    }

    /// What is left of it after this; nothing if less.
    pub fn less(self, other: Money) -> Money {
        Money { parts: self.parts.saturating_sub(other.parts) }
    }
}

impl Add for Money {
    type Output = Money;

    fn add(self, other: Money) -> Money {
        Money { parts: self.parts.saturating_add(other.parts) }
    }
}

impl AddAssign for Money {
    fn add_assign(&mut self, other: Money) {
        *self = *self + other;
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Money>>(amounts: I) -> Money {
        amounts.fold(Money::default(), Add::add)
    }
}

/// Two digits behind the point, more where the amount is small: `12.34`, `0.0012`.
impl fmt::Display for Money {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = self.units();
        let digits = match units {
            0.0 => 2,
            tiny if tiny < 0.001 => 6,
            small if small < 1.0 => 4,
            _ => 2,
        };
        write!(formatter, "{units:.digits$}")
    }
}

/// Tokens that one row or many used, or may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// That went in.
    pub input: u64,
    /// Those among `input` that the service had in a cache.
    pub cached: u64,
    /// That came out, those of reasoning included.
    pub output: u64,
}

impl Tokens {
    /// As the answer reports them; `None` where it reports none. Looks for cached ones only if
    /// `with_cached`, because that is a walk through the answer.
    pub fn of(response: &Response, with_cached: bool) -> Option<Tokens> {
        let usage = response.usage()?;
        let input = usage.input_tokens;
        // Some services leave the tokens of reasoning out of the output, but not out of the total.
        let output = usage.output_tokens.max(usage.total_tokens.saturating_sub(input));
        let cached = if with_cached { cached(response.json()).unwrap_or(0).min(input) } else { 0 };
        Some(Tokens { input, cached, output })
    }

    /// In both directions.
    pub fn total(self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

impl AddAssign for Tokens {
    fn add_assign(&mut self, other: Tokens) {
        self.input = self.input.saturating_add(other.input);
        self.cached = self.cached.saturating_add(other.cached);
        self.output = self.output.saturating_add(other.output);
    }
}

/// Chats report them in `prompt_tokens_details`, responses in `input_tokens_details`.
fn cached(answer: &str) -> Option<u64> {
    let usage = Value::validated(answer).get("usage")?;
    let details = ["prompt_tokens_details", "input_tokens_details"];
    let details = details.iter().find_map(|name| usage.get(name))?;
    u64::try_from(details.get("cached_tokens")?.as_i64()?).ok()
}

/// What tokens of one model cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    /// Of one token, in parts.
    input: u128,
    cached: Option<u128>,
    output: u128,
}

impl Price {
    /// Prices of a million tokens that go in, of those among them that were cached (`None`: as the
    /// others), and of those that come out.
    pub fn new(input: f64, cached: Option<f64>, output: f64) -> Price {
        let part = |price: f64| (price / TOKENS_OF_A_PRICE * PARTS).round() as u128;
        Price { input: part(input), cached: cached.map(part), output: part(output) }
    }

    /// What these cost.
    pub fn of(self, tokens: Tokens) -> Money {
        self.input_of(tokens) + self.output_of(tokens)
    }

    /// What those of them cost that go in.
    pub fn input_of(self, tokens: Tokens) -> Money {
        let cached = tokens.cached.min(tokens.input);
        let fresh = u128::from(tokens.input - cached).saturating_mul(self.input);
        let cached = u128::from(cached).saturating_mul(self.cached.unwrap_or(self.input));
        Money { parts: fresh.saturating_add(cached) }
    }

    /// What those of them cost that come out.
    pub fn output_of(self, tokens: Tokens) -> Money {
        Money { parts: u128::from(tokens.output).saturating_mul(self.output) }
    }

    /// The most that these can cost, whatever of them is cached.
    pub fn most_of(self, tokens: Tokens) -> Money {
        let dearest = self.input.max(self.cached.unwrap_or(0));
        let input = Money { parts: u128::from(tokens.input).saturating_mul(dearest) };
        input + self.output_of(tokens)
    }
}

/// The prices that the user gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prices {
    /// `--price-in` and `--price-out`: of every model that the file does not name.
    others: Option<Price>,
    of_models: BTreeMap<String, Price>,
}

impl Prices {
    /// From `--price-in`, `--price-out` and the text of `--prices`, which `file` names in errors. All may
    /// be absent. The file is `{"a-model": {"in": 0.5, "out": 1.5, "cached_in": 0.1}, ...}`, prices of a
    /// million tokens; it goes before the two options.
    pub fn new(
        price_in: Option<f64>,
        price_out: Option<f64>,
        file: Option<(&str, &str)>,
    ) -> Result<Prices, Failure> {
        let others = match (price_in, price_out) {
            (None, None) => None,
            (Some(input), Some(output)) => {
                let input = checked(input).map_err(|wrong| option_failure("--price-in", wrong))?;
                let output =
                    checked(output).map_err(|wrong| option_failure("--price-out", wrong))?;
                Some(Price::new(input, None, output))
            }
            (Some(_), None) => {
                return Err(Failure::usage("--price-in needs --price-out; 0 is a price"));
            }
            (None, Some(_)) => {
                return Err(Failure::usage("--price-out needs --price-in; 0 is a price"));
            }
        };
        let of_models = match file {
            Some((name, text)) => read(name, text)?,
            None => BTreeMap::new(),
        };
        Ok(Prices { others, of_models })
    }

    /// As [`Prices::new`], and reads the file.
    pub fn load(
        price_in: Option<f64>,
        price_out: Option<f64>,
        file: Option<&Path>,
    ) -> Result<Prices, Failure> {
        let Some(path) = file else { return Prices::new(price_in, price_out, None) };
        let name = path.display().to_string();
        let cannot = |why: &dyn fmt::Display| {
            Failure::file(format!("{name}: the prices cannot be read: {why}"))
        };
        let length = std::fs::metadata(path).map_err(|error| cannot(&error))?.len();
        if length > PRICES_BYTES_MAX {
            return Err(cannot(&format_args!("{length} bytes are no list of prices")));
        }
        let bytes = std::fs::read(path).map_err(|error| cannot(&error))?;
        let text = String::from_utf8(bytes).map_err(|error| cannot(&error.utf8_error()))?;
        Prices::new(price_in, price_out, Some((&name, &text)))
    }

    /// Whether the user gave none.
    pub fn are_none(&self) -> bool {
        self.others.is_none() && self.of_models.is_empty()
    }

    /// Whether some price of cached tokens is another than of the rest.
    pub fn know_cached(&self) -> bool {
        self.of_models.values().any(|price| price.cached.is_some())
    }

    /// The price of this model's tokens, if it is known.
    pub fn of(&self, model: &str) -> Option<Price> {
        self.of_models.get(model).copied().or(self.others)
    }
}

fn option_failure(option: &str, wrong: String) -> Failure {
    Failure::usage(format!("{option}: {wrong}"))
}

fn checked(price: f64) -> Result<f64, String> {
    if (0.0..=PRICE_MAX).contains(&price) {
        return Ok(price);
    }
    Err(format!("{price} is no price: give a number from 0 to {PRICE_MAX}, for a million tokens"))
}

fn read(name: &str, text: &str) -> Result<BTreeMap<String, Price>, Failure> {
    let shape =
        r#"it must be {"a-model": {"in": 0.5, "out": 1.5}, ...}, prices of a million tokens"#;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let whole = Value::parse(text).map_err(|error| {
        Failure::usage(format!("{name}:{}: no JSON: {error}; {shape}", place(text, error.offset)))
    })?;
    if whole.kind() != Kind::Object {
        return Err(Failure::usage(format!("{name}: not an object; {shape}")));
    }
    let mut prices = BTreeMap::new();
    for (model, value) in whole.members() {
        // Where the model's value begins: it is a part of the text.
        let offset = (value.text().as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
        let wrong = |what: &str| {
            Failure::usage(format!(
                "{name}:{}: model \"{model}\": {what}; {shape}",
                place(text, offset)
            ))
        };
        if value.kind() != Kind::Object {
            return Err(wrong("not an object"));
        }
        let (mut input, mut output, mut cached) = (None, None, None);
        for (member, number) in value.members() {
            let field = match &*member {
                "in" => &mut input,
                "out" => &mut output,
                "cached_in" => &mut cached,
                other => {
                    return Err(wrong(&format!("\"{other}\" is neither in, out nor cached_in")));
                }
            };
            let price =
                number.as_f64().ok_or_else(|| wrong(&format!("\"{member}\" is no number")))?;
            let price = checked(price).map_err(|what| wrong(&format!("\"{member}\": {what}")))?;
            if field.replace(price).is_some() {
                return Err(wrong(&format!("\"{member}\" stands there twice")));
            }
        }
        let (Some(input), Some(output)) = (input, output) else {
            let lacks = if input.is_none() { "\"in\" is missing" } else { "\"out\" is missing" };
            return Err(wrong(&format!("{lacks}; 0 is a price")));
        };
        if prices.insert(model.clone().into_owned(), Price::new(input, cached, output)).is_some() {
            return Err(wrong("stands there twice"));
        }
    }
    Ok(prices)
}

/// Line and column of an offset in a text, both from 1.
fn place(text: &str, offset: usize) -> String {
    let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
    format!("{line}:{column}")
}

#[cfg(test)]
#[path = "prices_tests.rs"]
mod tests;
