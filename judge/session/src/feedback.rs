//! `--feedback`: a page for the author of each solver, in Markdown and in HTML.

use super::failure::Failure;
use super::load;
use judge_problem::{CaseSource, JobId};
use judge_report::{Feedback, RunReport, TestTexts};
use judge_run::cases::{Inputs, ProblemChecker};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The most bytes of a name in the folder, without its ending.
const LONGEST: usize = 80;

/// The folder that the pages are written to.
pub struct FeedbackFolder<'a> {
    folder: &'a Path,
    /// Whether the pages show inputs, expected answers and standard error.
    shows_tests: bool,
}

impl<'a> FeedbackFolder<'a> {
    /// Makes the folder.
    pub fn open(folder: &'a Path, shows_tests: bool) -> Result<Self, Failure> {
        std::fs::create_dir_all(folder)
            .map_err(|error| Failure::usage(format!("cannot make the folder {}: {error}", folder.display())))?;
        Ok(Self { folder, shows_tests })
    }

    /// Writes the pages of all solvers of a run.
    pub fn write(&self, report: &RunReport<'_>) -> Result<(), Failure> {
        let problem = &report.plan.problem;
        let (inputs, checker) = (Inputs::of(problem), ProblemChecker::of(problem));
        let test = |job: JobId| test(report, &inputs, &checker, job);
        let test: Option<&dyn Fn(JobId) -> TestTexts> = if self.shows_tests { Some(&test) } else { None };
        let names: Vec<&str> = report.plan.solvers.iter().map(|solver| &*solver.spec.name).collect();
        for (solver, name) in file_names(&names).into_iter().enumerate() {
            let page = Feedback::of(report, solver, test);
            let mut html = Vec::new();
            page.html(&mut html).map_err(Failure::fault)?;
            load::write("the feedback", &self.place(&name, "md"), page.markdown().as_bytes())?;
            load::write("the feedback", &self.place(&name, "html"), &html)?;
        }
        Ok(())
    }

    fn place(&self, name: &str, ending: &str) -> PathBuf {
        self.folder.join(format!("{name}.{ending}"))
    }
}

/// Returns the input of a case, the expected answer if there is a file of it, and what the solver printed on standard error.
fn test(report: &RunReport<'_>, inputs: &Inputs, checker: &ProblemChecker, job: JobId) -> TestTexts {
    let source: CaseSource = report.plan.cases.at(job.case).source;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let input = inputs.load_from(&source).map_or_else(|error| error.to_string(), text);
    let expected = checker.answer_file(Some(&source)).ok().flatten().and_then(|path| std::fs::read(path).ok());
    let stderr = report.outcomes.get(job).map(|outcome| outcome.stderr.to_string()).filter(|text| !text.is_empty());
    let parts = [("input", Some(input)), ("expected answer", expected.map(text)), ("standard error", stderr)];
    parts.into_iter().filter_map(|(what, text)| Some((what, text?))).collect()
}

/// Returns a file's name for each solver: letters, digits, `-`, `_` and inner dots of its name, and a number behind those that
/// would otherwise be the same on some file system.
fn file_names(names: &[&str]) -> Vec<String> {
    let mut taken = HashSet::new();
    let unique = |name: &&str| {
        let stem = file_name(name);
        let numbered = (2..).map(|number| format!("{stem}-{number}"));
        let mut free = std::iter::once(stem.clone()).chain(numbered);
        free.find(|name| taken.insert(name.to_lowercase())).unwrap_or(stem)
    };
    names.iter().map(unique).collect()
}

fn file_name(name: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' };
    let mut cleaned: String = name.chars().map(safe).collect::<String>().trim_matches(['.', '_', '-']).to_owned();
    let fits = |place: &usize| cleaned.is_char_boundary(*place);
    cleaned.truncate((0..=LONGEST.min(cleaned.len())).rev().find(fits).unwrap_or(0));
    if cleaned.is_empty() { "solver".to_owned() } else { cleaned }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_file_of_its_own_in_the_folder() {
        let long = "é".repeat(300);
        let names = ["../x", "a/b", "a_b", "A b", "..", "", "\u{202e}txt.exe", ".hidden", &long, "a-b-2", "a b"];
        let files = file_names(&names);
        let expected = ["x", "a_b", "a_b-2", "A_b-3", "solver", "solver-2", "txt.exe", "hidden"];
        assert_eq!(files[..8], expected);
        assert_eq!((files[8].len(), &*files[9], &*files[10]), (LONGEST, "a-b-2", "a_b-4"));
        assert!(files.iter().all(|file| !file.contains('/') && !file.starts_with('.')));
    }
}
