//! Reads `NAME=S` and gives every solver a unique name.

use crate::model::SolverSpec;
use std::path::Path;

/// A list of solvers that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// An empty `--solver`.
    #[error("a solver is empty: give a program, a command, or a source file")]
    Empty,
    /// Two solvers were given the same name.
    #[error("two solvers are named `{0}`: name them, as in `--solver old={1} --solver new={1}`")]
    SameName(String, String),
}

/// Reads the solvers of a command line.
///
/// # Errors
/// When one is empty, or two have the same name.
pub fn parse_specs(texts: &[String]) -> Result<Vec<SolverSpec>, SpecError> {
    let specs: Vec<SolverSpec> = texts.iter().map(|text| parse_spec(text)).collect::<Result<_, _>>()?;
    check_names(&specs)?;
    Ok(specs)
}

/// Finds out whether all solvers have names of their own.
///
/// # Errors
/// When two have the same name.
pub fn check_names(specs: &[SolverSpec]) -> Result<(), SpecError> {
    for (place, spec) in specs.iter().enumerate() {
        if specs[..place].iter().any(|other| other.name == spec.name) {
            return Err(SpecError::SameName(spec.name.clone(), spec.text.clone()));
        }
    }
    Ok(())
}

/// Reads one solver of a command line.
///
/// # Errors
/// When it is empty.
pub fn parse_spec(text: &str) -> Result<SolverSpec, SpecError> {
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '#'))
    };
    let (name, text) = match text.split_once('=') {
        Some((name, rest)) if is_name(name) => (Some(name.to_owned()), rest.trim()),
        _ => (None, text.trim()),
    };
    if text.is_empty() {
        return Err(SpecError::Empty);
    }
    Ok(SolverSpec { name: name.unwrap_or_else(|| default_name(text)), text: text.to_owned() })
}

/// A bundled solver is named after itself, a path after its file, a command by its own words.
fn default_name(text: &str) -> String {
    if let Some(id) = text.strip_prefix(super::find::BUNDLED) {
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
    fn solvers_must_be_told_apart() {
        assert_eq!(names(&["a/bot", "b/bot"]), Err(SpecError::SameName("bot".into(), "b/bot".into())));
        assert_eq!(names(&["x="]), Err(SpecError::Empty));
        assert_eq!(names(&["  "]), Err(SpecError::Empty));
    }
}
