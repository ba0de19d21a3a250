//! Solvers that cannot be run whatever the case: they are refused before anything runs.

use super::error::SolverError;
use super::find::is_bundled;
use super::language::{self, BUNDLED};
use super::toolbox::BuildSettings;
use crate::program::find_program;
use judge_problem::{LanguageChoice, Languages, SolverSpec};
use std::path::Path;

/// Refuses a solver whose program does not exist, or whose source is of an unknown language.
///
/// # Errors
/// When it is such a solver.
pub fn check_solver(spec: &SolverSpec, settings: &BuildSettings) -> Result<(), SolverError> {
    let text = &spec.text;
    if let Some(id) = text.strip_prefix(BUNDLED) {
        return if is_bundled(id) { Ok(()) } else { Err(SolverError::NotBundled(id.to_owned())) };
    }
    let path = Path::new(text);
    let language = language::choose(spec, || settings.languages(), &settings.choices)?;
    let is_chosen = |choice: &LanguageChoice| choice.solver.as_ref() == Some(&spec.name);
    if language.is_none() && settings.choices.iter().any(is_chosen) {
        return Err(SolverError::NoSource { text: text.clone() });
    }
    if path.exists() {
        return Ok(());
    }
    let words = shell_words::split(text).map_err(|_| SolverError::Unreadable(text.clone()))?;
    let program = Path::new(words.first().map_or("", |word| word));
    match find_program(program) {
        Err(why) if !program.exists() => Err(SolverError::Missing { name: spec.name.clone(), why }),
        _ => Ok(()),
    }
}

/// Returns whether a solver is a source of a known language.
#[must_use]
pub fn is_source(spec: &SolverSpec, languages: &Languages) -> bool {
    matches!(language::choose(spec, || languages, &[]), Ok(Some(_)))
}

/// Refuses languages that are not known, or that are chosen for solvers that there are not.
///
/// # Errors
/// When there is such a choice.
pub fn check_choices(specs: &[SolverSpec], settings: &BuildSettings) -> Result<(), SolverError> {
    for LanguageChoice { solver, language } in &settings.choices {
        language::named(language, settings.languages())?;
        if let Some(solver) = solver
            && !specs.iter().any(|spec| spec.name == *solver)
        {
            return Err(SolverError::NoSuchSolver(solver.clone()));
        }
    }
    let is_source = |spec| matches!(language::choose(spec, || settings.languages(), &settings.choices), Ok(Some(_)));
    let for_all = settings.choices.iter().any(|choice| choice.solver.is_none());
    match specs.first() {
        Some(first) if for_all && !specs.iter().any(is_source) => {
            Err(SolverError::NoSource { text: first.text.clone() })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_or_of_an_unknown_language_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        for name in ["a.xyz", "a.txt", "a.py", "plain"] {
            std::fs::write(path(name), "x").unwrap();
        }
        let check = |text: &str| {
            let spec = SolverSpec { name: "n".to_owned(), text: text.to_owned() };
            check_solver(&spec, &BuildSettings::default())
        };
        for text in
            [&*path("a.txt"), &path("a.py"), &path("plain"), &path(""), "sh", "sh -c 'exit 1'", "bundled:columns"]
        {
            assert_eq!(check(text), Ok(()), "{text}");
        }
        let shown = |text: &str| check(text).unwrap_err().to_string();
        assert!(shown(&path("a.xyz")).starts_with("unknown source type .xyz; known: .rs, .cpp, .cc"));
        assert!(shown(&path("missing")).ends_with("missing: No such file or directory (os error 2)"));
        assert!(shown("no-such-command -x").contains("no such command on the PATH"));
        assert_eq!(shown("bundled:colums"), "there is no bundled solver `colums`");
        assert_eq!(shown("./bot 'x"), "`./bot 'x` is not a command line: its quotes do not match");
    }
}
