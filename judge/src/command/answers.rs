//! The answer files of a problem's cases, found on disk.

use crate::model::AnswerFiles;
use std::path::{Path, PathBuf};

/// Returns every answer file, sorted and once.
#[must_use]
pub fn answer_files(answers: &AnswerFiles) -> Vec<PathBuf> {
    let patterns = answers.patterns.iter().map(|pattern| answers.folder.join(pattern));
    let found = patterns.filter_map(|pattern| glob::glob(&pattern.to_string_lossy()).ok()).flatten().flatten();
    let mut files: Vec<PathBuf> = found.chain(answers.named.iter().map(|(_, answer)| answer.clone())).collect();
    files.sort();
    files.dedup();
    files
}

/// Returns the answer file of the case in a file, of all that there are: the one that the catalogue names, or the one with
/// its stem. Of several with its stem, that in its own folder.
#[must_use]
pub fn answer_of(answers: &AnswerFiles, files: &[PathBuf], input: &Path) -> Option<PathBuf> {
    if let Some((_, answer)) = answers.named.iter().find(|(named, _)| is_same(named, input)) {
        return Some(answer.clone());
    }
    let is_alike = |file: &&PathBuf| file.file_stem() == input.file_stem();
    let alike: Vec<&PathBuf> = files.iter().filter(is_alike).collect();
    let beside = alike.iter().find(|file| is_same(folder_of(file), folder_of(input)));
    beside.or(if alike.len() == 1 { alike.first() } else { None }).map(|file| (*file).clone())
}

fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn is_same(left: &Path, right: &Path) -> bool {
    left == right || left.canonicalize().is_ok_and(|left| right.canonicalize().is_ok_and(|right| left == right))
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
        let files = answer_files(&answers);
        let of = |name: &str| answer_of(&answers, &files, &path(name));
        assert_eq!(of("a/1.in"), Some(path("a/1.ans")));
        assert_eq!(of("b/1.in"), Some(path("b/1.ans")));
        assert_eq!(of("b/2.in"), Some(path("a/2.ans")), "the only one");
        assert_eq!(of("a/3.in"), Some(path("a/1.ans")), "named");
        assert_eq!(of("c/1.in"), None, "one of two");
        assert_eq!(files.len(), 3);
    }
}
