//! The interface of checker protocols: how a program is called, and how its output becomes a ruling. A program that
//! accepts an answer may also print metrics: lines `metric NAME NUMBER`, where its protocol allows them.

use crate::{MetricRule, Metrics, Ruling, after_colon, beginning, closest, tail};
use std::ffi::OsString;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

/// How a checker or interactor is called, and how its result is read.
pub trait Protocol {
    /// Returns the names of the files for the program's result. They have a folder of their own.
    fn reports(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns whether these files exist, empty, before the program starts.
    fn finds_reports(&self) -> bool {
        true
    }

    /// Returns how often the solver may run on one case. The files in that folder are kept between its runs.
    fn passes(&self) -> u32 {
        1
    }

    /// Returns the call of a program with this command line and these files.
    fn call<'a>(&self, _line: &str, files: &CallFiles<'a>) -> Call<'a> {
        Call { placeholders: files.placeholders(self.reports()), appended: Vec::new(), stdin: None }
    }

    /// Returns the ruling that this output means.
    ///
    /// # Errors
    /// Fails if the output violates the protocol.
    fn ruling(&self, output: &CallOutput<'_>) -> Result<Ruling, ProtocolError>;

    /// Returns the text that may have lines `metric NAME NUMBER`.
    fn metrics_text(&self, output: &CallOutput<'_>) -> Vec<u8> {
        output.stdout.to_vec()
    }

    /// Returns the input for another run of the solver, if this output asks for one.
    fn next_pass<'a>(&self, _: &CallOutput<'a>) -> Option<&'a [u8]> {
        None
    }
}

/// The files of one call.
#[derive(Debug, Clone, Copy)]
pub struct CallFiles<'a> {
    /// The input of the case.
    pub input: &'a Path,
    /// The answer. An interactor has none.
    pub answer: Option<&'a Path>,
    /// The setter's own answer, if the case has one.
    pub expected: Option<&'a Path>,
    /// The files of [`Protocol::reports`], in the same order.
    pub reports: &'a [PathBuf],
}

/// How a program is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call<'a> {
    /// The value of each `{name}` placeholder in the command line.
    pub placeholders: Vec<(&'static str, &'a Path)>,
    /// Arguments to append to the command line.
    pub appended: Vec<OsString>,
    /// A checker's standard input. `None`: empty. An interactor reads the solver's output.
    pub stdin: Option<&'a Path>,
}

/// The output of a program that has ended.
#[derive(Debug, Clone)]
pub struct CallOutput<'a> {
    /// How it ended.
    pub status: ExitStatus,
    /// A checker's standard output. An interactor's goes to the solver, so it is empty here.
    pub stdout: &'a [u8],
    /// Its standard error.
    pub stderr: &'a [u8],
    /// The contents of the files of [`Protocol::reports`], in the same order. `None`: the file does not exist.
    pub reports: &'a [Option<Vec<u8>>],
}

/// The file to use if a case has no answer file.
pub const NO_FILE: &str = "/dev/null";

impl<'a> CallFiles<'a> {
    /// Returns the value of every placeholder. `reports` are the names of the reports that have one.
    pub(super) fn placeholders(&self, reports: &[&'static str]) -> Vec<(&'static str, &'a Path)> {
        let answer = self.answer.map(|answer| ("answer", answer));
        let expected = ("expected", self.expected.unwrap_or(Path::new(NO_FILE)));
        let reports = reports.iter().zip(self.reports).map(|(name, file)| (*name, file.as_path()));
        [("input", self.input), expected].into_iter().chain(answer).chain(reports).collect()
    }
}

impl CallOutput<'_> {
    /// Returns a report as trimmed text. A missing report is empty.
    pub(super) fn report(&self, index: usize) -> String {
        self.reports.get(index).and_then(Option::as_ref).map(|bytes| text(bytes)).unwrap_or_default()
    }

    /// Returns the error that the program crashed, if its output shows that.
    pub(super) fn crash(&self) -> Option<ProtocolError> {
        let crashed = || ProtocolError::Other(format!("crashed ({}): {}", self.status, tail(self.stderr)));
        is_reported(self.stderr).then(crashed)
    }

    /// Returns the error that the exit code is not one of those expected.
    pub fn no_ruling(&self, expected: &str) -> ProtocolError {
        ProtocolError::no_ruling(self.status, expected, &tail(self.stderr))
    }
}

/// Returns bytes as trimmed text, with invalid UTF-8 replaced.
pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

/// Returns a message as one line, shortened if it is long.
pub(super) fn message(text: &str) -> String {
    const MAX_LENGTH: usize = 500;
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    beginning(&lines.join("; "), MAX_LENGTH)
}

/// A program violated its protocol. This is never the solver's fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolError {
    /// It requests another run of the solver that is not possible.
    #[error("asks for another run of the solver (nextpass.in), {0}")]
    NextPass(&'static str),
    /// It did something else that the protocol does not allow.
    #[error("{0}")]
    Other(String),
}

impl ProtocolError {
    /// Returns the error that the program accepted without a score. `place`: where the score should be.
    pub fn no_score(place: &str, why: impl Display) -> Self {
        Self::Other(format!("accepted the answer, but {place} is not a score: {why}"))
    }

    /// Returns the error that the program neither accepted nor rejected. `expected`: the exit codes that do.
    pub(super) fn no_ruling(status: ExitStatus, expected: &str, said: &str) -> Self {
        Self::Other(format!("ended with {status} ({expected}){}", after_colon(said)))
    }
}

/// Prefixes of lines that only a crash prints.
const MARKS: [&str; 6] = [
    // Python.
    "Traceback (most recent call last):",
    // Node.
    "Node.js v",
    // The Java virtual machine.
    "Exception in thread \"",
    // Lua.
    "stack traceback:",
    // Haskell.
    "CallStack (from HasCallStack):",
    // Deno.
    "error: Uncaught",
];

/// Returns whether a program reported its own crash.
fn is_reported(stderr: &[u8]) -> bool {
    let text = String::from_utf8_lossy(stderr);
    text.lines().any(|line| MARKS.iter().any(|mark| line.trim_start().starts_with(mark)) || is_of_ruby(line))
}

/// Returns whether a line is Ruby's `FILE:LINE:in 'METHOD': MESSAGE (CLASS)`.
fn is_of_ruby(line: &str) -> bool {
    let in_method = [":in '", ":in `"].iter().any(|place| line.contains(place));
    in_method && line.ends_with(')') && line.contains(" (")
}

/// The first word of a line with a metric.
const WORD: &str = "metric";

/// The decision on an answer, with the program's other output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Whether the answer is accepted, and its score.
    pub ruling: Ruling,
    /// The metrics that the program printed. Only an accepted answer has some.
    pub metrics: Metrics,
}

impl Decision {
    /// Reads the decision of a program that has ended.
    ///
    /// # Errors
    /// Fails if it violates the protocol, and those of [`metrics_in`].
    pub fn read(protocol: &dyn Protocol, output: &CallOutput<'_>, rules: &[MetricRule]) -> Result<Self, ProtocolError> {
        let ruling = protocol.ruling(output)?;
        let metrics = match ruling {
            Ruling::Accepted(_) if rules.iter().any(MetricRule::is_by_checker) => {
                metrics_in(&protocol.metrics_text(output), rules)?
            }
            Ruling::Accepted(_) | Ruling::Rejected(_) => Metrics::default(),
        };
        Ok(Self { ruling, metrics })
    }
}

impl From<Ruling> for Decision {
    fn from(ruling: Ruling) -> Self {
        Self { ruling, metrics: Metrics::default() }
    }
}

/// Returns the metrics in the lines of a text. If the rules contain no metric of the checker, no line is a metric.
///
/// # Errors
/// Fails on a metric that is not declared, is printed twice, or is not a number.
pub fn metrics_in(text: &[u8], rules: &[MetricRule]) -> Result<Metrics, ProtocolError> {
    let mut metrics = Metrics::default();
    let names: Vec<&str> = rules.iter().filter(|rule| rule.is_by_checker()).map(|rule| &*rule.name).collect();
    if names.is_empty() {
        return Ok(metrics);
    }
    for line in String::from_utf8_lossy(text).lines().filter(|line| is_metric(line)) {
        let bad = |why: String| ProtocolError::Other(format!("printed `{}`: {why}", message(line)));
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[_, name, value] = words.as_slice() else { return Err(bad("expected `metric NAME NUMBER`".to_owned())) };
        if !names.contains(&name) {
            let meant = closest(name, names.iter().copied())
                .map_or_else(String::new, |meant| format!("; did it mean `{meant}`?"));
            return Err(bad(format!("[problem.metrics] has no `{name}` of the checker{meant}")));
        }
        if metrics.get(name).is_some() {
            return Err(bad(format!("it has printed `{name}` before")));
        }
        metrics.set(name, value.parse().map_err(|error: checkers::ScoreError| bad(error.to_string()))?);
    }
    Ok(metrics)
}

/// Returns whether a line has a metric.
pub(super) fn is_metric(line: &str) -> bool {
    line.split_whitespace().next() == Some(WORD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crashes_are_told_from_other_messages() {
        for crash in [
            "warning\nTraceback (most recent call last):\n  File \"c.py\", line 1, in <module>\nKeyError: 3",
            "c.js:1\nthrow 1\n^\nUncaught 1\n\nNode.js v22.1.0",
            "Exception in thread \"main\" java.lang.RuntimeException: x\n\tat C.main(C.java:1)",
            "lua: c.lua:1: x\nstack traceback:\n\t[C]: in ?",
            "c: x\nCallStack (from HasCallStack):\n  error, called at c.hs:1:8",
            "error: Uncaught (in promise) Error: x",
            "c.rb:1:in 'Integer': invalid value for Integer(): \"x\" (ArgumentError)",
            "c.rb:1:in `<main>': unhandled exception (RuntimeError)",
        ] {
            assert!(is_reported(crash.as_bytes()), "{crash}");
        }
        for other in ["", "line 3: too long", "no Traceback (most recent call last): here", "c.rb:1:in 'x': y"] {
            assert!(!is_reported(other.as_bytes()), "{other}");
        }
    }

    fn rules() -> Vec<MetricRule> {
        let of_solver = regex::bytes::Regex::new("x").unwrap();
        [("moves", None), ("length", None), ("nodes", Some(of_solver))]
            .map(|(name, stderr)| MetricRule { name: name.to_owned(), direction: None, stderr, is_declared: true })
            .to_vec()
    }

    fn read(text: &str) -> Result<String, String> {
        metrics_in(text.as_bytes(), &rules()).map(|found| found.to_string()).map_err(|error| error.to_string())
    }

    #[test]
    fn lines_with_a_name_and_a_number_are_metrics() {
        assert_eq!(
            read("12\nmetric moves 117\n  metric length -0.50 \nmetrics x\n").as_deref(),
            Ok("moves=117 length=-0.5")
        );
        assert_eq!(read("12\n").as_deref(), Ok(""));
        let only_of_solver = &rules()[2..];
        assert_eq!(metrics_in(b"metric what ever", only_of_solver), Ok(Metrics::default()));
    }

    #[test]
    fn a_line_that_is_no_metric_is_an_error() {
        for (text, why) in [
            ("metric move 1", "[problem.metrics] has no `move` of the checker; did it mean `moves`?"),
            ("metric nodes 1", "[problem.metrics] has no `nodes` of the checker"),
            ("metric moves 1\nmetric moves 1", "it has printed `moves` before"),
            ("metric moves many", "found `many`"),
            ("metric moves", "expected `metric NAME NUMBER`"),
            ("metric moves 1 2", "expected `metric NAME NUMBER`"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.starts_with("printed `metric ") && error.contains(why), "{text}: {error}");
        }
    }
}
