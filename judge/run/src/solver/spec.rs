//! Reads `NAME=S` and gives every solver a unique name.

use judge_problem::{SolverSpec, quote};
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
        /// Both solvers with names of their own, as they can be written instead.
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
/// tells them apart, `v1/bot` and `v2/bot`. Names may still be the same.
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
        let rivals = || (0..read.len()).filter(|&other| names[other] == names[place] && read[other].1 != *text);
        let rivals: Vec<&str> = rivals().map(|other| read[other].1).collect();
        let name = given.clone().unwrap_or_else(|| name_apart(text, &rivals).unwrap_or_else(|| names[place].clone()));
        SolverSpec { name, text: (*text).to_owned() }
    };
    Ok(read.iter().enumerate().map(spec).collect())
}

/// Returns a name for each solver of several runs: its own, or if that comes from its path and a solver of another path
/// has it too, as much of the path as tells them apart.
#[must_use]
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

/// Returns the shortest name of a solver that none of `rivals` has: of the last parts of its path, without or with the
/// file's ending. `None` if it has no rivals, or no such name.
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
    let path = if with_ending { Path::new(text).to_owned() } else { Path::new(text).with_extension("") };
    let is_named = |part: &Component<'_>| matches!(part, Component::Normal(_) | Component::ParentDir);
    let named: Vec<_> = path.components().filter(is_named).collect();
    let last: PathBuf = named[named.len().saturating_sub(parts)..].iter().collect();
    Some(last.display().to_string()).filter(|name| !name.is_empty())
}

/// Finds out whether all solvers have names of their own.
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

/// Returns two solvers of one name with names of their own: those of their files, or else the name with a number.
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

/// Returns the name that a solver is given, if it is, and its text.
fn read_spec(text: &str) -> Result<(Option<String>, &str), SpecError> {
    let (name, text) = match text.split_once('=') {
        Some((name, rest)) if is_name(name) => (Some(name.to_owned()), rest.trim()),
        _ => (None, text.trim()),
    };
    if text.is_empty() { Err(SpecError::Empty) } else { Ok((name, text)) }
}

/// A bundled solver is named after itself, a path after its file, a command by its own words.
fn default_name(text: &str) -> String {
    if let Some(id) = text.strip_prefix(super::language::BUNDLED) {
        return id.to_owned();
    }
    let is_path = Path::new(text).exists() || !text.contains(char::is_whitespace);
    let stem = if is_path { Path::new(text).file_stem() } else { None };
    stem.map_or_else(|| text.to_owned(), |stem| stem.to_string_lossy().into_owned())
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
            names(&["new=./bot", "./bot", "python3 bot.py --t=5", "bundled:columns", "./bot --x=1"]).unwrap(),
            [
                pair("new", "./bot"),
                pair("bot", "./bot"),
                pair("python3 bot.py --t=5", "python3 bot.py --t=5"),
                pair("columns", "bundled:columns"),
                pair("./bot --x=1", "./bot --x=1"),
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
        assert_eq!(named(&["bundled:columns", "./columns"]), ["bundled:columns", "columns"]);
    }
}
