//! Estimates a sum over all rows from a random sample: a figure, and an interval that holds the truth in
//! 95 of 100 jobs.
//!
//! # The method
//!
//! Nothing is assumed about the values but their bounds: none is below 0, none above the maximum of its
//! row. So a sample of 20 rows that are all alike does not exclude that a fifth of the others are at their
//! maximum (the rule of three).
//!
//! The lower end is Gaffke's bound: one more row of value 0 joins the sample, all get random weights that
//! sum to 1 (uniformly distributed), and the end is a low quantile of the weighted mean. The quantile is
//! computed from the first three moments (Pearson III, by Wilson and Hilferty). Where every value is 0 or
//! 1, this is nearly the interval of Clopper and Pearson.
//!
//! The upper end is the lower end of what rows leave unused, since the sum of the maxima is known. If rows
//! have no maximum, there is no upper end.
//!
//! If a part of the values is nearly proportional to the sizes of the rows, which are all known, the bound
//! is that of the residuals. The row that joins the sample then has the mean size, so the truth is above
//! more often if a few rows have most of the size and differ in their ratio.
//!
//! `interval_tests` measures how often the truth is inside; the results are in `tests/bench/README.md`.

/// Smaller samples have no interval.
pub const ROWS_MIN: usize = 20;

/// The normal quantile of 4 %: how often the truth may be below the interval.
const BELOW: f64 = -1.750_686_071_252_17;

/// The normal quantile of 1 %: how often it may be above, which is worse for whoever pays.
const ABOVE: f64 = -2.326_347_874_040_841;

/// An estimate of a sum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The best estimate.
    pub point: f64,
    /// The lower end of the 95 % interval; `None` for samples of fewer than [`ROWS_MIN`].
    pub low: Option<f64>,
    /// The upper end; also `None` if a row has no maximum.
    pub high: Option<f64>,
    /// The worst case: every row that was not sampled uses its maximum.
    pub most: Option<f64>,
}

impl Estimate {
    /// Multiplied by a factor.
    pub(super) fn times(self, factor: f64) -> Estimate {
        let times = |end: Option<f64>| end.map(|end| end * factor);
        let Estimate { point, low, high, most } = self;
        Estimate { point: point * factor, low: times(low), high: times(high), most: times(most) }
    }
}

/// A row of the sample. Its value has two parts; the first is nearly proportional to the size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sampled {
    pub(super) used: [f64; 2],
    /// The maximum of each part.
    pub(super) most: [f64; 2],
    pub(super) size: f64,
}

/// All rows, those of the sample included.
#[derive(Clone, Copy, Debug)]
pub(super) struct Population {
    pub(super) rows: f64,
    pub(super) size: f64,
    /// The sum of the maxima; `None` if a row has none.
    pub(super) most: Option<f64>,
}

/// The estimate of the sum of the values; `None` for an empty sample.
pub(super) fn estimate(sample: &[Sampled], all: Population) -> Option<Estimate> {
    if sample.is_empty() {
        return None;
    }
    let sum = |of: fn(&Sampled) -> f64| sample.iter().map(of).sum::<f64>();
    let rest = Population {
        rows: (all.rows - sample.len() as f64).max(0.0),
        size: (all.size - sum(|row| row.size)).max(0.0),
        most: all
            .most
            .map(|most| (most - sum(|row| row.most[0] + row.most[1])).max(0.0))
            .filter(|_| sample.iter().all(Sampled::is_within)),
    };
    let used = sum(Sampled::value);
    let most = rest.most.map(|most| used + most);
    let point = used + of_rest(sample, rest, None);
    let is_enough = sample.len() >= ROWS_MIN;
    let low = || (used + of_rest(sample, rest, Some(BELOW))).min(point);
    let unused: Vec<Sampled> = sample.iter().map(Sampled::unused).collect();
    let high = |most: f64| (most - of_rest(&unused, rest, Some(ABOVE))).max(point);
    Some(Estimate {
        point,
        low: is_enough.then(low),
        high: most.filter(|_| is_enough).map(high),
        most,
    })
}

impl Sampled {
    fn value(&self) -> f64 {
        self.used[0] + self.used[1]
    }

    fn is_within(&self) -> bool {
        self.used[0] <= self.most[0] && self.used[1] <= self.most[1]
    }

    fn unused(&self) -> Sampled {
        let unused = [self.most[0] - self.used[0], self.most[1] - self.used[1]];
        Sampled { used: unused, ..*self }
    }
}

/// The sum over the rows that were not sampled: the expected one, or its lower end.
fn of_rest(sample: &[Sampled], rest: Population, quantile: Option<f64>) -> f64 {
    if rest.rows <= 0.0 {
        return 0.0;
    }
    let values: Vec<f64> = sample.iter().map(Sampled::value).collect();
    let size: f64 = sample.iter().map(|row| row.size).sum();
    let ratio = sample.iter().map(|row| row.used[0]).sum::<f64>() / size.max(f64::MIN_POSITIVE);
    let residuals = sample.iter().map(|row| row.value() - ratio * row.size).collect::<Vec<_>>();
    // Sizes that explain nothing are ignored.
    let (ratio, mut errors) = match moment(&residuals, 2) < moment(&values, 2) {
        true => (ratio, residuals),
        false => (0.0, values),
    };
    let by_size = ratio * rest.size / rest.rows;
    let error = match quantile {
        None => mean(&errors),
        Some(quantile) => {
            // The rows of the rest are a sample, too.
            let widening = 1.0 + sample.len() as f64 / rest.rows;
            errors.push(-by_size);
            quantile_of_mean(&errors, quantile, widening)
        }
    };
    rest.rows * (by_size + error).max(0.0)
}

/// The quantile of the mean of values with random weights, at a normal quantile. `widening`: of its variance.
fn quantile_of_mean(values: &[f64], quantile: f64, widening: f64) -> f64 {
    let (count, spread) = (values.len() as f64, moment(values, 2));
    let deviation = (spread / (count + 1.0)).sqrt();
    let skew = 2.0 * moment(values, 3) / (count + 1.0) / (count + 2.0) / deviation.powi(3);
    // Without skew, or without any spread, it is a normal quantile.
    let standard = if skew.abs() > 1e-6 {
        let cube = (1.0 + skew * quantile / 6.0 - skew * skew / 36.0).powi(3);
        2.0 / skew * (cube - 1.0)
    } else {
        quantile
    };
    mean(values) + standard * deviation * widening.sqrt()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The central moment.
fn moment(values: &[f64], power: i32) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(power)).sum::<f64>() / values.len() as f64
}

#[cfg(test)]
#[path = "interval_tests.rs"]
mod tests;
