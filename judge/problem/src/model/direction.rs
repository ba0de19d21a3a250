//! Whether larger or smaller scores are better.

use checkers::Score;
use std::cmp::Ordering;
use std::str::FromStr;

/// Which scores are good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Larger ones.
    Max,
    /// Smaller ones.
    Min,
}

/// A name of no direction.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown direction `{0}`")]
pub struct UnknownDirection(pub String);

impl Direction {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Max, Self::Min];

    /// Orders two values, the better one being `Greater`.
    #[must_use]
    pub fn compare<T: Ord>(self, left: &T, right: &T) -> Ordering {
        match self {
            Self::Max => left.cmp(right),
            Self::Min => right.cmp(left),
        }
    }

    /// Returns the better of two values.
    #[must_use]
    pub fn better<T: Ord>(self, left: T, right: T) -> T {
        if self.compare(&left, &right) == Ordering::Less { right } else { left }
    }

    /// Returns the score of a failed case in sums and means, if the problem sets none: 0 if larger scores are better.
    /// If smaller ones are better, no score is bad enough, and a solver with failures has no total.
    #[must_use]
    pub fn failure_by_default(self) -> Option<Score> {
        match self {
            Self::Max => Some(Score::from(0)),
            Self::Min => None,
        }
    }

    /// Returns the name that the catalogue uses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Max => "max",
            Self::Min => "min",
        }
    }
}

impl FromStr for Direction {
    type Err = UnknownDirection;

    fn from_str(name: &str) -> Result<Self, UnknownDirection> {
        let named = Self::ALL.into_iter().find(|direction| direction.name() == name);
        named.ok_or_else(|| UnknownDirection(name.to_owned()))
    }
}
