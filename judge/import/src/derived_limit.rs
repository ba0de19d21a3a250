//! Time limits that a package leaves to its own submissions.

use judge_problem::{Time, one_line};
use std::time::Duration;

/// What holds where no limit is derived: the default of a catalogue.
pub(super) const NO_LIMIT: Duration = Duration::from_secs(10);

/// How the time limit follows from the slowest accepted submission.
#[derive(Debug, Clone, PartialEq)]
pub struct DerivedLimit {
    /// The line of the catalogue that is to have it.
    pub line: String,
    /// The limit is at least this many times what that submission takes.
    pub factor: f64,
    /// And a multiple of these seconds.
    pub resolution: f64,
    /// Submissions that do not count, as the catalogue names them.
    pub excluded: Vec<String>,
}

impl DerivedLimit {
    /// Returns the time limit where the slowest accepted submission takes this long.
    #[must_use]
    pub fn of(&self, slowest: Duration) -> Time {
        let steps = (slowest.as_secs_f64() * self.factor / self.resolution - 1e-9).ceil().max(1.0);
        // Whole microseconds: a sum of binary fractions is not shown.
        Time(Duration::from_micros((steps * self.resolution * 1e6).round() as u64))
    }

    /// Returns the catalogue with this time limit, and where it comes from.
    #[must_use]
    pub fn write(&self, catalogue: &str, limit: Time, source: &str) -> String {
        catalogue.replacen(&self.line, &format!("cpu = \"{limit}\"    # {}", one_line(source)), 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(factor: f64, resolution: f64, milliseconds: u64) -> String {
        let derived = DerivedLimit { line: "cpu = \"10s\"".to_owned(), factor, resolution, excluded: Vec::new() };
        derived.of(Duration::from_millis(milliseconds)).to_string()
    }

    #[test]
    fn the_limit_is_the_next_multiple() {
        assert_eq!(limit(2.0, 1.0, 400), "1s");
        assert_eq!(limit(2.0, 1.0, 500), "1s");
        assert_eq!(limit(2.0, 1.0, 501), "2s");
        assert_eq!(limit(5.0, 1.0, 0), "1s");
        assert_eq!(limit(1.5, 0.1, 200), "300ms");
        assert_eq!(limit(3.0, 0.1, 100), "300ms");
    }

    #[test]
    fn its_line_is_replaced() {
        let line = "cpu = \"10s\"    # none".to_owned();
        let derived = DerivedLimit { line, factor: 2.0, resolution: 1.0, excluded: Vec::new() };
        let written = derived.write("a\ncpu = \"10s\"    # none\nb\n", derived.of(Duration::from_secs(1)), "measured");
        assert_eq!(written, "a\ncpu = \"2s\"    # measured\nb\n");
    }
}
