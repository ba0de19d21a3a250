//! How many cases a test that goes on until it is decided will take.

use super::asymptotic::AsymptoticSequence;
use super::warm_up::WarmUp;
use crate::power::MOST_CASES;
use statrs::distribution::{ContinuousCDF, Normal};

/// Returns a number of cases by which the test has decided with the given probability at least, for normal effects of
/// this mean and standard deviation. `None` for an effect of 0, or beyond 2^40 cases.
///
/// After n cases the sample mean is above the mean less z(power) s / sqrt(n) with that probability; the number is the
/// first n for which even that suffices. Decisions before are left out, so it is somewhat too large.
#[must_use]
pub fn cases_until_decided(deviation: f64, effect: f64, alpha: f64, power: f64) -> Option<u64> {
    let sequence = AsymptoticSequence::strict(alpha);
    let quantile = Normal::standard().inverse_cdf(power);
    let fewest = WarmUp::new(alpha, None).longest();
    let suffices = |cases: u64| {
        let count = cases as f64;
        let distance = if deviation > 0.0 { effect.abs() / deviation } else { f64::INFINITY } - quantile / count.sqrt();
        cases >= fewest && distance > 0.0 && sequence.is_reached(count, distance, 0.0)
    };
    if effect == 0.0 || !suffices(MOST_CASES) {
        return None;
    }
    let (mut too_few, mut enough) = (1, MOST_CASES);
    while enough - too_few > 1 {
        let middle = u64::midpoint(too_few, enough);
        if suffices(middle) { enough = middle } else { too_few = middle }
    }
    Some(enough)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_cases_for_smaller_effects_and_for_more_certainty() {
        let cases = |effect, power| cases_until_decided(2.0, effect, 0.05, power).unwrap();
        assert!(cases(0.1, 0.8) > 2 * cases(0.2, 0.8));
        assert!(cases(0.2, 0.95) > cases(0.2, 0.8));
        assert_eq!(cases(0.2, 0.8), cases(-0.2, 0.8));
        // The warm-up is the least there is.
        assert_eq!(cases(20.0, 0.8), 36);
        assert_eq!(cases_until_decided(0.0, 1.0, 0.05, 0.8), Some(36));
    }

    #[test]
    fn hopeless_questions_have_no_number() {
        assert_eq!(cases_until_decided(1.0, 0.0, 0.05, 0.8), None);
        assert_eq!(cases_until_decided(1.0, 1e-9, 0.05, 0.8), None);
    }
}
