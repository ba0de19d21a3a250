//! The number of cases that the test takes for normal effects.

use super::asymptotic::AsymptoticSequence;
use super::sequence::{Decision, Sequence, SequenceSettings};
use super::warm_up::WarmUp;
use crate::Random;
use crate::power::{MAX_CASES, fewest};
use statrs::distribution::{ContinuousCDF, Normal};

/// How many comparisons are simulated: a standard error of 0.9 % at a probability of 80 %.
const SIMULATED: usize = 2_000;
/// Effects of more standard deviations are alike. Squares of the largest numbers are infinite.
const MAX_SIZE: f64 = 1e6;
/// With more cases than this many warm-ups, the warm-up is over long before a decision.
const WARM_UPS: u64 = 4;

/// Returns a number of cases by which the test has decided with the given probability at least, for normal effects of
/// this mean and standard deviation. `None` for an effect of 0, or beyond 2^40 cases.
///
/// After n cases the sample mean is above the mean less z(power) s / sqrt(n) with that probability; the returned number
/// is the first n for which that mean suffices. Earlier decisions are ignored, so it is somewhat too large. For large
/// effects the warm-up decides, which takes longer the more the effects differ. So a simulation may raise the number.
pub fn cases_until_decided(deviation: f64, effect: f64, alpha: f64, power: f64) -> Option<u64> {
    let sequence = AsymptoticSequence::strict(alpha);
    let quantile = Normal::standard().inverse_cdf(power);
    let warm_up = WarmUp::new(alpha, None).longest();
    let size = if deviation > 0.0 { effect.abs() / deviation } else { f64::INFINITY };
    let cases = fewest(2, MAX_CASES, |cases| {
        let count = cases as f64;
        let distance = size - quantile / count.sqrt();
        effect != 0.0 && cases >= warm_up && distance > 0.0 && sequence.is_reached(count, distance, 0.0)
    })?;
    let is_short = size.is_finite() && cases <= WARM_UPS * warm_up;
    Some(if is_short { cases.max(simulated(size.min(MAX_SIZE), alpha, power, WARM_UPS * cases)) } else { cases })
}

/// Returns the number of cases by which this share of simulated comparisons has decided, at most `most`. It is the same
/// at every call.
fn simulated(size: f64, alpha: f64, power: f64, most: u64) -> u64 {
    let mut random = Random::new(1);
    let mut counts: Vec<u64> = (0..SIMULATED).map(|_| decided_after(size, alpha, most, &mut random)).collect();
    counts.sort_unstable();
    counts[((power * SIMULATED as f64).ceil() as usize).clamp(1, SIMULATED) - 1]
}

/// Returns the number of cases after which a simulated comparison has decided for the better one.
fn decided_after(size: f64, alpha: f64, most: u64, random: &mut Random) -> u64 {
    let settings = SequenceSettings { alpha, min_effect: None, bound: None, rare: None };
    let Ok(mut sequence) = Sequence::new(settings) else { return most };
    let is_decided = |_: &u64| {
        sequence.push(size + random.normal());
        sequence.decision() == Decision::Better
    };
    (1..most).find(is_decided).unwrap_or(most)
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
        // The shortest possible warm-up.
        assert_eq!((cases(20.0, 0.8), cases(1e300, 0.8)), (36, 36));
        assert_eq!(cases_until_decided(0.0, 1.0, 0.05, 0.8), Some(36));
    }

    #[test]
    fn hopeless_questions_have_no_number() {
        assert_eq!(cases_until_decided(1.0, 0.0, 0.05, 0.8), None);
        assert_eq!(cases_until_decided(1.0, 1e-9, 0.05, 0.8), None);
    }

    #[test]
    #[ignore = "CI: thousands of comparisons"]
    fn comparisons_are_decided_with_the_promised_probability() {
        let mut random = Random::new(7);
        for (size, alpha, power) in [
            (0.5, 0.05, 0.8),
            (1.0, 0.05, 0.8),
            (1.25, 0.05, 0.8),
            (1.5, 0.05, 0.95),
            (2.0, 0.05, 0.8),
            (2.0, 0.001, 0.8),
            (3.0, 0.05, 0.8),
            (5.0, 0.05, 0.9),
        ] {
            let cases = cases_until_decided(1.0, size, alpha, power).unwrap();
            let is_in_time = |_: &usize| decided_after(size, alpha, cases + 1, &mut random) <= cases;
            let share = (0..1_000).filter(is_in_time).count() as f64 / 1_000.0;
            // Three standard errors of both simulations.
            let error = 3.0 * (power * (1.0 - power) * (1.0 / 1_000.0 + 1.0 / SIMULATED as f64)).sqrt();
            assert!(share >= power - error, "{size} sd: {share} of {power} by {cases} cases");
        }
    }
}
