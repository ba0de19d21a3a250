//! What the solvers of a language may use beyond the problem's limits.

use super::{Bytes, Limits, Time};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What the solvers of a language may use beyond the problem's limits; by default nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allowance {
    /// What CPU time and wall time are multiplied by.
    pub time_factor: TimeFactor,
    /// Memory beyond the problem's.
    pub extra_memory: Bytes,
    /// Processes and threads beyond the problem's.
    pub extra_processes: u32,
}

impl Default for Allowance {
    fn default() -> Self {
        Self { time_factor: TimeFactor::ONE, extra_memory: Bytes(0), extra_processes: 0 }
    }
}

impl Limits {
    /// Returns these limits, widened by an allowance.
    #[must_use]
    pub fn allowing(&self, allowance: &Allowance) -> Self {
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

/// A text that is not such a factor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a number from 1 to 100 with at most three decimals, such as 2 or 1.5; found `{0}`")]
pub struct TimeFactorError(String);

impl TimeFactor {
    /// The factor that changes nothing.
    pub const ONE: Self = Self { thousandths: 1_000 };

    /// Returns the factor as a number.
    #[must_use]
    pub fn as_number(self) -> f64 {
        f64::from(self.thousandths) / 1_000.0
    }

    /// Returns this many times a time.
    #[must_use]
    pub fn times(self, time: Time) -> Time {
        match time.0.checked_mul(self.thousandths) {
            Some(product) => Time(product / 1_000),
            // It is longer than any run.
            None => time,
        }
    }
}

impl FromStr for TimeFactor {
    type Err = TimeFactorError;

    fn from_str(text: &str) -> Result<Self, TimeFactorError> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |part: &str| (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        let read = || -> Option<u32> {
            let thousandths = format!("{decimals:0<3}").parse::<u32>().ok()?;
            Some(whole.parse::<u32>().ok()? * 1_000 + thousandths)
        };
        let thousandths = Some(()).filter(|()| digits(whole) && digits(decimals)).and_then(|()| read());
        let thousandths = thousandths.filter(|thousandths| (1_000..=100_000).contains(thousandths));
        thousandths.map(|thousandths| Self { thousandths }).ok_or_else(|| TimeFactorError(text.to_owned()))
    }
}

impl fmt::Display for TimeFactor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{}.{:03}", self.thousandths / 1_000, self.thousandths % 1_000);
        formatter.pad(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

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
