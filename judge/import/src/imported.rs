//! The result of reading a package, before anything is written.

use crate::files;
use judge_problem::{Time, one_line};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// A problem that was read from a package and is not written yet.
#[derive(Debug, Default)]
pub struct Imported {
    /// Its id in the catalogue.
    pub id: String,
    /// The text of the `problems.toml`.
    pub catalogue: String,
    /// The files to copy: source, and destination relative to the `problems.toml`.
    pub files: Vec<(PathBuf, PathBuf)>,
    /// The empty files to create, relative to the `problems.toml`.
    pub empty: Vec<PathBuf>,
    /// The programs to compile.
    pub programs: Vec<ToCompile>,
    /// The files that programs of the package generate, in this order.
    pub made: Vec<ToMake>,
    /// A line for each thing that was imported.
    pub taken: Vec<String>,
    /// A line for each thing that was left out, with the reason.
    pub left: Vec<String>,
    /// How to derive the time limit from the submissions, if the package gives none.
    pub time_limit: Option<DerivedLimit>,
    /// Temporary folders with unpacked, built or changed files. Dropping this value removes them.
    pub temporary: Vec<TempDir>,
}

impl Imported {
    /// Returns the first place that leads out of the folder of the `problems.toml`, or of the folder of a program, or that
    /// a `problems.toml` cannot name, as it is UTF-8.
    pub(super) fn bad_place(&self) -> Option<&Path> {
        let copied = self.files.iter().map(|(_, to)| to).chain(&self.empty);
        let compiled = self.programs.iter().map(|program| &program.program);
        let made = self.made.iter().flat_map(|file| std::iter::once(&file.file).chain(&file.second));
        let sources = self.programs.iter().map(|program| &program.sources).chain(self.made.iter().map(|file| &file.by));
        let named = sources.flat_map(|sources| sources.files.iter().map(|(_, name)| name));
        let is_bad = |path: &&Path| !files::stays_inside(path) || path.to_str().is_none();
        copied.chain(compiled).chain(made).chain(named).map(PathBuf::as_path).find(is_bad)
    }
}

/// The sources of a program.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sources {
    /// Its name in messages: `the output validator`.
    pub what: String,
    /// Its sources: path and name.
    pub files: Vec<(PathBuf, PathBuf)>,
    /// The name of the main source, if it includes the others. `None`: all sources in its language are compiled.
    pub main: Option<PathBuf>,
}

/// A program to compile and keep.
#[derive(Debug)]
pub struct ToCompile {
    /// Its sources.
    pub sources: Sources,
    /// Where the program goes, relative to the `problems.toml`.
    pub program: PathBuf,
}

/// A file to generate from a program's standard output, and possibly a second one from its standard error.
#[derive(Debug)]
pub struct ToMake {
    /// The program.
    pub by: Sources,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Its standard input: an absolute path, or a path relative to the `problems.toml`. `None`: empty.
    pub input: Option<PathBuf>,
    /// Where its output goes, relative to the `problems.toml`.
    pub file: PathBuf,
    /// Where its standard error goes, relative to the `problems.toml`. `None`: it is discarded.
    pub second: Option<PathBuf>,
}

/// Returns a name, with a number if it is known, and adds it to the known ones.
pub(super) fn unknown(name: String, known: &mut BTreeSet<String>) -> String {
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let mut names = std::iter::once(name.clone()).chain(numbered);
    names.find(|name| known.insert(name.clone())).unwrap_or(name)
}

/// The default time limit of a catalogue.
pub(super) const NO_LIMIT: Duration = Duration::from_secs(10);

/// How the time limit follows from the slowest accepted submission.
#[derive(Debug, Clone, PartialEq)]
pub struct DerivedLimit {
    /// The line of the catalogue for the limit.
    pub line: String,
    /// The limit is at least this factor times that submission's time.
    pub factor: f64,
    /// The limit is a multiple of these seconds.
    pub resolution: f64,
    /// Submissions that do not count, by their names in the catalogue.
    pub excluded: Vec<String>,
}

impl DerivedLimit {
    /// Returns the time limit for this time of the slowest accepted submission.
    pub fn of(&self, slowest: Duration) -> Time {
        let steps = (slowest.as_secs_f64() * self.factor / self.resolution - 1e-9).ceil().max(1.0);
        // Whole microseconds, so that rounding errors do not show.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is positive, and `as` saturates"
        )]
        let micros = (steps * self.resolution * 1e6).round() as u64;
        Time(Duration::from_micros(micros))
    }

    /// Returns the catalogue with this time limit and a comment on its source.
    pub fn write(&self, catalogue: &str, limit: Time, source: &str) -> String {
        catalogue.replacen(&self.line, &format!("cpu = \"{limit}\"    # {}", one_line(source)), 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

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
    fn a_place_outside_or_without_a_name_is_found() {
        let with = |to: &Path| Imported { files: vec![("a".into(), to.into())], ..Imported::default() };
        assert_eq!(with(Path::new("tests/./01.in")).bad_place(), None);
        for to in [&b"../x"[..], b"tests/../../x", b"/tmp/x", b"tests/\xff.in"].map(OsStr::from_bytes).map(Path::new) {
            assert_eq!(with(to).bad_place(), Some(to));
        }
    }

    #[test]
    fn its_line_is_replaced() {
        let line = "cpu = \"10s\"    # none".to_owned();
        let derived = DerivedLimit { line, factor: 2.0, resolution: 1.0, excluded: Vec::new() };
        let written = derived.write("a\ncpu = \"10s\"    # none\nb\n", derived.of(Duration::from_secs(1)), "measured");
        assert_eq!(written, "a\ncpu = \"2s\"    # measured\nb\n");
    }
}
