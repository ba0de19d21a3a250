//! Selects the cases of a run: those that the command line names, or the problem's own.

use crate::matching::{MatchError, matching};
use crate::model::{CaseList, CaseName, CaseSource, CaseSpec, Problem, Seeds, natural_key};
use crate::parallel::map_on_all_cores;
use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

/// The selectors of the command line.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Cases made from these seeds.
    pub seeds: Option<Seeds>,
    /// Cases in the files that match these patterns, relative to the current folder.
    pub inputs: Vec<String>,
    /// The number of runs of each case; `None` is one.
    pub repeat: Option<NonZeroU32>,
}

/// A selection that gives no cases.
#[derive(Debug, thiserror::Error)]
pub enum SelectError {
    /// A problem whose cases are files was asked for seeds.
    #[error("the problem `{0}` cannot make cases from seeds: it has no generator")]
    NoGenerator(String),
    /// A file pattern has a syntax error.
    #[error("`{pattern}` is not a file pattern")]
    Pattern {
        /// What was given.
        pattern: String,
        /// The syntax error.
        #[source]
        source: MatchError,
    },
    /// A pattern that matches nothing.
    #[error("no file matches `{}`", .folder.join(.pattern).display())]
    NoFiles {
        /// Where it starts; the current folder, if empty.
        folder: PathBuf,
        /// What was given.
        pattern: String,
    },
    /// Neither a file nor a folder.
    #[error("{} is a pipe or a device: a case must be a file, because it is read more than once", .0.display())]
    NotAFile(PathBuf),
    /// A folder that cannot be read.
    #[error("cannot look for case files")]
    Unreadable(#[source] MatchError),
    /// Two cases have the same name: reports could not distinguish them.
    #[error("two cases are named `{0}`: rename one of the files, or run them one after the other")]
    SameName(CaseName),
}

/// Returns the cases of a run, in the order in which they are reported.
///
/// # Errors
/// When there are none, or when two have the same name.
pub fn select(problem: &Problem, selection: &Selection) -> Result<CaseList, SelectError> {
    let mut cases = CaseList::default();
    if let Some(seeds) = &selection.seeds {
        if problem.generator.is_none() {
            return Err(SelectError::NoGenerator(problem.id.clone()));
        }
        add_seeds(&mut cases, problem, seeds);
    }
    for pattern in &selection.inputs {
        cases.extend(files(pattern, Path::new(""))?.into_iter().map(in_file));
    }
    if selection.seeds.is_none() && selection.inputs.is_empty() {
        cases.clone_from(&problem.cases);
        for pattern in &problem.inputs {
            cases.extend(files(pattern, &problem.folder)?.into_iter().map(in_file));
        }
    }
    if let Some(twice) = cases.names_twice().next() {
        return Err(SelectError::SameName(twice));
    }
    Ok(cases.repeated(selection.repeat.map_or(1, NonZeroU32::get)))
}

/// Adds the cases of these seeds, those that the catalogue has with their weight, thresholds and best score.
fn add_seeds(cases: &mut CaseList, problem: &Problem, seeds: &Seeds) {
    let terms = problem.cases.terms_by_source();
    let known: BTreeSet<u64> = problem.cases.listed().filter_map(CaseSpec::seed).collect();
    for range in seeds.ranges() {
        let mut first = *range.start();
        for &seed in known.range(range.clone()) {
            if first < seed {
                cases.push_seeds(first..=seed - 1);
            }
            cases.push(terms.case(CaseName::of_seed(seed), CaseSource::Seed(seed)));
            if seed == *range.end() {
                break;
            }
            first = seed + 1;
        }
        if !known.contains(range.end()) {
            cases.push_seeds(first..=*range.end());
        }
    }
}

fn in_file(path: PathBuf) -> CaseSpec {
    CaseSpec::new(CaseName::of_file(&path), CaseSource::File(path))
}

/// Returns the files that match, in natural order: `2.in` before `10.in`.
fn files(pattern: &str, folder: &Path) -> Result<Vec<PathBuf>, SelectError> {
    let paths = matching(folder, pattern).map_err(|source| match source {
        MatchError::Pattern(_) => SelectError::Pattern { pattern: pattern.to_owned(), source },
        MatchError::Unreadable(..) => SelectError::Unreadable(source),
    })?;
    let looks = map_on_all_cores(paths.len(), |number| paths[number].metadata());
    let mut files = Vec::new();
    for (path, look) in paths.into_iter().zip(looks) {
        match look {
            Ok(entry) if entry.is_dir() => {}
            // Opening a pipe would wait for its writer.
            Ok(entry) if !entry.is_file() => return Err(SelectError::NotAFile(path)),
            // What cannot be looked at is an error of the case.
            _ => files.push(path),
        }
    }
    if files.is_empty() {
        return Err(SelectError::NoFiles { folder: folder.to_owned(), pattern: pattern.to_owned() });
    }
    files.sort_by_cached_key(|path| natural_key(&path.to_string_lossy()));
    Ok(files)
}
