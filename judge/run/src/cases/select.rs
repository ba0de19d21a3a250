//! Selects the cases of a run: the cases that the command line names, or else the problem's own.

use crate::matching::{MatchError, matching_with_types};
use judge_problem::{
    CaseList, CaseName, CaseSource, CaseSpec, GeneratorCall, InvalidText, Problem, Seeds, natural_key,
};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

/// The selectors of the command line.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Cases made from these seeds.
    pub seeds: Option<Seeds>,
    /// Cases made with these seeds and parameters.
    pub calls: Vec<GeneratorCall>,
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
    /// A case with values that its generator does not have.
    #[error("`{0}`: {1}")]
    Call(GeneratorCall, InvalidText),
    /// A file pattern is invalid, or a folder cannot be read.
    #[error(transparent)]
    Match(#[from] MatchError),
    /// A pattern that matches nothing.
    #[error("no file matches `{}`", .folder.join(.pattern).display())]
    NoFiles {
        /// The folder where the search starts. Empty: the current folder.
        folder: PathBuf,
        /// The pattern.
        pattern: String,
    },
    /// Neither a file nor a folder.
    #[error("{} is a pipe or a device: a case must be a file, because it is read more than once", .0.display())]
    NotAFile(PathBuf),
    /// A file that the kernel writes while it is read, and that may have no end.
    #[error("{} is a file of the kernel: a case must stay the same, because it is read more than once", .0.display())]
    OfTheKernel(PathBuf),
    /// Two cases have the same name: reports could not distinguish them.
    #[error(
        "two cases are named `{name}`: {} and {}: rename one of the files, or run them one after the other",
        shown(&sources[0]),
        shown(&sources[1])
    )]
    SameName {
        /// The name.
        name: CaseName,
        /// The sources of both.
        sources: Box<[CaseSource; 2]>,
    },
}

fn shown(source: &CaseSource) -> String {
    match source {
        CaseSource::Seed(seed) => format!("seed {seed}"),
        CaseSource::Made(call) => call.to_string(),
        CaseSource::File(path) => path.display().to_string(),
    }
}

/// Returns the cases of a run, in the order in which they are reported.
///
/// # Errors
/// When there is no case, or when two cases have the same name.
pub fn select(problem: &Problem, selection: &Selection) -> Result<CaseList, SelectError> {
    let mut cases = CaseList::default();
    let is_listed = selection.seeds.is_none() && selection.inputs.is_empty() && selection.calls.is_empty();
    let has_seeds = || problem.cases.iter().any(|case| case.seed().is_some());
    let asks_for_seeds = selection.seeds.is_some() || !selection.calls.is_empty() || is_listed && has_seeds();
    if problem.generator.is_none() && asks_for_seeds {
        return Err(SelectError::NoGenerator(problem.id.clone()));
    }
    if let Some(seeds) = &selection.seeds {
        add_seeds(&mut cases, problem, seeds);
    }
    for (place, call) in selection.calls.iter().enumerate() {
        call.complete(&problem.generator_parameters).map_err(|error| SelectError::Call(call.clone(), error))?;
        // Like a repeated seed.
        if !selection.calls[..place].contains(call) {
            cases.push(CaseSpec::from_call(call.clone()));
        }
    }
    if !selection.inputs.is_empty() {
        // A file that the catalogue lists keeps its name, weight, thresholds and best score.
        let real = |case: &CaseSpec| Some((case.file()?.canonicalize().ok()?, case.clone()));
        let listed: HashMap<PathBuf, CaseSpec> = problem.cases.listed().filter_map(real).collect();
        let of_catalogue = |path: PathBuf| match path.canonicalize().ok().and_then(|real| listed.get(&real)) {
            Some(known) => CaseSpec { source: CaseSource::File(path), ..known.clone() },
            None => in_file(path),
        };
        // A file that is named twice is one case, like a repeated seed.
        let mut known = HashSet::new();
        let mut is_new =
            |case: &CaseSpec| known.insert((case.file().and_then(|file| file.canonicalize().ok()), case.name.clone()));
        for pattern in &selection.inputs {
            let found = files(pattern, Path::new(""))?.into_iter().map(of_catalogue);
            cases.extend(found.filter(|case| is_new(case)));
        }
    }
    if is_listed {
        cases.clone_from(&problem.cases);
        for pattern in &problem.inputs {
            cases.extend(files(pattern, &problem.folder)?.into_iter().map(in_file));
        }
    }
    if let Some(twice) = cases.duplicate_names().next() {
        let mut sources = cases.iter().filter(|case| case.name == twice).map(|case| case.source);
        let first = sources.next().unwrap_or(CaseSource::Seed(0));
        let second = sources.next().unwrap_or_else(|| first.clone());
        drop(sources);
        return Err(SelectError::SameName { name: twice, sources: Box::new([first, second]) });
    }
    Ok(cases.repeated(selection.repeat.map_or(1, NonZeroU32::get)))
}

/// Adds the cases of these seeds. A case that the catalogue lists keeps its weight, thresholds and best score.
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

fn is_of_the_kernel(path: &Path) -> bool {
    ["/proc", "/sys"].iter().any(|folder| path.starts_with(folder))
}

/// Returns the files that match, in natural order: `2.in` before `10.in`.
fn files(pattern: &str, folder: &Path) -> Result<Vec<PathBuf>, SelectError> {
    let found = matching_with_types(folder, pattern)?;
    let mut files = Vec::with_capacity(found.len());
    for (path, known) in found {
        let kind = match known.filter(|kind| !kind.is_symlink()) {
            Some(kind) => Ok(kind),
            None => path.metadata().map(|entry| entry.file_type()),
        };
        match kind {
            Ok(kind) if kind.is_dir() => {}
            // Opening a pipe would block until it has a writer.
            Ok(kind) if !kind.is_file() => return Err(SelectError::NotAFile(path)),
            Ok(_) if is_of_the_kernel(&path) => return Err(SelectError::OfTheKernel(path)),
            // A file that cannot be read is an error of its case.
            _ => files.push(path),
        }
    }
    if files.is_empty() {
        return Err(SelectError::NoFiles { folder: folder.to_owned(), pattern: pattern.to_owned() });
    }
    files.sort_by_cached_key(|path| natural_key(&path.to_string_lossy()));
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn cases_are_files_and_links_to_files() {
        let top = tempfile::tempdir().unwrap();
        let at = |name: &str| top.path().join(name);
        for name in ["10.in", "2.in"] {
            std::fs::write(at(name), "").unwrap();
        }
        std::fs::create_dir(at("3.in")).unwrap();
        symlink("2.in", at("4.in")).unwrap();
        symlink("3.in", at("5.in")).unwrap();
        symlink("nowhere", at("6.in")).unwrap();
        // The run reports why the last one cannot be read.
        let expected = ["2.in", "4.in", "6.in", "10.in"].map(at);
        assert_eq!(files("*.in", top.path()).unwrap(), expected);
        assert_eq!(files("4.in", top.path()).unwrap(), [at("4.in")]);
        assert!(matches!(files("3.in", top.path()), Err(SelectError::NoFiles { .. })));

        rustix::fs::mkfifoat(rustix::fs::CWD, at("7.pipe"), rustix::fs::Mode::RWXU).unwrap();
        symlink("7.pipe", at("8.link")).unwrap();
        for (pattern, found) in [("*.pipe", "7.pipe"), ("7.pipe", "7.pipe"), ("*.link", "8.link")] {
            let Err(SelectError::NotAFile(path)) = files(pattern, top.path()) else { panic!("{pattern}") };
            assert_eq!(path, at(found));
        }
        assert!(matches!(files("/proc/self/*map", Path::new("")), Err(SelectError::OfTheKernel(_))));
    }
}
