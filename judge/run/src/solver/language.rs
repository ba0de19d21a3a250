//! Chooses the language of a solver, and the commands of a language that work here.

use super::error::SolverError;
use crate::program::{self, head, is_executable};
use judge_problem::manifest::closest;
use judge_problem::{Language, LanguageChoice, Languages, SolverSpec};
use std::path::{Path, PathBuf};

/// Prefix of the bundled solvers: `bundled:columns`.
pub(super) const BUNDLED: &str = "bundled:";

/// Endings of files that are no source: such a file may be a program without its execute permission.
pub(super) const DATA_ENDINGS: [&str; 9] = ["txt", "md", "in", "out", "ans", "log", "json", "csv", "toml"];

/// A solver that is a source: a file or a folder, with the arguments of its program.
#[derive(Debug)]
pub(super) struct Source<'a> {
    pub(super) language: &'a Language,
    pub(super) path: PathBuf,
    pub(super) arguments: Vec<String>,
}

/// Returns the source that a solver is; `None` if it is a program, a command, a folder without sources, or bundled.
/// `languages` is called only where the answer depends on it: for most programs it does not.
///
/// # Errors
/// When it is a source of no known language, or a folder of several.
pub(super) fn choose<'a>(
    spec: &SolverSpec,
    languages: impl Fn() -> &'a Languages,
    choices: &[LanguageChoice],
) -> Result<Option<Source<'a>>, SolverError> {
    if spec.text.starts_with(BUNDLED) {
        return Ok(None);
    }
    let (path, arguments) = path_and_arguments(&spec.text);
    let language = if path.exists() { of_path(&path, spec, languages, choices)? } else { None };
    Ok(language.map(|language| Source { language, path, arguments }))
}

/// Splits the text of a solver that names a file, or a folder with a slash in its path, and arguments. A text that is a
/// path as a whole has no arguments.
fn path_and_arguments(text: &str) -> (PathBuf, Vec<String>) {
    let whole = PathBuf::from(text);
    let words = if whole.exists() { Vec::new() } else { shell_words::split(text).unwrap_or_default() };
    match words.split_first() {
        // The name of a command may also be that of a folder.
        Some((first, rest)) if first.contains('/') || Path::new(first).is_file() => (first.into(), rest.to_vec()),
        _ => (whole, Vec::new()),
    }
}

fn of_path<'a>(
    path: &Path,
    spec: &SolverSpec,
    languages: impl Fn() -> &'a Languages,
    choices: &[LanguageChoice],
) -> Result<Option<&'a Language>, SolverError> {
    let chosen = LanguageChoice::of(choices, &spec.name).map(|name| named(name, languages())).transpose()?;
    if path.is_dir() {
        return chosen.map_or_else(|| of_folder(path, languages()), |chosen| Ok(Some(chosen)));
    }
    if !path.is_file() || head(path).starts_with(b"\x7fELF") {
        return Ok(None);
    }
    let ending = path.extension().and_then(|ending| ending.to_str());
    let of_ending = || first_installed(languages().of_ending(ending.unwrap_or_default()).collect());
    // A script that names its interpreter is a program.
    let is_script = is_executable(path) && (head(path).starts_with(b"#!") || of_ending().is_none());
    match (chosen, ending) {
        (Some(language), _) => Ok(Some(language)),
        (None, _) if is_script => Ok(None),
        (None, Some(ending)) if !DATA_ENDINGS.contains(&ending) => {
            let file = path.display().to_string();
            let unknown =
                || SolverError::UnknownSource { file, ending: ending.to_owned(), known: languages().endings() };
            of_ending().ok_or_else(unknown).map(Some)
        }
        (None, _) => Ok(None),
    }
}

/// Returns the language of this name, or else the first whose sources have it as their ending: `py`, `.rs`, `c++`.
///
/// # Errors
/// When there is none.
pub(super) fn named<'a>(name: &str, languages: &'a Languages) -> Result<&'a Language, SolverError> {
    let ending = name.trim_start_matches('.').to_lowercase().replace("++", "pp").replace('#', "s");
    languages.find(name).or_else(|| languages.of_ending(&ending).next()).ok_or_else(|| {
        let names = || languages.iter().map(|language| &*language.name);
        let meant = closest(name, names()).map(str::to_owned);
        SolverError::UnknownLanguage { name: name.to_owned(), meant, known: names().collect::<Vec<_>>().join(", ") }
    })
}

/// Returns the language of a folder: the one whose file it has, or else the one of the sources at its top; `None` if it has
/// none.
fn of_folder<'a>(folder: &Path, languages: &'a Languages) -> Result<Option<&'a Language>, SolverError> {
    let marked = languages.iter().find(|language| language.files.iter().any(|file| folder.join(file).is_file()));
    if marked.is_some() {
        return Ok(marked);
    }
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let files = entries.map(|entry| entry.path()).filter(|path| path.is_file());
    let mut endings: Vec<_> = files.filter_map(|path| path.extension()?.to_str().map(str::to_owned)).collect();
    endings.sort();
    endings.dedup();
    let mut found: Vec<&Language> =
        endings.iter().filter_map(|ending| first_installed(languages.of_ending(ending).collect())).collect();
    found.dedup_by_key(|language| &language.name);
    let folder = folder.display().to_string();
    match &*found {
        [] => Ok(None),
        [only] => Ok(Some(only)),
        several => {
            let names = several.iter().map(|language| language.name.clone()).collect();
            Err(SolverError::SeveralLanguages { folder, names })
        }
    }
}

fn first_installed(languages: Vec<&Language>) -> Option<&Language> {
    let installed = languages.iter().find(|language| languages.len() > 1 && missing(language).is_empty());
    installed.or(languages.first()).copied()
}

/// Returns the first of these commands whose program is installed, or is the solver's own.
pub(super) fn usable(lines: &[String]) -> Option<&String> {
    let is_there = |name: &str| name.starts_with('{') || program::installed(name).is_some();
    lines.iter().find(|line| tool(line).is_some_and(|name| is_there(&name)))
}

/// Returns the program of a command.
pub(super) fn tool(line: &str) -> Option<String> {
    shell_words::split(line).ok()?.into_iter().next()
}

/// Returns what must be installed for a language: for each of its commands, one of the programs that are named.
pub(super) fn missing(language: &Language) -> Vec<String> {
    let of_lines = |lines: &[String]| {
        let tools = || lines.iter().filter_map(|line| tool(line)).collect::<Vec<_>>().join(", ");
        (!lines.is_empty() && usable(lines).is_none()).then(tools)
    };
    let needs = language.needs.iter().filter(|name| program::installed(name).is_none()).cloned();
    [of_lines(&language.compile), of_lines(&language.run)].into_iter().flatten().chain(needs).collect()
}

/// Returns the command that installs a language, if it is known.
pub(super) fn remedy(language: &Language) -> String {
    language.package.as_ref().map_or_else(String::new, |package| format!("; apt-get install {package}"))
}
