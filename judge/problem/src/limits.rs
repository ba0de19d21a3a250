//! Quantities with their units (`4s`, `1024 MiB`, `0.5%`), exact numbers and weights, and the limits made of them.

use crate::text::InvalidText;
use checkers::Score;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

/// A length of time, written with its unit: `4s`, `0.5s`, `500ms`, `2min`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Time(pub Duration);

const TIME_UNITS: [(&str, u64); 4] = [("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000), ("min", 60_000_000_000)];

impl FromStr for Time {
    type Err = InvalidText;

    fn from_str(text: &str) -> Result<Self, InvalidText> {
        let expected = "a time with its unit (us, ms, s, min), such as `4s` or `500ms`";
        let error = || InvalidText::expected(expected, text);
        let nanoseconds = amount(text, &TIME_UNITS).ok_or_else(error)?;
        Ok(Self(Duration::from_nanos(nanoseconds)))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanoseconds = self.0.as_nanos();
        let (unit, size) =
            TIME_UNITS[1..3].iter().rev().find(|(_, size)| nanoseconds >= u128::from(*size)).unwrap_or(&TIME_UNITS[0]);
        formatter.pad(&format!("{}{unit}", decimal_text(nanoseconds * 1000 / u128::from(*size), 3)))
    }
}

/// A number of bytes, written with its unit: `64KiB`, `1024 MiB`, `1MB`, `100B`, `256M` for 256 MiB.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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

/// The short units of `ulimit`, `docker` and compiler flags.
const SHORT_BYTE_UNITS: [(&str, u64); 3] = [("K", 1 << 10), ("M", 1 << 20), ("G", 1 << 30)];

impl FromStr for Bytes {
    type Err = InvalidText;

    fn from_str(text: &str) -> Result<Self, InvalidText> {
        let expected = "a size with its unit (B, KB, KiB, MB, MiB, GB, GiB), such as `1024 MiB` or `1MB`";
        let error = || InvalidText::expected(expected, text);
        amount(text, &BYTE_UNITS).or_else(|| amount(text, &SHORT_BYTE_UNITS)).map(Self).ok_or_else(error)
    }
}

impl fmt::Display for Bytes {
    /// Shows the size in the largest binary unit that gives at least 1. A decimal unit is preferred if it is exact.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exact =
            BYTE_UNITS.iter().rev().find(|(_, size)| *size > 1 && self.0 >= *size && self.0.is_multiple_of(*size));
        let binary = BYTE_UNITS.iter().rev().find(|(unit, size)| (unit.len() != 2) && self.0 >= *size);
        let (unit, size) = exact.or(binary).unwrap_or(&BYTE_UNITS[0]);
        let tenths = (u128::from(self.0) * 10 + u128::from(size / 2)) / u128::from(*size);
        formatter.pad(&format!("{} {unit}", decimal_text(tenths, 1)))
    }
}

/// Reads a time or a size that is more than zero.
///
/// # Errors
/// Fails on zero, and on anything that is no such quantity.
pub fn parse_limit<T: FromStr<Err = InvalidText> + Default + PartialEq>(text: &str) -> Result<T, InvalidText> {
    let limit = text.parse()?;
    if limit == T::default() { Err(InvalidText::expected("more than zero", text)) } else { Ok(limit) }
}

/// An exact share, written as a percentage: `0.5%`, `10 %`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Percent(pub BigRational);

impl FromStr for Percent {
    type Err = InvalidText;

    fn from_str(text: &str) -> Result<Self, InvalidText> {
        let error = || InvalidText::expected("a percentage, such as `0.5%`", text);
        let number = text.trim().strip_suffix('%').ok_or_else(error)?.trim_end();
        let billionths = decimal(number, 9).ok_or_else(error)?;
        Ok(Self(BigRational::new(billionths.into(), 100_000_000_000_u64.into())))
    }
}

impl Percent {
    /// Returns the share as a number: 0.005 for `0.5%`.
    pub fn share(&self) -> f64 {
        self.0.to_f64().unwrap_or(f64::INFINITY)
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A parsed percentage has at most nine decimals.
        let billionths = (&self.0 * BigInt::from(100_000_000_000_u64)).to_integer();
        formatter.pad(&format!("{}%", decimal_text(billionths.to_u128().unwrap_or(u128::MAX), 9)))
    }
}

/// Reads a decimal number with one of the units, in any case, as a whole number of the smallest unit. Returns `None`
/// for anything else: no unit, an unknown unit, a sign, more than 64 bits.
fn amount(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let text = text.trim();
    let number_end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(number_end);
    let (_, size) = units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit.trim_start()))?;
    u64::try_from(decimal(number, 9)?.checked_mul(u128::from(*size))? / 1_000_000_000).ok()
}

/// Reads a number with at most this many decimals and no sign, as a whole number of its last decimal: `1.5` with three
/// decimals is 1500.
fn decimal(text: &str, decimals: usize) -> Option<u128> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let fits = is_number(whole) && is_number(fraction) && fraction.len() <= decimals;
    fits.then(|| format!("{whole}{fraction:0<decimals$}").parse().ok()).flatten()
}

/// Writes a number as [`decimal`] reads it, without trailing zeros.
fn decimal_text(number: u128, decimals: usize) -> String {
    let digits = format!("{number:0>width$}", width = decimals + 1);
    let (whole, fraction) = digits.split_at(digits.len() - decimals);
    format!("{whole}.{fraction}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// An exact number that is not negative, written as a decimal number or as a fraction of two integers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Weight {
    /// `None` is 1, the default, so that a list of cases without weights stays small.
    own: Option<Arc<BigRational>>,
}

impl Weight {
    /// Returns the weight of a case that does not count.
    pub fn zero() -> Self {
        Self { own: Some(Arc::new(BigRational::from_integer(0.into()))) }
    }

    /// Returns the number.
    pub fn value(&self) -> &BigRational {
        static ONE: LazyLock<BigRational> = LazyLock::new(BigRational::one);
        self.own.as_deref().unwrap_or(&ONE)
    }
}

impl FromStr for Weight {
    type Err = InvalidText;

    fn from_str(text: &str) -> Result<Self, InvalidText> {
        let syntax = || InvalidText::expected("a weight such as 2, 0.5 or \"1/3\"", text);
        let value = match text.split_once('/') {
            Some((above, below)) => {
                let above: BigInt = above.trim().parse().map_err(|_| syntax())?;
                let below: BigInt = below.trim().parse().map_err(|_| syntax())?;
                if !below.is_positive() {
                    return Err(syntax());
                }
                BigRational::new(above, below)
            }
            None => text.trim().parse::<Score>().map_err(|_| syntax())?.to_rational(),
        };
        if value.is_negative() {
            return Err(InvalidText::expected("a weight that is not negative", text));
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

/// The limits of a solver on one case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// CPU time of all its processes together.
    pub cpu: Time,
    /// Wall time.
    pub wall: Time,
    /// Peak memory of all its processes together. `u64::MAX` means no limit.
    pub memory: Bytes,
    /// Bytes on standard output.
    pub output: Bytes,
    /// Processes and threads alive at once.
    pub processes: u32,
}

impl fmt::Display for Limits {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cpu, wall, memory, output, processes } = self;
        write!(formatter, "cpu {cpu}; wall {wall}; memory {memory}; output {output}; processes {processes}")
    }
}

impl Limits {
    /// Returns the default wall time for a CPU time: three times the CPU time plus one second.
    pub fn default_wall(cpu: Time) -> Time {
        Time(cpu.0.saturating_mul(3).saturating_add(Duration::from_secs(1)))
    }

    /// Returns the limit on bytes written to files: the memory limit, or 64 MB if memory has no limit.
    pub fn disk(&self) -> Bytes {
        if self.memory == Bytes(u64::MAX) { Bytes(64_000_000) } else { self.memory }
    }
}

/// The limits of the programs other than solvers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelperLimits {
    /// The limits of an external checker for one answer, and of a validator for one input.
    pub checker: CommandLimits,
    /// Wall time of an interactor to decide after the solver has ended.
    pub interactor: Time,
    /// Wall time of a tester, without the solver's.
    pub tester: Time,
    /// The limits of a generator command for one case.
    pub generator: CommandLimits,
    /// The limits of a compiler.
    pub compiler: CompileLimits,
    /// Total size of a solver's source files. `None`: no limit but the compiler's.
    pub source: Option<Bytes>,
}

/// The limits of a setter's program for one call. A trusted program only has the wall time limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLimits {
    /// Wall time.
    pub wall: Time,
    /// Peak memory of all its processes together, including the files that it writes.
    pub memory: Bytes,
}

impl CommandLimits {
    /// Processes and threads alive at once: enough for language runtimes on a large machine.
    pub const PROCESSES: u32 = 256;
}

impl Default for CommandLimits {
    /// A minute and 2 GiB.
    fn default() -> Self {
        Self { wall: Time(Duration::from_secs(60)), memory: Bytes(2 << 30) }
    }
}

/// The limits of a compiler. A problem may set them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompileLimits {
    /// CPU time of all its processes together.
    pub cpu: Time,
    /// Wall time.
    pub wall: Time,
    /// Peak memory of all its processes together.
    pub memory: Bytes,
}

impl CompileLimits {
    /// Returns the default wall time for a CPU time: two minutes, or twice the CPU time if that is more.
    pub fn default_wall(cpu: Time) -> Time {
        Time(cpu.0.saturating_mul(2).max(Duration::from_secs(120)))
    }
}

impl Default for CompileLimits {
    /// 60 s of CPU time, 120 s of wall time, and 2 GiB.
    fn default() -> Self {
        let cpu = Time(Duration::from_secs(60));
        Self { cpu, wall: Self::default_wall(cpu), memory: Bytes(2 << 30) }
    }
}

impl Default for HelperLimits {
    /// One minute for a checker, a tester or a generator, and five seconds for an interactor.
    fn default() -> Self {
        Self {
            checker: CommandLimits::default(),
            interactor: Time(Duration::from_secs(5)),
            tester: CommandLimits::default().wall,
            generator: CommandLimits::default(),
            compiler: CompileLimits::default(),
            source: None,
        }
    }
}

/// What the solvers of a language may use beyond the problem's limits. The default is nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allowance {
    /// The factor for CPU time and wall time.
    pub time_factor: TimeFactor,
    /// Additional memory.
    pub extra_memory: Bytes,
    /// Additional processes and threads.
    pub extra_processes: u32,
}

impl Default for Allowance {
    fn default() -> Self {
        Self { time_factor: TimeFactor::ONE, extra_memory: Bytes(0), extra_processes: 0 }
    }
}

impl Limits {
    /// Returns these limits plus an allowance.
    pub(crate) fn allowing(&self, allowance: &Allowance) -> Self {
        Self {
            cpu: allowance.time_factor.times(self.cpu),
            wall: allowance.time_factor.times(self.wall),
            memory: Bytes(self.memory.0.saturating_add(allowance.extra_memory.0)),
            output: self.output,
            processes: self.processes.saturating_add(allowance.extra_processes),
        }
    }
}

/// A factor from 1 to 100, with at most three decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeFactor {
    thousandths: u32,
}

impl TimeFactor {
    /// The factor that changes nothing.
    pub const ONE: Self = Self { thousandths: 1_000 };

    /// Returns the factor as a number.
    pub fn as_number(self) -> f64 {
        f64::from(self.thousandths) / 1_000.0
    }

    /// Returns the product of this factor and a time.
    pub fn times(self, time: Time) -> Time {
        match time.0.checked_mul(self.thousandths) {
            Some(product) => Time(product / 1_000),
            // A time that long is longer than any run.
            None => time,
        }
    }
}

impl FromStr for TimeFactor {
    type Err = InvalidText;

    fn from_str(text: &str) -> Result<Self, InvalidText> {
        let what = "a number from 1 to 100 with at most three decimals, such as 2 or 1.5";
        let expected = || InvalidText(format!("expected {what}; found `{text}`"));
        let thousandths = decimal(text, 3).and_then(|thousandths| u32::try_from(thousandths).ok());
        let thousandths = thousandths.filter(|thousandths| (1_000..=100_000).contains(thousandths));
        thousandths.map(|thousandths| Self { thousandths }).ok_or_else(expected)
    }
}

impl fmt::Display for TimeFactor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&decimal_text(self.thousandths.into(), 3))
    }
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
            "18446744073709551615.000000001min",
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

    #[test]
    fn decimals_and_fractions_are_exact() {
        for (text, shown) in [
            ("2", "2"),
            ("0.50", "1/2"),
            ("1/3", "1/3"),
            (" 2 / 6 ", "1/3"),
            ("0", "0"),
            ("4/2", "2"),
            ("1e-3", "1/1000"),
        ] {
            assert_eq!(text.parse::<Weight>().unwrap().to_string(), shown, "{text}");
        }
    }

    #[test]
    fn what_is_no_weight_is_refused() {
        for text in ["", "x", "1/0", "1/-3", "1/", "1e", "nan", "1/2/3"] {
            assert_eq!(text.parse::<Weight>(), Err(InvalidText::expected("a weight such as 2, 0.5 or \"1/3\"", text)));
        }
        for text in ["-1", "-0.5", "-1/3"] {
            assert_eq!(text.parse::<Weight>(), Err(InvalidText::expected("a weight that is not negative", text)));
        }
    }

    #[test]
    fn a_factor_is_read_exactly_or_refused() {
        for (text, shown) in [("1", "1"), ("1.5", "1.5"), ("2.125", "2.125"), ("100", "100"), ("10.010", "10.01")] {
            assert_eq!(text.parse::<TimeFactor>().unwrap().to_string(), shown);
        }
        for text in ["0.5", "0", "100.001", "101", "1.0005", "-2", "two", "1.", ".5", "", "1e1"] {
            assert!(text.parse::<TimeFactor>().is_err(), "{text}");
        }
    }

    #[test]
    fn limits_are_widened() {
        let time = |seconds| Time(Duration::from_secs(seconds));
        let limits = Limits { cpu: time(2), wall: time(7), memory: Bytes(10), output: Bytes(5), processes: 1 };
        assert_eq!(limits.allowing(&Allowance::default()), limits);
        let wide = Allowance { time_factor: "1.5".parse().unwrap(), extra_memory: Bytes(3), extra_processes: 9 };
        let expected = Limits {
            cpu: time(3),
            wall: Time(Duration::from_millis(10_500)),
            memory: Bytes(13),
            output: Bytes(5),
            processes: 10,
        };
        assert_eq!(limits.allowing(&wide), expected);
        let endless = Limits { cpu: Time(Duration::MAX), memory: Bytes(u64::MAX), ..limits };
        let wide = endless.allowing(&wide);
        assert_eq!((wide.cpu, wide.memory), (endless.cpu, endless.memory));
    }
}
