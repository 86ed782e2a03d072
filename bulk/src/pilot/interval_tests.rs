//! Intervals for known populations: how often they cover the true value.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

use super::*;

/// Rows of a job.
const POPULATION: usize = 5_000;
/// Pilots of each population.
const PILOTS: usize = 300;

impl Chance {
    fn unit(&mut self) -> f64 {
        (self.below(1 << 53) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * self.unit().ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// Distinct random indices of a population.
    fn sample(&mut self, count: usize, end: usize) -> Vec<usize> {
        let mut places = Vec::new();
        while places.len() < count {
            let place = self.below(end);
            if !places.contains(&place) {
                places.push(place);
            }
        }
        places
    }
}

type Draw = fn(&mut Chance) -> f64;

const DISTRIBUTIONS: [(&str, Draw); 8] = [
    ("constant", |_| 256.0),
    ("normal", |chance| 100.0 + 20.0 * chance.normal()),
    ("uniform", |chance| 100.0 * chance.unit()),
    ("exponential", |chance| -100.0 * chance.unit().ln()),
    ("log-normal, narrow", |chance| (5.0 + 0.5 * chance.normal()).exp()),
    ("log-normal, wide", |chance| (5.0 + chance.normal()).exp()),
    ("log-normal, cut at a bound", |chance| (5.0 + chance.normal()).exp().min(512.0)),
    ("bimodal", |chance| match chance.unit() {
        short if short < 0.6 => 40.0 + 15.0 * chance.normal(),
        _ => 400.0 + 150.0 * chance.normal(),
    }),
];

fn covered(count: usize, values: &[f64], estimate: impl Fn(&[usize]) -> Interval) -> f64 {
    let truth: f64 = values.iter().sum();
    let mut chance = Chance(count as u64);
    let hits = (0..PILOTS).filter(|_| {
        let interval = estimate(&chance.sample(count, values.len()));
        interval.low <= truth * (1.0 + 1e-9) && truth * (1.0 - 1e-9) <= interval.high
    });
    hits.count() as f64 * 100.0 / PILOTS as f64
}

#[test]
fn the_truth_is_covered_in_about_95_of_100_pilots() {
    for (count, distributions) in [(20, &DISTRIBUTIONS[..]), (50, &DISTRIBUTIONS[5..])] {
        for &(name, draw) in distributions {
            let mut chance = Chance(17);
            let values: Vec<f64> = (0..POPULATION).map(|_| draw(&mut chance)).collect();
            let share = covered(count, &values, |places| {
                let sample: Vec<f64> = places.iter().map(|place| values[*place]).collect();
                total(&sample, POPULATION as u64).unwrap()
            });
            println!("{count} of {name}: {share:.1} %");
            // If all rows are the same, every pilot knows all of them.
            let most = if name == "constant" { 100.0 } else { 99.0 };
            // A sample of 20 often has nothing of such a long tail.
            let least = if name == "log-normal, wide" { 92.0 } else { 93.0 };
            assert!((least..=most).contains(&share), "{count} of {name}: {share:.1} %");
        }
    }
}

#[test]
fn the_ratio_covers_as_well_and_is_narrower() {
    let mut chance = Chance(3);
    let sizes: Vec<f64> = (0..POPULATION).map(|_| (6.0 + 0.8 * chance.normal()).exp()).collect();
    // About one token per four bytes, plus a few of a template.
    let tokens: Vec<f64> = sizes.iter().map(|size| 12.0 + size / (3.5 + chance.unit())).collect();
    let all_sizes: f64 = sizes.iter().sum();
    let pick =
        |of: &[f64], places: &[usize]| places.iter().map(|place| of[*place]).collect::<Vec<_>>();
    let by_size = |places: &[usize]| {
        total_by_size(&pick(&tokens, places), &pick(&sizes, places), POPULATION as u64, all_sizes)
            .unwrap()
    };
    let share = covered(20, &tokens, by_size);
    assert!((93.0..=99.0).contains(&share), "{share:.1} %");
    let places = Chance(9).sample(20, POPULATION);
    let plain = total(&pick(&tokens, &places), POPULATION as u64).unwrap();
    let ratio = by_size(&places);
    assert!(ratio.high - ratio.low < (plain.high - plain.low) / 2.0, "{ratio:?} {plain:?}");
}

#[test]
fn sizes_without_correlation_are_ignored() {
    let values = [10.0, 11.0, 9.0, 10.0];
    let sizes = [1.0, 1_000.0, 30.0, 500.0];
    assert_eq!(total_by_size(&values, &sizes, 100, 40_000.0), total(&values, 100));
    assert_eq!(total_by_size(&values, &[0.0; 4], 100, 0.0), total(&values, 100));
}

#[test]
fn a_total_seen_completely_is_exact() {
    let interval = total(&[1.0, 2.0, 3.0], 3).unwrap();
    assert_eq!(interval, Interval { point: 6.0, low: 6.0, high: 6.0 });
    let constant = total(&[0.1; 20], 1_000).unwrap();
    assert!((constant.high - constant.low).abs() < 1e-9 && (constant.point - 100.0).abs() < 1e-9);
    assert_eq!(total(&[1.0], 10), None);
    assert_eq!(total(&[], 10), None);
    // The sum is never less than what was sampled.
    assert_eq!(total(&[0.0, 0.0, 0.0, 90.0], 10).unwrap().low, 90.0);
}

#[test]
fn students_factor_is_right() {
    for (freedom, factor) in
        [(1, 12.706), (4, 2.776), (6, 2.447), (9, 2.262), (19, 2.093), (49, 2.010), (999, 1.962)]
    {
        assert!((student(freedom) - factor).abs() < 3e-3, "{freedom}: {}", student(freedom));
    }
}

#[test]
fn wilsons_share_is_right() {
    let none = share(0, 20);
    assert!(none.low == 0.0 && (none.high - 0.161).abs() < 1e-3, "{none:?}");
    let one = share(1, 20);
    assert!((one.low - 0.009).abs() < 1e-3 && (one.high - 0.236).abs() < 1e-3, "{one:?}");
    let all = share(20, 20);
    assert!(all.high == 1.0 && (all.low - 0.839).abs() < 1e-3, "{all:?}");
    assert_eq!(share(0, 0).point, 0.0);
}
