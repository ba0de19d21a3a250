//! The exact weight of a case or a group of cases.

use super::Number;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed};
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, LazyLock};

/// An exact number, not negative. It is written as a decimal number or as a fraction of two integers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Weight {
    /// `None` is 1, the weight of a case that has none of its own: a list of such cases stays small.
    own: Option<Arc<BigRational>>,
}

/// A text that is not a weight.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WeightError {
    /// Neither a decimal number nor a fraction.
    #[error("expected a weight such as 2, 0.5 or \"1/3\", found `{0}`")]
    Syntax(String),
    /// A weight below 0 would reward failing.
    #[error("expected a weight that is not negative, found `{0}`")]
    Negative(String),
}

impl Weight {
    /// Returns the number itself.
    #[must_use]
    pub fn value(&self) -> &BigRational {
        static ONE: LazyLock<BigRational> = LazyLock::new(BigRational::one);
        self.own.as_deref().unwrap_or(&ONE)
    }
}

impl FromStr for Weight {
    type Err = WeightError;

    fn from_str(text: &str) -> Result<Self, WeightError> {
        let syntax = || WeightError::Syntax(text.to_owned());
        let value = match text.split_once('/') {
            Some((above, below)) => {
                let above: BigInt = above.trim().parse().map_err(|_| syntax())?;
                let below: BigInt = below.trim().parse().map_err(|_| syntax())?;
                if !below.is_positive() {
                    return Err(syntax());
                }
                BigRational::new(above, below)
            }
            None => text.trim().parse::<Number>().map_err(|_| syntax())?.into(),
        };
        if value.is_negative() {
            return Err(WeightError::Negative(text.to_owned()));
        }
        Ok(Self { own: (!value.is_one()).then(|| Arc::new(value)) })
    }
}

impl fmt::Display for Weight {
    /// Writes an integer or a reduced fraction: `2`, `1/3`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.value().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_and_fractions_are_exact() {
        for (text, shown) in [("2", "2"), ("0.50", "1/2"), ("1/3", "1/3"), (" 2 / 6 ", "1/3"), ("0", "0"), ("4/2", "2")]
        {
            assert_eq!(text.parse::<Weight>().unwrap().to_string(), shown, "{text}");
        }
    }

    #[test]
    fn what_is_no_weight_is_refused() {
        for text in ["", "x", "1/0", "1/-3", "1/", "1e3", "nan", "1/2/3"] {
            assert_eq!(text.parse::<Weight>(), Err(WeightError::Syntax(text.to_owned())));
        }
        for text in ["-1", "-0.5", "-1/3"] {
            assert_eq!(text.parse::<Weight>(), Err(WeightError::Negative(text.to_owned())));
        }
    }
}
