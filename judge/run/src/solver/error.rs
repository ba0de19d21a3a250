//! Why a solver is refused.

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
    /// A language that was chosen for a solver that is not there.
    #[error("no solver is named `{0}`, for which a language is given")]
    NoSuchSolver(String),
    /// A language that was chosen for what is not a source.
    #[error("`{text}` is a program or a command, which has no language to choose")]
    NoSource {
        /// The solver.
        text: String,
    },
    /// A command line with unmatched quotes.
    #[error("`{0}` is not a command line: its quotes do not match")]
    Unreadable(String),
}
