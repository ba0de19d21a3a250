//! The interval of a share of the total, held to its promise by simulation; and what a part of the cases shows.

use super::terms::RawPair;
use super::{Contrast, EffectMeasure, Failures, PairedComparison, RuleEffect, TestParameters, infer_interim, looks};
use judge_statistics::{EffectSummary, Interval, Random};
use num_bigint::BigInt;
use num_rational::BigRational;
use std::cmp::Ordering;

/// Pairs the scores of two solvers as shares of the first one's total.
fn shares(scores: &[(f64, f64)]) -> PairedComparison {
    let by_rule = RuleEffect { order: Ordering::Equal, first_lacks: 0, second_lacks: 0 };
    let mut paired = PairedComparison {
        first: 0,
        second: 1,
        pairs: Vec::new(),
        cases: scores.len(),
        solved: scores.len(),
        failures: Failures::default(),
        undefined: 0,
        unit: 1.0,
        by_rule,
    };
    // In millionths, since sums of integers are quick.
    let raw = |(case, (a, b)): (usize, &(f64, f64))| RawPair {
        case,
        effect: (b - a) * 1e6,
        base: BigRational::from_integer(BigInt::from((a * 1e6).round() as i64)).into(),
    };
    paired.divide(&scores.iter().enumerate().map(raw).collect::<Vec<_>>(), 1.0);
    paired
}

fn interval(paired: &PairedComparison) -> Interval {
    EffectSummary::of(&paired.terms(), 0.05, None).unwrap().interval
}

/// A number with mean 0 and variance 1, nearly normal.
fn noise(random: &mut Random) -> f64 {
    (0..12).map(|_| random.unit()).sum::<f64>() - 6.0
}

/// How far the scores of a population are spread, and how the second solver differs from the first.
struct Population {
    /// The standard deviation of the logarithm of the first solver's scores.
    spread: f64,
    /// The true ratio of the totals.
    ratio: f64,
    /// The standard deviation of the noise: a share of the score.
    noise: f64,
    /// The share of the cases that the second solver fails, with a score of 0.
    failed: f64,
}

impl Population {
    fn draw(&self, random: &mut Random) -> (f64, f64) {
        let a = (self.spread * noise(random)).exp();
        let factor = 1.0 + self.noise * noise(random);
        let is_failed = random.unit() < self.failed;
        // Failures do not depend on the score, so they lower the total by their share.
        (a, if is_failed { 0.0 } else { a * self.ratio * factor / (1.0 - self.failed) })
    }

    /// Returns how often the interval at 5 % misses the true share, and how often it excludes 0.
    fn rates(&self, cases: usize, runs: usize) -> [f64; 2] {
        let mut random = Random::new(11);
        let mut counts = [0.0; 2];
        for _ in 0..runs {
            let scores: Vec<(f64, f64)> = (0..cases).map(|_| self.draw(&mut random)).collect();
            let paired = shares(&scores);
            let interval = interval(&paired);
            counts[0] += f64::from(u8::from(!interval.contains(self.ratio - 1.0)));
            counts[1] += f64::from(u8::from(!interval.contains(0.0)));
        }
        counts.map(|count| count / runs as f64)
    }
}

#[test]
fn the_interval_of_a_share_contains_the_true_one() {
    let population = |spread, ratio, noise, failed| Population { spread, ratio, noise, failed };
    for (cases, population, most) in [
        (20, population(0.3, 1.0, 0.1, 0.0), 0.065),
        (20, population(0.3, 1.2, 0.1, 0.0), 0.065),
        (50, population(0.8, 1.0, 0.2, 0.0), 0.075),
        (50, population(0.8, 1.2, 0.2, 0.0), 0.075),
        (200, population(0.8, 0.5, 0.2, 0.0), 0.065),
        (100, population(0.3, 1.1, 0.1, 0.2), 0.065),
    ] {
        let [missed, claimed] = population.rates(cases, 1_500);
        assert!(missed <= most, "{cases} cases, ratio {}: missed {missed}", population.ratio);
        assert!(
            missed >= 0.02 || population.ratio == 1.0,
            "{cases} cases, ratio {}: missed {missed}",
            population.ratio
        );
        if population.ratio == 1.0 {
            assert!(claimed <= most, "{cases} cases: claimed {claimed}");
        }
    }
}

#[test]
fn a_ratio_that_is_the_same_on_every_case_is_certain() {
    let scores: Vec<(f64, f64)> = (1..=20).map(|case| (f64::from(case), f64::from(case) * 1.25)).collect();
    let paired = shares(&scores);
    assert!((paired.mean() - 0.25).abs() < 1e-12);
    let interval = interval(&paired);
    assert!((interval.low - 0.25).abs() < 1e-12 && (interval.high - 0.25).abs() < 1e-12, "{interval:?}");
}

#[test]
fn negative_totals_rise_where_the_second_is_larger() {
    let paired = shares(&[(-10.0, -5.0), (-30.0, -31.0)]);
    assert!((paired.mean() - 0.1).abs() < 1e-12);
    assert_eq!(paired.pairs.iter().map(|pair| pair.base).sum::<f64>(), 2.0);
    let zero = shares(&[(0.0, 1.0), (0.0, 2.0)]);
    assert_eq!((zero.pairs.len(), zero.undefined), (0, 2));
}

#[test]
fn a_part_of_the_cases_has_its_own_total() {
    let mut paired = shares(&[(100.0, 110.0), (10.0, 10.0), (300.0, 300.0)]);
    paired.retain(|case| case < 2);
    assert!((paired.mean() - 10.0 / 110.0).abs() < 1e-12);
}

#[test]
fn a_contrast_names_the_fewest_cases_that_make_it() {
    let ratio = |scores: &[(f64, f64)]| {
        let mut paired = shares(scores);
        for (pair, (a, b)) in paired.pairs.iter_mut().zip(scores) {
            (pair.effect, pair.base) = ((b / a).ln(), 1.0);
        }
        paired
    };
    let mut scores = vec![(500.0, 521.0); 8];
    scores.extend([(10_000.0, 9_784.0), (10_000.0, 9_700.0)]);
    let contrast =
        |scores: &[(f64, f64)]| Contrast::between(&ratio(scores), (EffectMeasure::Total, &shares(scores)), 0.05);
    let found = contrast(&scores).unwrap();
    assert!(found.ratio > 0.0 && found.by_rule < 0.0, "{found:?}");
    assert_eq!(found.cases, [9, 8]);
    scores.truncate(8);
    assert_eq!(contrast(&scores), None);
}

#[test]
fn looks_end_with_all_cases_and_agree_with_going_through_them() {
    let mut random = Random::new(7);
    let population = Population { spread: 0.2, ratio: 1.05, noise: 0.1, failed: 0.0 };
    let scores: Vec<_> = (0..300).map(|_| population.draw(&mut random)).collect();
    let parameters = TestParameters { alpha: 0.05, min_effect: None, bound: None, rare: None, hypotheses: None };
    let all = shares(&scores);
    let looks = looks(&all, parameters).unwrap();
    assert!(looks.is_sorted_by(|left, right| left.cases < right.cases) && (40..100).contains(&looks.len()));
    let last = looks.last().unwrap();
    assert_eq!(last.cases, 300);
    assert!((last.mean - all.mean()).abs() < 1e-12);
    assert_eq!(last.interval, infer_interim(&all, parameters).unwrap().interval);
    let early = looks.iter().find(|look| look.interval.is_some()).unwrap();
    let part = infer_interim(&shares(&scores[..early.cases]), parameters).unwrap().interval.unwrap();
    let now = early.interval.unwrap();
    assert!((part.low - now.low).abs() < 1e-6 && (part.high - now.high).abs() < 1e-6, "{part:?}, {now:?}");
    assert!(now.low <= early.mean && early.mean <= now.high);
}
