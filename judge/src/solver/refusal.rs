//! Solvers that cannot be run whatever the case: they are refused before anything runs.

use super::find::{BUNDLED, is_bundled};
use super::language;
use super::program::find_program;
use super::toolchain::is_executable;
use crate::model::SolverSpec;
use std::path::Path;

/// Endings of files that are no source: such a file may be a program without its execute permission.
const DATA_ENDINGS: [&str; 9] = ["txt", "md", "in", "out", "ans", "log", "json", "csv", "toml"];

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
    /// The bundled solver does not exist.
    #[error("there is no bundled solver `{0}`")]
    NotBundled(String),
    /// A source file of an unknown language.
    #[error("unknown source type .{ending}; known: {known}")]
    UnknownSource {
        /// The file.
        file: String,
        /// Its ending, without the point.
        ending: String,
        /// The known endings.
        known: String,
    },
    /// A command line with unmatched quotes.
    #[error("`{0}` is not a command line: its quotes do not match")]
    Unreadable(String),
}

/// Refuses a solver whose program does not exist, or whose source file is of an unknown language.
///
/// # Errors
/// When it is such a solver.
pub fn check_solver(spec: &SolverSpec) -> Result<(), SolverError> {
    let text = &spec.text;
    if let Some(id) = text.strip_prefix(BUNDLED) {
        return if is_bundled(id) { Ok(()) } else { Err(SolverError::NotBundled(id.to_owned())) };
    }
    let path = Path::new(text);
    if path.is_file() && !is_executable(path) {
        return check_source(path);
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

fn check_source(path: &Path) -> Result<(), SolverError> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().into_owned());
    match ending.filter(|ending| language::of(path).is_none() && !DATA_ENDINGS.contains(&&**ending)) {
        Some(ending) => {
            let file = path.display().to_string();
            Err(SolverError::UnknownSource { file, ending, known: language::endings() })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_or_of_an_unknown_language_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        for name in ["a.kt", "a.txt", "a.py", "plain"] {
            std::fs::write(path(name), "x").unwrap();
        }
        let check = |text: &str| check_solver(&SolverSpec { name: "n".to_owned(), text: text.to_owned() });
        for text in
            [&*path("a.txt"), &path("a.py"), &path("plain"), &path(""), "sh", "sh -c 'exit 1'", "bundled:columns"]
        {
            assert_eq!(check(text), Ok(()), "{text}");
        }
        let shown = |text: &str| check(text).unwrap_err().to_string();
        assert!(shown(&path("a.kt")).starts_with("unknown source type .kt; known: .rs, .cpp, .cc"));
        assert!(shown(&path("missing")).ends_with("missing: No such file or directory (os error 2)"));
        assert!(shown("no-such-command -x").contains("no such command on the PATH"));
        assert_eq!(shown("bundled:colums"), "there is no bundled solver `colums`");
        assert_eq!(shown("./bot 'x"), "`./bot 'x` is not a command line: its quotes do not match");
    }
}
