//! The scoring rules by name.

use num_bigint::BigInt;
use std::fmt;
use std::str::FromStr;

/// What a place against the other solvers is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RankForm {
    /// By the place among all solvers, the form that goes by AtCoder's name (no public statement of it was found):
    /// 1 - (better + tied / 2) / solvers. Counted are the solvers with a better score and the *other* solvers with the
    /// same one; failed solvers count among all.
    AtCoder,
    /// As TopCoder's marathon matches did (statement of "PathDefense"), averaged over the cases:
    /// (beaten + tied / 2) / (solvers - 1). A lone solver gets 1.
    TopCoder,
}

/// How the score of a case becomes points.
///
/// With s the score, b the best score of the case (over this run's solvers and the best known from elsewhere), and points
/// p. A failed case has 0 points except where another thing is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    /// p = s, totalled, but never less than what a failure counts as: 0, or what the problem says; where small scores are
    /// good and it says nothing, a solver with failures has no total.
    Sum,
    /// p = s, averaged over all cases, failed ones included.
    Mean,
    /// p = 1 for an accepted answer.
    Exact,
    /// 10, 9, ..., 2 points from the case's nine thresholds on (at most them, where small scores are good), else 1 point
    /// for a score above 0 (for any accepted one, where small scores are good), else 0.
    Thresholds,
    /// p = scale s / b where large scores are good, scale b / s where small ones are. The best always gets the whole scale.
    /// Otherwise, where the signs make the quotient meaningless (b is 0, or only one of s and b is bad enough to be on the
    /// wrong side of 0), p = 0; where large scores are good and all are negative, p = scale b / s.
    Relative {
        /// The points of the best: 1,000,000 unless the contest says otherwise.
        scale: BigInt,
    },
    /// p by the place among the solvers of this run, ties sharing theirs.
    Rank {
        /// The formula.
        form: RankForm,
        /// The points of a solver that beats all others.
        scale: BigInt,
    },
    /// p = ln(s / b) where large scores are good, ln(b / s) where small ones are: at most 0, averaged. The exponential of the
    /// mean is the geometric mean of the ratios. A failure, or a score or best that is not positive, has no points,
    /// and then there is no mean. The one rule whose points are rounded (to `f64`).
    Log,
}

/// Which number of a standing a rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aggregate {
    /// The weighted total.
    Total,
    /// The weighted mean.
    Mean,
}

/// A name that no rule has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown scoring rule {0:?}")]
pub struct UnknownRule(pub String);

impl Rule {
    /// The names, as [`Rule::from_str`] takes them.
    pub const NAMES: [&'static str; 8] =
        ["sum", "mean", "exact", "thresholds", "relative", "rank", "rank-topcoder", "log"];

    /// Returns the number that this rule ranks solvers by.
    #[must_use]
    pub fn aggregate(&self) -> Aggregate {
        match self {
            Self::Mean | Self::Relative { .. } | Self::Log | Self::Rank { form: RankForm::TopCoder, .. } => {
                Aggregate::Mean
            }
            Self::Sum | Self::Exact | Self::Thresholds | Self::Rank { form: RankForm::AtCoder, .. } => Aggregate::Total,
        }
    }

    /// Returns the points of the best on a case, for the rules that have a scale.
    #[must_use]
    pub fn scale(&self) -> Option<&BigInt> {
        match self {
            Self::Relative { scale } | Self::Rank { scale, .. } => Some(scale),
            Self::Sum | Self::Mean | Self::Exact | Self::Thresholds | Self::Log => None,
        }
    }

    /// Returns the rule with another scale; a rule that has none stays as it is.
    #[must_use]
    pub fn with_scale(self, scale: BigInt) -> Self {
        match self {
            Self::Relative { .. } => Self::Relative { scale },
            Self::Rank { form, .. } => Self::Rank { form, scale },
            Self::Sum | Self::Mean | Self::Exact | Self::Thresholds | Self::Log => self,
        }
    }
}

impl FromStr for Rule {
    type Err = UnknownRule;

    /// Relative and rank rules get a scale of 1,000,000; `rank` is AtCoder's.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let scale = || BigInt::from(1_000_000);
        match name {
            "sum" => Ok(Self::Sum),
            "mean" => Ok(Self::Mean),
            "exact" => Ok(Self::Exact),
            "thresholds" => Ok(Self::Thresholds),
            "relative" => Ok(Self::Relative { scale: scale() }),
            "rank" => Ok(Self::Rank { form: RankForm::AtCoder, scale: scale() }),
            "rank-topcoder" => Ok(Self::Rank { form: RankForm::TopCoder, scale: scale() }),
            "log" => Ok(Self::Log),
            _ => Err(UnknownRule(name.to_owned())),
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Sum => "sum",
            Self::Mean => "mean",
            Self::Exact => "exact",
            Self::Thresholds => "thresholds",
            Self::Relative { .. } => "relative",
            Self::Rank { form: RankForm::AtCoder, .. } => "rank",
            Self::Rank { form: RankForm::TopCoder, .. } => "rank-topcoder",
            Self::Log => "log",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_and_written_back() {
        for name in Rule::NAMES {
            assert_eq!(name.parse::<Rule>().unwrap().to_string(), name);
        }
        assert_eq!("median".parse::<Rule>(), Err(UnknownRule("median".to_owned())));
    }
}
