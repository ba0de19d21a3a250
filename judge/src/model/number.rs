//! An exact decimal number of any length, for the features of cases.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Signed;
use std::fmt;
use std::str::FromStr;

/// An exact decimal number. Its text is also its JSON.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Number(BigRational);

/// A text that is not a decimal number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a number such as 12 or -0.5, found `{0}`")]
pub struct NumberError(String);

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self(BigRational::from_integer(value.into()))
    }
}

impl From<Number> for BigRational {
    fn from(number: Number) -> Self {
        number.0
    }
}

impl FromStr for Number {
    type Err = NumberError;

    /// Reads digits with at most one sign and one point, with digits on both sides of it.
    fn from_str(text: &str) -> Result<Self, NumberError> {
        let error = || NumberError(text.to_owned());
        let (whole, fraction) = text.split_once('.').map_or((text, None), |(whole, rest)| (whole, Some(rest)));
        let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let unsigned = whole.strip_prefix(['-', '+']).unwrap_or(whole);
        if !is_digits(unsigned) || !fraction.is_none_or(is_digits) {
            return Err(error());
        }
        let fraction = fraction.unwrap_or("");
        let digits: BigInt = format!("{whole}{fraction}").parse().map_err(|_| error())?;
        let decimals = u32::try_from(fraction.len()).map_err(|_| error())?;
        Ok(Self(BigRational::new(digits, BigInt::from(10).pow(decimals))))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Every number was read with finitely many decimals, so this ends.
        let mut scaled = self.0.clone();
        let mut decimals = 0;
        while !scaled.is_integer() {
            scaled *= BigInt::from(10);
            decimals += 1;
        }
        let digits = format!("{:0>width$}", scaled.to_integer().abs().to_string(), width = decimals + 1);
        let (whole, fraction) = digits.split_at(digits.len() - decimals);
        let sign = if self.0.is_negative() { "-" } else { "" };
        let point = if decimals > 0 { "." } else { "" };
        formatter.pad(&format!("{sign}{whole}{point}{fraction}"))
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
