//! An exact decimal number of any length, for the features of cases.

use checkers::Score;
use num_rational::BigRational;
use std::fmt;
use std::str::FromStr;

/// An exact decimal number. Its text is also its JSON.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Number(Score);

/// A text that is not a decimal number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a number such as 12 or -0.5, found `{0}`")]
pub struct NumberError(String);

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self(Score::from(value))
    }
}

impl From<Score> for Number {
    fn from(value: Score) -> Self {
        Self(value)
    }
}

impl From<Number> for BigRational {
    fn from(number: Number) -> Self {
        number.0.to_rational()
    }
}

impl FromStr for Number {
    type Err = NumberError;

    /// Reads digits with at most one sign and one point, with digits on both sides of it.
    fn from_str(text: &str) -> Result<Self, NumberError> {
        let whole_parts = text.split('.').all(|part| part.ends_with(|last: char| last.is_ascii_digit()));
        let starts = text.trim_start_matches(['-', '+']).starts_with(|first: char| first.is_ascii_digit());
        let plain = whole_parts && starts && !text.contains(['e', 'E']);
        let read = plain.then(|| text.parse().ok()).flatten();
        read.map(Self).ok_or_else(|| NumberError(text.to_owned()))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact_and_written_one_way() {
        let huge = format!("1{}", "0".repeat(60));
        for (text, shown) in [
            ("12", "12"),
            ("-0.50", "-0.5"),
            ("007", "7"),
            ("+3.0", "3"),
            ("-0", "0"),
            ("0.001", "0.001"),
            ("10.25", "10.25"),
            (&huge, &huge),
        ] {
            assert_eq!(text.parse::<Number>().unwrap().to_string(), shown, "{text}");
        }
        assert!("0.1".parse::<Number>().unwrap() < "0.10000000000000000001".parse().unwrap());
    }

    #[test]
    fn what_is_not_a_decimal_number_is_refused() {
        for text in ["", "-", ".5", "5.", "1e3", "1_000", "0x10", "--1", "1.2.3", "1 ", "inf", "-+1", "1.-5"] {
            assert!(text.parse::<Number>().is_err(), "{text}");
        }
    }
}
