//! Selects the cases of a run: the cases that the command line names, or else the problem's own.

use crate::files::refuse_special;
use crate::matching::{MatchError, matching};
use judge_problem::{
    CaseList, CaseName, CaseSource, CaseSpec, GeneratorCall, InvalidText, Problem, Seeds, natural_key,
};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;
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
    /// Seeds were given for a problem without a generator.
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
    /// An error of a line of the catalogue.
    #[error("{0}: {1}")]
    Line(String, Box<SelectError>),
    /// A file that cannot be a case.
    #[error("{}: {}", .0.display(), .1)]
    NotAFile(PathBuf, io::Error),
    /// A case counts in one group.
    #[error("the case `{case}` is in the groups `{}` and `{}`: a case counts in one group", .groups[0], .groups[1])]
    TwoGroups {
        /// The name of the case.
        case: CaseName,
        /// The names of both groups.
        groups: Box<[String; 2]>,
    },
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
    if problem.generator.is_none() && (selection.seeds.is_some() || !selection.calls.is_empty()) {
        return Err(SelectError::NoGenerator(problem.id.clone()));
    }
    if let Some(seeds) = &selection.seeds {
        add_seeds(&mut cases, problem, seeds);
    }
    for (place, call) in selection.calls.iter().enumerate() {
        call.complete(&problem.generator_parameters).map_err(|error| SelectError::Call(call.clone(), error))?;
        // Like a repeated seed.
        if !selection.calls[..place].contains(call) {
            cases.push(CaseSpec::from_source(CaseSource::Made(call.clone())));
        }
    }
    let real = |case: &CaseSpec| Some((case.file()?.canonicalize().ok()?, case.clone()));
    let asks_for_files = !selection.inputs.is_empty() || is_listed && !problem.inputs.is_empty();
    let listed: HashMap<PathBuf, CaseSpec> =
        problem.cases.listed().filter(|_| asks_for_files).filter_map(real).collect();
    let known = |path: &Path| if listed.is_empty() { None } else { listed.get(&path.canonicalize().ok()?) };
    if !selection.inputs.is_empty() {
        // A file that the catalogue lists keeps its name, weight, thresholds and best score.
        let of_catalogue = |path: PathBuf| match known(&path) {
            Some(known) => CaseSpec { source: CaseSource::File(path), ..known.clone() },
            None => in_file(path),
        };
        cases.extend(all_files(&selection.inputs, Path::new(""), &HashMap::new())?.into_iter().map(of_catalogue));
    }
    if is_listed {
        cases.clone_from(&problem.cases);
        // A link with another name is another case.
        let is_case =
            |path: &Path| known(path).and_then(CaseSpec::file).map(CaseName::of_file) == Some(CaseName::of_file(path));
        let named = all_files(&problem.inputs, &problem.folder, &problem.file_lines)?;
        cases.extend(named.into_iter().filter(|path| !is_case(path)).map(in_file));
    }
    let pattern = problem.inputs.first().filter(|_| is_listed);
    let line = pattern.and_then(|pattern| problem.file_lines.get(&problem.folder.join(pattern)));
    check_names(&cases).map_err(|error| at(line, error))?;
    if !is_listed || !problem.inputs.is_empty() {
        check_groups(problem, &cases)?;
    }
    Ok(cases.repeated(selection.repeat.map_or(1, NonZeroU32::get)))
}

/// Returns an error with the line of the catalogue that caused it, if there is one.
fn at(line: Option<&String>, error: SelectError) -> SelectError {
    match line {
        Some(line) => SelectError::Line(line.clone(), Box::new(error)),
        None => error,
    }
}

/// Fails if two cases have the same name.
fn check_names(cases: &CaseList) -> Result<(), SelectError> {
    let Some(twice) = cases.duplicate_names().next() else { return Ok(()) };
    let mut sources = cases.iter().filter(|case| case.name == twice).map(|case| case.source);
    let first = sources.next().unwrap_or(CaseSource::Seed(0));
    let second = sources.next().unwrap_or_else(|| first.clone());
    Err(SelectError::SameName { name: twice, sources: Box::new([first, second]) })
}

/// Fails if a case is in two groups. The catalogue was checked for its own seeds and listed cases.
fn check_groups(problem: &Problem, cases: &CaseList) -> Result<(), SelectError> {
    let groups = &problem.test_groups;
    // Groups of seeds have no seed in common.
    if groups.iter().all(|group| group.members.names.is_empty()) {
        return Ok(());
    }
    for case in cases.iter() {
        let mut of_case = groups.iter().zip(&problem.group_lines).filter(|(group, _)| group.members.have(&case));
        if let (Some((first, _)), Some((second, line))) = (of_case.next(), of_case.next()) {
            let groups = Box::new([first.name.clone(), second.name.clone()]);
            let error = SelectError::TwoGroups { case: case.name.clone(), groups };
            return Err(at(Some(line), error));
        }
    }
    Ok(())
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
    CaseSpec::from_source(CaseSource::File(path))
}

/// Returns the files that match these patterns, in the order of the patterns. A file that matches twice counts once, like a
/// repeated seed, unless its cases have different names. `lines` has the line of each pattern of the catalogue.
fn all_files(
    patterns: &[String],
    folder: &Path,
    lines: &HashMap<PathBuf, String>,
) -> Result<Vec<PathBuf>, SelectError> {
    let mut known = HashSet::new();
    let mut is_new = |path: &PathBuf| known.insert((path.canonicalize().ok(), CaseName::of_file(path)));
    let mut all = Vec::new();
    for pattern in patterns {
        let found = files(pattern, folder).map_err(|error| at(lines.get(&folder.join(pattern)), error))?;
        all.extend(found.into_iter().filter(|path| is_new(path)));
    }
    Ok(all)
}

/// Returns the files that match, in natural order: `2.in` before `10.in`.
fn files(pattern: &str, folder: &Path) -> Result<Vec<PathBuf>, SelectError> {
    let mut files = Vec::new();
    for path in matching(folder, pattern)? {
        match path.metadata() {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(metadata) => match refuse_special(&path, &metadata) {
                Ok(()) => files.push(path),
                Err(error) => return Err(SelectError::NotAFile(path, error)),
            },
            // A file that cannot be read is an error of its case.
            Err(_) => files.push(path),
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
    use judge_problem::Catalogue;
    use std::os::unix::fs::symlink;

    /// Selects the cases of a problem with the files `1.in` and `2.in`.
    fn selected(tables: &str, selection: &Selection) -> Result<Vec<CaseSpec>, SelectError> {
        let top = tempfile::tempdir().unwrap();
        ["1.in", "2.in"].iter().for_each(|name| std::fs::write(top.path().join(name), "").unwrap());
        let text = format!("[[problem]]\nid = \"p\"\nchecker = \"columns\"\n{tables}");
        let catalogue = Catalogue::parse("p.toml", &text, top.path()).unwrap();
        Ok(select(&catalogue.problems[0], selection)?.iter().collect())
    }

    #[test]
    fn a_listed_file_is_one_case() {
        for name in ["", "name = \"one\"\n"] {
            let tables = "inputs = [\"*.in\", \"2.in\"]\n[[problem.case]]\nfile = \"1.in\"\nweight = 2\n";
            let cases = selected(&format!("{tables}{name}"), &Selection::default()).unwrap();
            let shown: Vec<_> = cases.iter().map(|case| format!("{} {}", case.name, case.weight)).collect();
            assert_eq!(shown, [if name.is_empty() { "1 2" } else { "one 2" }, "2 1"]);
        }
    }

    #[test]
    fn a_case_in_two_groups_is_refused() {
        let group = |name: &str, cases: &str| format!("[[problem.group]]\nname = \"{name}\"\ncases = [\"{cases}\"]\n");
        let in_two = |tables: &str, selection: &Selection| match selected(tables, selection) {
            Err(SelectError::Line(_, error)) => match *error {
                SelectError::TwoGroups { case, groups } => Some((case.to_string(), *groups)),
                _ => None,
            },
            _ => None,
        };
        let files = format!("inputs = [\"*.in\"]\n{}", group("a", "1*"));
        assert_eq!(in_two(&(files.clone() + &group("b", "2*")), &Selection::default()), None);
        let both = ["a".to_owned(), "b".to_owned()];
        let found = in_two(&(files + &group("b", "*")), &Selection::default());
        assert_eq!(found, Some(("1".to_owned(), both.clone())));
        // Seeds that the catalogue does not list.
        let seeds = format!("seeds = \"12,21\"\n{}{}", group("a", "seed-1*"), group("b", "seed-?1"));
        let chosen = |seeds: &str| Selection { seeds: Some(seeds.parse().unwrap()), ..Selection::default() };
        assert_eq!(in_two(&seeds, &Selection::default()), None);
        assert_eq!(in_two(&seeds, &chosen("10-11")), Some(("seed-11".to_owned(), both)));
    }

    #[test]
    fn an_error_of_the_catalogue_has_its_line() {
        let group = |name: &str, cases: &str| format!("[[problem.group]]\nname = \"{name}\"\ncases = [\"{cases}\"]\n");
        let groups = format!("inputs = [\"*.in\"]\n{}{}", group("a", "1"), group("b", "*"));
        for (tables, begin) in [
            ("inputs = [\"1.in\",\n\"no*.in\"]", "p.toml:5: no file matches `/"),
            ("inputs = [\"/proc/self/*map\"]", "p.toml:4: /proc/self/"),
            (&groups, "p.toml:8: the case `1` is in the groups `a` and `b`"),
            (
                "inputs = [\"?.in\"]\n[[problem.case]]\nname = \"1\"\nfile = \"2.in\"",
                "p.toml:4: two cases are named `1`",
            ),
        ] {
            let error = selected(tables, &Selection::default()).unwrap_err().to_string();
            assert!(error.starts_with(begin), "{error}");
        }
        let chosen = Selection { inputs: vec!["no*.in".to_owned()], ..Selection::default() };
        assert!(selected("seeds = \"1\"", &chosen).unwrap_err().to_string().starts_with("no file"));
    }

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
            let Err(SelectError::NotAFile(path, _)) = files(pattern, top.path()) else { panic!("{pattern}") };
            assert_eq!(path, at(found));
        }
        let refused = files("/proc/self/*map", Path::new("")).unwrap_err().to_string();
        assert!(refused.contains("a file of the kernel"), "{refused}");
    }
}
