//! What was read from a package.

use judge_problem::{Time, one_line};
use std::path::PathBuf;
use std::time::Duration;
use tempfile::TempDir;

/// A problem that was read from a package, and not written yet.
#[derive(Debug, Default)]
pub struct Imported {
    /// Its id in the catalogue.
    pub id: String,
    /// The text of the `problems.toml`.
    pub catalogue: String,
    /// The files that belong to it: where each is, and where it goes, relative to the `problems.toml`.
    pub files: Vec<(PathBuf, PathBuf)>,
    /// The empty files that belong to it, relative to the `problems.toml`.
    pub empty: Vec<PathBuf>,
    /// The programs to compile.
    pub programs: Vec<ToCompile>,
    /// The files that programs of the package make, in this order.
    pub made: Vec<ToMake>,
    /// What was taken, a line each.
    pub taken: Vec<String>,
    /// What was left out, and why, a line each.
    pub left: Vec<String>,
    /// How its time limit follows from its submissions, if the package does not say it.
    pub time_limit: Option<DerivedLimit>,
    /// A folder with files that were unpacked or built. It is removed with this.
    pub temporary: Option<TempDir>,
}

/// The sources of a program.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sources {
    /// What it is, in messages: `the output validator`.
    pub what: String,
    /// Its sources: where each is, and its name among them.
    pub files: Vec<(PathBuf, PathBuf)>,
    /// The name of the one that it is made of, where that includes the others; `None`: of all that are in its language.
    pub main: Option<PathBuf>,
}

/// A program that is compiled, and kept.
#[derive(Debug)]
pub struct ToCompile {
    /// What it is compiled from.
    pub sources: Sources,
    /// Where the program goes, relative to the `problems.toml`.
    pub program: PathBuf,
}

/// A file that a program of the package makes: its standard output; and one of its standard error, if it makes two.
#[derive(Debug)]
pub struct ToMake {
    /// The program.
    pub by: Sources,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The file on its standard input: an absolute path, or relative to the `problems.toml`; `None`: nothing.
    pub input: Option<PathBuf>,
    /// Where its output goes, relative to the `problems.toml`.
    pub file: PathBuf,
    /// Where its standard error goes, relative to the `problems.toml`; `None`: nowhere.
    pub second: Option<PathBuf>,
}

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
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is positive, and `as` saturates"
        )]
        let micros = (steps * self.resolution * 1e6).round() as u64;
        Time(Duration::from_micros(micros))
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
