//! Numbers as `scanf("%lf")` of the GNU C library reads them.

use std::num::IntErrorKind;

/// Significant decimal digits beyond these only say whether the number is above what they are: no number that lies halfway
/// between two of `f64` has more than 767.
const DECIMAL_DIGITS: usize = 768;

/// The same for hexadecimal digits: they have at least 57 bits, and `f64` has 53.
const HEXADECIMAL_DIGITS: usize = 15;

/// No token has enough digits to make up for a larger exponent.
const LARGEST_EXPONENT: i64 = 1 << 60;

/// Returns the number that a whole token is; `None` if it is none, infinite, or too large. As the C library does, it reads
/// an exponent without digits as none. It takes time in proportion to the token's length.
pub(super) fn read(token: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(token).ok()?;
    let (negative, unsigned) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let size = match unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X")) {
        Some(digits) => hexadecimal(digits)?,
        None => decimal(unsigned)?,
    };
    size.is_finite().then_some(if negative { -size } else { size })
}

fn decimal(text: &str) -> Option<f64> {
    let Significand { mut digits, exponent } = split(text, ['e', 'E'])?.significand(10, 1, DECIMAL_DIGITS)?;
    if digits.is_empty() {
        return Some(0.0);
    }
    digits.iter_mut().for_each(|digit| *digit += b'0');
    let digits = std::str::from_utf8(&digits).ok()?;
    // Correctly rounded, as in the C library. Larger exponents are infinite or 0; the standard library loses count of them.
    format!("{digits}e{}", exponent.clamp(-10_000, 10_000)).parse().ok()
}

/// Reads what follows `0x`.
fn hexadecimal(text: &str) -> Option<f64> {
    let Significand { digits, exponent } = split(text, ['p', 'P'])?.significand(16, 4, HEXADECIMAL_DIGITS)?;
    let number = digits.iter().fold(0, |number: u128, digit| number << 4 | u128::from(*digit));
    let exponent = i32::try_from(exponent.clamp(-5_000, 5_000)).ok()?;
    let bits = (u128::BITS - number.leading_zeros()).cast_signed();
    // The exponent of the last bit that `f64` keeps, also of a number with fewer than 53.
    let last = (exponent + bits - f64::MANTISSA_DIGITS.cast_signed()).max(-1_074);
    if last <= exponent {
        return Some(scaled(number as f64, exponent));
    }
    let cut = u32::try_from(last - exponent).ok()?.min(u128::BITS - 1);
    let (kept, rest, half) = (number >> cut, number & ((1 << cut) - 1), 1 << (cut - 1));
    let is_up = rest > half || rest == half && kept % 2 == 1;
    Some(scaled((kept + u128::from(is_up)) as f64, last))
}

/// Multiplies by a power of two, in steps that are numbers themselves.
fn scaled(mut number: f64, mut exponent: i32) -> f64 {
    while exponent != 0 && number != 0.0 && number.is_finite() {
        let step = exponent.clamp(-1_000, 1_000);
        number *= 2.0_f64.powi(step);
        exponent -= step;
    }
    number
}

/// A number as it is written.
struct Written<'a> {
    whole: &'a str,
    fraction: &'a str,
    exponent: i64,
}

/// The digits of a number from the first that is not 0, as an integer, and the exponent that this has.
struct Significand {
    digits: Vec<u8>,
    exponent: i64,
}

impl Written<'_> {
    /// Returns the first significant digits, and one more that is 1 if a later one is not 0. A digit counts `weight` in the
    /// exponent. `None` if there is no digit, or something else.
    fn significand(&self, radix: u32, weight: i64, most: usize) -> Option<Significand> {
        let Self { whole, fraction, mut exponent } = *self;
        if whole.len() + fraction.len() == 0 {
            return None;
        }
        exponent -= weight * fraction.len() as i64;
        let (mut digits, mut has_more) = (Vec::new(), false);
        for byte in whole.bytes().chain(fraction.bytes()) {
            let digit = char::from(byte).to_digit(radix)? as u8;
            if digits.len() == most {
                has_more |= digit > 0;
                exponent += weight;
            } else if digit > 0 || !digits.is_empty() {
                digits.push(digit);
            }
        }
        if has_more {
            digits.push(1);
            exponent -= weight;
        }
        Some(Significand { digits, exponent })
    }
}

/// Splits a number into its parts. An absent exponent, or one without digits, is 0.
fn split(text: &str, marks: [char; 2]) -> Option<Written<'_>> {
    let (mantissa, exponent) = text.split_once(marks).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let exponent = match exponent.parse::<i64>() {
        Ok(exponent) => exponent.clamp(-LARGEST_EXPONENT, LARGEST_EXPONENT),
        Err(error) => match error.kind() {
            IntErrorKind::PosOverflow => LARGEST_EXPONENT,
            IntErrorKind::NegOverflow => -LARGEST_EXPONENT,
            // There are no digits.
            _ => 0,
        },
    };
    Some(Written { whole, fraction, exponent })
}

#[cfg(test)]
mod tests {
    use super::read;
    use num_bigint::BigInt;
    use num_rational::BigRational;
    use proptest::prelude::*;

    /// As the GNU C library 2.36 reads them.
    #[test]
    fn numbers_are_those_of_the_c_library() {
        for (token, number) in [
            ("1e", 1.0),
            ("1e+", 1.0),
            ("1.", 1.0),
            (".5", 0.5),
            ("+5", 5.0),
            ("00012", 12.0),
            ("1E5", 1e5),
            ("-0", -0.0),
            ("1e-999", 0.0),
            ("0x1p3", 8.0),
            ("0x1.8p", 1.5),
            ("0x.8", 0.5),
            ("0x1p+", 1.0),
            ("0X1P1", 2.0),
            ("0x1e5", 485.0),
            ("0x1p-99999", 0.0),
            ("0x10000000000000001", 18_446_744_073_709_551_616.0),
        ] {
            assert_eq!(read(token.as_bytes()), Some(number), "{token}");
        }
    }

    #[test]
    fn what_the_c_library_reads_in_part_is_no_number() {
        for token in [
            "",
            ".",
            "-",
            "--5",
            "0x",
            "0xp1",
            "0x1g",
            "inf",
            "infinity",
            "nan",
            "nan(12)",
            "1e999",
            "0x1p99999",
            "1_0",
            "1d5",
            "1,5",
            "+.e3",
            "1.5.2",
            "1e5.",
            "1e5x",
            "e5",
            "0x1.2.3",
            "é",
            "1e--5",
            "+inf",
            "0x-1",
        ] {
            assert_eq!(read(token.as_bytes()), None, "{token}");
        }
        assert_eq!(read(b"1\0"), None);
        assert_eq!(read(b"\xff"), None);
    }

    /// The digits cancel with exponents that are larger than the standard library counts.
    #[test]
    fn many_digits_count_all() {
        let millions = format!("1{}e-5000000", "0".repeat(5_000_000));
        assert_eq!(read(millions.as_bytes()), Some(1.0));
        let (zeros, many) = ("0".repeat(100_000), 100_000);
        for (token, number) in [
            (format!("1{zeros}e-{many}"), 1.0),
            (format!("-25{zeros}.{zeros}E-{}", many + 1), -2.5),
            (format!("0.{zeros}1e{}", many + 1), 1.0),
            (format!("{zeros}1e{zeros}3"), 1_000.0),
            (format!("{zeros}.{zeros}e{many}"), 0.0),
            (format!("9007199254740993{zeros}e-{many}"), 9_007_199_254_740_992.0),
            (format!("9007199254740993{zeros}1e-{}", many + 1), 9_007_199_254_740_994.0),
            (format!("{}e-{many}", "3".repeat(many)), 1.0 / 3.0),
            (format!("0x1{zeros}p-{}", 4 * many), 1.0),
            (format!("0x.{zeros}8p+{}", 4 * many + 1), 1.0),
            (format!("0x20000000000001{zeros}1p-{}", 4 * many + 4), 9_007_199_254_740_994.0),
            (format!("1{zeros}e-{}", many + 400), 0.0),
            (format!("0e{many}{many}{many}{many}"), 0.0),
            (format!("1e-{many}{many}{many}{many}"), 0.0),
            (format!("0x1p-{many}{many}{many}{many}"), 0.0),
        ] {
            let shown = &token[..20.min(token.len())];
            assert_eq!(read(token.as_bytes()), Some(number), "{shown}… of {} bytes", token.len());
        }
        for token in [
            format!("1{zeros}e-{}", many - 309),
            format!("0.{zeros}1e{}", many + 310),
            format!("1{zeros}"),
            format!("1e{many}{many}{many}{many}"),
            format!("0x1p{many}{many}{many}{many}"),
            format!("0x1{zeros}p-{}", 4 * many - 1024),
            format!("1{zeros}x"),
        ] {
            assert_eq!(read(token.as_bytes()), None, "{}… of {} bytes", &token[..6], token.len());
        }
    }

    fn power(base: u32, exponent: i32) -> BigRational {
        let power = BigRational::from(BigInt::from(base).pow(exponent.unsigned_abs()));
        if exponent < 0 { power.recip() } else { power }
    }

    /// Returns whether a number is the nearest to an exact one; of two as near, the even one.
    fn is_nearest(exact: &BigRational, read: Option<f64>) -> bool {
        // Halfway between the largest number and the next power of two.
        let infinite = power(2, 1024) - power(2, 970);
        let Some(read) = read else { return *exact >= infinite };
        let value = |number: f64| BigRational::from_float(number).unwrap_or_else(|| power(2, 1024));
        let half = |other: f64| (value(read) + value(other)) / BigInt::from(2);
        let (above, below) =
            (half(read.next_up()), if read == 0.0 { power(2, 0) * -BigInt::from(1) } else { half(read.next_down()) });
        let is_even = read.to_bits() % 2 == 0;
        (below < *exact && *exact < above) || (is_even && (below == *exact || above == *exact))
    }

    /// A number in this radix: its digits with the point somewhere, and an exponent.
    fn check(radix: u32, digits: &str, point: usize, exponent: i32) -> Result<(), TestCaseError> {
        let point = point.min(digits.len());
        let (whole, fraction) = digits.split_at(point);
        let (prefix, mark, base, weight) = if radix == 16 { ("0x", 'p', 2, 4) } else { ("", 'e', 10, 1) };
        let token = format!("{prefix}{whole}.{fraction}{mark}{exponent}");
        let integer = BigInt::parse_bytes(digits.as_bytes(), radix).unwrap();
        let exact = BigRational::from(integer) * power(base, exponent - weight * fraction.len() as i32);
        let number = read(token.as_bytes());
        prop_assert!(is_nearest(&exact, number), "{}: {:?}", token, number);
        prop_assert_eq!(read(format!("-{token}").as_bytes()), number.map(|number| -number));
        Ok(())
    }

    /// What makes rounding hard: halfway between two numbers, and a little more or less, times 10 to the power of 1,080.
    fn halfway(bits: u64, less: i32) -> String {
        let number = f64::from_bits(bits % f64::MAX.to_bits());
        let half = (BigRational::from_float(number).unwrap() + BigRational::from_float(number.next_up()).unwrap())
            / BigInt::from(2);
        ((half * power(10, 1_080)).to_integer() + less).to_string()
    }

    proptest! {
        #[test]
        fn decimals_are_rounded_correctly(digits in "0{0,30}[0-9]{1,40}", point in 0..70_usize, exponent in -400..400) {
            check(10, &digits, point, exponent)?;
        }

        #[test]
        fn halfway_decimals_are_rounded_correctly(bits: u64, less in -1..=1, zeros in 0..900_usize) {
            let digits = halfway(bits, less) + &"0".repeat(zeros);
            check(10, &digits, digits.len(), -1_080 - zeros as i32)?;
            check(10, &digits, 0, digits.len() as i32 - 1_080 - zeros as i32)?;
        }

        #[test]
        fn hexadecimals_are_rounded_correctly(
            digits in "0{0,9}[0-9a-f]{1,18}(0{0,9}|[08]{0,9})1?", point in 0..40_usize,
            exponent in prop_oneof![-1_200..1_100, -1_150..-1_000],
        ) {
            check(16, &digits, point, exponent)?;
        }
    }
}
