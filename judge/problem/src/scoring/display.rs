//! Exact numbers as decimal text.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero};

/// Returns the number rounded to this many decimals, exactly: halves away from zero, whatever the size. What rounds to
/// 0 has no sign.
#[must_use]
pub fn display(number: &BigRational, decimals: u32) -> String {
    let shift = BigInt::from(10).pow(decimals);
    // `round` takes halves away from zero.
    let shifted = (number * &shift).round().to_integer();
    let sign = if shifted.is_negative() { "-" } else { "" };
    let digits = format!("{:0>width$}", shifted.abs().to_string(), width = decimals as usize + 1);
    let (whole, fraction) = digits.split_at(digits.len() - decimals as usize);
    let point = if decimals > 0 { "." } else { "" };
    format!("{sign}{whole}{point}{fraction}")
}

/// Returns the number of decimals with which a number below 1 shows this many digits; fewer than that for larger ones.
#[must_use]
pub fn decimals_of_digits(number: &BigRational, digits: u32) -> u32 {
    if number.is_zero() || number.numer().magnitude() >= number.denom().magnitude() {
        return 0;
    }
    // The zeros behind the point, as far as the lengths tell: one too many at most.
    let bits = number.denom().bits() - number.numer().bits() + 1;
    (bits as f64 * std::f64::consts::LOG10_2) as u32 + digits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(numerator: i128, denominator: i128, decimals: u32) -> String {
        display(&BigRational::new(numerator.into(), denominator.into()), decimals)
    }

    #[test]
    fn thirds_and_halves() {
        assert_eq!(shown(1, 3, 2), "0.33");
        assert_eq!(shown(2, 3, 2), "0.67");
        assert_eq!(shown(1, 8, 2), "0.13");
        assert_eq!(shown(-1, 8, 2), "-0.13");
        assert_eq!(shown(5, 2, 0), "3");
        assert_eq!(shown(999_999, 1_000, 2), "1000.00");
    }

    #[test]
    fn small_numbers_show_their_digits() {
        let shown = |above: i64, below: i64| {
            let number = BigRational::new(above.into(), below.into());
            display(&number, decimals_of_digits(&number, 3))
        };
        assert_eq!((shown(1, 3_000), shown(-1, 3_000_000)), ("0.000333".to_owned(), "-0.000000333".to_owned()));
        assert_eq!((shown(7, 3), shown(0, 1), shown(2, 3)), ("2".to_owned(), "0".to_owned(), "0.667".to_owned()));
    }

    #[test]
    fn nothing_is_written_as_minus_nothing() {
        assert_eq!(shown(-1, 1_000, 2), "0.00");
        assert_eq!(shown(0, 1, 0), "0");
    }

    #[test]
    fn digits_beyond_floating_point_are_kept() {
        let huge = 10_i128.pow(38);
        assert_eq!(shown(huge + 1, 2, 1), "50000000000000000000000000000000000000.5");
    }
}
