//! Finds the submissions that patterns name: each file or folder is a solver.

use super::failure::Failure;
use judge_problem::SolverSpec;
use judge_run::matching::{MatchError, matching};
use judge_run::solver::is_submission;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "name the files or folders of the solvers: --solvers 'submissions/*'";

/// How many names of what is no submission are listed.
const NAMED: usize = 10;

/// Returns the submissions, each as `--solver` takes it, by path, and without those that are among `given`. A line names what
/// was found and is none.
///
/// # Errors
/// When a pattern cannot be read, or names no submission.
pub(crate) fn find(patterns: &[String], given: &[SolverSpec]) -> Result<Vec<String>, Failure> {
    let mut seen: HashSet<PathBuf> =
        given.iter().filter_map(|spec| Path::new(&spec.text).canonicalize().ok()).collect();
    let mut skipped = Vec::new();
    let mut texts = Vec::new();
    for pattern in patterns {
        let (found, others): (Vec<PathBuf>, Vec<PathBuf>) =
            matches(pattern)?.into_iter().partition(|path| is_submission(path) && path.to_str().is_some());
        if found.is_empty() {
            return Err(nothing(pattern, &others));
        }
        skipped.extend(others);
        let is_new = |path: &PathBuf| path.canonicalize().map_or(true, |real| seen.insert(real));
        texts.extend(found.into_iter().filter(is_new).map(|path| text(&path)));
    }
    if !skipped.is_empty() {
        judge_report::note(&format!("no submissions, and skipped: {}", names(&skipped)));
    }
    Ok(texts)
}

/// Returns what a pattern names, by path. A folder stands for what is in it.
fn matches(pattern: &str) -> Result<Vec<PathBuf>, Failure> {
    let literal = Path::new(pattern);
    let found = if literal.is_dir() { matching(literal, "*") } else { matching(Path::new(""), pattern) };
    found.map_err(|error| match error {
        MatchError::Pattern { .. } => Failure::from(error).with_hint(EXAMPLE),
        MatchError::Unreadable(..) => error.into(),
    })
}

fn nothing(pattern: &str, others: &[PathBuf]) -> Failure {
    let error = match others {
        [] => format!("`{pattern}` matches nothing"),
        others => format!("`{pattern}` matches no submission, only {}", names(others)),
    };
    Failure::usage(error).with_hint(EXAMPLE)
}

fn names(paths: &[PathBuf]) -> String {
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let names: Vec<String> = paths.iter().take(NAMED).map(name).collect();
    let more = paths.len() - names.len();
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{rest}", names.join(", "))
}

/// Returns a path as `--solver` takes it: one without a folder might be taken for a name or a command.
fn text(path: &Path) -> String {
    let text = path.to_string_lossy();
    if text.contains('/') { text.into_owned() } else { format!("./{text}") }
}
