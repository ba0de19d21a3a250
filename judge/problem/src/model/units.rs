//! Times, sizes and shares with their units: `4s`, `500ms`, `1024 MiB`, `0.5%`.

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::ToPrimitive;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A text that is not a time, a size or a share.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, found `{found}`")]
pub struct UnitError {
    expected: &'static str,
    found: String,
}

/// A length of time, written with its unit: `4s`, `0.5s`, `500ms`, `2min`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Time(pub Duration);

const TIME_UNITS: [(&str, u64); 4] = [("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000), ("min", 60_000_000_000)];

impl FromStr for Time {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let expected = "a time with its unit (us, ms, s, min), such as `4s` or `500ms`";
        let error = || UnitError { expected, found: text.to_owned() };
        let nanoseconds = amount(text, &TIME_UNITS).ok_or_else(error)?;
        Ok(Self(Duration::from_nanos(nanoseconds)))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanoseconds = self.0.as_nanos();
        let (unit, size) =
            TIME_UNITS[1..3].iter().rev().find(|(_, size)| nanoseconds >= u128::from(*size)).unwrap_or(&TIME_UNITS[0]);
        let whole = nanoseconds / u128::from(*size);
        let thousandths = nanoseconds % u128::from(*size) * 1000 / u128::from(*size);
        formatter.pad(&format!("{}{unit}", decimal(whole, thousandths)))
    }
}

/// A number of bytes, written with its unit: `64KiB`, `1024 MiB`, `1MB`, `100B`, `256M` for 256 MiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Bytes(pub u64);

const BYTE_UNITS: [(&str, u64); 7] = [
    ("B", 1),
    ("KB", 1_000),
    ("KiB", 1 << 10),
    ("MB", 1_000_000),
    ("MiB", 1 << 20),
    ("GB", 1_000_000_000),
    ("GiB", 1 << 30),
];

/// As `ulimit`, `docker` and compilers' flags have them.
const SHORT_BYTE_UNITS: [(&str, u64); 3] = [("K", 1 << 10), ("M", 1 << 20), ("G", 1 << 30)];

impl FromStr for Bytes {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let expected = "a size with its unit (B, KB, KiB, MB, MiB, GB, GiB), such as `1024 MiB` or `1MB`";
        let error = || UnitError { expected, found: text.to_owned() };
        amount(text, &BYTE_UNITS).or_else(|| amount(text, &SHORT_BYTE_UNITS)).map(Self).ok_or_else(error)
    }
}

impl fmt::Display for Bytes {
    /// Shows the size in the largest binary unit that leaves at least 1, unless a decimal one is exact.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exact =
            BYTE_UNITS.iter().rev().find(|(_, size)| *size > 1 && self.0 >= *size && self.0.is_multiple_of(*size));
        let binary = BYTE_UNITS.iter().rev().find(|(unit, size)| (unit.len() != 2) && self.0 >= *size);
        let (unit, size) = exact.or(binary).unwrap_or(&BYTE_UNITS[0]);
        let tenths = (u128::from(self.0) * 10 + u128::from(size / 2)) / u128::from(*size);
        formatter.pad(&format!("{} {unit}", decimal(tenths / 10, tenths % 10 * 100)))
    }
}

/// A share, written as a percentage: `0.5%`, `10 %`. Exact.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Percent(pub BigRational);

impl FromStr for Percent {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let error = || UnitError { expected: "a percentage, such as `0.5%`", found: text.to_owned() };
        let number = text.trim().strip_suffix('%').ok_or_else(error)?.trim_end();
        let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
        let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let decimals = u32::try_from(fraction.len()).ok().filter(|&decimals| decimals <= 9).ok_or_else(error)?;
        if !is_number(whole) || !is_number(fraction) {
            return Err(error());
        }
        let digits: BigInt = format!("{whole}{fraction}").parse().map_err(|_| error())?;
        Ok(Self(BigRational::new(digits, BigInt::from(10).pow(decimals) * 100)))
    }
}

impl Percent {
    /// Returns the share as a number: 0.005 for `0.5%`.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.0.to_f64().unwrap_or(f64::INFINITY)
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A percentage that was read has at most nine decimals.
        let billionths = (&self.0 * BigInt::from(100_000_000_000_u64)).to_integer();
        let (whole, fraction) = billionths.div_rem(&BigInt::from(1_000_000_000));
        let text = format!("{whole}.{fraction:0>9}");
        formatter.pad(&format!("{}%", text.trim_end_matches('0').trim_end_matches('.')))
    }
}

/// Reads a decimal number and one of the units (any case), as a whole number of the smallest unit. `None` for
/// anything else: no unit, an unknown one, a sign, more than 64 bits.
fn amount(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let text = text.trim();
    let number_end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(number_end);
    let (_, size) = units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit.trim_start()))?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    if whole.is_empty() || fraction.is_empty() || fraction.len() > 9 {
        return None;
    }
    let scale = 10_u128.pow(u32::try_from(fraction.len()).ok()?);
    let scaled = u128::from(whole.parse::<u64>().ok()?) * scale + u128::from(fraction.parse::<u64>().ok()?);
    u64::try_from(scaled * u128::from(*size) / scale).ok()
}

/// Writes a number with its thousandths, without trailing zeros.
fn decimal(whole: u128, thousandths: u128) -> String {
    let text = format!("{whole}.{thousandths:03}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_unit() {
        for (text, milliseconds) in [("4s", 4000), ("500ms", 500), ("1.25 s", 1250), ("2min", 120_000), ("0s", 0)] {
            assert_eq!(text.parse(), Ok(Time(Duration::from_millis(milliseconds))), "{text}");
        }
        for text in [
            "",
            "4",
            "s",
            "-1s",
            "1h",
            "1e3s",
            "4 s s",
            ".5s",
            "1.s",
            "99999999999999999999s",
            "18446744073709551615min",
        ] {
            assert!(text.parse::<Time>().is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_are_read_with_their_unit() {
        for (text, bytes) in [
            ("1024 MiB", 1 << 30),
            ("1MB", 1_000_000),
            ("64kib", 65_536),
            ("100B", 100),
            ("1.5 KiB", 1536),
            ("256M", 256 << 20),
            ("64k", 65_536),
            ("2 G", 2 << 30),
        ] {
            assert_eq!(text.parse(), Ok(Bytes(bytes)), "{text}");
        }
        for text in ["", "1024", "MiB", "M", "-1MB", "1TB", "1 M B"] {
            assert!(text.parse::<Bytes>().is_err(), "{text}");
        }
    }

    #[test]
    fn shares_are_read_exactly() {
        let share = |part: i64, of: i64| Percent(BigRational::new(part.into(), of.into()));
        for (text, expected) in [("0.5%", share(1, 200)), ("10 %", share(1, 10)), ("0%", share(0, 1))] {
            assert_eq!(text.parse(), Ok(expected), "{text}");
        }
        for text in ["", "%", "0.5", "-1%", "1e3%", ".5%", "5.%", "1%%", "0.0000000001%"] {
            assert!(text.parse::<Percent>().is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_shown_can_be_read_again() {
        for text in ["0.5%", "10%", "0%", "0.000000001%", "123.45%"] {
            assert_eq!(text.parse::<Percent>().unwrap().to_string(), text);
        }
        for text in ["4s", "500ms", "1.25s", "10us", "90s"] {
            assert_eq!(text.parse::<Time>().unwrap().to_string(), text);
        }
        for text in ["1 GiB", "1 MB", "64 KiB", "100 B", "0 B", "1.4 MiB"] {
            assert_eq!(text.parse::<Bytes>().unwrap().to_string(), text, "{text}");
        }
    }
}
