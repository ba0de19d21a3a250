//! The problem that is verified, and how a finding about it is written down.

use judge_problem::{CaseSource, CaseSpec, Problem, quote};
use judge_report::{CheckResult, Finding};
use judge_run::cases::{Selection, select};
use judge_session::failure::Failure;

/// How many cases the checks look at that run many programs for each.
pub(super) const FEW: usize = 3;

/// A problem that is verified.
pub(super) struct Subject<'a> {
    pub(super) problem: &'a Problem,
    /// Its own cases.
    pub(super) cases: Vec<CaseSpec>,
    /// The flag of the command line that names the catalogue, after a space; empty if there is none.
    catalogue: String,
}

impl<'a> Subject<'a> {
    /// Finds the cases of a problem.
    pub(super) fn new(problem: &'a Problem, catalogue: Option<&std::path::Path>) -> Result<Self, Failure> {
        let cases = select(problem, &Selection::default())?;
        let flag = |path: &std::path::Path| format!(" --problems {}", quote(&path.to_string_lossy()));
        Ok(Self { problem, cases: cases.iter().collect(), catalogue: catalogue.map_or_else(String::new, flag) })
    }

    /// Returns a command of the judge about this problem.
    pub(super) fn command(&self, name: &str, arguments: &str) -> String {
        let space = if arguments.is_empty() { "" } else { " " };
        format!("judge {name} -p {}{}{space}{arguments}", quote(&self.problem.id), self.catalogue)
    }

    /// Returns the command that shows the problem.
    pub(super) fn show(&self) -> String {
        format!("judge show {}{}", quote(&self.problem.id), self.catalogue)
    }

    /// Returns the command that checks an answer on standard input.
    pub(super) fn check_command(&self, case: &CaseSpec) -> String {
        let case = match &case.source {
            CaseSource::Seed(seed) => format!("--seed {seed}"),
            CaseSource::File(path) => format!("--input {}", quote(&path.to_string_lossy())),
        };
        self.command("check", &format!("{case} --output -"))
    }

    /// Returns the command that shows the input of a case.
    pub(super) fn input_command(&self, case: &CaseSpec) -> String {
        match &case.source {
            CaseSource::Seed(seed) => self.command("gen", &format!("--seed {seed}")),
            CaseSource::File(path) => format!("cat {}", quote(&path.to_string_lossy())),
        }
    }
}

/// Returns a finding.
pub(super) fn finding(check: &str, result: CheckResult, detail: impl Into<String>, command: String) -> Finding {
    Finding { check: check.to_owned(), result, detail: detail.into(), command }
}
