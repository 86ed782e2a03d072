//! Sums of money without an error of rounding, in whatever currency the prices are in, and which numbers are
//! prices.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// No million tokens costs more, in any currency: what is above is a slip.
pub const PRICE_MAX: f64 = 1e9;

/// Parts of one unit of money. A price of a millionth for a million tokens is one part a token, so that
/// every price that anybody asks for is exact, and sums are.
pub(crate) const PARTS: f64 = 1e12;

/// An amount of money, in the currency of the prices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Money {
    pub(crate) parts: u128,
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

/// What is wrong with a number that is no price.
pub fn invalid_price(price: f64) -> String {
    format!("{price} is no price: give a number from 0 to {PRICE_MAX}, for a million tokens")
}
