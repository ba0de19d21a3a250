//! The answer files of a problem's cases, found on disk.

use crate::matching::{MatchError, matching};
use judge_problem::AnswerFiles;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Returns every answer file that is found, sorted and once, and why some may not have been.
#[must_use]
pub fn answer_files(answers: &AnswerFiles) -> (Vec<PathBuf>, Option<MatchError>) {
    let mut files: Vec<PathBuf> = answers.named.iter().map(|(_, answer)| answer.clone()).collect();
    let mut unread = None;
    for pattern in &answers.patterns {
        match matching(&answers.folder, pattern) {
            Ok(found) => files.extend(found),
            Err(error) => unread = unread.or(Some(error)),
        }
    }
    files.sort();
    files.dedup();
    (files, unread)
}

/// The answer files of a problem, by what finds them for a case.
#[derive(Debug)]
pub struct AnswerIndex {
    /// By the real path of the case's file: those that the catalogue names.
    named: HashMap<PathBuf, PathBuf>,
    /// By their stem, each with its folder's real path.
    by_stem: HashMap<OsString, Vec<(PathBuf, PathBuf)>>,
    /// Why there may be others.
    unread: Option<MatchError>,
}

impl AnswerIndex {
    /// Looks for all answer files.
    #[must_use]
    pub fn of(answers: &AnswerFiles) -> Self {
        let mut by_stem: HashMap<OsString, Vec<_>> = HashMap::new();
        let (files, unread) = answer_files(answers);
        for file in files {
            if let Some(stem) = file.file_stem() {
                by_stem.entry(stem.to_owned()).or_default().push((real(folder_of(&file)), file));
            }
        }
        // Of a file that is named twice the first name counts.
        let named = answers.named.iter().rev().map(|(input, answer)| (real(input), answer.clone())).collect();
        Self { named, by_stem, unread }
    }

    /// Returns the answer file of the case in a file: the one that the catalogue names, or the one with its stem. Of
    /// several with its stem, that in its own folder.
    ///
    /// # Errors
    /// When there is none, but a folder could not be read.
    pub fn answer_of(&self, input: &Path) -> Result<Option<&Path>, &MatchError> {
        match (self.found(input), &self.unread) {
            (None, Some(unread)) => Err(unread),
            (found, _) => Ok(found),
        }
    }

    fn found(&self, input: &Path) -> Option<&Path> {
        if let Some(answer) = self.named.get(&real(input)) {
            return Some(answer);
        }
        let alike = self.by_stem.get(input.file_stem()?)?;
        let folder = real(folder_of(input));
        let beside = alike.iter().find(|(of_answer, _)| *of_answer == folder);
        beside.or(if alike.len() == 1 { alike.first() } else { None }).map(|(_, file)| &**file)
    }
}

fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A path that does not exist stands for itself.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_the_stem_of_its_case() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["a/1.in", "a/1.ans", "b/1.in", "b/1.ans", "b/2.in", "a/2.ans", "a/3.in", "c/1.in"] {
            std::fs::create_dir_all(path(name).parent().unwrap()).unwrap();
            std::fs::write(path(name), "").unwrap();
        }
        let named = vec![(path("a/3.in"), path("a/1.ans"))];
        let answers = AnswerFiles { patterns: vec!["*/*.ans".to_owned()], folder: folder.path().to_owned(), named };
        let index = AnswerIndex::of(&answers);
        let of = |name: &str| index.answer_of(&path(name)).unwrap().map(Path::to_owned);
        assert_eq!(of("a/1.in"), Some(path("a/1.ans")));
        assert_eq!(of("b/1.in"), Some(path("b/1.ans")));
        assert_eq!(of("b/2.in"), Some(path("a/2.ans")), "the only one");
        assert_eq!(of("a/3.in"), Some(path("a/1.ans")), "named");
        assert_eq!(of("c/1.in"), None, "one of two");
        assert_eq!(answer_files(&answers).0.len(), 3);
    }

    #[test]
    fn a_case_without_an_answer_is_an_error_where_a_folder_cannot_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir(path("a")).unwrap();
        std::fs::write(path("a/1.ans"), "").unwrap();
        // Even who may read everything cannot read this.
        std::os::unix::fs::symlink("circle", path("circle")).unwrap();
        let patterns = ["circle/*.ans", "a/*.ans"].map(str::to_owned).to_vec();
        let index = AnswerIndex::of(&AnswerFiles { patterns, folder: folder.path().to_owned(), named: Vec::new() });
        assert_eq!(index.answer_of(&path("1.in")).unwrap(), Some(&*path("a/1.ans")));
        assert!(
            matches!(index.answer_of(&path("2.in")), Err(MatchError::Unreadable(unread, _)) if *unread == path("circle"))
        );
    }
}
