//! The exact score.

use num_bigint::BigInt;
use std::fmt;
use std::str::FromStr;

/// What an answer is worth: an exact integer of any size.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Score(BigInt);

impl Score {
    /// Returns the number itself, for exact arithmetic.
    #[must_use]
    pub fn as_integer(&self) -> &BigInt {
        &self.0
    }

    /// Returns the number itself, for exact arithmetic.
    #[must_use]
    pub fn into_integer(self) -> BigInt {
        self.0
    }
}

impl<T: Into<BigInt>> From<T> for Score {
    fn from(value: T) -> Self {
        Self(value.into())
    }
}

impl fmt::Display for Score {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Through `pad_integral`, so that widths work as for the built-in integers.
        self.0.fmt(formatter)
    }
}

impl FromStr for Score {
    type Err = num_bigint::ParseBigIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}
