//! Token prices, which the user gives by model.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::ops::AddAssign;
use std::path::Path;

use modelwire::{Kind, Response, Value};

use crate::error::{Direction, Error};
use crate::money::PARTS;
pub use crate::money::{Money, PRICE_MAX, invalid_price};

/// The largest price file: thousands of models fit.
pub const PRICES_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// The number of tokens that a price is for.
const TOKENS_OF_A_PRICE: f64 = 1e6;

/// Tokens that one or more rows used, or may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Input tokens.
    pub input: u64,
    /// The part of `input` that the service read from its cache.
    pub cached: u64,
    /// Output tokens, including those for reasoning.
    pub output: u64,
}

impl Tokens {
    /// The tokens that the answer reports; `None` if it reports none. Looks for cached ones only if
    /// `with_cached`, because that parses the answer.
    pub fn of(response: &Response, with_cached: bool) -> Option<Tokens> {
        let usage = response.usage()?;
        let input = usage.input_tokens;
        // Some services omit reasoning tokens from the output, but not from the total.
        let output = usage.output_tokens.max(usage.total_tokens.saturating_sub(input));
        let cached = if with_cached { cached(response.json()).unwrap_or(0).min(input) } else { 0 };
        Some(Tokens { input, cached, output })
    }

    /// Input and output together.
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

/// The prices of one model's tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    /// Per token, in parts.
    input: u128,
    cached: Option<u128>,
    output: u128,
}

impl Price {
    /// Prices per million input tokens, cached input tokens (`None`: the same as input), and output
    /// tokens.
    pub fn new(input: f64, cached: Option<f64>, output: f64) -> Price {
        let part = |price: f64| (price / TOKENS_OF_A_PRICE * PARTS).round() as u128;
        Price { input: part(input), cached: cached.map(part), output: part(output) }
    }

    /// The cost of these tokens.
    pub fn of(self, tokens: Tokens) -> Money {
        self.input_of(tokens) + self.output_of(tokens)
    }

    /// The cost of the input tokens.
    pub fn input_of(self, tokens: Tokens) -> Money {
        let cached = tokens.cached.min(tokens.input);
        let fresh = u128::from(tokens.input - cached).saturating_mul(self.input);
        let cached = u128::from(cached).saturating_mul(self.cached.unwrap_or(self.input));
        Money { parts: fresh.saturating_add(cached) }
    }

    /// The cost of the output tokens.
    pub fn output_of(self, tokens: Tokens) -> Money {
        Money { parts: u128::from(tokens.output).saturating_mul(self.output) }
    }

    /// The maximum cost of these tokens, for any share of cached ones.
    pub fn most_of(self, tokens: Tokens) -> Money {
        let dearest = self.input.max(self.cached.unwrap_or(0));
        let input = Money { parts: u128::from(tokens.input).saturating_mul(dearest) };
        input + self.output_of(tokens)
    }
}

/// The prices given by the user.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prices {
    /// For every model that the file does not name.
    others: Option<Price>,
    of_models: BTreeMap<String, Price>,
}

impl Prices {
    /// Prices from two prices for all models and the text of a file, whose name errors show. All may be
    /// absent. The file is `{"a-model": {"in": 0.5, "out": 1.5, "cached_in": 0.1}, ...}`, with prices
    /// per million tokens; it takes precedence over the two prices.
    pub fn new(
        price_in: Option<f64>,
        price_out: Option<f64>,
        file: Option<(&str, &str)>,
    ) -> Result<Prices, Error> {
        let others = match (price_in, price_out) {
            (None, None) => None,
            (Some(input), Some(output)) => {
                for (direction, price) in [(Direction::In, input), (Direction::Out, output)] {
                    if !is_price(price) {
                        return Err(Error::PriceInvalid { direction, price });
                    }
                }
                Some(Price::new(input, None, output))
            }
            (Some(_), None) => return Err(Error::PriceMissing(Direction::Out)),
            (None, Some(_)) => return Err(Error::PriceMissing(Direction::In)),
        };
        let of_models = match file {
            Some((name, text)) => read(name, text)?,
            None => BTreeMap::new(),
        };
        Ok(Prices { others, of_models })
    }

    /// Like [`Prices::new`], but reads the file.
    pub fn load(
        price_in: Option<f64>,
        price_out: Option<f64>,
        file: Option<&Path>,
    ) -> Result<Prices, Error> {
        let Some(path) = file else { return Prices::new(price_in, price_out, None) };
        let name = path.display().to_string();
        let cannot = |why: &dyn fmt::Display| Error::PricesUnreadable {
            path: path.to_owned(),
            reason: why.to_string(),
        };
        // A pipe or a device does not say how much it has.
        let file = File::open(path).map_err(|error| cannot(&error))?;
        let mut bytes = Vec::new();
        let read = file.take(PRICES_BYTES_MAX + 1).read_to_end(&mut bytes);
        if read.map_err(|error| cannot(&error))? as u64 > PRICES_BYTES_MAX {
            return Err(cannot(&format_args!(
                "more than {PRICES_BYTES_MAX} bytes are too many for a list of prices"
            )));
        }
        let text = String::from_utf8(bytes).map_err(|error| cannot(&error.utf8_error()))?;
        Prices::new(price_in, price_out, Some((&name, &text)))
    }

    /// Whether there are no prices.
    pub fn are_none(&self) -> bool {
        self.others.is_none() && self.of_models.is_empty()
    }

    /// Whether any price of cached tokens differs from that of other input.
    pub fn know_cached(&self) -> bool {
        self.of_models.values().any(|price| price.cached.is_some())
    }

    /// The price of this model's tokens, if known.
    pub fn of(&self, model: &str) -> Option<Price> {
        self.of_models.get(model).copied().or(self.others)
    }
}

fn is_price(price: f64) -> bool {
    (0.0..=PRICE_MAX).contains(&price)
}

fn read(name: &str, text: &str) -> Result<BTreeMap<String, Price>, Error> {
    let shape =
        r#"it must be {"a-model": {"in": 0.5, "out": 1.5}, ...}, prices per million tokens"#;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let whole = Value::parse(text).map_err(|error| {
        Error::PricesInvalid(format!(
            "{name}:{}: not JSON: {error}; {shape}",
            place(text, error.offset)
        ))
    })?;
    if whole.kind() != Kind::Object {
        return Err(Error::PricesInvalid(format!("{name}: not an object; {shape}")));
    }
    let mut prices = BTreeMap::new();
    for (model, value) in whole.members() {
        // The offset of the model's value, which is a slice of the text.
        let offset = (value.text().as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
        let wrong = |what: &str| {
            Error::PricesInvalid(format!(
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
                number.as_f64().ok_or_else(|| wrong(&format!("\"{member}\" is not a number")))?;
            if !is_price(price) {
                return Err(wrong(&format!("\"{member}\": {}", invalid_price(price))));
            }
            if field.replace(price).is_some() {
                return Err(wrong(&format!("\"{member}\" appears twice")));
            }
        }
        let (Some(input), Some(output)) = (input, output) else {
            let lacks = if input.is_none() { "\"in\" is missing" } else { "\"out\" is missing" };
            return Err(wrong(&format!("{lacks}; 0 is allowed")));
        };
        if prices.insert(model.clone().into_owned(), Price::new(input, cached, output)).is_some() {
            return Err(wrong("appears twice"));
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
