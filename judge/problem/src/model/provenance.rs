//! When, how and where the results of a report came about.

use super::NodeList;
use std::time::{SystemTime, UNIX_EPOCH};

/// When, how and where the results of a report came about.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Provenance {
    /// When the command started, in UTC, as ISO 8601 writes it.
    pub started: String,
    /// The command line.
    pub command: String,
    /// The name of the machine.
    pub host: String,
    /// The processor.
    pub cpu_model: String,
    /// The release of the kernel.
    pub kernel: String,
    /// The machines that the cases were run on; none if that was this one.
    pub nodes: NodeList,
}

/// Returns a time in UTC as ISO 8601 writes it: `2026-01-31T08:15:00Z`.
#[must_use]
pub fn iso_utc(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (year, month, day) = date(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Returns the date of a day since 1970-01-01 (Hinnant, "chrono-compatible low-level date algorithms": years begin in
/// March, so that the leap day is their last).
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn times_are_written_in_utc() {
        // As `date -u -d @SECONDS` writes them.
        let known = [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_767_225_599, "2025-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ];
        for (seconds, expected) in known {
            assert_eq!(iso_utc(UNIX_EPOCH + Duration::from_secs(seconds)), expected);
        }
    }
}
