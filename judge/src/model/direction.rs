//! Whether more or less is better.

use checkers::Score;
use std::cmp::Ordering;

/// Which scores are good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Larger ones.
    Max,
    /// Smaller ones.
    Min,
}

impl Direction {
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

    /// Returns what a failed case counts as, in sums and means, for a problem that does not say: 0 where scores are to be
    /// large. Nothing would be bad enough where they are to be small: there, a solver with failures has no total.
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
