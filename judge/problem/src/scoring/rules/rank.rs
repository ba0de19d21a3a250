//! `rank` and `rank-topcoder`: the place among the solvers of the run.

use crate::scoring::results::Results;
use checkers::Score;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;
use std::cmp::Ordering;

/// The place of a score among those of all solvers that were run on the case.
struct RankCounts {
    better: BigInt,
    /// Without the solver itself.
    tied: BigInt,
    beaten: BigInt,
    /// With the solver itself.
    solvers: BigInt,
}

impl RankCounts {
    fn of(results: &Results<'_>, case: usize, score: &Score) -> Self {
        let played = results.solvers.iter().filter(|row| row.has_run(case));
        let orders = played.map(|row| match &row.scores[case] {
            Some(other) => results.direction.compare(score, other),
            None => Ordering::Greater,
        });
        let orders: Vec<Ordering> = orders.collect();
        let count = |wanted| BigInt::from(orders.iter().filter(|&&order| order == wanted).count());
        Self {
            better: count(Ordering::Less),
            // The solver itself is among the equal ones.
            tied: count(Ordering::Equal) - 1,
            beaten: count(Ordering::Greater),
            solvers: orders.len().into(),
        }
    }
}

/// Returns the share of the scale under `rank`.
pub(super) fn by_atcoder(results: &Results<'_>, case: usize, score: &Score) -> BigRational {
    let RankCounts { better, tied, solvers, .. } = RankCounts::of(results, case, score);
    BigRational::one() - BigRational::new(better * 2 + tied, solvers * 2)
}

/// Returns the share of the scale under `rank-topcoder`.
pub(super) fn by_topcoder(results: &Results<'_>, case: usize, score: &Score) -> BigRational {
    let RankCounts { tied, beaten, solvers, .. } = RankCounts::of(results, case, score);
    if solvers.is_one() {
        return BigRational::one();
    }
    BigRational::new(beaten * 2 + tied, (solvers - 1) * 2)
}
