//! Numbers as `scanf("%lf")` of the GNU C library reads them.

/// Hexadecimal digits beyond these only say whether the number is above what they are.
const KEPT_DIGITS: u32 = 15;

/// Returns the number that a whole token is; `None` if it is none, infinite, or too large. As the C library does, it reads
/// an exponent without digits as none.
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
    let (mantissa, exponent) = split(text, ['e', 'E'])?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let are_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if !are_digits(whole) || !are_digits(fraction) || whole.len() + fraction.len() == 0 {
        return None;
    }
    // Correctly rounded, as in the C library.
    format!("0{whole}.{fraction}0e{exponent}").parse().ok()
}

/// Reads what follows `0x`.
fn hexadecimal(text: &str) -> Option<f64> {
    let (mantissa, exponent) = split(text, ['p', 'P'])?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.len() + fraction.len() == 0 {
        return None;
    }
    let mut exponent = exponent.parse::<i64>().unwrap_or(if exponent.starts_with('-') { -1 << 40 } else { 1 << 40 });
    exponent -= 4 * fraction.len() as i64;
    let (mut digits, mut count) = (0_u64, 0);
    for character in whole.chars().chain(fraction.chars()) {
        let digit = u64::from(character.to_digit(16)?);
        if count < KEPT_DIGITS {
            digits = digits << 4 | digit;
            count += u32::from(digits > 0);
        } else {
            // Only rounding may depend on it.
            digits |= u64::from(digit > 0);
            exponent += 4;
        }
    }
    let exponent = i32::try_from(exponent.clamp(-5_000, 5_000)).unwrap_or(0);
    if digits == 0 { Some(0.0) } else { Some(scaled(digits as f64, exponent)) }
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

/// Splits off an exponent; an absent one, or one without digits, is 0.
fn split(text: &str, marks: [char; 2]) -> Option<(&str, &str)> {
    let Some((mantissa, exponent)) = text.split_once(marks) else { return Some((text, "0")) };
    let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    let is_exponent = digits.bytes().all(|byte| byte.is_ascii_digit());
    is_exponent.then_some((mantissa, if digits.is_empty() { "0" } else { exponent }))
}

#[cfg(test)]
mod tests {
    use super::read;

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
}
