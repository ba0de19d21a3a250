//! Populations of scores with equal totals, for the simulations of the stopping rule on shares of a total.

use super::populations::normal;
use judge_statistics::{Random, Term};

/// The sizes of the cases: the first solver's scores on them.
#[derive(Clone, Copy)]
pub(crate) enum Sizes {
    /// Lognormal, with this standard deviation of the logarithm.
    Lognormal(f64),
    /// Pareto's distribution with this tail index: no moments from that one on.
    Pareto(f64),
}

/// How the scores of the second solver differ, 0 on average in the sum.
#[derive(Clone, Copy)]
pub(crate) enum Change {
    /// Both vary by a share of the size: two runs of one solver.
    Twice,
    /// The ratio of the scores is lognormal.
    SkewedRatio,
    /// Small cases gain what large ones lose: the score is a power of the first one's. For lognormal sizes.
    LargeLose,
    /// This share fails and counts 0, and the others compensate.
    Failures(f64),
}

/// The populations, named as in docs/measured-sequential.md.
pub(crate) fn equal_totals() -> Vec<(&'static str, Sizes, Change)> {
    vec![
        ("lognormal sizes (1), one solver twice", Sizes::Lognormal(1.0), Change::Twice),
        ("lognormal sizes (2), one solver twice", Sizes::Lognormal(2.0), Change::Twice),
        ("Pareto sizes (index 1.5), one solver twice", Sizes::Pareto(1.5), Change::Twice),
        ("lognormal sizes (1), lognormal ratios", Sizes::Lognormal(1.0), Change::SkewedRatio),
        ("lognormal sizes (2), lognormal ratios", Sizes::Lognormal(2.0), Change::SkewedRatio),
        ("Pareto sizes (index 2.5), lognormal ratios", Sizes::Pareto(2.5), Change::SkewedRatio),
        ("lognormal sizes (0.5), large cases lose", Sizes::Lognormal(0.5), Change::LargeLose),
        ("lognormal sizes (1), large cases lose", Sizes::Lognormal(1.0), Change::LargeLose),
        ("lognormal sizes (1), 20 % failures", Sizes::Lognormal(1.0), Change::Failures(0.2)),
        ("lognormal sizes (1), 5 % failures", Sizes::Lognormal(1.0), Change::Failures(0.05)),
    ]
}

/// Draws a case: the difference of the scores, and the score of the first solver.
pub(crate) fn draw(sizes: Sizes, change: Change, random: &mut Random) -> Term {
    let (size, spread) = match sizes {
        Sizes::Lognormal(spread) => ((spread * normal(random)).exp(), spread),
        Sizes::Pareto(index) => (random.unit().powf(-1.0 / index), 0.0),
    };
    let mut noisy = |score: f64| score * (1.0 + 0.1 * normal(random));
    let (first, second) = match change {
        Change::Twice => (noisy(size), noisy(size)),
        // The mean of the log-normal value is exp(mean + variance / 2), so half the variance is subtracted.
        Change::SkewedRatio => (size, size * (0.5 * normal(random) - 0.125).exp()),
        Change::LargeLose => (size, noisy(size.powf(0.8)) * (0.18 * spread * spread).exp()),
        Change::Failures(share) => {
            let solved = noisy(size) / (1.0 - share);
            (size, if random.unit() < share { 0.0 } else { solved })
        }
    };
    Term { effect: second - first, base: first }
}
