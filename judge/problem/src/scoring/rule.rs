//! The scoring rules: their names, properties and formulas.

use super::points::{PointList, log_ratio};
use super::results::{CaseScore, Results, SolverScores};
use crate::Thresholds;
use crate::text::{InvalidText, named_enum};
use checkers::Score;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// How the score of a case becomes points.
///
/// Let s be the score, b the best score of the case (of this run's solvers and of known best scores), and p the points.
/// A failed case has 0 points unless stated otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    /// p = s, summed, but never worse than a failure. A failure counts as the problem's `failure`, by default 0. If
    /// small scores are good and the problem sets none, a solver with failures has no total.
    Sum,
    /// p = s, averaged over all cases, including failed ones.
    Mean,
    /// p = 1 for an accepted answer.
    Exact,
    /// 10, 9, ..., 2 points for reaching the case's nine thresholds. Otherwise 1 point for a score above 0 (for any
    /// accepted answer if small scores are good), else 0. Thresholds with points of their own earn these, or 0.
    Thresholds {
        /// The most points of a case, of all cases of the problem; 10 by default.
        max: BigRational,
    },
    /// p = scale s / b if large scores are good, scale b / s if small scores are good. The best always gets the whole
    /// scale. Otherwise p = 0 if the signs make the quotient meaningless: b is 0, or s and b have different signs. If
    /// all scores are negative, the quotient is inverted.
    Relative {
        /// The points of the best solver; 1,000,000 by default.
        scale: BigInt,
    },
    /// p = scale (1 - (better + tied / 2) / solvers). `better` counts the solvers of this run with a better score,
    /// `tied` the *other* solvers with the same score, `solvers` all solvers including failed ones. This form is
    /// attributed to AtCoder; no public statement of it was found.
    Rank {
        /// The points of a solver that beats all others.
        scale: BigInt,
    },
    /// p = scale (beaten + tied / 2) / (solvers - 1), averaged, as in TopCoder's marathon matches (statement of
    /// "PathDefense"). A single solver gets the whole scale.
    RankTopCoder {
        /// The points of a solver that beats all others.
        scale: BigInt,
    },
    /// p = ln(s / b) if large scores are good, ln(b / s) if small scores are good, averaged. The points are at most 0.
    /// The exponential of the mean is the geometric mean of the ratios. A failed case, or a score or best that is not
    /// positive, has no points, and then there is no mean. Only this rule rounds points (to `f64`).
    Log,
}

/// The number that a rule ranks solvers by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aggregate {
    /// The weighted total.
    Total,
    /// The weighted mean.
    Mean,
}

/// The points of a failed case under a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FailedCase {
    /// The problem's `failure`, because the points are raw scores.
    Failure,
    /// 0 points.
    Zero,
    /// None: the solver has no total and no mean.
    Absent,
}

impl Rule {
    /// The default scale.
    pub const DEFAULT_SCALE: u32 = 1_000_000;

    /// Returns every rule, with the default scale, in the order of the documentation.
    pub fn all() -> [Self; 8] {
        let scale = || BigInt::from(Self::DEFAULT_SCALE);
        [
            Self::Sum,
            Self::Mean,
            Self::Exact,
            Self::Thresholds { max: BigRational::from_integer(10.into()) },
            Self::Relative { scale: scale() },
            Self::Rank { scale: scale() },
            Self::RankTopCoder { scale: scale() },
            Self::Log,
        ]
    }

    /// Returns the rule's name, the number that it ranks solvers by, and the points of a failed case.
    fn properties(&self) -> (&'static str, Aggregate, FailedCase) {
        use Aggregate::{Mean, Total};
        use FailedCase::{Absent, Failure, Zero};
        match self {
            Self::Sum => ("sum", Total, Failure),
            Self::Mean => ("mean", Mean, Failure),
            Self::Exact => ("exact", Total, Zero),
            Self::Thresholds { .. } => ("thresholds", Total, Zero),
            Self::Relative { .. } => ("relative", Mean, Zero),
            Self::Rank { .. } => ("rank", Total, Zero),
            Self::RankTopCoder { .. } => ("rank-topcoder", Mean, Zero),
            Self::Log => ("log", Mean, Absent),
        }
    }

    /// Returns the names of the rules with a property.
    pub fn names_of(holds: impl Fn(&Self) -> bool) -> Vec<&'static str> {
        Self::all().into_iter().filter(holds).map(|rule| rule.name()).collect()
    }

    /// Returns every name, as [`Rule::from_str`] takes it.
    pub fn names() -> Vec<&'static str> {
        Self::names_of(|_| true)
    }

    /// Returns the rule's name.
    pub fn name(&self) -> &'static str {
        self.properties().0
    }

    /// Returns the number that this rule ranks solvers by.
    pub fn aggregate(&self) -> Aggregate {
        self.properties().1
    }

    /// Returns the points of a failed case.
    pub(super) fn failed_case(&self) -> FailedCase {
        self.properties().2
    }

    /// Returns whether points are relative to the best known score of the case. Ranks do not count: they compare the
    /// solvers of the run only.
    pub fn has_reference(&self) -> bool {
        matches!(self, Self::Relative { .. } | Self::Log)
    }

    /// Returns whether points depend on the places among the solvers of the run.
    pub fn ranks_solvers(&self) -> bool {
        matches!(self, Self::Rank { .. } | Self::RankTopCoder { .. })
    }

    /// Returns whether the points of a case are its raw score. Then the problem's `failure` counts, and small totals
    /// are good if small scores are good.
    pub fn counts_raw_scores(&self) -> bool {
        self.failed_case() == FailedCase::Failure
    }

    /// Returns whether solvers are ranked by the mean of their raw scores.
    pub fn is_mean_score(&self) -> bool {
        self.counts_raw_scores() && self.aggregate() == Aggregate::Mean
    }

    /// Returns whether the points of a case differ from its verdict and score, so that tables show them.
    pub fn shows_points(&self) -> bool {
        !matches!(self, Self::Sum | Self::Mean | Self::Exact)
    }

    /// Returns whether every case needs thresholds.
    pub fn needs_thresholds(&self) -> bool {
        matches!(self, Self::Thresholds { .. })
    }

    /// Returns the points of the best solver of a case, for rules with a scale.
    pub fn scale(&self) -> Option<&BigInt> {
        match self {
            Self::Relative { scale } | Self::Rank { scale } | Self::RankTopCoder { scale } => Some(scale),
            Self::Sum | Self::Mean | Self::Exact | Self::Thresholds { .. } | Self::Log => None,
        }
    }

    /// Returns the maximum points of a case, before its weight. The minimum is 0. `None` for rules without such bounds.
    pub fn max_points(&self) -> Option<BigRational> {
        match self {
            Self::Exact => Some(BigRational::one()),
            Self::Thresholds { max } => Some(max.clone()),
            Self::Relative { scale } | Self::Rank { scale } | Self::RankTopCoder { scale } => {
                Some(BigRational::from_integer(scale.clone()))
            }
            Self::Sum | Self::Mean | Self::Log => None,
        }
    }

    /// Returns the rule for thresholds that earn at most these points. Other rules stay as they are.
    pub fn with_max_points(self, max: BigRational) -> Self {
        if self.needs_thresholds() { Self::Thresholds { max } } else { self }
    }

    /// Returns whether the rule has a scale.
    pub fn has_scale(&self) -> bool {
        self.scale().is_some()
    }

    /// Returns the rule with another scale. A rule without a scale stays as it is.
    pub fn with_scale(&self, scale: BigInt) -> Self {
        match self {
            Self::Relative { .. } => Self::Relative { scale },
            Self::Rank { .. } => Self::Rank { scale },
            Self::RankTopCoder { .. } => Self::RankTopCoder { scale },
            Self::Sum | Self::Mean | Self::Exact | Self::Thresholds { .. } | Self::Log => self.clone(),
        }
    }
}

impl FromStr for Rule {
    type Err = InvalidText;

    /// A rule with a scale gets [`Rule::DEFAULT_SCALE`].
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::all()
            .into_iter()
            .find(|rule| rule.name() == name)
            .ok_or_else(|| InvalidText(format!("unknown scoring rule {name:?}")))
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

named_enum! {
    /// Which scores are good. The catalogue uses these names.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Direction {
        /// Larger ones.
        Max = "max",
        /// Smaller ones.
        Min = "min",
    }
}

impl Direction {
    /// Compares two values. The better one is `Greater`.
    pub fn compare<T: Ord>(self, left: &T, right: &T) -> Ordering {
        match self {
            Self::Max => left.cmp(right),
            Self::Min => right.cmp(left),
        }
    }

    /// Returns the better of two values.
    pub fn better<T: Ord>(self, left: T, right: T) -> T {
        if self.compare(&left, &right) == Ordering::Less { right } else { left }
    }

    /// Returns the default score of a failed case in sums and means: 0 if larger scores are better. If smaller scores
    /// are better, no score is bad enough, so a solver with failures has no total.
    pub(crate) fn failure_by_default(self) -> Option<Score> {
        match self {
            Self::Max => Some(Score::from(0)),
            Self::Min => None,
        }
    }

    /// Compares two values. A missing one is worse than all others.
    pub(crate) fn compare_known<T: Ord>(self, left: Option<&T>, right: Option<&T>) -> Ordering {
        match (left, right) {
            (Some(left), Some(right)) => self.compare(left, right),
            (left, right) => left.is_some().cmp(&right.is_some()),
        }
    }
}

/// Returns the points of a solver on every case, before weights and test groups. `None` if the rule gives none or the
/// case was not run.
pub(super) fn points(rule: &Rule, results: &Results<'_>, row: &SolverScores) -> PointList {
    let of_case = |(case, score): (usize, &CaseScore)| match score {
        CaseScore::Accepted(score) => accepted(rule, results, case, score),
        CaseScore::Failed => failed(rule, results),
        CaseScore::Skipped => None,
    };
    row.scores.iter().enumerate().map(of_case).collect()
}

/// Returns the points of a failed case.
pub(super) fn failed(rule: &Rule, results: &Results<'_>) -> Option<BigRational> {
    match rule.failed_case() {
        FailedCase::Failure => results.failure.map(Score::to_rational),
        FailedCase::Zero => Some(BigRational::zero()),
        FailedCase::Absent => None,
    }
}

fn accepted(rule: &Rule, results: &Results<'_>, case: usize, score: &Score) -> Option<BigRational> {
    let direction = results.direction;
    match rule {
        Rule::Sum | Rule::Mean => {
            Some(results.failure.map_or(score, |failure| direction.better(score, failure)).to_rational())
        }
        Rule::Exact => Some(BigRational::one()),
        Rule::Thresholds { .. } => {
            results.cases.at(case).thresholds.as_ref().map(|needed| grade(direction, needed, score))
        }
        Rule::Relative { scale } => Some(share_of_best(direction, score, results.best(case)?) * scale),
        Rule::Rank { scale } => Some(by_atcoder(results, case, score) * scale),
        Rule::RankTopCoder { scale } => Some(by_topcoder(results, case, score) * scale),
        Rule::Log => {
            let best = results.best(case)?;
            let (from, to) = if direction == Direction::Max { (best, score) } else { (score, best) };
            // Rounded once. It is at most 0, because no score is better than the best.
            BigRational::from_float(log_ratio(&from.to_rational(), &to.to_rational())?)
        }
    }
}

/// Returns the share of the best score, from 0 to 1. If small scores are good, the signs are reversed first.
fn share_of_best(direction: Direction, score: &Score, best: &Score) -> BigRational {
    let (score, best) = (score.to_rational(), best.to_rational());
    let best_is_positive = match direction {
        Direction::Max => best.is_positive(),
        Direction::Min => best.is_negative(),
    };
    if score == best {
        BigRational::one()
    } else if best.is_zero() {
        BigRational::zero()
    } else if best_is_positive {
        (score / best).max(BigRational::zero())
    } else {
        // The score is worse than a best score below 0, so it is not 0.
        best / score
    }
}

/// The rank of a score among all solvers that ran on the case.
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
        let compare = |row: &SolverScores| results.direction.compare_known(Some(score), row.scores[case].score());
        let orders: Vec<Ordering> = played.map(compare).collect();
        let count = |wanted| BigInt::from(orders.iter().filter(|&&order| order == wanted).count());
        Self {
            better: count(Ordering::Less),
            // The solver itself is one of the equal ones.
            tied: count(Ordering::Equal) - 1,
            beaten: count(Ordering::Greater),
            solvers: orders.len().into(),
        }
    }
}

/// Returns the share of the scale under `rank`.
fn by_atcoder(results: &Results<'_>, case: usize, score: &Score) -> BigRational {
    let RankCounts { better, tied, solvers, .. } = RankCounts::of(results, case, score);
    BigRational::one() - BigRational::new(better * 2 + tied, solvers * 2)
}

/// Returns the share of the scale under `rank-topcoder`.
fn by_topcoder(results: &Results<'_>, case: usize, score: &Score) -> BigRational {
    let RankCounts { tied, beaten, solvers, .. } = RankCounts::of(results, case, score);
    if solvers.is_one() {
        return BigRational::one();
    }
    BigRational::new(beaten * 2 + tied, (solvers - 1) * 2)
}

/// Returns the points of a score by thresholds.
fn grade(direction: Direction, thresholds: &Thresholds, score: &Score) -> BigRational {
    let reached = thresholds.steps.iter().find(|(threshold, _)| direction.compare(score, threshold).is_ge());
    let is_worth_one = direction == Direction::Min || *score > Score::default();
    let least = || Score::from(u8::from(is_worth_one && thresholds.one_above_zero)).to_rational();
    reached.map_or_else(least, |(_, points)| points.to_rational())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_and_written_back() {
        for rule in Rule::all() {
            assert_eq!(rule.name().parse(), Ok(rule.clone()));
            assert_eq!(rule.to_string(), rule.name());
            assert_eq!(rule.with_scale(Rule::DEFAULT_SCALE.into()), rule, "its row makes another rule");
        }
        assert_eq!("median".parse::<Rule>().unwrap_err().to_string(), "unknown scoring rule \"median\"");
    }
}
