//! How many cases and runs a gate needs to notice a fall, by the spread that a baseline recorded.

use super::baseline::Baseline;
use super::noise_test::POWER;
use super::sample::Sample;
use judge_statistics::{SumError, TermVariance};
use num_traits::ToPrimitive;

/// The recorded runs from which the spread is known well enough to count on.
const ENOUGH_RECORDED: u32 = 5;
/// The numbers of runs of today in the table.
const REPEATS: [u32; 4] = [1, 2, 3, 5];
/// The largest number of cases or runs that is searched.
const MOST: u32 = 1 << 20;

/// A gate that might be set up, with as noisy cases as those of the baseline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Design {
    /// The number of cases.
    pub cases: u32,
    /// `judge baseline --repeat`.
    pub recorded: u32,
    /// `judge gate --repeat`.
    pub repeat: u32,
    /// The share of the total that must be lost to be noticed with the probability [`POWER`].
    pub detectable: f64,
}

/// The spread of a baseline's total.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration {
    /// The number of accepted cases.
    pub cases: u32,
    /// The runs of the case with the fewest.
    pub recorded: u32,
    /// The standard deviation of the total of one run of each case, as a share of the total.
    pub spread: f64,
    /// The probability of a false alarm.
    pub alpha: f64,
    /// The degrees of freedom of the spread, for each degree of a case's own.
    freedom: f64,
}

impl Calibration {
    /// Reads the spread of a baseline. `None` if it has none: it was recorded once, or is deterministic, or its total is 0.
    #[must_use]
    pub fn of(baseline: &Baseline, alpha: f64) -> Option<Self> {
        let known: Vec<&Sample> = baseline.samples().filter(|sample| sample.runs() > 1).collect();
        let term = |sample: &&Sample| TermVariance { variance: sample.spread().powi(2), freedom: sample.freedom() };
        let error = SumError::of(&known.iter().map(term).collect::<Vec<_>>())?;
        let total: f64 = known.iter().filter_map(|sample| sample.mean().to_f64()).sum::<f64>().abs();
        let recorded = known.iter().map(|sample| sample.runs()).min()?;
        let of_a_case = known.iter().map(|sample| sample.freedom()).sum::<f64>() / known.len() as f64;
        (total > 0.0).then(|| Self {
            cases: u32::try_from(known.len()).unwrap_or(MOST),
            recorded,
            spread: error.deviation / total,
            alpha,
            freedom: error.freedom / of_a_case,
        })
    }

    /// Returns the design with these numbers.
    #[must_use]
    pub fn design(&self, cases: u32, recorded: u32, repeat: u32) -> Design {
        let share = f64::from(cases) / f64::from(self.cases);
        let runs = 1.0 / f64::from(repeat) + 1.0 / f64::from(recorded);
        let of_a_case = (f64::from(recorded) + f64::from(repeat) - 2.0).max(1.0);
        let error =
            SumError { deviation: self.spread * (runs / share).sqrt(), freedom: self.freedom * share * of_a_case };
        Design { cases, recorded, repeat, detectable: error.detectable(self.alpha, POWER) }
    }

    /// Returns what these cases notice if they are run more often.
    #[must_use]
    pub fn table(&self) -> Vec<Design> {
        REPEATS.iter().map(|&repeat| self.design(self.cases, self.recorded, repeat)).collect()
    }

    /// Returns the fewest cases of one run that notice a fall by this share. `None` beyond a million.
    #[must_use]
    pub fn more_cases(&self, fall: f64) -> Option<Design> {
        let recorded = self.recorded.max(ENOUGH_RECORDED);
        least(self.cases, fall, |cases| self.design(cases, recorded, 1))
    }

    /// Returns the fewest runs of the same cases, recorded as often, that notice a fall by this share. `None` beyond a
    /// million.
    #[must_use]
    pub fn more_runs(&self, fall: f64) -> Option<Design> {
        let recorded = self.recorded.max(ENOUGH_RECORDED);
        least(1, fall, |repeat| self.design(self.cases, recorded.max(repeat), repeat))
    }
}

/// What is noticed shrinks with every case and every run, so the least number is found by bisection.
fn least(from: u32, fall: f64, design: impl Fn(u32) -> Design) -> Option<Design> {
    let is_enough = |number: u32| design(number).detectable <= fall;
    if is_enough(from) {
        return Some(design(from));
    }
    if !is_enough(MOST) {
        return None;
    }
    let (mut too_few, mut enough) = (from, MOST);
    while enough - too_few > 1 {
        let middle = u32::midpoint(too_few, enough);
        if is_enough(middle) { enough = middle } else { too_few = middle }
    }
    Some(design(enough))
}

#[cfg(test)]
mod tests {
    use super::super::baseline::{BaselineCase, CaseResult};
    use super::*;
    use num_rational::BigRational;

    fn baseline(spread: f64) -> Baseline {
        let sample = Sample::new(5, BigRational::from_integer(1000.into()), spread);
        let entry = BaselineCase {
            result: CaseResult::Accepted(sample),
            input: None,
            cpu: None,
            processor: None,
            tolerance: None,
        };
        let cases = (0..20).map(|case| (format!("seed-{case}"), entry.clone())).collect();
        Baseline { problem: "p".to_owned(), terms: "t".to_owned(), checker: "c".to_owned(), conditions: None, cases }
    }

    #[test]
    fn noise_of_10_percent_on_20_cases_shows_a_fall_of_6_percent() {
        let calibration = Calibration::of(&baseline(100.0), 0.05).unwrap();
        assert!((calibration.spread - 0.1 / 20_f64.sqrt()).abs() < 1e-12);
        // (1.645 + 0.842) * 10 % / sqrt(20) * sqrt(1 + 1/5) = 6.09 % with a known spread.
        let now = calibration.design(20, 5, 1).detectable;
        assert!((0.0609..0.0625).contains(&now), "{now}");
        assert!(calibration.table().windows(2).all(|pair| pair[1].detectable < pair[0].detectable));
    }

    #[test]
    fn a_recommendation_is_the_least_that_is_enough() {
        let calibration = Calibration::of(&baseline(100.0), 0.05).unwrap();
        let more = calibration.more_cases(0.03).unwrap();
        assert!(more.detectable <= 0.03 && calibration.design(more.cases - 1, 5, 1).detectable > 0.03);
        let runs = calibration.more_runs(0.03).unwrap();
        assert!(runs.detectable <= 0.03 && runs.cases == 20 && runs.recorded >= runs.repeat, "{runs:?}");
        let fewer = runs.repeat - 1;
        assert!(calibration.design(20, 5.max(fewer), fewer).detectable > 0.03);
        assert_eq!(calibration.more_cases(0.2).unwrap().cases, 20);
        assert_eq!(calibration.more_cases(1e-9), None);
    }

    #[test]
    fn what_does_not_vary_cannot_be_calibrated() {
        assert_eq!(Calibration::of(&baseline(0.0), 0.05), None);
    }
}
