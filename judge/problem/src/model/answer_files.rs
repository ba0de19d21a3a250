//! The answer files of a problem's cases.

use std::path::PathBuf;

/// Where the answer files of a problem's cases are: the setter's own answers, which checkers compare with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AnswerFiles {
    /// Patterns of files: `data/*.ans`. A file is the answer of the case whose file has the same stem.
    pub patterns: Vec<String>,
    /// The folder that they start from.
    pub folder: PathBuf,
    /// Files of cases, each with its answer.
    pub named: Vec<(PathBuf, PathBuf)>,
}
