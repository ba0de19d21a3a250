//! Which results of a hidden test set an optimiser may see. It asks repeatedly, so each exact answer would give it
//! information about these cases. In the end its result would be good on these cases only.
//!
//! The ladder answers with the best value so far. It accepts a new value only if it is better by more than chance: Blum
//! and Hardt, *The Ladder: A Reliable Leaderboard for Machine Learning Competitions*, ICML 2015. Their step is fixed.
//! Here it is a multiple of the standard error of the new value, as in their parameter-free form. This is the error of
//! the value, not of the paired difference. Two solvers that differ in two cases have a small paired error, so an
//! optimiser that changes two cases at a time would climb on it.

use super::moments::Moments;

/// The number of standard errors by which a value must be better to be shown.
pub const LADDER_STEP: f64 = 3.0;

/// Returns whether a value takes the place of the best one. Large values are good.
#[must_use]
pub fn climbs(best: Option<f64>, value: f64, standard_error: f64) -> bool {
    best.is_none_or(|best| value > best + LADDER_STEP * standard_error)
}

/// Returns the standard error of the sum of values that are drawn independently. `None` if there are fewer than two.
#[must_use]
pub fn sum_error(values: &[f64]) -> Option<f64> {
    (values.len() > 1).then(|| Moments::of(values).standard_error() * values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    const CASES: usize = 100;
    const QUERIES: usize = 10_000;

    /// Queries the ladder, and returns the best value that it has shown, in standard errors above the true value 0.
    fn shown(queries: impl Iterator<Item = (f64, f64)>) -> f64 {
        let (mut best, mut error) = (None, 1.0);
        for (value, value_error) in queries {
            if climbs(best, value, value_error) {
                (best, error) = (Some(value), value_error);
            }
        }
        best.unwrap_or(0.0) / error
    }

    fn draw(random: &mut Random) -> Vec<f64> {
        (0..CASES).map(|_| random.normal()).collect()
    }

    /// Solvers that are equally good in truth, each by chance better on other cases.
    fn independent(random: &mut Random) -> f64 {
        let query = |values: Vec<f64>| (values.iter().sum(), sum_error(&values).unwrap());
        shown((0..QUERIES).map(|_| query(draw(random))))
    }

    /// A solver that changes two cases at a time, and keeps a change after which the ladder climbs.
    fn climber(random: &mut Random) -> f64 {
        let mut values = draw(random);
        let mut best = None;
        let mut error = 1.0;
        for _ in 0..QUERIES {
            let mut changed = values.clone();
            for _ in 0..2 {
                let place = random.below(CASES);
                changed[place] = random.normal();
            }
            let value_error = sum_error(&changed).unwrap();
            if climbs(best, changed.iter().sum(), value_error) {
                (best, error, values) = (Some(changed.iter().sum::<f64>()), value_error, changed);
            }
        }
        best.unwrap_or(0.0) / error
    }

    #[test]
    fn attackers_gain_little_from_ten_thousand_answers() {
        let mut random = Random::new(7);
        for (name, attack) in [("independent", independent as fn(&mut Random) -> f64), ("climber", climber)] {
            let gains: Vec<f64> = (0..8).map(|_| attack(&mut random)).collect();
            let mean = gains.iter().sum::<f64>() / gains.len() as f64;
            println!("{name}: {mean:.2} standard errors above the truth on average, {gains:.2?}");
            assert!(mean <= 3.5, "{name}: {gains:?}");
        }
    }

    #[test]
    fn a_better_value_is_shown_and_an_equal_one_is_not() {
        assert!(climbs(None, 1.0, 5.0) && climbs(Some(10.0), 13.1, 1.0));
        assert!(!climbs(Some(10.0), 13.0, 1.0) && !climbs(Some(10.0), 10.0, 0.0) && climbs(Some(10.0), 10.1, 0.0));
        assert_eq!((sum_error(&[1.0]), sum_error(&[1.0, 3.0])), (None, Some(2.0)));
    }
}
