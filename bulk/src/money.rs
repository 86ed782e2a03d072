//! Sums of money without rounding errors, in the currency of the prices, and the check of prices.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// The largest price of a million tokens, in any currency: a larger one is a mistake.
pub const PRICE_MAX: f64 = 1e9;

/// The number of parts of one unit of money. A price of a millionth per million tokens is one part per
/// token, so that every realistic price is exact, and so are sums.
pub(crate) const PARTS: f64 = 1e12;

/// An amount of money, in the currency of the prices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Money {
    pub(crate) parts: u128,
}

impl Money {
    /// The nearest amount; zero if the number is negative or not a number.
    pub fn new(units: f64) -> Money {
        // A float out of range saturates; NaN becomes 0.
        Money { parts: (units * PARTS).round() as u128 }
    }

    /// The amount as a number, for display and JSON.
    pub fn units(self) -> f64 {
        self.parts as f64 / PARTS
    }

    /// Multiplies the amount.
    pub fn times(self, factor: u64) -> Money {
        Money { parts: self.parts.saturating_mul(factor.into()) }
    }

    /// The remainder after this amount; zero if there is none.
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

/// Two digits after the point, more if the amount is small: `12.34`, `0.0012`.
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

/// The error of a number that is not a valid price.
pub fn invalid_price(price: f64) -> String {
    format!("invalid price {price}: give a number from 0 to {PRICE_MAX}, per million tokens")
}
