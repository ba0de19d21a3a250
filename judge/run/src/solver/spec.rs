//! Solvers as users write them: their names, and the language of a source.

use crate::program::{self, head, is_executable};
use crate::runner::RunError;
use judge_problem::{Language, LanguageChoice, Languages, SolverSpec, closest, quote};
use std::collections::{BTreeSet, HashMap};
use std::path::{Component, Path, PathBuf};

/// A list of solvers that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// An empty `--solver`.
    #[error("a solver is empty: give a program, a command, or a source file")]
    Empty,
    /// Two solvers were given the same name.
    #[error("two solvers are named `{name}`: name each of them, as in {}", .names.join(" "))]
    SameName {
        /// The name.
        name: String,
        /// Both solvers with distinct names, in a form that the user can type.
        names: Vec<String>,
    },
}

/// Reads the solvers of a command line.
///
/// # Errors
/// When one is empty, or two have the same name.
pub fn parse_specs(texts: &[String]) -> Result<Vec<SolverSpec>, SpecError> {
    let specs = name_specs(texts)?;
    check_names(&specs)?;
    Ok(specs)
}

/// Reads the solvers of a command line. Those without a name get one from their path: `bot`, or as much of the path as
/// distinguishes them, `v1/bot` and `v2/bot`. Names may still be the same.
///
/// # Errors
/// When one is empty.
pub fn name_specs(texts: &[String]) -> Result<Vec<SolverSpec>, SpecError> {
    let read: Vec<_> = texts.iter().map(|text| read_spec(text)).collect::<Result<_, _>>()?;
    let named = |(name, text): &(Option<String>, &str)| match name {
        Some(name) => name.clone(),
        None => default_name(text),
    };
    let names: Vec<String> = read.iter().map(named).collect();
    let spec = |(place, (given, text)): (usize, &(Option<String>, &str))| {
        let rivals = (0..read.len()).filter(|&other| names[other] == names[place] && read[other].1 != *text);
        let rivals: Vec<&str> = rivals.map(|other| read[other].1).collect();
        let name = given.clone().unwrap_or_else(|| name_apart(text, &rivals).unwrap_or_else(|| names[place].clone()));
        SolverSpec { name, text: (*text).to_owned() }
    };
    Ok(read.iter().enumerate().map(spec).collect())
}

/// Returns a name for each solver of several runs: its own name. If that comes from its path and a solver of another
/// path has the same name, it is as much of the path as distinguishes them.
pub fn names_apart(specs: &[SolverSpec]) -> Vec<String> {
    let mut texts: HashMap<&str, BTreeSet<&str>> = HashMap::new();
    for SolverSpec { name, text } in specs {
        texts.entry(name).or_default().insert(text);
    }
    let name = |SolverSpec { name, text }: &SolverSpec| {
        let others = texts.get(&**name).into_iter().flatten().copied();
        let rivals: Vec<&str> = others.filter(|other| other != text).collect();
        let own = forms(text).any(|form| path_name(text, form).as_ref() == Some(name));
        name_apart(text, &rivals).filter(|_| own).unwrap_or_else(|| name.clone())
    };
    specs.iter().map(name).collect()
}

/// Returns the shortest name of a solver that none of `rivals` has. It consists of the last parts of its path, without
/// or with the file's ending. `None` if it has no rivals, or no such name.
fn name_apart(text: &str, rivals: &[&str]) -> Option<String> {
    if rivals.is_empty() {
        return None;
    }
    let is_apart = |form: &(usize, bool)| rivals.iter().all(|rival| path_name(rival, *form) != path_name(text, *form));
    forms(text).filter(is_apart).find_map(|form| path_name(text, form))
}

/// The names that a path may have: how many of its last parts, and whether with the file's ending; the shortest first.
fn forms(text: &str) -> impl Iterator<Item = (usize, bool)> {
    let depth = Path::new(text).components().count();
    (1..=depth).flat_map(|parts| [false, true].map(|with_ending| (parts, with_ending)))
}

/// Returns the last parts of a path as a name.
fn path_name(text: &str, (parts, with_ending): (usize, bool)) -> Option<String> {
    let text = Path::new(text.strip_prefix(SolverSpec::ANSWERS).unwrap_or(text));
    let path = if with_ending { text.to_owned() } else { text.with_extension("") };
    let is_named = |part: &Component<'_>| matches!(part, Component::Normal(_) | Component::ParentDir);
    let named: Vec<_> = path.components().filter(is_named).collect();
    let last: PathBuf = named[named.len().saturating_sub(parts)..].iter().collect();
    Some(last.display().to_string()).filter(|name| !name.is_empty())
}

/// Checks that all solvers have distinct names.
///
/// # Errors
/// When two have the same name.
pub fn check_names(specs: &[SolverSpec]) -> Result<(), SpecError> {
    for (place, spec) in specs.iter().enumerate() {
        if let Some(other) = specs[..place].iter().find(|other| other.name == spec.name) {
            let name = spec.name.clone();
            return Err(SpecError::SameName { names: apart(&name, [&other.text, &spec.text]), name });
        }
    }
    Ok(())
}

/// Returns two solvers of one name with different names: the names of their files, or the name with a number.
fn apart(name: &str, texts: [&str; 2]) -> Vec<String> {
    let own = texts.map(default_name);
    let names = match own {
        [first, second] if first != second && is_name(&first) && is_name(&second) => [first, second],
        _ => {
            let stem: String = name.chars().map(|c| if is_in_name(c) { c } else { '-' }).collect();
            [format!("{stem}-1"), format!("{stem}-2")]
        }
    };
    names.iter().zip(texts).map(|(name, text)| format!("{name}={}", quote(text))).collect()
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_in_name)
}

fn is_in_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '#')
}

/// Returns the name that the user gave a solver, if any, and its text.
fn read_spec(text: &str) -> Result<(Option<String>, &str), SpecError> {
    let (name, text) = match text.split_once('=') {
        Some((name, rest)) if is_name(name) => (Some(name.to_owned()), rest.trim()),
        _ => (None, text.trim()),
    };
    if text.is_empty() { Err(SpecError::Empty) } else { Ok((name, text)) }
}

/// A bundled solver is named after itself, a path after its file, answers after their folder, a command by its own words.
fn default_name(text: &str) -> String {
    if let Some(id) = text.strip_prefix(BUNDLED) {
        return id.to_owned();
    }
    if let Some(name) = text.strip_prefix(SolverSpec::ANSWERS).and_then(|folder| Path::new(folder).file_name()) {
        return name.to_string_lossy().into_owned();
    }
    let is_path = Path::new(text).exists() || !text.contains(char::is_whitespace);
    let stem = if is_path { Path::new(text).file_stem() } else { None };
    stem.map_or_else(|| text.to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// Prefix of the bundled solvers: `bundled:columns`.
pub(super) const BUNDLED: &str = "bundled:";

/// Endings of files that are not sources. Such a file may be a program without its execute permission.
const DATA_ENDINGS: [&str; 9] = ["txt", "md", "in", "out", "ans", "log", "json", "csv", "toml"];

/// A solver that is a source: a file or a folder, with the arguments of its program.
#[derive(Debug)]
pub(super) struct Source<'a> {
    pub(super) language: &'a Language,
    pub(super) path: PathBuf,
    pub(super) arguments: Vec<String>,
}

/// Returns the source of a solver; `None` if it is a program, a command, a folder without sources, or bundled.
/// `languages` is called only if the answer depends on it, which is rare.
///
/// # Errors
/// When it is a source of no known language, or a folder of several.
pub(super) fn choose_language<'a>(
    spec: &SolverSpec,
    languages: impl Fn() -> &'a Languages,
    choices: &[LanguageChoice],
) -> Result<Option<Source<'a>>, SolverError> {
    if spec.text.starts_with(BUNDLED) || spec.answers().is_some() {
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
        // A command and a folder may have the same name.
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
    let chosen = LanguageChoice::of(choices, &spec.name).map(|name| named_language(name, languages())).transpose()?;
    if path.is_dir() {
        return chosen.map_or_else(|| of_folder(path, languages()), |chosen| Ok(Some(chosen)));
    }
    if !path.is_file() || head(path).starts_with(b"\x7fELF") {
        return Ok(None);
    }
    let ending = path.extension().and_then(|ending| ending.to_str());
    let with_extension = || first_installed(languages().with_extension(ending.unwrap_or_default()).collect());
    // A script that names its interpreter is a program.
    let is_script = is_executable(path) && (head(path).starts_with(b"#!") || with_extension().is_none());
    match (chosen, ending) {
        (Some(language), _) => Ok(Some(language)),
        (None, _) if is_script => Ok(None),
        (None, Some(ending)) if !DATA_ENDINGS.contains(&ending) => {
            let file = path.display().to_string();
            let unknown =
                || SolverError::UnknownSource { file, ending: ending.to_owned(), known: languages().endings() };
            with_extension().ok_or_else(unknown).map(Some)
        }
        (None, _) => Ok(None),
    }
}

/// Returns the language of this name, or else the first language with this ending: `py`, `.rs`, `c++`.
///
/// # Errors
/// When there is none.
pub fn named_language<'a>(name: &str, languages: &'a Languages) -> Result<&'a Language, SolverError> {
    let ending = name.trim_start_matches('.').to_lowercase().replace("++", "pp").replace('#', "s");
    languages.find(name).or_else(|| languages.with_extension(&ending).next()).ok_or_else(|| {
        let names = || languages.iter().map(|language| &*language.name);
        let meant = closest(name, names()).map(str::to_owned);
        SolverError::UnknownLanguage { name: name.to_owned(), meant, known: names().collect::<Vec<_>>().join(", ") }
    })
}

/// Returns the language of a folder: the one whose marker file it has, or else the language of the sources at its top
/// level; `None` if there is none.
fn of_folder<'a>(folder: &Path, languages: &'a Languages) -> Result<Option<&'a Language>, SolverError> {
    let marked = languages.iter().find(|language| language.files.iter().any(|file| folder.join(file).is_file()));
    if marked.is_some() {
        return Ok(marked);
    }
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let files = entries.map(|entry| entry.path()).filter(|path| path.is_file());
    let endings: BTreeSet<_> = files.filter_map(|path| path.extension()?.to_str().map(str::to_owned)).collect();
    let mut found: Vec<&Language> =
        endings.iter().filter_map(|ending| first_installed(languages.with_extension(ending).collect())).collect();
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

/// Why a source has no program.
#[derive(Debug)]
pub(super) enum NotBuilt {
    /// It cannot be read, or its compiler or interpreter cannot be run.
    CannotStart(String),
    /// Its compiler or interpreter is not installed.
    NotInstalled(String),
    /// Its author's fault: the compiler rejected it, it exceeds a limit, or it is unclear where it starts.
    Refused(String),
    /// The compiler could not be run, or was stopped.
    Run(RunError),
}

impl From<RunError> for NotBuilt {
    fn from(error: RunError) -> Self {
        Self::Run(error)
    }
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

/// Endings of files that editors and compilers leave next to sources.
const LEFTOVERS: [&str; 10] = ["bak", "orig", "rej", "swp", "swo", "tmp", "pyc", "class", "o", "d"];

/// Folders that tools make next to sources.
const MADE_BY_TOOLS: [&str; 3] = ["__pycache__", "node_modules", "target"];

/// Beginnings of the names of files that describe a folder, in lower case.
const ABOUT: [&str; 6] = ["readme", "license", "licence", "copying", "changelog", "authors"];

/// Returns whether a match of a pattern is probably a solver. Hidden files, texts, and files that editors, compilers or
/// interpreters leave are not. A solver may be in an unknown language, or a broken link.
pub fn is_submission(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return false };
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let is_backup = name.starts_with(['.', '#']) || name.ends_with('~') || LEFTOVERS.contains(&ending);
    if is_backup || path.is_dir() {
        return !is_backup && !MADE_BY_TOOLS.contains(&name);
    }
    let is_special = path.exists() && !path.is_file();
    let is_text = DATA_ENDINGS.contains(&ending) || ABOUT.contains(&&*stem.to_lowercase());
    !is_special && (!is_text || is_executable(path))
}

/// A solver that is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SolverError {
    /// No program has this path or name.
    #[error("solver `{name}`: {why}")]
    Missing {
        /// The solver's name.
        name: String,
        /// The program, and the kernel's error.
        why: String,
    },
    /// The folder of an entrant without a program does not exist.
    #[error("solver `{name}`: `{}` is no folder with answers", folder.display())]
    NoAnswers {
        /// The solver's name.
        name: String,
        /// The folder.
        folder: PathBuf,
    },
    /// The bundled solver does not exist.
    #[error("there is no bundled solver `{0}`")]
    NotBundled(String),
    /// A source file of an unknown language.
    #[error("unknown source type .{ending}; known: {known}")]
    UnknownSource {
        /// The file.
        file: String,
        /// Its ending, without the dot.
        ending: String,
        /// The known endings.
        known: String,
    },
    /// A language that is not known.
    #[error("there is no language `{name}`; known: {known}")]
    UnknownLanguage {
        /// The name that was given.
        name: String,
        /// The most similar name.
        meant: Option<String>,
        /// The known names.
        known: String,
    },
    /// A folder with sources of several languages.
    #[error("the folder {folder} has sources of several languages: {}", names.join(", "))]
    SeveralLanguages {
        /// The folder.
        folder: String,
        /// Their names.
        names: Vec<String>,
    },
    /// A language that was chosen for a solver that is not in the list.
    #[error("no solver is named `{0}`, for which a language is given")]
    NoSuchSolver(String),
    /// A language was chosen for something that is not a source.
    #[error("`{text}` is a program or a command, which has no language to choose")]
    NoSource {
        /// The solver.
        text: String,
    },
    /// A command line with unmatched quotes.
    #[error("`{0}` is not a command line: its quotes do not match")]
    Unreadable(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(texts: &[&str]) -> Result<Vec<(String, String)>, SpecError> {
        let texts: Vec<_> = texts.iter().map(|&text| text.to_owned()).collect();
        Ok(parse_specs(&texts)?.into_iter().map(|spec| (spec.name, spec.text)).collect())
    }

    #[test]
    fn a_solver_is_named_by_the_user_or_after_its_file() {
        let pair = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        assert_eq!(
            names(&[
                "new=./bot",
                "./bot",
                "python3 bot.py --t=5",
                "bundled:columns",
                "./bot --x=1",
                "answers:old/v1.2"
            ])
            .unwrap(),
            [
                pair("new", "./bot"),
                pair("bot", "./bot"),
                pair("python3 bot.py --t=5", "python3 bot.py --t=5"),
                pair("columns", "bundled:columns"),
                pair("./bot --x=1", "./bot --x=1"),
                pair("v1.2", "answers:old/v1.2"),
            ]
        );
    }

    #[test]
    fn solvers_of_several_runs_are_named_by_what_differs_unless_the_user_named_them() {
        let spec = |(name, text): (&str, &str)| SolverSpec { name: name.to_owned(), text: text.to_owned() };
        let named = |specs: &[(&str, &str)]| names_apart(&specs.iter().copied().map(spec).collect::<Vec<_>>());
        assert_eq!(
            named(&[("bot", "./v2/bot"), ("bot", "v1/bot"), ("bot", "./v2/bot")]),
            ["v2/bot", "v1/bot", "v2/bot"]
        );
        assert_eq!(named(&[("bot", "./bot"), ("bot", "./bot"), ("b.py", "b.py")]), ["bot", "bot", "b.py"]);
        assert_eq!(named(&[("mine", "v1/bot"), ("mine", "v2/bot")]), ["mine", "mine"]);
        assert_eq!(named(&[("bot", "bot.py"), ("bot", "bot.rs")]), ["bot.py", "bot.rs"]);
    }

    #[test]
    fn solvers_must_be_told_apart() {
        let same = |texts: &[&str]| names(texts).unwrap_err().to_string();
        let error = "two solvers are named `bot`: name each of them, as in bot-1=a/bot bot-2=a/bot";
        assert_eq!(same(&["a/bot", "a/bot"]), error);
        assert_eq!(same(&["v1=a", "v1=b"]), "two solvers are named `v1`: name each of them, as in a=a b=b");
        let error = "two solvers are named `x`: name each of them, as in x-1='python3 a.py' x-2='python3 b.py'";
        assert_eq!(same(&["x=python3 a.py", "x=python3 b.py"]), error);
        assert_eq!(names(&["x="]), Err(SpecError::Empty));
        assert_eq!(names(&["  "]), Err(SpecError::Empty));
    }

    #[test]
    fn solvers_of_one_file_name_are_named_by_what_differs() {
        let named = |texts: &[&str]| names(texts).unwrap().into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(named(&["v1/bot", "v2/bot"]), ["v1/bot", "v2/bot"]);
        assert_eq!(named(&["./v1/bot.py", "/x/v2/bot.py", "other"]), ["v1/bot", "v2/bot", "other"]);
        assert_eq!(named(&["bot.py", "bot.cpp"]), ["bot.py", "bot.cpp"]);
        assert_eq!(named(&["./bot", "../bot"]), ["bot", "../bot"]);
        assert_eq!(named(&["a/x/bot", "b/x/bot", "a/y/bot"]), ["a/x/bot", "b/x/bot", "y/bot"]);
        assert_eq!(named(&["bot=v1/bot", "v2/bot"]), ["bot", "v2/bot"]);
        assert_eq!(named(&["answers:v1/out", "answers:v2/out"]), ["v1/out", "v2/out"]);
        assert_eq!(named(&["bundled:columns", "./columns"]), ["bundled:columns", "columns"]);
    }

    #[test]
    fn other_files_beside_submissions_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["bot/", ".git/", "__pycache__/", "target/"] {
            std::fs::create_dir(path(name)).unwrap();
        }
        let files = ["a.py", "b.xyz", "Readme", "README.md", "notes.txt", ".DS_Store", "a.py~", "#a.py#", "a.py.bak"];
        files.iter().for_each(|name| std::fs::write(path(name), "").unwrap());
        std::os::unix::fs::symlink("nowhere", path("broken.py")).unwrap();
        let names = files.into_iter().chain(["bot", ".git", "__pycache__", "target", "broken.py"]);
        let found: Vec<&str> = names.filter(|name| is_submission(&path(name))).collect();
        assert_eq!(found, ["a.py", "b.xyz", "bot", "broken.py"]);
    }
}
