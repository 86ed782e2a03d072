//! Estimates a sum over all rows from a random sample, with a 95 % confidence interval.
//!
//! # The method
//!
//! The sum is N times the sample mean. If the sizes of all rows are known and correlate with the values, it
//! is the size of all rows times the ratio of both sums in the sample (a ratio estimator). The standard
//! error is s/√n of the values (or of the ratio's residuals), times √(1 − n/N) because rows are drawn
//! without replacement.
//!
//! The number of standard errors to each side: model answers are skewed, with few long ones among many
//! short ones, so an interval by Student's t covers less than it claims. The interval is therefore the
//! wider of Student's t and of a studentised bootstrap, and on the side of the long tail a little wider, in
//! proportion to the skewness of the sample. `interval_tests` checks it against random samples: it covers
//! the truth in 93 to 99 of 100 pilots of 20 rows (in 92 if answers are log-normal with a spread at least
//! as wide as their mean).
//!
//! The sample may miss whatever is rarer than one in n rows; no interval accounts for that.

/// Number of bootstrap resamples. The seed is fixed: the same pilot gives the same estimate.
const RESAMPLES: usize = 1_999;

/// A bootstrap of few rows is unbounded: its maximum is this multiple of Student's t.
const REACH_MAX: f64 = 4.0;

/// How much wider the interval is for a skewed sample, per skewness/√n.
const SKEW_PART: f64 = 0.35;

/// The 97.5 % quantile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// An estimate and its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The best estimate.
    pub point: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Multiplied by a factor.
    pub fn times(self, factor: f64) -> Interval {
        Interval { point: self.point * factor, low: self.low * factor, high: self.high * factor }
    }
}

/// The sum over `population` rows, from the values of a sample. `None` for fewer than two.
pub fn total(values: &[f64], population: u64) -> Option<Interval> {
    let (mean, _) = mean_and_deviation(values)?;
    around(mean * population as f64, values, values, population)
}

/// The sum over `population` rows with a total size of `size`, from the values and sizes of a sample. Uses
/// the ratio of values to sizes if it is better than the mean of the values.
pub fn total_by_size(
    values: &[f64],
    sizes: &[f64],
    population: u64,
    size: f64,
) -> Option<Interval> {
    let (_, spread) = mean_and_deviation(values)?;
    let (size_mean, _) = mean_and_deviation(sizes)?;
    if size_mean <= 0.0 || population == 0 {
        return total(values, population);
    }
    let ratio = values.iter().sum::<f64>() / sizes.iter().sum::<f64>();
    let stretch = size / population as f64 / size_mean;
    let residuals = values.iter().zip(sizes).map(|(value, size)| (value - ratio * size) * stretch);
    let residuals: Vec<f64> = residuals.collect();
    let (_, rest) = mean_and_deviation(&residuals)?;
    if rest >= spread {
        return total(values, population);
    }
    around(ratio * size, &residuals, values, population)
}

/// An interval around a sum, from the errors of the sample. Its lower end is at least the sum already
/// known.
fn around(point: f64, errors: &[f64], known: &[f64], population: u64) -> Option<Interval> {
    let count = errors.len() as f64;
    let (_, deviation) = mean_and_deviation(errors)?;
    let unseen = (1.0 - count / population as f64).max(0.0);
    let error = population as f64 * deviation / count.sqrt() * unseen.sqrt();
    let (down, up) = reach(errors);
    let least = known.iter().sum::<f64>();
    let low = (point - down * error).max(least.min(point));
    Some(Interval { point, low, high: point + up * error })
}

/// The half-widths below and above the mean, in standard errors.
fn reach(values: &[f64]) -> (f64, f64) {
    let student = student(values.len().saturating_sub(1));
    let Some((mean, deviation)) =
        mean_and_deviation(values).filter(|(_, deviation)| *deviation > 0.0)
    else {
        return (student, student);
    };
    let (low, high) = bootstrap(values, mean).unwrap_or((-student, student));
    let cube = |value: &f64| ((value - mean) / deviation).powi(3);
    let skew = values.iter().map(cube).sum::<f64>() / values.len() as f64;
    let further = |skew: f64| 1.0 + skew.max(0.0) / (values.len() as f64).sqrt() * SKEW_PART;
    // If the studentised mean is far above, the truth is far below, and the other way round.
    let down = high.clamp(student, student * REACH_MAX) * further(-skew);
    let up = (-low).clamp(student, student * REACH_MAX) * further(skew);
    (down, up)
}

/// The central 95 % of the studentised means of resamples.
fn bootstrap(values: &[f64], mean: f64) -> Option<(f64, f64)> {
    let mut chance = Chance(0x6d6f_6465_6c77_6972);
    let root = (values.len() as f64).sqrt();
    let mut sample = Vec::with_capacity(values.len());
    let mut means = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        sample.clear();
        sample.extend((0..values.len()).filter_map(|_| values.get(chance.below(values.len()))));
        let Some((again, deviation)) = mean_and_deviation(&sample) else { continue };
        // A resample of equal values has no deviation.
        if deviation > 0.0 {
            means.push((again - mean) / deviation * root);
        }
    }
    if means.len() < RESAMPLES / 2 {
        return None;
    }
    means.sort_by(f64::total_cmp);
    let at = |share: f64| means.get((means.len() as f64 * share) as usize).copied();
    at(0.025).zip(at(0.975))
}

/// The mean and standard deviation; `None` for fewer than two values.
fn mean_and_deviation(values: &[f64]) -> Option<(f64, f64)> {
    let count = values.len() as f64;
    if values.len() < 2 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / count;
    let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    let deviation = (squares / (count - 1.0)).sqrt();
    // Equal values differ only by rounding.
    let is_noise = deviation <= mean.abs() * 1e-12;
    Some((mean, if is_noise { 0.0 } else { deviation }))
}

/// The 97.5 % quantile of Student's t distribution.
fn student(freedom: usize) -> f64 {
    let exact = [12.706, 4.303, 3.182, 2.776, 2.571];
    if let Some(exact) = exact.get(freedom.saturating_sub(1)) {
        return *exact;
    }
    // The Cornish-Fisher expansion, accurate to three digits from here on.
    let (z, nu) = (Z, freedom as f64);
    let first = (z.powi(3) + z) / 4.0;
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
    let third = (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0;
    z + first / nu + second / nu.powi(2) + third / nu.powi(3)
}

/// The share in the whole population: Wilson's interval, which is good for small shares.
pub fn share(part: u64, whole: u64) -> Interval {
    let count = (whole as f64).max(1.0);
    let point = part as f64 / count;
    let squared = Z * Z;
    let centre = (point + squared / (2.0 * count)) / (1.0 + squared / count);
    let spread = (point * (1.0 - point) / count + squared / (4.0 * count * count)).sqrt();
    let half = Z * spread / (1.0 + squared / count);
    Interval { point, low: (centre - half).max(0.0), high: (centre + half).min(1.0) }
}

/// A pseudo-random generator with a fixed seed.
#[derive(Debug)]
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let mixed = mixed ^ (mixed >> 31);
        usize::try_from(mixed % (end as u64).max(1)).unwrap_or(0)
    }
}

#[cfg(test)]
#[path = "interval_tests.rs"]
mod tests;
