//! Exact numbers as decimal text.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Signed;

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
